// SPDX-License-Identifier: GPL-3.0-or-later
// The overview and the detailed view as a hand meets them: what they draw, what they say under the cursor, and what
// clicks and drags do to the other views.
#include "analysis/realtraces.h"
#include "views/drawnstore.h"
#include "views/plots/colourbar.h"
#include "views/projection/detailpanel.h"
#include "views/projection/overviewpanel.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"
#include "support/units.h"
#include "views/projection/stagefields.h"
#include "views/seen.h"

#include <QComboBox>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <vector>

namespace longpole {

using namespace test;

namespace {

const QStringList projectedRows{QStringLiteral("AAAABBBB.."), QStringLiteral("AA..BB..CC")};

template <typename Panel>
struct ShownProjection {
    DrawnStore store;
    ViewState state;
    Panel panel;

    explicit ShownProjection(const QStringList& lines = projectedRows)
        : store(lines), state(store.shared()), panel(state)
    {
        panel.resize(1000, 500);
        panel.show();
        stages(QStringLiteral("stages=5"));
    }
    void stages(const QString& text) { fill(stagesField(panel), text); }
    bool isExact() const { return panel.stateText() == QLatin1String("exact"); }
};

QWidget* canvasOf(PlotFrame& plot) { return plot.findChild<QWidget*>(QString(), Qt::FindDirectChildrenOnly); }

void settle(PlotFrame& plot)
{
    QTest::qWait(30);  // queued replots
    QVERIFY(!plot.axesRect().isEmpty());
}

QPoint at(PlotFrame& plot, double x, double y) { return plot.toPixels(x, y).toPoint(); }

void click(PlotFrame& plot, double x, double y)
{
    QTest::mouseClick(canvasOf(plot), Qt::LeftButton, {}, at(plot, x, y));
}

void drag(PlotFrame& plot, QPoint from, QPoint to)
{
    QTest::mousePress(canvasOf(plot), Qt::LeftButton, {}, from);
    for (const QPoint& point : {(from + to) / 2, to}) {
        QMouseEvent move(QEvent::MouseMove, QPointF(point), QPointF(point), Qt::NoButton, Qt::LeftButton, {});
        QCoreApplication::sendEvent(canvasOf(plot), &move);
    }
    QTest::mouseRelease(canvasOf(plot), Qt::LeftButton, {}, to);
}

void hover(PlotFrame& plot, double x, double y)
{
    const QPointF point = at(plot, x, y);
    QMouseEvent move(QEvent::MouseMove, point, point, Qt::NoButton, Qt::NoButton, {});
    QCoreApplication::sendEvent(canvasOf(plot), &move);
}

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

QColor pixel(PlotFrame& plot, double x, double y) { return plot.grab().toImage().pixelColor(at(plot, x, y)); }

bool isClose(const QColor& a, const QColor& b)
{
    return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) < 12;
}

}  // namespace

class TestProjectionPanels : public QObject {
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

    // QCustomPlot would draw nothing of a single column, nor of a single row.
    void oneStageOrOneProcessorIsDrawn()
    {
        ShownProjection<DetailPanel> shown;
        shown.stages(QStringLiteral("stages=1"));
        QTRY_VERIFY(shown.isExact());
        PlotHeatMap& map = shown.panel.map();
        settle(map);
        QVERIFY(isClose(pixel(map, 3000, 0), QColor(shown.panel.scale().colour(0.8))));
        QVERIFY(isClose(pixel(map, 9000, 1), QColor(shown.panel.scale().colour(0.6))));
        shown.stages(QStringLiteral("stages=5"));
        fill(processorField(shown.panel), QStringLiteral("1"));
        QTRY_VERIFY(shown.isExact());
        settle(map);
        QVERIFY(isClose(pixel(map, 1000, 0), QColor(shown.panel.scale().colour(1))));
        QVERIFY(isClose(pixel(map, 3000, 0), QColor(shown.panel.scale().colour(0))));
    }

    void rectanglesMayLeaveThePlot()
    {
        ShownProjection<DetailPanel> shown;
        QTRY_VERIFY(shown.isExact());
        PlotHeatMap& map = shown.panel.map();
        settle(map);
        QSignalSpy asked(&shown.panel, &ProjectionPanel::timelineRequested);
        drag(map, at(map, 5000, 1), QPoint(map.width() - 2, map.height() - 2));
        QCOMPARE(asked.count(), 1);
        const TimeNs zero = shown.store->info().begin;
        QCOMPARE(shown.state.range(), (TimeRange{zero + 4 * us, zero + 10 * us}));
        QCOMPARE(shown.state.processors(), std::vector{ProcessorId{1}});
    }

    void formulasWithoutAValueAreSaid()
    {
        ShownProjection<DetailPanel> shown;
        shown.panel.picker().setChosen({*parseAttribute(QStringLiteral("user / flush"), *shown.store)});
        Q_EMIT shown.panel.picker().chosenChanged();
        QTRY_VERIFY2(shown.panel.stateText().contains(QStringLiteral("divides by zero")),
                     qPrintable(shown.panel.stateText()));
    }

