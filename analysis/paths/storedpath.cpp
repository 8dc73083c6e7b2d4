// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/paths/storedpath.h"

#include "analysis/base/naming.h"
#include "core/base/checked.h"
#include "core/base/translate.h"

#include <array>
#include <numeric>
#include <optional>

namespace longpole {
namespace {

// A task that the trace has, or had; nothing if there is no such PE.
std::optional<TaskId> taskOf(const TraceStore& store, std::int64_t pe, std::int64_t number)
{
    const auto processor = checked<ProcessorId>(pe);
    const auto index = checked<std::uint32_t>(number);
    if (!processor || !index || store.processor(*processor) == nullptr) return {};
    return TaskId{*processor, *index};
}

std::optional<EntryId> entryOf(std::int64_t number)
{
    const auto entry = checked<std::uint32_t>(number);
    return entry ? std::optional(EntryId{*entry}) : std::nullopt;
}

bool isTime(std::int64_t begin, std::int64_t end)
{
    constexpr TimeNs farthest = TimeNs{1} << 61;
    return begin <= end && begin >= -farthest && end <= farthest;
}

// Shares as a path's profile has them (analysis/paths/pathprofile.cpp).
void setShares(const TraceStore& store, CriticalPath& path)
{
    TimeNs busy = 0;
    std::unordered_map<std::uint32_t, TimeNs> busyOf;
    for (const ProfileRow& row : store.profile()) {
        TimeNs& own = busyOf[index(row.entry)];
        own = saturatingAdd(own, row.exclusive);
        busy = saturatingAdd(busy, row.exclusive);
    }
    for (PathProfileRow& row : path.profile) {
        row.share = ratio(row.time, path.length);
        if (const auto own = busyOf.find(index(row.entry)); own != busyOf.end())
            row.busyShare = ratio(own->second, busy);
    }
}

}  // namespace

std::span<std::int64_t> figuresOf(StoredAnswers& answers)
{
    std::vector<std::int64_t>& row = answers.values[static_cast<std::size_t>(AnswerTable::Run)];
    if (row.empty()) row.assign(RunColumn::Count, -1);
    return row;
}

Result<std::span<const std::int64_t>> storedFigures(const TraceStore& store)
{
    if (store.answers().isThere()) return store.answers().row(AnswerTable::Run, 0);
    if (const Result<> there = requireEvents(store); !there) return there.error();
    return damagedAnswers(store);
}

Error damagedAnswers(const TraceStore& store)
{
    return {.what = tr("The file is damaged: its answers are of another run."),
            .where = store.path(),
            .hint = tr("Make it again: longpole analyze.")};
}

void storePath(StoredAnswers& answers, const CriticalPath& path, std::span<const std::uint32_t> functions)
{
    const std::span<std::int64_t> figures = figuresOf(answers);
    figures[RunColumn::PathLength] = path.length;
    figures[RunColumn::PathPe] = path.to.isValid() ? std::int64_t{index(path.to.pe)} : -1;
    figures[RunColumn::PathTask] = path.to.isValid() ? std::int64_t{path.to.index} : -1;
    for (std::size_t i = 0; i < path.steps.size(); ++i) {
        const PathStep& step = path.steps[i];
        const std::int64_t function = i < functions.size() ? functions[i] : noCallPath;
        answers.add(AnswerTable::PathStep,
                    std::array<std::int64_t, PathStepColumn::Count>{index(step.task.pe), step.task.index,
                                                                    index(step.entry), step.begin, step.end,
                                                                    std::int64_t(step.edge), step.doubtful, function});
    }
    for (const PathProfileRow& row : path.profile)
        answers.add(AnswerTable::PathProfile,
                    std::array<std::int64_t, PathProfileColumn::Count>{index(row.entry), row.count, row.time});
}

Result<std::shared_ptr<const CriticalPath>> storedPath(const TraceStore& store)
{
    const auto figures = storedFigures(store);
    if (!figures) return figures.error();
    const StoredAnswers& answers = store.answers();
    CriticalPath path;
    path.edges = EdgeLevel::Order;
    path.duration = store.info().range().length();
    for (std::size_t i = 0; i < answers.rows(AnswerTable::PathStep); ++i) {
        const auto row = answers.row(AnswerTable::PathStep, i);
        const auto task = taskOf(store, row[PathStepColumn::Pe], row[PathStepColumn::Task]);
        const auto entry = entryOf(row[PathStepColumn::Entry]);
        const std::int64_t edge = row[PathStepColumn::Edge];
        if (!task || !entry || edge < 0 || edge > std::int64_t(PathEdge::InferredMerge)
            || !isTime(row[PathStepColumn::Begin], row[PathStepColumn::End]))
            return damagedAnswers(store);
        path.steps.push_back({.task = *task,
                              .pe = task->pe,
                              .entry = *entry,
                              .begin = row[PathStepColumn::Begin],
                              .end = row[PathStepColumn::End],
                              .edge = static_cast<PathEdge>(edge),
                              .doubtful = row[PathStepColumn::Doubtful] != 0});
        const PathStep& step = path.steps.back();
        path.length = saturatingAdd(path.length, step.weight());
        if (step.doubtful) path.doubtfulWeight = saturatingAdd(path.doubtfulWeight, step.weight());
    }
    if (!path.steps.empty()) path.to = path.steps.back().task;
    path.parts.compute = path.length;
    TimeNs inProfile = 0;
    for (std::size_t i = 0; i < answers.rows(AnswerTable::PathProfile); ++i) {
        const auto row = answers.row(AnswerTable::PathProfile, i);
        const auto entry = entryOf(row[PathProfileColumn::Entry]);
        if (!entry || row[PathProfileColumn::Time] < 0) return damagedAnswers(store);
        path.profile.push_back({.entry = *entry,
                                .count = row[PathProfileColumn::Tasks],
                                .time = row[PathProfileColumn::Time]});
        inProfile = saturatingAdd(inProfile, row[PathProfileColumn::Time]);
    }
    const bool isSound = path.length == (*figures)[RunColumn::PathLength] && inProfile == path.length;
    if (!isSound && !path.steps.empty()) return damagedAnswers(store);
    setShares(store, path);
    return std::make_shared<const CriticalPath>(std::move(path));
}

std::unordered_map<std::uint64_t, std::uint32_t> storedFunctions(const TraceStore& store)
{
    std::unordered_map<std::uint64_t, std::uint32_t> functions;
    const StoredAnswers& answers = store.answers();
    for (std::size_t i = 0; i < answers.rows(AnswerTable::PathStep); ++i) {
        const auto row = answers.row(AnswerTable::PathStep, i);
        const auto task = taskOf(store, row[PathStepColumn::Pe], row[PathStepColumn::Task]);
        const auto function = checked<std::uint32_t>(row[PathStepColumn::CallPath]);
        if (task && function && *function != noCallPath) functions.emplace(functionKey(*task), *function);
    }
    return functions;
}

void storeSlack(StoredAnswers& answers, const StoredSlack& slack)
{
    const std::span<std::int64_t> figures = figuresOf(answers);
    figures[RunColumn::SlackTasks] = slack.tasks;
    figures[RunColumn::SlackWithout] = slack.without;
    for (const StoredSlack::Task& task : slack.least)
        answers.add(AnswerTable::Slack,
                    std::array<std::int64_t, SlackColumn::Count>{index(task.task.pe), task.task.index,
                                                                 index(task.entry), task.begin, task.end, task.slack});
}

Result<StoredSlack> storedSlack(const TraceStore& store)
{
    const auto figures = storedFigures(store);
    if (!figures) return figures.error();
    StoredSlack slack{.length = (*figures)[RunColumn::PathLength],
                      .tasks = (*figures)[RunColumn::SlackTasks],
                      .without = (*figures)[RunColumn::SlackWithout]};
    const StoredAnswers& answers = store.answers();
    for (std::size_t i = 0; i < answers.rows(AnswerTable::Slack); ++i) {
        const auto row = answers.row(AnswerTable::Slack, i);
        const auto task = taskOf(store, row[SlackColumn::Pe], row[SlackColumn::Task]);
        const auto entry = entryOf(row[SlackColumn::Entry]);
        if (!task || !entry || !isTime(row[SlackColumn::Begin], row[SlackColumn::End]) || row[SlackColumn::Slack] < 0)
            return damagedAnswers(store);
        slack.least.push_back({*task, *entry, row[SlackColumn::Begin], row[SlackColumn::End], row[SlackColumn::Slack]});
    }
    const bool isSound = slack.tasks >= std::ssize(slack.least) && slack.without >= 0 && slack.without <= slack.tasks;
    if (!isSound) return damagedAnswers(store);
    return slack;
}

}  // namespace longpole
