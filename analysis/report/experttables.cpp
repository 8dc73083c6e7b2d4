// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/experttables.h"

#include "analysis/base/naming.h"
#include "analysis/compare/comparisonwords.h"
#include "analysis/report/advicetables.h"
#include "core/base/translate.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

// A member of a node's first test, which is the deciding one unless the node's reason says how tests combine.
template <typename Value>
std::function<Cell(const TreeNode&)> ofFirstTest(Value NodeTest::*member)
{
    return [member](const TreeNode& row) { return row.tests.empty() ? Cell() : Cell(row.tests.front().*member); };
}

std::vector<Word> verdictWords()
{
    std::vector<Word> words;
    for (const Verdict verdict : {Verdict::Fired, Verdict::NotFired, Verdict::NotFollowed, Verdict::NotJudged})
        words.push_back({QLatin1String(name(verdict)), title(verdict)});
    return words;
}

std::vector<Word> metricUnitWords()
{
    std::vector<Word> words;
    for (const MetricKind kind :
         {MetricKind::Share, MetricKind::Ratio, MetricKind::Time, MetricKind::Count, MetricKind::Rate})
        words.push_back({QLatin1String(name(kind)), QLatin1String(name(kind))});
    return words;
}

std::vector<Word> nodeWords()
{
    std::vector<Word> words;
    for (const char* id : {"when",
                           "where",
                           "kind",
                           "idle",
                           "overhead",
                           "user",
                           "parallelism",
                           "grainsize",
                           "shared_variables",
                           "load_balance",
                           "locality",
                           "scheduling",
                           "latency",
                           "synchronization",
                           "speculative",
                           "serial_chain",
                           "bottleneck",
                           "mpi_time",
                           "late_messages",
                           "cores"})
        words.push_back({QLatin1String(id), QLatin1String(id)});
    return words;
}

bool isJudged(const TreeNode& node) { return node.verdict == Verdict::Fired || node.verdict == Verdict::NotFired; }

}  // namespace

QString nameOf(const TreeNode& node)
{
    return node.letter.isEmpty() ? node.question : node.letter % QStringLiteral("  ") % node.question;
}

QString whyText(const TreeNode& node)
{
    return node.needs.isEmpty() ? node.why : tr("%1 Missing: %2.").arg(node.why, node.needs.join(tr(", ")));
}

std::vector<NodeTestRow> nodeTests(const TreeNode& node)
{
    std::vector<NodeTestRow> rows;
    for (const NodeTest& test : node.tests) rows.push_back({&node, test});
    return rows;
}

Table<NodeTestRow> nodeTestTable(const TableScope&)
{
    return {
        QStringLiteral("tree.tests"),
        tr("Measured against the thresholds"),
        {
            {{"node", tr("Node"), CellKind::Text, tr("Letter or id of the question")},
             [](const NodeTestRow& row) { return row.node->letter.isEmpty() ? row.node->id : row.node->letter; }},
            {{"metric", tr("Metric"), CellKind::Text, tr("What was measured")},
             [](const NodeTestRow& row) { return row.test.metric; }},
            {Column("unit", tr("Unit"), CellKind::Text, tr("Of value and threshold")).oneOf(metricUnitWords()),
             [](const NodeTestRow& row) { return name(row.test.kind); }},
            {Column("value", tr("Value"), CellKind::Ratio, tr("What it came to")).belowZero(),
             [](const NodeTestRow& row) { return readAs(row.test.value, metricText(row.test.kind, row.test.value)); }},
            {Column("threshold", tr("Found when"), CellKind::Ratio, tr("Above or below which value the cause is found"))
                 .belowZero(),
             [](const NodeTestRow& row) {
                 return readAs(row.test.threshold, (row.test.firesAbove ? tr("above %1") : tr("below %1"))
                                                       .arg(metricText(row.test.kind, row.test.threshold)));
             }},
            {{"key", tr("Threshold"), CellKind::Text, tr("Of the threshold in its file; empty: fixed")},
             [](const NodeTestRow& row) { return row.test.key; }},
            {{"fires_above", tr("Found above"), CellKind::Flag,
              tr("Whether above the threshold it is found, or below it")},
             [](const NodeTestRow& row) { return row.test.firesAbove; }},
            {{"fired", tr("Crossed"), CellKind::Flag, tr("Whether the value crosses the threshold")},
             [](const NodeTestRow& row) { return row.test.fired; }},
        }};
}

