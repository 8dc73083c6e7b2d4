// SPDX-License-Identifier: GPL-3.0-or-later
// Branches D and J: work that is spread unevenly and could be moved, and a single processor that cannot give any away.
#include "analysis/expert/nodes.h"

#include "analysis/base/cells.h"
#include "analysis/expert/lossql.h"
#include "analysis/statistics/objectloads.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

struct Moves {
    std::vector<ObjectLoad> objects{};  // of processors above the mean
    std::vector<std::size_t> moved{};
    TimeNs before = 0, after = 0;  // largest load
};

Result<Moves> findMoves(const TreeFacts& facts)
{
    Moves moves;
    std::vector<TimeNs> loads;
    TimeNs sum = 0;
    for (const Usage& usage : facts.scope.perPe) {
        loads.push_back(usage.user);
        addSaturating(sum, usage.user);
    }
    std::vector<ProcessorId> above;
    for (std::size_t pe = 0; pe < loads.size(); ++pe)
        if (saturatingMultiply(loads[pe], std::ssize(loads)) > sum) above.push_back(facts.pes[pe]);
    auto objects = objectLoads(facts.inputs.store, above, facts.scope.periods, facts.progress);
    if (!objects) return objects.error();
    moves.objects = std::move(*objects);
    moves.before = *std::max_element(loads.begin(), loads.end());
    moves.moved = greedyMoves(loads, moves.objects, facts.pes);
    moves.after = *std::max_element(loads.begin(), loads.end());
    return moves;
}

// The heaviest of a processor's objects: "Block[3]"; empty if it has none.
QString heaviest(const TreeFacts& facts, const std::vector<ObjectLoad>& objects, std::size_t pe)
{
    for (const ObjectLoad& object : objects)
        if (object.pe == facts.pes[pe]) return nameOfObject(facts.inputs.store, object);
    return {};
}

QString moveText(const TreeFacts& facts, const Moves& moves)
{
    if (moves.moved.empty()) {
        const QString what = heaviest(facts, moves.objects, facts.imbalance.top);
        return what.isEmpty()
                   ? tr("Split its work, or place it differently.")
                   : tr("Split the work of %1, or place it differently: no object fits elsewhere.").arg(what);
    }
    return tr("Move %1: the largest load falls from %2 to %3.")
        .arg(moves.moved.size() == 1 ? nameOfObject(facts.inputs.store, moves.objects[moves.moved.front()])
                                     : tr("%1 objects").arg(formatCount(std::int64_t(moves.moved.size()))),
             formatTime(moves.before), formatTime(moves.after));
}

std::size_t busiestIn(const TreeFacts& facts, TimeRange range)
{
    std::size_t busiest = 0;
    TimeNs most = -1;
    for (std::size_t pe = 0; pe < facts.pes.size(); ++pe)
        if (const TimeNs busy = facts.usageIn(range, pe).user; busy > most) {
            busiest = pe;
            most = busy;
        }
    return busiest;
}

Evidence busyEvidence(const TreeFacts& facts, std::size_t pe)
{
    const TimeRange range = facts.scope.window;
    const TimeNs busy = facts.usageIn(range, pe).user;
    return {.pe = facts.pes[pe],
            .range = range,
            .text = tr("busy for %1 of %2").arg(formatTime(busy), formatTime(range.length())),
            .time = busy,
            .sql = busyTimeSql(facts.pes[pe], range)};
}

TimeNs busyInRun(const TreeFacts& facts, std::size_t pe)
{
    TimeNs busy = 0;
    for (std::size_t s = 0; s < facts.stages.count(); ++s) addSaturating(busy, facts.usage(pe, s).user);
    return busy;
}

