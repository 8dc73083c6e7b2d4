// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/results/storedresults.h"

#include "core/base/checked.h"
#include "core/base/translate.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

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

// `where`: PE, task, entry, begin and end, with which the rows of both paths begin. Nothing: no path has such a step.
std::optional<StoredPath::Step> stepOf(const TraceStore& store, std::span<const std::int64_t, 5> where,
                                       std::int64_t edge, std::int64_t doubtful, std::int64_t callPath)
{
    constexpr std::int64_t edges = 5;
    const auto task = taskOf(store, where[PathStepColumn::Pe], where[PathStepColumn::Task]);
    const auto entry = entryOf(where[PathStepColumn::Entry]);
    const auto function = checked<std::uint32_t>(callPath);
    const TimeNs begin = where[PathStepColumn::Begin], end = where[PathStepColumn::End];
    if (!task || !entry || !function || edge < 0 || edge >= edges || !isTime(begin, end)) return {};
    return StoredPath::Step{.task = *task,
                            .entry = *entry,
                            .begin = begin,
                            .end = end,
                            .edge = static_cast<std::uint8_t>(edge),
                            .isDoubtful = doubtful != 0,
                            .function = *function};
}

void storeProfile(StoredAnswers& answers, AnswerTable table, const std::vector<StoredPath::Row>& profile)
{
    for (const StoredPath::Row& row : profile)
        answers.add(table, std::array<std::int64_t, PathProfileColumn::Count>{index(row.entry), row.tasks, row.time});
}

// The time of all rows; nothing if no path has them.
std::optional<TimeNs> readProfile(const StoredAnswers& answers, AnswerTable table,
                                  std::vector<StoredPath::Row>& profile)
{
    TimeNs all = 0;
    for (std::size_t i = 0; i < answers.rows(table); ++i) {
        const auto row = answers.row(table, i);
        const auto entry = entryOf(row[PathProfileColumn::Entry]);
        if (!entry || row[PathProfileColumn::Time] < 0) return {};
        profile.push_back({*entry, row[PathProfileColumn::Tasks], row[PathProfileColumn::Time]});
        all = saturatingAdd(all, row[PathProfileColumn::Time]);
    }
    return all;
}

void storeSteps(StoredAnswers& answers, AnswerTable table, const std::vector<StoredPath::Step>& steps)
{
    for (const StoredPath::Step& step : steps)
        answers.add(table, std::array<std::int64_t, PathStepColumn::Count>{index(step.task.pe), step.task.index,
                                                                           index(step.entry), step.begin, step.end,
                                                                           step.edge, step.isDoubtful, step.function});
}

// Of a work path, whose profile has all of its length.
Result<StoredPath> readPath(const TraceStore& store, AnswerTable steps, AnswerTable profile)
{
    const StoredAnswers& answers = store.answers();
    StoredPath path;
    for (std::size_t i = 0; i < answers.rows(steps); ++i) {
        const auto row = answers.row(steps, i);
        const auto step = stepOf(store, row.first<PathStepColumn::End + 1>(), row[PathStepColumn::Edge],
                                 row[PathStepColumn::Doubtful], row[PathStepColumn::CallPath]);
        if (!step) return damagedAnswers(store);
        path.length = saturatingAdd(path.length, step->end - step->begin);
        path.steps.push_back(*step);
    }
    if (!path.steps.empty()) path.to = path.steps.back().task;
    if (readProfile(answers, profile, path.profile) != path.length) return damagedAnswers(store);
    return path;
}

static_assert(int{PathStepColumn::End} == int{ElapsedStepColumn::End} && int{PathStepColumn::End} == 4
              && NearStepColumn::End - NearStepColumn::Pe == 4);

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

Result<> requireTables(const TraceStore& store, std::initializer_list<AnswerTable> tables)
{
    const bool isThere = std::none_of(tables.begin(), tables.end(),
                                      [&store](AnswerTable table) { return store.answers().lacks(table); });
    if (isThere) return Unit{};
    return Error{.what = tr("This is not among the answers that this file keeps: it was left out, or not yet known."),
                 .where = store.path(),
                 .hint = tr("'longpole analyze' of the recording finds it.")};
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
    storeSteps(answers, AnswerTable::PathStep, path.steps);
    storeProfile(answers, AnswerTable::PathProfile, path.profile);
}

Result<StoredPath> storedPath(const TraceStore& store)
{
    const auto figures = storedFigures(store);
    if (!figures) return figures.error();
    Result<StoredPath> path = readPath(store, AnswerTable::PathStep, AnswerTable::PathProfile);
    if (path && path->length != (*figures)[RunColumn::PathLength]) return damagedAnswers(store);
    return path;
}

void storeMergedPath(StoredAnswers& answers, const StoredPath& path)
{
    storeSteps(answers, AnswerTable::MergedStep, path.steps);
    storeProfile(answers, AnswerTable::MergedProfile, path.profile);
}

