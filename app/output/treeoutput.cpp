// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/treeoutput.h"

#include "app/output/adviceoutput.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t evidenceShown = 2;

bool isJudged(const TreeNode& node) { return node.verdict == Verdict::Fired || node.verdict == Verdict::NotFired; }

const char* name(MetricKind kind)
{
    switch (kind) {
    case MetricKind::Share: return "share";
    case MetricKind::Ratio: return "ratio";
    case MetricKind::Time: return "ns";
    case MetricKind::Count: return "count";
    case MetricKind::Rate: return "per_second";
    }
    return "";
}

JsonValue testJson(const NodeTest& test)
{
    return {{"metric", test.metric},       {"unit", name(test.kind)}, {"value", test.value},
            {"threshold", test.threshold}, {"key", test.key},         {"fires_above", test.firesAbove},
            {"fired", test.fired}};
}

JsonValue nodeJson(const TreeNode& node)
{
    JsonValue tests = JsonValue::array(), evidence = JsonValue::array(), needs = JsonValue::array();
    for (const NodeTest& test : node.tests) tests.push_back(testJson(test));
    for (const Evidence& found : node.evidence) evidence.push_back(evidenceJson(found));
    for (const QString& need : node.needs) needs.push_back(need);
    const NodeTest* const first = node.tests.empty() ? nullptr : &node.tests.front();
    return {{"id", node.id},
            {"letter", node.letter.isEmpty() ? JsonValue() : node.letter},
            {"parent", node.parent.isEmpty() ? JsonValue() : node.parent},
            {"question", node.question},
            {"metric", first != nullptr ? first->metric : JsonValue()},
            {"value", first != nullptr ? JsonValue(first->value) : JsonValue()},
            {"threshold", first != nullptr ? JsonValue(first->threshold) : JsonValue()},
            {"fired", isJudged(node) ? JsonValue(node.verdict == Verdict::Fired) : JsonValue()},
            {"verdict", name(node.verdict)},
            {"why", node.why},
            {"change", node.change.isEmpty() ? JsonValue() : node.change},
            {"severity_pe_ns", node.severity},
            {"share", node.share},
            {"tests", std::move(tests)},
            {"evidence", std::move(evidence)},
            {"advice", node.advice.isEmpty() ? JsonValue() : node.advice},
            {"needs", std::move(needs)}};
}

JsonValue causesJson(const IdleByCause& causes)
{
    JsonValue json = JsonValue::object();
    for (std::size_t c = 0; c < idleCauseCount; ++c)
        json[std::string(name(static_cast<IdleCause>(c))) + "_ns"] = causes[c];
    return json;
}

// Of the entry methods whose tasks ended the idling; null: nothing did.
JsonValue causesByEntryJson(const TraceStore& store, const IdleLabels& idle)
{
    JsonValue list = JsonValue::array();
    for (std::size_t e = 0; e < idle.byEntry.size(); ++e) {
        const IdleByCause& causes = idle.byEntry[e];
        if (std::all_of(causes.begin(), causes.end(), [](TimeNs time) { return time == 0; })) continue;
        const bool isNone = e + 1 == idle.byEntry.size();
        JsonValue row{{"entry", isNone ? JsonValue() : entryJson(store, EntryId{static_cast<std::uint32_t>(e)})}};
        row.update(causesJson(causes));
        list.push_back(std::move(row));
    }
    return list;
}

void writeJson(Output& output, const TraceStore& store, const DecisionTree& tree)
{
    JsonValue nodes = JsonValue::array(), path = JsonValue::array();
    for (const TreeNode& node : tree.nodes) nodes.push_back(nodeJson(node));
    for (const QString& id : tree.path) path.push_back(id);
    const bool isLabelled = !tree.idle.byEntry.empty();
    const JsonValue json{{"duration_ns", store.info().duration()},
                         {"processors", store.info().processors},
                         {"path", std::move(path)},
                         {"window", {{"begin_ns", tree.window.begin}, {"end_ns", tree.window.end}}},
                         {"nodes", std::move(nodes)},
                         {"idle_causes", isLabelled ? JsonValue{{"total", causesJson(tree.idle.total)},
                                                                {"estimated_ns", tree.idle.estimated},
                                                                {"by_entry", causesByEntryJson(store, tree.idle)}}
                                                    : JsonValue()}};
    output.write(dump(json));
}

