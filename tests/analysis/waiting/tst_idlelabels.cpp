// SPDX-License-Identifier: GPL-3.0-or-later
// Why processors idled: drawings with every label, a look at each nanosecond of random graphs, sums on all real traces.
#include "analysis/graph/builder.h"
#include "analysis/realtraces.h"
#include "analysis/waiting/idlelabels.h"
#include "analysis/waiting/queuedtime.h"
#include "support/graphs/drawing.h"
#include "support/graphs/randomgraph.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <chrono>

using namespace longpole;

namespace {

IdleByCause byCause(TimeNs end, TimeNs synchronization, TimeNs latency, TimeNs scheduling, TimeNs imbalance,
                    TimeNs parallelism)
{
    return {end, synchronization, latency, scheduling, imbalance, parallelism};
}

// Random idle time between the tasks of each PE.
ProcessorIdle randomIdle(const ActivityGraph& graph, unsigned seed)
{
    std::mt19937 random(seed);
    const auto below = [&random](TimeNs n) { return static_cast<TimeNs>(random() % static_cast<unsigned>(n)); };
    ProcessorIdle idle(graph.processors);
    for (std::uint32_t pe = 0; pe < graph.processors; ++pe) {
        TimeNs free = graph.run.begin;
        const auto fill = [&](TimeNs until) {
            while (free < until && below(5) != 0) {
                const TimeNs begin = free + below(until - free + 1);
                const TimeNs end = std::min(until, begin + 1 + below(6));
                if (begin < end) idle[pe].push_back({begin, end});
                free = std::max(end, begin + 1);
            }
        };
        for (const std::uint32_t task : graph.byProcessor[pe]) {
            fill(graph.begin[task]);
            free = std::max(free, graph.end(task));
        }
        fill(graph.run.end);
    }
    return idle;
}

// What the contract says, nanosecond by nanosecond.
class Oracle {
public:
    Oracle(const ActivityGraph& graph, const ProcessorIdle& idle, const std::vector<bool>& synchronizing)
        : m_graph(graph), m_idle(idle), m_synchronizing(synchronizing)
    {
    }

    bool waitsElsewhere(std::uint32_t pe, TimeNs time) const
    {
        for (std::uint32_t task = 0; task < m_graph.size(); ++task) {
            if (m_graph.pe[task] == pe) continue;
            TimeNs from = m_graph.received(task);
            if (from == minTime) continue;
            for (const TimeRange& idle : m_idle[m_graph.pe[task]])
                if (idle.begin < m_graph.begin[task]) from = std::max(from, idle.end);
            if (from <= time && time < m_graph.begin[task]) return true;
        }
        return false;
    }

    bool awaits(TimeNs time) const
    {
        for (std::uint32_t task = 0; task < m_graph.size(); ++task)
            if ((m_graph.flags[task] & ActivityGraph::BlockEdge) == 0 && m_graph.sent(task) != minTime
                && m_graph.sent(task) <= time && time < m_graph.begin[task])
                return true;
        return false;
    }

    int working(const std::vector<bool>& carrying, TimeNs time) const
    {
        int count = 0;
        for (std::uint32_t pe = 0; pe < m_graph.processors; ++pe)
            count += std::any_of(m_graph.byProcessor[pe].begin(), m_graph.byProcessor[pe].end(),
                                 [&](std::uint32_t task) {
                                     return !carrying[m_graph.entry[task]] && m_graph.begin[task] <= time
                                            && time < m_graph.end(task);
                                 });
        return count;
    }

    std::uint32_t endedBy(std::uint32_t pe, TimeRange idle) const
    {
        for (const std::uint32_t task : m_graph.byProcessor[pe])
            if (m_graph.begin[task] >= idle.end) return task;
        return noTask;
    }

