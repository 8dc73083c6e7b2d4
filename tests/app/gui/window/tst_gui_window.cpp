// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a hand meets it: open, switch the theme, ask, export, break things, leave.
#include "analysis/report/experttables.h"
#include "app/gui/frame/banner.h"
#include "app/gui/frame/tracesheet.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/sidebar.h"
#include "app/gui/window/toolrow.h"
#include "app/gui/window/windowfixture.h"
#include "core/trace/format.h"
#include "views/expert/healthpanel.h"
#include "views/path/criticalpathpanel.h"
#include "views/seen.h"
#include "views/tables/sqlpanel.h"
#include "views/timeline/view.h"
#include "views/widgets/filedialog.h"
#include "views/widgets/linklabel.h"
#include "views/widgets/tableview.h"

#include <QAction>
#include <QApplication>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSet>
#include <QSettings>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class WindowTest : public QObject, protected WindowFixture {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { writeTrace(); }
    void init() { begin(); }
    void cleanup() { end(); }

    void startPageThenTrace()
    {
        QVERIFY(!m_window->workspace());
        QCOMPARE(m_window->windowTitle(), QStringLiteral("Longpole"));
        openSmall();
        // The folder tells two runs of one program apart.
        const QString folder = QFileInfo(m_folder.path()).fileName();
        QCOMPARE(m_window->windowTitle(), QStringLiteral("%1/small – Longpole").arg(folder));
        QCOMPARE(label(QStringLiteral("runSummary")), QStringLiteral("%1/small · 2 PEs · 10 us").arg(folder));
        QCOMPARE(m_settings->recent(), QStringList{m_small});
        m_window->closeTrace();
        QVERIFY(!m_window->workspace());
        QCOMPARE(label(QStringLiteral("runSummary")), QString());
    }

    // A summary has a timeline and no executions: panels about these say so, choices about them are not there.
    void aSummarySaysWhatItLacks()
    {
        QFile sum(m_folder.filePath(QStringLiteral("s.0.sum")));
        QVERIFY(sum.open(QIODevice::WriteOnly));
        sum.write(
            "ver:7.1 0/1 count:4 ep:2 interval:1.000000e-03 phases:0\n  50 100   0  25\nEPExeTime: 0 1750 \n"
            "EPCallTime: 0 3 \nMaxEPTime: 0 1000 \nNumMarks: 0 \nIdlePercent:   50   0 100   0\n");
        sum.close();
        m_window->open(sum.fileName());
        QTRY_VERIFY(m_window->workspace());
        QVERIFY(!state().store().hasEvents());
        for (const PanelSpec* spec : panelSpecs()) {
            m_window->showTab(QLatin1String(spec->id));
            const auto* said = qobject_cast<QLabel*>(&dock(spec->id).content());
            QCOMPARE(said != nullptr, spec->needs != PanelNeeds::Nothing);
            if (said && spec->needs == PanelNeeds::Events)
                QVERIFY(said->text().startsWith(QStringLiteral("This trace is a summary")));
        }
        QTRY_VERIFY(m_window->workspace()->healthPanel().toText().contains(
            QStringLiteral("summary trace, in intervals of 1 ms")));
        auto* tools = m_window->findChild<ToolRow*>();
        QVERIFY(!tools->find().isVisible());
        openSmall();
        QVERIFY(tools->find().isVisible());
    }

    void startPageHasNoTools()
    {
        QVERIFY(!m_window->toolRow().isVisible());
        openSmall();
        QVERIFY(m_window->toolRow().isVisible());
        m_window->closeTrace();
        QVERIFY(!m_window->toolRow().isVisible());
    }

    void okabeItoIsRemembered()
    {
        openSmall();
        Q_EMIT m_window->toolRow().colourChosen(ColourMode::Chare, PaletteKind::OkabeIto);
        QCOMPARE(state().paletteKind(), PaletteKind::OkabeIto);
        m_window->closeTrace();
        openSmall();
        QCOMPARE(state().paletteKind(), PaletteKind::OkabeIto);
        QCOMPARE(state().colour(), ColourMode::Chare);
    }

    void aboutThisTraceSaysWhatIsHeld()
    {
        openSmall();
        QTRY_VERIFY(state().path());
        const Results& results = *state().results();
        QCOMPARE(results.capacity(), Results::usualCapacity);
        // Panels may still be asking: what the sheet said is what Results said when it opened. QTRY_VERIFY asks once
        // more when it has been so.
        bool wasSaid = false;
        const auto isSaid = [&] {
            if (wasSaid) return true;
            m_window->actions().find(QStringLiteral("help.trace"))->trigger();
            wasSaid = label(QStringLiteral("traceMemory")).startsWith(formatBytes(results.bytes()))
                      && label(QStringLiteral("traceAnswers")) == heldLines(results, 10).join(QLatin1Char('\n'));
            return wasSaid;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isSaid(), 20000);
        // The graph of three tasks is not among the ten largest.
        const QStringList all = heldLines(results, 100);
        QVERIFY2(!all.filter(QStringLiteral("activity graph")).isEmpty(), qPrintable(all.join(u'\n')));
        QVERIFY(heldLines(results, 1).size() <= 2);
    }

    void theBoundOfAnswersIsASetting()
    {
        QSettings(m_folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat)
            .setValue(QStringLiteral("memory/answers_mb"), 64);
        openSmall();
        QCOMPARE(state().results()->capacity(), std::int64_t{64} << 20);
    }

    void themeSwitches()
    {
        openSmall();
        m_window->setTheme(ThemeChoice::Light);
        QCOMPARE(QApplication::palette().color(QPalette::Window), lightTheme().window);
        QCOMPARE(pixel(QPoint(4, 300)), lightTheme().window.rgb());  // the sidebar
        QCOMPARE(m_settings->theme(), ThemeChoice::Light);
        m_window->setTheme(ThemeChoice::Dark);
        QCOMPARE(pixel(QPoint(4, 300)), darkTheme().window.rgb());
        QCOMPARE(m_settings->theme(), ThemeChoice::Dark);
    }

    void brokenFileIsSaidInTheWindow()
    {
        openSmall();
        const QString path = m_folder.filePath(QStringLiteral("broken.longpole"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("SQLite format 3");
        file.close();
        m_window->open(path);
        QTRY_VERIFY(m_window->banner().isVisible());
        QVERIFY(!m_window->banner().isProgress());
        QVERIFY(m_window->banner().text().contains(path));
        QVERIFY(m_window->workspace());  // the trace that was open stays
        QCOMPARE(QApplication::activeModalWidget(), nullptr);
    }

    void dropOpens()
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(m_small)});
        QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_window.get(), &drop);
        QTRY_VERIFY(m_window->workspace());
    }

    void tablesFilter()
    {
        openSmall();
        TableView& steps = m_window->workspace()->panel<CriticalPathPanel>(panels::path.id).steps();
        steps.setFocus();
        QTest::keyClick(&steps, Qt::Key_Slash);
        QVERIFY(seen<QLineEdit>(steps, "Show rows with").isVisible());
        QTest::keyClicks(&seen<QLineEdit>(steps, "Show rows with"), QStringLiteral("1:0"));
        QCOMPARE(steps.table().rowCount(), 1);
        QTest::keyClick(&seen<QLineEdit>(steps, "Show rows with"), Qt::Key_Escape);
        QCOMPARE(steps.table().rowCount(), 2);
        QVERIFY(!seen<QLineEdit>(steps, "Show rows with").isVisible());
    }

    void healthCounts()
    {
        openSmall();
        HealthPanel& health = m_window->workspace()->healthPanel();
        QTRY_VERIFY(health.health() != nullptr);
        QCOMPARE(health.notes(), 1);
        QVERIFY(health.toText().contains(QStringLiteral("small.0.log, line 7")));
        // A line for each check, with the verdict in front.
        const QList<LinkLabel*> lines = health.findChildren<LinkLabel*>();
        const std::vector<Check>& checks = health.health()->checks;
        QVERIFY(!checks.empty());
        QCOMPARE(lines.size(), static_cast<qsizetype>(checks.size()));
        for (std::size_t i = 0; i < checks.size(); ++i)
            QVERIFY(lines[static_cast<qsizetype>(i)]->plainText().startsWith(title(checks[i].level)));
    }

    void theStatusBarLeadsToTheNotes()
    {
        openSmall();
        const HealthPanel& health = m_window->workspace()->healthPanel();
        QTRY_VERIFY(health.health() != nullptr);
        QPushButton* notes = nullptr;
        for (QPushButton* button : m_window->statusBar()->findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("1 note")) notes = button;
        QVERIFY(notes && notes->isVisible());
        const QString tip = notes->toolTip().replace(QLatin1Char('\n'), QLatin1Char(' '));
        QVERIFY2(tip.contains(health.health()->issues.front().sentence), qPrintable(tip));
        QVERIFY(!m_window->workspace()->isRightShown(RightPage::Health));
        notes->click();
        QVERIFY(m_window->workspace()->isRightShown(RightPage::Health));
        m_window->closeTrace();
        QVERIFY(!notes->isVisible());
    }

    void sqlRunsAndFails()
    {
        openSmall();
        SqlPanel& sql = m_window->workspace()->panel<SqlPanel>(panels::sql.id);
        m_window->showTab(QLatin1String(panels::sql.id));
        sql.editor().setPlainText(QStringLiteral("SELECT 6 * 7 AS answer, 'x' AS word UNION ALL SELECT 43, 'y'"));
        QSignalSpy finished(&sql, &SqlPanel::finished);
        QTest::keyClick(&sql.editor(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(finished.size(), 1);
        QCOMPARE(sql.table().table().toCsv(), QByteArray("answer,word\r\n42,x\r\n43,y\r\n"));
        for (const char* bad : {"SELEC 1", "DELETE FROM meta", "SELECT 1; SELECT 2"}) {
            finished.clear();
            sql.editor().setPlainText(QLatin1String(bad));
            sql.run();
            QTRY_COMPARE(finished.size(), 1);
            QVERIFY2(!shownError(sql).isEmpty() && !shownError(sql).contains(QLatin1String("row")), bad);
        }
        // Without end, until it is stopped.
        sql.editor().setPlainText(
            QStringLiteral("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"));
        sql.run();
        QVERIFY(sql.isRunning());
        sql.cancel();
        QVERIFY(!sql.isRunning());
    }

    void picturesAreWritten()
    {
        openSmall();
        const QString png = m_folder.filePath(QStringLiteral("picture.png"));
        const QString svg = m_folder.filePath(QStringLiteral("picture.svg"));
        m_window->exportPicture(png);
        m_window->exportPicture(svg);
        QVERIFY(QImage(png).width() > 400);
        QFile file(svg);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("<svg"));
        m_window->exportPicture(QStringLiteral("/proc/picture.png"));
        QVERIFY(m_window->banner().text().contains(QStringLiteral("/proc/picture.png")));
    }

    // What a view exports does not go onto the run that is open, nor through a link.
    void theOpenRunIsKept()
    {
        openSmall();
        const auto isKept = [this](const QString& file) {
            ToBeWritten question(file);
            QCoreApplication::sendEvent(m_window.get(), &question);
            return question.isKept();
        };
        QVERIFY(!isKept(m_folder.filePath(QStringLiteral("table.csv"))));
        QVERIFY(isKept(m_small));
        QVERIFY2(m_window->banner().text().contains(QStringLiteral("is not written")),
                 qPrintable(m_window->banner().text()));
        const QString link = m_folder.filePath(QStringLiteral("link.csv"));
        QVERIFY(QFile::link(m_folder.filePath(QStringLiteral("nothing")), link));
        QVERIFY(isKept(link));
    }

    void reportIsWritten()
    {
        openSmall();
        const QString path = m_folder.filePath(QStringLiteral("report.md"));
        m_window->exportReport(path);
        QTRY_VERIFY(QFile::exists(path));
        QTRY_VERIFY(m_window->banner().text().contains(path));
        m_window->exportReport(QStringLiteral("/proc/report.md"));
        QTRY_VERIFY(m_window->banner().text().contains(QStringLiteral("/proc/report.md")));
    }

    void paletteFindsAndRuns()
    {
        openSmall();
        QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        auto* palette = m_window->findChild<CommandPalette*>();
        QVERIFY(palette);
        QTRY_VERIFY(palette->isVisible());
        QTest::keyClicks(&palette->field(), QStringLiteral("elapsed path"));
        QCOMPARE(palette->list().count(), 1);
        QTest::keyClick(&palette->field(), Qt::Key_Return);
        QVERIFY(!palette->isVisible());
        QCOMPARE(m_window->session().question().mode, PathMode::Elapsed);
        QTRY_COMPARE(state().path()->length, 10 * us);
    }

    void actionsAreToldApart()
    {
        QSet<QString> ids;
        QSet<QString> keys;
        for (const ActionSpec& spec : actionSpecs()) {
            if (spec.id[0] == '-') continue;
            QVERIFY2(!ids.contains(QLatin1String(spec.id)), spec.id);
            ids.insert(QLatin1String(spec.id));
            QVERIFY(spec.run);
            for (const QKeySequence& key : shortcutsOf(spec)) {
                QVERIFY2(!key.isEmpty(), spec.id);
                QVERIFY2(!keys.contains(key.toString()), spec.id);
                keys.insert(key.toString());
            }
        }
        QVERIFY(keys.contains(QStringLiteral("Ctrl+Shift+P")));
    }

    void actionsWithoutATraceDoNothing()
    {
        for (const ActionSpec& spec : actionSpecs()) {
            const QAction* action = m_window->actions().find(QLatin1String(spec.id));
            if (!action) continue;
            QCOMPARE(action->isEnabled(), !spec.needsTrace);
        }
    }

    void closingWhileLoadingIsPrompt()
    {
        m_window->open(m_small);
        QElapsedTimer clock;
        clock.start();
        m_window->close();
        m_window.reset();
        QVERIFY(clock.elapsed() < 1000);
    }
};

LONGPOLE_GUI_TEST(WindowTest)
#include "tst_gui_window.moc"