    void aConditionThatCannotBeReadChangesNothing()
    {
        ShownProjection<DetailPanel> shown;
        const auto write = [&](const char* text) { fill(conditionField(shown.panel), QLatin1String(text)); };
        write("utilization > 70 %");
        QTRY_COMPARE(shown.panel.bar().pes(), std::vector{ProcessorId{0}});
        write("utilization >");
        QVERIFY(!shown.panel.bar().errorText().isEmpty());
        QCOMPARE(shown.panel.bar().pes(), std::vector{ProcessorId{0}});
        write("");
        QTRY_COMPARE(shown.panel.bar().pes().size(), std::size_t(2));
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

    void heatMapColoursItsCells()
    {
        ShownProjection<DetailPanel> shown;
        QTRY_VERIFY(shown.isExact());
        PlotHeatMap& map = shown.panel.map();
        settle(map);
        const ColourScale& scale = shown.panel.scale();
        QVERIFY(isClose(pixel(map, 1000, 0), QColor::fromRgb(scale.colour(1))));
        QVERIFY(isClose(pixel(map, 9000, 0), QColor::fromRgb(scale.colour(0))));
        QVERIFY(isClose(pixel(map, 3000, 1), QColor::fromRgb(scale.colour(0))));
        hover(map, 9000, 1);
        QCOMPARE(shown.panel.readout(), QStringLiteral("PE 1, stage 4 (8.0 us – 10.0 us): Utilization 100.0 %, exact"));
    }

    void undefinedCellsAreBackground()
    {
        ShownProjection<DetailPanel> shown;
        shown.panel.picker().setChosen({*parseAttribute(QStringLiteral("grain_mean"), *shown.store)});
        QTRY_VERIFY(shown.isExact());
        PlotHeatMap& map = shown.panel.map();
        settle(map);
        QVERIFY(isClose(pixel(map, 9000, 0), QColor::fromRgb(shown.panel.scale().nothing())));  // no task begins there
        QVERIFY(isClose(pixel(map, 1000, 0), QColor::fromRgb(shown.panel.scale().colour(4000))));
        choose(seen<QComboBox>(shown.panel, "Scale of colours and lines"), QStringLiteral("log"));
        QVERIFY(shown.panel.scale().axis().isLog);
        settle(map);
        QVERIFY(isClose(pixel(map, 1000, 0), QColor::fromRgb(shown.panel.scale().colour(4000))));
    }

    void aRectangleOpensTheTimeline()
    {
        ShownProjection<DetailPanel> shown;
        QTRY_VERIFY(shown.isExact());
        PlotHeatMap& map = shown.panel.map();
        settle(map);
        drag(map, at(map, 2500, 0.6), at(map, 5500, 1.3));
        QCOMPARE(shown.state.range(), (TimeRange{2 * us, 6 * us}));
        QCOMPARE(shown.state.processors(), std::vector<ProcessorId>{ProcessorId{1}});
        shown.state.undo();  // one step
        QCOMPARE(shown.state.range(), (TimeRange{0, 10 * us}));
        QVERIFY(shown.state.processors().empty());
    }

    void coloursSpreadOverChosenValues()
    {
        ShownProjection<DetailPanel> shown;
        QTRY_VERIFY(shown.isExact());
        settle(shown.panel.map());
        ColourBar& bar = seen<ColourBar>(shown.panel);
        QCOMPARE(bar.high(), 1.0);
        QTest::mousePress(&bar, Qt::LeftButton, {}, bar.handle(true).toPoint());
        QTest::mouseRelease(&bar, Qt::LeftButton, {}, bar.handle(true).toPoint());
        QTest::mousePress(&bar, Qt::LeftButton, {}, QPoint(bar.width() / 2 + 5, bar.height() / 3));
        QVERIFY(bar.high() > 0.4 && bar.high() < 0.6);
        QVERIFY(isClose(pixel(shown.panel.map(), 1000, 0), QColor::fromRgb(shown.panel.scale().at(1))));
        QTest::mouseDClick(&bar, Qt::LeftButton, {}, QPoint(bar.width() / 2, bar.height() / 3));
        QCOMPARE(bar.high(), 1.0);
        shown.panel.clip().setCurrentIndex(4);
        QCOMPARE(bar.low(), 0.0);
    }

    void rowsAreSorted()
    {
        ShownProjection<DetailPanel> shown({QStringLiteral("A........."), QStringLiteral("AAAAAAAA.."),
                                            QStringLiteral("AAAA......")});
        QTRY_VERIFY(shown.isExact());
        auto& order = seen<QComboBox>(shown.panel, "Order of the rows");
        choose(order, QStringLiteral("by total"));
        QCOMPARE(shown.panel.map().content().order, (std::vector<std::size_t>{1, 2, 0}));
        choose(order, QStringLiteral("by Idle time"));
        QTRY_COMPARE(shown.panel.map().content().order, (std::vector<std::size_t>{0, 2, 1}));
        choose(order, QStringLiteral("by who talks with whom"));
        QTRY_COMPARE(shown.panel.map().content().order, (std::vector<std::size_t>{0, 1, 2}));  // nobody talks
    }

    void outliersHaveReasons()
    {
        QStringList lines;
        for (int pe = 0; pe < 12; ++pe)
            lines << (pe == 7       ? QStringLiteral("AA........")
                      : pe % 2 == 0 ? QStringLiteral("AAAAAAAA..")
                                    : QStringLiteral("AAAAAAA..."));
        ShownProjection<DetailPanel> shown(lines);
        QTRY_VERIFY(shown.isExact());
        choose(seen<QComboBox>(shown.panel, "Order of the rows"), QStringLiteral("by similarity"));
        choose(seen<QComboBox>(shown.panel, "Clusters of rows that behave alike (k-means), and those that fit none"),
               QStringLiteral("by attributes"));
        choose(seen<QComboBox>(shown.panel, "Number of clusters; by silhouette: 2 to 8, one where none is 0.6"),
               QStringLiteral("k = 2"));
        QTRY_COMPARE(shown.panel.outliers().table().rowCount(), 1);
        const QString reason = shown.panel.rows().outliers().front().reason;
        QVERIFY2(reason.startsWith(QStringLiteral("PE 7: ")) && reason.contains(QStringLiteral("±")),
                 qPrintable(reason));
        QVERIFY(!shown.panel.map().content().groups.empty());
        QCOMPARE(shown.panel.map().content().order.size(), std::size_t(12));
        QSignalSpy processors(&shown.state, &ViewState::processorsChanged);
        Q_EMIT shown.panel.outliers().rowActivated(0, 0);
        QCOMPARE(processors.count(), 1);
        QCOMPARE(shown.state.processors().size(), std::size_t(2));
        QVERIFY(std::find(shown.state.processors().begin(), shown.state.processors().end(), ProcessorId{7})
                != shown.state.processors().end());
    }

    void aLineForEachProcessor()
    {
        QStringList lines;
        for (int pe = 0; pe < 120; ++pe)
            lines << (pe % 2 == 0 ? QStringLiteral("AAAA......") : QStringLiteral("..BB......"));
        ShownProjection<DetailPanel> shown(lines);
        QTRY_VERIFY(shown.isExact());
        choose(seen<QComboBox>(shown.panel, "How values are drawn"), QStringLiteral("lines"));
        QCOMPARE(shown.panel.lines().content().layers.size(), DetailPanel::mostLines + 1);  // and the mean
        QCOMPARE(shown.panel.lines().content().layers.back().values.front(), 0.5);
        choose(seen<QComboBox>(shown.panel, "How values are drawn"), QStringLiteral("strips"));
        QCOMPARE(shown.panel.lines().content().layers.size(), DetailPanel::mostLines);
        settle(shown.panel.lines());
        hover(shown.panel.lines(), 1000, 49.5);
        QVERIFY2(shown.panel.readout().startsWith(QStringLiteral("PE 0, stage 0")), qPrintable(shown.panel.readout()));
    }

    void tooManyCellsAreSaid()
    {
        ShownProjection<DetailPanel> shown;
        QTRY_VERIFY(shown.isExact());
        shown.stages(QStringLiteral("stages=1000000"));
        processorField(shown.panel).clear();
        QTRY_VERIFY(shown.panel.feed().isExact());  // 2 million cells are not too many
        QVERIFY(shown.panel.map().cells().columns <= 1000);
    }

    void exportsAllCells()
    {
        ShownProjection<DetailPanel> shown;
        QTRY_VERIFY(shown.isExact());
        QVERIFY(!shown.panel.map().isProvisional());
        const QByteArray csv = shown.panel.map().toCsv();
        QCOMPARE(csv.count('\n'), 11);
        QVERIFY(csv.contains("1,4,8000,10000,1,0\r\n"));
        QTemporaryDir folder;
        for (const char* name : {"a.png", "a.svg", "a.csv"}) {
            const QString path = folder.filePath(QLatin1String(name));
            QVERIFY(shown.panel.map().save(path));
            QVERIFY(QFileInfo(path).size() > 100);
        }
    }

    void computesOnlyWhenSeen()
    {
        const DrawnStore store(projectedRows);
        ViewState state(store.shared());
        DetailPanel panel(state);
        QTest::qWait(200);
        QVERIFY(panel.feed().question().attributes.empty());
        panel.show();
        QTRY_VERIFY(panel.feed().isExact());
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

LONGPOLE_GUI_TEST(longpole::TestProjectionPanels)
#include "tst_projectionpanels.moc"
