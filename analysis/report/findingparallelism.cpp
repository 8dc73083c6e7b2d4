// SPDX-License-Identifier: GPL-3.0-or-later
// The finding about tasks that much work waited for and that began late, and the paths that led there.
#include "analysis/report/findings.h"

#include "analysis/paths/taskquestions.h"
#include "analysis/report/pathtables.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t mostTasks = 10;
constexpr double worthwhile = 1.5;  // how many PEs the work behind a task must at least be able to keep busy

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
    const auto table = exposingTaskTable(context.store);
    finding.tables.push_back(
        table.only({"task", "entry", "dominated_ns", "exposed", "delay_ns", "queue_ns", "network_ns"})
            .renamed("queue_ns", "queued_ns")
            .data(tasks));
    finding.json = rowsJson(table.only({"task", "entry", "dominated_ns", "span_ns", "exposed", "delay_ns"}), tasks,
                            &context.store);
    return finding;
}

}  // namespace

const Analysis parallelismAnalysis{.id = "parallelism",
                                   .title = QT_TRANSLATE_NOOP("longpole", "What exposes parallelism"),
                                   .evaluate = findParallelism};

}  // namespace longpole
