// SPDX-License-Identifier: GPL-3.0-or-later
// A rank's part in finding global synchronizations: the calls that could be ones cut its calls into epochs, and what
// begins in one epoch and ends in another is pending across every cut between these.
#pragma once

#include "importers/mpi/matching.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace longpole {

using Epochs = std::vector<std::uint32_t>;  // by call: how many candidates the rank called before it

constexpr bool isBlocking(const MpiCollectivePart& part) { return part.completion == part.call; }

// Whether nothing but what is pending can keep the call from being one at which the whole run meets. `blocks`: its
// first member's part.
constexpr bool couldBeGlobal(const MpiInstance& instance, bool blocks, std::size_t ranksWithCalls)
{
    const bool meet = instance.kind == CollectiveKind::Barrier || instance.kind == CollectiveKind::NToN
                      || instance.kind == CollectiveKind::Lifetime;
    return meet && instance.isSynchronizing && instance.memberCount >= ranksWithCalls && blocks;
}

// `isCandidate(part)`: the rank's part is of a call that could be global. Calls cross(a, b) for calls of other threads
// that continue across one.
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

// Calls cross(begun, completed) for the rank's own requests.
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