Table<TreeNode> treeNodeTable(const TableScope& scope)
{
    const auto tests = nodeTestTable(scope).only({"metric", "unit", "value", "threshold", "key", "fires_above",
                                                  "fired"});
    const Table<Evidence> evidence = evidenceTable(scope);
    return {
        QStringLiteral("tree"),
        tr("Questions of the tree"),
        {
            {Column("id", tr("Id"), CellKind::Text, tr("The question's name")).oneOf(nodeWords()), &TreeNode::id},
            {Column("letter", tr("Letter"), CellKind::Text, tr("Of the branch; empty above")).orNone(),
             [](const TreeNode& row) { return textOrNone(row.letter); }},
            {Column("parent", tr("Below"), CellKind::Text, tr("Id of the question above it; empty for the first"))
                 .orNone(),
             [](const TreeNode& row) { return textOrNone(row.parent); }},
            {{"question", tr("Question"), CellKind::Text, tr("What is asked")}, &TreeNode::question},
            {{"node", tr("Question"), CellKind::Text, tr("Letter and question")}, &nameOf},
            {Column("metric", tr("Metric"), CellKind::Text, tr("What the first test measured")).orNone(),
             ofFirstTest(&NodeTest::metric)},
            {Column("value", tr("Value"), CellKind::Ratio, tr("What that came to")).belowZero().orNone(),
             ofFirstTest(&NodeTest::value)},
            {Column("threshold", tr("Threshold"), CellKind::Ratio, tr("Its threshold")).belowZero().orNone(),
             ofFirstTest(&NodeTest::threshold)},
            {Column("key", tr("Key"), CellKind::Text, tr("Of that threshold in its file")).orNone(),
             ofFirstTest(&NodeTest::key)},
            {Column("fired", tr("Found"), CellKind::Flag,
                    tr("Whether it was found; empty: can't tell, or too small to look"))
                 .orNone(),
             [](const TreeNode& row) { return isJudged(row) ? Cell(row.verdict == Verdict::Fired) : Cell(); }},
            {Column("verdict", tr("Verdict"), CellKind::Text,
                    tr("Whether it was found, was too small to look for, or can't be told"))
                 .oneOf(verdictWords()),
             [](const TreeNode& row) { return name(row.verdict); }},
            {{"why", tr("Why"), CellKind::Text, tr("What was found or not, with figures")}, &TreeNode::why},
            {{"reason", tr("Why"), CellKind::Text, tr("What was found or not, and what is missing to tell")}, &whyText},
            {Column("change", tr("What would change it"), CellKind::Text, tr("What would change the verdict")).orNone(),
             [](const TreeNode& row) { return textOrNone(row.change); }},
            {{"severity_pe_ns", scope.words.say(tr("PE-time lost"), tr("Rank-time lost")), CellKind::Time,
              scope.words.say(tr("What is lost, summed over PEs; at most what the question above lost"),
                              tr("What is lost, summed over ranks; at most what the question above lost"))},
             &TreeNode::severity},
            {Column("share", tr("Of all"), CellKind::Share,
                    scope.words.say(tr("Its part of PEs x duration"), tr("Its part of ranks x duration")))
                 .atMostOne(),
             &TreeNode::share},
            {Column("tests", tr("Tests"), CellKind::Rows, tr("What was measured against which threshold"))
                 .of(tests.heads()),
             [tests](const TreeNode& row) { return rowsCell(tests.data(nodeTests(row))); }},
            {Column("evidence", tr("Evidence"), CellKind::Rows, tr("Where it can be seen")).of(evidence.heads()),
             [evidence](const TreeNode& row) { return rowsCell(evidence.data(row.evidence)); }},
            {Column("advice", tr("Advice"), CellKind::Text, tr("What to do; empty unless it was found")).orNone(),
             [](const TreeNode& row) { return textOrNone(row.advice); }},
            {Column("needs", tr("Missing"), CellKind::Rows, tr("What is missing to judge it")).of(CellKind::Text),
             [](const TreeNode& row) { return Cell(QVariant(row.needs)); }},
        }};
}

std::vector<IdleCauseRow> idleCauses(const IdleLabels& idle)
{
    std::vector<IdleCauseRow> rows;
    for (std::size_t i = 0; i < idleCauseCount; ++i)
        rows.push_back({static_cast<IdleCause>(i), idle.total[i], ratio(double(idle.total[i]), double(idle.sum()))});
    return rows;
}

Table<IdleCauseRow> idleCauseTable(const TableScope& scope)
{
    std::vector<Word> causes;
    for (std::size_t i = 0; i < idleCauseCount; ++i) {
        const auto cause = static_cast<IdleCause>(i);
        causes.push_back({QLatin1String(name(cause)), title(cause)});
    }
    return {QStringLiteral("tree.idle"),
            scope.words.say(tr("Why PEs idled"), tr("Why ranks idled")),
            {
                {Column("cause", tr("Cause"), CellKind::Text, tr("What became of the message that ended the idling"))
                     .oneOf(causes),
                 [](const IdleCauseRow& row) { return name(row.cause); }},
                {{"time_ns", tr("Idle time"), CellKind::Time,
                  scope.words.say(tr("Summed over PEs"), tr("Summed over ranks"))},
                 &IdleCauseRow::time},
                {Column("share", tr("Of all idle time"), CellKind::Share, tr("Of all idle time")).atMostOne(),
                 &IdleCauseRow::share},
            }};
}

