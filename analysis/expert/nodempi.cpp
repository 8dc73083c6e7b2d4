// SPDX-License-Identifier: GPL-3.0-or-later
// Branches B, F and G of MPI runs: the time of MPI itself, messages that are sent late, and ranks that wait for each
// other in collective calls. The wait states tell for whom a rank waited, and in which code that one was
// (docs/algorithms.md 7.2).
#include "analysis/expert/nodes.h"

#include "analysis/base/cells.h"
#include "analysis/base/naming.h"
#include "analysis/mpi/calls.h"
#include "analysis/mpi/mpiquestions.h"
#include "analysis/mpi/waitstates.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <array>
#include <span>

namespace longpole {

namespace {

constexpr std::array messageStates{WaitStateKind::LateSender, WaitStateKind::LateReceiver, WaitStateKind::EarlyReduce,
                                   WaitStateKind::LateBroadcast, WaitStateKind::EarlyScan};
constexpr std::array collectiveStates{WaitStateKind::WaitAtBarrier, WaitStateKind::WaitAtNxN,
                                      WaitStateKind::BarrierCompletion, WaitStateKind::NxNCompletion};

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
            waited.time += state.time;
            waited.states.push_back(state);
        }
    return waited;
}

QString statesText(const Waited& waited)
{
    QStringList texts;
    for (const WaitState& state : waited.states)
        texts << tr("%1 %2 in %3")
                     .arg(title(state.kind).toLower(), formatTime(state.time),
                          counted(state.count, tr("call"), tr("calls")));
    return texts.join(QStringLiteral(", "));
}

// Names the code that made others wait most, in the whole run.
QString causesText(const TreeFacts& facts)
{
    const WaitStates& states = facts.waits;
    QStringList texts;
    for (const DelayCost& cause : std::span(states.causes).first(std::min<std::size_t>(3, states.causes.size())))
        texts << tr("%1 (%2)").arg(nameOfCode(facts.inputs.store, cause.entry),
                                   shareText(double(cause.sum()), double(states.total)));
    if (texts.isEmpty()) return {};
    return QLatin1Char(' ')
           % tr("All waits of the run go back to what others did more of: %1.").arg(texts.join(QStringLiteral(", ")));
}

std::vector<Evidence> evidenceOf(const TreeFacts& facts, const Waited& waited)
{
    std::vector<Evidence> found;
    for (const WaitState& state : waited.states)
        for (const WaitInstance& wait : state.worst) {
            if (facts.scope.inside(wait.wait) == 0) continue;
            Evidence evidence{.pe = ProcessorId{wait.rank}, .range = wait.wait, .tasks = {}, .text = {}};
            const Region* call = facts.inputs.store.region(wait.call);
            evidence.text = tr("%1 waited %2")
                                .arg(call != nullptr ? call->name : tr("a call"), formatTime(wait.wait.length()));
            if (wait.culprit >= 0)
                evidence.text += facts.inputs.store.words().say(tr(" for PE %1"), tr(" for rank %1")).arg(wait.culprit);
            if (wait.during != noEntry) evidence.text += tr(", in %1").arg(nameOfCode(facts.inputs.store, wait.during));
            if (wait.delayed.isValid()) evidence.tasks.push_back(wait.delayed);
            found.push_back(std::move(evidence));
        }
    std::stable_sort(found.begin(), found.end(),
                     [](const Evidence& a, const Evidence& b) { return a.range.length() > b.range.length(); });
    if (found.size() > mostShown) found.resize(mostShown);
    return found;
}

QString waitSql(TimeRange range, const char* patterns)
{
    return QStringLiteral(
               "SELECT rank, seq, call, begin_ns, pattern, severity_ns, culprit, culprit_seq FROM mpi_call WHERE "
               "begin_ns < %2 AND end_ns > %1 AND pattern IN (%3) ORDER BY severity_ns DESC LIMIT 100")
        .arg(range.begin)
        .arg(range.end)
        .arg(QLatin1String(patterns));
}