// What was taken off as noise, and whom that makes look busier than the processor with most regular work.
QString noiseText(const TreeFacts& facts)
{
    const Imbalance& imbalance = facts.imbalance;
    if (imbalance.noise <= 0) return {};
    std::size_t busiest = 0;
    for (std::size_t pe = 1; pe < facts.pes.size(); ++pe)
        if (busyInRun(facts, pe) > busyInRun(facts, busiest)) busiest = pe;
    const QString noise = tr("Excludes %1 of unusually long tasks, perhaps interrupted by the system.")
                              .arg(formatTime(imbalance.noise));
    if (busiest == imbalance.top) return noise;
    return noise % QLatin1Char(' ')
           % facts.inputs.store.words()
                 .say(tr("PE %1 has most regular work; PE %2 is busier (%3) because of unusually long tasks."),
                      tr("Rank %1 has most regular work; rank %2 is busier (%3) because of unusually long tasks."))
                 .arg(index(facts.pes[imbalance.top]))
                 .arg(index(facts.pes[busiest]))
                 .arg(formatTime(busyInRun(facts, busiest)));
}

// Of those with most work, ascending: "1-3, 7"; empty where they are in too many places to list.
QString busiestNumbers(const TreeFacts& facts)
{
    constexpr qsizetype most = 4;
    const std::vector<std::size_t>& busiest = facts.imbalance.busiest;
    QStringList spans;
    for (std::size_t i = 0; i < busiest.size();) {
        std::size_t last = i;
        while (last + 1 < busiest.size() && index(facts.pes[busiest[last + 1]]) == index(facts.pes[busiest[last]]) + 1)
            ++last;
        const QString from = QString::number(index(facts.pes[busiest[i]]));
        spans << (last == i ? from
                            : QString(from % QLatin1Char('-') % QString::number(index(facts.pes[busiest[last]]))));
        i = last + 1;
    }
    return spans.size() > most ? QString() : spans.join(QLatin1String(", "));
}

// For how much of the run the one with most work has more than others. Ends with a blank, as what follows begins there.
QString tenthsOfTopText(const TreeFacts& facts, bool isPersistent)
{
    constexpr int nearlyAll = 9;
    const int tenths = facts.imbalance.tenthsOfTop;
    if (!isPersistent || tenths < 0) return {};
    return (tenths >= nearlyAll ? tr("The load is uneven like this throughout the run.")
                                : counted("The load is uneven like this in %1 of ten tenths of the run.",
                                          "The load is uneven like this in one of ten tenths of the run.", tenths))
           % QLatin1Char(' ');
}

// What an even load would give back. Of message-driven runs in proportion to the work of slow stretches: what waits for
// a long task, or for others, looks uneven there, too.
TimeNs givenBack(const TreeFacts& facts)
{
    if (facts.inputs.graph.hasRanks) return facts.imbalance.givenBack;
    return static_cast<TimeNs>(facts.imbalance.work() * double(facts.scope.usage.user));
}

// "Rank 3 takes longest in the code from MPI_Alltoall to MPI_Alltoall, rank 1 in the code from MPI_Recv to MPI_Send."
QString otherCodeText(const TreeFacts& facts, const std::vector<DelayCost>& late, const QString& text)
{
    const auto code = [&facts](const DelayCost& cost) { return codeInWords(facts.inputs.store, cost.entry); };
    const DelayCost& one = late.front();
    const DelayCost& other = *std::find_if(late.begin(), late.end(),
                                           [&one](const DelayCost& cost) { return cost.rank != one.rank; });
    return text.arg(QString::number(one.rank), code(one), QString::number(other.rank), code(other));
}

