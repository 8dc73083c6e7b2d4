// SPDX-License-Identifier: GPL-3.0-or-later
// The finding about tasks that much work waited for and that began late, and the paths that led there.
#include "analysis/report/findings.h"

#include "analysis/paths/taskquestions.h"
#include "analysis/report/pathtables.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

namespace longpole {

namespace {

// A priority only where the replay says so: of other tasks, what had to run before them matters.
QString whatHelps(const AnalysisContext& context, EntryId entry)
{
    if (context.expert != nullptr)
        for (const Advice& advice : context.expert->scheduling.advice)
            if (advice.kind != QLatin1String("split") && advice.entry == entry)
                return tr("A higher priority would start it earlier: see what to do first.");
    return tr("Look at what had to run before it.");
}

Finding findParallelism(const AnalysisContext& context)
{
    Finding finding;
    if (context.graph.size() == 0) {
        finding.notEvaluated = withoutEvents(context.store, tr("The trace holds no tasks."));
        return finding;
    }
    const ExposingQuestion question;  // as longpole parallelism asks it
    const auto asked = context.results.ask(question, context.progress);
    if (!asked.ok()) {
        finding.notEvaluated = asked.error().what;
        return finding;
    }
    const std::vector<ExposingTask>& tasks = **asked;
    finding.json = JsonValue::array();
    const QString sentence = exposingSentence(context.store, tasks, question.edges);
    if (sentence.isEmpty()) {
        finding.appendix.paragraphs << tr("No task that started late has work for more than one PE waiting for it.");
        return finding;
    }
    finding.paragraphs << sentence % QLatin1Char(' ') % whatHelps(context, exposingFirst(context.store, tasks)->entry);
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
