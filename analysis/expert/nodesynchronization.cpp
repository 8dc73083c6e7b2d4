// SPDX-License-Identifier: GPL-3.0-or-later
// Branch G: processors that wait for reductions, barriers and the broadcasts of their results.
#include "analysis/expert/nodes.h"

#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

// Reductions as merges show them: from the end of the first contribution to the begin of the task that waits for all.
struct Reductions {
    std::int64_t count = 0;
    TimeNs spread = 0;    // first to last contribution, mean
    TimeNs tree = 0;      // last contribution to the result, mean
    double together = 0;  // how many were under way at a time, while any was
};

Reductions reductionsOf(const ActivityGraph& graph, const std::vector<MergeEdge>& merges)
{
    Reductions found;
    std::vector<TimeRange> spans;
    TimeNs spread = 0, tree = 0;
    for (std::size_t first = 0, last = 0; first < merges.size(); first = last) {
        TimeNs earliest = maxTime, latest = minTime;
        for (last = first; last < merges.size() && merges[last].task == merges[first].task; ++last) {
            if (merges[last].kind != MergeKind::Reduction) continue;
            const TimeNs contributed = graph.begin[merges[last].source] + merges[last].offset;
            earliest = std::min(earliest, contributed);
            latest = std::max(latest, contributed);
        }
        if (latest == minTime) continue;
        const TimeNs begin = graph.begin[merges[first].task];
        spans.push_back({earliest, begin});
        spread += latest - earliest;
        tree += std::max<TimeNs>(0, begin - latest);
        ++found.count;
    }
    if (found.count == 0) return found;
    found.spread = spread / found.count;
    found.tree = tree / found.count;
    std::sort(spans.begin(), spans.end());
    TimeNs sum = 0, covered = 0, until = minTime;
    for (const TimeRange& span : spans) {
        sum += span.length();
        covered += std::max<TimeNs>(0, span.end - std::max(span.begin, until));
        until = std::max(until, span.end);
    }
    found.together = covered > 0 ? double(sum) / double(covered) : 0;
    return found;
}

QString reductionText(const Reductions& reductions)
{
    if (reductions.count == 0) return {};
    return QLatin1Char(' ')
           % tr("Of %1 messages that gathered contributions, the first waited %2 for the last on average, and the "
                "result "
                "came %3 later.")
                 .arg(formatCount(reductions.count), formatTime(reductions.spread), formatTime(reductions.tree));
}

// Says what overlapping could gain at most. It leaves every task on its processor.
QString overlapText(const TreeFacts& facts)
{
    const TimeNs least = facts.leastInPlace();
    return tr("Overlap alone gains no more than %1 of the run: the busiest processor works for %2 of it. To "
              "reduce less often saves work as well.")
        .arg(formatTime(std::max<TimeNs>(0, facts.duration - least)), formatTime(least));
}

}  // namespace

Result<Judged> judgeSynchronization(const TreeFacts& facts, TreeNode node)
{
    if (facts.pes.size() < 2)
        return notJudged(std::move(node), tr("The run has one processor: it waits for no other."),
                         {tr("a second processor")});
    const TimeNs idle = facts.scope.usage.idle;
    const TimeNs all = facts.scope.idleOf(IdleCause::Synchronization);
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
    node.why =
        tr("%1 of the idle time ended with a reduction, a barrier or the broadcast of a result: %2 while others still "
           "worked, %3 while only the reduction itself was under way.")
            .arg(shareText(double(all), double(idle)), shareText(double(meanwhile.one + meanwhile.more), double(idle)),
                 shareText(double(meanwhile.none), double(idle)));
    if (imbalance > 0)
        node.why += QLatin1Char(' ')
                    % tr("%1 is put down to load imbalance.").arg(shareText(double(imbalance), double(idle)));
    if (facts.bottleneck.isThere() && node.tests[0].fired)
        node.why += QLatin1Char(' ')
                    % tr("But PE %1 works nearly all that time: it holds the others up (J).")
                          .arg(index(facts.pes[facts.bottleneck.pe]));
    settle(facts, node, node.tests[0].fired);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = idleEvidence(facts, IdleCause::Synchronization, mostShown);
    const auto waiting = mostOf(facts.labels.byEntry, IdleCause::Synchronization, 3);
    const QString what = waiting.empty() ? QString() : nameOf(facts, waiting.front().first);
    const bool isTree = meanwhile.none > meanwhile.one + meanwhile.more;
    QString text = node.why;
    if (!waiting.empty())
        text += QLatin1Char(' ')
                % tr("Most was waited for %1.")
                      .arg(namesOf(facts, waiting, facts.labels.total[std::size_t(IdleCause::Synchronization)]));
    text += reductionText(reductionsOf(facts.inputs.graph, facts.inputs.merges.edges)) % QLatin1Char(' ');
    text +=
        isTree ? tr(
            "Nothing else is done while it is under way: go on with other work, or the next step, before the result "
            "is there; or solve several problems at once, so that one reduces while the others compute.")
               : tr(
                   "Processors wait for the last to contribute: let those that are done go on with what does not need "
                   "the "
                   "result.");
    text += QLatin1Char(' ') % overlapText(facts);
    Advice advice = adviceOf(facts, node,
                             what.isEmpty() ? tr("Overlap reductions with other work")
                                            : tr("Overlap the reduction before %1 with other work").arg(what),
                             text);
    if (!waiting.empty()) advice.entry = waiting.front().first;
    advice.bound = std::max<TimeNs>(0, facts.duration - facts.leastInPlace());
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

}  // namespace longpole