std::vector<EntryIdle> idleByEntry(const IdleLabels& idle)
{
    std::vector<EntryIdle> rows;
    for (std::size_t e = 0; e < idle.byEntry.size(); ++e) {
        const IdleByCause& causes = idle.byEntry[e];
        if (std::all_of(causes.begin(), causes.end(), [](TimeNs time) { return time == 0; })) continue;
        const bool isNone = e + 1 == idle.byEntry.size();
        rows.push_back({isNone ? noEntry : EntryId{static_cast<std::uint32_t>(e)}, causes});
    }
    return rows;
}

Table<EntryIdle> entryIdleTable(const TableScope& scope)
{
    Table<EntryIdle> table{
        QStringLiteral("tree.idle-by-entry"),
        scope.words.say(tr("Why PEs idled, by the entry method that ended it"),
                        tr("Why ranks idled, by the region that ended it")),
        {{Column("entry", scope.words.say(tr("Entry method"), tr("Region")), CellKind::Entry,
                 scope.words.say(tr("The entry method whose task ended the idling; empty: no task came after"),
                                 tr("The region whose task ended the idling; empty: no task came after")))
              .orNone(),
          &EntryIdle::entry}}};
    for (std::size_t i = 0; i < idleCauseCount; ++i) {
        const auto cause = static_cast<IdleCause>(i);
        const QString text = title(cause);
        table.columns.push_back({{QLatin1String(name(cause)) % QStringLiteral("_ns"), text, CellKind::Time,
                                  tr("Idle time: %1").arg(text)},
                                 [i](const EntryIdle& row) { return row.causes[i]; }});
    }
    return table;
}

JsonValue causesJson(const IdleByCause& causes)
{
    JsonValue json = rowJson(entryIdleTable(Vocabulary()), {noEntry, causes}, nullptr);
    json.erase("entry");
    return json;
}

Table<EfficiencyPhase> efficiencyTable(const TableScope& scope)
{
    const auto factor = [](double Efficiency::*member) {
        return [member](const EfficiencyPhase& row) { return row.efficiency.*member; };
    };
    const Vocabulary words = scope.words;
    return {QStringLiteral("efficiency"),
            tr("Efficiency"),
            {
                {{"name", tr("Phase"), CellKind::Text, tr("The run, or a part of it")}, &EfficiencyPhase::name},
                {{"begin_ns", tr("From"), CellKind::Instant, tr("Its start")},
                 [](const EfficiencyPhase& row) { return row.range.begin; }},
                {{"end_ns", tr("Until"), CellKind::Instant, tr("Its end")},
                 [](const EfficiencyPhase& row) { return row.range.end; }},
                {{"duration_ns", tr("Time"), CellKind::Time, tr("Its length")},
                 [](const EfficiencyPhase& row) { return row.range.length(); }},
                {{"ideal_ns", tr("Ideal"), CellKind::Time,
                  tr("The time on an ideal network: the length of the work path at edges order, at least the longest "
                     "busy time")},
                 [](const EfficiencyPhase& row) { return row.efficiency.ideal; }},
                {{"useful_max_ns", tr("Longest busy"), CellKind::Time,
                  words.say(tr("The busy time of the PE that has most"),
                            tr("The busy time of the rank that has most"))},
                 [](const EfficiencyPhase& row) { return row.efficiency.usefulMax; }},
                {{"useful_average_ns", tr("Average busy"), CellKind::Time,
                  words.say(tr("The busy time of the average PE"), tr("The busy time of the average rank"))},
                 [](const EfficiencyPhase& row) { return std::llround(row.efficiency.usefulAverage); }},
                {{"processors", words.say(tr("PEs"), tr("Ranks")), CellKind::Count,
                  words.say(tr("PEs that have a log: those of the average"),
                            tr("Ranks that have a log: those of the average"))},
                 [](const EfficiencyPhase& row) { return row.efficiency.counted; }},
                {Column("load_balance", tr("Load balance"), CellKind::Share, tr("Busy time: average over longest"))
                     .atMostOne(),
                 factor(&Efficiency::loadBalance)},
                {Column("communication", tr("Communication"), CellKind::Share, tr("Longest busy time over the time"))
                     .atMostOne(),
                 factor(&Efficiency::communication)},
                {Column("serialization", tr("Serialization"), CellKind::Share,
                        tr("Longest busy time over the time on an ideal network: the rest is waiting for each other"))
                     .atMostOne(),
                 factor(&Efficiency::serialization)},
                {Column("transfer", tr("Transfer"), CellKind::Share,
                        tr("The time on an ideal network over the time: the rest is messages under way"))
                     .atMostOne(),
                 factor(&Efficiency::transfer)},
                {Column("parallel", tr("Parallel efficiency"), CellKind::Share,
                        words.say(tr("Busy time of the average PE over the time: load balance x communication"),
                                  tr("Busy time of the average rank over the time: load balance x communication")))
                     .atMostOne(),
                 factor(&Efficiency::parallel)},
                {Column("useful_ns", tr("Busy"), CellKind::Rows,
                        words.say(tr("By PE: time in entry methods"), tr("By rank: time outside of MPI")))
                     .of(CellKind::Time),
                 [](const EfficiencyPhase& row) {
                     QVariantList times;
                     for (const TimeNs time : row.efficiency.useful) times << qlonglong(time);
                     return Cell(times);
                 }},
                {{"left_out_ns", tr("Left out"), CellKind::Time,
                  tr("Start-up and shut-down of MPI ranks, whose work these figures leave out, of all together")},
                 [](const EfficiencyPhase& row) { return row.efficiency.leftOut; }},
                {{"left_out_busy_ns", tr("Left out, busy"), CellKind::Time,
                  tr("The busy time in that: with the busy times of all it adds up to that of the run")},
                 [](const EfficiencyPhase& row) { return row.efficiency.leftOutBusy; }},
            }};
}

