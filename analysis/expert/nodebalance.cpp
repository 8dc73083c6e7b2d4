// SPDX-License-Identifier: GPL-3.0-or-later
// Branches D and J: work that is spread unevenly and could be moved, and a single processor that cannot give any away.
#include "analysis/expert/nodes.h"

#include "analysis/statistics/objectloads.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

// The PE-time that an even spread of the scope's work would give back: PEs x largest - sum, for the whole or by tenths.
TimeNs givenBack(const TreeFacts& facts)
{
    return static_cast<TimeNs>(facts.imbalance.work() * double(facts.scope.usage.user));
}

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
        sum += usage.user;
    }
    std::vector<ProcessorId> above;
    for (std::size_t pe = 0; pe < loads.size(); ++pe)
        if (loads[pe] * static_cast<TimeNs>(loads.size()) > sum) above.push_back(facts.pes[pe]);
    auto objects = objectLoads(facts.inputs.store, above, facts.scope.periods, facts.progress);
    if (!objects) return objects.error();
    moves.objects = std::move(*objects);
    moves.before = *std::max_element(loads.begin(), loads.end());
    moves.moved = greedyMoves(loads, moves.objects, facts.pes);
    moves.after = *std::max_element(loads.begin(), loads.end());
    return moves;
}

// The heaviest of the top processor's objects, "Block[3] (41 %), ..."
QString heaviest(const TreeFacts& facts, const std::vector<ObjectLoad>& objects, std::size_t most)
{
    const ProcessorId top = facts.pes[facts.imbalance.top];
    double whole = 0;
    for (const ObjectLoad& object : objects)
        if (object.pe == top) whole += double(object.time);
    QStringList names;
    for (const ObjectLoad& object : objects)
        if (object.pe == top && std::size_t(names.size()) < most)
            names << tr("%1 (%2)").arg(nameOfObject(facts.inputs.store, object), shareText(double(object.time), whole));
    return names.join(QStringLiteral(", "));
}

QString moveText(const TreeFacts& facts, const Moves& moves)
{
    const QString top = facts.inputs.store.words()
                            .say(tr("PE %1 has most: %2."), tr("Rank %1 has most: %2."))
                            .arg(index(facts.pes[facts.imbalance.top]))
                            .arg(heaviest(facts, moves.objects, 3));
    if (moves.moved.empty())
        return top % QLatin1Char(' ')
               % tr(
                   "Nothing of it is an array element that would fit elsewhere: its place is fixed by the program, so "
                   "split "
                   "its work or map it differently.");
    return top % QLatin1Char(' ')
           % tr("Moving %1 lowers the largest load from %2 to %3.")
                 .arg(moves.moved.size() == 1 ? nameOfObject(facts.inputs.store, moves.objects[moves.moved.front()])
                                              : tr("%1 objects").arg(formatCount(std::int64_t(moves.moved.size()))),
                      formatTime(moves.before), formatTime(moves.after));
}

std::vector<Evidence> loadEvidence(const TreeFacts& facts, std::size_t pe, TimeRange range)
{
    return {{.pe = facts.pes[pe],
             .range = range,
             .tasks = {},
             .text = tr("most user time: %1 of %2")
                         .arg(formatTime(facts.usageIn(range, pe).user), formatTime(range.length()))}};
}

QString bottleneckText(const TreeFacts& facts)
{
    const Bottleneck& hot = facts.bottleneck;
    if (!hot.isThere())
        return tr("Only %1 of what it does has to stay there, moving the rest is load balance: %2.")
            .arg(formatShare(hot.fixed), heaviest(facts, hot.objects, 3));
    QString text =
        tr("No move would spread %1 of what it does: objects that stay where they are, or one that would take its load "
           "along (%2). The others idled for %3 while it was busy; spread evenly, its work would give back %4.")
            .arg(formatShare(hot.fixed), heaviest(facts, hot.objects, 3), formatTime(hot.idleBeside),
                 formatTime(hot.givenBack));
    if (hot.entry != noEntry)
        text += QLatin1Char(' ')
                % tr("What it does more of than they is %1: for %2 more than their mean.")
                      .arg(nameOf(facts, hot.entry), formatTime(hot.more));
    return text;
}

