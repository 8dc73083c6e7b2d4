// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/paths/parallelism.h"

#include "analysis/base/bigarray.h"
#include "analysis/graph/programentry.h"
#include "analysis/paths/backtrace.h"
#include "analysis/paths/dominators.h"
#include "analysis/paths/elapseddelays.h"
#include "core/base/limits.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/base/wide.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

struct Candidate {
    std::uint32_t task = noTask;
    TimeNs dominated = 0;
    TimeNs delay = 0;
    Wide score() const { return Wide{dominated} * delay; }
};

// The candidates with most score, the largest first.
class Largest {
public:
    explicit Largest(std::size_t count) : m_count(count) {}

    // In the order of the tasks.
    void add(const Candidate& candidate)
    {
        if (candidate.score() <= 0 || m_count == 0) return;
        if (m_kept.size() == m_count && m_kept.front().score() >= candidate.score()) return;
        if (m_kept.size() == m_count) {
            std::pop_heap(m_kept.begin(), m_kept.end(), isBefore);
            m_kept.pop_back();
        }
        m_kept.push_back(candidate);
        std::push_heap(m_kept.begin(), m_kept.end(), isBefore);
    }

    std::vector<Candidate> sorted() &&
    {
        std::sort_heap(m_kept.begin(), m_kept.end(), isBefore);
        return std::move(m_kept);
    }

private:
    static bool isBefore(const Candidate& a, const Candidate& b)
    {
        return a.score() != b.score() ? a.score() > b.score() : a.task < b.task;
    }

    std::size_t m_count;
    std::vector<Candidate> m_kept;  // a heap, the last one by isBefore in front
};

std::vector<Candidate> candidates(const ActivityGraph& graph, const std::vector<std::uint32_t>& dominators,
                                  const WorkHeads& heads, std::size_t count)
{
    const std::vector<TimeNs> dominated = dominatedWork(graph, dominators);
    Largest largest(count);
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        largest.add({i, dominated[i], graph.begin[i] - graph.run.begin - heads.head[i]});
    return std::move(largest).sorted();
}

// What of its delay the task's chain of messages spent in queues and on the network. O(chain).
void splitDelay(const ActivityGraph& graph, std::uint32_t task, ExposingTask& exposing)
{
    for (std::uint32_t at = task; at != noTask; at = graph.source[at]) {
        const Arrival arrival = arrivalOf(graph, at);
        if (!arrival.known) continue;
        const TimeNs received = cameWhileIdle(graph, at, arrival) ? graph.begin[at] : arrival.received;
        addSaturating(exposing.queued, graph.begin[at] - received);
        addSaturating(exposing.network, received - arrival.sent);
    }
}

// The longest chain of work from the begin of a task through what it dominates. Of such a task all that it waited for
// is dominated as well. O(tasks + merges).
TimeNs spanOfDominated(const ActivityGraph& graph, const Dependencies& edges,
                       const std::vector<std::uint32_t>& dominators, std::uint32_t task)
{
    std::vector<TimeNs> head = bigArray<TimeNs>(graph.size() - task, -1);  // from its begin; -1: not dominated
    head[0] = 0;
    TimeNs span = graph.duration[task];
    auto merge = std::lower_bound(edges.merges.begin(), edges.merges.end(), task + 1,
                                  [](const MergeEdge& edge, std::uint32_t of) { return edge.task < of; });
    const auto reach = [&](std::uint32_t source, TimeNs offset, TimeNs& longest) {
        if (source != noTask && source >= task && head[source - task] >= 0)
            longest = std::max(longest, saturatingAdd(head[source - task], offset));
    };
    for (std::uint32_t i = task + 1; i < graph.size(); ++i) {
        const std::uint32_t above = dominators[i];
        if (above == noTask || above < task || head[above - task] < 0) continue;  // most are not dominated
        TimeNs longest = -1;
        reach(graph.source[i], graph.offset[i], longest);
        while (merge != edges.merges.end() && merge->task < i) ++merge;
        for (; merge != edges.merges.end() && merge->task == i; ++merge) reach(merge->source, merge->offset, longest);
        head[i - task] = longest;
        span = std::max(span, saturatingAdd(longest, graph.duration[i]));
    }
    return span;
}

