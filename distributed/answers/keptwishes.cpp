// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/keptwishes.h"

#include "core/base/timerange.h"

#include <algorithm>
#include <numeric>

namespace longpole {
namespace {

constexpr TimeNs leastAround = 1'000'000;       // ns
constexpr std::size_t worstKept = 20;           // waits of each state
constexpr std::int64_t staysOfDuration = 1024;  // the path's steps on one rank are one up to this part of the run

KeptWish around(std::uint32_t rank, TimeRange time)
{
    const TimeNs margin = std::max(time.length(), leastAround);
    return {rank, saturatingSubtract(time.begin, margin), saturatingAdd(time.end, margin)};
}

KeptWish wholeRank(std::uint32_t rank) { return {rank, minTime, maxTime}; }

void addAsked(const KeepRequest& request, std::uint32_t ranks, std::vector<KeptWish>& wishes)
{
    const TimeRange range = request.range.value_or(TimeRange{minTime, maxTime});
    for (const ProcessorId rank : request.ranks)
        if (index(rank) < ranks) wishes.push_back({index(rank), range.begin, range.end});
    if (!request.ranks.empty() || !request.range) return;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) wishes.push_back({rank, range.begin, range.end});
}

// Steps that follow each other on a rank as one, unless it lasts too long.
void addPath(const CriticalPath& path, std::uint32_t ranks, std::vector<KeptWish>& wishes)
{
    struct Stay {
        std::uint32_t rank;
        TimeRange time;
    };
    std::vector<Stay> stays;
    const TimeNs longest = path.duration / staysOfDuration;
    for (const PathStep& step : path.steps) {
        const std::uint32_t rank = index(step.pe);
        if (rank >= ranks) continue;
        if (!stays.empty() && stays.back().rank == rank && step.end - stays.back().time.begin <= longest)
            stays.back().time.end = std::max(stays.back().time.end, step.end);
        else stays.push_back({rank, {step.begin, step.end}});
    }
    std::ranges::stable_sort(stays, std::greater<>(), [](const Stay& stay) { return stay.time.length(); });
    for (const Stay& stay : stays) wishes.push_back(around(stay.rank, stay.time));
}

// The worst wait of each state, then the second of each.
void addWaits(const WaitStates& waits, std::uint32_t ranks, std::vector<KeptWish>& wishes)
{
    for (std::size_t place = 0; place < worstKept; ++place)
        for (const WaitState& state : waits.states) {
            if (place >= state.worst.size()) continue;
            const WaitInstance& wait = state.worst[place];
            if (wait.rank < ranks) wishes.push_back(around(wait.rank, wait.wait));
            if (wait.culprit >= 0 && wait.culprit < ranks)
                wishes.push_back(around(static_cast<std::uint32_t>(wait.culprit), wait.wait));
        }
}

void addRanks(const CriticalPath& path, std::uint32_t ranks, std::vector<KeptWish>& wishes)
{
    std::vector<TimeNs> onPath(ranks, 0);
    for (const PathStep& step : path.steps)
        if (index(step.pe) < ranks) addSaturating(onPath[index(step.pe)], step.weight());
    std::vector<std::uint32_t> order(ranks);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, std::greater<>(), [&onPath](std::uint32_t rank) { return onPath[rank]; });
    for (const std::uint32_t rank : order) wishes.push_back(wholeRank(rank));
}

}  // namespace

KeptTrace keptWishes(const KeepRequest& request, const TraceStore& store, const CriticalPath& path,
                     const WaitStates& waits)
{
    const auto ranks = static_cast<std::uint32_t>(store.processors().size());
    KeptTrace kept;
    kept.bytes = request.bytes;
    addAsked(request, ranks, kept.wishes);
    kept.asked = kept.wishes.size();
    addPath(path, ranks, kept.wishes);
    addWaits(waits, ranks, kept.wishes);
    addRanks(path, ranks, kept.wishes);
    return kept;
}

}  // namespace longpole