Advice bottleneckAdvice(const TreeFacts& facts, const TreeNode& node)
{
    const Bottleneck& hot = facts.bottleneck;
    const std::uint32_t top = index(facts.pes[hot.pe]);
    const EntryId entry = hot.entry != noEntry ? hot.entry : hot.objects.front().entry;
    const bool gathers = index(entry) < facts.gathering.size() && facts.gathering[index(entry)];
    Advice advice = adviceOf(
        facts, node,
        facts.inputs.store.words()
            .say(tr("Take work off PE %1, or divide %2"), tr("Take work off rank %1, or divide %2"))
            .arg(top)
            .arg(nameOf(facts, entry)),
        node.why % QLatin1Char(' ')
            % (gathers ? facts.inputs.store.words()
                             .say(tr("It hears of every processor, one after the other, before they go on: let them "
                                     "combine their contributions on the way, in a tree, so that few are left for it; "
                                     "other work in the meantime would not shorten what PE %1 does."),
                                  tr("It hears of every processor, one after the other, before they go on: let them "
                                     "combine their contributions on the way, in a tree, so that few are left for it; "
                                     "other work in the meantime would not shorten what rank %1 does."))
                             .arg(top)
                       : tr("All others wait for it: several objects in its place, each with a share of the "
                            "requests, or less work per request, let them go on.")));
    advice.entry = entry;
    advice.bound = std::max<TimeNs>(0, facts.duration - facts.workPerProcessor());
    advice.sql = QStringLiteral(
                     "SELECT entry.name, count(*) AS tasks, sum(task.exclusive_ns) AS user_ns FROM task JOIN entry ON "
                     "entry.id = task.entry WHERE pe = %1 GROUP BY 1 ORDER BY user_ns DESC")
                     .arg(top);
    return advice;
}

Advice balanceAdvice(const TreeFacts& facts, const TreeNode& node, const Moves& moves, bool isPersistent)
{
    const QString title = moves.moved.empty()
                              ? facts.inputs.store.words()
                                    .say(tr("Spread the work of PE %1"), tr("Spread the work of rank %1"))
                                    .arg(index(facts.pes[facts.imbalance.top]))
                          : isPersistent
                              ? facts.inputs.store.words()
                                    .say(tr("Move objects away from PE %1"), tr("Move objects away from rank %1"))
                                    .arg(index(facts.pes[facts.imbalance.top]))
                              : tr("Balance the load more often");
    Advice advice = adviceOf(facts, node, title, node.why % QLatin1Char(' ') % moveText(facts, moves));
    advice.bound = std::max<TimeNs>(0, facts.duration - facts.leastDuration());
    advice.sql = QStringLiteral(
                     "SELECT pe, count(*) AS tasks, sum(exclusive_ns) AS user_ns FROM task WHERE begin_ns < %2 AND "
                     "end_ns > %1 GROUP BY pe ORDER BY user_ns DESC")
                     .arg(advice.range.begin)
                     .arg(advice.range.end);
    return advice;
}

}  // namespace