std::vector<PathStep> prefixPath(const ActivityGraph& graph, const WorkHeads& heads, std::uint32_t task)
{
    PreviousTasks previous(graph);
    const auto before = [&](std::uint32_t at) {
        return heads.head[at] == 0 ? Predecessor{} : predecessorOf(graph, heads, at, previous);
    };
    CriticalPath path;
    traceBack(taskWindow(graph, graph.run), {task, graph.begin[task]}, graph.exclusiveByEntry, before, path);
    return std::move(path.steps);
}

}  // namespace

Result<std::vector<ExposingTask>> exposingTasks(const ActivityGraph& graph, const Dependencies& edges,
                                                std::size_t count, const Progress& progress)
{
    if (graph.hasRanks)
        return Error{.what = tr("Which tasks expose parallelism is asked of message-driven programs, in which any PE "
                                "can run them; a rank runs its own."),
                     .where = QString(),
                     .hint = tr("Wait states and their causes say who held others up.")};
    if (keepsOrder(edges.level))
        return Error{.what = tr("Which tasks expose parallelism is not defined over the order in which PEs ran them."),
                     .where = QString(),
                     .hint = tr("Ask for it at edges messages or merges.")};
    const std::vector<std::uint32_t> dominators = immediateDominators(graph, edges, progress);
    if (dominators.size() != graph.size()) return cancelledError();
    WorkHeads heads = workHeads(graph, EdgeLevel::Messages, progress);
    if (heads.head.size() != graph.size()) return cancelledError();
    const std::vector<Candidate> chosen = candidates(graph, dominators, heads, count);
    if (edges.level != EdgeLevel::Messages) heads = workHeads(graph, edges, progress, std::move(heads));
    if (heads.head.size() != graph.size()) return cancelledError();
    std::vector<ExposingTask> tasks;
    // Ten tasks have room in any case, and more where the ways to them are short.
    auto stepsLeft = static_cast<std::size_t>(limits::exposingSteps.of(std::ssize(graph.entry)));
    for (const auto& [task, dominated, delay] : chosen) {
        ExposingTask exposing{.task = graph.id(task),
                              .entry = EntryId{graph.entry[task]},
                              .dominated = dominated,
                              .delay = delay};
        if (progress.isCancelled()) return cancelledError();
        // Messages that leave behind the end of their task, by damaged logs, would make a chain longer than the work.
        exposing.span = std::min(spanOfDominated(graph, edges, dominators, task), dominated);
        exposing.exposed = static_cast<double>(dominated) / static_cast<double>(std::max<TimeNs>(exposing.span, 1));
        splitDelay(graph, task, exposing);
        exposing.steps = prefixPath(graph, heads, task);
        if (exposing.steps.size() > stepsLeft)
            return Error{.what = tr("The ways to %1 tasks have more steps than are kept.").arg(chosen.size()),
                         .where = QString(),
                         .hint = tr("Ask for fewer tasks.")};
        stepsLeft -= exposing.steps.size();
        tasks.push_back(std::move(exposing));
    }
    return tasks;
}

const ExposingTask* exposingFirst(const TraceStore& store, const std::vector<ExposingTask>& tasks)
{
    constexpr double worthwhile = 1.5;  // how many PEs the work behind a task must at least be able to keep busy
    const ExposingTask* found = nullptr;
    for (const ExposingTask& task : tasks) {
        if (task.exposed < worthwhile) continue;
        if (!isOfRuntime(store, task.entry)) return &task;
        if (found == nullptr) found = &task;
    }
    return found;
}

QString exposingSentence(const TraceStore& store, const std::vector<ExposingTask>& tasks,
                         std::optional<EdgeLevel> edges)
{
    const ExposingTask* first = exposingFirst(store, tasks);
    if (first == nullptr) return {};
    const QString waited = store.words()
                               .say(tr("%1 of work, summed over PEs, waited for task %2 of %3."),
                                    tr("%1 of work, summed over ranks, waited for task %2 of %3."))
                               .arg(formatTime(first->dominated), toText(first->task),
                                    nameWithOwner(store, first->entry));
    const QString late = !edges ? tr("It started %1 later than the work on its chain takes.")
                         : *edges == EdgeLevel::Messages
                             ? tr("It started %1 later than the work on its chain of messages takes (edges messages).")
                             : tr(
                                 "It started %1 later than the work on its chain of messages and merges takes "
                                 "(edges merges).");
    return waited % QLatin1Char(' ') % late.arg(formatTime(first->delay));
}

}  // namespace longpole
