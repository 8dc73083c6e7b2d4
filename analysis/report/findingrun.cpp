// SPDX-License-Identifier: GPL-3.0-or-later
// The findings about the run itself and about how far its trace can be trusted.
#include "analysis/report/findings.h"

#include "analysis/base/naming.h"
#include "analysis/expert/expertquestions.h"
#include "analysis/replay/writtentrace.h"
#include "analysis/report/experttables.h"
#include "analysis/report/tracetables.h"
#include "analysis/statistics/negativelatency.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

void addProperty(TableData& table, const QString& name, const QString& value)
{
    if (!value.isEmpty()) table.rows.push_back({name, value});
}

TableData propertiesOf(const TraceInfo& info)
{
    TableData table;
    table.columns = {{"property", tr("Property"), CellKind::Text}, {"value", tr("Value"), CellKind::Text}};
    addProperty(table, tr("Program"), info.program);
    addProperty(table, tr("Command line"), info.commandline);
    addProperty(table, tr("Machine"), info.machine);
    addProperty(table, tr("Host"), info.hostname);
    addProperty(table, tr("Finished"), info.timestamp);
    addProperty(table, tr("Charm++"), info.charmVersion);
    addProperty(table, tr("Trace format"), info.format % QLatin1Char(' ') % info.version);
    addProperty(table, tr("Source"), info.source);
    if (info.sourceBytes > 0) addProperty(table, tr("Size of the source"), formatBytes(info.sourceBytes));
    addProperty(table, tr("Records"), formatCount(info.records));
    return table;
}

QString duringRun(const TraceInfo& info)
{
    const QString program = info.program.isEmpty() ? tr("The program") : info.program;
    const QString processors = countedProcessors(info.vocabulary, info.processors);
    if (info.isSummary())
        return info.vocabulary
            .say(tr("%1 ran for %2 on %3: %4 of entry methods. The trace is a summary: sums over intervals of %5."),
                 tr("%1 ran for %2 on %3: %4 of regions. The trace is a summary: sums over intervals of %5."))
            .arg(program, formatTime(info.duration()), processors, counted("%1 tasks", "%1 task", info.tasks),
                 formatTime(info.interval));
    if (info.messages == 0)
        return info.vocabulary
            .say(tr("%1 ran for %2 on %3: %4 of entry methods, and no messages."),
                 tr("%1 ran for %2 on %3: %4 of regions, and no messages."))
            .arg(program, formatTime(info.duration()), processors, counted("%1 tasks", "%1 task", info.tasks));
    return info.vocabulary
        .say(tr("%1 ran for %2 on %3: %4 of entry methods that created %5."),
             tr("%1 ran for %2 on %3: %4 of regions that created %5."))
        .arg(program, formatTime(info.duration()), processors, counted("%1 tasks", "%1 task", info.tasks),
             counted("%1 messages", "%1 message", info.messages));
}

constexpr std::size_t mostPairs = 20;     // in the table
constexpr std::size_t mostListed = 1000;  // in JSON: a thousand PEs are a million pairs

TableData issueTable(const TraceStore& store, const Health& health)
{
    return healthIssueTable(store).only({"sentence", "count", "where"}).data(health.issues);
}

QString matchedSentence(const Health& found, bool areRanks)
{
    const QString messages = counted("%1 messages", "%1 message", found.messages);
    const QString matched = formatShare(ratio(double(found.messagesMatched), double(found.messages)));
    if (areRanks) {
        if (found.messages == 0) return tr("No messages were sent but those inside collective calls.");
        return tr("Of %1, %2 have a receive in the trace.").arg(messages, matched);
    }
    return tr("Of %1, %2 started a task; %3 of %4 have no known sender.")
        .arg(messages, matched, formatCount(found.executionsUnmatched),
             counted("%1 tasks", "%1 task", found.executions));
}

Finding findRun(const AnalysisContext& context)
{
    const TraceInfo& info = context.store.info();
    Finding finding;
    finding.paragraphs << duringRun(info);
    if (isReplayed(info))
        finding.paragraphs << tr(
            "This is a replay and no run: its times are what was predicted, and nobody has measured "
            "them.");
    if (info.tasks > 0)
        finding.appendix.paragraphs << tr("A task took %1 on average, with nested ones inside it counted once.")
                                           .arg(formatTime(info.busy / info.tasks));
    if (beforeBegin(info) > 0)
        finding.paragraphs << context.store.words()
                                  .say(tr("Times count from the first entry method; the %1 of start-up before it count "
                                          "nowhere."),
                                       tr("Times count from the first region; the %1 before it count nowhere."))
                                  .arg(formatTime(beforeBegin(info)));
    if (info.hasRanks() && saturatingAdd(info.startup, info.shutdown) > 0)
        finding.paragraphs
            << tr("Start-up took %1 of all ranks' time and shut-down %2: paid once, and part of overhead.")
                   .arg(formatTime(info.startup), formatTime(info.shutdown));
    finding.appendix.tables.push_back(propertiesOf(info));
    finding.json = JsonValue{{"program", info.program},       {"commandline", info.commandline},
                             {"format", info.format},         {"version", info.version},
                             {"processors", info.processors}, {"duration_ns", info.duration()},
                             {"startup_ns", info.startup},    {"shutdown_ns", info.shutdown},
                             {"tasks", info.tasks},           {"messages", info.messages},
                             {"records", info.records}};
    return finding;
}

