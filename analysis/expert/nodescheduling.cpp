// SPDX-License-Identifier: GPL-3.0-or-later
// Branch E: whether running the critical tasks first would help, as the analysis of the critical path says.
#include "analysis/expert/nodes.h"

#include "analysis/scheduling/schedulingwords.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

Result<Judged> judgeScheduling(const TreeFacts& facts, TreeNode node)
{
    const SchedulingAnalysis& scheduling = facts.inputs.scheduling;
    if (!facts.hasMessages())
        return notJudged(std::move(node), tr("No task's message is known, so nothing says what waited."),
                         {tr("creations of messages")});
    if (!scheduling.notEvaluated.isEmpty())
        return notJudged(std::move(node), scheduling.notEvaluated, {tr("creations and receive times of messages")});
    const Thresholds::Scheduling& limits = facts.inputs.thresholds.scheduling;
    // Sums over tasks, which wait side by side: they may be more than the run's duration, so no share of it.
    const double duration = double(facts.duration);
    node.tests = {above(tr("idle time before critical tasks, sum over them"), MetricKind::Time,
                        double(scheduling.afterIdle.time), limits.idle * duration, "scheduling.idle"),
                  above(tr("time for which critical tasks were overtaken, sum over them"), MetricKind::Time,
                        double(scheduling.behindOthers.time), limits.overtaking * duration, "scheduling.overtaking")};
    node.tests[0].fired = scheduling.afterIdle.isMet;
    node.tests[1].fired = scheduling.behindOthers.isMet;
    const TimeNs seen = std::min(scheduling.afterIdle.time, scheduling.behindOthers.time);
    node.severity = facts.schedulingGain > 0 ? facts.schedulingGain : std::min(seen, facts.scope.usage.idle);
    const bool isMet = scheduling.afterIdle.isMet && scheduling.behindOthers.isMet;
    const bool isOfUse = !scheduling.advice.empty();
    const bool isFound = isOfUse && (isMet || facts.schedulingGain > 0);
    const QString overtaken = formatTime(scheduling.behindOthers.time);
    if (isFound)
        node.why = isMet ? tr("Critical tasks were overtaken for %1, and there is idle time to shift other work into.")
                               .arg(overtaken)
                         : tr("Critical tasks waited while other tasks ran.");
    else if (isMet)
        node.why = (outcomeOf(scheduling.tried) == TriedOutcome::Unknown
                        ? tr("Critical tasks were overtaken for %1, and what helps can't be predicted.")
                    : outcomeOf(scheduling.tried) == TriedOutcome::Little
                        ? tr("Critical tasks were overtaken for %1, but nothing that was tried helps enough.")
                        : tr("Critical tasks were overtaken for %1, but nothing that was tried helps."))
                       .arg(overtaken);
    if (!scheduling.verdict.isEmpty())
        node.why = node.why.isEmpty() ? scheduling.verdict : node.why % QLatin1Char(' ') % scheduling.verdict;
    if (isMet && !isOfUse) node.change = tr("Found if the replay predicted a gain, or a task were worth splitting.");
    settle(facts, node, isFound);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    // Too little was overtaken: what the first advice goes by, as the rest of running tasks.
    if (!isMet) node.evidence = scheduling.advice.front().evidence;
    else
        for (const Condition* condition : {&scheduling.behindOthers, &scheduling.afterIdle})
            node.evidence.insert(node.evidence.end(), condition->evidence.begin(), condition->evidence.end());
    node.advice = scheduling.advice.front().title;
    return Judged{std::move(node), {}};
}

}  // namespace longpole