QString loadText(const TreeFacts& facts, bool isPersistent)
{
    const Imbalance& imbalance = facts.imbalance;
    const Vocabulary words = facts.inputs.store.words();
    if (!isPersistent)
        if (const std::vector<DelayCost> late = lateInOtherCode(facts); !late.empty())
            return otherCodeText(facts, late, tr("Rank %1 takes longest in %2, rank %3 in %4."));
    if (isPersistent) {
        const QString more = formatShare(imbalance.whole);
        if (imbalance.busiest.size() < 2)
            return words.say(tr("PE %1 has %2 more work than the mean."), tr("Rank %1 has %2 more work than the mean."))
                .arg(QString::number(index(facts.pes[imbalance.top])), more);
        if (const QString numbers = busiestNumbers(facts); !numbers.isEmpty())
            return words
                .say(tr("PEs %1 have up to %2 more work than the mean."),
                     tr("Ranks %1 have up to %2 more work than the mean."))
                .arg(numbers, more);
        return words
            .say(tr("%1 PEs have up to %2 more work than the mean."),
                 tr("%1 ranks have up to %2 more work than the mean."))
            .arg(formatCount(std::int64_t(imbalance.busiest.size())), more);
    }
    return words
        .say(tr("Load moves between PEs: in an average tenth of the run, one has %1 more work than the mean."),
             tr("Load moves between ranks: in an average tenth of the run, one has %1 more work than the mean."))
        .arg(formatShare(imbalance.tenths));
}

QString fillableText(const TreeFacts& facts)
{
    return facts.inputs.store.words()
        .say(tr("Other PEs idled for %1 that work of others could have filled."),
             tr("Other ranks idled for %1 that work of others could have filled."))
        .arg(formatTime(facts.fillable()));
}

// What an even load would give back is counted by tenths, where that is more.
QString tenthsText(const TreeFacts& facts, bool isPersistent)
{
    if (!isPersistent || facts.imbalance.tenths <= 1.05 * facts.imbalance.whole) return {};
    return facts.inputs.store.words()
               .say(tr("In an average tenth of it the busiest PE has %1 more."),
                    tr("In an average tenth of it the busiest rank has %1 more."))
               .arg(formatShare(facts.imbalance.tenths))
           % QLatin1Char(' ');
}

Result<Advice> balanceAdvice(const TreeFacts& facts, const TreeNode& node, NodeWords words, bool isPersistent)
{
    const bool isOne = facts.imbalance.busiest.size() < 2;
    const QString numbers = busiestNumbers(facts);
    const std::vector<DelayCost> late = isPersistent ? std::vector<DelayCost>() : lateInOtherCode(facts);
    QString title;
    if (!late.empty()) {
        title = tr("Balance the work in each part of the code by itself");
        words.action = otherCodeText(facts, late, tr("Give rank %1 less to do in %2, and rank %3 less in %4."));
    } else if (facts.inputs.graph.hasRanks) {
        title = !isPersistent       ? tr("Divide the work anew as the load moves")
                : isOne             ? tr("Give rank %1 less work").arg(numbers)
                : numbers.isEmpty() ? tr("Give the ranks with most work less")
                                    : tr("Give ranks %1 less work").arg(numbers);
        words
            .action = !isPersistent ? tr("Divide the data anew when the load has moved.")
                      : isOne
                          ? tr("Give rank %1 a smaller part of the data, or let other ranks take some.").arg(numbers)
                          : tr(
                              "Give these ranks a smaller part of the data, or let others take some: to relieve one of "
                              "them alone saves next to nothing.");
    } else {
        const Result<Moves> moves = findMoves(facts);
        if (!moves) return moves.error();
        title = moves->moved.empty() ? isOne               ? tr("Spread the work of PE %1").arg(numbers)
                                       : numbers.isEmpty() ? tr("Spread the work of the PEs with most")
                                                           : tr("Spread the work of PEs %1").arg(numbers)
                : !isPersistent ? tr("Balance the load more often")
                : isOne              ? tr("Move objects away from PE %1").arg(numbers)
                : numbers.isEmpty()  ? tr("Move objects away from the PEs with most work")
                                     : tr("Move objects away from PEs %1").arg(numbers);
        words.action = isPersistent || moves->moved.empty() ? moveText(facts, *moves) : tr("Rebalance more often.");
    }
    LossSql sql(facts);
    sql.idle("cause IN ('imbalance', 'end') OR (cause = 'synchronization' AND working IN ('one', 'more'))")
        .counting(node.severity, facts.fillable(), "an even spread would give back no more");
    Advice advice = adviceOf(facts, node, title, words, sql.text());
    advice.bound = std::max<TimeNs>(0, facts.duration - facts.leastDuration());
    if (!isPersistent && !facts.inputs.graph.hasRanks) {  // over the whole run there is little to balance
        advice.replay = std::make_shared<const ReplayQuestion>(ReplayQuestion{.perfectBalance = true,
                                                                              .balanceParts = 10});
        advice.replayOption = QStringLiteral("--balance tenths");
        advice.replayChange = tr(
            "In the replay every PE has the same work in each tenth of the run, its tasks scaled for that. What you "
            "change may save more or less.");
    }
    return advice;
}

