// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/processes/storedanswers.h"

#include "analysis/base/callpaths.h"
#include "analysis/expert/storedinputs.h"
#include "analysis/phases/phasequestions.h"
#include "analysis/results/storedresults.h"
#include "analysis/whatif/storedgains.h"

namespace longpole {

namespace {

std::vector<StoredPath::Step> storedSteps(const HostedPath& found)
{
    std::vector<StoredPath::Step> steps;
    for (std::size_t i = 0; i < found.path.steps.size(); ++i) {
        const PathStep& step = found.path.steps[i];
        steps.push_back({.task = step.task,
                         .entry = step.entry,
                         .begin = step.begin,
                         .end = step.end,
                         .edge = static_cast<std::uint8_t>(step.edge),
                         .isDoubtful = step.doubtful,
                         .function = i < found.functions.size() ? found.functions[i] : noCallPath,
                         .part = static_cast<std::uint8_t>(step.part)});
    }
    return steps;
}

StoredPath stored(const HostedPath& found)
{
    StoredPath path{.to = found.path.to, .length = found.path.length, .steps = storedSteps(found)};
    for (const PathProfileRow& row : found.path.profile) path.profile.push_back({row.entry, row.count, row.time});
    return path;
}

StoredSlack stored(const HostedSlack& found)
{
    StoredSlack slack{.length = found.length, .tasks = found.tasks, .without = found.without};
    for (const HostedTaskSlack& task : found.least)
        slack.least.push_back({task.task, task.entry, task.begin, task.end, task.slack});
    return slack;
}

StoredNear stored(const HostedNear& found)
{
    StoredNear near;
    const auto add = [&near](const HostedNearPath& path, bool isListed) {
        near.paths.push_back({isListed, path.slack, path.distinct, storedSteps(path.path)});
    };
    for (const HostedNearPath& path : found.paths) add(path, true);
    if (found.longest) add(*found.longest, false);
    return near;
}

}  // namespace

StoredAnswers storedAnswers(const AllAnswers& answers, const TraceStore& store)
{
    StoredAnswers all;
    AnswerPartSet leftOut = answers.leftOut;
    // What the trace is asked for is what regions gain that cost nothing.
    if (answers.factor != Rational{0, 1}) leftOut.set(static_cast<std::size_t>(AnswerPart::Zeroing));
    all.lacking = tablesOf(leftOut);
    storeWaits(all, answers.waits);
    storePath(all, stored(answers.path));
    storeElapsedPath(all, stored(answers.elapsed));
    if (!answers.lacks(AnswerPart::Slack)) storeSlack(all, stored(answers.slack));
    storeNear(all, stored(answers.near));
    if (!all.lacks(AnswerTable::Zeroing)) storeGains(all, answers.gains);
    if (answers.loop) {
        const CallLoop& loop = answers.loop->loop;
        storeLoop(all, {.path = loop.path,
                        .call = loop.call,
                        .range = loop.range,
                        .isMarkLast = loop.isMarkLast,
                        .marks = answers.loop->marks});
    }
    storeProfiled(all, answers.profiled);
    if (answers.merged) storeMergedPath(all, stored({.path = *answers.merged, .functions = {}}));
    if (answers.merged && answers.phases) storePhases(all, *answers.phases);
    if (store.info().hasRanks() && !answers.lacks(AnswerPart::Advice)) {
        std::vector<std::uint32_t> places;
        for (const Advice& advice : answers.advice.expert->advice) places.push_back(advice.place.value_or(noCallPath));
        storeInputs(all, store, answers.advice.inputs, static_cast<std::int64_t>(Thresholds{}.tree.stages), places);
    }
    const Efficiency& efficiency = answers.efficiency;
    storeEfficiency(all, store,
                    {.range = efficiency.range,
                     .ideal = efficiency.ideal,
                     .leftOut = efficiency.leftOut,
                     .leftOutBusy = efficiency.leftOutBusy,
                     .useful = efficiency.useful,
                     .counted = countedProcessors(store, efficiency.useful.size())});
    return all;
}

}  // namespace longpole