    IdleCause causeAt(std::uint32_t pe, TimeRange idle, TimeNs time) const
    {
        const std::uint32_t task = endedBy(pe, idle);
        if (task == noTask) return IdleCause::End;
        const std::uint32_t entry = m_graph.entry[task];
        if (entry < m_synchronizing.size() && m_synchronizing[entry]) return IdleCause::Synchronization;
        const bool isBlock = (m_graph.flags[task] & ActivityGraph::BlockEdge) != 0;
        TimeNs sent = m_graph.sent(task), received = isBlock ? m_graph.sent(task) : m_graph.received(task);
        if (sent == minTime && received == minTime) sent = received = maxTime;
        else if (sent == minTime) sent = received;
        else if (received == minTime || (!isBlock && (m_graph.flags[task] & ActivityGraph::Estimated)))
            received = maxTime;
        sent = std::min(sent, received);
        if (time >= received) return IdleCause::Scheduling;
        if (time >= sent) return IdleCause::Latency;
        return waitsElsewhere(pe, time) ? IdleCause::Imbalance : IdleCause::Parallelism;
    }

private:
    const ActivityGraph& m_graph;
    const ProcessorIdle& m_idle;
    const std::vector<bool>& m_synchronizing;
};

}  // namespace

class TestIdleLabels : public QObject {
    Q_OBJECT
    RealTraces m_traces;

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void eachCauseInADrawing()
    {
        // PE 1 waits for C: A has not sent it (0..4), in flight (4..7), there (7..8). B's successor D waits behind B on
        // PE 0 from 3 on. Then PE 1 waits for E, a reduction, and for nothing more.
        const Drawing drawing = draw(
            "0: AAAABBBB..DDD.....\n"
            "1: ........CC...EE...\n"
            "A@4 > C ~7\n"
            "A@3 > B ~3\n"
            "A@1 > D ~3\n"
            "D > E ~13\n"
            "entry redn: E\n");
        const auto graph = drawing.graph();
        std::vector<bool> synchronizing(graph->exclusiveByEntry.size());
        synchronizing[index(drawing.entry("redn"))] = true;
        const ProcessorIdle idle{{{13, 18}}, {{0, 8}, {10, 13}, {15, 18}}};
        const auto labels = idleLabels(*graph, idle, synchronizing, 3, Progress{});
        QVERIFY(labels.ok());
        QCOMPARE(labels->total, byCause(8, 3, 3, 1, 1, 3));
        QCOMPARE(labels->byPe[0], byCause(5, 0, 0, 0, 0, 0));
        QCOMPARE(labels->byPe[1], byCause(3, 3, 3, 1, 1, 3));
        QCOMPARE(labels->stageEdges, (std::vector<TimeNs>{0, 6, 12, 18}));
        QCOMPARE(labels->byStage[0], byCause(0, 0, 2, 0, 1, 3));
        QCOMPARE(labels->byStage[1], byCause(0, 2, 1, 1, 0, 0));
        QCOMPARE(labels->byStage[2], byCause(8, 1, 0, 0, 0, 0));
        QCOMPARE(labels->byEntry[index(drawing.entry("C"))], byCause(0, 0, 3, 1, 1, 3));
        QCOMPARE(labels->byEntry[index(drawing.entry("redn"))], byCause(0, 3, 0, 0, 0, 0));
        QCOMPARE(labels->byEntry.back(), byCause(8, 0, 0, 0, 0, 0));
        QCOMPARE(labels->blamed[index(drawing.entry("A"))], byCause(0, 0, 3, 1, 1, 3));
        QCOMPARE(labels->blamed[index(drawing.entry("D"))], byCause(0, 3, 0, 0, 0, 0));
        const auto& unsent = labels->longest[std::size_t(IdleCause::Parallelism)];
        QCOMPARE(unsent.size(), std::size_t{1});
        QCOMPARE(unsent[0].range, (TimeRange{0, 3}));
        QCOMPARE(graph->id(unsent[0].task), drawing['C']);
        QCOMPARE(labels->longest[std::size_t(IdleCause::Imbalance)][0].range, (TimeRange{3, 4}));
        QCOMPARE(labels->longest[std::size_t(IdleCause::End)][0].range, (TimeRange{13, 18}));
        QCOMPARE(labels->estimated, TimeNs{0});
    }

    void whatAnIdleProcessorHasIsNotQueued()
    {
        // B lies in PE 0's queue while that idles until 4 and while A runs; only the latter is a queue wait.
        const Drawing drawing = draw("0: ....AABB\n1: .......C\nA > B ~1\nA > C ~7\n");
        const auto graph = drawing.graph();
        const auto labels = idleLabels(*graph, {{{0, 4}}, {{0, 7}}}, {}, 1, Progress{});
        QVERIFY(labels.ok());
        QCOMPARE(labels->total[std::size_t(IdleCause::Imbalance)], TimeNs{2});
        QCOMPARE(labels->sum(), TimeNs{11});
    }

