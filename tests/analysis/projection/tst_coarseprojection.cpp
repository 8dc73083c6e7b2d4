// SPDX-License-Identifier: GPL-3.0-or-later
// First pictures, chosen stages, stacks by entry method and rows by affinity, on traces that can be redrawn by hand.
#include "analysis/projection/affinityorder.h"
#include "analysis/projection/coarseprojection.h"
#include "analysis/projection/entrystacks.h"
#include "views/drawnstore.h"

#include "support/testmain.h"
#include "support/units.h"

#include <QRegularExpression>
#include <QTest>

#include <cmath>

namespace longpole {

namespace {

const QStringList twoRows{QStringLiteral("AAAABBBB.."), QStringLiteral("AA..BB..CC")};

Attribute attribute(const TraceStore& store, const char* name) { return *parseAttribute(QLatin1String(name), store); }

std::vector<ProcessorId> pes(std::initializer_list<std::uint32_t> numbers)
{
    std::vector<ProcessorId> pes;
    for (const std::uint32_t number : numbers) pes.push_back(ProcessorId{number});
    return pes;
}

}  // namespace

class TestCoarseProjection : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void nothingCountedShowsTheCoarsePicture()
    {
        const DrawnStore store(twoRows);
        const Attribute user = attribute(*store, "user");
        const Stages stages = equalStages({0, 10 * us}, 5);
        const auto exact = project(*store, user, stages, {}, {}, Progress{});
        QVERIFY(exact.ok());
        const auto cells = StageCells::prepare(*store, requestFor({&user, 1}, stages, {}));
        QVERIFY(cells.ok());
        const Projection picture = pictureOf(user, **cells, &*exact);
        QVERIFY(picture.isApproximate && picture.approximate[0]);
        QCOMPARE(picture.values, exact->values);
        QCOMPARE(picture.perStage, exact->perStage);
        const Projection nothing = pictureOf(user, **cells, nullptr);
        QVERIFY(std::isnan(nothing.values[0]));
    }

    void countedRowsAreExact()
    {
        const DrawnStore store(twoRows);
        const Attribute user = attribute(*store, "user");
        const Stages stages = equalStages({0, 10 * us}, 5);
        const auto cells = StageCells::prepare(*store, requestFor({&user, 1}, stages, {}));
        QVERIFY(fill(**cells, *store, Progress{}).ok());
        const Projection picture = pictureOf(user, **cells, nullptr);
        QVERIFY(!picture.isApproximate);
        QCOMPARE(picture.counts, (std::vector<std::int64_t>{2000, 2000, 2000, 2000, 0, 2000, 0, 2000, 0, 2000}));
    }

    void otherStagesTakeTheValueAtTheirMiddle()
    {
        const DrawnStore store(twoRows);
        const auto user = project(*store, attribute(*store, "user"), equalStages({0, 10 * us}, 5), {}, {}, Progress{});
        const Projection finer = resampled(*user, equalStages({0, 10 * us}, 10));
        QVERIFY(finer.isApproximate);
        QCOMPARE(finer.at(1, 0), 1000.0);  // half of a stage twice as long
        QCOMPARE(finer.at(1, 2), 0.0);
        const auto share = project(*store, attribute(*store, "utilization"), equalStages({0, 10 * us}, 5), {}, {},
                                   Progress{});
        QCOMPARE(resampled(*share, equalStages({0, 10 * us}, 10)).at(1, 1), 1.0);
        QVERIFY(std::isnan(resampled(*share, equalStages({20 * us, 30 * us}, 2)).at(0, 0)));
    }

    void chosenStagesAloneAddUp()
    {
        const DrawnStore store(twoRows);
        const std::vector<bool> kept{true, false, true, false, true};
        for (const char* name : {"user", "utilization"}) {
            const Attribute one = attribute(*store, name);
            const auto cells = stageCells(*store, requestFor({&one, 1}, equalStages({0, 10 * us}, 5), {}), Progress{});
            QVERIFY(cells.ok());
            Projection exact = projectionOf(one, **cells), approximate = exact;
            keepStages(exact, kept, cells->get());
            keepStages(approximate, kept, nullptr);
            const bool isTime = one.isAdditive();
            QCOMPARE(exact.perProcessor[0], isTime ? 4000.0 : 2.0 / 3);
            QCOMPARE(exact.perProcessor[1], isTime ? 6000.0 : 1.0);
            QCOMPARE(exact.total, isTime ? 10000.0 : 5.0 / 6);
            QVERIFY(std::isnan(exact.at(0, 1)) && std::isnan(exact.perStage[3]) && !std::isnan(exact.at(0, 2)));
            QCOMPARE(exact.totalCount, isTime ? 10000 : 0);
            // Stages are equally long: the estimate is right, but only sums are known to be.
            QCOMPARE(approximate.perProcessor, exact.perProcessor);
            QCOMPARE(approximate.isApproximate, !isTime);
        }
    }

    void stacksFillTheWhole_data()
    {
        QTest::addColumn<bool>("overStages");
        QTest::newRow("over time") << false;
        QTest::newRow("over processors") << true;
    }

