// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the graph task and the time at which a path to a given task ends.
#include "analysis/graph/pathend.h"

#include <QCoreApplication>

#include <algorithm>

namespace longpole {

namespace {

QString nameOf(TaskId id) { return QString::number(index(id.pe)) % QLatin1Char(':') % QString::number(id.index); }

}  // namespace

PathEnd wholeTask(const ActivityGraph& graph, std::uint32_t task) { return {task, graph.end(task)}; }

Result<PathEnd> pathEnd(const ActivityGraph& graph, TaskId to)
{
    return pathEnd(TaskWindow{.graph = &graph,
                              .range = graph.run,
                              .first = 0,
                              .atEnd = static_cast<std::uint32_t>(graph.size()),
                              .last = static_cast<std::uint32_t>(graph.size()),
                              .reaching = {}},
                   to);
}

Result<PathEnd> pathEnd(const TaskWindow& window, TaskId to)
{
    const ActivityGraph& graph = *window.graph;
    const std::uint32_t task = graph.find(to);
    if (task == noTask)
        return Error{
            .what = QCoreApplication::translate("CriticalPath", "There is no task %1.").arg(nameOf(to)),
            .where = QString(),
            .hint = QCoreApplication::translate("CriticalPath",
                                                "A task is written pe:index, for example 3:1207; its index counts the "
                                                "executions on its processor from 0.")};
    const Error outside{
        .what = QCoreApplication::translate("CriticalPath", "Task %1 does not run within the range.").arg(nameOf(to)),
        .where = QString(),
        .hint = QString()};
    if (!window.contains(task)) return outside;
    PathEnd end{task, window.end(task)};
    if (graph.taskIndex[task] == to.index) return end;
    bool isInside = false;
    end.time = window.begin(task);
    for (const ActivityGraph::Inner& piece : graph.innerOf(task)) {
        if (piece.taskIndex != to.index || piece.end < window.range.begin || piece.begin > window.range.end) continue;
        isInside = true;
        end.time = std::max(end.time, piece.end);
    }
    if (!isInside) return outside;
    end.time = std::min(end.time, window.end(task));
    return end;
}

}  // namespace longpole
