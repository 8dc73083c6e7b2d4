// SPDX-License-Identifier: GPL-3.0-or-later
// Branch C: what work was speculative, by the best values that its PEs knew, on runs small enough to count by hand.
#include "analysis/scheduling/statrun.h"
#include "support/testmain.h"
#include "support/writtentrace.h"

#include <QRegularExpression>
#include <QTest>

#include <numeric>
#include <random>

using namespace longpole;

class TestSpeculation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void workBeforeABetterValueCame();
    void largerIsBetter();
    void withoutReadsAllOfItMayBe();
    void aTreeCarriesValues();
    void whatHoldsInAnySpeculation();
};

// One character is a millisecond:   PE 0  UUUU......         accepted at 2, sent at 3 with entry 1
//                                   PE 1  WWWW.WWD.W         delivered at 7; W is work of entry 0
//                                   PE 2  RRRRRRRR.D         reads at 1, delivered at 9
void TestSpeculation::workBeforeABetterValueCame()
{
    constexpr TimeNs ms = 1'000'000;
    StatRun run(3, 10 * ms);
    const TaskId sender = run.run(0, 0, 4 * ms);
    for (const auto& [begin, length] : {std::pair{0, 4}, {5, 2}}) run.run(1, begin * ms, length * ms);
    const TaskId first = run.run(1, 7 * ms, ms, EntryId{1});
    run.run(1, 9 * ms, ms);
    run.run(2, 0, 8 * ms);
    const TaskId last = run.run(2, 9 * ms, ms, EntryId{1});
    run.send(sender, 3 * ms, {first, last});
    for (std::uint32_t pe = 0; pe < 3; ++pe) run.record(pe, ms, "shared/monotonic/read/bound", 100);
    run.record(0, 2 * ms, "shared/monotonic/update/bound", 50, 1);
    const SharedAccess access = run.analyse();
    QCOMPARE(access.speculative.size(), std::size_t{1});
    const SpeculativeSeries& series = access.speculative[0];
    QCOMPARE(series.carriers, std::vector<EntryId>{EntryId{1}});
    QVERIFY(series.isSmallerBetter && series.hasReads);
    QCOMPARE(series.totalUser, (4 + 8 + 9) * ms);
    QCOMPARE(series.total, (2 + 2 + 6) * ms);      // PE 1: 2..4 and 5..7; PE 2: 2..8
    QCOMPARE(series.totalOutdated, (2 + 6) * ms);  // PE 1's task that read ended at 4
    QCOMPARE(series.edges.size(), std::size_t{101});
    QCOMPARE(series.speculative[25], TimeNs{200'000});  // 2.5 .. 2.6 ms: PE 1 and PE 2
    QCOMPARE(series.outdated[55], TimeNs{100'000});
    QCOMPARE(series.speculative[55], TimeNs{200'000});
    QCOMPARE(series.user[55], TimeNs{200'000});
    QCOMPARE(series.evidence.at(0).pe, ProcessorId{2});
    QCOMPARE(series.evidence.at(0).range, (TimeRange{2 * ms, 9 * ms}));
    const SharedConcern found = concern(access, "speculative");
    QVERIFY(found.fired);
    QCOMPARE(found.severity, 8 * ms);
    QCOMPARE(found.value, 8.0 / 21);
}

void TestSpeculation::largerIsBetter()
{
    StatRun run(2, 1000);
    run.run(0, 0, 1000);
    run.run(1, 0, 1000);
    run.record(0, 100, "shared/monotonic/update/best", 1, 1);
    run.record(0, 200, "shared/monotonic/update/best", 2, 1);
    run.record(0, 300, "shared/monotonic/update/best", 1.5, 0);
    run.record(1, 500, "shared/monotonic/read/best", 2);
    run.record(1, 700, "shared/monotonic/update/best", 3, 1);
    const SpeculativeSeries series = run.analyse().speculative.at(0);
    QVERIFY(!series.isSmallerBetter);
    QCOMPARE(series.best.size(), std::size_t{3});
    QCOMPARE(series.updates.size(), std::size_t{4});
    QCOMPARE(series.total, 400 + 300);    // PE 1 from 100 to 500; PE 0 from 700 on
    QCOMPARE(series.totalOutdated, 300);  // PE 0 had its own 2, offered 1.5 and went on
}

void TestSpeculation::withoutReadsAllOfItMayBe()
{
    StatRun run(2, 1000);
    const TaskId sender = run.run(0, 0, 100);
    run.run(1, 0, 400);
    const TaskId taker = run.run(1, 400, 10, EntryId{2});
    run.send(sender, 80, {taker});
    run.record(0, 50, "shared/monotonic/update/bound", 1, 1);
    const SharedAccess access = run.analyse();
    const SpeculativeSeries& series = access.speculative.at(0);
    QVERIFY(!series.hasReads);
    QCOMPARE(series.total, 350);
    QCOMPARE(series.outdated, series.speculative);
    QVERIFY(concern(access, "speculative").text().contains(QLatin1String("Reads are not recorded")));
}

// PE 0 tells PE 1, which tells PE 2; a rejected update is followed by ordinary messages only.
void TestSpeculation::aTreeCarriesValues()
{
    StatRun run(3, 1000);
    const TaskId root = run.run(0, 0, 100);
    const TaskId early = run.run(2, 50, 20);
    const TaskId middle = run.run(1, 200, 100, EntryId{1});
    run.run(2, 300, 200);
    const TaskId leaf = run.run(2, 500, 100, EntryId{1});
    run.send(root, 20, {early});  // before the update
    run.send(root, 60, {middle});
    run.send(middle, 50, {leaf});
    const TaskId second = run.run(0, 400, 100);
    const TaskId work = run.run(1, 600, 100);
    run.send(second, 50, {work});
    run.record(0, 40, "shared/monotonic/update/bound", 5, 1);
    run.record(0, 420, "shared/monotonic/update/bound", 9, 0);
    const SpeculativeSeries series = run.analyse().speculative.at(0);
    QCOMPARE(series.carriers, std::vector<EntryId>{EntryId{1}});
    QCOMPARE(series.total, 20 + 200);  // PE 2 until 500
}

// On random runs: no part counts more than its work, sums are totals, a value that spreads at once leaves nothing.
void TestSpeculation::whatHoldsInAnySpeculation()
{
    std::mt19937 random(11);
    const auto below = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    for (int round = 0; round < 60; ++round) {
        const std::uint32_t pes = 1 + below(5);
        StatRun run(pes, 5000);
        std::vector<double> known(pes, 1000);
        for (std::uint32_t pe = 0; pe < pes; ++pe) {
            std::vector<TaskId> tasks;
            TimeNs time = below(50);
            while (time < 4900) {
                const TimeNs length = 1 + below(90);
                run.run(pe, time, length, EntryId{below(3)});
                if (below(2) == 0) run.record(pe, time, "shared/monotonic/read/bound", known[pe]);
                if (below(2) == 0) {
                    const double value = 1000 - double(time) / 10 + below(100);
                    const bool isBetter = value < known[pe];
                    run.record(pe, time + length / 2, "shared/monotonic/update/bound", value, isBetter ? 1 : 0);
                    known[pe] = std::min(known[pe], value);
                }
                time += length + below(60);
            }
        }
        const SharedAccess access = run.analyse();
        if (access.speculative.empty()) continue;
        const SpeculativeSeries& series = access.speculative[0];
        for (std::size_t i = 0; i < series.user.size(); ++i) {
            QVERIFY(series.outdated[i] <= series.speculative[i]);
            QVERIFY(series.speculative[i] <= series.user[i]);
            QVERIFY(series.user[i] <= (series.edges[i + 1] - series.edges[i]) * pes);
        }
        const auto sum = [](const std::vector<TimeNs>& parts) {
            return std::accumulate(parts.begin(), parts.end(), TimeNs{0});
        };
        QCOMPARE(sum(series.user), series.totalUser);
        QCOMPARE(sum(series.speculative), series.total);
        QCOMPARE(sum(series.outdated), series.totalOutdated);
        if (pes == 1) QCOMPARE(series.total, 0);
    }
}

LONGPOLE_TEST(TestSpeculation)
#include "tst_speculation.moc"
