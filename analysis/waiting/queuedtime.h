// SPDX-License-Identifier: GPL-3.0-or-later
// Over what time any processor had tasks in its queue, and over what time one or more worked: sets of disjoint ranges
// with the time they cover.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "core/base/timerange.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Disjoint, ascending, not touching. before(t): how much of it lies before t.
class QueuedTime {
public:
    explicit QueuedTime(std::vector<TimeRange> ranges);

    TimeNs before(TimeNs time) const;  // O(log n)
    TimeNs inside(TimeRange range) const { return range.isEmpty() ? 0 : before(range.end) - before(range.begin); }
    // The longest unbroken part of `range` that is queued time, or that is none. O(log n + ranges inside).
    TimeRange longestInside(TimeRange range) const;
    TimeRange longestOutside(TimeRange range) const;
    const std::vector<TimeRange>& ranges() const { return m_ranges; }

private:
    std::vector<TimeRange> m_ranges;
    std::vector<TimeNs> m_before;  // sum of the ranges before each
};

// Of one processor: the union of [received, begin) over its tasks, from when it last idled before they began on: what
// it had while it idled it would have begun. O(tasks of the PE). `idle`: its idle time, ascending.
std::vector<TimeRange> queuedOn(const ActivityGraph& graph, std::uint32_t pe, const std::vector<TimeRange>& idle);

// Of one processor: the union of [sent, begin) over its tasks: what it was to run was under way, or there. O(tasks).
std::vector<TimeRange> awaitedOn(const ActivityGraph& graph, std::uint32_t pe);

// Over what time at least one, and at least two of some processors worked.
struct Working {
    std::vector<TimeRange> one{}, two{};
};
// Of one processor: its tasks but those of entry methods that are left out. Pauses up to `pause` are none. O(tasks).
Working workingOn(const ActivityGraph& graph, std::uint32_t pe, const std::vector<bool>& leftOut, TimeNs pause);
Working together(const Working& a, const Working& b);

std::vector<TimeRange> common(const std::vector<TimeRange>& a, const std::vector<TimeRange>& b);  // O(a + b)
// Two lists of disjoint ascending ranges as one. O(a + b).
std::vector<TimeRange> united(const std::vector<TimeRange>& a, const std::vector<TimeRange>& b);

}  // namespace longpole
