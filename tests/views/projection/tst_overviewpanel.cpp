// SPDX-License-Identifier: GPL-3.0-or-later
// The overview as a hand meets it: what it stacks, what it says under the cursor, and what clicks and drags do to the
// other views.
#include "analysis/realtraces.h"
#include "views/projection/overviewpanel.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"
#include "support/units.h"
#include "views/projection/shownprojection.h"

#include <QComboBox>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <memory>
#include <vector>

namespace longpole {

using namespace test;

namespace {

// The controls of a panel that show, each with all of its text.
template <typename Panel>
void verifyControlsShowWhole(Panel& panel)
{
    std::vector<QWidget*> shown;
    for (QWidget* one : panel.template findChildren<QWidget*>()) {
        const bool isControl = qobject_cast<QComboBox*>(one) || qobject_cast<QToolButton*>(one)
                               || qobject_cast<QSlider*>(one) || qobject_cast<QLineEdit*>(one);
        const bool isPart = qobject_cast<QComboBox*>(one->parent()) || qobject_cast<QLineEdit*>(one->parent());
        if (isControl && !isPart && one->isVisible() && panel.bar().isAncestorOf(one)) shown.push_back(one);
    }
    QVERIFY(shown.size() > 4);
    const auto placeOf = [&panel](const QWidget& one) { return QRect(one.mapTo(&panel, QPoint()), one.size()); };
    for (const QWidget* one : shown) {
        const int wanted = std::clamp(one->sizeHint().width(), one->minimumWidth(), one->maximumWidth());
        QVERIFY2(one->width() >= wanted, qPrintable(one->accessibleName()));
        QVERIFY2(panel.rect().contains(placeOf(*one)), qPrintable(one->accessibleName()));
        for (const QWidget* other : shown)
            QVERIFY2(one == other || !placeOf(*one).intersects(placeOf(*other)), qPrintable(one->accessibleName()));
    }
}

}  // namespace

class TestOverviewPanel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)"))); }

    void overviewStacksEntryMethods()
    {
        ShownProjection<OverviewPanel> shown;
        QTRY_VERIFY(shown.isExact());
        PlotStack& plot = *shown.panel.plots().front();
        settle(plot);
        const auto& layers = plot.content().layers;
        QCOMPARE(layers.size(), std::size_t(5));  // A, B, C, idle, overhead
        const Palette palette(*shown.store, themeOf(shown.panel), {});
        // Stage 0 is all A, stage 4 half C, half idle.
        QVERIFY(isClose(pixel(plot, 1000, 0.5), QColor::fromRgb(palette.entry(DrawnStore::entryOf('A')))));
        QVERIFY(isClose(pixel(plot, 9000, 0.25), QColor::fromRgb(palette.entry(DrawnStore::entryOf('C')))));
        QVERIFY(isClose(pixel(plot, 9000, 0.75), themeOf(shown.panel).idle));
        hover(plot, 9000, 0.25);
        QVERIFY2(shown.panel.readout().contains(QStringLiteral("stage 4 (8.0 us – 10.0 us): Drawn::C 50.0 %")),
                 qPrintable(shown.panel.readout()));
        QVERIFY(shown.panel.readout().endsWith(QStringLiteral("exact")));
        QCOMPARE(shown.panel.table().table().rowCount(), 5);
    }

    void theTableOfTheOverviewShowsItsNamesWhole()
    {
        ShownProjection<OverviewPanel> shown;
        QTRY_VERIFY(shown.isExact());
        shown.panel.resize(1800, 500);
        TableView& table = shown.panel.table();
        QTRY_VERIFY(table.width() >= table.wholeWidth());
        QVERIFY(shown.panel.plots().front()->width() > 2 * table.width());
    }

    void noControlOverlapsAnotherOrIsCutInANarrowPanel()
    {
        for (const int width : {1000, 760, 640, 480}) {
            ShownProjection<OverviewPanel> shown;
            shown.panel.setShow(OverviewPanel::Show::Attributes);
            seen<QToolButton>(shown.panel.bar(), "Choose …").setChecked(true);
            shown.panel.resize(width, 600);
            QTest::qWait(10);
            verifyControlsShowWhole(shown.panel);
        }
    }

    void overviewIsCoarseFirst()
    {
        ShownProjection<OverviewPanel> shown;
        QTRY_VERIFY(shown.panel.stacks());
        const bool isCoarse = shown.panel.stacks()->isApproximate;
        QCOMPARE(shown.panel.stateText().contains(QStringLiteral("≈")), isCoarse);
        QCOMPARE(shown.panel.plots().front()->isProvisional(), isCoarse);
        QTRY_VERIFY(shown.isExact());
        QVERIFY(!shown.panel.stacks()->isApproximate);
        QVERIFY(!shown.panel.plots().front()->isProvisional());
    }

    void overviewMarksAndZooms()
    {
        ShownProjection<OverviewPanel> shown;
        QTRY_VERIFY(shown.isExact());
        PlotStack& plot = *shown.panel.plots().front();
        settle(plot);
        QSignalSpy marked(&shown.state, &ViewState::markedChanged);
        click(plot, 5000, 0.5);
        QCOMPARE(shown.state.marked(), (TimeRange{4 * us, 6 * us}));
        QCOMPARE(marked.count(), 1);
        QTest::mouseDClick(canvasOf(plot), Qt::LeftButton, {}, at(plot, 3000, 0.5));
        QCOMPARE(shown.state.range(), (TimeRange{2 * us, 4 * us}));
        drag(plot, at(plot, 2000, 0.2), at(plot, 8000, 0.8));
        QVERIFY(std::abs(shown.state.marked().begin - 2 * us) < 50 && std::abs(shown.state.marked().end - 8 * us) < 50);
        QTest::keyClick(canvasOf(plot), Qt::Key_Home);
        QCOMPARE(plot.xShown(), PlotSpan(0, 10000));
        QWheelEvent wheel(QPointF(at(plot, 5000, 0.5)), {}, {}, {0, 240}, Qt::NoButton, {}, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(canvasOf(plot), &wheel);
        QVERIFY(plot.xShown().first > 1000 && plot.xShown().second < 9000);
        shown.stages(QStringLiteral("stages=10"));  // what is zoomed stays so
        QVERIFY(plot.xShown().first > 1000);
    }

    void overviewOverProcessors()
    {
        ShownProjection<OverviewPanel> shown;
        choose(seen<QComboBox>(shown.panel, "Axis that is kept"), QStringLiteral("over PEs"));
        QTRY_VERIFY(shown.isExact());
        PlotStack& plot = *shown.panel.plots().front();
        settle(plot);
        QTRY_COMPARE(plot.content().columnNames,
                     (std::vector<QString>{QStringLiteral("PE 0"), QStringLiteral("PE 1")}));
        hover(plot, 1, 0.9);
        QVERIFY2(shown.panel.readout().startsWith(QStringLiteral("PE 1: idle 40.0 %")),
                 qPrintable(shown.panel.readout()));
        QTest::mouseDClick(canvasOf(plot), Qt::LeftButton, {}, at(plot, 1, 0.5));
        QCOMPARE(shown.state.processors(), std::vector<ProcessorId>{ProcessorId{1}});
        QVERIFY(plot.toCsv().startsWith("\"PE\",\"Drawn::"));
    }

    void manyProcessorsShareBars()
    {
        QStringList lines;
        for (int pe = 0; pe < 600; ++pe) lines << (pe % 2 == 0 ? QStringLiteral("AAAA") : QStringLiteral("AA.."));
        ShownProjection<OverviewPanel> shown(lines);
        choose(seen<QComboBox>(shown.panel, "Axis that is kept"), QStringLiteral("over PEs"));
        QTRY_VERIFY(shown.isExact());
        QCOMPARE(shown.panel.binSize(), std::size_t(3));
        const PlotStack& plot = *shown.panel.plots().front();
        QTRY_COMPARE(plot.content().edges.size(), std::size_t(201));
        QCOMPARE(plot.content().layers[0].values[0], 10.0 / 12);
        QCOMPARE(plot.content().columnNames[1], QStringLiteral("PEs 3-5"));
    }

    void overviewOfAttributes()
    {
        ShownProjection<OverviewPanel> shown;
        const auto attribute = [&](const char* name) { return *parseAttribute(QLatin1String(name), *shown.store); };
        shown.panel.picker().setChosen({attribute("utilization"), attribute("idle"), attribute("user")});
        QTRY_VERIFY(shown.isExact());
        QCOMPARE(shown.panel.plots().size(), std::size_t(2));  // shares, times
        QCOMPARE(shown.panel.plots()[1]->content().layers.size(), std::size_t(2));
        QCOMPARE(shown.panel.plots()[0]->content().layers[0].values, (std::vector<double>{1, 0.5, 1, 0.5, 0.5}));
        choose(seen<QComboBox>(shown.panel, "How rows, or stages, become one number"), QStringLiteral("least"));
        QCOMPARE(shown.panel.plots()[0]->content().layers[0].values, (std::vector<double>{1, 0, 1, 0, 0}));
        settle(*shown.panel.plots()[0]);
        PlotStack& plot = *shown.panel.plots()[0];
        hover(plot, 3000, 0.2);
        QVERIFY2(shown.panel.readout().contains(QStringLiteral("Utilization 0.0 %")),
                 qPrintable(shown.panel.readout()));
        shown.panel.picker().setChosen({});
        QTRY_VERIFY(shown.panel.plots()[0]->content().layers.empty());
    }

    void closedWhileCounting()
    {
        const DrawnStore store(projectedRows);
        ViewState state(store.shared());
        auto panel = std::make_unique<OverviewPanel>(state);
        panel->show();
        fill(stagesField(*panel), QStringLiteral("stages=2000"));
        panel.reset();
        QVERIFY(state.projector() != nullptr);
    }

    // The paper's own example (figure 3): systems overlap at first; at last one is left, and all wait in its
    // reductions.
    void gaussSeidelIdlesAtTheEnd()
    {
        RealTraces traces;
        const QString name = QStringLiteral("gauss_seidel_p8");
        if (!RealTraces::has(name)) QSKIP("the trace is not there");
        const auto store = traces.open(name);
        QVERIFY(store.ok());
        ViewState state(*store);
        OverviewPanel panel(state);
        panel.resize(1000, 500);
        panel.show();
        fill(stagesField(panel), QStringLiteral("stages=40"));
        QTRY_COMPARE(panel.stateText(), QStringLiteral("exact"));
        const auto& layers = panel.plots().front()->content().layers;
        QCOMPARE(layers[layers.size() - 2].name, QStringLiteral("idle"));
        const std::vector<double>& idle = layers[layers.size() - 2].values;
        QVERIFY(idle[7] < 0.1);
        QVERIFY(idle[35] > 0.25);
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestOverviewPanel)
#include "tst_overviewpanel.moc"
