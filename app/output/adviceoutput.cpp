// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/adviceoutput.h"

#include "analysis/base/naming.h"
#include "analysis/expert/expertwords.h"
#include "analysis/queues/orderwords.h"
#include "analysis/report/advicetables.h"
#include "analysis/report/experttables.h"
#include "analysis/scheduling/advicewhere.h"
#include "analysis/scheduling/schedulingwords.h"
#include "app/output/gateoutput.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t adviceEvidenceShown = 3;

void writeJson(Output& output, const TraceStore& store, const Expert& found)
{
    const std::vector<Advice>& advice = found.advice;
    const SchedulingAnalysis& scheduling = found.scheduling;
    const bool isJudged = scheduling.notEvaluated.isEmpty();
    const bool hasBaseline = scheduling.baseline > 0;
    const auto judged = [isJudged](const auto& value) { return isJudged ? JsonValue(value) : JsonValue(); };
    const auto condition = [&store](const Condition& one) { return rowJson(conditionTable(store), one, &store); };
    const JsonValue conditions{{"after_idle", condition(scheduling.afterIdle)},
                               {"behind_others", condition(scheduling.behindOthers)}};
    const auto pieces = adviceTable(store).only({"id",
                                                 "kind",
                                                 "title",
                                                 "entry",
                                                 "class",
                                                 "severity_pe_ns",
                                                 "confidence",
                                                 "over_ns",
                                                 "residual_ns",
                                                 "idle_ns",
                                                 "bound_ns",
                                                 "estimate_ns",
                                                 "predicted_duration_ns",
                                                 "predicted_gain",
                                                 "replay",
                                                 "not_replayed",
                                                 "worth_it",
                                                 "text",
                                                 "verdict",
                                                 "meaning",
                                                 "action",
                                                 "effect",
                                                 "where",
                                                 "scope",
                                                 "scope_kind",
                                                 "scope_ranges",
                                                 "doubts",
                                                 "evidence",
                                                 "begin_ns",
                                                 "end_ns",
                                                 "sql"});
    const auto tried = triedSchemeTable(store).only({"what", "entries", "advised", "usable", "rough",
                                                     "predicted_duration_ns", "predicted_gain"});
    output.write(dump({{"judged", judgedJson(store, found.health.checks)},
                       {"duration_ns", store.info().duration()},
                       {"baseline_ns", hasBaseline ? JsonValue(scheduling.baseline) : JsonValue()},
                       {"baseline_error", hasBaseline ? JsonValue(scheduling.baselineError) : JsonValue()},
                       {"verdict", judged(scheduling.verdict)},
                       {"not_evaluated", isJudged ? JsonValue() : JsonValue(scheduling.notEvaluated)},
                       {"bound_ns", judged(scheduling.bound)},
                       {"bound_reason", judged(scheduling.boundReason)},
                       {"estimate_ns", judged(scheduling.estimate)},
                       {"estimated_share", judged(scheduling.estimatedShare)},
                       {"wait", judged(rowJson(queueWaitTable(store), scheduling.wait, &store))},
                       {"conditions", judged(conditions)},
                       {"recorded_order", rowsJson(recordedOrderTable(store), scheduling.recordedOrder, &store)},
                       {"advice", rowsJson(pieces, advice, &store)},
                       {"tried", rowsJson(tried, scheduling.tried, &store)},
                       {"entries", rowsJson(pathEntryTable(store), scheduling.entries, &store)}}));
}

QString adviceText(const TraceStore& store, const Advice& advice, std::size_t number)
{
    QString text = onOneLine(tr("%1. %2").arg(number).arg(advice.title)) + QLatin1Char('\n');
    text += wrapped(advice.meaning.isEmpty() ? advice.verdict : advice.verdict % QLatin1Char(' ') % advice.meaning, 3);
    text += wrapped(tr("Do: %1").arg(advice.action), 3);
    text += wrapped(tr("%1 Confidence %2.").arg(advice.effect, formatShare(advice.confidence)).trimmed(), 3);
    if (const QString where = whereOf(store, advice); !where.isEmpty()) text += wrapped(tr("Where: %1.").arg(where), 3);
    text += wrapped(tr("Scope: %1.").arg(advice.scope.text), 3);
    for (const QString& doubt : advice.doubts) text += wrapped(tr("Doubt: %1").arg(doubt), 3);
    if (!advice.evidence.empty()) text += wrapped(tr("See, worst first:"), 3);
    for (std::size_t i = 0; i < std::min(adviceEvidenceShown, advice.evidence.size()); ++i) {
        QStringList tasks;
        for (const TaskId task : advice.evidence[i].tasks) tasks << toText(task);
        const QString place = evidenceText(store, advice.evidence[i]);
        text += wrapped(tasks.isEmpty() ? place : tr("%1 (%2)").arg(place, tasks.join(QStringLiteral(", "))), 5);
    }
    return text + QLatin1Char('\n');
}

