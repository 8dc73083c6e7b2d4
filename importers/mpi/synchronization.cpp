// SPDX-License-Identifier: GPL-3.0-or-later
// The calls that could be global cut each rank's calls into epochs. What begins in one epoch and ends in another is
// pending across every cut between these.
#include "importers/mpi/synchronization.h"

#include "core/base/parallel.h"

#include <atomic>

namespace longpole {
namespace {

using Epochs = std::vector<std::uint32_t>;  // by call: how many candidates the rank called before it

class Crossings {
public:
    explicit Crossings(std::size_t candidates) : m_changes(candidates + 1) {}

    // Something began in one of these epochs and ended in the other.
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

bool isBlocking(const MpiCollectivePart& part) { return part.completion == part.call; }

bool couldBeGlobal(const MpiInstance& instance, std::span<const MpiRank> ranks, const MpiMatches& matches,
                   std::size_t ranksWithCalls)
{
    const bool meet = instance.kind == CollectiveKind::Barrier || instance.kind == CollectiveKind::NToN
                      || instance.kind == CollectiveKind::Lifetime;
    if (!meet || !instance.isSynchronizing || instance.memberCount < ranksWithCalls) return false;
    const MpiPlace& first = matches.members[instance.firstMember];
    return isBlocking(ranks[first.rank].collectives[first.index]);
}

// Also notes calls of other threads that continue across a candidate.
Epochs epochsOf(const MpiRank& rank, const std::vector<std::uint32_t>& instanceOf, const std::vector<bool>& isCandidate,
                Crossings& crossings)
{
    Epochs epochs(rank.calls.size(), 0);
    std::uint32_t epoch = 0;
    TimeNs end = minTime;
    std::size_t part = 0;
    for (std::uint32_t call = 0; call < rank.calls.size(); ++call) {
        epochs[call] = epoch;
        bool cuts = false;
        for (; part < rank.collectives.size() && rank.collectives[part].call <= call; ++part)
            cuts |= instanceOf[part] != noInstance && isCandidate[instanceOf[part]];
        if (cuts) {
            if (end > rank.calls[call].begin) crossings.add(epoch, epoch + 1);
            ++epoch;
        }
        end = std::max(end, rank.calls[call].end);
    }
    return epochs;
}

void addMessages(std::size_t rank, std::span<const MpiRank> ranks, const MpiMatches& matches,
                 const std::vector<Epochs>& epochs, Crossings& crossings)
{
    const std::vector<MpiReceive>& receives = ranks[rank].receives;
    for (std::size_t i = 0; i < receives.size(); ++i) {
        const MpiReceive& receive = receives[i];
        if (receive.completion == noCall || receive.isCancelled) continue;
        const std::uint32_t completed = epochs[rank][receive.completion];
        crossings.add(epochs[rank][receive.call], completed);
        const MpiPlace& from = matches.sendOf[rank][i];
        if (from.isValid()) crossings.add(epochs[from.rank][ranks[from.rank].sends[from.index].call], completed);
    }
    for (const MpiSend& send : ranks[rank].sends) {
        if (send.completion == noCall || send.isCancelled) continue;
        crossings.add(epochs[rank][send.call], epochs[rank][send.completion]);
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

void markGlobalSynchronizations(std::span<const MpiRank> ranks, unsigned threads, MpiMatches& matches)
{
    const auto hasCalls = [](const MpiRank& rank) { return !rank.calls.empty(); };
    const auto ranksWithCalls = static_cast<std::size_t>(std::count_if(ranks.begin(), ranks.end(), hasCalls));
    std::vector<bool> isCandidate;
    for (const MpiInstance& instance : matches.instances)
        isCandidate.push_back(couldBeGlobal(instance, ranks, matches, ranksWithCalls));
    const auto candidates = static_cast<std::size_t>(std::count(isCandidate.begin(), isCandidate.end(), true));
    if (candidates == 0) return;

    Crossings crossings(candidates);
    std::vector<Epochs> epochs(ranks.size());
    parallelFor(
        ranks.size(),
        [&](std::size_t rank) {
            epochs[rank] = epochsOf(ranks[rank], matches.instanceOf[rank], isCandidate, crossings);
        },
        threads);
    parallelFor(
        ranks.size(), [&](std::size_t rank) { addMessages(rank, ranks, matches, epochs, crossings); }, threads);
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
