// SPDX-License-Identifier: GPL-3.0-or-later
// What critical tasks waited for, to the nanosecond; which entry methods of the path priorities could single out; and
// that no order of the queues gains more than the bound.
#include "analysis/scheduling/gainbound.h"
#include "analysis/scheduling/schedulingadvice.h"
#include "analysis/waiting/pathentries.h"
#include "analysis/waiting/queuewindows.h"

#include "support/graphs/drawing.h"
#include "support/graphs/randomgraph.h"
#include "support/testmain.h"

#include <QTest>

#include <random>

using namespace longpole;

namespace {

// Case C10 of docs/algorithms.md 3: K1 comes at 5, while N runs, and waits for M too.
const char* const c10 = R"(
    0: KKKK...........LLLL
    1: NNNNNNMMMM1111.....
    K > 1 ~5
    1 > L ~15
    entry k: K 1 L
    entry n: N M
)";
const char* const c9b = R"(
    0: KKKK...........LLLL
    1: NNNNNNNNNN1111.....
    K > 1 ~5
    1 > L ~15
    entry k: K 1 L
    entry n: N
)";

CriticalPath pathOf(const ActivityGraph& graph, EdgeLevel level = EdgeLevel::Merges)
{
    return *workPath(graph, workHeads(graph, level, Progress{}));
}

// Recorded idle time in all gaps between tasks.
ProcessorIdle allGaps(const ActivityGraph& graph)
{
    ProcessorIdle idle(graph.byProcessor.size());
    for (std::size_t pe = 0; pe < idle.size(); ++pe) {
        TimeNs free = graph.run.begin;
        for (const std::uint32_t task : graph.byProcessor[pe]) {
            if (graph.begin[task] > free) idle[pe].push_back({free, graph.begin[task]});
            free = std::max(free, graph.end(task));
        }
    }
    return idle;
}

// A program whose tasks are released when all their messages came, on processors with queues.
struct Simulated {
    struct Message {
        std::size_t from;
        TimeNs offset, latency;
    };
    struct Task {
        std::uint32_t pe;
        TimeNs duration;
        std::vector<Message> messages;
    };
    std::uint32_t processors = 2;
    std::vector<Task> tasks;

    struct Run {
        std::vector<TimeNs> begin, released;
        std::vector<std::size_t> trigger;
        TimeNs end = 0;
    };
    // Always the task that can begin first over all PEs; on its PE, of those there by then the one of least priority.
    Run run(const std::vector<int>& priority) const
    {
        Run made{std::vector<TimeNs>(tasks.size(), -1), std::vector<TimeNs>(tasks.size(), -1),
                 std::vector<std::size_t>(tasks.size(), 0), 0};
        std::vector<TimeNs> free(processors, 0);
        for (std::size_t round = 0; round < tasks.size(); ++round) {
            TimeNs first = maxTime;
            for (std::size_t i = 0; i < tasks.size(); ++i)
                if (made.begin[i] < 0 && release(made, i))
                    first = std::min(first, std::max(free[tasks[i].pe], made.released[i]));
            std::size_t next = tasks.size();
            for (std::size_t i = 0; i < tasks.size(); ++i) {
                if (made.begin[i] >= 0 || made.released[i] < 0) continue;
                if (std::max(free[tasks[i].pe], made.released[i]) != first) continue;
                const auto key = [&](std::size_t t) {
                    return std::tuple(tasks[t].pe, priority[t], made.released[t], t);
                };
                if (next == tasks.size() || key(i) < key(next)) next = i;
            }
            made.begin[next] = first;
            free[tasks[next].pe] = first + tasks[next].duration;
            made.end = std::max(made.end, free[tasks[next].pe]);
        }
        return made;
    }
    bool release(Run& made, std::size_t i) const
    {
        if (made.released[i] >= 0) return true;
        TimeNs released = 0;
        for (std::size_t m = 0; m < tasks[i].messages.size(); ++m) {
            const Message& message = tasks[i].messages[m];
            if (made.begin[message.from] < 0) return false;
            const TimeNs came = made.begin[message.from] + message.offset + message.latency;
            if (came >= released) {
                released = came;
                made.trigger[i] = m;
            }
        }
        made.released[i] = released;
        return true;
    }
    std::shared_ptr<const ActivityGraph> graph(const Run& made) const
    {
        std::vector<std::size_t> order(tasks.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return made.begin[a] < made.begin[b]; });
        std::vector<std::uint32_t> count(processors, 0);
        std::vector<TaskId> ids(tasks.size());
        for (const std::size_t i : order) ids[i] = {ProcessorId{tasks[i].pe}, count[tasks[i].pe]++};
        std::vector<RawTask> raw;
        std::vector<RawMerge> merges;
        for (const std::size_t i : order) {
            RawTask task{.id = ids[i], .begin = made.begin[i], .duration = tasks[i].duration, .entry = EntryId{0}};
            for (std::size_t m = 0; m < tasks[i].messages.size(); ++m) {
                const Message& message = tasks[i].messages[m];
                if (m == made.trigger[i]) {
                    task.source = ids[message.from];
                    task.offset = message.offset;
                    task.sent = made.begin[message.from] + message.offset;
                    task.received = made.released[i];
                } else {
                    merges.push_back({ids[i], ids[message.from], message.offset, MergeKind::Recorded});
                }
            }
            if (tasks[i].messages.empty()) task.received = task.sent = 0;
            raw.push_back(task);
        }
        return makeActivityGraph(std::move(raw), {0, made.end}, processors, std::move(merges));
    }
};

