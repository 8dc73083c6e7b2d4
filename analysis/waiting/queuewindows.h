// SPDX-License-Identifier: GPL-3.0-or-later
// While the message of a path's task lay in the queue: when that began, what ran meanwhile, and the idling before a
// task (docs/algorithms.md 4).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/waiting/idlelabels.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// The graph tasks that a path computes in, each once, in its order.
std::vector<std::uint32_t> criticalTasks(const ActivityGraph& graph, const CriticalPath& path);

// The tasks of a processor that began in [arrived, begin of the task), and the one that ran when the message came.
struct QueueWindow {
    std::uint32_t pe = 0;
    std::size_t first = 0;  // in byProcessor[pe]
    std::size_t last = 0;   // behind them: where the task itself stands
    // By its PE's clock, not before the run's begin; the begin of a task without a message, and of a block.
    TimeNs received = 0;
    TimeNs arrived = 0;  // not before the last idling: a message that lay there would have ended it
    std::uint32_t running = noTask;
    TimeNs rest = 0;  // what was left of it
};

class QueueWindows {
public:
    // Both must outlive this.
    QueueWindows(const ActivityGraph& graph, const ProcessorIdle& idle) : m_graph(graph), m_idle(idle) {}

    QueueWindow of(std::uint32_t task) const;  // O(log n)
    // The idling between the task before it on its PE and a task, as the causes of idling count it; none of a block.
    // O(log n).
    TimeNs idleBefore(std::uint32_t task) const;
    // The end of the last idling on its PE before the begin of a task; minTime without.
    TimeNs lastIdleEnd(std::uint32_t task) const;

    std::span<const std::uint32_t> onProcessor(std::uint32_t pe) const;
    // From the begin of the `position`-th task of a PE to its end, or to the next one's begin: damaged logs overlap.
    TimeNs length(std::uint32_t pe, std::size_t position) const;

private:
    std::span<const TimeRange> idleOf(std::uint32_t pe) const;

    const ActivityGraph& m_graph;
    const ProcessorIdle& m_idle;
};

}  // namespace longpole
