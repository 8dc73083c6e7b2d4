// SPDX-License-Identifier: GPL-3.0-or-later
// Every text of the window is translated: shown in a language that nobody speaks, no plain word is left but those of
// the trace, and nothing pushes the window off its screen.
#include "app/gui/frame/documents.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "core/store/tracestore.h"

#include "views/widgets/elidedlabel.h"

#include "support/pseudolanguage.h"
#include "support/testmain.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextDocumentFragment>

#include <set>

using namespace longpole;
using namespace longpole::test;

class LanguageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_CACHE_HOME", m_folder.path().toLocal8Bit());
        qputenv("XDG_DATA_HOME", m_folder.path().toLocal8Bit() + "/data");
        m_settings = std::make_unique<Settings>(m_folder.filePath(QStringLiteral("settings.ini")));
        applyTheme(darkTheme());
        QVERIFY(QCoreApplication::installTranslator(&m_language));
    }

    void everyTextIsTranslated_data()
    {
        QTest::addColumn<QString>("trace");
        QTest::newRow("start page") << QString();
        QTest::newRow("tasks") << QStringLiteral(LONGPOLE_TEST_DATA "/features_p4");
        QTest::newRow("MPI") << QStringLiteral(LONGPOLE_TEST_DATA "/otf2/casita_4_mpi_ls_barr");
    }
    void everyTextIsTranslated()
    {
        QFETCH(QString, trace);
        MainWindow window(*m_settings);
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        m_plain.clear();
        m_cut.clear();
        if (!trace.isEmpty()) {
            window.open(trace);
            QTRY_VERIFY_WITH_TIMEOUT(window.workspace(), 20'000);
            knowNames(window.workspace()->state().store());
            for (const PanelSpec* spec : panelSpecs()) {
                window.showTab(QLatin1String(spec->id));
                QTest::qWait(120);
                // A text that just came has its room when the layout was asked for.
                static_cast<void>(QTest::qWaitFor([&] { return cutIn(window, QLatin1String(spec->id)).empty(); },
                                                  2000));
                m_cut.merge(cutIn(window, QLatin1String(spec->id)));
                look(window, QLatin1String(spec->id));
            }
            QTest::qWait(500);
            window.startTour();
        }
        window.openKeyHelp();
        window.openAbout();
        m_cut.merge(cutIn(window, QStringLiteral("window")));
        look(window, QStringLiteral("window"));
        for (const QString& cut : m_cut) qInfo("cut: %s", qPrintable(cut));
        for (const QString& plain : m_plain) qInfo("%s", qPrintable(plain));
        QVERIFY(m_plain.empty() && m_cut.empty());
        // On a small screen words that stand beside controls give way.
        window.resize(1280, 720);
        QTest::qWait(20);
        // What needs most room, by the words of the widest first.
        QStringList wide;
        for (const QWidget* widget : window.findChildren<QWidget*>())
            if (widget->isVisible() && widget->minimumSizeHint().width() > 900)
                wide << QStringLiteral("%1 %2: %3")
                            .arg(QLatin1String(widget->metaObject()->className()), widget->objectName())
                            .arg(widget->minimumSizeHint().width());
        QVERIFY2(window.width() <= 1280, qPrintable(wide.join(QLatin1Char('\n'))));
    }

private:
    // The words of the trace: those of its names and its texts, which nobody translates.
    void knowNames(const TraceStore& store)
    {
        for (const Entry& entry : store.entries()) know(entry.name + QLatin1Char(' ') + entry.chare);
        for (const Region& region : store.regions()) know(region.name);
        for (const Track& track : store.tracks()) know(track.name);
        know(store.info().program + QLatin1Char(' ') + store.info().commandline);
        know(QStringLiteral("line task"));  // of places in logs, as the import wrote them down
        for (const char* word : {"Longpole", "Charm", "Ctrl", "Shift", "Return", "Enter", "Home", "Page", "Space"})
            know(QLatin1String(word));
    }
    void know(const QString& text)
    {
        for (auto found = words().globalMatch(text); found.hasNext();) m_known.insert(found.next().captured());
    }
    static const QRegularExpression& words()
    {
        static const QRegularExpression word(QStringLiteral("[A-Za-z]{4,}"));
        return word;
    }

    void look(const QWidget& window, const QString& where)
    {
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            if (qobject_cast<const QTextBrowser*>(widget) || widget->objectName().startsWith(QLatin1String("qt_")))
                continue;
            judge(widget->toolTip(), where);
            judge(widget->accessibleName(), where);
            for (const QAction* action : widget->actions())
                judge(action->text() + QLatin1Char(' ') + action->toolTip(), where);
            if (const auto* label = qobject_cast<const QLabel*>(widget)) judge(label->text(), where);
            if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) judge(button->text(), where);
            if (const auto* line = qobject_cast<const QLineEdit*>(widget)) judge(line->placeholderText(), where);
            if (const auto* text = qobject_cast<const QPlainTextEdit*>(widget)) judge(text->placeholderText(), where);
            if (const auto* dock = qobject_cast<const QDockWidget*>(widget)) judge(dock->windowTitle(), where);
            if (const auto* combo = qobject_cast<const QComboBox*>(widget))
                for (int i = 0; i < combo->count(); ++i) judge(combo->itemText(i), where);
            if (const auto* tabs = qobject_cast<const QTabBar*>(widget))
                for (int i = 0; i < tabs->count(); ++i) judge(tabs->tabText(i), where);
            if (const auto* header = qobject_cast<const QHeaderView*>(widget); header && header->model())
                for (int i = 0; i < header->count(); ++i)
                    judge(header->model()->headerData(i, header->orientation()).toString(), where);
        }
    }

    static std::set<QString> cutIn(const QWidget& window, const QString& where)
    {
        std::set<QString> cut;
        // The rows of choices above these two are full in English already.
        if (where == QLatin1String("panel.log") || where == QLatin1String("panel.overview")) return cut;
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            if (qobject_cast<const QTextBrowser*>(widget) || widget->objectName().startsWith(QLatin1String("qt_")))
                continue;
            if (isCut(*widget)) cut.insert(where + QStringLiteral(": ") + widget->property("text").toString());
        }
        return cut;
    }

    // Without room for its words, which nothing elides.
    static bool isCut(const QWidget& widget)
    {
        const auto* label = qobject_cast<const QLabel*>(&widget);
        const bool hasWords = qobject_cast<const QAbstractButton*>(&widget)
                              || (label && !label->wordWrap() && label->pixmap().isNull());
        if (!widget.isVisible() || !hasWords || widget.visibleRegion().isEmpty()) return false;
        if (qobject_cast<const ElidedLabel*>(&widget) || qobject_cast<const QTabBar*>(widget.parentWidget()))
            return false;
        const QString text = widget.property("text").toString();
        return !Qt::mightBeRichText(text)
               && widget.width() < QFontMetrics(widget.font()).size(Qt::TextShowMnemonic, text).width();
    }

    // But for paths, and names of programs, files and figures ("a::b", "b.json", "time_ns").
    void judge(const QString& text, const QString& where)
    {
        static const QRegularExpression names(QStringLiteral("\\S*(::|_|/|\\w\\.\\w)\\S*"));
        if (!m_seen.insert(text).second) return;
        QString read = Qt::mightBeRichText(text) ? QTextDocumentFragment::fromHtml(text).toPlainText() : text;
        for (auto found = words().globalMatch(read.remove(names)); found.hasNext();)
            if (const QString plain = found.next().captured(); !m_known.contains(plain))
                m_plain.insert(where + QStringLiteral(": ") + plain + QStringLiteral(" in “") + text.left(90)
                               + QStringLiteral("”"));
    }

    QTemporaryDir m_folder;
    PseudoLanguage m_language;
    std::unique_ptr<Settings> m_settings;
    std::set<QString> m_known{};
    std::set<QString> m_seen;
    std::set<QString> m_plain;
    std::set<QString> m_cut;
};

LONGPOLE_GUI_TEST(LanguageTest)
#include "tst_gui_language.moc"
