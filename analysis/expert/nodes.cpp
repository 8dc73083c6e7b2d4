// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/expert/nodes.h"

#include "analysis/base/naming.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

NodeTest testOf(const QString& metric, MetricKind kind, double value, double threshold, const char* key, bool isAbove)
{
    return {.metric = metric,
            .kind = kind,
            .value = value,
            .threshold = threshold,
            .key = QString::fromLatin1(key),
            .firesAbove = isAbove,
            .fired = isAbove ? value > threshold : value < threshold};
}

}  // namespace

NodeTest above(const QString& metric, MetricKind kind, double value, double threshold, const char* key)
{
    return testOf(metric, kind, value, threshold, key, true);
}

NodeTest below(const QString& metric, MetricKind kind, double value, double threshold, const char* key)
{
    return testOf(metric, kind, value, threshold, key, false);
}

QString valueText(double value, MetricKind kind)
{
    switch (kind) {
    case MetricKind::Share: return formatShare(value);
    case MetricKind::Time: return formatTime(static_cast<TimeNs>(std::llround(value)));
    case MetricKind::Count: return formatCount(std::llround(value));
    case MetricKind::Rate: return tr("%1 per second").arg(QString::number(value, 'g', 3));
    case MetricKind::Ratio: break;
    }
    return QString::number(value, 'g', 3);
}

QString changeText(const NodeTest& test)
{
    // A test may have a fixed threshold, without a key in the file.
    const QString threshold = test.key.isEmpty() ? valueText(test.threshold, test.kind)
                                                 : tr("%1 (%2)").arg(valueText(test.threshold, test.kind), test.key);
    if (test.firesAbove) return (test.fired ? tr("%1 at or below %2") : tr("%1 above %2")).arg(test.metric, threshold);
    return (test.fired ? tr("%1 at or above %2") : tr("%1 below %2")).arg(test.metric, threshold);
}

void settle(const TreeFacts& facts, TreeNode& node, bool fires)
{
    node.share = facts.share(node.severity);
    node.verdict = fires && facts.isFollowed(node.severity) ? Verdict::Fired : Verdict::NotFired;
    if (fires && node.verdict != Verdict::Fired)
        node.why +=
            QLatin1Char(' ')
            % facts.inputs.store.words()
                  .say(tr("But that cost only %1 of the run's PE-time, less than is followed (tree.stop_below, %2)."),
                       tr("But that cost only %1 of the run's rank-time, less than is followed (tree.stop_below, %2)."))
                  .arg(formatShare(node.share), formatShare(facts.inputs.thresholds.tree.stopBelow));
    if (!node.change.isEmpty()) return;
    QStringList changes;
    for (const NodeTest& test : node.tests)
        if (test.fired == (node.verdict == Verdict::Fired)) changes << changeText(test);
    if (changes.isEmpty()) return;
    node.change = (node.verdict == Verdict::Fired ? tr("It would not fire with %1.") : tr("It would fire with %1."))
                      .arg(changes.join(node.verdict == Verdict::Fired ? tr(", or with ") : tr(", and with ")));
}

Judged notJudged(TreeNode node, const QString& why, const QStringList& needs)
{
    node.verdict = Verdict::NotJudged;
    node.why = why;
    node.needs = needs;
    return {std::move(node), {}};
}

QString idleSql(TimeRange range)
{
    return QStringLiteral(
               "SELECT pe, begin_ns, end_ns, end_ns - begin_ns AS idle_ns FROM idle WHERE begin_ns < %2 AND end_ns > "
               "%1 "
               "ORDER BY idle_ns DESC LIMIT 100")
        .arg(range.begin)
        .arg(range.end);
}

Advice adviceOf(const TreeFacts& facts, const TreeNode& node, const QString& title, const QString& text)
{
    Advice advice;
    advice.id = advice.kind = advice.node = node.id;
    advice.title = title;
    advice.text = text;
    advice.severity = node.severity;
    advice.evidence = node.evidence;
    advice.range = facts.scope.window;
    advice.sql = idleSql(advice.range);
    return advice;
}

std::vector<Evidence> idleEvidence(const TreeFacts& facts, IdleCause cause, std::size_t most)
{
    std::vector<Evidence> found;
    for (const LabelledIdle& idle : facts.labels.longest[static_cast<std::size_t>(cause)]) {
        if (found.size() == most) break;
        if (facts.scope.inside(idle.range) == 0) continue;
        Evidence evidence{.pe = idle.pe, .range = idle.range, .tasks = {}, .text = {}};
        const ActivityGraph& graph = facts.inputs.graph;
        evidence.text = tr("idle for %1").arg(formatTime(idle.range.length()));
        if (idle.task != noTask) {
            evidence.tasks.push_back(graph.id(idle.task));
            evidence.text = tr("idle for %1 until %2")
                                .arg(formatTime(idle.range.length()), nameOf(facts, EntryId{graph.entry[idle.task]}));
            if (const std::uint32_t source = graph.source[idle.task]; source != noTask) {
                evidence.tasks.push_back(graph.id(source));
                evidence.text += facts.inputs.store.words()
                                     .say(tr(", sent by %1 on PE %2"), tr(", sent by %1 on rank %2"))
                                     .arg(nameOf(facts, EntryId{graph.entry[source]}))
                                     .arg(graph.pe[source]);
            }
        }
        found.push_back(std::move(evidence));
    }
    return found;
}

std::vector<std::pair<EntryId, TimeNs>> mostOf(const std::vector<IdleByCause>& byEntry, IdleCause cause,
                                               std::size_t most)
{
    std::vector<std::pair<EntryId, TimeNs>> found;
    for (std::size_t e = 0; e + 1 < byEntry.size(); ++e)
        if (const TimeNs time = byEntry[e][static_cast<std::size_t>(cause)]; time > 0)
            found.emplace_back(EntryId{static_cast<std::uint32_t>(e)}, time);
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    if (found.size() > most) found.resize(most);
    return found;
}

QString nameOf(const TreeFacts& facts, EntryId entry) { return nameOfEntry(facts.inputs.store, entry); }

QString namesOf(const TreeFacts& facts, const std::vector<std::pair<EntryId, TimeNs>>& entries, TimeNs whole)
{
    QStringList names;
    for (const auto& [entry, time] : entries)
        names << tr("%1 (%2)").arg(nameOf(facts, entry), shareText(double(time), double(whole)));
    return names.join(QStringLiteral(", "));
}

}  // namespace longpole
