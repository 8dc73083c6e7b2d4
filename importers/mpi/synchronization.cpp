// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the candidates for global synchronizations: none is one if anything that began in an epoch before it ends in
// one behind it (epochs.h).
#include "importers/mpi/synchronization.h"

#include "core/base/parallel.h"
#include "importers/mpi/epochs.h"

#include <atomic>

namespace longpole {
namespace {

class Crossings {
public:
    explicit Crossings(std::size_t candidates) : m_changes(candidates + 1) {}

    // Something began in one of these two epochs and ended in the other, in either order.
    void add(std::uint32_t a, std::uint32_t b)
    {
        if (a == b) return;
        m_changes[std::min(a, b)].fetch_add(1, std::memory_order_relaxed);
        m_changes[std::max(a, b)].fetch_sub(1, std::memory_order_relaxed);
    }
    std::vector<bool> isCrossed() const
    {
        std::vector<bool> result;
        std::int64_t pending = 0;
        for (const auto& change : m_changes) {
            pending += change.load(std::memory_order_relaxed);
            result.push_back(pending != 0);
        }
        return result;
    }

private:
    std::vector<std::atomic<std::int64_t>> m_changes;
};

void addMessages(std::size_t rank, std::span<const MpiRank> ranks, const MpiMatches& matches,
                 const std::vector<Epochs>& epochs, Crossings& crossings)
{
    const std::vector<MpiReceive>& receives = ranks[rank].receives;
    for (std::size_t i = 0; i < receives.size(); ++i) {
        const MpiReceive& receive = receives[i];
        const MpiPlace& from = matches.sendOf[rank][i];
        if (receive.completion == noCall || receive.isCancelled || !from.isValid()) continue;
        crossings.add(epochs[from.rank][ranks[from.rank].sends[from.index].call], epochs[rank][receive.completion]);
    }
}

void addWindows(std::size_t rank, const MpiMatches& matches, const std::vector<Epochs>& epochs, Crossings& crossings)
{
    for (const WindowMeeting& meeting : matches.windows[rank].meetings) {
        const WindowRow& with = matches.windowRows[meeting.with];
        crossings.add(epochs[with.rank][with.call], epochs[rank][meeting.call]);
    }
}

// The first and the last epoch of the calls and completions of all members of a collective call.
struct Extent {
    std::uint32_t first = 0xffffffffu;
    std::uint32_t last = 0;
};

Extent extentOf(const MpiInstance& instance, std::span<const MpiRank> ranks, const MpiMatches& matches,
                const std::vector<Epochs>& epochs)
{
    Extent extent;
    for (std::uint32_t row = instance.firstMember; row < instance.firstMember + instance.memberCount; ++row) {
        const MpiPlace& place = matches.members[row];
        const MpiCollectivePart& part = ranks[place.rank].collectives[place.index];
        const std::uint32_t called = epochs[place.rank][part.call];
        const std::uint32_t completed = part.completion == noCall ? called : epochs[place.rank][part.completion];
        extent.first = std::min(extent.first, std::min(called, completed));
        extent.last = std::max(extent.last, std::max(called, completed));
    }
    return extent;
}

}  // namespace

void markGlobalSynchronizations(std::span<const MpiRank> ranks, const MpiBefore& before, unsigned threads,
                                MpiMatches& matches)
{
    std::size_t ranksWithCalls = 0;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const bool hadCalls = rank < before.hasCalls.size() && before.hasCalls[rank];
        if (hadCalls || !ranks[rank].calls.empty()) ++ranksWithCalls;
    }
    std::vector<bool> isCandidate;
    for (const MpiInstance& instance : matches.instances) {
        const MpiPlace& first = matches.members[instance.firstMember];
        const MpiCollectivePart& part = ranks[first.rank].collectives[first.index];
        isCandidate.push_back(couldBeGlobal(instance, isBlocking(part), ranksWithCalls));
    }
    const auto candidates = static_cast<std::size_t>(std::count(isCandidate.begin(), isCandidate.end(), true));
    if (candidates == 0) return;

    Crossings crossings(candidates);
    std::vector<Epochs> epochs(ranks.size());
    parallelFor(
        ranks.size(),
        [&](std::size_t rank) {
            const std::vector<std::uint32_t>& instanceOf = matches.instanceOf[rank];
            const auto cross = [&crossings](std::uint32_t a, std::uint32_t b) { crossings.add(a, b); };
            epochs[rank] = epochsOf(
                ranks[rank],
                [&](std::size_t part) { return instanceOf[part] != noInstance && isCandidate[instanceOf[part]]; },
                cross);
            crossRequests(ranks[rank], epochs[rank], cross);
        },
        threads);
    parallelFor(
        ranks.size(),
        [&](std::size_t rank) {
            addMessages(rank, ranks, matches, epochs, crossings);
            addWindows(rank, matches, epochs, crossings);
        },
        threads);
    std::vector<Extent> extents(matches.instances.size());
    constexpr std::size_t block = 4096;
    parallelFor((extents.size() + block - 1) / block,
                [&](std::size_t number) {
                    for (std::size_t i = number * block; i < std::min(extents.size(), (number + 1) * block); ++i) {
                        const CollectiveKind kind = matches.instances[i].kind;
                        if (kind == CollectiveKind::None || kind == CollectiveKind::Loose) continue;
                        extents[i] = extentOf(matches.instances[i], ranks, matches, epochs);
                        crossings.add(extents[i].first, extents[i].last);
                    }
                },
                threads);
    const std::vector<bool> isCrossed = crossings.isCrossed();
    for (std::size_t i = 0; i < extents.size(); ++i)
        matches.instances[i].isGlobal = isCandidate[i] && !isCrossed[extents[i].first];
}

}  // namespace longpole
