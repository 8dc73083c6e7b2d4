// SPDX-License-Identifier: GPL-3.0-or-later
// The upper part of the decision tree: when and where the run did badly, and in which kind of time it lost.
#include "analysis/expert/nodes.h"

#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace longpole {

namespace {

Usage usageIn(const TreeFacts& facts, TimeRange period)
{
    Usage sum;
    for (std::size_t s = 0; s < facts.stages.count(); ++s) {
        const TimeRange stage = facts.stages.range(s);
        if (stage.begin < period.begin || stage.end > period.end) continue;
        sum.user += facts.perStage[s].user;
        sum.idle += facts.perStage[s].idle;
        sum.overhead += facts.perStage[s].overhead;
    }
    return sum;
}

// The period's processor with least user time.
ProcessorId worstIn(const TreeFacts& facts, TimeRange period)
{
    std::size_t worst = 0;
    TimeNs least = maxTime;
    for (std::size_t pe = 0; pe < facts.pes.size(); ++pe) {
        const TimeNs user = facts.usageIn(period, pe).user;
        if (user < least) worst = pe;
        least = std::min(least, user);
    }
    return facts.pes[worst];
}

QString usageText(const Usage& usage)
{
    const auto part = [&usage](TimeNs time) { return shareText(double(time), double(usage.sum())); };
    return tr("%1 user, %2 idle, %3 overhead").arg(part(usage.user), part(usage.idle), part(usage.overhead));
}

QString ranges(const TreeFacts& facts, const std::vector<TimeRange>& periods)
{
    QStringList texts;
    for (std::size_t i = 0; i < std::min(mostShown, periods.size()); ++i)
        texts << tr("%1 to %2")
                     .arg(formatTime(facts.startOf(periods[i].begin)), formatTime(facts.startOf(periods[i].end)));
    if (periods.size() > mostShown) texts << tr("%1 more").arg(formatCount(std::int64_t(periods.size() - mostShown)));
    return texts.join(QStringLiteral(", "));
}

std::vector<Evidence> periodEvidence(const TreeFacts& facts)
{
    std::vector<Evidence> found;
    for (const TimeRange& period : facts.scope.periods)
        found.push_back(
            {.pe = worstIn(facts, period), .range = period, .tasks = {}, .text = usageText(usageIn(facts, period))});
    const auto lost = [&facts](const Evidence& e) {
        return usageIn(facts, e.range).idle + usageIn(facts, e.range).overhead;
    };
    std::stable_sort(found.begin(), found.end(),
                     [&](const Evidence& a, const Evidence& b) { return lost(a) > lost(b); });
    if (found.size() > mostShown) found.resize(mostShown);
    return found;
}

TimeNs speculativeTime(const TreeFacts& facts)
{
    TimeNs sum = 0;
    for (const SpeculativeSeries& series : facts.inputs.shared.speculative) sum = std::max(sum, series.totalOutdated);
    return sum;
}

NodeTest followed(const TreeFacts& facts, const QString& metric, TimeNs severity)
{
    NodeTest test = above(metric, MetricKind::Share, facts.share(severity), facts.inputs.thresholds.tree.stopBelow,
                          "tree.stop_below");
    test.fired = facts.isFollowed(severity);
    return test;
}

}  // namespace

