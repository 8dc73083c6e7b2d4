// SPDX-License-Identifier: GPL-3.0-or-later
// Who uses a screen reader, a keyboard, a large font or few colours gets the whole window: names and roles of all
// controls, the way of Tab, contrasts, sizes.
#include "app/gui/frame/paneldock.h"
#include "app/gui/frame/settings.h"
#include "app/gui/frame/style.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "views/drawing/basics/theme.h"

#include "support/testmain.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QApplication>
#include <QButtonGroup>
#include <QComboBox>
#include <QDockWidget>
#include <QFontInfo>
#include <QHeaderView>
#include <QLineEdit>
#include <QScopeGuard>
#include <QScrollBar>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextEdit>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace longpole;

namespace {

// WCAG 2.1, "contrast ratio".
double luminance(const QColor& colour)
{
    const auto part = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * part(colour.redF()) + 0.7152 * part(colour.greenF()) + 0.0722 * part(colour.blueF());
}
double contrast(const QColor& a, const QColor& b)
{
    const double x = luminance(a);
    const double y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

bool isControl(const QWidget& widget)
{
    if (qobject_cast<const QScrollBar*>(&widget) || qobject_cast<const QHeaderView*>(&widget)) return false;
    return qobject_cast<const QAbstractButton*>(&widget) || qobject_cast<const QComboBox*>(&widget)
           || qobject_cast<const QLineEdit*>(&widget) || qobject_cast<const QAbstractItemView*>(&widget)
           || qobject_cast<const QAbstractSlider*>(&widget) || qobject_cast<const QAbstractSpinBox*>(&widget)
           || qobject_cast<const QTextEdit*>(&widget) || (widget.focusPolicy() & Qt::TabFocus);
}

// Parts of one control: the list of a combo box, the field of a spin box, what Qt itself adds to bars of tabs.
bool isPartOfControl(const QWidget& widget)
{
    if (widget.objectName().startsWith(QLatin1String("qt_")) || widget.objectName() == QLatin1String("ScrollLeftButton")
        || widget.objectName() == QLatin1String("ScrollRightButton"))
        return true;
    for (const QWidget* parent = widget.parentWidget(); parent; parent = parent->parentWidget())
        if (qobject_cast<const QComboBox*>(parent) || qobject_cast<const QAbstractSpinBox*>(parent)
            || qobject_cast<const QLineEdit*>(parent) || qobject_cast<const QAbstractItemView*>(parent))
            return true;
    return false;
}

// Not on the screen, and without a text until it is. A bar's name is that of its chosen tab.
bool isEmpty(const QWidget& widget)
{
    if (const auto* bar = qobject_cast<const QTabBar*>(&widget); bar && bar->currentIndex() < 0) return true;
    const QVariant text = widget.property("text");
    return !widget.isVisible() && text.isValid() && text.toString().isEmpty();
}

// The cross of a tab: Ctrl+F4 closes its view.
bool isCross(const QWidget& widget) { return qobject_cast<const QTabBar*>(widget.parentWidget()) != nullptr; }

// Arrow keys lead from one button of such a group to the next.
bool isOneOfSome(const QWidget& widget)
{
    const auto* button = qobject_cast<const QAbstractButton*>(&widget);
    return button && button->isCheckable()
           && (button->autoExclusive() || (button->group() && button->group()->exclusive()));
}

// A view that another one of its tabs covers counts as visible.
bool isBehindATabOf(const QWidget& widget)
{
    for (const QWidget* at = &widget; at && !at->isWindow(); at = at->parentWidget())
        if (qobject_cast<const QDockWidget*>(at)) return !at->parentWidget()->rect().intersects(at->geometry());
    return false;
}

QString pathOf(const QWidget& widget)
{
    QString path;
    for (const QWidget* at = &widget; at && path.size() < 300; at = at->parentWidget())
        path += QStringLiteral("%1(%2) ").arg(QLatin1String(at->metaObject()->className()), at->objectName());
    return path;
}

}  // namespace

class AccessibleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_CACHE_HOME", m_folder.path().toLocal8Bit());
        qputenv("XDG_DATA_HOME", m_folder.path().toLocal8Bit() + "/data");
        m_settings = std::make_unique<Settings>(m_folder.filePath(QStringLiteral("settings.ini")));
        applyTheme(darkTheme());
    }

    void everyControlHasANameAndARole_data()
    {
        QTest::addColumn<QString>("trace");
        QTest::newRow("start page") << QString();
        QTest::newRow("tasks") << QStringLiteral(LONGPOLE_TEST_DATA "/features_p4");
        QTest::newRow("MPI") << QStringLiteral(LONGPOLE_TEST_DATA "/otf2/casita_4_mpi_ls_barr");
    }
    void everyControlHasANameAndARole()
    {
        QFETCH(QString, trace);
        MainWindow window(*m_settings);
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        if (!trace.isEmpty()) {
            window.open(trace);
            QTRY_VERIFY(window.workspace() && window.workspace()->state().path());
            for (const PanelSpec* spec : panelSpecs()) {
                window.showTab(QLatin1String(spec->id));
                QTest::qWait(5);
            }
        }
        QStringList wrong;
        int controls = 0;
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            if (!isControl(*widget) || isPartOfControl(*widget) || isEmpty(*widget)) continue;
            ++controls;
            QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
            if (!spoken || spoken->text(QAccessible::Name).trimmed().isEmpty())
                wrong << QStringLiteral("no name: ") + pathOf(*widget);
            else if (spoken->role() == QAccessible::NoRole || spoken->role() == QAccessible::Client)
                wrong << QStringLiteral("no role: ") + pathOf(*widget);
            const bool isKeyless = qobject_cast<const QAbstractButton*>(widget)
                                   && !(widget->focusPolicy() & Qt::TabFocus) && !isOneOfSome(*widget)
                                   && !isCross(*widget);
            if (isKeyless) wrong << QStringLiteral("no key leads there: ") + pathOf(*widget);
        }
        for (const QString& line : wrong) qWarning("%s", qPrintable(line));
        QVERIFY2(wrong.isEmpty(), qPrintable(QString::number(wrong.size())));
        QVERIFY2(controls >= (trace.isEmpty() ? 5 : 100), qPrintable(QString::number(controls)));
    }

    // Tab, pressed until it is back where it began, has been at every control that shows, and at each one sees where.
    void tabLeadsToEveryControlAndOneSeesWhere_data()
    {
        QTest::addColumn<QString>("trace");
        QTest::addColumn<bool>("dark");
        QTest::newRow("start page") << QString() << true;
        QTest::newRow("tasks, dark") << QStringLiteral(LONGPOLE_TEST_DATA "/features_p4") << true;
        QTest::newRow("MPI, light") << QStringLiteral(LONGPOLE_TEST_DATA "/otf2/casita_4_mpi_ls_barr") << false;
    }
    void tabLeadsToEveryControlAndOneSeesWhere()
    {
        QFETCH(QString, trace);
        QFETCH(bool, dark);
        applyTheme(dark ? darkTheme() : lightTheme());
        MainWindow window(*m_settings);
        window.setTheme(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        if (!trace.isEmpty()) {
            window.open(trace);
            QTRY_VERIFY(window.workspace() && window.workspace()->state().path());
            QTest::qWait(500);  // what comes by itself: advice, counts
        }
        if (!QApplication::focusWidget()) QTest::keyClick(&window, Qt::Key_Tab);
        std::vector<QWidget*> way;
        QStringList wrong;
        constexpr std::size_t most = 500;
        for (QWidget* at = QApplication::focusWidget(); at && way.size() < most; at = QApplication::focusWidget()) {
            if (std::find(way.begin(), way.end(), at) != way.end()) break;
            way.push_back(at);
            // A text with links has Tab go from one to the next.
            for (int links = 0; links < 40 && QApplication::focusWidget() == at; ++links) {
                QTest::keyClick(at, Qt::Key_Tab);
                QCoreApplication::processEvents();  // past what lies behind a tab
            }
            if (QApplication::focusWidget() == at) {
                wrong << QStringLiteral("Tab does not leave: ") + pathOf(*at);
                break;
            }
        }
        QVERIFY(way.size() < most);
        const auto isOnWay = [&way](const QWidget* widget) {
            return std::any_of(way.begin(), way.end(), [widget](const QWidget* at) {
                return at == widget || widget->focusProxy() == at || widget->isAncestorOf(at);
            });
        };
        for (const QWidget* widget : window.findChildren<QWidget*>())
            if (isControl(*widget) && !isPartOfControl(*widget) && widget->isVisible() && widget->isEnabled()
                && (widget->focusPolicy() & Qt::TabFocus) && !isOneOfSome(*widget) && !isBehindATabOf(*widget)
                && !isOnWay(widget))
                wrong << QStringLiteral("Tab does not reach: ") + pathOf(*widget);
        for (QWidget* at : way)
            if (isBehindATabOf(*at) && at != way.front())  // there it was before Tab led anywhere
                wrong << QStringLiteral("nobody sees: ") + pathOf(*at);
            else if (at->isVisible() && !isBehindATabOf(*at) && !showsFocus(window, *at))
                wrong << QStringLiteral("focus is not seen: ") + pathOf(*at);
        for (const QString& line : wrong) qWarning("%s", qPrintable(line));
        QVERIFY2(wrong.isEmpty(), qPrintable(QString::number(wrong.size())));
        QVERIFY2(way.size() >= (trace.isEmpty() ? 2u : 25u), qPrintable(QString::number(way.size())));
    }

    // Whoever has set the desktop to larger letters gets them here, and all of each text.
    void lettersAreAsLargeAsTheSystems()
    {
        QFont system = QApplication::font();
        system.setPointSizeF(7);
        QCOMPARE(interfaceFont(system).pointSizeF(), 9.75);  // smaller ones cannot be read
        constexpr double points = 15;
        system.setPointSizeF(points);
        MainWindow window(*m_settings);
        applyTheme(darkTheme(), system);
        const auto back = qScopeGuard([] { applyTheme(darkTheme()); });
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        int texts = 0;
        QStringList wrong;
        const auto look = [&] {
            texts = 0;
            wrong.clear();
            for (const QWidget* widget : window.findChildren<QWidget*>()) {
                const QString text = widget->property("text").toString();
                if (!widget->isVisible() || text.isEmpty()) continue;
                ++texts;
                if (QFontInfo(widget->font()).pointSizeF() < points - 0.5)
                    wrong << QStringLiteral("%1 pt: ").arg(widget->font().pointSizeF()) + pathOf(*widget);
                if (widget->height() < widget->fontMetrics().ascent())
                    wrong << QStringLiteral("letters are cut: ") + pathOf(*widget);
            }
            return wrong.isEmpty();
        };
        const auto said = qScopeGuard([&wrong] {
            for (const QString& line : wrong) qWarning("%s", qPrintable(line));
        });
        QTRY_VERIFY(look());
        window.open(QStringLiteral(LONGPOLE_TEST_DATA "/features_p4"));
        QTRY_VERIFY(window.workspace() && window.workspace()->state().path());
        QTest::qWait(300);
        QTRY_VERIFY_WITH_TIMEOUT(look(), 10'000);  // cards of advice come later, and settle
        QVERIFY2(texts > 30, qPrintable(QString::number(texts)));
        const QSize least = window.minimumSizeHint();
        QVERIFY2(least.width() <= 1440 && least.height() <= 900,
                 qPrintable(QStringLiteral("%1 x %2").arg(least.width()).arg(least.height())));
    }

    // A frame around a table is for whoever came by Tab, and goes with the focus.
    void aFrameShowsWhereTabHasLed()
    {
        MainWindow window(*m_settings);
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.open(QStringLiteral(LONGPOLE_TEST_DATA "/features_p4"));
        QTRY_VERIFY(window.workspace() && window.workspace()->state().path());
        window.showTab(QStringLiteral("panel.path"));
        QTableView* table = nullptr;
        for (QTableView* each : window.findChildren<QTableView*>())
            if (each->isVisible() && (each->focusPolicy() & Qt::TabFocus)) table = each;
        QVERIFY(table);
        const auto frame = [table]() -> const QWidget* {
            for (const QObject* child : table->children())
                if (const auto* over = qobject_cast<const QWidget*>(child);
                    over && over->testAttribute(Qt::WA_TransparentForMouseEvents) && over->geometry() == table->rect())
                    return over;
            return nullptr;
        };
        table->setFocus(Qt::TabFocusReason);
        QTRY_VERIFY(frame());
        table->resize(table->size() - QSize(10, 10));
        QVERIFY(frame());  // still around all of it
        window.findChild<QWidget*>(QStringLiteral("timelineCanvas"))->setFocus(Qt::OtherFocusReason);
        QTRY_VERIFY(!frame());
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, QPoint(20, 5));
        QTRY_COMPARE(QApplication::focusWidget(), table);
        QVERIFY(!frame());
    }

    // Not what stands beside it: Tab goes on from the view's begin.
    void aViewThatWasAskedForHasTheFocus()
    {
        MainWindow window(*m_settings);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.open(QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4"));
        QTRY_VERIFY_WITH_TIMEOUT(window.workspace(), 20'000);
        for (const PanelSpec* spec : panelSpecs()) {
            auto* dock = window.findChild<PanelDock*>(QLatin1String(spec->id));
            if (!dock) continue;
            window.showTab(QLatin1String(spec->id));
            QTest::qWait(20);
            const QWidget* const at = QApplication::focusWidget();
            QVERIFY2(at == &dock->content() || dock->isAncestorOf(at), spec->id);
        }
    }

    void textStandsOutFromItsGround_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("dark") << true;
        QTest::newRow("light") << false;
    }
    void textStandsOutFromItsGround()
    {
        QFETCH(bool, dark);
        const Theme& theme = dark ? darkTheme() : lightTheme();
        const QPalette palette = widgetPalette(theme);
        const std::pair<const char*, QColor> texts[] = {
            {"text", theme.text},
            {"muted", theme.mutedText},
            {"faint", theme.faintText},
            {"warning", theme.warning},
            {"link", palette.color(QPalette::Link)},
        };
        const std::pair<const char*, QColor> grounds[] = {{"window", theme.window},
                                                          {"panel", theme.panel},
                                                          {"raised", theme.raised}};
        constexpr double least = 4.5;
        for (const auto& [name, text] : texts)
            for (const auto& [ground, under] : grounds)
                QVERIFY2(contrast(text, under) >= least, qPrintable(QStringLiteral("%1 on %2: %3")
                                                                        .arg(QLatin1String(name), QLatin1String(ground))
                                                                        .arg(contrast(text, under))));
        QVERIFY(contrast(palette.color(QPalette::HighlightedText), palette.color(QPalette::Highlight)) >= least);
        // What is no text: lines and bars that carry meaning.
        for (const QColor& part : {theme.accent, theme.utilization, theme.selection})
            QVERIFY(contrast(part, theme.panel) >= 3);
    }

private:
    // Whether some pixel in the control, or just around it, differs while it has the focus.
    static bool showsFocus(QWidget& window, QWidget& control)
    {
        const QRect around = QRect(control.mapTo(&window, QPoint()), control.size()).adjusted(-4, -4, 4, 4);
        control.setFocus(Qt::TabFocusReason);
        QCoreApplication::processEvents();
        const QImage with = window.grab(around).toImage();
        control.clearFocus();
        QCoreApplication::processEvents();
        return with != window.grab(around).toImage();
    }

    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
};

LONGPOLE_GUI_TEST(AccessibleTest)
#include "tst_gui_accessible.moc"
