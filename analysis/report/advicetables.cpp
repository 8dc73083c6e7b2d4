// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/advicetables.h"

#include "analysis/scheduling/advicewhere.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <cmath>

namespace longpole {

namespace {

std::vector<Word> scopeWords()
{
    return {{QLatin1String(name(ScopeKind::Run)), tr("whole run")},
            {QLatin1String(name(ScopeKind::SlowStretches)), tr("slow stretches")},
            {QLatin1String(name(ScopeKind::Interval)), tr("interval")}};
}

Table<TimeRange> scopeRangeTable()
{
    return {QStringLiteral("advise.scope"),
            tr("Scope"),
            {
                {{"begin_ns", tr("From"), CellKind::Instant, tr("Start of the stretch")},
                 [](const TimeRange& row) { return row.begin; }},
                {{"end_ns", tr("Until"), CellKind::Instant, tr("End of the stretch")},
                 [](const TimeRange& row) { return row.end; }},
            }};
}

Cell pairCell(const QVariant& low, const QVariant& high) { return QVariant(QVariantList{low, high}); }

// A time that only advice about scheduling has; the cell of other advice is empty.
std::function<Cell(const Advice&)> ofScheduling(TimeNs Advice::*time)
{
    return [time](const Advice& row) { return row.node == QLatin1String("scheduling") ? Cell(row.*time) : Cell(); };
}

std::vector<Word> classWords()
{
    return {{QLatin1String(name(EntryClass::Good)), tr("good")},
            {QLatin1String(name(EntryClass::Mixed)), tr("mixed")},
            {QLatin1String(name(EntryClass::Once)), tr("once")}};
}

// The columns of an advice's prediction, which are empty if it has no usable one.
std::vector<TableColumn<Advice>> predictionColumns(const TableScope& scope)
{
    auto columns = columnsOfPart<Advice, Prediction>(
        predictionTable(scope).only({"predicted_duration_ns", "predicted_gain", "predicted_low_ns", "predicted_high_ns",
                                     "gain_low", "gain_high"}),
        [](const Advice& row) { return row.prediction && row.prediction->isUsable() ? &*row.prediction : nullptr; });
    for (TableColumn<Advice>& column : columns) column.maybe = true;
    return columns;
}

QString concernFigure(const SharedConcern& concern, double value)
{
    const bool isShare = concern.id == QLatin1String("speculative") || concern.id == QLatin1String("found_once");
    if (isShare) return formatShare(value);
    constexpr double whole = 1000;
    return value < whole ? QString::number(value, 'g', 3) : formatCount(std::llround(value));
}

std::function<Cell(const SharedConcern&)> concernCell(double SharedConcern::*figure)
{
    return [figure](const SharedConcern& row) {
        return row.isJudged ? readAs(row.*figure, concernFigure(row, row.*figure)) : readAs({}, QStringLiteral("–"));
    };
}

}  // namespace

Table<Prediction> predictionTable(const TableScope&)
{
    return {QStringLiteral("replay"),
            tr("What the replay says"),
            {
                {{"recorded_ns", tr("Recorded"), CellKind::Time, tr("Duration of the run")}, &Prediction::recorded},
                {{"baseline_ns", tr("As it was"), CellKind::Time,
                  tr("Duration of the replay with nothing changed: queues as recorded, and likely arrivals")},
                 &Prediction::baseline},
                {Column("baseline_error", tr("Off by"), CellKind::Share,
                        tr("Duration of that replay / duration of the run - 1"))
                     .belowZero(),
                 &Prediction::baselineError},
                {Column("free_baseline_error", tr("Off by, unfitted"), CellKind::Share,
                        tr("The same with arrivals after the usual latency instead of fitted to the record's order"))
                     .belowZero(),
                 &Prediction::freeBaselineError},
                {{"noise", tr("Noise"), CellKind::Share,
                  tr("Standard deviation of the run's duration as a share of it, as its iterations show it; 0: nothing "
                     "repeats")},
                 &Prediction::noise},
                {{"predicted_low_ns", tr("Predicted, at least"), CellKind::Time,
                  tr("Duration of the run less the largest gain")},
                 &Prediction::low},
                {{"predicted_high_ns", tr("Predicted, at most"), CellKind::Time,
                  tr("Duration of the run less the smallest gain")},
                 &Prediction::high},
                {Column("gain_low", tr("Predicted saving, at least"), CellKind::Share,
                        tr("1 - predicted / baseline, the least over what the trace leaves open; below zero: a loss"))
                     .belowZero(),
                 &Prediction::gainLow},
                {Column("gain_high", tr("Predicted saving, at most"), CellKind::Share,
                        tr("1 - predicted / baseline, the most over what the trace leaves open; below zero: a loss"))
                     .belowZero(),
                 &Prediction::gainHigh},
                {Column("predicted_duration_ns", tr("Predicted"), CellKind::Rows,
                        tr("[low, high] of the duration, over what the trace leaves open"))
                     .of(CellKind::Time),
                 [](const Prediction& row) { return pairCell(qlonglong(row.low), qlonglong(row.high)); }},
                {Column("predicted_gain", tr("Predicted saving"), CellKind::Rows,
                        tr("[low, high] of 1 - predicted / baseline; below zero: a loss"))
                     .of(CellKind::Share)
                     .belowZero(),
                 [](const Prediction& row) { return pairCell(row.gainLow, row.gainHigh); }},
                {{"usable", tr("Usable"), CellKind::Flag,
                  tr("Whether there is a prediction: the interval is 25 points wide at most, the order of the recorded "
                     "queues is known, and the end of the run does not hang on tasks without a known cause, which keep "
                     "their times")},
                 &Prediction::isUsable},
                {Column("reason", tr("Reason"), CellKind::Text, tr("Why there is no prediction")).orNone(),
                 [](const Prediction& row) { return textOrNone(whyUnusable(row)); }},
            }};
}

Table<RecordedOrder> recordedOrderTable(const TableScope&)
{
    return {QStringLiteral("replay.recorded_order"),
            tr("Which messages the recorded queues took before others that had come earlier"),
            {
                {{"entry", tr("Entry method"), CellKind::Entry, tr("The entry method that ran first")},
                 &RecordedOrder::entry},
                {{"before", tr("Before"), CellKind::Entry,
                  tr("The entry method whose messages had come earlier; lifo and messages: the same one")},
                 &RecordedOrder::before},
                {Column("conduct", tr("Conduct"), CellKind::Text,
                        tr("before: than the other, as with a higher priority; expedited: before everything that it "
                           "met, as with the highest priority; lifo: its newest message first; messages: single "
                           "messages before earlier ones, as with priorities of their own"))
                     .oneOf({{QStringLiteral("before"), tr("before")},
                             {QStringLiteral("expedited"), tr("expedited")},
                             {QStringLiteral("lifo"), tr("newest first")},
                             {QStringLiteral("messages"), tr("by message")}}),
                 [](const RecordedOrder& row) {
                     if (row.conduct == RecordedConduct::Lifo) return "lifo";
                     if (row.conduct == RecordedConduct::Messages) return "messages";
                     return row.conduct == RecordedConduct::Expedited ? "expedited" : "before";
                 }},
                {{"evidence", tr("Seen"), CellKind::Count,
                  tr("Tasks that began although a message of the other had come earlier and waited")},
                 &RecordedOrder::evidence},
            }};
}

Table<Evidence> evidenceTable(const TableScope& scope)
{
    return {
        QStringLiteral("evidence"),
        tr("Where it can be seen"),
        {
            {{"pe", scope.words.say(tr("PE"), tr("Rank")), CellKind::Number,
              scope.words.say(tr("The PE on which it can be seen"), tr("The rank on which it can be seen"))},
             &Evidence::pe},
            {{"begin_ns", tr("From"), CellKind::Instant, tr("Start of what is to be seen")},
             [](const Evidence& row) { return row.range.begin; }},
            {{"end_ns", tr("Until"), CellKind::Instant, tr("End of what is to be seen")},
             [](const Evidence& row) { return row.range.end; }},
            {Column("tasks", tr("Tasks"), CellKind::Rows,
                    scope.words.say(tr("A few of the tasks concerned, as PE:index, the worst first"),
                                    tr("A few of the tasks concerned, as rank:index, the worst first")))
                 .of(CellKind::Text),
             [](const Evidence& row) {
                 QVariantList tasks;
                 for (const TaskId task : row.tasks) tasks << toText(task);
                 return Cell(tasks);
             }},
            {{"text", tr("What"), CellKind::Text, tr("What is to be seen there")}, &Evidence::text},
            {Column("time_ns", tr("Time"), CellKind::Time, tr("What it took there, where a query shows it")).orNone(),
             [](const Evidence& row) { return row.sql.isEmpty() ? Cell() : Cell(row.time); }},
            {Column("sql", tr("SQL"), CellKind::Text, tr("Shows it again; its column time_ns adds up to the time"))
                 .orNone(),
             [](const Evidence& row) { return textOrNone(row.sql); }},
        }};
}

Table<Advice> adviceTable(const TableScope& scope)
{
    const Table<Evidence> evidence = evidenceTable(scope);
    Table<Advice> table{
        QStringLiteral("advise"),
        tr("Advice"),
        {
            {{"id", tr("Id"), CellKind::Text, tr("The same in every analysis of the trace")}, &Advice::id},
            {{"kind", tr("Kind"), CellKind::Text,
              tr("prioritize, prioritize_objects, split; or the node of the decision tree that it comes from")},
             &Advice::kind},
            {{"node", tr("Node"), CellKind::Text, tr("The node of the decision tree that it comes from")},
             &Advice::node},
            {{"title", tr("Advice"), CellKind::Text, tr("What to do")}, &Advice::title},
            {Column("entry", scope.words.say(tr("Entry method"), tr("Region")), CellKind::Entry,
                    scope.words.say(tr("The entry method that it is about"), tr("The region that it is about")))
                 .orNone(),
             &Advice::entry},
            {Column("class", tr("Class"), CellKind::Text,
                    tr("How well a priority could single out what is critical of it"))
                 .oneOf(classWords())
                 .orNone(),
             [](const Advice& row) -> Cell { return row.entryClass ? Cell(name(*row.entryClass)) : Cell(); }},
            {{"severity_pe_ns", scope.words.say(tr("PE-time lost"), tr("Rank-time lost")), CellKind::Time,
              scope.words.say(tr("What is lost in its scope, summed over PEs; of scheduling, what it would save"),
                              tr("What is lost in its scope, summed over ranks"))},
             &Advice::severity},
            {Column("confidence", tr("Confidence"), CellKind::Share, tr("How sure it is: 1 less what the doubts take"))
                 .atMostOne(),
             &Advice::confidence},
            {Column("over_ns", tr("Overtaken"), CellKind::Time,
                    tr("How long tasks off the path ran that were started while critical ones waited; of scheduling"))
                 .orNone(),
             ofScheduling(&Advice::over)},
            {Column("residual_ns", tr("Residual"), CellKind::Time,
                    tr("The rest of a task off the path that ran when the message came; of scheduling"))
                 .orNone(),
             ofScheduling(&Advice::residual)},
            {Column("idle_ns", tr("Idle before"), CellKind::Time,
                    tr("Idle time before its critical tasks; of scheduling"))
                 .orNone(),
             ofScheduling(&Advice::idle)},
            {Column("bound_ns", tr("Could save at most"), CellKind::Time,
                    tr("No saving in duration exceeds it; of other advice than about scheduling only where no replay "
                       "says what it saves"))
                 .orNone(),
             &Advice::bound},
            {Column("estimate_ns", tr("Waits to save"), CellKind::Time,
                    tr("What priorities or splitting could save at most of these waits; of scheduling"))
                 .orNone(),
             &Advice::estimate},
        }};
    for (TableColumn<Advice>& column : predictionColumns(scope)) table.columns.push_back(std::move(column));
    const std::vector<TableColumn<Advice>> rest{
        {Column("replay", tr("Replay"), CellKind::Text,
                tr("The option of longpole replay that asks what following the advice saves"))
             .orNone(),
         [](const Advice& row) { return textOrNone(row.replayOption); }},
        {Column("not_replayed", tr("Not replayed"), CellKind::Text,
                tr("Why no replay says what following the advice saves, though there is a question for it"))
             .orNone(),
         [](const Advice& row) { return textOrNone(row.notReplayed); }},
        {{"worth_it", tr("Worth it"), CellKind::Flag,
          tr("No if a replay says that it saves under 1 % of the duration, or can't tell; or if it could save less at "
             "most")},
         isWorthIt},
        {{"text", tr("Why"), CellKind::Text, tr("Verdict, meaning, action, effect and scope as one text")},
         [](const Advice& row) { return textOf(row); }},
        {{"verdict", tr("Verdict"), CellKind::Text, tr("What is wrong, in one sentence")}, &Advice::verdict},
        {{"meaning", tr("Meaning"), CellKind::Text, tr("What it comes from, and how bad it is; may be empty")},
         &Advice::meaning},
        {{"action", tr("Action"), CellKind::Text, tr("What to do about it")}, &Advice::action},
        {{"effect", tr("Effect"), CellKind::Text, tr("What it costs, and what it would save")}, &Advice::effect},
        {Column("where", tr("Where"), CellKind::Text,
                tr("Its worst place in the source; of MPI recordings with call stacks"))
             .orNone(),
         [store = scope.store](const Advice& row) { return textOrNone(whereOf(*store, row)); }},
        {{"scope", tr("Scope"), CellKind::Text, tr("The part of the run that loss, times, evidence and SQL are of")},
         [](const Advice& row) { return row.scope.text; }},
        {Column("scope_kind", tr("Kind of scope"), CellKind::Text, tr("Which part of the run that is"))
             .oneOf(scopeWords()),
         [](const Advice& row) { return name(row.scope.kind); }},
        {Column("scope_ranges", tr("Stretches"), CellKind::Rows, tr("Where that is; none: the whole run"))
             .of(scopeRangeTable().heads()),
         [](const Advice& row) { return rowsCell(scopeRangeTable().data(row.scope.ranges)); }},
        {Column("doubts", tr("Doubts"), CellKind::Rows, tr("Why it is not quite sure")).of(CellKind::Text),
         [](const Advice& row) { return Cell(QVariant(row.doubts)); }},
        {Column("evidence", tr("Evidence"), CellKind::Rows, tr("Where it can be seen, the worst first"))
             .of(evidence.heads()),
         [evidence](const Advice& row) { return rowsCell(evidence.data(row.evidence)); }},
        {{"begin_ns", tr("From"), CellKind::Instant, tr("Start of where it matters most")},
         [](const Advice& row) { return row.range.begin; }},
        {{"end_ns", tr("Until"), CellKind::Instant, tr("End of where it matters most")},
         [](const Advice& row) { return row.range.end; }},
        {{"sql", tr("SQL"), CellKind::Text,
          tr("Shows it again: longpole sql; its column lost_ns adds up to the loss, of scheduling to the waits")},
         &Advice::sql},
    };
    table.columns.insert(table.columns.end(), rest.begin(), rest.end());
    return table;
}

Table<Advice> adviceFile(const TableScope& scope)
{
    return adviceTable(scope).only(
        {"id",       "kind",        "title",    "entry",    "class",       "severity_pe_ns",   "confidence",
         "over_ns",  "residual_ns", "idle_ns",  "bound_ns", "estimate_ns", "predicted_low_ns", "predicted_high_ns",
         "gain_low", "gain_high",   "worth_it", "text",     "verdict",     "action",           "scope"});
}

Table<Condition> conditionTable(const TableScope& scope)
{
    const Table<Evidence> evidence = evidenceTable(scope);
    return {QStringLiteral("advise.conditions"),
            tr("What a priority needs to help"),
            {
                {{"met", tr("Met"), CellKind::Flag, tr("Whether it takes as long as the threshold says, or longer")},
                 &Condition::isMet},
                {{"count", tr("Tasks"), CellKind::Count, tr("Critical tasks that show it")}, &Condition::count},
                {{"time_ns", tr("Time"), CellKind::Time, tr("How long, over these tasks")}, &Condition::time},
                {{"threshold_ns", tr("Threshold"), CellKind::Time, tr("From which on it counts")},
                 &Condition::threshold},
                {Column("evidence", tr("Evidence"), CellKind::Rows, tr("Where it can be seen, the worst first"))
                     .of(evidence.heads()),
                 [evidence](const Condition& row) { return rowsCell(evidence.data(row.evidence)); }},
            }};
}

Table<QueueWait> queueWaitTable(const TableScope& scope)
{
    return {QStringLiteral("advise.wait"),
            tr("What critical tasks waited for in the queue"),
            {
                {{"over_ns", tr("Overtaken"), CellKind::Time,
                  tr("Tasks off the path that were started while critical ones waited")},
                 &QueueWait::overtaken},
                {{"residual_ns", tr("Residual"), CellKind::Time,
                  tr("The rest of a task off the path that ran when the message came")},
                 &QueueWait::residual},
                {{"self_ns", tr("Self"), CellKind::Time, tr("Tasks on the path")}, &QueueWait::self},
                {{"overhead_ns", scope.words.say(tr("Overhead"), tr("In MPI")), CellKind::Time,
                  tr("What is left between the arrival of the message and the start of the task")},
                 &QueueWait::overhead},
            }};
}

Table<PathEntry> pathEntryTable(const TableScope& scope)
{
    Table<PathEntry> table{
        QStringLiteral("advise.entries"),
        scope.words.say(tr("Entry methods on the critical path, as candidates for a priority"),
                        tr("Regions on the critical path, as candidates for a priority")),
        {
            {{"entry", scope.words.say(tr("Entry method on the path"), tr("Region on the path")), CellKind::Entry,
              scope.words.say(tr("The entry method"), tr("The region"))},
             &PathEntry::entry},
            {Column("class", tr("Class"), CellKind::Text,
                    tr("good: nearly all of it is critical; once: it ran once; mixed: the rest"))
                 .oneOf(classWords()),
             [](const PathEntry& row) { return name(row.entryClass); }},
            {{"purity", tr("Purity"), CellKind::Share, tr("The critical part of its time")}, &PathEntry::purity},
            {{"critical_count", tr("Critical"), CellKind::Count, tr("Its tasks on the path")},
             &PathEntry::criticalCount},
            {{"count", tr("Of"), CellKind::Count, tr("Its tasks")}, &PathEntry::count},
            {{"critical_time_ns", tr("On path"), CellKind::Time, tr("Its time on the path")}, &PathEntry::criticalTime},
            {{"time_ns", tr("Time"), CellKind::Time, tr("Its time")}, &PathEntry::time},
        }};
    for (auto& column :
         columnsOfPart<PathEntry, QueueWait>(queueWaitTable(scope), [](const PathEntry& row) { return &row.wait; }))
        table.columns.push_back(std::move(column));
    table.columns.push_back({{"idle_ns", tr("Idle before"), CellKind::Time, tr("Idle time before its critical tasks")},
                             &PathEntry::idleBefore});
    table.columns.push_back({{"potential", tr("Potential"), CellKind::Flag,
                              tr("A priority could reach its critical tasks without as many others")},
                             &PathEntry::isPotential});
    table.columns.emplace_back(
        Column("caveat", tr("Caveat"), CellKind::Text, tr("Why a priority will not do, or only by object")).orNone(),
        [](const PathEntry& row) { return textOrNone(row.caveat); });
    return table;
}

Table<TriedScheme> triedSchemeTable(const TableScope& scope)
{
    Table<TriedScheme> table{
        QStringLiteral("advise.tried"),
        tr("What the replay was asked"),
        {
            {{"what", tr("If these came first"), CellKind::Text,
              scope.words.say(tr("Entry methods, or objects or iterations of them, that came first"),
                              tr("Regions that came first"))},
             &TriedScheme::what},
            {Column("entries", tr("Entries"), CellKind::Rows, tr("With the priority; empty: by object or iteration"))
                 .of(CellKind::Entry),
             [](const TriedScheme& row) {
                 QVariantList entries;
                 for (const EntryId entry : row.entries) entries << Cell(entry);
                 return Cell(entries);
             }},
            {{"advised", tr("Advised"), CellKind::Flag, tr("There is advice to do so")}, &TriedScheme::isAdvised},
        }};
    for (auto& column :
         columnsOfPart<TriedScheme, Prediction>(predictionTable(scope).only({"usable", "predicted_duration_ns",
                                                                             "predicted_gain", "gain_low",
                                                                             "gain_high"}),
                                                [](const TriedScheme& row) { return &row.prediction; }))
        table.columns.push_back(std::move(column));
    table.columns.push_back({{"rough", tr("Rough"), CellKind::Flag,
                              tr("One replay with likely arrivals instead of an interval: of large runs, where it is "
                                 "not worth more")},
                             &TriedScheme::isRough});
    table.columns.emplace_back(Column("verdict", tr("Replay"), CellKind::Text, tr("What the replay says of it"))
                                   .oneOf({{QStringLiteral("advised"), tr("advised")},
                                           {QStringLiteral("open"), tr("can't tell")},
                                           {QStringLiteral("loses"), tr("loses")},
                                           {QStringLiteral("unsure"), tr("no sure gain")}}),
                               [](const TriedScheme& row) {
                                   if (row.isAdvised) return "advised";
                                   if (!row.prediction.isUsable()) return "open";
                                   return row.prediction.gainHigh < 0 ? "loses" : "unsure";
                               });
    return table;
}

Table<SharedConcern> sharedConcernTable(const TableScope& scope)
{
    return {QStringLiteral("shared-variables"),
            tr("Concerns about shared variables"),
            {
                {Column("concern", tr("Concern"), CellKind::Text, tr("What may be wrong with how it is shared"))
                     .oneOf({{QStringLiteral("key_distribution"), tr("Uneven keys")},
                             {QStringLiteral("speculative"), tr("Old values used")},
                             {QStringLiteral("frequent_access"), tr("Hot entry")},
                             {QStringLiteral("rare_reads"), tr("Rarely read")},
                             {QStringLiteral("update_rate"), tr("Update rate")},
                             {QStringLiteral("found_once"), tr("Found once")}}),
                 &SharedConcern::id},
                {{"variable", tr("Variable"), CellKind::Text, tr("The variable; empty: there is none of that kind")},
                 &SharedConcern::variable},
                {Column("verdict", tr("Verdict"), CellKind::Text, tr("Whether the value crosses the limit"))
                     .oneOf({{QStringLiteral("not_recorded"), tr("not recorded")},
                             {QStringLiteral("fires"), tr("found")},
                             {QStringLiteral("fine"), tr("fine")}}),
                 [](const SharedConcern& row) {
                     return !row.isJudged ? "not_recorded" : row.fired ? "fires" : "fine";
                 }},
                {{"metric", tr("Metric"), CellKind::Text, tr("What was measured")}, &SharedConcern::metric},
                {Column("value", tr("Value"), CellKind::Ratio, tr("What it came to")).orNone(),
                 concernCell(&SharedConcern::value)},
                {Column("threshold", tr("Limit"), CellKind::Ratio, tr("From the thresholds")).orNone(),
                 concernCell(&SharedConcern::threshold)},
                {Column("severity_pe_ns", tr("Cost"), CellKind::Time,
                        scope.words.say(tr("PE-time that it cost, as far as that can be said"),
                                        tr("Rank-time that it cost, as far as that can be said")))
                     .orNone(),
                 [](const SharedConcern& row) { return row.fired && row.severity > 0 ? Cell(row.severity) : Cell(); }},
            }};
}

QString rangeText(const TraceStore& store, TimeRange range)
{
    const auto since = [zero = store.info().begin](TimeNs time) { return formatTime(saturatingSubtract(time, zero)); };
    return range.isEmpty() ? since(range.begin) : tr("%1 to %2").arg(since(range.begin), since(range.end));
}

QString evidenceText(const TraceStore& store, const Evidence& evidence)
{
    const QString place = store.words()
                              .say(tr("PE %1, %2"), tr("Rank %1, %2"))
                              .arg(index(evidence.pe))
                              .arg(rangeText(store, evidence.range));
    return evidence.text.isEmpty() ? place : place % QStringLiteral(": ") % evidence.text;
}

std::vector<TableInfo> adviceTables(Vocabulary words)
{
    return {infoOf(adviceTable(words)),        infoOf(evidenceTable(words)),   infoOf(queueWaitTable(words)),
            infoOf(conditionTable(words)),     infoOf(pathEntryTable(words)),  infoOf(triedSchemeTable(words)),
            infoOf(sharedConcernTable(words)), infoOf(predictionTable(words)), infoOf(recordedOrderTable(words))};
}

}  // namespace longpole
