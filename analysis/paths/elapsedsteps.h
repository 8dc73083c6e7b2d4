// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the steps of an elapsed path, newest first: the time in each task, and what lies between it and what it came
// from (docs/algorithms.md 2.2).
#pragma once

#include "analysis/base/bigarray.h"
#include "analysis/graph/pathend.h"
#include "analysis/graph/taskwindow.h"
#include "analysis/paths/backtrace.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/elapseddelays.h"
#include "analysis/paths/pathprofile.h"

#include <algorithm>
#include <vector>

namespace longpole {

// Every step begins where the next one in the list ends. Only a path that goes over what did not decide a begin has
// holes: there the task waited for something else, which is no part of this path.
class ElapsedSteps {
public:
    ElapsedSteps(const TaskWindow& window, CriticalPath& path)
        : m_graph(*window.graph), m_path(path), m_profile(m_graph), m_previous(m_graph),
          m_floor(window.range.begin > m_graph.run.begin ? window.range.begin : minTime)
    {
    }

    // The path ends in a task at end.time; the last `after` ns before `until`, in which no task ran, are on it too.
    void end(PathEnd end, TimeNs after, TimeNs until)
    {
        m_time = until;
        gap(end.task, PathPart::Unexplained, until - after);
        m_time = end.time;
    }

    // Writes the task up to where the path left it, and what lies between it and the task that the path came from,
    // which is returned. The path comes over the message or over the PE's order as `told` says; without a value,
    // over the one that decided when the task began.
    std::uint32_t before(std::uint32_t task, std::optional<bool> told = {});

    bool isDone() const { return m_time <= m_floor; }

    void finish(const std::vector<TimeNs>& busy)
    {
        // Their number was not known; so they lie in an array of up to twice their size, from the end back.
        std::vector<PathStep> steps;
        reserveBig(steps, m_path.steps.size());
        steps.assign(m_path.steps.rbegin(), m_path.steps.rend());
        m_path.steps = std::move(steps);
        m_path.length = m_path.parts.sum();
        m_path.profile = m_profile.rows(busy);
    }

private:
    void afterMessage(std::uint32_t task, const Arrival& arrival, const ElapsedDelays& delays, TimeNs free);
    void queued(std::uint32_t task, TimeNs begin, TimeNs free, bool doubtful);
    void compute(std::uint32_t task, bool overMessage, bool doubtful);

    // [begin, now) goes to `part`, if there is any of it in the window.
    void gap(std::uint32_t task, PathPart part, TimeNs begin, bool overMessage = false, bool doubtful = false)
    {
        begin = std::max(begin, m_floor);
        if (begin < m_time) append(task, part, begin, overMessage, doubtful);
    }
    void append(std::uint32_t task, PathPart part, TimeNs begin, bool overMessage, bool doubtful);
    void appendStep(std::uint32_t task, PathPart part, TimeNs begin, bool overMessage, bool doubtful);
    TimeNs& partOf(PathPart part);

    const ActivityGraph& m_graph;
    CriticalPath& m_path;
    PathProfile m_profile;
    PreviousTasks m_previous;
    TimeNs m_floor;     // the path stops here; minTime: where the run's tasks do
    TimeNs m_time = 0;  // everything on the path from here to the end has been written
};

}  // namespace longpole