bool gathers(const TreeFacts& facts, EntryId entry)
{
    return index(entry) < facts.gathering.size() && facts.gathering[index(entry)];
}

NodeWords bottleneckWords(const TreeFacts& facts)
{
    const Bottleneck& hot = facts.bottleneck;
    const std::uint32_t top = index(facts.pes[hot.pe]);
    const EntryId entry = hot.entry != noEntry ? hot.entry : hot.objects.front().entry;
    const QString what = facts.inputs.graph.hasRanks ? codeInWords(facts.inputs.store, entry) : nameOf(facts, entry);
    NodeWords words;
    if (facts.inputs.graph.hasRanks) {
        words.verdict = tr("The other ranks wait for rank %1, mostly while it is in %2.").arg(top).arg(what);
        words.meaning = tr("They idled for %1 while it was busy.").arg(formatTime(hot.idleBeside));
        words.action = tr("Shorten %1 on rank %2, or divide it among the ranks.").arg(what, QString::number(top));
        return words;
    }
    words.verdict = tr("The other PEs wait for PE %1: it is busy %2 of this time, they %3.")
                        .arg(top)
                        .arg(formatShare(hot.busy), formatShare(hot.others));
    QStringList meaning;
    if (hot.entry != noEntry)
        meaning << tr("It runs %1 for %2 more than the others do.").arg(what, formatTime(hot.more));
    meaning << tr("The others idled for %1 while it was busy.").arg(formatTime(hot.idleBeside))
            << (hot.isOfOne ? tr("%1 of its work is of one object: moving objects would not spread it.")
                            : tr("%1 of its work is of objects that cannot migrate or of one large one: moving objects "
                                 "would not spread it."))
                   .arg(formatShare(hot.fixed));
    words.meaning = meaning.join(QLatin1Char(' '));
    words.action = gathers(facts, entry)
                       ? tr("Combine contributions on the way, in a tree, so that few are left for PE %1.").arg(top)
                       : tr("Divide %1 among several objects, or do less per request.").arg(what);
    return words;
}

Advice bottleneckAdvice(const TreeFacts& facts, const TreeNode& node, const NodeWords& words)
{
    const Bottleneck& hot = facts.bottleneck;
    const std::uint32_t top = index(facts.pes[hot.pe]);
    const EntryId entry = hot.entry != noEntry ? hot.entry : hot.objects.front().entry;
    LossSql sql(facts);
    sql.besideBusy(facts.pes[hot.pe]).counting(node.severity, hot.idleBeside, "an even spread would give back no more");
    Advice advice = adviceOf(facts, node,
                             facts.inputs.store.words()
                                 .say(tr("Take work off PE %1, or divide %2"),
                                      tr("Take work off rank %1, or divide %2"))
                                 .arg(QString::number(top), facts.inputs.graph.hasRanks
                                                                ? codeInWords(facts.inputs.store, entry)
                                                                : nameOf(facts, entry)),
                             words, sql.text());
    advice.entry = entry;
    advice.bound = std::max<TimeNs>(0, facts.duration - facts.workPerProcessor());
    return advice;
}