// The part of the time that ranks waited for each other which uneven load explains; it belongs to branch D.
TimeNs ofImbalance(const TreeFacts& facts)
{
    if (!facts.isImbalanced()) return 0;
    return std::min(facts.fillable(), static_cast<TimeNs>(facts.imbalance.work() * double(facts.scope.usage.user)));
}

struct Costly {
    RegionId call{};
    MpiSums sums{};
};

// The three calls that take most time besides waiting, largest first.
std::vector<Costly> costlyCalls(const MpiProfile& profile)
{
    std::vector<Costly> calls;
    for (std::size_t c = 0; c < profile.calls.size(); ++c) {
        Costly call{.call = profile.calls[c]};
        for (std::size_t rank = 0; rank < profile.ranks; ++rank) call.sums += profile.cell(c, rank);
        calls.push_back(call);
    }
    std::stable_sort(calls.begin(), calls.end(),
                     [](const Costly& a, const Costly& b) { return a.sums.execution > b.sums.execution; });
    if (calls.size() > 3) calls.resize(3);
    return calls;
}

QString nameOfCall(const TreeFacts& facts, RegionId call)
{
    const Region* region = facts.inputs.store.region(call);
    return region != nullptr ? region->name : tr("call %1").arg(index(call));
}

QString costText(const TreeFacts& facts, const std::vector<Costly>& calls, TimeNs whole)
{
    QStringList texts;
    for (const Costly& call : calls) {
        const std::int64_t count = std::max<std::int64_t>(1, call.sums.calls);
        texts << tr("%1 %2 (%3 calls of %4 and %5 on average)")
                     .arg(nameOfCall(facts, call.call), shareText(double(call.sums.execution), double(whole)),
                          formatCount(call.sums.calls), formatTime(call.sums.execution / count),
                          formatBytes(call.sums.bytes / count));
    }
    return texts.join(QStringLiteral(", "));
}

}  // namespace

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
    node.why = tr("%1 of the time waited was for a message or a call of one other rank")
                   .arg(shareText(double(all), double(idle)))
               % (waited.states.empty() ? QStringLiteral(".") : tr(": in the whole run %1.").arg(statesText(waited)));
    if (node.severity < all)
        node.why += QLatin1Char(' ')
                    % tr("%1 is put down to load imbalance.").arg(shareText(double(all - node.severity), double(idle)));
    settle(facts, node, node.tests[0].fired);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = evidenceOf(facts, waited);
    const WaitStateKind most = waited.states.empty() ? WaitStateKind::LateSender : waited.states.front().kind;
    const EntryId during = waited.states.empty() || waited.states.front().worst.empty()
                               ? noEntry
                               : waited.states.front().worst.front().during;
    // Code between calls has no name that says what to do before it.
    const bool isRegion = during != noEntry && facts.inputs.store.region(RegionId{index(during)}) != nullptr;
    const QString before = isRegion ? nameOfCode(facts.inputs.store, during) : QString();
    const QString headline = most == WaitStateKind::LateReceiver
                                 ? tr("Post receives earlier, or send without waiting for them")
                             : before.isEmpty() ? tr("Send earlier, or receive later")
                                                : tr("Send before %1, or receive later").arg(before);
    QString text = node.why % QLatin1Char(' ') % explanation(most);
    const std::array wrong{WaitStateKind::WrongOrderSameSource, WaitStateKind::WrongOrderDifferentSource};
    if (const TimeNs time = waitedIn(facts.waits, wrong).time; time > 0)
        text += QLatin1Char(' ')
                % tr("%1 of it was for messages received in another order than they were sent: receive from any "
                     "source, or in the order of sending.")
                      .arg(formatTime(time));
    Advice advice = adviceOf(facts, node, headline, text % causesText(facts));
    advice.entry = during;
    advice.sql = waitSql(facts.scope.window,
                         "'late_sender','late_receiver','early_reduce','late_broadcast','early_scan'");
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

