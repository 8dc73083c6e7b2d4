// SPDX-License-Identifier: GPL-3.0-or-later
// Branches A and I: too few tasks at once and, as its extreme, one serial chain.
#include "analysis/expert/nodes.h"

#include "analysis/paths/taskquestions.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

// Idle time in which no task waited anywhere, without what a serial chain, messages or the order of tasks explain.
TimeNs unexplained(const TreeFacts& facts)
{
    return facts.besideSome() + (facts.hasSerialChain() ? 0 : facts.besideOne()) + facts.scope.parallelism.nothing;
}

double perProcessor(const TreeFacts& facts)
{
    const TimeNs path = facts.inputs.workAtMerges.length;
    return path > 0 && !facts.pes.empty() ? double(facts.work) / double(path) / double(facts.pes.size()) : 0;
}

QString exposingText(const TreeFacts& facts, const std::vector<ExposingTask>& tasks)
{
    QStringList texts;
    for (const ExposingTask& task : tasks)
        texts << tr("%1 on PE %2 (%3 of work waits for it, and it began %4 late)")
                     .arg(nameOf(facts, task.entry))
                     .arg(index(task.task.pe))
                     .arg(formatTime(task.dominated), formatTime(task.delay));
    return texts.join(QStringLiteral(", "));
}

Result<Advice> parallelismAdvice(const TreeFacts& facts, const TreeNode& node)
{
    const auto blamed = mostOf(facts.labels.blamed, IdleCause::Parallelism, 3);
    const bool isFew = node.tests.size() > 1 && node.tests[1].fired;
    const QString what = blamed.empty() ? QString() : nameOf(facts, blamed.front().first);
    const bool isUnseen = 2 * facts.scope.parallelism.nothing > node.severity;
    const auto waiting = mostOf(facts.labels.byEntry, IdleCause::Parallelism, 1);
    QString title = isUnseen && !waiting.empty()
                        ? tr("Find out what the run waits for before %1").arg(nameOf(facts, waiting.front().first))
                    : what.isEmpty() ? tr("Make more tasks that can run at once")
                    : isFew          ? tr("Split what %1 does into more tasks, or start it earlier").arg(what)
                                     : tr("Start %1 earlier").arg(what);
    QString text = node.why;
    if (!blamed.empty())
        text += QLatin1Char(' ')
                % tr("What the processors waited for is sent by %1.")
                      .arg(namesOf(facts, blamed, facts.labels.total[std::size_t(IdleCause::Parallelism)]));
    const auto exposing = facts.inputs.results.ask(ExposingQuestion{.edges = EdgeLevel::Messages, .count = 3},
                                                   facts.progress);
    if (!exposing) return exposing.error();
    if (!(*exposing)->empty())
        text += QLatin1Char(' ')
                % tr("Started earlier, these would let most other work begin: %1.")
                      .arg(exposingText(facts, **exposing));
    if (!isUnseen)
        text += QLatin1Char(' ')
                % (isFew ? tr("More and smaller objects per processor give each something to do while others "
                              "wait.")
                         : tr("There is parallelism enough over the run as a whole: it comes too late."));
    Advice advice = adviceOf(facts, node, title, text);
    advice.bound = std::max<TimeNs>(0, facts.duration - facts.workPerProcessor());
    if (!blamed.empty()) advice.entry = blamed.front().first;
    return advice;
}

}  // namespace