Result<Judged> judgeBalance(const TreeFacts& facts, TreeNode node)
{
    if (facts.pes.size() < 2)
        return notJudged(std::move(node), tr("The run has one processor: there is nothing to balance."),
                         {tr("a second processor")});
    const Thresholds::Balance& limits = facts.inputs.thresholds.balance;
    const TimeNs idle = facts.scope.usage.idle;
    const Imbalance& imbalance = facts.imbalance;
    node.severity = std::min(facts.fillable(), std::max(givenBack(facts), TimeNs{0}));
    node.tests = {above(tr("user time of the processor with most over the mean, minus one"), MetricKind::Share,
                        imbalance.work(), limits.work, "balance.work"),
                  above(tr("tasks of the processor with most over the mean, minus one"), MetricKind::Share,
                        imbalance.tasks, limits.tasks, "balance.tasks"),
                  above(tr("idle time that work waiting or running elsewhere could have filled, of idle time"),
                        MetricKind::Share, idle > 0 ? double(facts.fillable()) / double(idle) : 0, limits.idleShare,
                        "balance.idle_share")};
    const bool isPersistent = imbalance.whole >= limits.persistent * imbalance.tenths;
    node.why =
        facts.inputs.store.words()
            .say(
                tr("Over the run PE %1 has %2 more user time than the mean (%3 within tenths of the run), and most "
                   "tasks are %4 "
                   "above the mean; %5 of the idle time could have been filled with work of others. It takes the first "
                   "and the third; numbers of tasks say nothing of their time."),
                tr("Over the run rank %1 has %2 more user time than the mean (%3 within tenths of the run), and most "
                   "tasks are %4 above the mean; %5 of the idle time could have been filled with work of others. It "
                   "takes the first and the third; numbers of tasks say nothing of their time."))
            .arg(index(facts.pes[imbalance.top]))
            .arg(formatShare(imbalance.whole), formatShare(imbalance.tenths), formatShare(imbalance.tasks),
                 shareText(double(facts.fillable()), double(idle)));
    if (imbalance.noise > 0)
        node.why += QLatin1Char(' ')
                    % tr("%1 of user time is left out: rare tasks here and there that ran much longer than usual, "
                         "as if something else had interrupted them.")
                          .arg(formatTime(imbalance.noise));
    const bool fires = node.tests[0].fired && node.tests[2].fired && !facts.bottleneck.isThere();
    if (facts.bottleneck.isThere()) {
        node.why += QLatin1Char(' ')
                    % facts.inputs.store.words()
                          .say(tr("But most of what PE %1 does cannot be moved: it is a bottleneck."),
                               tr("But most of what rank %1 does cannot be moved: it is a bottleneck."))
                          .arg(index(facts.pes[imbalance.top]));
        node.change = facts.inputs.store.words()
                          .say(tr("It would fire if less than half of what PE %1 does had to stay there."),
                               tr("It would fire if less than half of what rank %1 does had to stay there."))
                          .arg(index(facts.pes[imbalance.top]));
    }
    settle(facts, node, fires);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.why += QLatin1Char(' ')
                % (isPersistent ? tr("The imbalance is persistent: the same processors have more throughout.")
                                : tr("The imbalance is transient: it moves from processor to processor."));
    node.evidence = loadEvidence(facts, facts.imbalance.top, facts.stages.whole());
    for (Evidence& evidence : idleEvidence(facts, IdleCause::Imbalance, mostShown - 1))
        node.evidence.push_back(std::move(evidence));
    const Result<Moves> moves = findMoves(facts);
    if (!moves) return moves.error();
    Advice advice = balanceAdvice(facts, node, *moves, isPersistent);
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

Result<Judged> judgeBottleneck(const TreeFacts& facts, TreeNode node)
{
    if (facts.pes.size() < 2)
        return notJudged(std::move(node), tr("The run has one processor: there is none that it could hold up."),
                         {tr("a second processor")});
    const Bottleneck& hot = facts.bottleneck;
    const ProcessorId top = facts.pes[hot.pe];
    node.tests = {above(tr("user time of the busiest processor"), MetricKind::Share, hot.busy,
                        facts.inputs.thresholds.bottleneck.busy, "bottleneck.busy"),
                  below(tr("user time of the others, on average"), MetricKind::Share, hot.others,
                        facts.inputs.thresholds.when.utilization, "when.utilization")};
    // The others' idle time while it was busy, as far as spreading its work evenly would give it back.
    node.severity = hot.isThere()
                        ? std::min({facts.scope.usage.idle, hot.idleBeside, hot.givenBack})
                        : std::min(facts.scope.usage.idle, facts.fillable() + facts.besideOne() + facts.besideSome());
    node.why = facts.inputs.store.words()
                   .say(tr("PE %1 is the busiest with %2 user time, the others have %3 on average."),
                        tr("Rank %1 is the busiest with %2 user time, the others have %3 on average."))
                   .arg(index(top))
                   .arg(formatShare(hot.busy), formatShare(hot.others));
    if (hot.isBusy) {
        node.tests.push_back(above(tr("of its user time, what cannot be moved elsewhere"), MetricKind::Share, hot.fixed,
                                   0.5, ""));
        node.why += QLatin1Char(' ') % bottleneckText(facts);
    }
    settle(facts, node, hot.isThere());
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = loadEvidence(facts, facts.bottleneck.pe, facts.scope.window);
    Advice advice = bottleneckAdvice(facts, node);
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

}  // namespace longpole