QString noBottleneckText(const TreeFacts& facts)
{
    const Bottleneck& hot = facts.bottleneck;
    const Vocabulary words = facts.inputs.store.words();
    const std::uint32_t top = index(facts.pes[hot.pe]);
    if (hot.isBusy && !hot.isAwaited)
        return tr("Rank %1 is busy %2 of this time, the others %3, but these wait mostly for others than it.")
            .arg(QString::number(top), formatShare(hot.busy), formatShare(hot.others));
    if (hot.isBusy && !hot.isOfMany && hot.fixed > 0.5)
        return words
            .say(tr("PE %1 is busy %2 of this time, the others %3, but with few long tasks: see whether tasks are too "
                    "long."),
                 tr("Rank %1 is busy %2 of this time, the others %3, but with few long pieces of code: see where the "
                    "load "
                    "is uneven."))
            .arg(QString::number(top), formatShare(hot.busy), formatShare(hot.others));
    if (hot.isBusy && !facts.inputs.graph.hasRanks)
        return tr("PE %1 is busy %2 of this time, but its work could be moved: %3 of it is fixed.")
            .arg(top)
            .arg(formatShare(hot.busy), formatShare(hot.fixed));
    if (hot.asBusy > 0)
        return words
            .say(tr("No PE alone holds the others up: %1 are as busy as PE %2, which is %3."),
                 tr("No rank alone holds the others up: %1 are as busy as rank %2, which is %3."))
            .arg(counted("%1 others", "%1 other", hot.asBusy), QString::number(top), formatShare(hot.busy));
    return words
        .say(tr("No PE holds the others up: the busiest, PE %1, is busy %2, the others %3."),
             tr("No rank holds the others up: the busiest, rank %1, is busy %2, the others %3."))
        .arg(top)
        .arg(formatShare(hot.busy), formatShare(hot.others));
}

QString balancedText(const TreeFacts& facts, bool isPersistent)
{
    const Vocabulary words = facts.inputs.store.words();
    const std::uint32_t top = index(facts.pes[facts.imbalance.top]);
    if (facts.bottleneck.isThere())
        return words
            .say(tr("PE %1 has most work, but cannot give it away: it is a bottleneck."),
                 tr("Rank %1 has most work, but cannot give it away: it is a bottleneck."))
            .arg(top);
    if (facts.isSerial() && facts.imbalance.work() > facts.inputs.thresholds.balance.work)
        return tr("Rank %1 has most work, %2 more than the mean, but ranks work one after the other: moving it saves "
                  "next to nothing.")
            .arg(top)
            .arg(formatShare(facts.imbalance.whole));
    if (!facts.imbalance.isAwaited && facts.imbalance.work() > facts.inputs.thresholds.balance.work)
        return tr("Rank %1 has most work, %2 more than the mean, but ranks wait mostly for others.")
            .arg(top)
            .arg(formatShare(facts.imbalance.whole));
    if (facts.isImbalanced())
        return loadText(facts, isPersistent) % QLatin1Char(' ') % explainsOnly(facts, facts.fillable());
    return words
        .say(tr("Work is spread evenly: PE %1 has most, %2 more than the mean."),
             tr("Work is spread evenly: rank %1 has most, %2 more than the mean."))
        .arg(top)
        .arg(formatShare(facts.imbalance.whole));
}

}  // namespace

