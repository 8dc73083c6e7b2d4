// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/expert/nodes.h"

#include "analysis/base/callpaths.h"
#include "analysis/base/cells.h"
#include "analysis/base/naming.h"
#include "analysis/expert/lossql.h"
#include "analysis/graph/programentry.h"
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
        node.why += QLatin1Char(' ')
                    % facts.inputs.store.words()
                          .say(tr("That cost %1 of the run's PE-time: too small to matter."),
                               tr("That cost %1 of the run's rank-time: too small to matter."))
                          .arg(formatShare(node.share));
    if (!node.change.isEmpty()) return;
    QStringList changes;
    for (const NodeTest& test : node.tests)
        if (test.fired == (node.verdict == Verdict::Fired)) changes << changeText(test);
    if (changes.isEmpty()) return;
    node.change = (node.verdict == Verdict::Fired ? tr("Not found with %1.") : tr("Found with %1."))
                      .arg(changes.join(node.verdict == Verdict::Fired ? tr(", or with ") : tr(", and with ")));
}

Judged notJudged(TreeNode node, const QString& why, const QStringList& needs)
{
    node.verdict = Verdict::NotJudged;
    node.why = why;
    node.needs = needs;
    return {std::move(node), {}};
}

QString whyOf(const NodeWords& words)
{
    return words.meaning.isEmpty() ? words.verdict : words.verdict % QLatin1Char(' ') % words.meaning;
}

QString explainsOnly(const TreeFacts& facts, TimeNs time)
{
    return tr("That explains %1 of the idle time.").arg(shareText(double(time), double(facts.scope.usage.idle)));
}

QString seldomWaited(const TreeFacts& facts, TimeNs all, TimeNs time, const QString& none, const QString& mostlyEven,
                     const QString& seldom)
{
    if (all <= 0) return none;
    if (all - time > time) return mostlyEven.arg(formatTime(all), formatTime(all - time));
    return seldom % QLatin1Char(' ') % explainsOnly(facts, time);
}

Advice adviceOf(const TreeFacts& facts, const TreeNode& node, const QString& title, const NodeWords& words,
                const QString& sql)
{
    Advice advice;
    advice.id = advice.kind = advice.node = node.id;
    advice.title = title;
    advice.verdict = words.verdict;
    advice.meaning = words.meaning;
    advice.action = words.action;
    if (!facts.scope.isWhole) advice.scope = {.kind = ScopeKind::SlowStretches, .ranges = facts.scope.periods};
    advice.severity = node.severity;
    advice.evidence = node.evidence;
    advice.range = facts.scope.window;
    advice.sql = sql;
    return advice;
}

namespace {

// Of the tool that wrote the trace, when its log is full or ends: nothing that the program waits for.
bool isOfTracer(const TreeFacts& facts, std::uint32_t task)
{
    if (task == noTask) return false;
    const Entry* entry = facts.inputs.store.entry(EntryId{facts.inputs.graph.entry[task]});
    return entry != nullptr && entry->kind == EntryKind::System && entry->chare.startsWith(QLatin1String("Trace"));
}

}  // namespace

