// SPDX-License-Identifier: GPL-3.0-or-later
// Branch E: whether running the critical tasks first would help, as the analysis of the critical path says.
#include "analysis/expert/nodes.h"

#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

Result<Judged> judgeScheduling(const TreeFacts& facts, TreeNode node)
{
    const SchedulingAnalysis& scheduling = facts.inputs.scheduling;
    if (!facts.hasMessages())
        return notJudged(std::move(node), tr("No execution's message is known, so that nothing says what waited."),
                         {tr("creations of messages")});
    if (!scheduling.notEvaluated.isEmpty())
        return notJudged(std::move(node), scheduling.notEvaluated, {tr("creations and receive times of messages")});
    const Thresholds::Scheduling& limits = facts.inputs.thresholds.scheduling;
    const double duration = double(std::max<TimeNs>(facts.duration, 1));
    node.tests = {above(tr("idle time before critical tasks, of the run"), MetricKind::Share,
                        double(scheduling.afterIdle.time) / duration, limits.idle, "scheduling.idle"),
                  above(tr("time critical tasks waited behind others, of the run"), MetricKind::Share,
                        double(scheduling.behindOthers.time) / duration, limits.overtaking, "scheduling.overtaking")};
    node.tests[0].fired = scheduling.afterIdle.isMet;
    node.tests[1].fired = scheduling.behindOthers.isMet;
    const TimeNs seen = std::min(scheduling.afterIdle.time, scheduling.behindOthers.time);
    node.severity = facts.schedulingGain > 0 ? facts.schedulingGain : std::min(seen, facts.scope.usage.idle);
    node.why = tr("%1 critical tasks came after idling (%2 in all), %3 waited while tasks off the path were started "
                  "(%4). It takes "
                  "both: time to fill, and tasks to put off.")
                   .arg(formatCount(scheduling.afterIdle.count), formatTime(scheduling.afterIdle.time),
                        formatCount(scheduling.behindOthers.count), formatTime(scheduling.behindOthers.time));
    if (!scheduling.verdict.isEmpty()) node.why += QLatin1Char(' ') % scheduling.verdict;
    const bool isMet = scheduling.afterIdle.isMet && scheduling.behindOthers.isMet;
    const bool isOfUse = !scheduling.advice.empty();
    if (isMet && !isOfUse) {
        node.why += QLatin1Char(' ')
                    % tr(
                        "Both conditions are met, but nothing that could be preferred or split is predicted to gain: "
                        "there is nothing to be done about it here.");
        node.change = tr("It would fire if the replay predicted a gain of a priority, or a task were worth splitting.");
    }
    settle(facts, node, isOfUse && (isMet || facts.schedulingGain > 0));
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    for (const Condition* condition : {&scheduling.behindOthers, &scheduling.afterIdle})
        node.evidence.insert(node.evidence.end(), condition->evidence.begin(), condition->evidence.end());
    node.advice = scheduling.advice.front().title;
    return Judged{std::move(node), {}};
}

}  // namespace longpole