Result<Judged> judgeParallelism(const TreeFacts& facts, TreeNode node)
{
    if (facts.pes.size() < 2)
        return notJudged(std::move(node), tr("The run has one processor, which one task keeps busy."),
                         {tr("a second processor")});
    if (facts.inputs.store.info().messages == 0)
        return notJudged(std::move(node), tr("Nothing says what tasks waited for."), {tr("messages (creations)")});
    const Thresholds::Parallelism& limits = facts.inputs.thresholds.parallelism;
    const TimeNs idle = facts.scope.usage.idle;
    node.severity = unexplained(facts);
    node.tests = {above(tr("idle time that nothing but more or earlier tasks would fill, of idle time"),
                        MetricKind::Share, idle > 0 ? double(node.severity) / double(idle) : 0, limits.idleShare,
                        "parallelism.idle_share"),
                  below(tr("tasks that could run at once, per processor"), MetricKind::Ratio, perProcessor(facts),
                        limits.perProcessor, "parallelism.per_processor")};
    node.why =
        tr("%1 of the idle time nothing but more or earlier tasks would fill: no task waited anywhere, and no message "
           "under way, "
           "serial chain or order of tasks explains it. By its critical path, with merges, the run has %2 tasks for "
           "each "
           "processor at a time on average. The first test decides; the second one tells too few tasks from tasks that "
           "come too late.")
            .arg(shareText(double(node.severity), double(idle)), valueText(perProcessor(facts), MetricKind::Ratio));
    if (facts.hasSerialChain())
        node.why += QLatin1Char(' ')
                    % tr("What passed beside a single working processor (%1) is the serial chain's.")
                          .arg(shareText(double(facts.scope.parallelism.one), double(idle)));
    if (const TimeNs byOrder = std::min(facts.schedulingGain,
                                        facts.scope.parallelism.one + facts.scope.parallelism.more);
        byOrder > 0)
        node.why += QLatin1Char(' ')
                    % tr("%1 is left out: what question E advises would win that.")
                          .arg(shareText(double(byOrder), double(idle)));
    if (facts.scope.parallelism.nothing > 0)
        node.why += QLatin1Char(' ')
                    % tr("%1 passed while nobody worked and no message was under way: the run waited for what the "
                         "trace does not show, such as quiescence detection, a timer or input.")
                          .arg(shareText(double(facts.scope.parallelism.nothing), double(idle)));
    settle(facts, node, node.tests[0].fired);
    node.change = (node.verdict == Verdict::Fired ? tr("It would not fire with %1.") : tr("It would fire with %1."))
                      .arg(changeText(node.tests[0]));
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = idleEvidence(facts, IdleCause::Parallelism, mostShown);
    const Result<Advice> advice = parallelismAdvice(facts, node);
    if (!advice) return advice.error();
    node.advice = advice->title;
    return Judged{std::move(node), {*advice}};
}

Result<Judged> judgeSerialChain(const TreeFacts& facts, TreeNode node)
{
    if (facts.pes.size() < 2)
        return notJudged(std::move(node), tr("The run has one processor: all it does is a chain."),
                         {tr("a second processor")});
    if (!facts.hasMessages())
        return notJudged(std::move(node),
                         tr("No execution's message is known, so that chains of tasks cannot be followed."),
                         {tr("creations of messages")});
    const CriticalPath& path = facts.inputs.workAtMessages;
    node.severity = facts.besideOne();
    node.tests = {above(tr("work of the critical path, of the run"), MetricKind::Share, facts.chainShare,
                        facts.inputs.thresholds.serialChain.share, "serial_chain.share")};
    QStringList names;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, path.profile.size()); ++i)
        names << tr("%1 (%2)").arg(nameOf(facts, path.profile[i].entry), formatShare(path.profile[i].share));
    node.why = tr("The longest chain of messages computes for %1, %2 of the run, most of it in %3; %4 of the idle time "
                  "passed with nothing waiting anywhere while a single processor worked.")
                   .arg(formatTime(path.length), formatShare(facts.chainShare), names.join(QStringLiteral(", ")),
                        shareText(double(facts.scope.parallelism.one), double(facts.scope.usage.idle)));
    settle(facts, node, node.tests[0].fired);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    std::vector<PathStep> longest(path.steps);
    std::stable_sort(longest.begin(), longest.end(),
                     [](const PathStep& a, const PathStep& b) { return a.weight > b.weight; });
    for (const PathStep& step : longest) {
        if (node.evidence.size() == mostShown) break;
        if (facts.scope.inside({step.begin, step.end}) == 0) continue;
        node.evidence.push_back(
            {.pe = step.pe,
             .range = {step.begin, step.end},
             .tasks = {step.task},
             .text = tr("%1 for %2 on the critical path").arg(nameOf(facts, step.entry), formatTime(step.weight))});
    }
    const EntryId first = path.profile.empty() ? noEntry : path.profile.front().entry;
    Advice advice = adviceOf(
        facts, node,
        first == noEntry ? tr("Shorten the critical path")
                         : tr("Shorten %1 on the critical path, or break the chain").arg(nameOf(facts, first)),
        node.why % QLatin1Char(' ')
            % tr("However the other work is spread, the run takes at least %1 (the larger of the path, with "
                 "merges, and of the work per processor). Only less work on the path helps; \"longpole zeroing\" says "
                 "how "
                 "much shorter it gets without an entry method.")
                  .arg(formatTime(facts.leastDuration())));
    advice.bound = std::max<TimeNs>(0, facts.duration - facts.workPerProcessor());
    advice.entry = first;
    advice.sql = QStringLiteral(
                     "SELECT task, pe, begin_ns, end_ns, end_ns - begin_ns AS length_ns FROM task WHERE entry = %1 "
                     "ORDER BY length_ns DESC LIMIT 100")
                     .arg(index(first));
    node.advice = advice.title;
    return Judged{std::move(node), {advice}};
}

}  // namespace longpole
