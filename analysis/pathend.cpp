// Finds the graph task and the time at which a path to a given task ends.
#include "analysis/pathend.h"

#include <QCoreApplication>

#include <algorithm>

namespace longpole {

PathEnd wholeTask(const ActivityGraph& graph, std::uint32_t task)
{
    return {task, graph.end(task)};
}

Result<PathEnd> pathEnd(const ActivityGraph& graph, TaskId to)
{
    const std::uint32_t task = graph.find(to);
    if (task == noTask) {
        const QString name = QString::number(index(to.pe)) % QLatin1Char(':') % QString::number(to.index);
        return Error{.what = QCoreApplication::translate("CriticalPath", "There is no task %1.").arg(name),
                     .where = QString(),
                     .hint = QCoreApplication::translate(
                         "CriticalPath", "A task is written pe:index, for example 3:1207; its index counts the "
                                         "executions on its processor from 0.")};
    }
    PathEnd end = wholeTask(graph, task);
    if (graph.taskIndex[task] == to.index) return end;
    end.time = graph.begin[task];
    for (const ActivityGraph::Inner& piece : graph.innerOf(task))
        if (piece.taskIndex == to.index) end.time = std::max(end.time, piece.end);
    end.time = std::min(end.time, graph.end(task));
    return end;
}

Error cancelledError()
{
    return {.what = QStringLiteral("cancelled"), .where = QString(), .hint = QString()};
}

}  // namespace longpole
