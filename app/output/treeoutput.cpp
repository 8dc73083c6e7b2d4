// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/treeoutput.h"

#include "analysis/base/naming.h"
#include "analysis/report/advicetables.h"
#include "analysis/report/experttables.h"
#include "app/output/gateoutput.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t nodeEvidenceShown = 2;

void writeJson(Output& output, const TraceStore& store, const DecisionTree& tree)
{
    const auto nodes = treeNodeTable(store).only({"id", "letter", "parent", "question", "metric", "value", "threshold",
                                                  "fired", "verdict", "why", "change", "severity_pe_ns", "share",
                                                  "tests", "evidence", "advice", "needs"});
    const JsonValue causes{{"total", causesJson(tree.idle.total)},
                           {"estimated_ns", tree.idle.estimated},
                           {"by_entry", rowsJson(entryIdleTable(store), idleByEntry(tree.idle), &store)}};
    output.write(dump({{"judged", judgedJson(store, tree.checks)},
                       {"duration_ns", store.info().duration()},
                       {"processors", store.info().processors},
                       {"path", tree.path},
                       {"window", {{"begin_ns", tree.window.begin}, {"end_ns", tree.window.end}}},
                       {"nodes", rowsJson(nodes, tree.nodes, &store)},
                       {"idle_causes", tree.idle.byEntry.empty() ? JsonValue() : causes}}));
}

const char* mark(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Fired: return "[x]";
    case Verdict::NotFired: return "[ ]";
    case Verdict::NotFollowed: return "[-]";
    case Verdict::NotJudged: return "[?]";
    }
    return "";
}

QString nodeText(const TreeNode& node, const TraceStore& store, qsizetype depth)
{
    const qsizetype indent = 2 * depth;
    QString head = QString(indent, QLatin1Char(' ')) % QLatin1String(mark(node.verdict)) % QLatin1Char(' ')
                   % (node.letter.isEmpty() ? QString() : QString(node.letter % QStringLiteral("  "))) % node.question;
    if (node.verdict == Verdict::Fired)
        head = head.leftJustified(76) % formatShare(node.share).rightJustified(8)
               % formatTime(node.severity).rightJustified(14);
    QString text = head % QLatin1Char('\n');
    const qsizetype inner = indent + 4;
    if (node.verdict == Verdict::NotFollowed) return text;
    text += wrapped(node.verdict == Verdict::NotJudged ? whyText(node) : node.why, inner);
    if (node.verdict != Verdict::Fired) return text;
    if (!node.advice.isEmpty()) text += wrapped(QStringLiteral("=> ") % node.advice, inner);
    for (std::size_t i = 0; i < std::min(nodeEvidenceShown, node.evidence.size()); ++i)
        text += wrapped(tr("see %1").arg(evidenceText(store, node.evidence[i])), inner);
    return text;
}

void writeBelow(Output& output, const TraceStore& store, const DecisionTree& tree, const QString& parent,
                qsizetype depth)
{
    for (const TreeNode& node : tree.nodes) {
        if (node.parent != parent) continue;
        if (!output.write(nodeText(node, store, depth))) return;
        writeBelow(output, store, tree, node.id, depth + 1);
    }
}

void writeText(Output& output, const TraceStore& store, const DecisionTree& tree)
{
    output.write(store.words()
                     .say(tr("Decision tree of %1: %2, %3. Shares and times are of the run's PE-time."),
                          tr("Decision tree of %1: %2, %3. Shares and times are of the run's rank-time."))
                     .arg(onOneLine(store.info().program), countedProcessors(store.words(), store.info().processors),
                          formatTime(store.info().duration()))
                 % QStringLiteral("\n\n"));
    writeChecks(output, tree.checks);
    output.write(tr("[x] found  [ ] not found  [-] too small to look at  [?] can't tell") % QStringLiteral("\n\n"));
    writeBelow(output, store, tree, QString(), 0);
    const TreeNode* leaf = tree.path.empty() ? nullptr : tree.find(tree.path.back());
    const QString end = leaf == nullptr ? tr("Nothing was found: there is nothing to change first.")
                        : !leaf->isWorthIt
                            ? tr("The largest cause is %1, but changing it saves too little, or nothing for sure.")
                                  .arg(leaf->letter)
                        : leaf->advice.isEmpty() ? tr("No cause was found.")
                                                 : tr("The largest cause: %1 (%2).").arg(leaf->advice, leaf->letter);
    output.write(QLatin1Char('\n') % wrapped(end, 0));
}

}  // namespace

void writeTree(Output& output, OutputFormat format, const TraceStore& store, const DecisionTree& tree)
{
    if (format == OutputFormat::Text) writeText(output, store, tree);
    else if (format == OutputFormat::Json) writeJson(output, store, tree);
    else
        writeTable(output, format,
                   treeNodeTable(store).only({"id", "letter", "parent", "verdict", "metric", "value", "threshold",
                                              "key", "severity_pe_ns", "share", "advice", "why"}),
                   tree.nodes, store);
}

}  // namespace longpole
