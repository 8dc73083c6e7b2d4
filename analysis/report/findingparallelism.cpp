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
        finding.notEvaluated = withoutEvents(context.store, tr("The trace holds no tasks."));
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
        finding.appendix.paragraphs << tr("No task that started late has work for more than one PE waiting for it.");
        return finding;
    }
    const ExposingTask& first = tasks.front();
    finding.paragraphs << tr("%1 of work waited for task %2 of %3, which started %4 late.")
                                  .arg(formatTime(first.dominated), toText(first.task),
                                       nameOfEntry(context.store, first.entry), formatTime(first.delay))
                              % QLatin1Char(' ') % tr("If PEs run out of work, raise its priority.");
    finding.appendix.paragraphs << tr("That work could keep %1 PEs busy.").arg(QString::number(first.exposed, 'f', 1));
    const auto table = exposingTaskTable(context.store);
    finding.appendix.tables.push_back(
        table.only({"task", "entry", "dominated_ns", "exposed", "delay_ns", "queue_ns", "network_ns"})
            .renamed("queue_ns", "queued_ns")
            .data(tasks));
    finding.json = rowsJson(table.only({"task", "entry", "dominated_ns", "span_ns", "exposed", "delay_ns"}), tasks,
                            &context.store);
    return finding;
}

}  // namespace

const Analysis parallelismAnalysis{.id = "parallelism",
                                   .title = QT_TRANSLATE_NOOP("longpole", "What starts late"),
                                   .evaluate = findParallelism,
                                   .needsObjects = true};

}  // namespace longpole