Simulated randomProgram(unsigned seed)
{
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<TimeNs>(random() % n); };
    Simulated program;
    program.processors = static_cast<std::uint32_t>(2 + below(3));
    const auto tasks = static_cast<std::size_t>(3 + below(14));
    for (std::size_t i = 0; i < tasks; ++i) {
        Simulated::Task task{static_cast<std::uint32_t>(below(program.processors)), 1 + below(12), {}};
        for (TimeNs messages = i == 0 || below(5) == 0 ? 0 : 1 + (below(4) == 0); messages > 0; --messages) {
            const auto from = static_cast<std::size_t>(below(i));
            task.messages.push_back({from, below(static_cast<std::size_t>(program.tasks[from].duration) + 1),
                                     1 + below(5)});
        }
        program.tasks.push_back(task);
    }
    return program;
}

}  // namespace

class TestCriticalWaits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void drawn_data()
    {
        QTest::addColumn<QString>("drawing");
        QTest::addColumn<QString>("expected");  // task: overtaken residual self overhead, idle before
        const auto row = [](const char* name, const char* drawing, const char* expected) {
            QTest::newRow(name) << QString::fromUtf8(drawing) << QString::fromUtf8(expected);
        };
        row("C10", c10, "K 0 0 0 0 0|1 4 1 0 0 0|L 0 0 0 0 11");
        row("C9b", c9b, "K 0 0 0 0 0|1 0 5 0 0 0|L 0 0 0 0 11");
        row("overhead between tasks", "0: KKKK..............LLLL\n1: NNNNN..MM..OOO111.....\nK > 1 ~5\n1 > L ~18",
            "K 0 0 0 0 0|1 5 0 0 4 0|L 0 0 0 0 14");
        row("tasks of the path do not count", "0: AABBCCC\nA@1 > B ~1\nA@1 > C ~1\nB >> C",
            "A 0 0 0 0 0|B 0 0 1 0 0|C 0 0 3 0 0");
        row("a task that begins as the message comes overtakes it", "0: AA......\n1: ..XXXBBB\nA > B ~2",
            "A 0 0 0 0 0|B 3 0 0 0 0");
        row("no receive time", "0: AA.....\n1: XXXXBBB\nA > B", "A 0 0 0 0 0|B 0 0 0 0 0");
    }
    void drawn()
    {
        QFETCH(const QString, drawing);
        const Drawing drawn = draw(drawing.toUtf8().constData());
        const auto graph = drawn.graph();
        QStringList said;
        for (const CriticalWait& wait : criticalWaits(*graph, pathOf(*graph), onlyWhereNothingWaits(*graph)))
            said << QStringLiteral("%1 %2 %3 %4 %5 %6")
                        .arg(QLatin1Char(drawn.nameOf(graph->id(wait.task))))
                        .arg(wait.wait.overtaken)
                        .arg(wait.wait.residual)
                        .arg(wait.wait.self)
                        .arg(wait.wait.overhead)
                        .arg(wait.idleBefore);
        QTEST(said.join(QLatin1Char('|')), "expected");
    }

    // An estimate may lie before the processor idled: what ran until then did not overtake the message.
    void estimatesEndWithIdling()
    {
        Drawing drawn = draw("0: AA......\n1: .XX.YYBB\nA > B ~2");
        for (const bool isEstimated : {false, true}) {
            for (RawTask& task : drawn.tasks)
                if (task.id == drawn['B']) task.flags = isEstimated ? ActivityGraph::Estimated : 0;
            const auto graph = drawn.graph();
            const auto waits = criticalWaits(*graph, pathOf(*graph), allGaps(*graph));
            QCOMPARE(waits.back().task, graph->find(drawn['B']));
            QCOMPARE(waits.back().wait, isEstimated ? (QueueWait{2, 0, 0, 2}) : (QueueWait{2, 1, 0, 1}));
        }
    }

    void idlingInPieces()
    {
        const Drawing drawn = draw("0: A.........B\n1: CC.........\nC > B ~10");
        Drawing large = drawn;
        for (RawTask& task : large.tasks) {
            task.begin *= 10'000;
            task.duration *= 10'000;
        }
        const auto graph = makeActivityGraph(large.tasks, {0, 110'000}, 2);
        const std::uint32_t b = graph->find(drawn['B']);
        const auto before = [&](std::vector<TimeRange> idle) {
            const ProcessorIdle onBoth{std::move(idle), {}};
            return QueueWindows(*graph, onBoth).idleBefore(b);
        };
        QCOMPARE(before({{20'000, 98'000}}), 78'000);
        QCOMPARE(before({{20'000, 90'000}}), 70'000);  // the scheduler took the rest
        QCOMPARE(before({{20'000, 50'000}, {52'000, 100'000}}), 78'000);
        QCOMPARE(before({{20'000, 50'000}, {60'000, 100'000}}), 70'000);
        QCOMPARE(before({{5'000, 8'000}}), 0);
        QCOMPARE(before({}), 0);
        Drawing block = large;
        for (RawTask& task : block.tasks)
            if (task.id == drawn['B']) task.flags |= ActivityGraph::BlockEdge;
        const auto blocks = makeActivityGraph(block.tasks, {0, 110'000}, 2);
        const ProcessorIdle idle{{{20'000, 98'000}}, {}};
        QCOMPARE(QueueWindows(*blocks, idle).idleBefore(b), 0);
        const auto waits = criticalWaits(*blocks, pathOf(*blocks), idle);
        QVERIFY(!waits.empty());
        for (const CriticalWait& wait : waits) QCOMPARE(wait.wait.sum(), 0);
    }

    // Nanosecond by nanosecond.
    void randomGraphs()
    {
        TimeNs overtaken = 0, residual = 0, self = 0, overhead = 0;
        for (unsigned seed = 0; seed < 4000; ++seed) {
            RandomGraph made = randomGraphOfAllKinds(seed);
            std::mt19937 random(seed);
            for (RawTask& task : made.tasks)
                if (task.received != minTime && random() % 3 == 0) task.flags |= ActivityGraph::Estimated;
            const auto graph = made.graph();
            const ProcessorIdle idle = seed % 2 == 0 ? allGaps(*graph) : ProcessorIdle(graph->processors);
            const CriticalPath path = pathOf(*graph, seed % 3 == 0 ? EdgeLevel::Order : EdgeLevel::Merges);
            const QueueWindows windows(*graph, idle);
            std::vector<bool> isCritical(graph->size());
            const auto waits = criticalWaits(*graph, path, idle);
            for (const CriticalWait& wait : waits) isCritical[wait.task] = true;
            for (const CriticalWait& wait : waits) {
                const TimeNs begin = graph->begin[wait.task];
                const QueueWindow window = windows.of(wait.task);
                QueueWait expected;
                for (TimeNs t = window.received; t < begin; ++t) {
                    std::uint32_t running = noTask;
                    for (const std::uint32_t other : graph->byProcessor[graph->pe[wait.task]])
                        if (graph->begin[other] <= t && t < graph->end(other)) running = other;
                    if (t < window.arrived || running == noTask) ++expected.overhead;
                    else if (isCritical[running]) ++expected.self;
                    else ++(graph->begin[running] >= window.arrived ? expected.overtaken : expected.residual);
                }
                QCOMPARE(wait.wait, expected);
                const bool isBlock = (graph->flags[wait.task] & ActivityGraph::BlockEdge) != 0;
                const TimeNs received = graph->received(wait.task);
                if (!isBlock && received != minTime) QCOMPARE(wait.wait.sum(), begin - received);
                overtaken += wait.wait.overtaken;
                residual += wait.wait.residual;
                self += wait.wait.self;
                overhead += wait.wait.overhead;
            }
        }
        QVERIFY(overtaken > 0 && residual > 0 && self > 0 && overhead > 0);
    }

    void entriesAndConditions()
    {
        const Drawing drawn = draw(c10);
        const auto graph = drawn.graph();
        const auto waits = criticalWaits(*graph, pathOf(*graph), onlyWhereNothingWaits(*graph));
        const auto entries = pathEntries(*graph, waits, Thresholds{});
        QCOMPARE(entries.size(), std::size_t(1));
        QCOMPARE(entries[0].entry, drawn.entry("k"));
        QCOMPARE(entries[0].entryClass, EntryClass::Good);
        QCOMPARE(entries[0].criticalCount, 3);
        QCOMPARE(entries[0].criticalTime, 12);
        QCOMPARE(entries[0].purity(), 1.0);
        QCOMPARE(entries[0].wait, (QueueWait{4, 1, 0, 0}));
        QCOMPARE(entries[0].idleBefore, 11);
        const Condition idle = idleCondition(waits, graph->run.length(), Thresholds{});
        QVERIFY(idle.isMet);
        QCOMPARE(idle.count, 1);
        QCOMPARE(idle.time, 11);
        const Condition overtaken = overtakenCondition(waits, graph->run.length(), Thresholds{});
        QVERIFY(overtaken.isMet);
        QCOMPARE(overtaken.time, 4);
        QCOMPARE(overtaken.threshold, 1);
        Thresholds strict;
        strict.scheduling.overtaking = 0.5;
        QVERIFY(!overtakenCondition(waits, graph->run.length(), strict).isMet);
        const auto residual = criticalWaits(*draw(c9b).graph(), pathOf(*draw(c9b).graph()), {});
        QVERIFY(!overtakenCondition(residual, 19, Thresholds{}).isMet);
        QVERIFY(!idleCondition(residual, 19, Thresholds{}).isMet);  // none recorded
    }

    void classes()
    {
        const auto classOf = [](const char* text, const char* entry) {
            const Drawing made = draw(text);
            const auto graph = made.graph();
            for (const PathEntry& found : pathEntries(*graph, criticalWaits(*graph, pathOf(*graph), {}), Thresholds{}))
                if (found.entry == made.entry(entry)) return QString::fromLatin1(name(found.entryClass));
            return QString();
        };
        const char* const chain =
            "0: AA.BB.CC.XXX\n1: .YYYY......\nA > B ~2\nB > C ~5\nentry work: A B C\nentry other: X\n";
        QCOMPARE(classOf(chain, "work"), QStringLiteral("good"));
        const char* const mixed =
            "0: AA.BB.CC.XX\n1: .YYYYYYYYYY\nA > B ~2\nB > C ~5\nY >> X\n"
            "entry work: A B Y\nentry last: C X\n";
        QCOMPARE(classOf(mixed, "last"), QStringLiteral("once"));  // twice on two processors
        const char* const alike =
            "0: AAABBBCCC..\n1: XX.YY.ZZ...\nA > B ~3\nB > C ~6\nX > Y ~2\nY > Z ~5\n"
            "entry work: A B C X Y Z\n";
        QCOMPARE(classOf(alike, "work"), QStringLiteral("good"));  // 9 of 15
        const char* const more =
            "0: AAABBBCCC..\n1: XX.YY.ZZ...\n2: UU.VV.WW..\nA > B ~3\nB > C ~6\nX > Y ~2\nY > Z ~5\n"
            "U > V ~2\nV > W ~5\nentry work: A B C X Y Z U V W\n";
        QCOMPARE(classOf(more, "work"), QStringLiteral("mixed"));  // 9 of 21
    }

    void bounds()
    {
        const auto boundOf = [](const char* text) {
            const auto graph = draw(text).graph();
            return gainBound(*graph, pathOf(*graph), allGaps(*graph));
        };
        const GainBound first = boundOf(c10);  // K1 first would gain 4
        QCOMPARE(first.queue, 5);
        QCOMPARE(first.spare, 5);
        QCOMPARE(first.bound(), 5);
        QCOMPARE(first.estimate(4), 4);
        const GainBound second = boundOf(c9b);
        QCOMPARE(second.bound(), 5);
        QCOMPARE(second.estimate(0), 0);
        QCOMPARE(boundOf("0: AAAA\n").bound(), 0);
    }

    // No priorities ever gain more; some gain exactly that.
    void noOrderGainsMoreThanTheBound()
    {
        int better = 0, worse = 0, tight = 0;
        for (unsigned seed = 0; seed < 4000; ++seed) {
            const Simulated program = randomProgram(seed);
            const Simulated::Run fifo = program.run(std::vector<int>(program.tasks.size(), 0));
            const auto graph = program.graph(fifo);
            const GainBound bound = gainBound(*graph, pathOf(*graph), allGaps(*graph));
            std::mt19937 random(seed + 1);
            for (int attempt = 0; attempt < 6; ++attempt) {
                std::vector<int> priority(program.tasks.size());
                for (int& p : priority) p = static_cast<int>(random() % (attempt < 3 ? 2 : 8));
                const TimeNs gain = fifo.end - program.run(priority).end;
                QVERIFY2(gain <= bound.bound(),
                         qPrintable(QStringLiteral("seed %1: %2 > %3").arg(seed).arg(gain).arg(bound.bound())));
                better += gain > 0;
                worse += gain < 0;
                tight += gain > 0 && gain == bound.bound();
            }
        }
        QVERIFY(better > 500);
        QVERIFY(worse > 500);
        QVERIFY(tight > 50);
    }

private:
    // Idling recorded before tasks that waited in no queue.
    static ProcessorIdle onlyWhereNothingWaits(const ActivityGraph& graph)
    {
        ProcessorIdle idle = allGaps(graph);
        for (std::size_t pe = 0; pe < idle.size(); ++pe)
            std::erase_if(idle[pe], [&](TimeRange gap) {
                for (const std::uint32_t task : graph.byProcessor[pe])
                    if (graph.received(task) != minTime && graph.received(task) < gap.end
                        && graph.begin[task] >= gap.end)
                        return true;
                return gap.begin == graph.run.begin;
            });
        return idle;
    }
};

LONGPOLE_TEST(TestCriticalWaits)
#include "tst_criticalwaits.moc"
