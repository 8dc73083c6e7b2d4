// SPDX-License-Identifier: GPL-3.0-or-later
// Random activity graphs, small enough to go through all their paths: up to 12 tasks on up to 4 PEs.
#pragma once

#include "analysis/graph/activitygraph.h"

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

namespace longpole {

struct RandomGraph {
    std::vector<RawTask> tasks{};
    TimeRange run{};
    std::uint32_t processors = 0;
    std::vector<RawMerge> merges{};
    std::shared_ptr<const ActivityGraph> graph() const { return makeActivityGraph(tasks, run, processors, merges); }
};

// Tasks are disjoint on each PE; messages go from tasks that began before, at any time until then.
inline RandomGraph randomGraph(unsigned seed)
{
    std::mt19937 random(seed);
    const auto below = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    RandomGraph made;
    made.processors = static_cast<std::uint32_t>(1 + below(4));
    std::vector<TimeNs> free(made.processors, 0);
    std::vector<std::uint32_t> count(made.processors, 0);
    const int tasks = 1 + below(12);
    for (int i = 0; i < tasks; ++i) {
        const auto pe = static_cast<std::uint32_t>(below(static_cast<int>(made.processors)));
        RawTask task{.id = {ProcessorId{pe}, count[pe]++},
                     .begin = free[pe] + below(4),
                     .duration = below(6),
                     .entry = EntryId{static_cast<std::uint32_t>(below(3))}};
        free[pe] = task.begin + task.duration;
        made.run.end = std::max(made.run.end, free[pe]);
        made.tasks.push_back(task);
    }
    for (RawTask& task : made.tasks) {
        const RawTask& source = made.tasks[static_cast<std::size_t>(below(tasks))];
        if (source.begin >= task.begin || below(4) == 0) continue;
        task.source = source.id;
        task.offset = below(static_cast<int>(std::min(source.duration, task.begin - source.begin)) + 1);
        task.sent = source.begin + task.offset;
        if (below(2) == 0) task.received = task.sent + below(static_cast<int>(task.begin - task.sent) + 1);
    }
    made.run.end += below(3);
    return made;
}

// Graphs that also have merges, idle time before tasks, blocks, and messages that were sent after their source had
// ended or outside of any task.
inline RandomGraph randomGraphOfAllKinds(unsigned seed)
{
    RandomGraph made = randomGraph(seed);
    std::mt19937 random(seed + 0x9e3779b9u);
    const auto below = [&random](std::size_t n) { return static_cast<TimeNs>(random() % n); };
    for (RawTask& task : made.tasks) {
        const RawTask& other = made.tasks[static_cast<std::size_t>(below(made.tasks.size()))];
        if (other.begin < task.begin && below(2) == 0) {
            const TimeNs longest = std::min(other.duration, task.begin - other.begin);
            made.merges.push_back({task.id, other.id, below(static_cast<std::size_t>(longest) + 1),
                                   MergeKind::Recorded});
        }
        if (below(4) == 0) task.flags |= ActivityGraph::AfterIdle;
        if (task.source.isValid() && below(6) == 0) {
            task.flags |= ActivityGraph::BlockEdge;
            task.sent = task.received = minTime;
        } else if (task.sent != minTime && task.received == minTime && below(4) == 0) {
            task.sent += below(static_cast<std::size_t>(task.begin - task.sent) + 1);
        } else if (!task.source.isValid() && below(3) == 0) {
            task.sent = below(static_cast<std::size_t>(task.begin) + 1);
        }
    }
    return made;
}

inline void permuteProcessors(RandomGraph& made)
{
    const auto mirrored = [&made](ProcessorId pe) { return ProcessorId{made.processors - 1 - index(pe)}; };
    for (RawTask& task : made.tasks) {
        task.id.pe = mirrored(task.id.pe);
        if (task.source.isValid()) task.source.pe = mirrored(task.source.pe);
    }
    for (RawMerge& merge : made.merges) {
        merge.task.pe = mirrored(merge.task.pe);
        merge.source.pe = mirrored(merge.source.pe);
    }
}

// Every time becomes time x factor + shift.
inline void changeTimes(RandomGraph& made, TimeNs factor, TimeNs shift)
{
    made.run = {made.run.begin * factor + shift, made.run.end * factor + shift};
    for (RawTask& task : made.tasks) {
        task.begin = task.begin * factor + shift;
        task.duration *= factor;
        task.offset *= factor;
        if (task.sent != minTime) task.sent = task.sent * factor + shift;
        if (task.received != minTime) task.received = task.received * factor + shift;
    }
    for (RawMerge& merge : made.merges) merge.offset *= factor;
}

}  // namespace longpole
