// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that no program makes, in which everything hangs on everything: a replay's model takes time and memory that grow
// with the run, not with its square.
#include "analysis/graph/activitygraph.h"
#include "analysis/graph/taskobjects.h"
#include "analysis/queues/discipline.h"
#include "analysis/replay/consequences.h"
#include "analysis/replay/counters.h"
#include "analysis/replay/joins.h"
#include "analysis/replay/model.h"
#include "core/base/limits.h"
#include "support/testmain.h"

#include <QTest>

#include <ctime>
#include <memory>
#include <vector>

using namespace longpole;

namespace {

using Graph = std::shared_ptr<const ActivityGraph>;

double cpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TaskId on(std::uint32_t pe, std::uint32_t number) { return {ProcessorId{pe}, number}; }

RawTask task(TaskId id, TimeNs begin, TimeNs duration, EntryId entry, TaskId source = {}, TimeNs offset = 0)
{
    return {.id = id, .begin = begin, .duration = duration, .entry = entry, .source = source, .offset = offset};
}

// On PE 0, `kept` tasks of one object that only keep their messages, then one that acts for them; what that sends runs
// on PE 1.
Graph keeping(std::uint32_t kept, std::uint32_t sent, std::vector<MergeEdge>& merges)
{
    std::vector<RawTask> tasks;
    for (std::uint32_t i = 0; i < kept; ++i) tasks.push_back(task(on(0, i), 10 * TimeNs{i}, 5, EntryId{0}));
    const TimeNs acts = 10 * TimeNs{kept};
    tasks.push_back(task(on(0, kept), acts, 5, EntryId{1}));
    for (std::uint32_t i = 0; i < sent; ++i)
        tasks.push_back(task(on(1, i), acts + 10 + 10 * TimeNs{i}, 5, EntryId{2}, on(0, kept), 1));
    for (std::uint32_t i = 0; i < kept; ++i)
        merges.push_back({.task = i + 1, .source = i, .offset = 5, .kind = MergeKind::Buffered});
    return makeActivityGraph(std::move(tasks), {0, acts + 10 + 10 * TimeNs{sent}}, 2);
}

}  // namespace