Result<Judged> judgeWhen(const TreeFacts& facts, TreeNode node)
{
    if (facts.isShort())
        return notJudged(std::move(node),
                         tr("The run is too short to judge: %1 tasks in %2.")
                             .arg(formatCount(facts.tasks), formatTime(facts.duration)),
                         {tr("a longer run")});
    const Thresholds::When& when = facts.inputs.thresholds.when;
    const double all = facts.processorTime > 0 ? double(facts.work) / double(facts.processorTime) : 1;
    const bool hasPeriods = !facts.badPeriods.empty();
    node.tests = {below(hasPeriods ? tr("utilization of the period that lost most")
                                   : tr("utilization of the worst stage"),
                        MetricKind::Share, facts.worstUtilization, when.utilization, "when.utilization"),
                  below(tr("utilization of the whole run"), MetricKind::Share, all, when.whole, "when.whole"),
                  above(tr("user time on values out of date"), MetricKind::Share,
                        facts.work > 0 ? double(speculativeTime(facts)) / double(facts.work) : 0,
                        facts.inputs.thresholds.speculative.share, "speculative.share")};
    node.tests[0].fired = hasPeriods;
    node.severity = facts.scope.lost() + speculativeTime(facts);
    if (hasPeriods && !facts.scope.isWhole)
        node.why = facts.inputs.store.words()
                       .say(tr("Utilization falls below %1 from %2: %3 of the run, where it is %4 on average and %5 of "
                               "the run's "
                               "PE-time is lost."),
                            tr("Utilization falls below %1 from %2: %3 of the run, where it is %4 on average and %5 of "
                               "the run's rank-time is lost."))
                       .arg(formatShare(when.utilization), ranges(facts, facts.scope.periods),
                            shareText(double(facts.scope.length), double(facts.duration)),
                            shareText(double(facts.scope.usage.user), double(facts.scope.usage.sum())),
                            formatShare(facts.share(facts.scope.lost())));
    else
        node.why = facts.inputs.store.words()
                       .say(tr("Over the whole run %1 of the PE-time is user time."),
                            tr("Over the whole run %1 of the rank-time is user time."))
                       .arg(formatShare(all));
    if (!facts.isFollowed(node.severity))
        node.why += QLatin1Char(' ')
                    % tr("What is lost is %1 of it: nothing to look for.").arg(formatShare(facts.share(node.severity)));
    else if (!hasPeriods && all >= when.whole && !node.tests[2].fired)
        node.why += QLatin1Char(' ')
                    % tr("No part of the run stays below %1: nothing to look for.").arg(formatShare(when.utilization));
    settle(facts, node, node.tests[0].fired || node.tests[1].fired || node.tests[2].fired);
    if (node.verdict == Verdict::Fired) node.evidence = periodEvidence(facts);
    return Judged{std::move(node), {}};
}

Result<Judged> judgeWhere(const TreeFacts& facts, TreeNode node)
{
    node.severity = facts.scope.lost() + speculativeTime(facts);
    if (facts.pes.size() < 2)
        return notJudged(std::move(node), tr("The run has one processor."), {tr("a second processor")});
    const Thresholds::Where& where = facts.inputs.thresholds.where;
    const double length = double(std::max<TimeNs>(facts.scope.length, 1));
    std::vector<double> used;
    for (const Usage& usage : facts.scope.perPe) used.push_back(double(usage.user) / length);
    const double mean = std::accumulate(used.begin(), used.end(), 0.0) / double(used.size());
    double square = 0;
    for (const double u : used) square += (u - mean) * (u - mean);
    const double deviation = std::sqrt(square / double(used.size()));
    const double distance = std::max(where.below, where.deviations * deviation);
    std::vector<ProcessorId> low;
    double least = 1;
    for (std::size_t pe = 0; pe < used.size(); ++pe) {
        least = std::min(least, used[pe]);
        if (used[pe] < mean - distance) low.push_back(facts.pes[pe]);
    }
    node.tests = {above(tr("how far the worst processor's utilization lies below the mean"), MetricKind::Share,
                        mean - least, distance, distance == where.below ? "where.below" : "where.deviations")};
    node.why = low.empty() ? tr("All processors are alike: utilization is %1 on average, and none lies %2 below it.")
                                 .arg(formatShare(mean), formatShare(distance))
                           : facts.inputs.store.words()
                                 .say(tr("PE %1: below %2, when the mean is %3."),
                                      tr("Rank %1: below %2, when the mean is %3."))
                                 .arg(formatProcessors(low), formatShare(mean - distance), formatShare(mean));
    settle(facts, node, !low.empty());
    if (node.verdict == Verdict::Fired)
        for (std::size_t i = 0; i < std::min(mostShown, low.size()); ++i)
            node.evidence.push_back(
                {.pe = low[i], .range = facts.scope.window, .tasks = {}, .text = tr("less used than the others")});
    return Judged{std::move(node), {}};
}