    void stacksFillTheWhole()
    {
        QFETCH(bool, overStages);
        const DrawnStore store(twoRows);
        const auto stacks = entryStacks(
            *store,
            {.stages = equalStages({0, 10 * us}, 5), .pes = pes({0, 1}), .overStages = overStages, .mostEntries = 2},
            Progress{});
        QVERIFY(stacks.ok());
        QCOMPARE(stacks->parts.size(), std::size_t(5));  // A, B, one other, idle, overhead
        QVERIFY(stacks->parts[0].entry == DrawnStore::entryOf('A')
                || stacks->parts[0].entry == DrawnStore::entryOf('B'));
        QCOMPARE(stacks->parts[0].total, 6 * us);
        QVERIFY(stacks->parts[2].kind == StackPart::Kind::OtherEntries);
        QCOMPARE(stacks->parts[2].entries, std::size_t(1));
        QCOMPARE(stacks->parts[2].total, 2 * us);
        QCOMPARE(stacks->parts[3].total, 6 * us);
        QCOMPARE(stacks->parts[4].total, 0);
        for (std::size_t column = 0; column < stacks->columns(); ++column) {
            TimeNs sum = 0;
            for (const StackPart& part : stacks->parts) sum += part.times[column];
            QCOMPARE(sum, stacks->whole[column]);
            QCOMPARE(sum, overStages ? 10 * us : 4 * us);
        }
    }

    void stacksOfChosenStages()
    {
        const DrawnStore store(twoRows);
        EntryStacksRequest request{.stages = equalStages({0, 10 * us}, 5),
                                   .pes = pes({1}),
                                   .kept = {true, false, false, false, true},
                                   .overStages = true};
        const auto bars = entryStacks(*store, request, Progress{});
        QVERIFY(bars.ok());
        QCOMPARE(bars->whole, (std::vector<TimeNs>{4 * us}));
        QCOMPARE(bars->parts.size(), std::size_t(4));  // A, C, no idle, no overhead
        QCOMPARE(bars->parts[0].total + bars->parts[1].total, 4 * us);
        request.overStages = false;
        const auto course = entryStacks(*store, request, Progress{});
        QCOMPARE(course->whole, (std::vector<TimeNs>{2 * us, 0, 0, 0, 2 * us}));
    }

    void durationsLeaveTasksOut()
    {
        const DrawnStore store(twoRows);
        const auto stacks = entryStacks(
            *store, {.stages = equalStages({0, 10 * us}, 5), .pes = pes({0, 1}), .grain = TimeRange{3 * us, 5 * us}},
            Progress{});
        QVERIFY(stacks.ok());
        QCOMPARE(stacks->parts.size(), std::size_t(5));  // A and B of PE 0, those left out, idle, overhead
        QVERIFY(stacks->parts[2].kind == StackPart::Kind::LeftOut);
        QCOMPARE(stacks->parts[2].times, (std::vector<TimeNs>{2 * us, 0, 2 * us, 0, 2 * us}));
        QCOMPARE(stacks->parts[4].total, 0);
    }

    void stacksFromThePyramid()
    {
        const DrawnStore store(twoRows);
        const Stages stages = equalStages({0, 10 * us}, 5);
        const auto user = project(*store, attribute(*store, "user"), stages, {}, {}, Progress{});
        const auto idle = project(*store, attribute(*store, "idle"), stages, {}, {}, Progress{});
        const EntryStacks stacks = entryStacksOf(*store, {.stages = stages, .pes = pes({0, 1})}, *user, *idle);
        QCOMPARE(stacks.parts[0].times, (std::vector<TimeNs>{4 * us, 2 * us, 4 * us, 2 * us, 2 * us}));
        QCOMPARE(stacks.parts[2].total, 0);
    }

    void whatHasNoLogIsNoOverhead()
    {
        const DrawnStore store({twoRows[0], twoRows[1], QStringLiteral("?")});
        const Stages stages = equalStages({0, 10 * us}, 5);
        for (const bool overStages : {false, true}) {
            const auto stacks = entryStacks(*store, {.stages = stages, .pes = pes({0, 1, 2}), .overStages = overStages},
                                            Progress{});
            QVERIFY(stacks.ok());
            const StackPart& missing = stacks->parts.back();
            QVERIFY(missing.kind == StackPart::Kind::Missing);
            QCOMPARE(missing.times, overStages ? (std::vector<TimeNs>{0, 0, 10 * us}) : std::vector<TimeNs>(5, 2 * us));
            for (const StackPart& part : stacks->parts)
                QCOMPARE(part.total != 0, part.kind != StackPart::Kind::Overhead);
        }
    }

    void thoseThatTalkStandTogether()
    {
        const auto cell = [](std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
            return CommCell{.from = from, .to = to, .deliveries = 1, .deliveredBytes = bytes};
        };
        // 0-3 talk most, then 3-1, then 0-1 (which would close a ring), then 2-0.
        const std::vector<CommCell> cells{cell(0, 3, 50), cell(3, 0, 50),  cell(3, 1, 80), cell(0, 1, 60),
                                          cell(2, 0, 10), cell(2, 2, 900), cell(7, 0, 500)};
        QCOMPARE(affinityOrder(cells, pes({0, 1, 2, 3})), (std::vector<std::size_t>{1, 3, 0, 2}));
        QCOMPARE(affinityOrder({}, pes({0, 1, 2})), (std::vector<std::size_t>{0, 1, 2}));
        QVERIFY(affinityOrder(cells, {}).empty());
        // More bytes than there are numbers are the most there is.
        std::vector<CommCell> most{{.from = 0, .to = 1}, {.from = 1, .to = 0}, {.from = 1, .to = 2}};
        for (CommCell& cell : most) cell.deliveredBytes = cell.deliveries = std::numeric_limits<std::int64_t>::max();
        QCOMPARE(affinityOrder(most, pes({0, 1, 2})), (std::vector<std::size_t>{0, 1, 2}));
    }
};

}  // namespace longpole

LONGPOLE_TEST(longpole::TestCoarseProjection)
#include "tst_coarseprojection.moc"
