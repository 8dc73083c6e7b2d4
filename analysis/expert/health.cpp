// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/expert/health.h"

#include "analysis/expert/uncounted.h"
#include "analysis/graph/builder.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "core/trace/issues.h"

#include <QStringList>

#include <algorithm>

namespace longpole {

const char* name(Trust trust)
{
    switch (trust) {
    case Trust::Good: return "good";
    case Trust::Fair: return "fair";
    case Trust::Poor: break;
    }
    return "poor";
}

namespace {

double share(std::int64_t part, std::int64_t whole)
{
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::int64_t countOf(const TraceStore& store, IssueKind kind)
{
    std::int64_t count = 0;
    const QString identifier = issueIdentifier(kind);
    for (const Issue& issue : store.issues())
        if (issue.kind == identifier) count += issue.count;
    return count;
}

// A reason to doubt the trace: how far it can still be trusted, and the sentence that says so.
struct Doubt {
    Trust trust = Trust::Good;
    QString reason;
};

Doubt doubt(double value, double fair, double poor, const QString& reason)
{
    return {value > poor ? Trust::Poor : value > fair ? Trust::Fair : Trust::Good, reason};
}

// For traces with ranks: counts what matching could not join.
std::vector<Doubt> rankDoubts(const TraceStore& store, const Health& health)
{
    const std::int64_t lonely = countOf(store, IssueKind::UnmatchedSend) + countOf(store, IssueKind::UnmatchedReceive);
    const std::int64_t collectives = countOf(store, IssueKind::MismatchedCollective)
                                     + countOf(store, IssueKind::IncompleteCollective);
    const std::int64_t requests = countOf(store, IssueKind::UnfinishedRequest);
    const double against = share(health.negativeLatencies, health.messages + health.negativeLatencies);
    return {
        doubt(share(lonely, health.messages + lonely), 0, 0.05,
              tr("%1 sends or receives have no partner in the trace: nobody is seen to wait for them.")
                  .arg(formatCount(lonely))),
        doubt(static_cast<double>(collectives), 0, static_cast<double>(maxTime),
              tr("%1 collective calls lack members or differ between ranks: their waits are not known.")
                  .arg(formatCount(collectives))),
        doubt(share(requests, health.messages), 0.01, 0.2,
              tr("%1 of the requests were never completed.").arg(formatShare(share(requests, health.messages)))),
        doubt(against, 0, 0.05,
              tr("The clocks of ranks disagree: %1 dependencies that lead back in time were left out.")
                  .arg(formatCount(health.negativeLatencies))),
    };
}

std::vector<Doubt> doubts(const TraceStore& store, const Health& health)
{
    const std::int64_t processors = std::max<std::int64_t>(store.info().processors, 1);
    const TimeNs all = std::min(store.info().duration(), maxTime / processors) * processors;
    const double missing = health.missingLogs.empty() ? 0 : 1;
    const double unmatched = share(health.executionsUnmatched, health.executions);
    const double dark = share(health.untraced, all);
    const double flushed = share(health.flush, all);
    const double cut = static_cast<double>(countOf(store, IssueKind::CutLog) + countOf(store, IssueKind::DamagedLog)
                                           + countOf(store, IssueKind::UnreadableLog));
    return {
        doubt(missing, 0, 0.5,
              store.words()
                  .say(tr("%1 of %2 PEs have no log: their work and their messages are missing."),
                       tr("%1 of %2 ranks have no log: their work and their messages are missing."))
                  .arg(health.missingLogs.size())
                  .arg(store.info().processors)),
        doubt(cut, 0, 0.5,
              store.words().say(tr("A log is cut or damaged: the end of its PE is missing."),
                                tr("A log is cut or damaged: the end of its rank is missing."))),
        doubt(unmatched, 0.02, 0.2,
              store.words()
                  .say(tr("%1 of the tasks have no known sender: a path that meets one stops or goes on along its PE."),
                       tr("%1 of the tasks have no known sender: a path that meets one stops or goes on along its "
                          "rank."))
                  .arg(formatShare(unmatched))),
        doubt(health.doubtfulPathShare, 0.02, 0.2,
              tr("%1 of the scheduled path was reached over repaired or clamped messages.")
                  .arg(formatShare(health.doubtfulPathShare))),
        doubt(dark, 0.001, 0.1,
              store.words()
                  .say(tr("Tracing was off for %1 of PE-time."), tr("Tracing was off for %1 of rank-time."))
                  .arg(formatShare(dark))),
        doubt(flushed, 0.01, 0.1,
              store.words()
                  .say(tr("Writing the trace itself took %1 of PE-time."),
                       tr("Writing the trace itself took %1 of rank-time."))
                  .arg(formatShare(flushed))),
        doubt(store.info().hasRanks() ? 0 : share(health.negativeLatencies, health.messages), 0.001, 0.05,
              tr("%1 of the messages seem to start tasks before they are sent: clocks differ or threads were resumed.")
                  .arg(formatShare(share(health.negativeLatencies, health.messages)))),
    };
}

// What is exact and what is not, without calling the same figure both.
QString exactSentences(const Health& health)
{
    const double part = share(health.receiveTimesEstimated, health.receiveTimes);
    if (health.receiveTimesEstimated == 0 || health.receiveTimes == 0)
        return tr("Totals and paths are exact: nothing of weight was skipped, repaired or left unmatched.");
    return (health.trust == Trust::Good ? QString(tr("Totals are exact.") % QLatin1Char(' ')) : QString())
           % (part >= 1
                  ? tr("The split of waiting into network and queue is estimated: the log has no arrival times (%1 "
                       "of the elapsed path).")
                        .arg(formatShare(health.estimatedPathShare))
                  : tr("The split of waiting into network and queue is partly estimated: the log lacks %1 of the "
                       "arrival times.")
                        .arg(formatShare(part)));
}

void judge(const TraceStore& store, Health& health)
{
    QStringList reasons;
    std::vector<Doubt> all = doubts(store, health);
    if (store.info().hasRanks())
        for (Doubt& doubt : rankDoubts(store, health)) all.push_back(std::move(doubt));
    for (const Doubt& found : all) {
        if (found.trust == Trust::Good) continue;
        health.trust = std::max(health.trust, found.trust);
        reasons << found.reason;
    }
    QStringList sentences;
    switch (health.trust) {
    case Trust::Good: break;
    case Trust::Fair: sentences << tr("Use the figures with care."); break;
    case Trust::Poor: sentences << tr("The figures are a sketch of the run, not a measurement."); break;
    }
    sentences << reasons;
    if (!reasons.isEmpty()) health.doubt = reasons.front();
    if (!store.hasEvents())
        sentences << tr("This is a summary trace, in intervals of %1.").arg(formatTime(store.info().interval))
                  << tr("Up to 1 % of each interval's busy and idle time is rounded away and counts as overhead.");
    else if (health.trust == Trust::Good || health.receiveTimesEstimated > 0) sentences << exactSentences(health);
    sentences << uncountedSentences(store);
    health.verdict = sentences.join(QLatin1Char(' '));
}

void collectIssues(Vocabulary words, std::span<const Issue> issues, std::vector<HealthIssue>& into)
{
    std::vector<HealthIssue> found;
    for (const Issue& issue : issues) found.push_back({issue, sentenceFor(words, issue)});
    std::stable_sort(found.begin(), found.end(),
                     [](const HealthIssue& a, const HealthIssue& b) { return a.issue.count > b.issue.count; });
    into.insert(into.end(), found.begin(), found.end());
}

}  // namespace

QString sentenceFor(Vocabulary words, const Issue& issue)
{
    if (issue.kind == QLatin1String(edgeClamped))
        return tr(
            "A message was sent after its task started or its sender ended; on paths it leaves its sender at the "
            "nearest "
            "possible time.");
    if (issue.kind == QLatin1String(edgeDropped))
        return tr("The sender of a message starts after the task or is not in the trace; paths do not follow it.");
    if (issue.kind == QLatin1String(mergeDropped))
        return tr(
            "A recorded merge names a task that does not start before the one it leads to; paths do not follow it.");
    if (issue.kind == QLatin1String(tieCycle))
        return tr("Tasks at one instant seem to wait for each other; paths leave one of their messages out.");
    if (issue.kind == QLatin1String(taskTrimmed))
        return words.say(
            tr("A task reaches into the next one of its PE or out of the run; paths use the part before."),
            tr("A task reaches into the next one of its rank or out of the run; paths use the part before."));
    return issueSentence(issue.kind);
}

Health health(const TraceStore& store, const ActivityGraph& graph, const CriticalPath& work,
              const CriticalPath& elapsed)
{
    Health health;
    collectIssues(store.words(), store.issues(), health.issues);
    collectIssues(store.words(), graph.issues, health.issues);
    const TraceInfo& info = store.info();
    health.executions = info.tasks;
    health.executionsUnmatched = info.executionsUnmatched;
    health.messages = info.messages;
    health.messagesMatched = info.messagesMatched;
    health.negativeLatencies = countOf(store, IssueKind::NegativeLatency);
    health.repaired = countOf(store, IssueKind::RepairedBroadcast);
    for (const Processor& processor : store.processors()) {
        if (!processor.hasLog) health.missingLogs.push_back(processor.pe);
        health.flush += processor.flush;
        health.untraced += processor.untraced;
    }
    for (std::size_t task = 0; task < graph.size(); ++task) {
        if (graph.received(task) == minTime) continue;
        ++health.receiveTimes;
        if ((graph.flags[task] & ActivityGraph::Estimated) != 0) ++health.receiveTimesEstimated;
    }
    health.doubtfulPathShare = share(work.doubtfulWeight, work.length);
    health.estimatedPathShare = share(elapsed.doubtfulWeight, elapsed.length);
    judge(store, health);
    return health;
}

}  // namespace longpole
