// SPDX-License-Identifier: GPL-3.0-or-later
// Branches A and I: too few tasks at once and, as its extreme, one serial chain.
#include "analysis/expert/nodes.h"

#include "analysis/expert/lossql.h"
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

struct Blamed {
    QString sender{};       // the entry method that sent most of what PEs waited for; may be empty
    bool isUnseen = false;  // most of it passed while nothing of the trace went on
    bool isFew = false;     // there are too few tasks, else they come too late
};

Result<NodeWords> parallelismWords(const TreeFacts& facts, TimeNs severity, const Blamed& blamed)
{
    NodeWords words;
    words.verdict = blamed.isUnseen ? tr("PEs idled for %1 while nothing went on that the trace shows.")
                                          .arg(formatTime(facts.scope.parallelism.nothing))
                    : blamed.isFew
                        ? tr("There were too few tasks: PEs idled for %1 with none to run.").arg(formatTime(severity))
                        : tr("Work came too late: PEs idled for %1 with no task to run.").arg(formatTime(severity));
    QStringList meaning;
    if (blamed.isUnseen) meaning << tr("The run waited for quiescence detection, a timer or input.");
    else if (!blamed.isFew) meaning << tr("Over the run as a whole there are enough tasks: they come too late.");
    if (!blamed.sender.isEmpty() && !blamed.isUnseen)
        meaning << tr("Most of what PEs waited for is sent by %1.").arg(blamed.sender);
    const ExposingQuestion question;  // as longpole parallelism asks it
    const auto exposing = facts.inputs.results.ask(question, facts.progress);
    if (!exposing) return exposing.error();
    if (const QString late = exposingSentence(facts.inputs.store, **exposing, {}); !late.isEmpty()) meaning << late;
    if (facts.hasSerialChain())
        meaning << tr("%1 beside a single busy PE is counted under I.").arg(formatTime(facts.scope.parallelism.one));
    words.meaning = meaning.join(QLatin1Char(' '));
    words.action = blamed.isUnseen           ? tr("Find out what the run waits for there.")
                   : blamed.isFew            ? tr("Use more and smaller objects, so that each PE has several.")
                   : blamed.sender.isEmpty() ? tr("Start the work that others need earlier.")
                                             : tr("Start %1 earlier.").arg(blamed.sender);
    return words;
}

// The entry method that went on first when nothing had gone on: most PEs wait for what it sends.
QString afterUnseen(const TreeFacts& facts)
{
    const auto waiting = mostOf(facts.scope.byEntry, IdleCause::Parallelism, 1);
    const auto senders = mostOf(facts.scope.blamed, IdleCause::Parallelism, 1);
    if (waiting.empty()) return {};
    const bool isSent = !senders.empty() && senders.front().second > waiting.front().second / 2;
    return namedEntry(facts, isSent ? senders.front().first : waiting.front().first).name;
}

QString parallelismTitle(const TreeFacts& facts, const Blamed& blamed)
{
    if (const QString before = blamed.isUnseen ? afterUnseen(facts) : QString(); !before.isEmpty())
        return tr("Find out what the run waits for before %1").arg(before);
    if (blamed.sender.isEmpty()) return tr("Make more tasks that can run at once");
    return (blamed.isFew ? tr("Split what %1 does into more tasks, or start it earlier") : tr("Start %1 earlier"))
        .arg(blamed.sender);
}

QString parallelismSql(const TreeFacts& facts, TimeNs severity)
{
    const WorkMeanwhile& meanwhile = facts.scope.parallelism;
    const bool hasChain = facts.hasSerialChain();
    const TimeNs all = meanwhile.more + meanwhile.nothing + (hasChain ? 0 : meanwhile.one);
    LossSql sql(facts);
    sql.idle(hasChain ? "cause = 'parallelism' AND working IN ('more', 'nothing')"
                      : "cause = 'parallelism' AND working IN ('one', 'more', 'nothing')");
    return sql.counting(severity, all, "the advised priorities would win the rest").text();
}

QString enoughText(const TreeFacts& facts, TimeNs severity)
{
    const WorkMeanwhile& meanwhile = facts.scope.parallelism;
    const bool isOfOrder = std::min(facts.schedulingGain, meanwhile.one + meanwhile.more) > severity;
    if (severity <= 0 && !isOfOrder) return tr("There were enough tasks: no PE idled for lack of work.");
    const QString lack = tr("Lack of tasks explains %1 of the idle time.")
                             .arg(shareText(double(severity), double(facts.scope.usage.idle)));
    return (isOfOrder ? tr(
                "PEs idled for lack of tasks that would come earlier if critical ones did not wait in queues: see E.")
                      : tr("PEs idled mostly for other reasons."))
           % QLatin1Char(' ') % lack;
}

}  // namespace

