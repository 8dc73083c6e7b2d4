// SPDX-License-Identifier: GPL-3.0-or-later
// What ran, and how far its trace can be trusted.
#include "analysis/report/findings.h"

#include "analysis/expert/expertquestions.h"
#include "analysis/statistics/negativelatency.h"
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
    if (!info.hasEvents())
        return info.vocabulary
            .say(tr("%1 ran for %2 on %3: %4 of entry methods. The trace is a summary: sums over intervals of %5."),
                 tr("%1 ran for %2 on %3: %4 of regions. The trace is a summary: sums over intervals of %5."))
            .arg(program, formatTime(info.duration()),
                 counted(info.processors, info.vocabulary.say(tr("PE"), tr("rank")),
                         info.vocabulary.say(tr("PEs"), tr("ranks"))),
                 counted(info.tasks, tr("execution"), tr("executions")), formatTime(info.interval));
    return info.vocabulary
        .say(tr("%1 ran for %2 on %3: %4 of entry methods that created %5."),
             tr("%1 ran for %2 on %3: %4 of regions that created %5."))
        .arg(program, formatTime(info.duration()),
             counted(info.processors, info.vocabulary.say(tr("PE"), tr("rank")),
                     info.vocabulary.say(tr("PEs"), tr("ranks"))),
             counted(info.tasks, tr("execution"), tr("executions")),
             counted(info.messages, tr("message"), tr("messages")));
}

JsonValue issueJson(const HealthIssue& found)
{
    return {{"kind", found.issue.kind},
            {"count", found.issue.count},
            {"where", found.issue.place},
            {"sentence", found.sentence}};
}

TableData issueTable(const Health& health)
{
    TableData table;
    table.title = tr("What the import and the paths met");
    table.columns = {{"sentence", tr("What happened"), CellKind::Text},
                     {"count", tr("Times"), CellKind::Count},
                     {"where", tr("First seen"), CellKind::Text}};
    for (const HealthIssue& found : health.issues)
        table.rows.push_back({found.sentence, static_cast<qlonglong>(found.issue.count), found.issue.place});
    return table;
}

TableData earlyTable(const std::vector<NegativeLatencyPair>& pairs, Vocabulary words)
{
    constexpr std::size_t mostPairs = 20;
    TableData table;
    table.title = words.ofRanks() ? tr("Calls that ended before what they waited for began, by ranks")
                                  : tr("Messages executed before they were sent, by PEs");
    table.columns = {{"from", words.say(tr("From PE"), tr("From rank")), CellKind::Text},
                     {"to", words.say(tr("To PE"), tr("To rank")), CellKind::Text},
                     {"count", words.ofRanks() ? tr("Calls") : tr("Messages"), CellKind::Count},
                     {"median_ns", tr("Early by, median"), CellKind::Time},
                     {"worst_ns", tr("At most"), CellKind::Time}};
    for (std::size_t i = 0; i < std::min(mostPairs, pairs.size()); ++i)
        table.rows.push_back({QString::number(index(pairs[i].from)), QString::number(index(pairs[i].to)),
                              static_cast<qlonglong>(pairs[i].count), static_cast<qlonglong>(pairs[i].median),
                              static_cast<qlonglong>(pairs[i].worst)});
    table.rowsOmitted = static_cast<std::int64_t>(pairs.size() - table.rows.size());
    return table;
}

JsonValue earlyJson(const std::vector<NegativeLatencyPair>& pairs)
{
    JsonValue rows = JsonValue::array();
    for (const NegativeLatencyPair& pair : pairs)
        rows.push_back({{"from", index(pair.from)},
                        {"to", index(pair.to)},
                        {"count", pair.count},
                        {"median_ns", pair.median},
                        {"worst_ns", pair.worst}});
    return rows;
}

QString matchedSentence(const Health& found, bool areRanks)
{
    const QString messages = counted(found.messages, tr("message"), tr("messages"));
    const QString matched = formatShare(ratio(double(found.messagesMatched), double(found.messages)));
    if (areRanks) {
        if (found.messages == 0) return tr("No messages were sent but those inside collective calls.");
        return tr("Of %1, %2 have a receive in the trace.").arg(messages, matched);
    }
    return tr("Of %1, %2 were executed at least once; %3 of %4 have no known sender.")
        .arg(messages, matched, formatCount(found.executionsUnmatched),
             counted(found.executions, tr("execution"), tr("executions")));
}

QString trustName(Trust trust)
{
    switch (trust) {
    case Trust::Good: return QStringLiteral("good");
    case Trust::Fair: return QStringLiteral("fair");
    case Trust::Poor: break;
    }
    return QStringLiteral("poor");
}

JsonValue healthJson(const Health& health)
{
    JsonValue issues = JsonValue::array(), missing = JsonValue::array();
    for (const HealthIssue& found : health.issues) issues.push_back(issueJson(found));
    for (const ProcessorId pe : health.missingLogs) missing.push_back(index(pe));
    return {{"trust", trustName(health.trust)},
            {"executions", health.executions},
            {"executions_unmatched", health.executionsUnmatched},
            {"messages", health.messages},
            {"messages_matched", health.messagesMatched},
            {"negative_latencies", health.negativeLatencies},
            {"repaired", health.repaired},
            {"missing_logs", missing},
            {"receive_times", health.receiveTimes},
            {"receive_times_estimated", health.receiveTimesEstimated},
            {"doubtful_path_share", health.doubtfulPathShare},
            {"estimated_path_share", health.estimatedPathShare},
            {"issues", issues}};
}

}  // namespace