    void anEstimatedArrivalIsNoneThatAProcessorIdledOn()
    {
        Drawing drawing = draw("0: AA......\n1: ......BB\nA > B ~3\n");
        drawing.tasks.back().flags |= ActivityGraph::Estimated;
        const auto labels = idleLabels(*drawing.graph(), {{{2, 8}}, {{0, 6}}}, {}, 1, Progress{});
        QVERIFY(labels.ok());
        QCOMPARE(labels->total, byCause(6, 0, 4, 0, 0, 2));
        QCOMPARE(labels->estimated, TimeNs{4});
    }

    void everyNanosecondOfRandomGraphs()
    {
        for (unsigned seed = 0; seed < 1500; ++seed) {
            RandomGraph made = randomGraphOfAllKinds(seed);
            for (std::size_t i = seed % 3; i < made.tasks.size(); i += 3)
                made.tasks[i].flags |= ActivityGraph::Estimated;
            const auto graph = made.graph();
            const ProcessorIdle idle = randomIdle(*graph, seed);
            std::vector<bool> synchronizing(3);
            synchronizing[2] = seed % 3 == 0;
            const Oracle oracle(*graph, idle, synchronizing);
            std::vector<bool> carrying(3);
            carrying[seed % 4 % 3] = seed % 2 == 0;
            const auto labels = idleLabels(*graph, idle, synchronizing, 4, Progress{}, carrying);
            QVERIFY(labels.ok());
            std::vector<WorkMeanwhile> ofParallelism(4), ofSynchronization(4);
            IdleByCause total{};
            std::vector<IdleByCause> byStage(4), byEntry(labels->byEntry.size()), byPe(idle.size());
            for (std::uint32_t pe = 0; pe < idle.size(); ++pe)
                for (const TimeRange& range : idle[pe])
                    for (TimeNs time = range.begin; time < range.end; ++time) {
                        const auto cause = static_cast<std::size_t>(oracle.causeAt(pe, range, time));
                        const std::uint32_t task = oracle.endedBy(pe, range);
                        ++total[cause];
                        ++byPe[pe][cause];
                        ++byEntry[task == noTask ? byEntry.size() - 1 : graph->entry[task]][cause];
                        std::size_t stage = 0;
                        while (stage < 3 && labels->stageEdges[stage + 1] <= time) ++stage;
                        ++byStage[stage][cause];
                        WorkMeanwhile other;
                        WorkMeanwhile& of = IdleCause(cause) == IdleCause::Parallelism       ? ofParallelism[stage]
                                            : IdleCause(cause) == IdleCause::Synchronization ? ofSynchronization[stage]
                                                                                             : other;
                        const int working = oracle.working(carrying, time);
                        const bool isAwaited = &of != &ofParallelism[stage] || oracle.awaits(time);
                        ++(working > 1 ? of.more : working == 1 ? of.one : isAwaited ? of.none : of.nothing);
                    }
            const QByteArray where = "seed " + QByteArray::number(seed);
            QVERIFY2(labels->total == total, where.constData());
            QVERIFY2(labels->byPe == byPe, where.constData());
            QVERIFY2(labels->byStage == byStage, where.constData());
            QVERIFY2(labels->byEntry == byEntry, where.constData());
            QVERIFY2(labels->parallelismByStage == ofParallelism, where.constData());
            QVERIFY2(labels->synchronizationByStage == ofSynchronization, where.constData());
            IdleByCause blamed{};
            for (const IdleByCause& entry : labels->blamed)
                for (std::size_t c = 0; c < idleCauseCount; ++c) blamed[c] += entry[c];
            QVERIFY2(blamed == total, where.constData());
            for (std::size_t c = 0; c < idleCauseCount; ++c)
                for (const LabelledIdle& part : labels->longest[c])
                    for (TimeNs time = part.range.begin; time < part.range.end; ++time) {
                        const auto& ranges = idle[index(part.pe)];
                        const auto in = std::find_if(ranges.begin(), ranges.end(),
                                                     [time](const TimeRange& r) { return r.contains(time); });
                        QVERIFY2(in != ranges.end(), where.constData());
                        QVERIFY2(std::size_t(oracle.causeAt(index(part.pe), *in, time)) == c, where.constData());
                    }
        }
    }