Result<Judged> judgeKind(const TreeFacts& facts, TreeNode node)
{
    const Usage& usage = facts.scope.usage;
    const TimeNs speculative = speculativeTime(facts);
    node.severity = facts.scope.lost() + speculative;
    const bool isIdle = usage.idle >= usage.overhead;
    node.tests = {followed(facts, tr("idle time, of the run"), usage.idle),
                  followed(facts, tr("overhead, of the run"), usage.overhead)};
    if (speculative > 0) node.tests.push_back(followed(facts, tr("user time on values out of date"), speculative));
    node.why =
        facts.inputs.store.words()
            .say(tr("Of the PE-time looked at %1 is user time, %2 idle and %3 overhead: most of what is lost is %4."),
                 tr("Of the rank-time looked at %1 is user time, %2 idle and %3 overhead: most of what is lost is %4."))
            .arg(shareText(double(usage.user), double(usage.sum())), shareText(double(usage.idle), double(usage.sum())),
                 shareText(double(usage.overhead), double(usage.sum())),
                 speculative > std::max(usage.idle, usage.overhead) ? tr("user time in vain")
                 : isIdle                                           ? tr("idle time")
                                                                    : tr("overhead"));
    settle(facts, node, std::any_of(node.tests.begin(), node.tests.end(), [](const NodeTest& t) { return t.fired; }));
    return Judged{std::move(node), {}};
}

Result<Judged> judgeIdle(const TreeFacts& facts, TreeNode node)
{
    node.severity = facts.scope.usage.idle;
    node.tests = {followed(facts, tr("idle time, of the run"), node.severity)};
    if (facts.hasTasks()) {
        QStringList parts;
        const auto add = [&](const QString& words, IdleCause cause) {
            if (const TimeNs time = facts.scope.idleOf(cause); time > 0)
                parts << words.arg(shareText(double(time), double(facts.scope.usage.idle)));
        };
        add(tr("%1 before messages that were not sent yet while no task waited anywhere"), IdleCause::Parallelism);
        add(facts.inputs.graph.hasRanks ? tr("%1 for a message, or another call of one rank, that came late")
                                        : tr("%1 while another processor had tasks waiting"),
            IdleCause::Imbalance);
        add(tr("%1 with the message under way"), IdleCause::Latency);
        add(tr("%1 with it there"), IdleCause::Scheduling);
        add(facts.inputs.graph.hasRanks ? tr("%1 in collective calls of all for all")
                                        : tr("%1 for reductions and barriers"),
            IdleCause::Synchronization);
        add(tr("%1 after the last task"), IdleCause::End);
        node.why = facts.inputs.store.words()
                       .say(tr("Processors idled for %1 of the run's PE-time%2."),
                            tr("Processors idled for %1 of the run's rank-time%2."))
                       .arg(formatShare(facts.share(node.severity)),
                            parts.isEmpty() ? QString() : tr(": of that %1").arg(parts.join(QStringLiteral(", "))));
    } else {
        node.why = facts.inputs.store.words()
                       .say(tr("Processors idled for %1 of the run's PE-time."),
                            tr("Processors idled for %1 of the run's rank-time."))
                       .arg(formatShare(facts.share(node.severity)));
    }
    settle(facts, node, node.tests[0].fired);
    return Judged{std::move(node), {}};
}

Result<Judged> judgeOverhead(const TreeFacts& facts, TreeNode node)
{
    node.severity = facts.scope.usage.overhead;
    node.tests = {followed(facts, tr("overhead, of the run"), node.severity)};
    TimeNs pack = 0, flush = 0, untraced = 0;
    for (const ProcessorId pe : facts.pes)
        if (const Processor* processor = facts.inputs.store.processor(pe)) {
            pack += processor->pack;
            flush += processor->flush;
            untraced += processor->untraced;
        }
    node.why = facts.inputs.graph.hasRanks
                   ? tr("%1 of the run's rank-time passed in MPI without waiting for another rank.")
                         .arg(formatShare(facts.share(node.severity)))
                   : tr("%1 of the run's PE-time is neither user nor idle time: the scheduler, and in the whole run %2 "
                        "packing, %3 "
                        "writing of logs and %4 without tracing.")
                         .arg(formatShare(facts.share(node.severity)), formatTime(pack), formatTime(flush),
                              formatTime(untraced));
    settle(facts, node, node.tests[0].fired);
    return Judged{std::move(node), {}};
}

Result<Judged> judgeUser(const TreeFacts& facts, TreeNode node)
{
    node.severity = speculativeTime(facts);
    node.tests = {followed(facts, tr("user time on values out of date, of the run"), node.severity)};
    node.why = node.severity > 0 ? tr("%1 of the run's PE-time was work on values that were out of date.")
                                       .arg(formatShare(facts.share(node.severity)))
                                 : tr("No user time is known to have been spent in vain.");
    settle(facts, node, node.tests[0].fired);
    return Judged{std::move(node), {}};
}

}  // namespace longpole