Result<Judged> judgeParallelism(const TreeFacts& facts, TreeNode node)
{
    if (facts.pes.size() < 2)
        return notJudged(std::move(node), tr("The run has one PE: there is no other to keep busy."),
                         {tr("a second PE")});
    if (facts.inputs.store.info().messages == 0)
        return notJudged(std::move(node), tr("Nothing says what tasks waited for."), {tr("messages (creations)")});
    const Thresholds::Parallelism& limits = facts.inputs.thresholds.parallelism;
    const TimeNs idle = facts.scope.usage.idle;
    node.severity = unexplained(facts);
    node.tests = {above(tr("idle time that nothing but more or earlier tasks would fill, of idle time"),
                        MetricKind::Share, idle > 0 ? double(node.severity) / double(idle) : 0, limits.idleShare,
                        "parallelism.idle_share"),
                  below(tr("tasks that could run at once, per PE"), MetricKind::Ratio, perProcessor(facts),
                        limits.perProcessor, "parallelism.per_processor")};
    const auto senders = mostOf(facts.scope.blamed, IdleCause::Parallelism, 1);
    const Blamed blamed{.sender = senders.empty() ? QString() : namedEntry(facts, senders.front().first).name,
                        .isUnseen = 2 * facts.scope.parallelism.nothing > node.severity,
                        .isFew = node.tests[1].fired};
    const bool isFound = node.tests[0].fired;
    NodeWords words;
    if (isFound) {
        Result<NodeWords> said = parallelismWords(facts, node.severity, blamed);
        if (!said) return said.error();
        words = std::move(*said);
    }
    node.why = isFound ? whyOf(words) : enoughText(facts, node.severity);
    settle(facts, node, isFound);
    node.change = (node.verdict == Verdict::Fired ? tr("Not found with %1.") : tr("Found with %1."))
                      .arg(changeText(node.tests[0]));
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = idleEvidence(facts, IdleCause::Parallelism, mostShown);
    Advice advice = adviceOf(facts, node, parallelismTitle(facts, blamed), words, parallelismSql(facts, node.severity));
    advice.bound = std::max<TimeNs>(0, facts.duration - facts.workPerProcessor());
    if (!senders.empty()) advice.entry = senders.front().first;
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

Result<Judged> judgeSerialChain(const TreeFacts& facts, TreeNode node)
{
    const Vocabulary said = facts.inputs.store.words();
    if (facts.pes.size() < 2)
        return notJudged(std::move(node),
                         said.say(tr("The run has one PE: all it does is a chain."),
                                  tr("The run has one rank: all it does is a chain.")),
                         {said.say(tr("a second PE"), tr("a second rank"))});
    if (!facts.hasMessages())
        return notJudged(std::move(node), tr("No task's message is known, so chains of tasks cannot be followed."),
                         {tr("creations of messages")});
    const CriticalPath& path = facts.inputs.workAtMessages;
    node.severity = facts.besideOne();
    node.tests = {above(tr("work of the message chain, of the run"), MetricKind::Share, facts.chainShare,
                        facts.inputs.thresholds.serialChain.share, "serial_chain.share")};
    const EntryId first = path.profile.empty() ? noEntry : path.profile.front().entry;
    const QString what = first == noEntry ? QString() : namedEntry(facts, first).name;
    NodeWords words{.verdict = tr("The run is mostly one chain of messages: %1 of work, %2 of the run.")
                                   .arg(formatTime(path.length), formatShare(facts.chainShare)),
                    .meaning = said.say(tr("PEs idled for %1 while a single one worked."),
                                        tr("Ranks idled for %1 while a single one worked."))
                                   .arg(formatTime(facts.scope.parallelism.one)),
                    .action = what.isEmpty()
                                  ? tr("Shorten the chain, or break it.")
                                  : tr("Shorten %1, or break the chain: only less work on it helps.").arg(what)};
    if (first != noEntry)
        words.meaning += QLatin1Char(' ')
                         % tr("%1 is %2 of the chain.").arg(what, formatShare(path.profile.front().share));
    const bool isFound = node.tests[0].fired && node.severity > 0;
    node.why = isFound ? whyOf(words)
               : node.tests[0].fired && facts.isSerial()
                   ? tr("The longest chain of messages takes %1, %2 of the run, and is nearly all work: ranks work one "
                        "after the other. What they wait for meanwhile counts below F and G.")
                         .arg(formatTime(path.length), formatShare(facts.chainShare))
               : node.tests[0].fired
                   ? tr("The longest chain of messages takes %1, %2 of the run, but work ran beside it.")
                         .arg(formatTime(path.length), formatShare(facts.chainShare))
                   : tr("No chain of messages holds the run up: the longest takes %1, %2 of the run.")
                         .arg(formatTime(path.length), formatShare(facts.chainShare));
    settle(facts, node, isFound);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    std::vector<PathStep> longest(path.steps);
    std::stable_sort(longest.begin(), longest.end(),
                     [](const PathStep& a, const PathStep& b) { return a.weight() > b.weight(); });
    for (const PathStep& step : longest) {
        if (node.evidence.size() == mostShown) break;
        if (facts.scope.inside({step.begin, step.end}) < step.end - step.begin) continue;
        node.evidence.push_back(
            {.pe = step.pe,
             .range = {step.begin, step.end},
             .tasks = {step.task},
             .text = tr("%1 for %2 on the chain").arg(nameOf(facts, step.entry), formatTime(step.weight()))});
    }
    if (node.evidence.empty()) node.evidence = idleEvidence(facts, IdleCause::Parallelism, mostShown);
    LossSql sql(facts);
    sql.idle("cause = 'parallelism' AND working = 'one'")
        .counting(node.severity, facts.scope.parallelism.one, "the advised priorities would win the rest");
    Advice advice = adviceOf(facts, node,
                             what.isEmpty() ? tr("Shorten the critical path")
                                            : tr("Shorten %1 on the critical path, or break the chain").arg(what),
                             words, sql.text());
    advice.bound = std::max<TimeNs>(0, facts.duration - facts.workPerProcessor());
    advice.entry = first;
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

}  // namespace longpole