Table<HealthIssue> healthIssueTable(const TableScope&)
{
    return {QStringLiteral("health.issues"),
            tr("What the import and the paths met"),
            {
                {{"kind", tr("Kind"), CellKind::Text, tr("The kind of soft error")},
                 [](const HealthIssue& row) { return row.issue.kind; }},
                {{"sentence", tr("What happened"), CellKind::Text, tr("What happened, and what was made of it")},
                 &HealthIssue::sentence},
                {{"count", tr("Times"), CellKind::Count, tr("How often it happened")},
                 [](const HealthIssue& row) { return row.issue.count; }},
                {{"where", tr("First seen"), CellKind::Text, tr("Where it was seen first")},
                 [](const HealthIssue& row) { return row.issue.place; }},
            }};
}

JsonValue healthJson(const TableScope& scope, const Health& health)
{
    JsonValue missing = JsonValue::array();
    for (const ProcessorId pe : health.missingLogs) missing.push_back(index(pe));
    const auto issues = healthIssueTable(scope).only({"kind", "count", "where", "sentence"});
    return {{"judged", judgedJson(scope, health.checks)},
            {"trust", name(health.trust)},
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
            {"processor_time",
             {{"busy_ns", health.processorTime.busy},
              {"cpu_ns", health.processorTime.cpu},
              {"not_running_ns", health.processorTime.notRunning},
              {"clock_error_ns", health.processorTime.error},
              {"pes", rowsJson(processorTimeTable(scope), health.processorTime.pes, scope.store)}}},
            {"issues", rowsJson(issues, health.issues, scope.store)}};
}

Table<NegativeLatencyPair> negativeLatencyTable(const TableScope& scope)
{
    const Vocabulary words = scope.words;
    return {QStringLiteral("health.negative-latencies"),
            words.say(tr("Messages executed before they were sent, by PEs"),
                      tr("Calls that ended before what they waited for began, by ranks")),
            {
                {{"from", words.say(tr("From PE"), tr("From rank")), CellKind::Number,
                  words.say(tr("The PE that sent them"), tr("The rank that they waited for"))},
                 &NegativeLatencyPair::from},
                {{"to", words.say(tr("To PE"), tr("To rank")), CellKind::Number,
                  words.say(tr("The PE that executed them"), tr("The rank that made the calls"))},
                 &NegativeLatencyPair::to},
                {{"count", words.say(tr("Messages"), tr("Calls")), CellKind::Count,
                  words.say(tr("Messages that begin before they were sent"),
                            tr("Calls that end before what they waited for began"))},
                 &NegativeLatencyPair::count},
                {{"median_ns", tr("Early by, median"), CellKind::Time, tr("By how much, in the median")},
                 &NegativeLatencyPair::median},
                {{"worst_ns", tr("At most"), CellKind::Time, tr("By how much at most")}, &NegativeLatencyPair::worst},
            }};
}

std::vector<TableInfo> expertTables(Vocabulary words)
{
    return {infoOf(treeNodeTable(words)),       infoOf(nodeTestTable(words)),   infoOf(idleCauseTable(words)),
            infoOf(entryIdleTable(words)),      infoOf(efficiencyTable(words)), infoOf(healthIssueTable(words)),
            infoOf(negativeLatencyTable(words))};
}

}  // namespace longpole
