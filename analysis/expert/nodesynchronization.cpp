// SPDX-License-Identifier: GPL-3.0-or-later
// Branch G: processors that wait for reductions, barriers and the broadcasts of their results.
#include "analysis/expert/nodes.h"

#include "analysis/expert/lossql.h"
#include "analysis/expert/plausibility.h"
#include "analysis/graph/programentry.h"
#include "analysis/waiting/reductiontimes.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <map>
#include <utility>

namespace longpole {

namespace {

QString reductionText(const ReductionTimes& reductions)
{
    if (reductions.count == 0) return {};
    return tr("Of %1 reductions, the first contribution waited %2 for the last on average; the result came %3 later.")
        .arg(formatCount(reductions.count), formatTime(reductions.spread), formatTime(reductions.tree));
}

// What PEs wait for most: a reduction or barrier before a task of the program, or quiescence that it asked for.
struct Awaited {
    NamedEntry subject{};  // no name: unknown
    bool isQuiescence = false;
};

Awaited awaitedOf(const TreeFacts& facts, EntryId entry)
{
    const Entry* known = facts.inputs.store.entry(entry);
    if (known == nullptr || !isOfQuiescence(*known)) return {namedEntry(facts, entry), false};
    const EntryId asking = programEntryOf(facts.inputs.store, facts.inputs.graph, entry).entry;
    return {{asking == noEntry ? QString() : nameOf(facts, asking), QString()}, true};
}

// "PE 0 waits" where nearly all of it is its: only the PE with the task that asks for quiescence waits for that.
QString whoWaits(const TreeFacts& facts)
{
    constexpr double nearly = 0.9;
    const auto waited = [&facts](std::size_t pe) {
        return facts.labels.byPe[pe][static_cast<std::size_t>(IdleCause::Synchronization)];
    };
    std::size_t most = 0;
    for (std::size_t pe = 1; pe < facts.labels.byPe.size(); ++pe)
        if (waited(pe) > waited(most)) most = pe;
    const bool isOne = most < facts.labels.byPe.size() && most < facts.pes.size()
                       && double(waited(most))
                              >= nearly
                                     * double(facts.labels.total[static_cast<std::size_t>(IdleCause::Synchronization)]);
    return isOne ? tr("PE %1 waits").arg(index(facts.pes[most])) : tr("PEs wait");
}

QString synchronizationVerdict(const TreeFacts& facts, const QString& all, const Awaited& awaited)
{
    const QString& what = awaited.subject.name;
    if (awaited.isQuiescence)
        return what.isEmpty()
                   ? tr("%1 for quiescence, reductions and barriers: %2 in all, mostly for quiescence.")
                         .arg(whoWaits(facts), all)
                   : tr("%1 for quiescence, reductions and barriers: %2 in all, mostly for quiescence in %3.")
                         .arg(whoWaits(facts), all, what);
    if (what.isEmpty()) return tr("PEs wait for reductions and barriers: %1 in all.").arg(all);
    return tr("PEs wait for reductions and barriers: %1 in all, mostly before %2.").arg(all, what);
}

QString synchronizationAction(const Awaited& awaited, bool isTree)
{
    if (awaited.isQuiescence) return tr("Count what has to be done, or use a reduction, instead of quiescence.");
    return (isTree ? tr("Go on with other work, or the next step, before the result is there.")
                   : tr("Let PEs that are done go on with what does not need the result."))
           % QLatin1Char(' ') % tr("Reducing less often saves work as well.");
}

QString synchronizationTitle(const Awaited& awaited)
{
    const QString& what = awaited.subject.name;
    if (awaited.isQuiescence)
        return what.isEmpty() ? tr("Wait less often for quiescence")
                              : tr("Wait less often for quiescence in %1").arg(what);
    if (what.isEmpty()) return tr("Overlap reductions with other work");
    return tr("Overlap the reduction before %1 with other work").arg(what);
}

// The time in which any PE waits so, at most: less than that can't be saved of the duration.
TimeNs timeWaited(const TreeFacts& facts)
{
    const IdleLabels& labels = facts.labels;
    TimeNs sum = 0;
    for (std::size_t stage = 0; stage < labels.byStage.size(); ++stage)
        if (stage < facts.scope.has.size() && facts.scope.has[stage])
            addSaturating(sum, std::min(labels.byStage[stage][static_cast<std::size_t>(IdleCause::Synchronization)],
                                        labels.stageEdges[stage + 1] - labels.stageEdges[stage]));
    return sum;
}

Result<NodeWords> synchronizationWords(const TreeFacts& facts, const Awaited& awaited, TimeNs imbalance)
{
    const auto reductions = facts.inputs.results.ask(ReductionTimesQuestion{}, facts.progress);
    if (!reductions) return reductions.error();
    const TimeNs idle = facts.scope.usage.idle;
    const WorkMeanwhile& meanwhile = facts.scope.synchronization;
    const bool isTree = meanwhile.none > meanwhile.one + meanwhile.more;
    NodeWords words{.verdict = synchronizationVerdict(facts, formatTime(facts.scope.idleOf(IdleCause::Synchronization)),
                                                      awaited),
                    .meaning = {},
                    .action = synchronizationAction(awaited, isTree)};
    QStringList meaning;
    if (!awaited.subject.owner.isEmpty()) meaning << awaited.subject.owner;
    meaning << (awaited.isQuiescence ? tr("That is %1 of all idle time: %2 while others worked, %3 while none did.")
                                     : tr("That is %1 of their idle time: %2 while others worked, %3 while none did "
                                          "but for the reduction itself."))
                   .arg(shareText(double(meanwhile.sum()), double(idle)),
                        shareText(double(meanwhile.one + meanwhile.more), double(idle)),
                        shareText(double(meanwhile.none), double(idle)));
    if (const QString text = reductionText(**reductions); !text.isEmpty() && !awaited.isQuiescence) meaning << text;
    if (imbalance > 0)
        meaning << tr("%1 of it would go with an even load, and counts as imbalance.").arg(formatTime(imbalance));
    if (facts.bottleneck.isThere())
        meaning << tr("PE %1 works nearly all that time: it holds the others up.")
                       .arg(index(facts.pes[facts.bottleneck.pe]));
    words.meaning = meaning.join(QLatin1Char(' '));
    return words;
}

}  // namespace

Result<Judged> judgeSynchronization(const TreeFacts& facts, TreeNode node)
{
    if (facts.pes.size() < 2)
        return notJudged(std::move(node), tr("The run has one PE: it waits for no other."), {tr("a second PE")});
    const TimeNs idle = facts.scope.usage.idle;
    const TimeNs all = facts.scope.idleOf(IdleCause::Synchronization);
    if (all == 0 && lacksNames(facts.inputs.store))
        return notJudged(
            std::move(node),
            tr("Reductions are known by the names of the run-time system's entry methods, which this trace "
               "lacks."),
            {tr("the .sts file of the program (--symbols)")});
    const WorkMeanwhile& meanwhile = facts.scope.synchronization;
    // Waiting for processors with more work is load imbalance, as far as an even spread would give the time back.
    const TimeNs imbalance = facts.isImbalanced() ? std::min(meanwhile.one + meanwhile.more,
                                                             static_cast<TimeNs>(facts.imbalance.work()
                                                                                 * double(facts.scope.usage.user)))
                                                  : 0;
    node.severity = all - imbalance;
    node.tests = {above(tr("idle time that a reduction, a barrier or their result ended, of idle time"),
                        MetricKind::Share, idle > 0 ? double(node.severity) / double(idle) : 0,
                        facts.inputs.thresholds.synchronization.idleShare, "synchronization.idle_share")};
    const auto waiting = mostOf(facts.scope.byEntry, IdleCause::Synchronization, 1);
    const bool isFound = node.tests[0].fired;
    const Awaited awaited = waiting.empty() || !isFound ? Awaited{} : awaitedOf(facts, waiting.front().first);
    NodeWords words;
    if (isFound) {
        Result<NodeWords> said = synchronizationWords(facts, awaited, imbalance);
        if (!said) return said.error();
        words = std::move(*said);
    }
    node.why = isFound ? whyOf(words)
                       : seldomWaited(facts, all, node.severity, tr("No PE waited for a reduction or barrier."),
                                      tr("PEs waited %1 for reductions and barriers, of which %2 would go with an even "
                                         "load and counts as imbalance."),
                                      tr("PEs seldom waited for reductions and barriers."));
    settle(facts, node, isFound);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = idleEvidence(facts, IdleCause::Synchronization, mostShown);
    Advice advice = adviceOf(facts, node, synchronizationTitle(awaited), words,
                             LossSql(facts)
                                 .idle("cause = 'synchronization'")
                                 .counting(node.severity, all, "the rest would go with an even load")
                                 .text());
    if (!waiting.empty()) advice.entry = waiting.front().first;
    const TimeNs limit = facts.duration - facts.leastInPlace();
    if (const TimeNs waited = std::min(timeWaited(facts), node.severity); waited < limit) advice.bound = waited;
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

}  // namespace longpole