class TestStrangeReplays : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_begun = cpuSeconds(); }
    void cleanup() const { QVERIFY2(cpuSeconds() - m_begun < 10, "this grows faster than the run"); }

    // Each waits for all before it, and everything that the last one sends waits for all of them.
    void manyKeptMessagesAndManySends()
    {
        constexpr std::uint32_t kept = 60'000, sent = 50'000;
        std::vector<MergeEdge> merges;
        const Graph graph = keeping(kept, sent, merges);
        const ReplayJoins joins = findJoins(*graph, merges, {});
        Progress cancelled;
        cancelled.cancel();
        QVERIFY(findJoins(*graph, merges, {}, cancelled).joins.empty());
        QCOMPARE(joins.joins.size(), std::size_t{1});
        QCOMPARE(joins.joins.front().members, kept + 1);
        QCOMPARE(joins.joins.front().targets, sent);
        QCOMPARE(joins.of(17).size(), std::size_t{1});
        QVERIFY(joins.of(kept + 1).empty());
        const auto model = replayModel(graph, merges);
        const Result<ReplayedRun> run = replay(*model, {}, ArrivalReading::Likely, Progress{});
        QVERIFY(run);
        QCOMPARE(run->duration, graph->run.length());
    }

    // What each waits for is different, which cannot be looked at for all.
    void sendsBetweenKeptMessages()
    {
        constexpr std::uint32_t count = 30'000;
        std::vector<RawTask> tasks{task(on(0, 0), 0, 5, EntryId{1})};
        std::vector<MergeEdge> merges;
        for (std::uint32_t i = 0; i < count; ++i) {
            tasks.push_back(task(on(1, i), 10 + 20 * i, 5, EntryId{0}));
            tasks.push_back(task(on(2, i), 20 + 20 * i, 5, EntryId{2}, on(0, 0), 1));
        }
        const Graph graph = makeActivityGraph(std::move(tasks), {0, 20 * TimeNs{count} + 100}, 3);
        Reductions reductions;
        ReductionGroup group;
        for (std::uint32_t t = 1; t < graph->size(); ++t)
            if (graph->pe[t] == 1) reductions.sources.push_back(t);
        reductions.targets.push_back(0);
        group.sources = reductions.sources.size();
        group.targets = 1;
        reductions.groups.push_back(group);
        const ReplayJoins joins = findJoins(*graph, merges, {nullptr, &reductions, nullptr});
        QVERIFY(!joins.joins.empty());
        const auto most = limits::joinMembers.of(static_cast<std::int64_t>(graph->size()));
        QVERIFY(static_cast<std::int64_t>(joins.members.size()) <= most);
    }

    // All wait at once, each for an entry method of its own.
    void manyEntryMethodsThatWaitTogether()
    {
        constexpr std::uint32_t count = 20'000;
        std::vector<RawTask> tasks{task(on(0, 0), 0, 5, EntryId{0})};
        for (std::uint32_t i = 0; i < count; ++i)
            tasks.push_back(task(on(0, i + 1), 10 + 10 * i, 5, EntryId{i + 1}, on(0, 0), 1));
        const Graph graph = makeActivityGraph(std::move(tasks), {0, 10 * TimeNs{count} + 100}, 1);
        const auto model = replayModel(graph, std::vector<MergeEdge>{});
        QVERIFY(model->discipline.isFifo());
        QVERIFY(model->discipline.decisions > count);
    }

    // Each is a consequence of what all processors did.
    void manyTasksWithoutCauseOnManyProcessors()
    {
        constexpr std::uint32_t processors = 64, each = 3000;
        std::vector<RawTask> tasks;
        for (std::uint32_t i = 0; i < each; ++i)
            for (std::uint32_t pe = 0; pe < processors; ++pe)
                tasks.push_back(task(on(pe, i), 100 * TimeNs{i} + pe, 20, EntryId{0}));
        const Graph graph = makeActivityGraph(std::move(tasks), {0, 100 * TimeNs{each}}, processors);
        const std::vector<Consequence> kinds{Consequence::OfAll};
        const auto size = static_cast<std::uint32_t>(graph->size());
        const Consequences found = findConsequences(*graph, kinds, size, std::vector<bool>(size, true));
        QVERIFY(found.edges.size() < (1u << 20) + 3 * std::size_t{size});
        QVERIFY(found.tasks.size() > size - processors - 1);
    }

    // A chare that sends to many entry methods has many that might be counted for each.
    void manyNotifications()
    {
        constexpr std::uint32_t count = 3000;
        std::vector<RawTask> tasks;
        std::vector<Entry> entries;
        for (std::uint32_t i = 0; i < 3 * count; ++i)
            entries.push_back({.id = EntryId{i},
                               .name = QString::number(i),
                               .chare = {},
                               .kind = EntryKind::User,
                               .chareId = ChareId{0}});
        TimeNs now = 0;
        std::uint32_t number = 0;
        const auto add = [&](std::uint32_t entry, TimeNs duration) {
            tasks.push_back(task(on(0, number++), now, duration, EntryId{entry}));
            now += duration + 1;
        };
        for (int round = 0; round < 3; ++round)
            for (std::uint32_t i = 0; i < count; ++i) {
                add(i, 1);
                add(count + i, 1000);
                const TaskId sender = tasks.back().id;
                tasks.push_back(task(on(1, number), now, 1000, EntryId{2 * count + i}, sender, 1));
            }
        const Graph graph = makeActivityGraph(std::move(tasks), {0, now + 1000}, 2);
        TaskObjects objects;
        objects.objects = 1;
        for (std::uint32_t t = 0; t < graph->size(); ++t) {
            objects.object.push_back(graph->pe[t] == 0 ? 0 : noObject);
            objects.sends.push_back(graph->entry[t] >= count && graph->entry[t] < 2 * count);
        }
        const Counters counters = findCounters(*graph, objects, entries);
        for (const CounterGroup& group : counters.groups) QVERIFY(group.members > 0);
        Progress cancelled;
        cancelled.cancel();
        QVERIFY(findCounters(*graph, objects, entries, cancelled).groups.empty());
    }

private:
    double m_begun = 0;
};

LONGPOLE_TEST(TestStrangeReplays)
#include "tst_strangereplays.moc"
