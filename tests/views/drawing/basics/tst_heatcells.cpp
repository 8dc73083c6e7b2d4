// SPDX-License-Identifier: GPL-3.0-or-later
// Which cells of a heat map are drawn: one a stage where there is room, else one a pixel, each the mean of what it
// holds.
#include "views/drawing/basics/heatcells.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <cmath>
#include <numeric>

namespace longpole {

namespace {

// Value of PE p in stage s: 10 p + s.
Projection counted(std::size_t pes, Stages stages)
{
    Projection projection{.attribute = {}, .stages = std::move(stages), .pes = {}, .values = {}};
    for (std::size_t p = 0; p < pes; ++p) {
        projection.pes.push_back(ProcessorId{static_cast<std::uint32_t>(p)});
        for (std::size_t s = 0; s < projection.stages.count(); ++s)
            projection.values.push_back(static_cast<double>(10 * p + s));
    }
    return projection;
}

std::vector<std::size_t> straight(std::size_t rows)
{
    std::vector<std::size_t> order(rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

}  // namespace

class TestHeatCells : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void aCellAStage()
    {
        const Projection projection = counted(3, equalStages({1000, 5000}, 4));
        const std::vector<std::size_t> order{2, 0, 1};
        const HeatCells cells = heatCells(projection, order, {{1000, 5000}, 0, 3, 100, 50});
        QCOMPARE(cells.columns, std::size_t(4));
        QCOMPARE(cells.rows, std::size_t(3));
        QCOMPARE(cells.time, (TimeRange{1000, 5000}));
        QCOMPARE(cells.values, (std::vector<double>{20, 21, 22, 23, 0, 1, 2, 3, 10, 11, 12, 13}));
        QVERIFY(cells.rowsPerCell == 1 && !cells.sharesStages);
    }

    void onlyWhatIsInView()
    {
        const Projection projection = counted(4, equalStages({0, 4000}, 4));
        const HeatCells cells = heatCells(projection, straight(4), {{1500, 3000}, 1.2, 2.8, 100, 50});
        QCOMPARE(cells.columns, std::size_t(2));
        QCOMPARE(cells.firstRow, std::size_t(1));
        QCOMPARE(cells.time, (TimeRange{1000, 3000}));
        QCOMPARE(cells.values, (std::vector<double>{11, 12, 21, 22}));
    }

    void aLastStageThatIsShorterKeepsTheWidth()
    {
        const Projection projection = counted(1, *timestepStages({0, 2500}, 1000));
        const HeatCells cells = heatCells(projection, straight(1), {{0, 2500}, 0, 1, 100, 10});
        QCOMPARE(cells.columns, std::size_t(3));
        QCOMPARE(cells.time, (TimeRange{0, 3000}));
    }

    void manyShareACell()
    {
        const Projection projection = counted(4, equalStages({0, 8000}, 8));
        const HeatCells cells = heatCells(projection, straight(4), {{0, 8000}, 0, 4, 4, 2});
        QCOMPARE(cells.rowsPerCell, std::size_t(2));
        QVERIFY(cells.sharesStages);
        QCOMPARE(cells.values, (std::vector<double>{5.5, 7.5, 9.5, 11.5, 25.5, 27.5, 29.5, 31.5}));
    }

    void unevenStagesFollowTime()
    {
        Stages stages{.edges = {0, 1000, 4000}};
        const HeatCells cells = heatCells(counted(1, stages), straight(1), {{0, 4000}, 0, 1, 8, 1});
        QCOMPARE(cells.values, (std::vector<double>{0, 0, 1, 1, 1, 1, 1, 1}));
        QVERIFY(!cells.sharesStages);
    }

    void undefinedCellsAreLeftOutOfMeans()
    {
        Projection projection = counted(2, equalStages({0, 1000}, 1));
        projection.values[0] = std::nan("");
        QCOMPARE(heatCells(projection, straight(2), {{0, 1000}, 0, 2, 1, 1}).values, std::vector<double>{10});
        projection.values[1] = std::nan("");
        QVERIFY(std::isnan(heatCells(projection, straight(2), {{0, 1000}, 0, 2, 1, 1}).values[0]));
    }

    void nothing()
    {
        QVERIFY(heatCells(Projection{}, {}, {{0, 1}, 0, 1, 1, 1}).values.empty());
        QVERIFY(heatCells(counted(1, equalStages({0, 10}, 1)), straight(1), {{5, 5}, 0, 1, 1, 1}).values.empty());
    }
};

}  // namespace longpole

LONGPOLE_TEST(longpole::TestHeatCells)
#include "tst_heatcells.moc"
