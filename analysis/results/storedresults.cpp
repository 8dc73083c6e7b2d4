// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/results/storedresults.h"

#include "core/base/checked.h"
#include "core/base/translate.h"

#include <algorithm>
#include <array>
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

void storePath(StoredAnswers& answers, const StoredPath& path)
{
    const bool isEmpty = path.steps.empty();
    const std::span<std::int64_t> figures = figuresOf(answers);
    figures[RunColumn::PathLength] = path.length;
    figures[RunColumn::PathPe] = isEmpty ? -1 : std::int64_t{index(path.steps.back().task.pe)};
    figures[RunColumn::PathTask] = isEmpty ? -1 : std::int64_t{path.steps.back().task.index};
    for (const StoredPath::Step& step : path.steps)
        answers.add(AnswerTable::PathStep,
                    std::array<std::int64_t, PathStepColumn::Count>{index(step.task.pe), step.task.index,
                                                                    index(step.entry), step.begin, step.end, step.edge,
                                                                    step.isDoubtful, step.function});
    for (const StoredPath::Row& row : path.profile)
        answers.add(AnswerTable::PathProfile,
                    std::array<std::int64_t, PathProfileColumn::Count>{index(row.entry), row.tasks, row.time});
}

Result<StoredPath> storedPath(const TraceStore& store)
{
    constexpr std::int64_t edges = 5;
    const auto figures = storedFigures(store);
    if (!figures) return figures.error();
    const StoredAnswers& answers = store.answers();
    StoredPath path;
    for (std::size_t i = 0; i < answers.rows(AnswerTable::PathStep); ++i) {
        const auto row = answers.row(AnswerTable::PathStep, i);
        const auto task = taskOf(store, row[PathStepColumn::Pe], row[PathStepColumn::Task]);
        const auto entry = entryOf(row[PathStepColumn::Entry]);
        const auto function = checked<std::uint32_t>(row[PathStepColumn::CallPath]);
        const std::int64_t edge = row[PathStepColumn::Edge];
        if (!task || !entry || !function || edge < 0 || edge >= edges
            || !isTime(row[PathStepColumn::Begin], row[PathStepColumn::End]))
            return damagedAnswers(store);
        path.steps.push_back({*task, *entry, row[PathStepColumn::Begin], row[PathStepColumn::End],
                              static_cast<std::uint8_t>(edge), row[PathStepColumn::Doubtful] != 0, *function});
        path.length = saturatingAdd(path.length, path.steps.back().end - path.steps.back().begin);
    }
    TimeNs inProfile = 0;
    for (std::size_t i = 0; i < answers.rows(AnswerTable::PathProfile); ++i) {
        const auto row = answers.row(AnswerTable::PathProfile, i);
        const auto entry = entryOf(row[PathProfileColumn::Entry]);
        if (!entry || row[PathProfileColumn::Time] < 0) return damagedAnswers(store);
        path.profile.push_back({*entry, row[PathProfileColumn::Tasks], row[PathProfileColumn::Time]});
        inProfile = saturatingAdd(inProfile, row[PathProfileColumn::Time]);
    }
    const bool isSound = path.length == (*figures)[RunColumn::PathLength] && inProfile == path.length;
    if (!isSound) return damagedAnswers(store);
    return path;
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

void storeEfficiency(StoredAnswers& answers, const TraceStore& store, const StoredEfficiency& efficiency)
{
    const auto isThread = [](const Track& track) {
        return track.kind == TrackKind::Thread || track.kind == TrackKind::Stream;
    };
    if (std::ranges::any_of(store.tracks(), isThread)) return;
    const std::span<std::int64_t> figures = figuresOf(answers);
    figures[RunColumn::EfficiencyBegin] = efficiency.range.begin;
    figures[RunColumn::EfficiencyEnd] = efficiency.range.end;
    figures[RunColumn::Ideal] = efficiency.ideal;
    figures[RunColumn::LeftOut] = efficiency.leftOut;
    figures[RunColumn::LeftOutBusy] = efficiency.leftOutBusy;
    figures[RunColumn::Threads] = 0;
    figures[RunColumn::ThreadsInRegions] = 0;
    figures[RunColumn::ThreadsInMpi] = 0;
    figures[RunColumn::ThreadsWaited] = 0;
    for (std::size_t rank = 0; rank < efficiency.useful.size(); ++rank) {
        const bool isCounted = rank < efficiency.counted.size() && efficiency.counted[rank];
        answers.add(AnswerTable::Useful,
                    std::array<std::int64_t, UsefulColumn::Count>{static_cast<std::int64_t>(rank),
                                                                  efficiency.useful[rank], isCounted});
    }
}

Result<StoredEfficiency> storedEfficiency(const TraceStore& store)
{
    const auto figures = storedFigures(store);
    if (!figures) return figures.error();
    const auto row = *figures;
    if (row[RunColumn::Threads] < 0) {
        if (const Result<> there = requireEvents(store); !there) return there.error();
    }
    const StoredAnswers& answers = store.answers();
    StoredEfficiency found{.range = {row[RunColumn::EfficiencyBegin], row[RunColumn::EfficiencyEnd]},
                           .ideal = row[RunColumn::Ideal],
                           .leftOut = row[RunColumn::LeftOut],
                           .leftOutBusy = row[RunColumn::LeftOutBusy]};
    const std::size_t ranks = answers.rows(AnswerTable::Useful);
    const bool isSound = row[RunColumn::Threads] == 0 && isTime(found.range.begin, found.range.end) && found.ideal >= 0
                         && found.ideal <= found.range.length() && ranks <= store.processors().size();
    if (!isSound) return damagedAnswers(store);
    for (std::size_t i = 0; i < ranks; ++i) {
        const auto one = answers.row(AnswerTable::Useful, i);
        if (one[UsefulColumn::Pe] != static_cast<std::int64_t>(i) || one[UsefulColumn::Time] < 0
            || one[UsefulColumn::Time] > found.range.length())
            return damagedAnswers(store);
        found.useful.push_back(one[UsefulColumn::Time]);
        found.counted.push_back(one[UsefulColumn::Counted] != 0);
    }
    return found;
}

}  // namespace longpole
