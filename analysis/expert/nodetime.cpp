// SPDX-License-Identifier: GPL-3.0-or-later
// The upper part of the decision tree: whether every rank had a core, when and where the run did badly, and in which
// kind of time it lost.
#include "analysis/expert/nodes.h"

#include "analysis/base/naming.h"
#include "analysis/expert/expertwords.h"
#include "analysis/expert/lossql.h"
#include "analysis/expert/plausibility.h"
#include "analysis/facts/uncounted.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace longpole {

namespace {

// How all of them used their time; of ranks' overhead, what was start-up and shut-down.
struct UsageOfAll {
    Usage usage;
    TimeNs starting = 0;
    TimeNs lost() const { return usage.idle + usage.overhead - starting; }
};

UsageOfAll usageIn(const TreeFacts& facts, TimeRange period)
{
    UsageOfAll found;
    Usage& sum = found.usage;
    for (std::size_t s = 0; s < facts.stages.count(); ++s) {
        const TimeRange stage = facts.stages.range(s);
        if (stage.begin < period.begin || stage.end > period.end) continue;
        addSaturating(sum.user, facts.perStage[s].user);
        addSaturating(sum.idle, facts.perStage[s].idle);
        addSaturating(sum.overhead, facts.perStage[s].overhead);
        addSaturating(found.starting, facts.starting[s]);
    }
    return found;
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

// What follows "PEs are".
QString usageText(const UsageOfAll& all, Vocabulary words)
{
    const Usage& usage = all.usage;
    const auto part = [&usage](TimeNs time) { return shareText(double(time), double(usage.sum())); };
    const QString rest = part(usage.overhead - all.starting);
    if (!words.ofRanks()) return tr("%1 busy, %2 idle, %3 overhead").arg(part(usage.user), part(usage.idle), rest);
    return tr("%1 busy, %2 idle, %3 in start-up and shut-down, %4 in MPI otherwise")
        .arg(part(usage.user), part(usage.idle), part(all.starting), rest);
}

std::vector<Evidence> periodEvidence(const TreeFacts& facts)
{
    const Vocabulary words = facts.inputs.store.words();
    std::vector<Evidence> found;
    for (const TimeRange& period : facts.scope.periods)
        found.push_back({.pe = worstIn(facts, period),
                         .range = period,
                         .text = words.say(tr("all PEs together: %1"), tr("all ranks together: %1"))
                                     .arg(usageText(usageIn(facts, period), words))});
    const auto lost = [&facts](const Evidence& e) { return usageIn(facts, e.range).lost(); };
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

// What the user wanted left out, and how much of the run that is; empty if nothing.
QString leftOutText(const TreeFacts& facts)
{
    const Thresholds::Without& without = facts.inputs.thresholds.without;
    if (!without.any()) return {};
    return (without.interrupted <= 0 ? tr("Start-up is left out, %1 of the run.")
            : without.startup <= 0   ? tr("Parts with interrupted tasks are left out, %1 of the run.")
                                     : tr("Start-up and parts with interrupted tasks are left out, %1 of the run."))
        .arg(formatShare(facts.leftOutShare()));
}

NodeTest followed(const TreeFacts& facts, const QString& metric, TimeNs severity)
{
    NodeTest test = above(metric, MetricKind::Share, facts.share(severity), facts.inputs.thresholds.tree.stopBelow,
                          "tree.stop_below");
    test.fired = facts.isFollowed(severity);
    return test;
}

NodeWords coreWords(const TraceInfo& info, const CoreWaits& waits)
{
    const QString time = formatTime(waits.time), share = formatShare(waits.share);
    if (!waits.isShort)
        return {.verdict = tr("There was a core for every rank, but ranks waited for theirs for %1 in all, %2 of their "
                              "time.")
                               .arg(time, share),
                .meaning = tr("Others ran on these cores."),
                .action = tr("Run where nothing else takes the cores, and bind the ranks to them.")};
    const QString cores = counted("%1 cores", "%1 core", info.cores),
                  ranks = counted("%1 ranks", "%1 rank", info.processors);
    return {
        .verdict =
            waits.isMeasured
                ? tr("%1 shared %2 and waited for one for %3 in all, %4 of their time.").arg(ranks, cores, time, share)
                : tr("%1 shared %2, so that %3 of their time, at least, passed without one.").arg(ranks, cores, share),
        .meaning = waits.haveOthersMost() ? othersText(waits)
                                          : tr("A rank without a core keeps those waiting that wait for it."),
        .action = (waits.haveOthersMost() ? tr("Run where nothing else takes the cores, and start at most %1 there.")
                                          : tr("Start at most %1 there, or give each rank a core of its own."))
                      .arg(counted("%1 ranks", "%1 rank", info.cores))};
}

// Whose waits were not measured stands for all.
Evidence longestWithoutCore(const TreeFacts& facts, const CoreWaits& waits)
{
    const TraceInfo& info = facts.inputs.store.info();
    Evidence evidence{.pe = facts.pes.front(), .range = info.range()};
    const auto longest = std::ranges::find(facts.pes, info.withoutCoreMost,
                                           [](ProcessorId pe) { return static_cast<std::int64_t>(index(pe)); });
    if (longest != facts.pes.end()) {
        evidence.pe = *longest;
        evidence.text = tr("waited longest for a core, of all ranks");
    } else
        evidence.text = waits.isShort ? tr("ranks shared cores")
                                      : tr("others ran on cores of ranks, this one's or others'");
    return evidence;
}

// Adds up to the waits' time.
QString coreSql(const TraceInfo& info, const CoreWaits& waits)
{
    if (waits.isMeasured)
        return QStringLiteral("SELECT min(value, %1) AS lost_ns FROM meta WHERE key = 'without_core_ns'")
            .arg(saturatingMultiply(info.duration(), info.processors));
    return QStringLiteral(
        "SELECT (ranks.value - cores.value) * (last.value - first.value) AS lost_ns "
        "FROM meta AS ranks, meta AS cores, meta AS last, meta AS first WHERE ranks.key = 'processors' "
        "AND cores.key = 'cores' AND last.key = 'end_ns' AND first.key = 'begin_ns'");
}

// Of a run that did well; `busy`: its share.
QString nothingLostText(const TreeFacts& facts, double busy)
{
    constexpr double much = 0.05;
    const TimeNs starting = facts.scope.starting;
    if (const double mayWait = shareThatMayWait(facts.inputs.store); mayWait >= much)
        return tr("Ranks are %1 busy over the whole run, but calls of threads and devices that may be waiting take %2 "
                  "of their time.")
            .arg(formatShare(busy), formatShare(mayWait));
    if (starting > facts.scope.lost())
        return tr("Ranks are %1 busy over the whole run, start-up and shut-down take %2: nothing to look for between.")
            .arg(formatShare(busy), formatShare(facts.share(starting)));
    return facts.inputs.store.words()
        .say(tr("PEs are %1 busy over the whole run: nothing to look for."),
             tr("Ranks are %1 busy over the whole run: nothing to look for."))
        .arg(formatShare(busy));
}

}  // namespace

Result<Judged> judgeCores(const TreeFacts& facts, TreeNode node)
{
    constexpr double often = 0.1;
    const TraceInfo& info = facts.inputs.store.info();
    const CoreWaits waits = coreWaits(info);
    if (facts.isShort()) return notJudged(std::move(node), tr("The run is too short to judge."), {tr("a longer run")});
    node.severity = waits.time;
    node.tests = {above(tr("time that ranks could have run and had no core, of their time"), MetricKind::Share,
                        waits.share, waits.isShort ? 0 : often, "")};
    const NodeWords words = coreWords(info, waits);
    const bool isFound = node.tests[0].fired;
    node.why = isFound ? whyOf(words) : tr("There was a core for every rank.");
    settle(facts, node, isFound);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = {longestWithoutCore(facts, waits)};
    Advice advice = adviceOf(facts, node,
                             waits.isShort && !waits.haveOthersMost() ? tr("Start no more ranks than cores")
                                                                      : tr("Run where nothing else takes the cores"),
                             words, coreSql(info, waits));
    advice.scope = {};
    advice.range = info.range();
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

Result<Judged> judgeWhen(const TreeFacts& facts, TreeNode node)
{
    if (facts.isShort())
        return notJudged(std::move(node),
                         tr("The run is too short to judge: %1 in %2.")
                             .arg(counted("%1 tasks", "%1 task", facts.tasks), formatTime(facts.duration)),
                         {tr("a longer run")});
    if (facts.scope.length == 0 && facts.duration > 0)
        return notJudged(std::move(node), tr("Nothing is left of the run.") % QLatin1Char(' ') % leftOutText(facts),
                         {tr("a run that is interrupted less")});
    const Thresholds::When& when = facts.inputs.thresholds.when;
    const Vocabulary words = facts.inputs.store.words();
    const double all = facts.processorTime > 0 ? double(facts.work) / double(facts.processorTime) : 1;
    const bool hasPeriods = !facts.badPeriods.empty();
    node.tests = {below(hasPeriods ? tr("busy time of the slow stretch that lost most")
                                   : tr("busy time of the worst stage"),
                        MetricKind::Share, facts.worstUtilization, when.utilization, "when.utilization"),
                  below(tr("busy time of the whole run"), MetricKind::Share, all, when.whole, "when.whole"),
                  above(tr("busy time on values out of date"), MetricKind::Share,
                        facts.work > 0 ? double(speculativeTime(facts)) / double(facts.work) : 0,
                        facts.inputs.thresholds.speculative.share, "speculative.share")};
    node.tests[0].fired = hasPeriods;
    node.severity = facts.scope.lost() + speculativeTime(facts);
    const bool isFound = node.tests[0].fired || node.tests[1].fired || node.tests[2].fired;
    if (!facts.isFollowed(node.severity) || !isFound) {
        const WaitedAtEnd atEnd = waitedAtEnd(facts.inputs.store);
        if (atEnd.isMuch() && facts.inputs.store.info().hasRanks())
            node.why =
                tr("Ranks are %1 busy over the whole run. They waited in MPI_Finalize for rank %2, for %3 in all, "
                   "%4 of their time: look at what that rank does last.")
                    .arg(formatShare(all), QString::number(index(atEnd.last->pe)), formatTime(atEnd.time),
                         formatShare(atEnd.share));
        else node.why = nothingLostText(facts, all);
        settle(facts, node, false);
        return Judged{std::move(node), {}};
    }
    const bool isSlow = double(facts.scope.usage.user) < when.exit * double(facts.scope.usage.sum());
    if (hasPeriods && !facts.scope.isWhole && !isSlow)  // what is left of it, where parts are left out
        node.why = words
                       .say(tr("Judged are %1, %2 of its length: PEs are %3 busy there. That loses %4 of PE-time."),
                            tr("Judged are %1, %2 of its length: ranks are %3 busy there. That loses %4 of rank-time."))
                       .arg(counted("%1 stretches of the run", "%1 stretch of the run",
                                    std::int64_t(facts.scope.periods.size())),
                            shareText(double(facts.scope.length), double(facts.duration)),
                            shareText(double(facts.scope.usage.user), double(facts.scope.usage.sum())),
                            formatShare(facts.share(facts.scope.lost())));
    else if (hasPeriods && !facts.scope.isWhole)
        node.why =
            words
                .say(tr("The run is slow in %1, %2 of its length: PEs are %3 busy there. That loses %4 of PE-time."),
                     tr("The run is slow in %1, %2 of its length: ranks are %3 busy there. That loses %4 of "
                        "rank-time."))
                .arg(counted("%1 stretches", "%1 stretch", std::int64_t(facts.scope.periods.size())),
                     shareText(double(facts.scope.length), double(facts.duration)),
                     shareText(double(facts.scope.usage.user), double(facts.scope.usage.sum())),
                     formatShare(facts.share(facts.scope.lost())));
    else if (facts.scope.starting > 0)
        node.why = tr("Ranks are %1 busy over the whole run; start-up and shut-down take %2. The rest loses %3 of "
                      "rank-time.")
                       .arg(formatShare(all), formatShare(facts.share(facts.scope.starting)),
                            formatShare(facts.share(facts.scope.lost())));
    else
        node.why = words
                       .say(tr("PEs are %1 busy over the whole run. That loses %2 of PE-time."),
                            tr("Ranks are %1 busy over the whole run. That loses %2 of rank-time."))
                       .arg(formatShare(all), formatShare(facts.share(facts.scope.lost())));
    if (const QString text = leftOutText(facts); !text.isEmpty()) node.why += QLatin1Char(' ') % text;
    settle(facts, node, true);
    node.evidence = periodEvidence(facts);
    return Judged{std::move(node), {}};
}

Result<Judged> judgeWhere(const TreeFacts& facts, TreeNode node)
{
    node.severity = facts.scope.lost() + speculativeTime(facts);
    const Vocabulary words = facts.inputs.store.words();
    if (facts.pes.size() < 2)
        return notJudged(std::move(node), words.say(tr("The run has one PE."), tr("The run has one rank.")),
                         {words.say(tr("a second PE"), tr("a second rank"))});
    const Thresholds::Where& where = facts.inputs.thresholds.where;
    const double length = double(std::max<TimeNs>(facts.scope.length, 1));
    std::vector<double> used;
    for (const Usage& usage : facts.scope.perPe) used.push_back(double(usage.user) / length);
    const double mean = std::accumulate(used.begin(), used.end(), 0.0) / double(used.size());
    double square = 0;
    for (const double u : used) square += (u - mean) * (u - mean);
    const double deviation = std::sqrt(square / double(used.size()));
    const double distance = std::max(where.below, where.deviations * deviation);
    std::vector<std::size_t> low;
    double least = 1, sumOfLow = 0;
    for (std::size_t pe = 0; pe < used.size(); ++pe) {
        least = std::min(least, used[pe]);
        if (used[pe] >= mean - distance) continue;
        low.push_back(pe);
        sumOfLow += used[pe];
    }
    node.tests = {above(words.say(tr("how much less busy than the mean the least busy PE is"),
                                  tr("how much less busy than the mean the least busy rank is")),
                        MetricKind::Share, mean - least, distance,
                        distance == where.below ? "where.below" : "where.deviations")};
    std::vector<ProcessorId> lowPes;
    lowPes.reserve(low.size());
    for (const std::size_t pe : low) lowPes.push_back(facts.pes[pe]);
    if (low.empty() && mean - least > where.below)
        node.why = words
                       .say(tr("No PE stands out: they differ widely, from %2 busy to a mean of %1."),
                            tr("No rank stands out: they differ widely, from %2 busy to a mean of %1."))
                       .arg(formatShare(mean), formatShare(least));
    else if (low.empty())
        node.why = words
                       .say(tr("No PE stands out: the mean is %1 busy, the least busy PE %2."),
                            tr("No rank stands out: the mean is %1 busy, the least busy rank %2."))
                       .arg(formatShare(mean), formatShare(least));
    else if (low.size() == 1)
        node.why = words
                       .say(tr("PE %1 was busy %2 of this time, the mean is %3."),
                            tr("Rank %1 was busy %2 of this time, the mean is %3."))
                       .arg(formatProcessors(lowPes), formatShare(used[low.front()]), formatShare(mean));
    else
        node.why = words
                       .say(tr("PEs %1 were busy %2 of this time on average, the mean of all is %3."),
                            tr("Ranks %1 were busy %2 of this time on average, the mean of all is %3."))
                       .arg(formatProcessors(lowPes), formatShare(sumOfLow / double(low.size())), formatShare(mean));
    settle(facts, node, !low.empty());
    if (node.verdict == Verdict::Fired)
        for (std::size_t i = 0; i < std::min(mostShown, low.size()); ++i) {
            const TimeRange window = facts.scope.window;
            const TimeNs busy = facts.usageIn(window, low[i]).user;
            node.evidence.push_back({.pe = lowPes[i],
                                     .range = window,
                                     .text = tr("busy for %1 of %2").arg(formatTime(busy), formatTime(window.length())),
                                     .time = busy,
                                     .sql = facts.hasTasks() ? busyTimeSql(lowPes[i], window) : QString()});
        }
    return Judged{std::move(node), {}};
}

Result<Judged> judgeKind(const TreeFacts& facts, TreeNode node)
{
    const Usage& usage = facts.scope.usage;
    const Vocabulary words = facts.inputs.store.words();
    const TimeNs speculative = speculativeTime(facts);
    const TimeNs overhead = usage.overhead - facts.scope.starting;
    node.severity = facts.scope.lost() + speculative;
    node.tests = {followed(facts, tr("idle time, of the run"), usage.idle),
                  followed(facts, tr("overhead, of the run"), overhead)};
    if (speculative > 0) node.tests.push_back(followed(facts, tr("busy time on values out of date"), speculative));
    node.why = (facts.scope.isWhole
                    ? words.say(tr("PEs are %1."), tr("Ranks are %1."))
                    : words.say(tr("In the slow stretches PEs are %1."), tr("In the slow stretches ranks are %1.")))
                   .arg(usageText({usage, facts.scope.starting}, words))
               % QLatin1Char(' ')
               % (std::none_of(node.tests.begin(), node.tests.end(), [](const NodeTest& t) { return t.fired; })
                      ? tr("No kind of lost time stands out.")
                  : speculative > std::max(usage.idle, overhead) ? tr("Busy time spent in vain is the problem.")
                  : usage.idle >= overhead                       ? tr("Idle time is the problem.")
                                                                 : tr("Overhead is the problem."));
    settle(facts, node, std::any_of(node.tests.begin(), node.tests.end(), [](const NodeTest& t) { return t.fired; }));
    return Judged{std::move(node), {}};
}

namespace {

// "Most of it: in transit 50.6 %, collective 31.2 %."
QString causesOfIdling(const TreeFacts& facts)
{
    constexpr std::size_t most = 3;
    std::vector<std::pair<TimeNs, IdleCause>> causes;
    for (std::size_t c = 0; c < idleCauseCount; ++c)
        if (const TimeNs time = facts.scope.idle[c]; time > 0) causes.emplace_back(time, static_cast<IdleCause>(c));
    std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (causes.size() > most) causes.resize(most);
    QStringList shown;
    for (const auto& [time, cause] : causes)
        shown << tr("%1 %2").arg(title(cause), shareText(double(time), double(facts.scope.usage.idle)));
    return shown.isEmpty() ? QString() : tr("Most of it: %1.").arg(shown.join(QStringLiteral(", ")));
}

}  // namespace

Result<Judged> judgeIdle(const TreeFacts& facts, TreeNode node)
{
    node.severity = facts.scope.usage.idle;
    node.tests = {followed(facts, tr("idle time, of the run"), node.severity)};
    node.why = facts.inputs.store.words()
                   .say(tr("PEs were idle for %1 of the run's PE-time."),
                        tr("Ranks were idle for %1 of the run's rank-time."))
                   .arg(formatShare(facts.share(node.severity)));
    if (const QString causes = facts.hasTasks() ? causesOfIdling(facts) : QString(); !causes.isEmpty())
        node.why += QLatin1Char(' ') % causes;
    if (const QString hidden = hiddenReductions(facts.inputs.store, facts.scope.idle); !hidden.isEmpty())
        node.why += QLatin1Char(' ') % hidden;
    settle(facts, node, node.tests[0].fired);
    return Judged{std::move(node), {}};
}

Result<Judged> judgeOverhead(const TreeFacts& facts, TreeNode node)
{
    node.severity = facts.scope.usage.overhead - facts.scope.starting;
    node.tests = {followed(facts, tr("overhead, of the run"), node.severity)};
    TimeNs pack = 0, flush = 0, untraced = 0;
    for (const ProcessorId pe : facts.pes)
        if (const Processor* processor = facts.inputs.store.processor(pe)) {
            addSaturating(pack, processor->pack);
            addSaturating(flush, processor->flush);
            addSaturating(untraced, processor->untraced);
        }
    const bool hasRanks = facts.inputs.store.info().hasRanks();
    node.why = (hasRanks ? tr("%1 of the run's rank-time passed in MPI without waiting for another rank.")
                         : tr("Overhead took %1 of the run's PE-time: the scheduler, and what no log covers."))
                   .arg(formatShare(facts.share(node.severity)));
    if (const QString text = awayText(facts); !text.isEmpty()) node.why += QLatin1Char(' ') % text;
    QStringList shown;
    if (pack > 0) shown << tr("%1 packing").arg(formatTime(pack));
    if (flush > 0) shown << tr("%1 writing of logs").arg(formatTime(flush));
    if (untraced > 0) shown << tr("%1 without tracing").arg(formatTime(untraced));
    if (!hasRanks && !shown.isEmpty())
        node.why += QLatin1Char(' ') % tr("In the whole run: %1.").arg(shown.join(QStringLiteral(", ")));
    settle(facts, node, node.tests[0].fired);
    return Judged{std::move(node), {}};
}

Result<Judged> judgeUser(const TreeFacts& facts, TreeNode node)
{
    node.severity = speculativeTime(facts);
    node.tests = {followed(facts, tr("busy time on values out of date, of the run"), node.severity)};
    node.why = node.severity > 0 ? tr("%1 of the run's PE-time was work on values that were out of date.")
                                       .arg(formatShare(facts.share(node.severity)))
                                 : tr("No busy time is known to have been spent in vain.");
    settle(facts, node, node.tests[0].fired);
    return Judged{std::move(node), {}};
}

}  // namespace longpole
