// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks that much work waited for and that began late, in words (parallelism-exposing paths).
#include "analysis/report/findings.h"

#include "analysis/paths/taskquestions.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t mostTasks = 10;
constexpr double worthwhile = 1.5;  // PEs that the work behind a task must be able to keep busy

TableData exposingTable(Vocabulary words, const std::vector<ExposingTask>& tasks)
{
    TableData table;
    table.title = tr("Tasks that other work waited for");
    table.columns = {{"task", tr("Task"), CellKind::Text},
                     {"entry", words.say(tr("Entry method"), tr("Region")), CellKind::Entry},
                     {"dominated_ns", tr("Work that needs it"), CellKind::Time},
                     {"exposed", tr("At once"), CellKind::Text},
                     {"delay_ns", tr("Begun late by"), CellKind::Time},
                     {"queued_ns", tr("In queues"), CellKind::Time},
                     {"network_ns", tr("On the network"), CellKind::Time}};
    for (const ExposingTask& task : tasks)
        table.rows.push_back({toText(task.task), index(task.entry), static_cast<qlonglong>(task.dominated),
                              tr("%1 x").arg(task.exposed, 0, 'f', 1), static_cast<qlonglong>(task.delay),
                              static_cast<qlonglong>(task.queued), static_cast<qlonglong>(task.network)});
    return table;
}

}  // namespace

Finding findParallelism(const AnalysisContext& context)
{
    Finding finding;
    if (context.graph.size() == 0) {
        finding.notEvaluated = withoutEvents(context.store, tr("The trace holds no executions."));
        return finding;
    }
    const auto asked = context.results.ask(ExposingQuestion{.edges = EdgeLevel::Messages, .count = mostTasks},
                                           context.progress);
    if (!asked.ok()) {
        finding.notEvaluated = asked.error().what;
        return finding;
    }
    std::vector<ExposingTask> tasks = **asked;
    tasks.erase(std::remove_if(tasks.begin(), tasks.end(),
                               [](const ExposingTask& task) { return task.exposed < worthwhile; }),
                tasks.end());
    finding.json = JsonValue::array();
    if (tasks.empty()) {
        finding.paragraphs << context.store.words().say(
            tr("Of the tasks that began later than the work before them needs, none leads to work for "
               "more than one PE: starting them earlier would expose no parallelism."),
            tr("Of the tasks that began later than the work before them needs, none leads to work for more than one "
               "rank: starting them earlier would expose no parallelism."));
        return finding;
    }
    const ExposingTask& first = tasks.front();
    finding.paragraphs
        << context.store.words()
               .say(tr("Work that could run side by side appears only when the task that starts it has run. %1 of "
                       "%2 is needed by %3 of work, which could keep %4 PEs busy, and began %5 later than the work "
                       "that leads to it takes. A higher priority for such tasks, and for what leads to them, "
                       "exposes that work earlier; where PEs are short of work this helps, else it does not."),
                    tr("Work that could run side by side appears only when the task that starts it has run. %1 of %2 "
                       "is needed by %3 of work, which could keep %4 ranks busy, and began %5 later than the work that "
                       "leads to it takes. A higher priority for such tasks, and for what leads to them, exposes that "
                       "work earlier; where ranks are short of work this helps, else it does not."))
               .arg(toText(first.task), nameOfEntry(context.store, first.entry), formatTime(first.dominated),
                    QString::number(first.exposed, 'f', 1), formatTime(first.delay));
    finding.tables.push_back(exposingTable(context.store.words(), tasks));
    JsonValue rows = JsonValue::array();
    for (const ExposingTask& task : tasks)
        rows.push_back({{"task", toText(task.task)},
                        {"entry", entryJson(context.store, task.entry)},
                        {"dominated_ns", task.dominated},
                        {"span_ns", task.span},
                        {"exposed", task.exposed},
                        {"delay_ns", task.delay}});
    finding.json = rows;
    return finding;
}

}  // namespace longpole
