// SPDX-License-Identifier: GPL-3.0-or-later
// The detailed view as a hand meets it: the colours and the order of its cells, what it says under the cursor, and what
// clicks and drags do to the other views.
#include "views/plots/colourbar.h"
#include "views/projection/detailpanel.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"
#include "support/units.h"
#include "views/projection/shownprojection.h"

#include <QComboBox>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <vector>

namespace longpole {

using namespace test;

class TestDetailPanel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)"))); }

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
        QVERIFY(!shownError(shown.panel.bar()).isEmpty());
        QCOMPARE(shown.panel.bar().pes(), std::vector{ProcessorId{0}});
        write("");
        QTRY_COMPARE(shown.panel.bar().pes().size(), std::size_t(2));
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
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestDetailPanel)
#include "tst_detailpanel.moc"
