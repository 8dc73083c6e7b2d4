// SPDX-License-Identifier: GPL-3.0-or-later
// The wait states of a run and their causes, as a trace that has parts of its events keeps them.
#include "analysis/mpi/waitstates.h"

#include "analysis/results/storedresults.h"
#include "core/base/checked.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace longpole {
namespace {

WaitState* stateOfKind(WaitStates& waits, std::int64_t kind)
{
    const auto found = std::ranges::find(waits.states, kind, [](const WaitState& s) { return std::int64_t(s.kind); });
    return found == waits.states.end() ? nullptr : &*found;
}

bool isSpan(TimeNs time) { return time >= 0 && time <= TimeNs{1} << 61; }

// Nothing if it cannot be.
std::optional<WaitInstance> instanceOf(const TraceStore& store, std::span<const std::int64_t> row)
{
    constexpr TimeNs farthest = TimeNs{1} << 61;
    const auto rank = checked<std::uint32_t>(row[WorstWaitColumn::Pe]);
    const auto region = checked<std::uint32_t>(row[WorstWaitColumn::Region]);
    const auto path = checked<std::uint32_t>(row[WorstWaitColumn::CallPath]);
    const auto entry = checked<std::uint32_t>(row[WorstWaitColumn::Entry]);
    const auto taskPe = checked<std::uint32_t>(row[WorstWaitColumn::TaskPe]);
    const auto task = checked<std::uint32_t>(row[WorstWaitColumn::Task]);
    const auto track = checked<std::uint32_t>(row[WorstWaitColumn::Track]);
    const auto culpritTrack = checked<std::uint32_t>(row[WorstWaitColumn::CulpritTrack]);
    const auto culpritPath = checked<std::uint32_t>(row[WorstWaitColumn::CulpritPath]);
    const TimeNs begin = row[WorstWaitColumn::Begin], end = row[WorstWaitColumn::End];
    const auto ranks = static_cast<std::int64_t>(rankCount(store));
    const bool isSound = rank && region && path && entry && taskPe && task && track && culpritTrack && culpritPath
                         && row[WorstWaitColumn::Pe] < ranks && row[WorstWaitColumn::Culprit] >= -1
                         && row[WorstWaitColumn::Culprit] < ranks && begin <= end && begin >= -farthest
                         && end <= farthest && isSpan(row[WorstWaitColumn::Ran]) && isSpan(row[WorstWaitColumn::Waited])
                         && isSpan(row[WorstWaitColumn::Within]);
    if (!isSound) return {};
    return WaitInstance{.rank = *rank,
                        .seq = row[WorstWaitColumn::Seq],
                        .wait = {begin, end},
                        .call = RegionId{*region},
                        .path = *path,
                        .culprit = row[WorstWaitColumn::Culprit],
                        .culpritSeq = row[WorstWaitColumn::CulpritSeq],
                        .meanwhile = {.entry = EntryId{*entry},
                                      .task = {ProcessorId{*taskPe}, *task},
                                      .ran = row[WorstWaitColumn::Ran],
                                      .waited = row[WorstWaitColumn::Waited],
                                      .within = row[WorstWaitColumn::Within],
                                      .function = *culpritPath},
                        .track = TrackId{*track},
                        .culpritTrack = TrackId{*culpritTrack}};
}

void storeState(StoredAnswers& answers, const WaitState& state)
{
    const auto kind = std::int64_t(state.kind);
    answers.add(AnswerTable::Wait,
                std::array<std::int64_t, WaitColumn::Count>{kind, state.count, state.time, state.onRanks});
    for (std::size_t rank = 0; rank < state.byRank.size(); ++rank)
        if (state.byRank[rank] != 0)
            answers.add(AnswerTable::WaitOfRank,
                        std::array<std::int64_t, WaitOfRankColumn::Count>{kind, static_cast<std::int64_t>(rank),
                                                                          state.byRank[rank]});
    for (const WaitInstance& wait : state.worst)
        answers.add(AnswerTable::WorstWait,
                    std::array<std::int64_t, WorstWaitColumn::Count>{
                        kind, wait.rank, wait.seq, wait.wait.begin, wait.wait.end, index(wait.call), wait.path,
                        wait.culprit, wait.culpritSeq, index(wait.meanwhile.entry), index(wait.meanwhile.task.pe),
                        wait.meanwhile.task.index, wait.meanwhile.ran, wait.meanwhile.waited, wait.meanwhile.within,
                        index(wait.track), index(wait.culpritTrack), wait.meanwhile.function});
}

void storeCauses(StoredAnswers& answers, const std::vector<DelayCost>& causes)
{
    for (const DelayCost& cause : causes) {
        const std::int64_t rank = cause.rank == DelayCost().rank ? -1 : std::int64_t{cause.rank};
        answers.add(AnswerTable::Cause,
                    std::array<std::int64_t, CauseColumn::Count>{index(cause.entry), rank, cause.direct,
                                                                 cause.propagated, cause.path});
    }
}

// Nothing if it cannot be.
std::optional<DelayCost> causeOf(const TraceStore& store, std::span<const std::int64_t> row)
{
    const auto entry = checked<std::uint32_t>(row[CauseColumn::Entry]);
    const auto path = checked<std::uint32_t>(row[CauseColumn::CallPath]);
    const std::int64_t rank = row[CauseColumn::Rank];
    const bool isSound = entry && path && rank >= -1 && rank < static_cast<std::int64_t>(rankCount(store))
                         && isSpan(row[CauseColumn::Direct]) && isSpan(row[CauseColumn::Propagated]);
    if (!isSound) return {};
    return DelayCost{.entry = EntryId{*entry},
                     .rank = rank < 0 ? DelayCost().rank : static_cast<std::uint32_t>(rank),
                     .direct = row[CauseColumn::Direct],
                     .propagated = row[CauseColumn::Propagated],
                     .path = *path};
}

// Whether each code has what its ranks have, and all together no more than was waited.
bool addUp(const WaitStates& waits)
{
    std::map<EntryId, std::array<TimeNs, 2>> left;
    TimeNs all = 0;
    for (const DelayCost& cause : waits.causes) {
        if (!left.try_emplace(cause.entry, std::array{cause.direct, cause.propagated}).second) return false;
        all = saturatingAdd(all, cause.sum());
    }
    std::set<EntryId> onRanks;
    for (const DelayCost& cause : waits.causesByRank) {
        const auto sum = left.find(cause.entry);
        if (sum == left.end()) return false;
        sum->second[0] -= cause.direct;
        sum->second[1] -= cause.propagated;
        if (sum->second[0] < 0 || sum->second[1] < 0) return false;
        onRanks.insert(cause.entry);
    }
    const auto isLeft = [](const auto& sum) { return sum.second[0] != 0 || sum.second[1] != 0; };
    return std::ranges::none_of(left, isLeft) && onRanks.size() == left.size() && all <= waits.total;
}

Result<> readCauses(const TraceStore& store, WaitStates& waits)
{
    if (Result<> there = requireTables(store, {AnswerTable::Cause}); !there) return there;
    const StoredAnswers& answers = store.answers();
    for (std::size_t i = 0; i < answers.rows(AnswerTable::Cause); ++i) {
        const auto cause = causeOf(store, answers.row(AnswerTable::Cause, i));
        if (!cause) return damagedAnswers(store);
        (cause->rank == DelayCost().rank ? waits.causes : waits.causesByRank).push_back(*cause);
    }
    if (!addUp(waits)) return damagedAnswers(store);
    for (const DelayCost& cause : waits.causes) waits.unexplained -= cause.sum();
    return Unit{};
}

}  // namespace