Finding findHealth(const AnalysisContext& context)
{
    Finding finding;
    const auto asked = context.results.ask(HealthQuestion{}, context.progress);
    // Of a trace of parts the expert knows what was judged, but not what the graph of all tasks left out.
    const bool isTold = !asked && context.store.info().isPart() && context.expert != nullptr;
    if (!asked && !isTold) {
        finding.notEvaluated = toText(asked.error());
        return finding;
    }
    const Health& found = asked ? **asked : context.expert->health;
    if (!isTold) finding.paragraphs << found.verdict;
    for (const Check& check : found.checks)
        if (check.isInDoubt() && (isTold || check.id == CheckId::Interrupted || check.id == CheckId::StartUp))
            finding.paragraphs << check.says;
    if (isTold && finding.paragraphs.isEmpty()) finding.paragraphs << tr("Of what was judged nothing is in doubt.");
    finding.appendix.tables.push_back(checkTable(context.store).data(found.checks));
    if (found.processorTime.notRunning > 0 && !isTold)
        finding.appendix.tables.push_back(processorTimeTable(context.store).data(found.processorTime.pes));
    if (context.store.info().isSummary()) {
        finding.json = healthJson(context.store, found);
        if (!found.issues.empty()) finding.appendix.tables.push_back(issueTable(context.store, found));
        return finding;
    }
    finding.appendix.paragraphs << matchedSentence(found, context.store.info().hasRanks())
                                << tr("%1 of the scheduled path was reached over repaired or clamped messages.")
                                       .arg(formatShare(found.doubtfulPathShare))
                                << tr("%1 of the elapsed path rests on such a message or on an estimated arrival time.")
                                       .arg(formatShare(found.estimatedPathShare));
    if (!found.issues.empty()) finding.appendix.tables.push_back(issueTable(context.store, found));
    else if (!isTold) finding.appendix.paragraphs << tr("Nothing was skipped or repaired.");
    if (isTold) finding.appendix.paragraphs << tr("What else was left out or mended takes all events to tell.");
    JsonValue json = healthJson(context.store, found);
    if (isTold)  // what only all tasks tell
        for (const char* key : {"issues", "receive_times", "receive_times_estimated", "processor_time"})
            json[key] = nullptr;
    if (const auto early = negativeLatencies(context.store, context.progress); early.ok() && !early->empty()) {
        const Table<NegativeLatencyPair> pairs = negativeLatencyTable(context.store);
        finding.appendix.tables.push_back(pairs.data(*early, mostPairs));
        json["negative_latency_pairs"] = rowsJson(pairs.data(*early, mostListed), &context.store);
        json["negative_latency_pair_count"] = early->size();
    }
    finding.json = std::move(json);
    return finding;
}

Finding findNotEvaluated(const AnalysisContext& context)
{
    const TraceInfo& info = context.store.info();
    Finding finding;
    if (context.store.info().isSummary()) {
        finding.appendix.paragraphs << withoutEvents(context.store, QString());
        return finding;
    }
    QStringList& said = finding.appendix.paragraphs;
    if (info.isPart())
        said << tr("The trace has the events of parts of the run. What was computed of all of them is here.")
             << tr("What needs all events is not: MPI calls by rank, imbalance on the path, how many merges there are.")
             << tr("'longpole import' of the recording makes a trace that has them.");
    if (!info.hasRanks())
        said << tr("Merges that leave no trace: a task may wait for several messages, but the log names the last one.")
             << tr("This is so for reductions, buffered messages and Structured Dagger whens.")
             << tr("What can be inferred of them is part of the limits of the critical path.");
    if (info.executionsUnmatched > 0)
        said << tr("%1 without a known sender: the message chain starts at such a one.")
                    .arg(counted("%1 tasks", "%1 task", info.executionsUnmatched));
    const std::vector<std::uint8_t>& flags = context.graph.flags;
    const bool isEstimated = std::any_of(flags.begin(), flags.end(),
                                         [](std::uint8_t bits) { return (bits & ActivityGraph::Estimated) != 0; });
    if (isEstimated)
        said << tr("Network time proper: the log does not say when messages arrived.")
             << context.store.words().say(
                    tr("The least latency seen between two PEs stands in for it; the rest of a wait counts as queue."),
                    tr("The least latency seen between two ranks stands in for it; the rest of a wait counts as "
                       "queue."));
    TimeNs untraced = 0;
    for (const Processor& processor : context.store.processors()) addSaturating(untraced, processor.untraced);
    if (untraced > 0)
        said << context.store.words()
                    .say(tr("Tracing was off for %1, summed over PEs; what ran then is counted as overhead."),
                         tr("Tracing was off for %1, summed over ranks; what ran then is counted as overhead."))
                    .arg(formatTime(untraced));
    if (context.expert == nullptr) return finding;
    for (const TreeNode& node : context.expert->tree.nodes)
        if (node.verdict == Verdict::NotJudged)
            said << tr("%1 %2 Missing: %3.").arg(node.question, node.why, node.needs.join(tr(", ")));
    return finding;
}

}  // namespace

const Analysis runAnalysis{.id = "run", .title = QT_TRANSLATE_NOOP("longpole", "The run"), .evaluate = findRun};

const Analysis healthAnalysis{.id = "health",
                              .title = QT_TRANSLATE_NOOP("longpole", "How far to trust this"),
                              .evaluate = findHealth};

const Analysis notEvaluatedAnalysis{.id = "not-evaluated",
                                    .title = QT_TRANSLATE_NOOP("longpole", "What was not evaluated"),
                                    .evaluate = findNotEvaluated};

}  // namespace longpole
