// SPDX-License-Identifier: GPL-3.0-or-later
// When processors had tasks in their queues, and when one or several of them worked, as sets of disjoint ranges.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "core/base/timerange.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Ranges of time that are disjoint, ascend and do not touch, with sums that tell how much of a range they cover.
class QueuedTime {
public:
    explicit QueuedTime(std::vector<TimeRange> ranges);

    TimeNs before(TimeNs time) const;  // how much of it lies before that time; O(log n)
    TimeNs inside(TimeRange range) const { return range.isEmpty() ? 0 : before(range.end) - before(range.begin); }
    // The longest unbroken part of `range` that is queued time, or that is none. O(log n + ranges inside).
    TimeRange longestInside(TimeRange range) const;
    TimeRange longestOutside(TimeRange range) const;
    const std::vector<TimeRange>& ranges() const { return m_ranges; }

private:
    std::vector<TimeRange> m_ranges;
    std::vector<TimeNs> m_before;  // sum of the ranges before each
};

// When a processor had tasks in its queue: the union of [received, begin) over its tasks. Of each task only the time
// after the processor last idled before it counts, since an idle processor would have begun it. `idle` is the
// processor's idle time, ascending. O(tasks of the PE).
std::vector<TimeRange> queuedOn(const ActivityGraph& graph, std::uint32_t pe, const std::vector<TimeRange>& idle);

// When messages to a processor were under way or in its queue: the union of [sent, begin) over its tasks. O(tasks of
// the PE).
std::vector<TimeRange> awaitedOn(const ActivityGraph& graph, std::uint32_t pe);

// When at least one, and when at least two of a group of processors worked.
struct Working {
    std::vector<TimeRange> one{}, two{};
};
// Adds a task, in order of begin, to when a processor worked. Pauses of up to `pause` count as work.
void addWork(std::vector<TimeRange>& work, TimeRange task, TimeNs pause);
// When one processor worked, but for executions of entry methods that are left out by id. Pauses of up to `pause`
// between tasks count as work. O(tasks of the PE).
Working workingOn(const ActivityGraph& graph, std::uint32_t pe, const std::vector<bool>& leftOut, TimeNs pause);
// Of runs of more than eight million tasks, pauses of a sixteenth of their mean distance; else none.
TimeNs pauseWithin(TimeRange run, std::int64_t tasks, std::uint32_t processors);
Working together(const Working& a, const Working& b);

// Where both have time, and where one of them has; lists of disjoint ascending ranges (those to be united may overlap).
// O(a + b).
std::vector<TimeRange> common(const std::vector<TimeRange>& a, const std::vector<TimeRange>& b);
std::vector<TimeRange> united(const std::vector<TimeRange>& a, const std::vector<TimeRange>& b);

}  // namespace longpole