    // Pieces tell when as labels tell how much; beyond what is allowed they are as many as causes, with the same sums.
    void piecesAddUpToTheLabels_data()
    {
        QTest::addColumn<std::uint32_t>("idlers");
        QTest::addColumn<std::uint32_t>("tasks");
        QTest::newRow("exact") << 3u << 100u;
        QTest::newRow("of too many") << 400u << 20'000u;
    }
    void piecesAddUpToTheLabels()
    {
        QFETCH(std::uint32_t, idlers);
        QFETCH(std::uint32_t, tasks);
        TaskColumns columns;
        columns.first.push_back(0);
        columns.resize(std::size_t{tasks} + idlers);
        for (std::uint32_t i = 0; i < tasks; ++i) {
            columns.begin[i] = TimeNs{20} * i;
            columns.duration.set(i, 10);
            columns.taskIndex[i] = i;
        }
        const TimeNs end = TimeNs{20} * tasks + 10;
        for (std::uint32_t pe = 0; pe < idlers; ++pe) {
            columns.first.push_back(std::size_t{tasks} + pe);
            columns.begin[tasks + pe] = end;
            columns.duration.set(tasks + pe, 1);
            columns.source[tasks + pe] = tasks - 1;
        }
        columns.first.push_back(columns.begin.size());
        GraphFrame frame{};
        frame.run = {0, end + 1};
        frame.processors = idlers + 1;
        const auto graph = buildGraph(std::move(columns), std::move(frame), Progress());
        QVERIFY(graph);
        ProcessorIdle idle(idlers + std::size_t{1});
        for (std::uint32_t pe = 1; pe <= idlers; ++pe) idle[pe].push_back({0, end});
        const auto pieces = idlePieces(*graph, idle, {}, {}, Progress());
        const auto labels = idleLabels(*graph, idle, {}, 1, Progress());
        QVERIFY(pieces.ok() && labels.ok());
        QVERIFY2(pieces->size() < 12'000'000, qPrintable(QString::number(pieces->size())));
        IdleByCause sums{};
        WorkMeanwhile meanwhile;
        TimeNs until = 0;
        ProcessorId pe{0};
        for (const IdlePiece& piece : *pieces) {
            QCOMPARE(piece.range.begin, piece.pe == pe ? until : 0);
            pe = piece.pe;
            until = piece.range.end;
            sums[std::size_t(piece.cause)] += piece.range.length();
            if (piece.cause != IdleCause::Parallelism) continue;
            (piece.working == Meanwhile::More      ? meanwhile.more
             : piece.working == Meanwhile::One     ? meanwhile.one
             : piece.working == Meanwhile::Nothing ? meanwhile.nothing
                                                   : meanwhile.none) += piece.range.length();
        }
        QVERIFY(sums == labels->total);
        QVERIFY(meanwhile == labels->parallelismByStage[0]);
        QVERIFY(meanwhile.one > 0 && meanwhile.nothing > 0);
    }

    void gatheringTasksStartASynchronization()
    {
        // G hears of PE 1 and, in K, of PE 0; then it starts R and S, one on each. A starts K only.
        const Drawing drawing = draw(
            "0: AA.KG.R...\n1: .B.....S..\nA > K\nB > G\nG > R\nG > S\n"
            "entry result: R S\nentry gather: K G\n");
        const auto graph = drawing.graph();
        const auto on = [&](std::uint32_t first, std::uint32_t second) {  // objects of K and G
            TaskObjects objects{std::vector<std::uint32_t>(graph->size(), noObject), {}, 2};
            objects.object[graph->find(drawing['K'])] = first;
            objects.object[graph->find(drawing['G'])] = second;
            return objects;
        };
        QVERIFY(spreadEntries(*graph)[index(drawing.entry("result"))]);
        QVERIFY(!spreadEntries(*graph)[index(drawing.entry("gather"))]);
        const GatheredEntries found = gatheredEntries(*graph, on(1, 1));
        QVERIFY(found.results[index(drawing.entry("result"))]);
        QVERIFY(found.gathering[index(drawing.entry("gather"))]);
        QCOMPARE(std::count(found.results.begin(), found.results.end(), true), 1);
        QCOMPARE(std::count(found.gathering.begin(), found.gathering.end(), true), 1);
        const GatheredEntries apart = gatheredEntries(*graph, on(0, 1));
        QCOMPARE(std::count(apart.results.begin(), apart.results.end(), true), 0);
    }

