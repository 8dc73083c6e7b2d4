// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/adviceoutput.h"

#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t evidenceShown = 3;

bool isOfScheduling(const Advice& advice) { return advice.node == QLatin1String("scheduling"); }

JsonValue orNull(const std::optional<TimeNs>& time) { return time ? JsonValue(*time) : JsonValue(); }

JsonValue textsJson(const QStringList& texts)
{
    JsonValue list = JsonValue::array();
    for (const QString& text : texts) list.push_back(text);
    return list;
}

JsonValue evidenceJson(const std::vector<Evidence>& evidence)
{
    JsonValue list = JsonValue::array();
    for (const Evidence& found : evidence) list.push_back(longpole::evidenceJson(found));
    return list;
}

JsonValue durationsJson(const std::optional<Prediction>& prediction)
{
    return prediction ? JsonValue{prediction->low, prediction->high} : JsonValue();
}

JsonValue gainsJson(const std::optional<Prediction>& prediction)
{
    return prediction ? JsonValue{prediction->gainLow, prediction->gainHigh} : JsonValue();
}

JsonValue adviceJson(const TraceStore& store, const Advice& advice)
{
    const auto wait = [&](TimeNs time) { return isOfScheduling(advice) ? JsonValue(time) : JsonValue(); };
    return {{"id", advice.id},
            {"kind", advice.kind},
            {"title", advice.title},
            {"entry", entryJson(store, advice.entry)},
            {"class", advice.entryClass ? JsonValue(name(*advice.entryClass)) : JsonValue()},
            {"severity_pe_ns", advice.severity},
            {"confidence", advice.confidence},
            {"over_ns", wait(advice.over)},
            {"residual_ns", wait(advice.residual)},
            {"idle_ns", wait(advice.idle)},
            {"bound_ns", orNull(advice.bound)},
            {"estimate_ns", orNull(advice.estimate)},
            {"predicted_duration_ns", durationsJson(advice.prediction)},
            {"predicted_gain", gainsJson(advice.prediction)},
            {"text", advice.text},
            {"doubts", textsJson(advice.doubts)},
            {"evidence", evidenceJson(advice.evidence)},
            {"begin_ns", advice.range.begin},
            {"end_ns", advice.range.end},
            {"sql", advice.sql}};
}

JsonValue waitJson(const QueueWait& wait)
{
    return {{"over_ns", wait.overtaken},
            {"residual_ns", wait.residual},
            {"self_ns", wait.self},
            {"overhead_ns", wait.overhead}};
}

JsonValue pathEntryJson(const TraceStore& store, const PathEntry& entry)
{
    JsonValue json{{"entry", entryJson(store, entry.entry)},
                   {"class", name(entry.entryClass)},
                   {"purity", entry.purity()},
                   {"critical_count", entry.criticalCount},
                   {"count", entry.count},
                   {"critical_time_ns", entry.criticalTime},
                   {"time_ns", entry.time}};
    json.update(waitJson(entry.wait));
    json["idle_ns"] = entry.idleBefore;
    json["potential"] = entry.isPotential;
    json["caveat"] = entry.caveat.isEmpty() ? JsonValue() : entry.caveat;
    return json;
}

JsonValue conditionJson(const Condition& condition)
{
    return {{"met", condition.isMet},
            {"count", condition.count},
            {"time_ns", condition.time},
            {"threshold_ns", condition.threshold},
            {"evidence", evidenceJson(condition.evidence)}};
}

JsonValue triedJson(const TraceStore& store, const TriedScheme& tried)
{
    JsonValue entries = JsonValue::array();
    for (const EntryId entry : tried.entries) entries.push_back(entryJson(store, entry));
    return {{"what", tried.what},
            {"entries", std::move(entries)},
            {"advised", tried.isAdvised},
            {"usable", tried.prediction.isUsable()},
            {"rough", tried.isRough},
            {"predicted_duration_ns", durationsJson(tried.prediction)},
            {"predicted_gain", gainsJson(tried.prediction)}};
}

