// SPDX-License-Identifier: GPL-3.0-or-later
// A rank's part in finding global synchronizations. The collective calls that could be global ones cut the rank's calls
// into epochs. A message, request or call that begins in one epoch and ends in a later one is pending across every cut
// between them, so none of these cuts is global.
#pragma once

#include "importers/mpi/matching.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace longpole {

using Epochs = std::vector<std::uint32_t>;  // by call: how many candidates the rank called before it

constexpr bool isBlocking(const MpiCollectivePart& part) { return part.completion == part.call; }

// Whether the call could be one at which the whole run meets, as long as nothing is pending across it. `blocks`:
// whether the part of its first member is a blocking call.
constexpr bool couldBeGlobal(const MpiInstance& instance, bool blocks, std::size_t ranksWithCalls)
{
    const bool meet = instance.kind == CollectiveKind::Barrier || instance.kind == CollectiveKind::NToN
                      || instance.kind == CollectiveKind::Lifetime;
    return meet && instance.isSynchronizing && instance.memberCount >= ranksWithCalls && blocks;
}

// `isCandidate(part)`: whether the rank's part belongs to a call that could be global. Calls cross(e, e + 1) where a
// call of another thread goes on across the candidate between these epochs.
template <typename IsCandidate, typename Cross>
Epochs epochsOf(const MpiRank& rank, const IsCandidate& isCandidate, const Cross& cross)
{
    Epochs epochs(rank.calls.size(), 0);
    std::uint32_t epoch = 0;
    TimeNs end = minTime;
    std::size_t part = 0;
    for (std::uint32_t call = 0; call < rank.calls.size(); ++call) {
        epochs[call] = epoch;
        bool cuts = false;
        for (; part < rank.collectives.size() && rank.collectives[part].call <= call; ++part) cuts |= isCandidate(part);
        if (cuts) {
            if (end > rank.calls[call].begin) cross(epoch, epoch + 1);
            ++epoch;
        }
        end = std::max(end, rank.calls[call].end);
    }
    return epochs;
}

// Calls cross(a, b) for each request of the rank that begins in epoch a and is completed in epoch b.
template <typename Cross>
void crossRequests(const MpiRank& rank, const Epochs& epochs, const Cross& cross)
{
    const auto all = [&](const auto& requests) {
        for (const auto& request : requests)
            if (request.completion != noCall && !request.isCancelled)
                cross(epochs[request.call], epochs[request.completion]);
    };
    all(rank.receives);
    all(rank.sends);
}

}  // namespace longpole