void writeCsv(Output& output, const TraceStore& store, const DecisionTree& tree)
{
    const auto column = [](const char* id, CellKind kind) { return Column{QString::fromLatin1(id), {}, kind}; };
    TableWriter table(output, OutputFormat::Csv,
                      {column("id", CellKind::Text), column("letter", CellKind::Text), column("parent", CellKind::Text),
                       column("verdict", CellKind::Text), column("metric", CellKind::Text),
                       column("value", CellKind::Text), column("threshold", CellKind::Text),
                       column("key", CellKind::Text), column("severity_pe_ns", CellKind::Time),
                       column("share", CellKind::Share), column("advice", CellKind::Text),
                       column("why", CellKind::Text)},
                      &store);
    for (const TreeNode& node : tree.nodes) {
        const NodeTest test = node.tests.empty() ? NodeTest{} : node.tests.front();
        const auto number = [&node](double value) { return node.tests.empty() ? QVariant() : QVariant(value); };
        if (!table.row({node.id, node.letter, node.parent, QString::fromLatin1(name(node.verdict)), test.metric,
                        number(test.value), number(test.threshold), test.key, qlonglong(node.severity), node.share,
                        node.advice, node.why}))
            return;
    }
    table.finish();
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

QString evidenceText(const Evidence& evidence, const TraceStore& store)
{
    const TimeNs zero = store.info().begin;
    const QString place = evidence.range.isEmpty() ? store.words()
                                                         .say(tr("PE %1 at %2"), tr("Rank %1 at %2"))
                                                         .arg(index(evidence.pe))
                                                         .arg(formatTime(evidence.range.begin - zero))
                                                   : store.words()
                                                         .say(tr("PE %1, %2 to %3"), tr("Rank %1, %2 to %3"))
                                                         .arg(index(evidence.pe))
                                                         .arg(formatTime(evidence.range.begin - zero),
                                                              formatTime(evidence.range.end - zero));
    return evidence.text.isEmpty() ? place : QString(place % QStringLiteral(": ") % evidence.text);
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
    text += wrapped(node.verdict == Verdict::NotJudged && !node.needs.isEmpty()
                        ? QString(node.why % QLatin1Char(' ')
                                  % tr("Missing: %1.").arg(node.needs.join(QStringLiteral(", "))))
                        : node.why,
                    inner);
    if (node.verdict != Verdict::Fired) return text;
    if (!node.advice.isEmpty()) text += wrapped(QStringLiteral("=> ") % node.advice, inner);
    for (std::size_t i = 0; i < std::min(evidenceShown, node.evidence.size()); ++i)
        text += wrapped(tr("see %1").arg(evidenceText(node.evidence[i], store)), inner);
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
                     .say(tr("Decision tree of %1: %2 PEs, %3. Shares and times are of the run's PE-time."),
                          tr("Decision tree of %1: %2 ranks, %3. Shares and times are of the run's rank-time."))
                     .arg(onOneLine(store.info().program), formatCount(store.info().processors),
                          formatTime(store.info().duration()))
                 % QLatin1Char('\n')
                 % tr("[x] fired  [ ] did not fire  [-] not followed, too little is lost there  [?] cannot be judged")
                 % QStringLiteral("\n\n"));
    writeBelow(output, store, tree, QString(), 0);
    const TreeNode* leaf = tree.path.empty() ? nullptr : tree.find(tree.path.back());
    const QString end = leaf == nullptr          ? tr("Nothing fired: there is nothing to change first.")
                        : leaf->advice.isEmpty() ? tr("No cause fired.")
                                                 : tr("First: %1 (%2).").arg(leaf->advice, leaf->letter);
    output.write(QLatin1Char('\n') % wrapped(end, 0));
}

}  // namespace

void writeTree(Output& output, OutputFormat format, const TraceStore& store, const DecisionTree& tree)
{
    if (format == OutputFormat::Text) writeText(output, store, tree);
    else if (format == OutputFormat::Csv) writeCsv(output, store, tree);
    else writeJson(output, store, tree);
}

}  // namespace longpole