void writeJson(Output& output, const TraceStore& store, const std::vector<Advice>& advice,
               const SchedulingAnalysis& scheduling)
{
    const bool isJudged = scheduling.notEvaluated.isEmpty();
    JsonValue list = JsonValue::array(), entries = JsonValue::array(), tried = JsonValue::array();
    for (const Advice& piece : advice) list.push_back(adviceJson(store, piece));
    for (const PathEntry& entry : scheduling.entries) entries.push_back(pathEntryJson(store, entry));
    for (const TriedScheme& scheme : scheduling.tried) tried.push_back(triedJson(store, scheme));
    const bool hasBaseline = scheduling.baseline > 0;
    const JsonValue json = {{"duration_ns", store.info().duration()},
                            {"baseline_ns", hasBaseline ? JsonValue(scheduling.baseline) : JsonValue()},
                            {"baseline_error", hasBaseline ? JsonValue(scheduling.baselineError) : JsonValue()},
                            {"verdict", isJudged ? scheduling.verdict : JsonValue()},
                            {"not_evaluated", isJudged ? JsonValue() : scheduling.notEvaluated},
                            {"bound_ns", isJudged ? JsonValue(scheduling.bound) : JsonValue()},
                            {"bound_reason", isJudged ? scheduling.boundReason : JsonValue()},
                            {"estimate_ns", isJudged ? JsonValue(scheduling.estimate) : JsonValue()},
                            {"estimated_share", isJudged ? JsonValue(scheduling.estimatedShare) : JsonValue()},
                            {"wait", isJudged ? waitJson(scheduling.wait) : JsonValue()},
                            {"conditions", isJudged
                                               ? JsonValue{{"after_idle", conditionJson(scheduling.afterIdle)},
                                                           {"behind_others", conditionJson(scheduling.behindOthers)}}
                                               : JsonValue()},
                            {"advice", std::move(list)},
                            {"tried", std::move(tried)},
                            {"entries", std::move(entries)}};
    output.write(dump(json));
}

void writeCsv(Output& output, const TraceStore& store, const std::vector<Advice>& advice)
{
    const auto column = [](const char* id, CellKind kind) { return Column{QString::fromLatin1(id), {}, kind}; };
    TableWriter table(output, OutputFormat::Csv,
                      {column("id", CellKind::Text), column("kind", CellKind::Text), column("title", CellKind::Text),
                       column("entry", CellKind::Entry), column("class", CellKind::Text),
                       column("severity_pe_ns", CellKind::Time), column("confidence", CellKind::Share),
                       column("over_ns", CellKind::Time), column("residual_ns", CellKind::Time),
                       column("idle_ns", CellKind::Time), column("bound_ns", CellKind::Time),
                       column("estimate_ns", CellKind::Time), column("predicted_low_ns", CellKind::Time),
                       column("predicted_high_ns", CellKind::Time), column("gain_low", CellKind::Share),
                       column("gain_high", CellKind::Share), column("text", CellKind::Text)},
                      &store);
    const auto time = [](const std::optional<TimeNs>& t) { return t ? QVariant(qlonglong(*t)) : QVariant(); };
    for (const Advice& a : advice) {
        const auto wait = [&](TimeNs t) { return isOfScheduling(a) ? QVariant(qlonglong(t)) : QVariant(); };
        const bool isPredicted = a.prediction.has_value();
        const Prediction p = a.prediction.value_or(Prediction{});
        const auto predicted = [&](auto value) { return isPredicted ? QVariant::fromValue(value) : QVariant(); };
        table.row({a.id, a.kind, a.title, Cell(a.entry),
                   a.entryClass ? QVariant(QLatin1String(name(*a.entryClass))) : QVariant(), qlonglong(a.severity),
                   a.confidence, wait(a.over), wait(a.residual), wait(a.idle), time(a.bound), time(a.estimate),
                   predicted(qlonglong(p.low)), predicted(qlonglong(p.high)), predicted(p.gainLow),
                   predicted(p.gainHigh), a.text});
    }
    table.finish();
}

QString evidenceLine(const TraceStore& store, const Evidence& evidence)
{
    QStringList tasks;
    for (const TaskId task : evidence.tasks) tasks << toText(task);
    const TimeNs zero = store.info().begin;
    return store.words()
        .say(tr("%1 .. %2 on PE %3: %4 (%5)"), tr("%1 .. %2 on rank %3: %4 (%5)"))
        .arg(formatTime(evidence.range.begin - zero), formatTime(evidence.range.end - zero))
        .arg(index(evidence.pe))
        .arg(evidence.text, tasks.join(QStringLiteral(", ")));
}