std::vector<Evidence> idleEvidence(const TreeFacts& facts, IdleCause cause, std::size_t most)
{
    std::vector<std::pair<TimeRange, const LabelledIdle*>> inside;
    for (const LabelledIdle& idle : facts.labels.longest[static_cast<std::size_t>(cause)]) {
        TimeRange longest;
        for (const TimeRange& period : facts.scope.periods)
            if (const TimeRange part = intersection(period, idle.range); part.length() > longest.length())
                longest = part;
        if (!longest.isEmpty()) inside.emplace_back(longest, &idle);
    }
    std::stable_sort(inside.begin(), inside.end(),
                     [](const auto& a, const auto& b) { return a.first.length() > b.first.length(); });
    std::erase_if(inside, [&facts](const auto& one) { return isOfTracer(facts, one.second->task); });
    std::vector<Evidence> found;
    const ActivityGraph& graph = facts.inputs.graph;
    for (const auto& [range, idle] : inside) {
        if (found.size() == most) break;
        Evidence evidence{.pe = idle->pe, .range = range, .time = range.length()};
        evidence.sql = idleTimeSql(idle->pe, range, cause);
        evidence.text = tr("idle for %1").arg(formatTime(range.length()));
        if (idle->task != noTask) {
            evidence.tasks.push_back(graph.id(idle->task));
            evidence.text = tr("idle for %1 until %2")
                                .arg(formatTime(range.length()), nameOf(facts, EntryId{graph.entry[idle->task]}));
            if (const std::uint32_t source = graph.source[idle->task]; source != noTask) {
                evidence.tasks.push_back(graph.id(source));
                evidence.text += facts.inputs.store.words()
                                     .say(tr(", sent by %1 on PE %2"), tr(", sent by %1 on rank %2"))
                                     .arg(nameOf(facts, EntryId{graph.entry[source]}),
                                          QString::number(graph.pe[source]));
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

NamedEntry namedEntry(const TreeFacts& facts, EntryId entry)
{
    const TraceStore& store = facts.inputs.store;
    const ProgramEntry found = programEntryOf(store, facts.inputs.graph, entry);
    const QString name = nameOf(facts, found.entry), runtime = nameOf(facts, entry);
    switch (found.kind) {
    case ProgramEntry::Kind::Own: return {name, QString()};
    case ProgramEntry::Kind::Delivers: return {name, tr("The runtime runs it by way of %1.").arg(runtime)};
    case ProgramEntry::Kind::SentBy:
        return {tr("what %1 asks of the runtime").arg(name), tr("That is %1.").arg(runtime)};
    case ProgramEntry::Kind::Unknown: break;
    }
    return {nameWithOwner(store, entry), tr("The trace does not show what of the program makes it run.")};
}

namespace {

// Nothing of the program's: there is no work in it to move.
bool isInMpi(const TreeFacts& facts, const DelayCost& cause)
{
    const Region* region = facts.inputs.store.region(RegionId{index(cause.entry)});
    return region != nullptr && region->kind == RegionKind::MpiCall;
}

// What a second cause is named for.
bool isMuchWaiting(const TreeFacts& facts, const DelayCost& cause)
{
    constexpr double much = 0.2;
    return double(cause.sum()) >= much * double(facts.waits.total);
}

QString codeAndPlace(const TreeFacts& facts, const DelayCost& cause)
{
    const QString code = codeInWords(facts.inputs.store, cause.entry);
    const QString place = pathText(facts.inputs.store, cause.path);
    return place.isEmpty() ? code : code + tr(" (%1)").arg(place);
}

}  // namespace

QString delayText(const TreeFacts& facts)
{
    const WaitStates& states = facts.waits;
    if (states.causes.empty() || states.total <= 0) return {};
    const auto shareOf = [&states](const DelayCost& cost) { return shareText(cost.sum(), states.total); };
    const DelayCost& cause = states.causes.front();
    const QString code = codeAndPlace(facts, cause);
    if (facts.pes.size() < 2)
        return tr("%1 of all waiting traces back to %2, which took longer on the late threads.")
            .arg(shareOf(cause), code);
    const QString text = tr("%1 of all waiting traces back to %2, which took longer on the late ranks.")
                             .arg(shareOf(cause), code);
    if (states.causes.size() < 2) return text;
    const DelayCost& other = states.causes[1];
    const Region* call = facts.inputs.store.region(RegionId{index(other.entry)});
    if (!isMuchWaiting(facts, other) || (call != nullptr && isStartOrEnd(call->name))) return text;
    const DelayCost* there = mostOnOneRank(states, other.entry);
    const bool isOfOne = there != nullptr && there->sum() > other.sum() / 2;
    return text % QLatin1Char(' ')
           % (isOfOne ? tr("Another %1 traces back to %2, mostly on rank %3.")
                            .arg(shareOf(other), codeAndPlace(facts, other), QString::number(there->rank))
                      : tr("Another %1 traces back to %2.").arg(shareOf(other), codeAndPlace(facts, other)));
}

std::vector<DelayCost> lateInOtherCode(const TreeFacts& facts)
{
    constexpr double most = 2.0 / 3;
    std::vector<DelayCost> found;
    TimeNs sum = 0;
    if (facts.waits.total <= 0) return found;
    for (const DelayCost& cause : facts.waits.causes) {
        if (!isMuchWaiting(facts, cause)) break;
        const DelayCost* there = mostOnOneRank(facts.waits, cause.entry);
        if (isInMpi(facts, cause) || there == nullptr || double(there->sum()) < most * double(cause.sum())) return {};
        found.push_back(*there);
        addSaturating(sum, there->sum());
    }
    const bool isOfMany = std::any_of(found.begin(), found.end(),
                                      [&found](const DelayCost& cost) { return cost.rank != found.front().rank; });
    if (!isOfMany || double(sum) < most * double(facts.waits.total)) return {};
    return found;
}

}  // namespace longpole
