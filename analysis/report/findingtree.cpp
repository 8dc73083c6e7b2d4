// SPDX-License-Identifier: GPL-3.0-or-later
// The finding about the decision tree: each node's question, tests, verdict and reason, and why processors idled.
#include "analysis/report/findings.h"

#include "analysis/expert/expertwords.h"
#include "analysis/report/experttables.h"
#include "core/base/translate.h"

namespace longpole {

namespace {

TableData testsOf(const TraceStore& store, const DecisionTree& tree)
{
    std::vector<NodeTestRow> rows;
    for (const TreeNode& node : tree.nodes)
        for (NodeTestRow& row : nodeTests(node)) rows.push_back(std::move(row));
    return nodeTestTable(store).only({"node", "metric", "value", "threshold", "key"}).data(rows);
}

QString pathSentence(const DecisionTree& tree)
{
    QStringList questions;
    for (const QString& id : tree.path)
        if (const TreeNode* node = tree.find(id)) questions << nameOf(*node);
    if (questions.isEmpty()) return tr("No branch of the tree lost enough to be followed.");
    return tr("The way to the cause with the largest loss times confidence: %1")
        .arg(questions.join(QStringLiteral(" \u2192 ")));
}

Finding findTree(const AnalysisContext& context)
{
    Finding finding;
    if (context.expert == nullptr) {
        finding.notEvaluated = withoutEvents(context.store, QString());
        return finding;
    }
    const DecisionTree& tree = context.expert->tree;
    finding.appendix.paragraphs << pathSentence(tree)
                                << context.store.words().say(tr("What a question lost is summed over all PEs."),
                                                             tr("What a question lost is summed over all ranks."))
                                << tr("The thresholds are those of the file that longpole tree --default-thresholds "
                                      "prints, or of the one given.");
    if (const QString hidden = hiddenReductions(context.store, tree.idle.total); !hidden.isEmpty())
        finding.appendix.paragraphs << hidden;
    finding.appendix.tables = {idleCauseTable(context.store).data(idleCauses(tree.idle)),
                               treeNodeTable(context.store)
                                   .only({"node", "verdict", "severity_pe_ns", "share", "reason"})
                                   .renamed("reason", "why")
                                   .data(tree.nodes),
                               testsOf(context.store, tree)};
    const auto nodes = treeNodeTable(context.store).only({"id", "verdict", "severity_pe_ns", "share"});
    finding.json = JsonValue{{"nodes", rowsJson(nodes, tree.nodes, &context.store)}, {"path", tree.path}};
    return finding;
}

}  // namespace

const Analysis treeAnalysis{.id = "tree",
                            .title = QT_TRANSLATE_NOOP("longpole", "The decision tree"),
                            .evaluate = findTree};

}  // namespace longpole