QString adviceText(const TraceStore& store, const Advice& advice, std::size_t number)
{
    QString text = onOneLine(tr("%1. %2").arg(number).arg(advice.title)) + QLatin1Char('\n');
    text += wrapped(tr("Lost: %1 of processor time. Confidence %2.")
                        .arg(formatTime(advice.severity), formatShare(advice.confidence)),
                    3);
    text += wrapped(advice.text, 3);
    for (const QString& doubt : advice.doubts) text += wrapped(tr("But: %1").arg(doubt), 3);
    if (!advice.evidence.empty()) text += wrapped(tr("See, worst first:"), 3);
    for (std::size_t i = 0; i < std::min(evidenceShown, advice.evidence.size()); ++i)
        text += wrapped(evidenceLine(store, advice.evidence[i]), 5);
    return text + QLatin1Char('\n');
}

QString conditionLine(const QString& what, const Condition& condition)
{
    return tr("%1: %2, %3 in %4 tasks (looked for: %5)")
               .arg(what, condition.isMet ? tr("yes") : tr("no"))
               .arg(formatTime(condition.time), formatCount(condition.count), formatTime(condition.threshold))
           + QLatin1Char('\n');
}

void writeEntries(Output& output, const TraceStore& store, const SchedulingAnalysis& scheduling)
{
    const auto column = [](const QString& title, CellKind kind) { return Column{title, title, kind}; };
    TableWriter table(output, OutputFormat::Text,
                      {column(store.words().say(tr("Entry method on the path"), tr("Region on the path")),
                              CellKind::Entry),
                       column(tr("Class"), CellKind::Text), column(tr("Critical"), CellKind::Count),
                       column(tr("Of"), CellKind::Count), column(tr("Of its time"), CellKind::Share),
                       column(tr("Behind others"), CellKind::Time), column(tr("For the rest of one"), CellKind::Time),
                       column(tr("Idle before"), CellKind::Time), column(tr("Potential"), CellKind::Text)},
                      &store);
    for (const PathEntry& entry : scheduling.entries)
        table.row({Cell(entry.entry), QLatin1String(name(entry.entryClass)), qlonglong(entry.criticalCount),
                   qlonglong(entry.count), entry.purity(), qlonglong(entry.wait.overtaken),
                   qlonglong(entry.wait.residual), qlonglong(entry.idleBefore),
                   entry.isPotential ? entry.entryClass == EntryClass::Once ? tr("only once") : tr("yes") : QString()});
    table.finish();
}

void writeText(Output& output, const TraceStore& store, const std::vector<Advice>& advice,
               const SchedulingAnalysis& scheduling)
{
    const TimeNs duration = store.info().duration();
    output.write(onOneLine(tr("Advice for %1: %2 on %3 processors")
                               .arg(store.info().program, formatTime(duration), formatCount(store.info().processors)))
                 + QStringLiteral("\n\n"));
    if (!scheduling.notEvaluated.isEmpty())
        output.write(wrapped(tr("Priorities could not be judged: %1").arg(scheduling.notEvaluated), 0)
                     + QLatin1Char('\n'));
    else output.write(wrapped(scheduling.verdict, 0) + QLatin1Char('\n'));
    for (std::size_t i = 0; i < advice.size(); ++i)
        if (!output.write(adviceText(store, advice[i], i + 1))) return;
    if (!scheduling.notEvaluated.isEmpty()) return;
    output.write(
        conditionLine(tr("Critical tasks after idle periods"), scheduling.afterIdle)
        + conditionLine(tr("Critical tasks that waited while others ran"), scheduling.behindOthers)
        + tr("No order of the queues gains more than %1: %2").arg(formatTime(scheduling.bound), scheduling.boundReason)
        + QStringLiteral("\n\n"));
    writeEntries(output, store, scheduling);
}

}  // namespace

JsonValue evidenceJson(const Evidence& evidence)
{
    JsonValue tasks = JsonValue::array();
    for (const TaskId task : evidence.tasks) tasks.push_back(toText(task));
    return {{"pe", index(evidence.pe)},
            {"begin_ns", evidence.range.begin},
            {"end_ns", evidence.range.end},
            {"tasks", std::move(tasks)},
            {"text", evidence.text}};
}

void writeAdvice(Output& output, OutputFormat format, const TraceStore& store, const std::vector<Advice>& advice,
                 const SchedulingAnalysis& scheduling)
{
    if (format == OutputFormat::Text) writeText(output, store, advice, scheduling);
    else if (format == OutputFormat::Csv) writeCsv(output, store, advice);
    else writeJson(output, store, advice, scheduling);
}

}  // namespace longpole