Finding findRun(const AnalysisContext& context)
{
    const TraceInfo& info = context.store.info();
    Finding finding;
    finding.paragraphs << duringRun(info);
    if (info.tasks > 0)
        finding.paragraphs << tr("An execution took %1 on average, with nested ones inside it counted once.")
                                  .arg(formatTime(info.busy / info.tasks));
    if (info.startup > 0)
        finding.paragraphs
            << context.store.words()
                   .say(tr("Times count from the first entry method. The %1 of start-up before it are not part "
                           "of any figure here."),
                        tr("Times count from the first region. The %1 of start-up before it are not part of any figure "
                           "here."))
                   .arg(formatTime(info.startup));
    finding.tables.push_back(propertiesOf(info));
    finding.json = {{"program", info.program},       {"commandline", info.commandline},
                    {"format", info.format},         {"version", info.version},
                    {"processors", info.processors}, {"duration_ns", info.duration()},
                    {"startup_ns", info.startup},    {"tasks", info.tasks},
                    {"messages", info.messages},     {"records", info.records}};
    return finding;
}

Finding findHealth(const AnalysisContext& context)
{
    Finding finding;
    const auto asked = context.results.ask(HealthQuestion{}, context.progress);
    if (!asked) {
        finding.notEvaluated = toText(asked.error());
        return finding;
    }
    const Health& found = **asked;
    finding.paragraphs << found.verdict;
    if (!context.store.hasEvents()) {
        finding.json = healthJson(found);
        if (!found.issues.empty()) finding.tables.push_back(issueTable(found));
        return finding;
    }
    finding.paragraphs << matchedSentence(found, context.store.info().hasRanks());
    finding.paragraphs << tr("%1 of the work path at edge level order was entered over repaired or clamped messages. "
                             "%2 of the elapsed path rests on such a message or on an estimated receive time.")
                              .arg(formatShare(found.doubtfulPathShare), formatShare(found.estimatedPathShare));
    if (found.issues.empty()) finding.paragraphs << tr("Nothing was skipped or repaired.");
    else finding.tables.push_back(issueTable(found));
    JsonValue json = healthJson(found);
    if (const auto early = negativeLatencies(context.store, context.progress); early.ok() && !early->empty()) {
        finding.tables.push_back(earlyTable(*early, context.store.words()));
        json["negative_latency_pairs"] = earlyJson(*early);
    }
    finding.json = json;
    return finding;
}

Finding findNotEvaluated(const AnalysisContext& context)
{
    const TraceInfo& info = context.store.info();
    Finding finding;
    if (!context.store.hasEvents()) {
        finding.paragraphs << withoutEvents(context.store, QString());
        return finding;
    }
    finding.paragraphs << context.store.words().say(
        tr("Merges that leave no trace: a reduction, a buffered message or a Structured Dagger when "
           "makes a task wait for several messages, but the log names only the one that triggered it. "
           "What can be inferred is in the interval of the critical path; at edge level order merges "
           "are covered as far as the waiting object stayed on its PE."),
        tr("Merges that leave no trace: a reduction, a buffered message or a Structured Dagger when makes a task wait "
           "for several messages, but the log names only the one that triggered it. What can be inferred is in the "
           "interval of the critical path; at edge level order merges are covered as far as the waiting object stayed "
           "on its rank."));
    if (info.executionsUnmatched > 0)
        finding.paragraphs << tr("%1 without a known sender: at edge level messages a path starts at such a one.")
                                  .arg(counted(info.executionsUnmatched, tr("execution"), tr("executions")));
    const std::vector<std::uint8_t>& flags = context.graph.flags;
    const bool isEstimated = std::any_of(flags.begin(), flags.end(),
                                         [](std::uint8_t bits) { return (bits & ActivityGraph::Estimated) != 0; });
    if (isEstimated)
        finding.paragraphs << context.store.words().say(
            tr("Network time proper: the log does not say when messages arrived. The least latency "
               "seen between two PEs stands in for it, and the rest of the wait counts as queue."),
            tr("Network time proper: the log does not say when messages arrived. The least latency seen between two "
               "ranks stands in for it, and the rest of the wait counts as queue."));
    TimeNs untraced = 0;
    for (const Processor& processor : context.store.processors()) untraced += processor.untraced;
    if (untraced > 0)
        finding.paragraphs
            << context.store.words()
                   .say(tr("Tracing was off for %1, summed over PEs; what ran then is counted as overhead."),
                        tr("Tracing was off for %1, summed over ranks; what ran then is counted as overhead."))
                   .arg(formatTime(untraced));
    if (context.expert == nullptr) return finding;
    for (const TreeNode& node : context.expert->tree.nodes)
        if (node.verdict == Verdict::NotJudged)
            finding.paragraphs << tr("%1 %2 Missing: %3.").arg(node.question, node.why, node.needs.join(tr(", ")));
    return finding;
}

}  // namespace longpole
