// SPDX-License-Identifier: GPL-3.0-or-later
// The least slack of the tasks of a PE in any range of time, for colouring and filtering the timeline by slack.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/slack.h"
#include "core/base/ids.h"
#include "core/base/timerange.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

// Per PE the least slack of runs of 16 tasks, of 16 such runs and so on: 0.54 bytes a task beyond graph and slack.
// A task touches a range if it overlaps it, or, of length zero, begins in it. Safe across threads.
class SlackPyramid {
public:
    // `slack` is of `graph`. O(tasks).
    SlackPyramid(std::shared_ptr<const ActivityGraph> graph, std::shared_ptr<const Slack> slack);

    // Of the tasks that touch the range; empty without any, or if there is no such PE. O(log tasks).
    std::optional<TimeNs> leastSlack(ProcessorId pe, TimeRange range) const;

    // The same for `pixels` equal parts of the range, from left to right; noTaskThere where no task touches one. Part i
    // begins at begin + length x i div pixels and lasts 1 ns at least. O(pixels log(tasks in range / pixels)): to 0.4
    // us a pixel where the tasks are far apart in memory.
    std::vector<TimeNs> leastSlack(ProcessorId pe, TimeRange range, std::size_t pixels) const;
    static constexpr TimeNs noTaskThere = maxTime;

    const Slack& slack() const { return *m_slack; }
    std::int64_t none() const { return m_none; }  // tasks without slack
    TimeNs largest() const { return m_largest; }  // slack of any task
    std::int64_t bytes() const;                   // beyond graph and slack

private:
    // levels[0] has the least of each 16 tasks of the PE, levels[l + 1] of each 16 of levels[l]; the last has one.
    struct Row {
        std::vector<std::vector<TimeNs>> levels;
    };

    TimeNs leastOf(std::uint32_t pe, std::size_t first, std::size_t last) const;

    std::shared_ptr<const ActivityGraph> m_graph;
    std::shared_ptr<const Slack> m_slack;
    std::vector<Row> m_rows;  // per PE
    std::int64_t m_none = 0;
    TimeNs m_largest = 0;
};

}  // namespace longpole