Result<StoredPath> storedMergedPath(const TraceStore& store)
{
    if (const Result<> there = requireTables(store, {AnswerTable::MergedStep}); !there) return there.error();
    const auto figures = storedFigures(store);
    if (!figures) return figures.error();
    // Whoever made the trace may have had too many tasks to look for it.
    const bool isThere = store.answers().rows(AnswerTable::MergedStep) > 0 || (*figures)[RunColumn::PathLength] == 0;
    if (!isThere) return requireEvents(store).error();
    return readPath(store, AnswerTable::MergedStep, AnswerTable::MergedProfile);
}

void storeRounds(StoredAnswers& answers, const std::vector<StoredRound>& rounds)
{
    for (const StoredRound& round : rounds)
        answers.add(AnswerTable::PhaseRound,
                    std::array<std::int64_t, PhaseRoundColumn::Count>{static_cast<std::int64_t>(round.phase) + 1,
                                                                      round.mark, round.range.begin, round.range.end});
}

Result<std::vector<StoredRound>> storedRounds(const TraceStore& store)
{
    if (const Result<> there = requireTables(store, {AnswerTable::PhaseRound}); !there) return there.error();
    if (const auto figures = storedFigures(store); !figures) return figures.error();
    const StoredAnswers& answers = store.answers();
    std::vector<StoredRound> rounds;
    for (std::size_t i = 0; i < answers.rows(AnswerTable::PhaseRound); ++i) {
        const auto row = answers.row(AnswerTable::PhaseRound, i);
        const auto mark = checked<std::uint32_t>(row[PhaseRoundColumn::Mark]);
        const TimeRange range{row[PhaseRoundColumn::Begin], row[PhaseRoundColumn::End]};
        const std::int64_t phase = row[PhaseRoundColumn::Phase];
        if (!mark || phase < 1 || !isTime(range.begin, range.end)) return damagedAnswers(store);
        const StoredRound round{static_cast<std::size_t>(phase - 1), *mark, range};
        const StoredRound* const last = rounds.empty() ? nullptr : &rounds.back();
        const bool isBehind = last == nullptr || last->phase < round.phase
                              || (last->phase == round.phase && last->mark == round.mark
                                  && last->range.end == round.range.begin);
        if (!isBehind) return damagedAnswers(store);
        rounds.push_back(round);
    }
    return rounds;
}

void storeElapsedPath(StoredAnswers& answers, const StoredPath& path)
{
    const std::span<std::int64_t> figures = figuresOf(answers);
    figures[RunColumn::ElapsedPe] = path.to.isValid() ? std::int64_t{index(path.to.pe)} : -1;
    figures[RunColumn::ElapsedTask] = path.to.isValid() ? std::int64_t{path.to.index} : -1;
    for (const StoredPath::Step& step : path.steps)
        answers.add(AnswerTable::ElapsedStep, std::array<std::int64_t, ElapsedStepColumn::Count>{
                                                  index(step.task.pe), step.task.index, index(step.entry), step.begin,
                                                  step.end, step.part, step.edge, step.isDoubtful, step.function});
    storeProfile(answers, AnswerTable::ElapsedProfile, path.profile);
}