QString conditionLine(const QString& what, const Condition& condition)
{
    return tr("%1: %2, %3 in %4")
               .arg(what,
                    condition.isMet       ? tr("found")
                    : condition.count > 0 ? tr("too small")
                                          : tr("not found"),
                    formatTime(condition.time), counted("%1 tasks", "%1 task", condition.count))
           + QLatin1Char('\n');
}

void writeText(Output& output, const TraceStore& store, const Expert& found)
{
    const std::vector<Advice>& advice = found.advice;
    const SchedulingAnalysis& scheduling = found.scheduling;
    const TimeNs duration = store.info().duration();
    output.write(onOneLine(tr("Advice for %1: %2 on %3")
                               .arg(store.info().program, formatTime(duration),
                                    countedProcessors(store.words(), store.info().processors)))
                 + QStringLiteral("\n\n"));
    writeChecks(output, found.health.checks);
    const std::size_t worth = countWorthIt(advice);
    output.write(wrapped(onOneLine(leadText(found, store)), 0) + QLatin1Char('\n'));
    for (std::size_t i = 0; i < worth; ++i)
        if (!output.write(adviceText(store, advice[i], i + 1))) return;
    if (worth < advice.size()) {
        output.write(wrapped(tr("Measured, not worth it:"), 0));
        for (std::size_t i = worth; i < advice.size(); ++i) output.write(wrapped(notWorthItText(advice[i]), 3));
        output.write(QStringLiteral("\n"));
    }
    // MPI has no priorities, so nothing is said of them.
    if (store.info().hasRanks()) return;
    if (!scheduling.notEvaluated.isEmpty()) {
        output.write(wrapped(tr("Priorities could not be judged. %1").arg(scheduling.notEvaluated), 0)
                     + QLatin1Char('\n'));
        return;
    }
    output.write(wrapped(scheduling.verdict, 0) + QLatin1Char('\n'));
    if (const QString order = recordedOrderWords(scheduling.recordedOrder, store); !order.isEmpty())
        output.write(wrapped(onOneLine(order), 0) + QLatin1Char('\n'));
    output.write(conditionLine(tr("Idle time before critical tasks"), scheduling.afterIdle)
                 + conditionLine(tr("Critical tasks that were overtaken"), scheduling.behindOthers));
    const QString limit = boundSentence(scheduling, duration);
    const bool isSaid = scheduling.verdict.contains(limit)
                        || std::any_of(advice.begin(), advice.end(),
                                       [&limit](const Advice& one) { return one.meaning.contains(limit); });
    // Where no priorities help, the most that any could save tells nothing.
    const bool isAdvised = std::any_of(scheduling.advice.begin(), scheduling.advice.end(), [](const Advice& one) {
        return one.kind.startsWith(QLatin1String("prioritize"));
    });
    output.write((isAdvised && !isSaid ? wrapped(limit, 0) : QString()) + QLatin1Char('\n'));
    writeTable(output, OutputFormat::Text,
               pathEntryTable(store).only({"entry", "class", "critical_count", "count", "purity", "over_ns",
                                           "residual_ns", "idle_ns", "potential"}),
               scheduling.entries, store);
}

}  // namespace

void writeAdvice(Output& output, OutputFormat format, const TraceStore& store, const Expert& found)
{
    if (format == OutputFormat::Text) writeText(output, store, found);
    else if (format == OutputFormat::Json) writeJson(output, store, found);
    else writeTable(output, format, adviceFile(store), found.advice, store);
}

}  // namespace longpole