Result<Judged> judgeBalance(const TreeFacts& facts, TreeNode node)
{
    const Vocabulary said = facts.inputs.store.words();
    if (facts.pes.size() < 2)
        return notJudged(std::move(node),
                         said.say(tr("The run has one PE: there is nothing to balance."),
                                  tr("The run has one rank: there is nothing to balance.")),
                         {said.say(tr("a second PE"), tr("a second rank"))});
    const Thresholds::Balance& limits = facts.inputs.thresholds.balance;
    const TimeNs idle = facts.scope.usage.idle;
    const Imbalance& imbalance = facts.imbalance;
    node.severity = std::min(facts.fillable(), std::max(givenBack(facts), TimeNs{0}));
    node.tests = {above(said.say(tr("work of the PE with most over the mean, minus one"),
                                 tr("work of the rank with most over the mean, minus one")),
                        MetricKind::Share, imbalance.work(), limits.work, "balance.work"),
                  above(said.say(tr("tasks of the PE with most over the mean, minus one"),
                                 tr("tasks of the rank with most over the mean, minus one")),
                        MetricKind::Share, imbalance.tasks, limits.tasks, "balance.tasks"),
                  above(tr("idle time that work waiting or running elsewhere could have filled, of idle time"),
                        MetricKind::Share, idle > 0 ? double(facts.fillable()) / double(idle) : 0, limits.idleShare,
                        "balance.idle_share")};
    const bool isPersistent = imbalance.whole >= limits.persistent * imbalance.tenths;
    const bool isFound = node.tests[0].fired && imbalance.isAwaited && node.tests[2].fired
                         && !facts.bottleneck.isThere() && !facts.isSerial();
    if (facts.bottleneck.isThere())
        node.change = said.say(tr("Found if less than half of what PE %1 does had to stay there."),
                               tr("Found if less than half of what rank %1 does had to stay there."))
                          .arg(index(facts.pes[imbalance.top]));
    NodeWords words{.verdict = loadText(facts, isPersistent),
                    .meaning = tenthsOfTopText(facts, isPersistent) % tenthsText(facts, isPersistent)
                               % fillableText(facts),
                    .action = {}};
    if (facts.inputs.graph.hasRanks)
        if (const QString cause = delayText(facts); !cause.isEmpty()) words.meaning += QLatin1Char(' ') % cause;
    if (const QString noise = noiseText(facts); !noise.isEmpty()) words.meaning += QLatin1Char(' ') % noise;
    node.why = isFound ? whyOf(words) : balancedText(facts, isPersistent);
    settle(facts, node, isFound);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = {busyEvidence(facts, isPersistent ? imbalance.top : busiestIn(facts, facts.scope.window))};
    std::vector<Evidence> waits = waitsForOthers(facts, mostShown - 1);
    if (waits.empty()) waits = idleEvidence(facts, IdleCause::Imbalance, mostShown - 1);
    for (Evidence& evidence : waits) node.evidence.push_back(std::move(evidence));
    Result<Advice> advice = balanceAdvice(facts, node, words, isPersistent);
    if (!advice) return advice.error();
    node.advice = advice->title;
    return Judged{std::move(node), {std::move(*advice)}};
}

Result<Judged> judgeBottleneck(const TreeFacts& facts, TreeNode node)
{
    const Vocabulary said = facts.inputs.store.words();
    if (facts.pes.size() < 2)
        return notJudged(std::move(node),
                         said.say(tr("The run has one PE: there is none that it could hold up."),
                                  tr("The run has one rank: there is none that it could hold up.")),
                         {said.say(tr("a second PE"), tr("a second rank"))});
    const Bottleneck& hot = facts.bottleneck;
    node.tests = {above(said.say(tr("busy time of the busiest PE"), tr("busy time of the busiest rank")),
                        MetricKind::Share, hot.busy, facts.inputs.thresholds.bottleneck.busy, "bottleneck.busy"),
                  below(tr("busy time of the others, on average"), MetricKind::Share, hot.others,
                        facts.inputs.thresholds.when.utilization, "when.utilization")};
    // The others' idle time while it was busy, as far as spreading its work evenly would give it back.
    node.severity = hot.isThere()
                        ? std::min({facts.scope.usage.idle, hot.idleBeside, hot.givenBack})
                        : std::min(facts.scope.usage.idle, facts.fillable() + facts.besideOne() + facts.besideSome());
    if (hot.isBusy)
        node.tests.push_back(above(tr("part of its busy time that cannot be moved elsewhere"), MetricKind::Share,
                                   hot.fixed, 0.5, ""));
    const NodeWords words = hot.isThere() ? bottleneckWords(facts) : NodeWords{};
    node.why = hot.isThere() ? whyOf(words) : noBottleneckText(facts);
    settle(facts, node, hot.isThere());
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = {busyEvidence(facts, hot.pe)};
    Advice advice = bottleneckAdvice(facts, node, words);
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

}  // namespace longpole