Result<StoredPath> storedElapsedPath(const TraceStore& store)
{
    if (const Result<> there = requireTables(store, {AnswerTable::ElapsedStep}); !there) return there.error();
    constexpr std::int64_t parts = 6;
    const auto figures = storedFigures(store);
    if (!figures) return figures.error();
    const StoredAnswers& answers = store.answers();
    StoredPath path;
    TimeNs computed = 0;
    for (std::size_t i = 0; i < answers.rows(AnswerTable::ElapsedStep); ++i) {
        const auto row = answers.row(AnswerTable::ElapsedStep, i);
        auto step = stepOf(store, row.first<ElapsedStepColumn::End + 1>(), row[ElapsedStepColumn::Edge],
                           row[ElapsedStepColumn::Doubtful], row[ElapsedStepColumn::CallPath]);
        const std::int64_t part = row[ElapsedStepColumn::Part];
        if (!step || part < 0 || part >= parts) return damagedAnswers(store);
        step->part = static_cast<std::uint8_t>(part);
        const TimeNs length = step->end - step->begin;
        path.length = saturatingAdd(path.length, length);
        if (part == 0) computed = saturatingAdd(computed, length);
        path.steps.push_back(*step);
    }
    if (!path.steps.empty()) {
        const auto to = taskOf(store, (*figures)[RunColumn::ElapsedPe], (*figures)[RunColumn::ElapsedTask]);
        if (!to) return damagedAnswers(store);
        path.to = *to;
    }
    const std::optional<TimeNs> inProfile = readProfile(answers, AnswerTable::ElapsedProfile, path.profile);
    const TimeNs expected = path.steps.empty() ? 0 : store.info().range().length();
    if (path.length != expected || !inProfile || *inProfile > computed) return damagedAnswers(store);
    return path;
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
    if (const Result<> there = requireTables(store, {AnswerTable::Slack}); !there) return there.error();
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

void storeNear(StoredAnswers& answers, const StoredNear& near)
{
    std::int64_t number = 2;
    for (const StoredNear::Path& path : near.paths) {
        answers.add(AnswerTable::NearPath,
                    std::array<std::int64_t, NearPathColumn::Count>{number, path.isListed, path.slack, path.distinct,
                                                                    std::ssize(path.steps)});
        for (const StoredPath::Step& step : path.steps)
            answers.add(AnswerTable::NearStep,
                        std::array<std::int64_t, NearStepColumn::Count>{number, index(step.task.pe), step.task.index,
                                                                        index(step.entry), step.begin, step.end,
                                                                        step.edge, step.isDoubtful, step.function});
        ++number;
    }
}

Result<StoredNear> storedNear(const TraceStore& store)
{
    if (const Result<> there = requireTables(store, {AnswerTable::NearPath}); !there) return there.error();
    const auto figures = storedFigures(store);
    if (!figures) return figures.error();
    const StoredAnswers& answers = store.answers();
    StoredNear near;
    std::size_t next = 0;  // step
    for (std::size_t i = 0; i < answers.rows(AnswerTable::NearPath); ++i) {
        const auto row = answers.row(AnswerTable::NearPath, i);
        StoredNear::Path path{.isListed = row[NearPathColumn::Listed] != 0,
                              .slack = row[NearPathColumn::Slack],
                              .distinct = row[NearPathColumn::Distinct]};
        TimeNs length = 0;
        for (; next < answers.rows(AnswerTable::NearStep); ++next) {
            const auto of = answers.row(AnswerTable::NearStep, next);
            if (of[NearStepColumn::Path] != row[NearPathColumn::Path]) break;
            const auto step = stepOf(store, of.subspan<NearStepColumn::Pe, 5>(), of[NearStepColumn::Edge],
                                     of[NearStepColumn::Doubtful], of[NearStepColumn::CallPath]);
            if (!step) return damagedAnswers(store);
            length = saturatingAdd(length, step->end - step->begin);
            path.steps.push_back(*step);
        }
        const bool isSound = row[NearPathColumn::Path] == static_cast<std::int64_t>(i) + 2 && path.slack >= 0
                             && path.slack <= (*figures)[RunColumn::PathLength]
                             && length == (*figures)[RunColumn::PathLength] - path.slack && path.distinct >= 0
                             && path.distinct <= length && row[NearPathColumn::Steps] == std::ssize(path.steps)
                             && (path.isListed || answers.rows(AnswerTable::NearPath) == 1);
        if (!isSound) return damagedAnswers(store);
        near.paths.push_back(std::move(path));
    }
    if (next != answers.rows(AnswerTable::NearStep)) return damagedAnswers(store);
    return near;
}

void storeLoop(StoredAnswers& answers, const StoredLoop& loop)
{
    answers.add(AnswerTable::Loop,
                std::array<std::int64_t, LoopColumn::Count>{loop.path, loop.call, std::ssize(loop.marks),
                                                            loop.range.begin, loop.range.end, loop.isMarkLast});
    for (const TimeNs mark : loop.marks)
        answers.add(AnswerTable::LoopMark, std::array<std::int64_t, LoopMarkColumn::Count>{mark});
}

Result<std::optional<StoredLoop>> storedLoop(const TraceStore& store)
{
    if (const Result<> there = requireTables(store, {AnswerTable::Loop}); !there) return there.error();
    const auto figures = storedFigures(store);
    if (!figures) return figures.error();
    const StoredAnswers& answers = store.answers();
    const std::size_t marks = answers.rows(AnswerTable::LoopMark);
    if (answers.rows(AnswerTable::Loop) == 0 && marks == 0) return std::optional<StoredLoop>();
    if (answers.rows(AnswerTable::Loop) != 1) return damagedAnswers(store);
    const auto row = answers.row(AnswerTable::Loop, 0);
    const auto path = checked<std::uint32_t>(row[LoopColumn::CallPath]);
    const auto call = checked<std::uint32_t>(row[LoopColumn::Call]);
    const bool isSound = path && call && store.callPath(*path) != nullptr && marks > 0
                         && row[LoopColumn::Iterations] == static_cast<std::int64_t>(marks)
                         && isTime(row[LoopColumn::Begin], row[LoopColumn::End]);
    if (!isSound) return damagedAnswers(store);
    StoredLoop loop{.path = *path,
                    .call = *call,
                    .range = {row[LoopColumn::Begin], row[LoopColumn::End]},
                    .isMarkLast = row[LoopColumn::IsMarkLast] != 0};
    for (std::size_t i = 0; i < marks; ++i) {
        const TimeNs mark = answers.row(AnswerTable::LoopMark, i)[LoopMarkColumn::Begin];
        if (!isTime(loop.marks.empty() ? mark : loop.marks.back(), mark)) return damagedAnswers(store);
        loop.marks.push_back(mark);
    }
    return std::optional(std::move(loop));
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