Result<Judged> judgeCollectives(const TreeFacts& facts, TreeNode node)
{
    if (facts.pes.size() < 2)
        return notJudged(std::move(node), tr("The run has one rank: it waits for no other."), {tr("a second rank")});
    const TimeNs idle = facts.scope.usage.idle;
    const TimeNs all = facts.scope.idleOf(IdleCause::Synchronization);
    const WorkMeanwhile& meanwhile = facts.scope.synchronization;
    const TimeNs imbalance = std::min(meanwhile.one + meanwhile.more, ofImbalance(facts));
    node.severity = all - imbalance;
    node.tests = {above(tr("time that ranks waited in collective calls of all for all, of the time waited"),
                        MetricKind::Share, idle > 0 ? double(node.severity) / double(idle) : 0,
                        facts.inputs.thresholds.synchronization.idleShare, "synchronization.idle_share")};
    const Waited waited = waitedIn(facts.waits, collectiveStates);
    node.why = tr("%1 of the time waited was in collective calls in which every rank needs every other")
                   .arg(shareText(double(all), double(idle)))
               % (waited.states.empty() ? QStringLiteral(".") : tr(": in the whole run %1.").arg(statesText(waited)));
    if (imbalance > 0)
        node.why += QLatin1Char(' ')
                    % tr("%1 is put down to load imbalance.").arg(shareText(double(imbalance), double(idle)));
    settle(facts, node, node.tests[0].fired);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = evidenceOf(facts, waited);
    const WaitState* first = waited.states.empty() ? nullptr : &waited.states.front();
    const QString call = first != nullptr && !first->worst.empty() ? nameOfCall(facts, first->worst.front().call)
                                                                   : QString();
    QString text = node.why;
    if (first != nullptr) text += QLatin1Char(' ') % explanation(first->kind);
    Advice advice = adviceOf(facts, node,
                             call.isEmpty() ? tr("Balance what comes before collective calls, or overlap them")
                                            : tr("Balance what comes before %1, or overlap it").arg(call),
                             text % causesText(facts));
    advice.sql = waitSql(facts.scope.window, "'wait_at_barrier','wait_at_nxn'");
    advice.bound = std::max<TimeNs>(0, facts.duration - facts.leastInPlace());
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

Result<Judged> judgeMpiTime(const TreeFacts& facts, TreeNode node)
{
    const TimeNs overhead = facts.scope.usage.overhead;
    const double both = double(overhead) + double(facts.scope.usage.user);
    node.severity = overhead;
    node.tests = {above(tr("time in MPI beside waiting, of it and user time"), MetricKind::Share,
                        both > 0 ? double(overhead) / both : 0, facts.inputs.thresholds.grainsize.overheadShare,
                        "grainsize.overhead_share")};
    const auto asked = facts.inputs.results.ask(MpiProfileQuestion::of(facts.inputs.store, facts.scope.window),
                                                facts.progress);
    if (!asked) return asked.error();
    const std::shared_ptr<const MpiProfile>& profile = *asked;
    const std::vector<Costly> calls = costlyCalls(*profile);
    node.why = tr("MPI itself takes %1 of the time that is not waited.").arg(shareText(double(overhead), both));
    if (!calls.empty())
        node.why += QLatin1Char(' ')
                    % tr("Most of it, in the worst period: %1.").arg(costText(facts, calls, profile->total.execution));
    settle(facts, node, node.tests[0].fired);
    if (node.verdict != Verdict::Fired || calls.empty()) return Judged{std::move(node), {}};
    const MpiSums& most = calls.front().sums;
    const QString name = nameOfCall(facts, calls.front().call);
    const bool isSmall = most.calls > 0
                         && double(most.bytes) / double(most.calls) < facts.inputs.thresholds.latency.smallBytes;
    const QString text =
        isSmall ? tr("Its calls move little: put several messages into one, or call it less often.")
                : tr(
                    "Its calls move much: send less, in parts that overlap with work, or between ranks that lie "
                    "closer together.");
    Advice advice = adviceOf(facts, node,
                             isSmall ? tr("Call %1 less often").arg(name) : tr("Move less with %1").arg(name),
                             node.why % QLatin1Char(' ') % text);
    advice.sql = QStringLiteral(
        "SELECT call, count(*) AS calls, sum(execution_ns) AS execution_ns, sum(bytes) AS bytes FROM mpi_call "
        "GROUP BY call ORDER BY execution_ns DESC");
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

}  // namespace longpole
