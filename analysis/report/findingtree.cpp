// SPDX-License-Identifier: GPL-3.0-or-later
// The decision tree as a finding: each node's question, tests, verdict and reason, and why processors idled.
#include "analysis/report/findings.h"

#include "analysis/expert/expert.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

namespace longpole {

namespace {

QString metricText(MetricKind kind, double value)
{
    constexpr int digits = 3;
    switch (kind) {
    case MetricKind::Share: return formatShare(value);
    case MetricKind::Time: return formatTime(TimeNs(value));
    case MetricKind::Count: return formatCount(std::int64_t(value));
    case MetricKind::Rate: return tr("%1 /s").arg(value, 0, 'g', digits);
    case MetricKind::Ratio: break;
    }
    return QString::number(value, 'g', digits);
}

QString verdictText(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Fired: return tr("fired");
    case Verdict::NotFired: return tr("no");
    case Verdict::NotFollowed: return tr("not followed");
    case Verdict::NotJudged: break;
    }
    return tr("not judged");
}

QString nodeName(const TreeNode& node)
{
    return node.letter.isEmpty() ? node.question : node.letter % QStringLiteral("  ") % node.question;
}

TableData nodesOf(Vocabulary words, const DecisionTree& tree)
{
    TableData table;
    table.title = tr("Questions of the tree");
    table.columns = {{"node", tr("Question"), CellKind::Text},
                     {"verdict", tr("Verdict"), CellKind::Text},
                     {"severity_pe_ns", words.say(tr("PE-time lost"), tr("Rank-time lost")), CellKind::Time},
                     {"share", tr("Of all"), CellKind::Share},
                     {"why", tr("Why"), CellKind::Text}};
    for (const TreeNode& node : tree.nodes) {
        const QString needs = node.needs.isEmpty() ? node.why
                                                   : tr("%1 Missing: %2.").arg(node.why, node.needs.join(tr(", ")));
        table.rows.push_back({nodeName(node), verdictText(node.verdict), qlonglong(node.severity), node.share, needs});
    }
    return table;
}

TableData testsOf(const DecisionTree& tree)
{
    TableData table;
    table.title = tr("Measured against the thresholds");
    table.columns = {{"node", tr("Node"), CellKind::Text},
                     {"metric", tr("Metric"), CellKind::Text},
                     {"value", tr("Value"), CellKind::Text},
                     {"threshold", tr("Fires when"), CellKind::Text},
                     {"key", tr("Threshold"), CellKind::Text}};
    for (const TreeNode& node : tree.nodes)
        for (const NodeTest& test : node.tests)
            table.rows.push_back(
                {node.letter.isEmpty() ? node.id : node.letter, test.metric, metricText(test.kind, test.value),
                 (test.firesAbove ? tr("above %1") : tr("below %1")).arg(metricText(test.kind, test.threshold)),
                 test.key});
    return table;
}

TableData causesOf(Vocabulary words, const IdleLabels& idle)
{
    static constexpr Saying titles[idleCauseCount] = {
        {QT_TRANSLATE_NOOP("longpole", "no later task on the PE"),
         QT_TRANSLATE_NOOP("longpole", "no later task on the rank")},
        QT_TRANSLATE_NOOP("longpole", "waited for a reduction, broadcast or barrier"),
        QT_TRANSLATE_NOOP("longpole", "the message was under way"),
        QT_TRANSLATE_NOOP("longpole", "the message had arrived"),
        {QT_TRANSLATE_NOOP("longpole", "not sent yet, while tasks waited on other PEs"),
         QT_TRANSLATE_NOOP("longpole", "not sent yet, while tasks waited on other ranks")},
        QT_TRANSLATE_NOOP("longpole", "not sent yet, and nothing waited anywhere")};
    TableData table;
    table.title = tr("Why processors idled");
    table.columns = {{"cause", tr("Cause"), CellKind::Text},
                     {"time_ns", tr("Idle time"), CellKind::Time},
                     {"share", tr("Of all idle time"), CellKind::Share}};
    const TimeNs sum = idle.sum();
    for (std::size_t i = 0; i < idleCauseCount; ++i)
        table.rows.push_back({tr(words.say(titles[i])), qlonglong(idle.total[i]),
                              ratio(double(idle.total[i]), double(sum))});
    return table;
}

JsonValue nodeJson(const TreeNode& node)
{
    return {{"id", node.id},
            {"verdict", QString::fromLatin1(name(node.verdict))},
            {"severity_pe_ns", node.severity},
            {"share", node.share}};
}

QString pathSentence(const DecisionTree& tree)
{
    QStringList questions;
    for (const QString& id : tree.path)
        if (const TreeNode* node = tree.find(id)) questions << nodeName(*node);
    if (questions.isEmpty()) return tr("No branch of the tree lost enough to be followed.");
    return tr("The way taken, to the leaf with the largest loss times confidence: %1")
        .arg(questions.join(QStringLiteral(" \u2192 ")));
}

}  // namespace

Finding findTree(const AnalysisContext& context)
{
    Finding finding;
    if (context.expert == nullptr) {
        finding.notEvaluated = withoutEvents(context.store, QString());
        return finding;
    }
    const DecisionTree& tree = context.expert->tree;
    const Vocabulary words = context.store.words();
    finding.paragraphs << pathSentence(tree);
    finding.paragraphs << words.say(
        tr("Severity is the PE-time that a question's loss took, summed over processors. The thresholds "
           "are those of the file that longpole tree --default-thresholds prints, or of the one given."),
        tr("Severity is the rank-time that a question's loss took, summed over processors. The thresholds are those of "
           "the file that longpole tree --default-thresholds prints, or of the one given."));
    finding.tables = {causesOf(words, tree.idle), nodesOf(words, tree), testsOf(tree)};
    JsonValue nodes = JsonValue::array(), path = JsonValue::array();
    for (const TreeNode& node : tree.nodes) nodes.push_back(nodeJson(node));
    for (const QString& id : tree.path) path.push_back(id);
    finding.json = {{"nodes", nodes}, {"path", path}};
    return finding;
}

}  // namespace longpole
