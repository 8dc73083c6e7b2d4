// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/statistics/storedefficiency.h"

#include "analysis/paths/storedpath.h"

#include <algorithm>
#include <array>

namespace longpole {

void storeEfficiency(StoredAnswers& answers, const TraceStore& store, const Efficiency& efficiency)
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
    figures[RunColumn::Threads] = efficiency.threads.count;
    figures[RunColumn::ThreadsInRegions] = efficiency.threads.inRegions;
    figures[RunColumn::ThreadsInMpi] = efficiency.threads.inMpi;
    figures[RunColumn::ThreadsWaited] = efficiency.threads.waited;
    const std::vector<bool> counted = countedProcessors(store, efficiency.useful.size());
    for (std::size_t rank = 0; rank < efficiency.useful.size(); ++rank)
        answers.add(AnswerTable::Useful, std::array<std::int64_t, UsefulColumn::Count>{
                                             static_cast<std::int64_t>(rank), efficiency.useful[rank],
                                             std::int64_t{rank < counted.size() && counted[rank]}});
}

Result<std::shared_ptr<const Efficiency>> storedEfficiency(const TraceStore& store)
{
    const auto figures = storedFigures(store);
    if (!figures) return figures.error();
    const auto row = *figures;
    if (row[RunColumn::Threads] < 0) {
        if (const Result<> there = requireEvents(store); !there) return there.error();
    }
    constexpr TimeNs farthest = TimeNs{1} << 61;
    const TimeRange range{row[RunColumn::EfficiencyBegin], row[RunColumn::EfficiencyEnd]};
    const StoredAnswers& answers = store.answers();
    const std::size_t ranks = answers.rows(AnswerTable::Useful);
    const bool isSound = row[RunColumn::Threads] == 0 && range.begin <= range.end && range.begin >= -farthest
                         && range.end <= farthest && row[RunColumn::Ideal] >= 0
                         && row[RunColumn::Ideal] <= range.length() && ranks <= store.processors().size();
    if (!isSound) return damagedAnswers(store);
    UsefulTimes useful{.byProcessor = std::vector<TimeNs>(ranks, 0),
                       .leftOut = row[RunColumn::LeftOut],
                       .leftOutBusy = row[RunColumn::LeftOutBusy]};
    std::vector<bool> counted(ranks, false);
    for (std::size_t i = 0; i < ranks; ++i) {
        const auto one = answers.row(AnswerTable::Useful, i);
        if (one[UsefulColumn::Pe] != static_cast<std::int64_t>(i) || one[UsefulColumn::Time] < 0
            || one[UsefulColumn::Time] > range.length())
            return damagedAnswers(store);
        useful.byProcessor[i] = one[UsefulColumn::Time];
        counted[i] = one[UsefulColumn::Counted] != 0;
    }
    return std::make_shared<const Efficiency>(efficiencyOf(std::move(useful), counted, range, row[RunColumn::Ideal]));
}

}  // namespace longpole
