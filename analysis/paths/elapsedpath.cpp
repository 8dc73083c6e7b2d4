// SPDX-License-Identifier: GPL-3.0-or-later
// The elapsed path: a walk back from the end of the run whose parts add up to the time it covers
// (docs/algorithms.md 2.2).
#include "analysis/paths/criticalpath.h"

#include "analysis/graph/pathend.h"
#include "analysis/graph/taskwindow.h"
#include "analysis/paths/elapsedsteps.h"

namespace longpole {

Result<CriticalPath> elapsedPath(const ActivityGraph& graph, std::optional<TaskId> to)
{
    return elapsedPath(graph, graph.run, to);
}

Result<CriticalPath> elapsedPath(const ActivityGraph& graph, TimeRange range, std::optional<TaskId> to)
{
    const TaskWindow window = taskWindow(graph, range);
    CriticalPath path{.mode = PathMode::Elapsed, .edges = EdgeLevel::Order, .duration = window.range.length()};
    PathEnd end{};
    if (to) {
        const Result<PathEnd> found = pathEnd(window, *to);
        if (!found) return found.error();
        end = *found;
    } else {
        end.task = latestEnd(window);
        if (end.task == noTask) {
            path.length = path.parts.unexplained = window.range.length();
            return path;
        }
        end.time = window.end(end.task);
    }
    path.to = to.value_or(graph.id(end.task));
    const TimeNs until = to ? end.time : window.range.end;
    ElapsedSteps steps(window, path);
    steps.end(end, until - end.time, until);
    for (std::uint32_t task = end.task; task != noTask && !steps.isDone();) task = steps.before(task);
    steps.finish(window.range == graph.run ? graph.exclusiveByEntry : exclusiveByEntry(window));
    return path;
}

}  // namespace longpole