    void labelsOfEveryRealTraceAddUp()
    {
        int seen = 0;
        for (const QString& name : RealTraces::names()) {
            const auto store = m_traces.open(name);
            QVERIFY2(store.ok(), qPrintable(name));
            if (!(*store)->hasEvents()) continue;
            const auto graph = loadActivityGraph(**store, Progress{});
            const auto idle = processorIdle(**store, Progress{});
            const auto synchronizing = synchronizingEntries(**store, Progress{});
            QVERIFY(graph.ok() && idle.ok() && synchronizing.ok());
            const auto labels = idleLabels(**graph, *idle, *synchronizing, 100, Progress{});
            QVERIFY(labels.ok());
            QVERIFY2(labels->sum() == (*store)->info().idle, qPrintable(name));
            for (std::size_t pe = 0; pe < idle->size(); ++pe) {
                TimeNs sum = 0, known = 0;
                for (const TimeNs time : labels->byPe[pe]) sum += time;
                for (const TimeRange& range : (*idle)[pe]) known += range.length();
                QCOMPARE(sum, known);
            }
            TimeNs stages = 0;
            for (const IdleByCause& stage : labels->byStage)
                for (const TimeNs time : stage) stages += time;
            QCOMPARE(stages, labels->sum());
            ++seen;
        }
        QVERIFY(seen > 0);
    }

    void reductionsOfRealTraces()
    {
        if (!RealTraces::has(QStringLiteral("wave2d_p6")) || !RealTraces::has(QStringLiteral("gauss_seidel_p8")))
            QSKIP("the larger traces are not there");
        const auto entryNamed = [](const TraceStore& store, const char* name) {
            for (const Entry& entry : store.entries())
                if (entry.name.startsWith(QLatin1String(name))) return index(entry.id);
            return 0u;
        };
        const auto wave = m_traces.open(QStringLiteral("wave2d_p6"));
        const auto synchronizing = synchronizingEntries(**wave, Progress{});
        QVERIFY(synchronizing.ok());
        QVERIFY((*synchronizing)[entryNamed(**wave, "begin_iteration")]);  // broadcast of the reduction's result
        QVERIFY((*synchronizing)[entryNamed(**wave, "RecvMsg(CkReductionMsg")]);
        QVERIFY(!(*synchronizing)[entryNamed(**wave, "recvGhosts")]);

        // Six systems, each with a root of its own that gathers by messages: no name tells.
        const auto gauss = m_traces.open(QStringLiteral("gauss_seidel_p8"));
        const auto byName = synchronizingEntries(**gauss, Progress{});
        QVERIFY(byName.ok());
        const std::uint32_t dag9 = entryNamed(**gauss, "dag9");
        QVERIFY(!(*byName)[dag9]);
        const auto graph = loadActivityGraph(**gauss, Progress{});
        QVERIFY(graph.ok());
        QVERIFY(spreadEntries(**graph)[dag9]);
        const auto objects = taskObjects(**gauss, **graph, Progress{});
        QVERIFY(objects.ok());
        const GatheredEntries gathered = gatheredEntries(**graph, *objects);
        QVERIFY(gathered.results[dag9]);
        QVERIFY(gathered.gathering[entryNamed(**gauss, "contribute_residual")]);
        QCOMPARE(std::count(gathered.results.begin(), gathered.results.end(), true), 1);
        QCOMPARE(std::count(gathered.gathering.begin(), gathered.gathering.end(), true), 1);
    }

    void cancelled()
    {
        const auto graph = randomGraph(1).graph();
        Progress progress;
        progress.cancel();
        QVERIFY(!idleLabels(*graph, randomIdle(*graph, 1), {}, 4, progress).ok());
    }
};

LONGPOLE_TEST(TestIdleLabels)
#include "tst_idlelabels.moc"
