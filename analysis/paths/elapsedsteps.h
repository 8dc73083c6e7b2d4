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

// A task that an elapsed path comes to, and how it came to begin.
struct ElapsedTask {
    TaskId task{};
    EntryId entry = noEntry;
    TimeNs begin = 0;
    TimeNs free = 0;  // its PE was free from here on: the end of the task before it, or the run's begin
    TimeRange active{minTime, maxTime};  // of its PE, between start-up and shut-down
    Arrival arrival;
    ElapsedDelays delays;
    bool isFirst = false;  // no task before it on its PE
    bool hasSource = false;
    bool isOfRank = false;
    bool isBlock = false;
    bool idled = false;  // its PE, just before it
    bool cameWhileIdle = false;
};

// Writes step after step, the newest first. Every step begins where the one after it in time ends. Only a path that
// goes over what did not decide a begin has holes: there the task waited for something else, which is no part of this
// path.
class ElapsedParts {
public:
    explicit ElapsedParts(TimeNs floor) : m_floor(floor) {}
    virtual ~ElapsedParts() = default;
    ElapsedParts(const ElapsedParts&) = delete;
    ElapsedParts& operator=(const ElapsedParts&) = delete;

    // The path ends in a task at `time`; what is between that and `until`, in which no task ran, is on it too.
    void end(const ElapsedTask& task, TimeNs time, TimeNs until);

    // Writes the task up to where the path left it, and what lies between it and the task that the path came from: over
    // the message or over the PE's order.
    void before(const ElapsedTask& task, bool overMessage);

    TimeNs time() const { return m_time; }
    void setTime(TimeNs time) { m_time = time; }
    bool isDone() const { return m_time <= m_floor; }

protected:
    // `counted` of the task lies on the path, and in a profile of it. Called before the steps.
    virtual void count(const ElapsedTask& task, TimeRange counted) = 0;
    virtual void take(const PathStep& step) = 0;

private:
    void afterMessage(const ElapsedTask& task);
    void queued(const ElapsedTask& task, TimeNs begin, bool doubtful);
    void compute(const ElapsedTask& task, bool overMessage, bool doubtful);

    // [begin, now) goes to `part`, if there is any of it in the window.
    void gap(const ElapsedTask& task, PathPart part, TimeNs begin, bool overMessage = false, bool doubtful = false)
    {
        begin = std::max(begin, m_floor);
        if (begin < m_time) append(task, part, begin, overMessage, doubtful);
    }
    void append(const ElapsedTask& task, PathPart part, TimeNs begin, bool overMessage, bool doubtful);
    void appendStep(const ElapsedTask& task, PathPart part, TimeNs begin, bool overMessage, bool doubtful);

    TimeNs m_floor;     // the path stops here; minTime: where the run's tasks do
    TimeNs m_time = 0;  // everything on the path from here to the end has been written
};

// The part of a path's time that steps of a kind are.
TimeNs& partOf(PathParts& parts, PathPart part);

// The steps of a path in a graph.
class ElapsedSteps final : public ElapsedParts {
public:
    ElapsedSteps(const TaskWindow& window, CriticalPath& path)
        : ElapsedParts(window.range.begin > window.graph->run.begin ? window.range.begin : minTime),
          m_graph(*window.graph), m_path(path), m_profile(m_graph), m_previous(m_graph)
    {
    }

    // The path ends in a task at end.time; the last `after` ns before `until`, in which no task ran, are on it too.
    void end(PathEnd end, TimeNs after, TimeNs until);

    // Writes the task up to where the path left it, and what lies between it and the task that the path came from,
    // which is returned. The path comes over the message or over the PE's order as `told` says; without a value,
    // over the one that decided when the task began.
    std::uint32_t before(std::uint32_t task, std::optional<bool> told = {});

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
    void count(const ElapsedTask&, TimeRange counted) override { m_profile.add(m_at, counted); }
    void take(const PathStep& step) override;
    ElapsedTask named(std::uint32_t task) const;

    const ActivityGraph& m_graph;
    CriticalPath& m_path;
    PathProfile m_profile;
    PreviousTasks m_previous;
    std::uint32_t m_at = noTask;  // the task that is written
};

}  // namespace longpole
