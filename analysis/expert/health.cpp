// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/expert/health.h"

#include "analysis/expert/plausibility.h"
#include "analysis/facts/uncounted.h"
#include "analysis/graph/builder.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

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

// What is exact and what is not, without calling the same figure both.
QString exactSentences(const Health& health)
{
    const double part = share(health.receiveTimesEstimated, health.receiveTimes);
    if (health.receiveTimesEstimated == 0 || health.receiveTimes == 0)
        return tr("Totals and paths are exact: nothing of weight was skipped, repaired or left unmatched.");
    return (health.trust == Trust::Good ? QString(tr("Totals are exact.") % QLatin1Char(' ')) : QString())
           % (part >= 1 ? tr("The split of waiting into network and queue is estimated: the log has no arrival times. "
                             "Steps that begin with such a message are %1 of the elapsed path.")
                              .arg(formatShare(health.estimatedPathShare))
                        : tr("The split of waiting into network and queue is partly estimated: the log lacks %1 of the "
                             "arrival times.")
                              .arg(formatShare(part)));
}

void judge(const TraceStore& store, Health& health, const Disturbances& disturbances)
{
    const std::vector<Doubt> doubts = doubtsOf(store, health);
    health.checks = checksOf(store, health, disturbances, doubts);
    QStringList reasons;
    for (const Doubt& found : doubts) {
        if (found.trust == Trust::Good) continue;
        health.trust = std::max(health.trust, found.trust);
        reasons << found.reason;
    }
    QStringList sentences;
    if (const QString first = firstWords(health.checks); !first.isEmpty()) sentences << first;
    switch (health.trust) {
    case Trust::Good: break;
    case Trust::Fair: sentences << tr("Use the figures with care."); break;
    case Trust::Poor: sentences << tr("The figures are a sketch of the run, not a measurement."); break;
    }
    sentences << reasons;
    if (store.info().isSummary())
        sentences << tr("This is a summary trace, in intervals of %1.").arg(formatTime(store.info().interval))
                  << tr("Up to 1 % of each interval's busy and idle time is rounded away and counts as overhead.");
    else if (health.trust == Trust::Good || health.receiveTimesEstimated > 0) sentences << exactSentences(health);
    const auto cores = std::find_if(health.checks.begin(), health.checks.end(),
                                    [](const Check& check) { return check.id == CheckId::ProcessorTime; });
    if (store.info().hasRanks() && cores != health.checks.end() && cores->level == CheckLevel::CantTell)
        sentences << cores->says;
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

Health storedHealth(const TraceStore& store)
{
    Health health;
    collectIssues(store.words(), store.issues(), health.issues);
    const TraceInfo& info = store.info();
    health.executions = info.tasks;
    health.executionsUnmatched = info.executionsUnmatched;
    health.messages = info.messages;
    health.messagesMatched = info.messagesMatched;
    health.negativeLatencies = issueCount(store, IssueKind::NegativeLatency);
    health.repaired = issueCount(store, IssueKind::RepairedBroadcast);
    for (const Processor& processor : store.processors()) {
        if (!processor.hasLog) health.missingLogs.push_back(processor.pe);
        addSaturating(health.flush, processor.flush);
        addSaturating(health.untraced, processor.untraced);
    }
    return health;
}

Health health(const TraceStore& store, const ActivityGraph& graph, const CriticalPath& work,
              const CriticalPath& elapsed, const Disturbances& disturbances)
{
    Health health = storedHealth(store);
    collectIssues(store.words(), graph.issues, health.issues);
    for (std::size_t task = 0; task < graph.size(); ++task) {
        if (graph.received(task) == minTime) continue;
        ++health.receiveTimes;
        if ((graph.flags[task] & ActivityGraph::Estimated) != 0) ++health.receiveTimesEstimated;
    }
    health.processorTime = disturbances.processorTime;
    health.startUp = disturbances.startUp;
    health.doubtfulPathShare = share(work.doubtfulWeight, work.length);
    health.estimatedPathShare = share(elapsed.doubtfulWeight, elapsed.length);
    judge(store, health, disturbances);
    return health;
}

}  // namespace longpole
