// SPDX-License-Identifier: GPL-3.0-or-later
// The time in which a task's message lay in the queue: when it came, which tasks ran meanwhile, and how long the
// processor had idled before the task (docs/algorithms.md 4).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/waiting/idlelabels.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// The graph tasks of a path's steps, each once, in the order of the path.
std::vector<std::uint32_t> criticalTasks(const ActivityGraph& graph, const CriticalPath& path);

// The tasks of a processor that began in [arrived, begin of the task), and the one that ran when the message came.
struct QueueWindow {
    std::uint32_t pe = 0;
    std::size_t first = 0;  // its first task, as a position in byProcessor[pe]
    std::size_t last = 0;   // one behind its last task, which is the position of the task itself
    // When the message came, by the clock of its PE and not before the run's begin. A task without a message, or a
    // block, has its begin here.
    TimeNs received = 0;
    TimeNs arrived = 0;  // the same, but not before the PE last idled: a message that lay there would have ended that
    std::uint32_t running = noTask;  // the task that ran when the message came
    TimeNs rest = 0;                 // how long that went on
};

class QueueWindows {
public:
    // Both must outlive this.
    QueueWindows(const ActivityGraph& graph, const ProcessorIdle& idle) : m_graph(graph), m_idle(idle) {}

    QueueWindow of(std::uint32_t task) const;  // O(log n)
    // How long the PE idled between the task before and this one; 0 for a block, as for the causes of idling. O(log n).
    TimeNs idleBefore(std::uint32_t task) const;
    // When the PE last stopped idling before the task began; minTime if it had not idled.
    TimeNs lastIdleEnd(std::uint32_t task) const;

    std::span<const std::uint32_t> onProcessor(std::uint32_t pe) const;
    // How long the task at that position ran. Tasks of damaged logs may overlap: then it ends where the next one
    // begins.
    TimeNs length(std::uint32_t pe, std::size_t position) const;

private:
    std::span<const TimeRange> idleOf(std::uint32_t pe) const;

    const ActivityGraph& m_graph;
    const ProcessorIdle& m_idle;
};

}  // namespace longpole