void storeWaits(StoredAnswers& answers, const WaitStates& waits)
{
    const std::span<std::int64_t> figures = figuresOf(answers);
    figures[RunColumn::WaitTotal] = waits.total;
    figures[RunColumn::WaitTotalTime] = waits.totalTime;
    figures[RunColumn::WaitThreads] = waits.threads;
    figures[RunColumn::OneSided] = waits.unjudged.oneSided;
    figures[RunColumn::Files] = waits.unjudged.files;
    figures[RunColumn::IdleInStates] = waits.idle.inStates;
    figures[RunColumn::IdleBeforeLast] = waits.idle.beforeLast;
    figures[RunColumn::IdleAfterFirst] = waits.idle.afterFirst;
    figures[RunColumn::IdleElsewhere] = waits.idle.elsewhere;
    for (const WaitState& state : waits.states) storeState(answers, state);
    storeCauses(answers, waits.causes);
    storeCauses(answers, waits.causesByRank);
}

Result<std::shared_ptr<const WaitStates>> storedWaits(const TraceStore& store, bool withCauses)
{
    const auto figures = storedFigures(store);
    if (!figures) return figures.error();
    const StoredAnswers& answers = store.answers();
    auto waits = std::make_shared<WaitStates>();
    for (const std::size_t column : {RunColumn::WaitTotal, RunColumn::WaitTotalTime, RunColumn::WaitThreads})
        if ((*figures)[column] < 0) return damagedAnswers(store);
    waits->total = (*figures)[RunColumn::WaitTotal];
    waits->totalTime = (*figures)[RunColumn::WaitTotalTime];
    waits->threads = (*figures)[RunColumn::WaitThreads];
    waits->unjudged = {(*figures)[RunColumn::OneSided], (*figures)[RunColumn::Files]};
    waits->idle = {(*figures)[RunColumn::IdleInStates], (*figures)[RunColumn::IdleBeforeLast],
                   (*figures)[RunColumn::IdleAfterFirst], (*figures)[RunColumn::IdleElsewhere]};
    waits->unexplained = waits->total;
    for (std::size_t i = 0; i < answers.rows(AnswerTable::Wait); ++i) {
        const auto row = answers.row(AnswerTable::Wait, i);
        const std::int64_t kind = row[WaitColumn::Kind];
        const bool isSound = kind >= 0 && kind < std::int64_t{waitStateKinds} && stateOfKind(*waits, kind) == nullptr
                             && row[WaitColumn::Time] >= 0 && row[WaitColumn::OnRanks] >= 0;
        if (!isSound) return damagedAnswers(store);
        WaitState& state = waits->states.emplace_back();
        state.kind = static_cast<WaitStateKind>(kind);
        state.count = row[WaitColumn::Waits];
        state.time = row[WaitColumn::Time];
        state.onRanks = row[WaitColumn::OnRanks];
        state.byRank.resize(rankCount(store));
    }
    for (std::size_t i = 0; i < answers.rows(AnswerTable::WaitOfRank); ++i) {
        const auto row = answers.row(AnswerTable::WaitOfRank, i);
        WaitState* const state = stateOfKind(*waits, row[WaitOfRankColumn::Kind]);
        const std::int64_t rank = row[WaitOfRankColumn::Pe];
        const bool isSound = state != nullptr && rank >= 0 && rank < std::ssize(state->byRank)
                             && row[WaitOfRankColumn::Time] >= 0;
        if (!isSound) return damagedAnswers(store);
        state->byRank[static_cast<std::size_t>(rank)] = row[WaitOfRankColumn::Time];
    }
    for (std::size_t i = 0; i < answers.rows(AnswerTable::WorstWait); ++i) {
        const auto row = answers.row(AnswerTable::WorstWait, i);
        WaitState* const state = stateOfKind(*waits, row[WorstWaitColumn::Kind]);
        const auto instance = instanceOf(store, row);
        if (state == nullptr || !instance) return damagedAnswers(store);
        state->worst.push_back(*instance);
    }
    if (!withCauses) return std::shared_ptr<const WaitStates>(std::move(waits));
    if (const Result<> read = readCauses(store, *waits); !read) return read.error();
    return std::shared_ptr<const WaitStates>(std::move(waits));
}

}  // namespace longpole
