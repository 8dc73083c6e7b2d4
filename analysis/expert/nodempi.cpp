// SPDX-License-Identifier: GPL-3.0-or-later
// Branches B, F and G of MPI runs: the time of MPI itself, messages that are sent late, and ranks that wait for each
// other in collective calls. The wait states tell for whom a rank waited, and in which code that one was
// (docs/algorithms.md 7.2).
#include "analysis/expert/nodes.h"

#include "analysis/base/cells.h"
#include "analysis/base/naming.h"
#include "analysis/base/unknownbytes.h"
#include "analysis/expert/lossql.h"
#include "analysis/facts/factquestions.h"
#include "analysis/mpi/calls.h"
#include "analysis/mpi/mpiquestions.h"
#include "analysis/mpi/waitstates.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <array>
#include <span>

namespace longpole {

namespace {

constexpr std::array messageStates{WaitStateKind::LateSender,  WaitStateKind::LateReceiver,
                                   WaitStateKind::EarlyReduce, WaitStateKind::LateBroadcast,
                                   WaitStateKind::EarlyScan,   WaitStateKind::LatePost,
                                   WaitStateKind::EarlyWait,   WaitStateKind::LockCompetition};
constexpr std::array collectiveStates{WaitStateKind::WaitAtBarrier,        WaitStateKind::WaitAtNxN,
                                      WaitStateKind::WaitAtFence,          WaitStateKind::BarrierCompletion,
                                      WaitStateKind::NxNCompletion,        WaitStateKind::OmpBarrier,
                                      WaitStateKind::DeviceSynchronization};

// The wait states of a branch, and their time together.
struct Waited {
    std::vector<WaitState> states{};
    TimeNs time = 0;
};

Waited waitedIn(const WaitStates& all, std::span<const WaitStateKind> kinds)
{
    Waited waited;
    for (const WaitState& state : all.states)
        if (std::find(kinds.begin(), kinds.end(), state.kind) != kinds.end()) {
            addSaturating(waited.time, state.time);
            waited.states.push_back(state);
        }
    // Of threads those of ranks are idle time.
    std::stable_sort(waited.states.begin(), waited.states.end(),
                     [](const WaitState& a, const WaitState& b) { return a.onRanks > b.onRanks; });
    return waited;
}

// "Most of it, in the whole run: late sender 12.1 ms in 30 calls." What is all of it is not called most.
QString mostOfWaiting(const Waited& waited)
{
    if (waited.states.empty()) return {};
    const WaitState& most = waited.states.front();
    if (most.kind == WaitStateKind::OmpBarrier || most.kind == WaitStateKind::DeviceSynchronization)
        return tr("In the whole run, threads waited so for %1 in all, of which %2 on the ranks' main threads.")
            .arg(formatTime(most.time), formatTime(most.onRanks));
    if (most.time == waited.time)
        return tr("In the whole run that is: %1, %2 in %3.")
            .arg(titleInSentence(most.kind), formatTime(most.time), counted("%1 calls", "%1 call", most.count));
    return tr("Most of it, in the whole run: %1 %2 in %3.")
        .arg(titleInSentence(most.kind), formatTime(most.time), counted("%1 calls", "%1 call", most.count));
}

// What most waiting goes back to is said once: where the load is uneven, or else where ranks waited longest.
QString delayTextOf(const TreeFacts& facts, const Waited& waited)
{
    const TimeNs others = std::max(waitedIn(facts.waits, messageStates).time,
                                   waitedIn(facts.waits, collectiveStates).time);
    const double fillable = double(facts.fillable()), idle = double(std::max<TimeNs>(1, facts.scope.usage.idle));
    const bool isOfLoad = facts.isImbalanced() && !facts.bottleneck.isThere()
                          && fillable / idle > facts.inputs.thresholds.balance.idleShare;
    return isOfLoad || waited.time < others ? QString() : delayText(facts);
}

std::vector<Evidence> evidenceOf(const TreeFacts& facts, const Waited& waited, std::size_t most = mostShown)
{
    std::vector<Evidence> found;
    for (const WaitState& state : waited.states)
        for (const WaitInstance& wait : state.worst) {
            if (facts.scope.inside(wait.wait) < wait.wait.length()) continue;
            if (wait.track != noTrack) continue;  // of threads: idle time of ranks is the evidence
            Evidence evidence{.pe = ProcessorId{wait.rank}, .range = wait.wait, .time = wait.wait.length()};
            const bool isAfter = state.kind == WaitStateKind::BarrierCompletion
                                 || state.kind == WaitStateKind::NxNCompletion;
            evidence.sql = QStringLiteral(
                               "SELECT rank, seq, call, pattern, culprit, %3 AS time_ns FROM mpi_call WHERE "
                               "rank = %1 AND seq = %2")
                               .arg(wait.rank)
                               .arg(wait.seq)
                               .arg(isAfter ? QLatin1String("wait_after_ns") : QLatin1String("severity_ns"));
            const Region* call = facts.inputs.store.region(wait.call);
            evidence.text = tr("%1 waited %2")
                                .arg(call != nullptr ? call->name : tr("a call"), formatTime(wait.wait.length()));
            if (wait.culprit >= 0)
                evidence.text += facts.inputs.store.words().say(tr(" for PE %1"), tr(" for rank %1")).arg(wait.culprit);
            if (const QString meanwhile = culpritText(facts.inputs.store, wait.meanwhile); !meanwhile.isEmpty())
                evidence.text += QStringLiteral(", ") + meanwhile;
            if (wait.meanwhile.task.isValid()) evidence.tasks.push_back(wait.meanwhile.task);
            found.push_back(std::move(evidence));
        }
    std::stable_sort(found.begin(), found.end(),
                     [](const Evidence& a, const Evidence& b) { return a.range.length() > b.range.length(); });
    if (found.size() > most) found.resize(most);
    return found;
}

// The code between two calls that half of all waiting traces back to, as late ranks take longer in it.
EntryId codeThatIsLate(const TreeFacts& facts)
{
    const WaitStates& waits = facts.waits;
    if (waits.causes.empty() || saturatingMultiply(waits.causes.front().sum(), 2) < waits.total) return noEntry;
    const EntryId code = waits.causes.front().entry;
    return facts.inputs.store.region(RegionId{index(code)}) == nullptr ? code : noEntry;
}

// What is said of ranks that wait for one other, by how they wait most. `before`: what the other does meanwhile.
struct LateWords {
    QString verdict, action, title;
};
LateWords lateWords(WaitStateKind most, const QString& before, TimeNs all)
{
    const QString time = formatTime(all);
    switch (most) {
    case WaitStateKind::LateReceiver:
        return {tr("Ranks wait to send: receivers are late, for %1 in all.").arg(time),
                tr("Post receives early, or send without blocking."),
                tr("Post receives earlier, or send without waiting for them")};
    case WaitStateKind::LatePost:
        return {tr("Ranks wait to access windows that others post late, for %1 in all.").arg(time),
                tr("Call MPI_Win_post earlier, or access after other work."),
                tr("Post windows earlier, or access them later")};
    case WaitStateKind::EarlyWait:
        return {tr("Ranks wait until others are done with their windows, for %1 in all.").arg(time),
                tr("Call MPI_Win_complete earlier, or MPI_Win_wait after other work."),
                tr("Complete accesses earlier, or wait for them later")};
    case WaitStateKind::LateBroadcast:
        return {tr("Ranks wait for others that are late, mostly for roots of collective calls: %1 in all.").arg(time),
                tr("Let the root come earlier, or use a non-blocking call."),
                tr("Let roots come earlier to collective calls")};
    case WaitStateKind::EarlyReduce:
        return {tr("Ranks wait for others that are late, mostly roots of collective calls: %1 in all.").arg(time),
                tr("Balance the work before the call, or use a non-blocking one."),
                tr("Come earlier to calls that gather at a root")};
    case WaitStateKind::EarlyScan:
        return {tr("Ranks wait for others that are late, mostly in scans: %1 in all.").arg(time),
                tr("Balance the work before the call, or use a non-blocking one."), tr("Come earlier to scans")};
    case WaitStateKind::LockCompetition:
        return {tr("Ranks wait for locks of windows that others hold, for %1 in all.").arg(time),
                tr("Hold locks for less long, or lock shared where that is enough."), tr("Hold locks for less long")};
    default: break;
    }
    const QString verdict = tr("Ranks wait for messages that are sent late, for %1 in all.").arg(time);
    if (before.isEmpty()) return {verdict, tr("Send earlier, or receive later."), tr("Send earlier, or receive later")};
    return {verdict, tr("Send before %1, or receive after other work.").arg(before),
            tr("Send before %1, or receive later").arg(before)};
}

// The same where other messages were there for most of the time. To take these first saves no more than the work on
// them: the late one is awaited all the same.
LateWords lateInOrderWords(TimeNs all)
{
    return {lateWords(WaitStateKind::LateSender, {}, all).verdict,
            tr("Send earlier. Or receive in the order of sending, or from any source, and work on what is there."),
            tr("Send earlier, or receive in another order")};
}

// The call in which ranks wait most, and another one of much of it: "MPI_Allreduce and MPI_Barrier".
QString callsWaitedIn(const TraceStore& store, const Waited& waited)
{
    constexpr double much = 0.2;
    if (waited.states.empty() || waited.states.front().worst.empty()) return {};
    const QString most = callName(store, waited.states.front().worst.front().call);
    for (const WaitState& state : std::span(waited.states).subspan(1)) {
        const bool isOfCalls = state.kind == WaitStateKind::WaitAtBarrier || state.kind == WaitStateKind::WaitAtNxN
                               || state.kind == WaitStateKind::WaitAtFence;
        if (!isOfCalls || state.worst.empty() || double(state.onRanks) < much * double(waited.time)) continue;
        if (const QString other = callName(store, state.worst.front().call); other != most)
            return tr("%1 and %2").arg(most, other);
    }
    return most;
}

// What is said of ranks that wait in calls of all for all, by where they wait most.
struct CollectiveWords {
    QString verdict, action, title;
};
CollectiveWords collectiveWords(WaitStateKind most, const QString& call, TimeNs all, bool isAlone, bool isSerial)
{
    const QString time = formatTime(all);
    if (most == WaitStateKind::OmpBarrier)
        return {(isAlone ? tr("The rank waits for its own threads: %1, mostly in %2.")
                         : tr("Ranks wait for their own threads and for each other: %1, mostly in %2."))
                    .arg(time, call),
                tr("Spread the work before %1 more evenly over the threads.").arg(call),
                tr("Balance the threads' work before %1").arg(call)};
    if (most == WaitStateKind::DeviceSynchronization)
        return {(isAlone ? tr("The rank waits for its devices: %1, mostly in %2.")
                         : tr("Ranks wait for their devices and for each other: %1, mostly in %2."))
                    .arg(time, call),
                tr("Give the rank other work before %1, or call it later.").arg(call),
                tr("Overlap the device's work before %1").arg(call)};
    if (isSerial)
        return {(call.isEmpty()
                     ? tr("Ranks wait for each other in collective calls: %1.").arg(time)
                     : tr("Ranks wait for each other in collective calls: %1, mostly in %2.").arg(time, call)),
                tr("Divide the work so that ranks need not work one after the other: nearly all of it is one chain."),
                tr("Let ranks work at the same time")};
    if (call.isEmpty())
        return {tr("Ranks wait for each other in collective calls: %1.").arg(time),
                tr("Balance the work before these calls, or overlap them with other work."),
                tr("Balance what comes before collective calls, or overlap them")};
    return {tr("Ranks wait for each other in collective calls: %1, mostly in %2.").arg(time, call),
            tr("Balance the work before %1, or overlap it with other work.").arg(call),
            tr("Balance what comes before %1, or overlap it").arg(call)};
}

// The part of the time that ranks waited for each other which uneven load explains; it belongs to branch D.
TimeNs ofImbalance(const TreeFacts& facts)
{
    if (!facts.isImbalanced()) return 0;
    return std::min(facts.fillable(), facts.imbalance.givenBack);
}

struct Costly {
    RegionId call{};
    MpiSums sums{};
};

// The three calls that take most time besides waiting, largest first.
std::vector<Costly> costlyCalls(const MpiProfile& profile)
{
    std::vector<Costly> calls;
    for (std::size_t c = 0; c < profile.calls.size(); ++c)
        calls.push_back({.call = profile.calls[c], .sums = profile.ofCall(c)});
    std::stable_sort(calls.begin(), calls.end(),
                     [](const Costly& a, const Costly& b) { return a.sums.execution > b.sums.execution; });
    if (calls.size() > 3) calls.resize(3);
    return calls;
}

// "MPI_Send takes most of it, 61.2 %: 1 200 calls of 1.2 us and 8 kB on average." Of the worst of several periods.
QString costText(const TreeFacts& facts, const Costly& call, TimeNs whole)
{
    const std::int64_t count = std::max<std::int64_t>(1, call.sums.calls);
    const bool isOfWorst = facts.scope.periods.size() > 1;
    if (!areBytesKnown(facts.inputs.store.info()))
        return (isOfWorst ? tr("In the worst of its stretches %1 takes most, %2: %3 of %4 on average.")
                          : tr("%1 takes most of it, %2: %3 of %4 on average."))
            .arg(callName(facts.inputs.store, call.call), shareText(double(call.sums.execution), double(whole)),
                 counted("%1 calls", "%1 call", call.sums.calls), formatTime(call.sums.execution / count));
    return (isOfWorst ? tr("In the worst of its stretches %1 takes most, %2: %3 of %4 and %5 on average.")
                      : tr("%1 takes most of it, %2: %3 of %4 and %5 on average."))
        .arg(callName(facts.inputs.store, call.call), shareText(double(call.sums.execution), double(whole)),
             counted("%1 calls", "%1 call", call.sums.calls), formatTime(call.sums.execution / count),
             formatBytes(call.sums.bytes / count));
}

// Whether the call only ends what others have started.
bool isCompletion(const QString& name)
{
    return name.startsWith(QLatin1String("MPI_Wait")) || name.startsWith(QLatin1String("MPI_Test"));
}

// What is said of the call that takes most of MPI's own time.
struct CostWords {
    QString title, action;
};
CostWords costWords(const QString& call, bool isKnown, bool isSmall)
{
    const QString lessOften = tr("Call %1 less often").arg(call);
    if (call.contains(QLatin1String("barrier"), Qt::CaseInsensitive) || call.contains(QLatin1String("fence")))
        return {lessOften, tr("Leave out those calls of %1 that nothing rests on: it moves nothing.").arg(call)};
    if (isSmall) return {lessOften, tr("Put several messages into one, or call %1 less often.").arg(call)};
    const QString title = isCompletion(call) ? tr("Send less of what %1 completes").arg(call)
                                             : tr("Move less with %1").arg(call);
    if (isKnown) return {title, tr("Send less, or in parts that overlap with work.")};
    return {lessOften, tr("Put several messages into one, or send less: the trace does not say how much it moves.")};
}

QString startText(const TreeFacts& facts, TimeNs time)
{
    if (time <= 0) return {};
    return tr("Start-up and shut-down took %1 on the average rank, paid once.")
        .arg(formatTime(time / std::max<TimeNs>(1, TimeNs(facts.pes.size()))));
}

// The rank that was longest in MPI in the window, besides waiting, start-up and shut-down, and the call to look for.
std::vector<Evidence> busiestInMpi(const TreeFacts& facts, RegionId call)
{
    const TimeRange window = facts.scope.window;
    const auto timeOf = [&facts, window](std::size_t pe) {
        const Processor* processor = facts.inputs.store.processor(facts.pes[pe]);
        const TimeNs starting = processor != nullptr ? window.length() - overlap(window, processor->active()) : 0;
        return std::max<TimeNs>(0, facts.usageIn(window, pe).overhead - starting);
    };
    std::size_t worst = 0;
    TimeNs most = timeOf(0);
    for (std::size_t pe = 1; pe < facts.pes.size(); ++pe)
        if (const TimeNs time = timeOf(pe); time > most) {
            worst = pe;
            most = time;
        }
    return {{.pe = facts.pes[worst],
             .range = window,
             .text = tr("%1 in MPI beside waiting").arg(formatTime(most)),
             .call = call}};
}

}  // namespace

std::vector<Evidence> waitsForOthers(const TreeFacts& facts, std::size_t most)
{
    constexpr std::array kinds{WaitStateKind::LateSender, WaitStateKind::LateBroadcast, WaitStateKind::EarlyReduce,
                               WaitStateKind::EarlyScan,  WaitStateKind::WaitAtBarrier, WaitStateKind::WaitAtNxN,
                               WaitStateKind::WaitAtFence};
    return evidenceOf(facts, waitedIn(facts.waits, kinds), most);
}

Result<Judged> judgeLateMessages(const TreeFacts& facts, TreeNode node)
{
    if (facts.pes.size() < 2)
        return notJudged(std::move(node), tr("The run has one rank: it waits for no other."), {tr("a second rank")});
    const TimeNs idle = facts.scope.usage.idle;
    const TimeNs all = facts.scope.idleOf(IdleCause::Imbalance);
    const WorkMeanwhile& meanwhile = facts.scope.synchronization;
    node.severity = std::max<TimeNs>(0, all - std::max<TimeNs>(0, ofImbalance(facts) - meanwhile.one - meanwhile.more));
    node.tests = {above(tr("time that ranks waited for one other's message or call, of the time waited"),
                        MetricKind::Share, idle > 0 ? double(node.severity) / double(idle) : 0,
                        facts.inputs.thresholds.latency.idleShare, "latency.idle_share")};
    const Waited waited = waitedIn(facts.waits, messageStates);
    const WaitStateKind most = waited.states.empty() ? WaitStateKind::LateSender : waited.states.front().kind;
    const EntryId during = waited.states.empty() || waited.states.front().worst.empty()
                               ? noEntry
                               : waited.states.front().worst.front().meanwhile.entry;
    // Code between calls has no name that says what to do before it.
    const bool isRegion = during != noEntry && facts.inputs.store.region(RegionId{index(during)}) != nullptr;
    const QString before = isRegion ? nameOfCode(facts.inputs.store, during) : QString();
    const std::array wrong{WaitStateKind::WrongOrderSameSource, WaitStateKind::WrongOrderDifferentSource};
    const TimeNs outOfOrder = waitedIn(facts.waits, wrong).time;
    const bool isOutOfOrder = outOfOrder > waited.time / 2;
    LateWords said = isOutOfOrder ? lateInOrderWords(all) : lateWords(most, before, all);
    if (const EntryId code = codeThatIsLate(facts);
        code != noEntry && most == WaitStateKind::LateSender && !isOutOfOrder && before.isEmpty())
        said.action = tr("Let late ranks do less in %1, send before it, or receive later.")
                          .arg(codeInWords(facts.inputs.store, code));
    NodeWords words{.verdict = said.verdict, .meaning = {}, .action = said.action};
    QStringList meaning;
    const QString others = isOutOfOrder
                               ? tr("In waits of %1 in all, another message that was sent earlier could be taken.")
                                     .arg(formatTime(outOfOrder))
                               : QString();
    for (const QString& sentence : {mostOfWaiting(waited), others, delayTextOf(facts, waited)})
        if (!sentence.isEmpty()) meaning << sentence;
    if (node.severity < all)
        meaning << tr("%1 of that would go with an even load, and counts as imbalance.")
                       .arg(formatTime(all - node.severity));
    words.meaning = meaning.join(QLatin1Char(' '));
    if (outOfOrder > 0 && !isOutOfOrder)
        words.action += QLatin1Char(' ')
                        % tr("Or receive in the order of sending, or from any source: in waits of %1 in all, a message "
                             "that was sent earlier could be taken.")
                              .arg(formatTime(outOfOrder));
    // The trace does not tell whether what was sent is made of the work before it.
    if (facts.isSerial())
        words.action +=
            QLatin1Char(' ')
            % tr(
                "Where messages carry what the work before them made, divide that work: nearly all of it is one "
                "chain.");
    const bool isFound = node.tests[0].fired;
    node.why = isFound
                   ? whyOf(words)
                   : seldomWaited(facts, all, node.severity, tr("No rank waited for one other's message."),
                                  tr("Ranks waited %1 for one other's message or call, of which %2 would go with an "
                                     "even load and counts as imbalance."),
                                  tr("Ranks seldom waited for one other's message."));
    settle(facts, node, isFound);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = evidenceOf(facts, waited);
    if (node.evidence.empty()) node.evidence = idleEvidence(facts, IdleCause::Imbalance, mostShown);
    Advice advice = adviceOf(facts, node, said.title, words,
                             LossSql(facts)
                                 .idle("cause = 'imbalance'")
                                 .counting(node.severity, all, "the rest would go with an even load")
                                 .text());
    advice.entry = during;
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

Result<Judged> judgeCollectives(const TreeFacts& facts, TreeNode node)
{
    const Waited waited = waitedIn(facts.waits, collectiveStates);
    // A rank that is alone waits for its threads and devices.
    const bool isAlone = facts.pes.size() < 2;
    if (isAlone && (waited.states.empty() || waited.states.front().onRanks <= 0))
        return notJudged(std::move(node), tr("The run has one rank: it waits for no other."), {tr("a second rank")});
    const TimeNs idle = facts.scope.usage.idle;
    const TimeNs all = facts.scope.idleOf(IdleCause::Synchronization);
    const WorkMeanwhile& meanwhile = facts.scope.synchronization;
    const TimeNs imbalance = std::min(meanwhile.one + meanwhile.more, ofImbalance(facts));
    node.severity = all - imbalance;
    node.tests = {above(tr("time that ranks waited in collective calls of all for all, of the time waited"),
                        MetricKind::Share, idle > 0 ? double(node.severity) / double(idle) : 0,
                        facts.inputs.thresholds.synchronization.idleShare, "synchronization.idle_share")};
    const WaitState* first = waited.states.empty() ? nullptr : &waited.states.front();
    const QString call = callsWaitedIn(facts.inputs.store, waited);
    const CollectiveWords said = collectiveWords(first != nullptr ? first->kind : WaitStateKind::WaitAtBarrier, call,
                                                 all, isAlone, facts.isSerial());
    NodeWords words{.verdict = said.verdict, .meaning = {}, .action = said.action};
    QStringList meaning;
    for (const QString& sentence : {mostOfWaiting(waited), delayTextOf(facts, waited)})
        if (!sentence.isEmpty()) meaning << sentence;
    if (imbalance > 0)
        meaning << tr("%1 of that would go with an even load, and counts as imbalance.").arg(formatTime(imbalance));
    words.meaning = meaning.join(QLatin1Char(' '));
    const bool isFound = node.tests[0].fired;
    node.why = isFound
                   ? whyOf(words)
                   : seldomWaited(facts, all, node.severity, tr("No rank waited in a collective call of all ranks."),
                                  tr("Ranks waited %1 in collective calls, of which %2 would go with an even load and "
                                     "counts as imbalance."),
                                  tr("Ranks seldom waited for each other in collective calls."));
    settle(facts, node, isFound);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = evidenceOf(facts, waited);
    if (node.evidence.empty()) node.evidence = idleEvidence(facts, IdleCause::Synchronization, mostShown);
    Advice advice = adviceOf(facts, node, said.title, words,
                             LossSql(facts)
                                 .idle("cause = 'synchronization'")
                                 .counting(node.severity, all, "the rest would go with an even load")
                                 .text());
    advice.bound = std::max<TimeNs>(0, facts.duration - facts.leastInPlace());
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

Result<Judged> judgeMpiTime(const TreeFacts& facts, TreeNode node)
{
    const auto asked = facts.inputs.results.ask(StartAndStopQuestion{facts.scope.periods}, facts.progress);
    if (!asked) return asked.error();
    const TimeNs outside = **asked;
    const TimeNs overhead = std::max<TimeNs>(0, facts.scope.usage.overhead - outside - facts.tracing());
    const double both = double(overhead) + double(facts.scope.usage.user);
    node.severity = overhead;
    node.tests = {above(tr("time in MPI beside waiting and start-up, of it and busy time"), MetricKind::Share,
                        both > 0 ? double(overhead) / both : 0, facts.inputs.thresholds.grainsize.overheadShare,
                        "grainsize.overhead_share")};
    const auto profile = facts.inputs.results.ask(MpiProfileQuestion::of(facts.inputs.store, facts.scope.window),
                                                  facts.progress);
    if (!profile) return profile.error();
    std::vector<Costly> calls = costlyCalls(**profile);
    std::erase_if(calls,
                  [&facts](const Costly& call) { return isStartOrEnd(callName(facts.inputs.store, call.call)); });
    const bool isFound = node.tests[0].fired && !calls.empty();
    const QString start = startText(facts, outside);
    if (!isFound) {
        node.why = tr("MPI itself takes %1 of the time that is not waited.").arg(shareText(double(overhead), both));
        if (!start.isEmpty()) node.why += QLatin1Char(' ') % start;
        settle(facts, node, false);
        return Judged{std::move(node), {}};
    }
    const Costly& most = calls.front();
    const QString name = callName(facts.inputs.store, most.call);
    const bool isKnown = areBytesKnown(facts.inputs.store.info());
    const double bytes = double(most.sums.bytes) / double(std::max<std::int64_t>(1, most.sums.calls));
    const bool isSmall = isKnown && bytes < facts.inputs.thresholds.latency.smallBytes;
    const CostWords said = costWords(name, isKnown, isSmall);
    NodeWords words{.verdict = tr("MPI itself takes %1 of the time that is not waited, mostly %2.")
                                   .arg(shareText(double(overhead), both), name),
                    .meaning = costText(facts, most, (*profile)->total.execution),
                    .action = said.action};
    if (!start.isEmpty()) words.meaning += QLatin1Char(' ') % start;
    node.why = whyOf(words);
    settle(facts, node, true);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = busiestInMpi(facts, most.call);
    Advice advice = adviceOf(facts, node, said.title, words,
                             LossSql(facts)
                                 .overhead()
                                 .counting(node.severity, facts.scope.usage.overhead,
                                           "the rest is start-up, shut-down and writing of the trace")
                                 .text());
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

}  // namespace longpole
