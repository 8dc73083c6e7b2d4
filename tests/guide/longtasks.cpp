// SPDX-License-Identifier: GPL-3.0-or-later
#include "guide/longtasks.h"

#include "analysis/base/naming.h"
#include "analysis/results/bytesof.h"
#include "core/base/translate.h"
#include "core/store/rows.h"

#include <algorithm>

namespace longpole {

Result<std::shared_ptr<const LongTasksQuestion::Answer>> LongTasksQuestion::compute(Results& results,
                                                                                    const Progress& progress) const
{
    const TraceStore& store = results.store();
    auto found = std::make_shared<Answer>();
    for (const Processor& processor : store.processors()) {
        auto tasks = store.rows<TaskRow>(processor.track, TaskRow::Range | TaskRow::Entry, {.progress = &progress});
        for (const TaskRow& task : tasks)
            if (task.duration() > longerThan)
                found->push_back({{processor.pe, static_cast<std::uint32_t>(task.number())},
                                  task.entry(),
                                  task.begin(),
                                  task.duration()});
        if (const Result<> read = tasks.result(); !read) return read.error();
    }
    std::sort(found->begin(), found->end(), [](const LongTask& a, const LongTask& b) {
        return a.time != b.time ? a.time > b.time : a.task < b.task;
    });
    return std::shared_ptr<const Answer>(std::move(found));
}

std::int64_t LongTasksQuestion::bytes(const Answer& tasks) { return bytesOf(tasks); }

Table<LongTask> longTaskTable(const TableScope& scope)
{
    return {QStringLiteral("long-tasks"),
            tr("Long tasks"),
            {
                {{"task", tr("Task"), CellKind::Text, tr("The execution, as processor:index")}, &LongTask::task},
                {{"entry", scope.words.say(tr("Entry method"), tr("Region")), CellKind::Entry, tr("What was executed")},
                 &LongTask::entry},
                {{"begin_ns", tr("Begin"), CellKind::Instant, tr("When it began")}, &LongTask::begin},
                {{"time_ns", tr("Time"), CellKind::Time, tr("How long it took")}, &LongTask::time},
            }};
}

namespace {

Finding findLongTasks(const AnalysisContext& context)
{
    Finding finding;
    const TimeNs limit = context.store.info().duration() / 2;
    const auto asked = context.results.ask(LongTasksQuestion{limit}, context.progress);
    if (!asked) {
        finding.notEvaluated = toText(asked.error());
        return finding;
    }
    const std::vector<LongTask>& tasks = **asked;
    const auto table = longTaskTable(context.store);
    finding.paragraphs << (tasks.empty() ? tr("No task took more than half of the run.")
                                         : tr("%1 took more than half of the run.")
                                               .arg(counted("%1 tasks", "%1 task", std::int64_t(tasks.size()))));
    if (!tasks.empty()) finding.tables.push_back(table.data(tasks, 10));
    finding.json = rowsJson(table, tasks, &context.store);
    return finding;
}

}  // namespace

const Analysis longTasksAnalysis{.id = "long-tasks",
                                 .title = QT_TRANSLATE_NOOP("longpole", "Long tasks"),
                                 .evaluate = findLongTasks};

}  // namespace longpole
