// SPDX-License-Identifier: GPL-3.0-or-later
// What the import and the logs tell against a run, and what disturbed it, as the list of checks.
#include "analysis/expert/plausibility.h"

#include "analysis/base/naming.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "core/trace/issues.h"

#include <QStringList>

#include <algorithm>

namespace longpole {

namespace {

double partOfAll(std::int64_t part, std::int64_t whole)
{
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

Doubt doubt(CheckId check, double value, double fair, double poor, const QString& reason)
{
    return {check, value > poor ? Trust::Poor : value > fair ? Trust::Fair : Trust::Good, value, reason};
}

// For traces with ranks: counts what matching could not join.
std::vector<Doubt> rankDoubts(const TraceStore& store, const Health& health)
{
    const std::int64_t lonely = issueCount(store, IssueKind::UnmatchedSend)
                                + issueCount(store, IssueKind::UnmatchedReceive);
    const std::int64_t collectives = issueCount(store, IssueKind::MismatchedCollective)
                                     + issueCount(store, IssueKind::IncompleteCollective);
    const std::int64_t guessed = issueCount(store, IssueKind::GuessedThreads);
    const std::int64_t requests = issueCount(store, IssueKind::UnfinishedRequest);
    const double against = partOfAll(health.negativeLatencies, health.messages + health.negativeLatencies);
    return {
        doubt(CheckId::Messages, partOfAll(lonely, health.messages + lonely), 0, 0.05,
              counted("%1 sends or receives have no partner in the trace: nobody is seen to wait for them.",
                      "%1 send or receive has no partner in the trace: nobody is seen to wait for it.", lonely)),
        doubt(CheckId::Messages, static_cast<double>(collectives), 0, static_cast<double>(maxTime),
              counted("%1 collective calls lack members or differ between ranks: their waits are not known.",
                      "%1 collective call lacks members or differs between ranks: its waits are not known.",
                      collectives)),
        doubt(CheckId::Messages, partOfAll(requests, health.messages), 0.01, 0.2,
              tr("%1 of the requests were never completed.").arg(formatShare(partOfAll(requests, health.messages)))),
        doubt(CheckId::Messages, guessed > 0 ? 1 : 0, 0, 2,
              counted("Which thread of a rank made which of %1 calls is guessed: what a thread did, and for whom it "
                      "waited, may be another's.",
                      "Which thread of a rank made %1 call is guessed: what it did may be another's.", guessed)),
        doubt(CheckId::Clocks, against, 0, 0.05,
              counted("The clocks of ranks disagree: %1 dependencies that lead back in time were left out.",
                      "The clocks of ranks disagree: %1 dependency that leads back in time was left out.",
                      health.negativeLatencies)),
    };
}

QString withoutLogs(const TraceStore& store, std::int64_t missing)
{
    return store.words()
        .say(counted("%1 of %2 PEs have no log: their work and their messages are missing.",
                     "%1 of %2 PEs has no log: its work and its messages are missing.", missing),
             counted("%1 of %2 ranks have no log: their work and their messages are missing.",
                     "%1 of %2 ranks has no log: its work and its messages are missing.", missing))
        .arg(store.info().processors);
}

std::vector<Doubt> eventDoubts(const TraceStore& store, const Health& health)
{
    const std::int64_t processors = std::max<std::int64_t>(store.info().processors, 1);
    const TimeNs all = std::min(store.info().duration(), maxTime / processors) * processors;
    const double missing = health.missingLogs.empty() ? 0 : 1;
    const double unmatched = partOfAll(health.executionsUnmatched, health.executions);
    const double dark = partOfAll(health.untraced, all);
    const double flushed = partOfAll(health.flush, all);
    const std::int64_t cutLogs = std::min(issueCount(store, IssueKind::CutLog)
                                              + issueCount(store, IssueKind::DamagedLog)
                                              + issueCount(store, IssueKind::UnreadableLog),
                                          processors);
    const std::int64_t damagedParts = issueCount(store, IssueKind::DamagedRecording);  // of any number of ranks
    const std::int64_t unread = issueCount(store, IssueKind::MalformedRecord);
    return {
        doubt(CheckId::Logs, missing, 0, 0.5, withoutLogs(store, std::int64_t(health.missingLogs.size()))),
        doubt(CheckId::Logs, cutLogs > 0 ? 1 : 0, 0, 0.5,
              store.words().say(counted("Logs of %1 PEs are cut or damaged: their ends are missing.",
                                        "A log is cut or damaged: the end of its PE is missing.", cutLogs),
                                counted("Files of %1 ranks are cut or damaged: their ends are missing.",
                                        "A log is cut or damaged: the end of its rank is missing.", cutLogs))),
        doubt(CheckId::Logs, damagedParts > 0 ? 1 : 0, 0, 0.5,
              counted("%1 parts of ranks' files are cut or damaged: what they held is missing.",
                      "%1 part of a rank's file is cut or damaged: what it held is missing.", damagedParts)),
        doubt(CheckId::Logs, partOfAll(unread, unread + health.executions), 0, 0.05,
              counted("%1 records could not be read: what they told is missing.",
                      "%1 record could not be read: what it told is missing.", unread)),
        doubt(CheckId::Messages, unmatched, 0.02, 0.2,
              store.words()
                  .say(tr("%1 of the tasks have no known sender: a path that meets one stops or goes on along its PE."),
                       tr("%1 of the tasks have no known sender: a path that meets one stops or goes on along its "
                          "rank."))
                  .arg(formatShare(unmatched))),
        doubt(CheckId::Messages, health.doubtfulPathShare, 0.02, 0.2,
              tr("%1 of the scheduled path was reached over repaired or clamped messages.")
                  .arg(formatShare(health.doubtfulPathShare))),
        doubt(CheckId::Flushes, dark, 0.001, 0.1,
              store.words()
                  .say(tr("Tracing was off for %1 of PE-time."), tr("Tracing was off for %1 of rank-time."))
                  .arg(formatShare(dark))),
        doubt(CheckId::Flushes, flushed, 0.01, 0.1,
              store.words()
                  .say(tr("Writing the trace itself took %1 of PE-time."),
                       tr("Writing the trace itself took %1 of rank-time."))
                  .arg(formatShare(flushed))),
        doubt(CheckId::Clocks, store.info().hasRanks() ? 0 : partOfAll(health.negativeLatencies, health.messages),
              0.001, 0.05,
              tr("%1 of the messages seem to start tasks before they are sent: clocks differ or threads were resumed.")
                  .arg(formatShare(partOfAll(health.negativeLatencies, health.messages)))),
    };
}

// What the gate makes of advice that a check weakens.
constexpr double doubtful = 0.85, failed = 0.5;

Check checkOf(CheckId id, CheckLevel level, double value, const QString& says)
{
    Check check{.id = id, .level = level, .value = value, .says = says};
    if (!check.isInDoubt()) return check;
    check.doubt = says;
    check.confidence = level == CheckLevel::Failed ? failed : doubtful;
    return check;
}

CheckLevel levelOf(double value, double most, double mostDoubtful)
{
    return value > mostDoubtful ? CheckLevel::Failed : value > most ? CheckLevel::Doubtful : CheckLevel::Passed;
}

// "Most of that lies from 1.2 ms to 3.4 ms." if one tenth of the run has more than half.
QString whereNotRunning(const ProcessorTime& time, TimeRange run)
{
    for (std::size_t part = 0; part < time.over.size(); ++part) {
        if (saturatingMultiply(time.over[part].notRunning, 2) <= time.notRunning) continue;
        const auto edge = [&](std::size_t p) { return run.length() / TimeNs(ProcessorTime::parts) * TimeNs(p); };
        return QLatin1Char(' ')
               % tr("Most of that lies from %1 to %2.").arg(formatTime(edge(part)), formatTime(edge(part + 1)));
    }
    return {};
}

QString withoutCpuTimes(const ProcessorTime& time, Vocabulary words)
{
    if (time.clock == CpuClock::Coarse)
        return words.say(tr("The CPU times in the logs are too coarse to tell whether every PE had a core."),
                         tr("The CPU times in the logs are too coarse to tell whether every rank had a core."));
    return words.say(tr("The logs carry no CPU time: whether every PE had a core is not known."),
                     tr("The trace carries no CPU time: whether every rank had a core is not known."));
}

Check fewerCores(const ProcessorTime& time, Vocabulary words, TimeRange run)
{
    Check check = checkOf(
        CheckId::ProcessorTime, CheckLevel::Failed, time.share(),
        words.say(tr("This run had fewer cores than PEs: for at least %1 of busy time (%2), tasks were not running."),
                  tr("This run had fewer cores than ranks: for at least %1 of busy time (%2), code was not running."))
                .arg(formatShare(time.share()), formatTime(time.notRunning))
            % whereNotRunning(time, run) % QLatin1Char(' ')
            % tr("Tasks that sleep or block on purpose look the same."));
    check.because = words.say(tr("this run had fewer cores than PEs"), tr("this run had fewer cores than ranks"));
    check.needs = words.say(tr("a run with a core for every PE"), tr("a run with a core for every rank"));
    check.doubt = words.say(tr("This run had fewer cores than PEs."), tr("This run had fewer cores than ranks."));
    return check;
}

Check sleepingTasks(const ProcessorTime& time, Vocabulary words)
{
    Check check = checkOf(
        CheckId::ProcessorTime, CheckLevel::Doubtful, time.share(),
        words
            .say(tr("Tasks sleep or block for at least %1 of busy time. If they do not do so on purpose, this run had "
                    "fewer cores than PEs."),
                 tr("Code sleeps or blocks for at least %1 of busy time. If it does not do so on purpose, this run had "
                    "fewer cores than ranks."))
            .arg(formatShare(time.share())));
    check.doubt = words.say(tr("Tasks sleep or block on purpose, or this run had fewer cores than PEs."),
                            tr("Code sleeps or blocks on purpose, or this run had fewer cores than ranks."));
    return check;
}

Check littleCpuTime(const ProcessorTime& time, Vocabulary words)
{
    Check check = checkOf(
        CheckId::ProcessorTime, CheckLevel::Doubtful, time.share(),
        words
            .say(
                tr("The CPU time of tasks is %1 of their busy time. This run had fewer cores than PEs, or its CPU "
                   "clock is too coarse for tasks this short."),
                tr("The CPU time of code is %1 of its busy time. This run had fewer cores than ranks, or its CPU clock "
                   "is too coarse."))
            .arg(formatShare(time.cpuShare())));
    check.doubt = words.say(tr("This run may have had fewer cores than PEs."),
                            tr("This run may have had fewer cores than ranks."));
    return check;
}

// Of a recording that says how many cores its hosts have, and which of them its ranks were bound to.
Check coresCheck(const TraceInfo& info)
{
    constexpr double most = 0.05, mostTaken = 0.2;
    const CoreWaits waits = coreWaits(info);
    if (!waits.isShort) {
        const CheckLevel level = waits.isMeasured ? levelOf(waits.share, most, mostTaken) : CheckLevel::Passed;
        if (level == CheckLevel::Passed)
            return checkOf(CheckId::ProcessorTime, level, waits.share, tr("There was a core for every rank."));
        Check check = checkOf(CheckId::ProcessorTime, level, waits.share,
                              tr("There was a core for every rank, but ranks waited for theirs for %1 of their time: "
                                 "others ran there. The time of code and calls went on.")
                                  .arg(formatShare(waits.share)));
        check.withdraws = verdictsOfWaits();
        check.because = tr("others took the ranks' cores");
        check.needs = tr("a run whose ranks keep their cores");
        check.doubt = tr("Others took the ranks' cores.");
        return check;
    }
    const QString cores = tr("%1 to run on for %2")
                              .arg(counted("%1 cores", "%1 core", info.cores),
                                   counted("%1 ranks", "%1 rank", info.processors));
    if (waits.isMeasured && waits.share <= most) {
        Check check = checkOf(CheckId::ProcessorTime, CheckLevel::Doubtful, waits.share,
                              tr("This run had fewer cores than ranks: %1. Ranks seldom waited for one, for %2 of "
                                 "their time.")
                                  .arg(cores, formatShare(waits.share)));
        check.doubt = tr("This run had fewer cores than ranks.");
        return check;
    }
    QString says = tr("This run had fewer cores than ranks: %1. While a rank waited for a core, the time of its "
                      "code and calls went on.")
                       .arg(cores);
    if (waits.isMeasured)
        says += QLatin1Char(' ') % tr("So it was for %1 of their time.").arg(formatShare(waits.share));
    if (waits.haveOthersMost()) says += QLatin1Char(' ') % othersText(waits);
    Check check = checkOf(CheckId::ProcessorTime, CheckLevel::Failed, waits.share, says);
    check.withdraws = verdictsOfWaits();
    check.because = tr("this run had fewer cores than ranks");
    check.needs = tr("a run with a core for every rank");
    check.doubt = tr("This run had fewer cores than ranks.");
    return check;
}

}  // namespace

CoreWaits coreWaits(const TraceInfo& info)
{
    const TimeNs all = saturatingMultiply(info.duration(), info.processors);
    CoreWaits waits{.isMeasured = info.withoutCore >= 0, .isShort = info.cores < info.processors};
    if (waits.isMeasured) waits.time = std::min(info.withoutCore, all);
    else if (waits.isShort) waits.time = saturatingMultiply(info.duration(), info.processors - info.cores);
    waits.share = all > 0 ? double(waits.time) / double(all) : 0;
    const TimeNs ofCores = saturatingMultiply(info.duration(), info.cores);
    if (waits.isMeasured && info.cpu >= 0 && ofCores > 0)
        waits.used = std::min(1.0, double(info.cpu) / double(ofCores));
    return waits;
}

QString othersText(const CoreWaits& waits)
{
    return tr("Others took these cores: ranks ran for %1 of the cores' time.").arg(formatShare(waits.used));
}

Check processorTimeCheck(const ProcessorTime& time, const TraceStore& store)
{
    const Vocabulary words = store.words();
    constexpr double most = 0.05, leastCpu = 0.5;
    if (time.clock == CpuClock::Absent && store.info().cores > 0) return coresCheck(store.info());
    if (time.clock != CpuClock::Usable)
        return checkOf(CheckId::ProcessorTime, CheckLevel::CantTell, 0, withoutCpuTimes(time, words));
    if (time.share() > most)
        return 4 * double(time.sleeping) >= 3 * double(time.notRunning) ? sleepingTasks(time, words)
                                                                        : fewerCores(time, words, store.info().range());
    if (time.cpuShare() < leastCpu) return littleCpuTime(time, words);
    return checkOf(CheckId::ProcessorTime, CheckLevel::Passed, time.share(),
                   words
                       .say(tr("Tasks were running: %1 of busy time is known to have passed without a core."),
                            tr("Code was running: %1 of busy time is known to have passed without a core."))
                       .arg(formatShare(time.share())));
}

namespace {

Check interruptedCheck(const Noise& noise, CpuClock clock)
{
    const double share = noise.interruptedShare();
    if (noise.interrupted == 0)
        return checkOf(CheckId::Interrupted, CheckLevel::Passed, 0, tr("No task is known to have been interrupted."));
    const QString tasks = counted("%1 tasks", "%1 task", noise.interrupted);
    const QString text = clock == CpuClock::Usable
                             ? tr("Interruptions of %1 took %2 of busy time.")
                             : tr(
                                 "What %1 took longer than is usual makes %2 of busy time. Whether interrupted or with "
                                 "more to do, the trace does not say.");
    return checkOf(CheckId::Interrupted, levelOf(share, 0.02, 0.2), share, text.arg(tasks, formatShare(share)));
}

// Ranks that come to MPI_Finalize wait there for the last one, which is shut-down: no verdict speaks of it.
Check endsCheck(const TraceStore& store)
{
    const WaitedAtEnd waited = waitedAtEnd(store);
    if (!waited.isMuch())
        return checkOf(CheckId::StartUp, CheckLevel::Passed, 0,
                       tr("Start-up and shut-down of MPI are no part of what is judged."));
    Check check = checkOf(CheckId::StartUp, CheckLevel::Doubtful, waited.share,
                          tr("Ranks waited in MPI_Finalize for the last one, rank %1: for %2 in all, %3 of their time. "
                             "That counts as shut-down, which is not judged.")
                              .arg(index(waited.last->pe))
                              .arg(formatTime(waited.time), formatShare(waited.share)));
    check.doubt = tr("Ranks waited in MPI_Finalize for the last one, which is not judged.");
    return check;
}

Check startUpCheck(const TraceStore& store, const StartUp& startUp)
{
    constexpr double most = 0.1;
    if (store.info().hasRanks()) return endsCheck(store);
    if (startUp.range.isEmpty())
        return checkOf(CheckId::StartUp, CheckLevel::Passed, 0, tr("The work begins with the run."));
    const double share = startUp.shareOf(store.info().range());
    return checkOf(CheckId::StartUp, share > most ? CheckLevel::Doubtful : CheckLevel::Passed, share,
                   tr("Start-up takes the first %1, %2 of the run, with %3 of the tasks.")
                       .arg(formatTime(startUp.range.length()), formatShare(share),
                            formatShare(partOfAll(startUp.tasks, store.info().tasks))));
}

Check receiveTimesCheck(const Health& health)
{
    const double share = partOfAll(health.receiveTimesEstimated, health.receiveTimes);
    if (share <= 0)
        return checkOf(CheckId::ReceiveTimes, CheckLevel::Passed, 0, tr("No arrival time of a message is estimated."));
    Check check = checkOf(
        CheckId::ReceiveTimes, CheckLevel::Doubtful, share,
        share >= 1 ? tr("The log has no arrival times: all are estimated.")
                   : tr("The log lacks %1 of the arrival times: these are estimated.").arg(formatShare(share)));
    check.doubt = tr("Upper estimate: the log has no arrival times.");
    check.confidence = 1 - 0.25 * std::min(1.0, share);
    return check;
}

// What a check of the import says when nothing speaks against the trace.
QString goodWords(CheckId id, Vocabulary words, double value)
{
    switch (id) {
    case CheckId::Flushes:
        return words
            .say(tr("Writing the trace, or tracing switched off, took %1 of PE-time."),
                 tr("Writing the trace, or tracing switched off, took %1 of rank-time."))
            .arg(formatShare(value));
    case CheckId::Clocks:
        return value > 0 ? tr("%1 of the messages seem to arrive before they are sent.").arg(formatShare(value))
                         : tr("No message arrives before it is sent.");
    case CheckId::Logs: return words.say(tr("The logs of all PEs are whole."), tr("The logs of all ranks are whole."));
    default: break;
    }
    return words.ofRanks() ? tr("Sends, receives and collective calls have their partners.")
                           : tr("%1 of the tasks have no known sender.").arg(formatShare(value));
}

Check importCheck(CheckId id, std::span<const Doubt> doubts, const TraceStore& store, const Health& health)
{
    const Vocabulary words = store.words();
    Trust worst = Trust::Good;
    double value = 0;
    QStringList reasons;
    for (const Doubt& one : doubts) {
        if (one.check != id) continue;
        value = std::max(value, one.value);
        worst = std::max(worst, one.trust);
        if (one.trust != Trust::Good) reasons << one.reason;
    }
    value = std::min(value, 1.0);
    if (worst == Trust::Good) return checkOf(id, CheckLevel::Passed, value, goodWords(id, words, value));
    Check check = checkOf(id, worst == Trust::Fair ? CheckLevel::Doubtful : CheckLevel::Failed, value,
                          reasons.join(QLatin1Char(' ')));
    check.doubt = reasons.front();
    if (id == CheckId::Logs && words.ofRanks() && !health.missingLogs.empty()) {
        check.withdraws = verdictsOfAllRanks();
        check.because = tr("not all ranks are in the trace");
        check.needs = tr("a trace of all ranks");
    }
    return check;
}

}  // namespace

std::int64_t issueCount(const TraceStore& store, IssueKind kind)
{
    std::int64_t count = 0;
    const QString identifier = issueIdentifier(kind);
    for (const Issue& issue : store.issues())
        if (issue.kind == identifier) addSaturating(count, issue.count);
    return count;
}

bool lacksNames(const TraceStore& store)
{
    return issueCount(store, IssueKind::MissingSymbols) > 0 || issueCount(store, IssueKind::EmptySymbols) > 0;
}

std::vector<Doubt> doubtsOf(const TraceStore& store, const Health& health)
{
    std::vector<Doubt> all = eventDoubts(store, health);
    if (store.info().hasRanks())
        for (Doubt& found : rankDoubts(store, health)) all.push_back(std::move(found));
    return all;
}

std::vector<Check> failedAtOnce(const TraceStore& store)
{
    const Health health = storedHealth(store);
    const std::vector<Doubt> doubts = doubtsOf(store, health);
    std::vector<Check> failed;
    if (store.info().hasRanks() && store.info().cores > 0) failed.push_back(coresCheck(store.info()));
    for (const CheckId id : {CheckId::Flushes, CheckId::Clocks, CheckId::Logs, CheckId::Messages})
        failed.push_back(importCheck(id, doubts, store, health));
    std::erase_if(failed, [](const Check& check) { return check.level != CheckLevel::Failed; });
    return failed;
}

std::vector<Check> checksOf(const TraceStore& store, const Health& health, const Disturbances& disturbances,
                            std::span<const Doubt> doubts)
{
    std::vector<Check> checks;
    for (const CheckSpec& spec : checkSpecs()) switch (spec.id) {
        case CheckId::ProcessorTime: checks.push_back(processorTimeCheck(disturbances.processorTime, store)); break;
        case CheckId::Interrupted:
            checks.push_back(interruptedCheck(disturbances.noise, disturbances.processorTime.clock));
            break;
        case CheckId::StartUp: checks.push_back(startUpCheck(store, disturbances.startUp)); break;
        case CheckId::ReceiveTimes: checks.push_back(receiveTimesCheck(health)); break;
        default: checks.push_back(importCheck(spec.id, doubts, store, health));
        }
    if (!store.info().isSummary()) return checks;
    for (Check& check : checks)
        if (check.id != CheckId::ProcessorTime && check.id != CheckId::Flushes && check.id != CheckId::Logs)
            check = checkOf(check.id, CheckLevel::CantTell, 0, tr("A summary holds no tasks or messages."));
    return checks;
}

WaitedAtEnd waitedAtEnd(const TraceStore& store)
{
    WaitedAtEnd waited;
    TimeNs last = minTime;
    for (const Processor& rank : store.processors())
        if (rank.stopping != maxTime && rank.stopping > last) {
            last = rank.stopping;
            waited.last = &rank;
        }
    for (const Processor& rank : store.processors())
        if (rank.stopping != maxTime) addSaturating(waited.time, saturatingSubtract(last, rank.stopping));
    const TimeNs all = saturatingMultiply(store.info().duration(), store.info().processors);
    waited.share = all > 0 ? std::min(1.0, double(waited.time) / double(all)) : 0;
    return waited;
}

}  // namespace longpole
