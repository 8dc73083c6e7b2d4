// SPDX-License-Identifier: GPL-3.0-or-later
// Which send each receive of a channel got and each probe found, wherever the sender's rank lies.
#pragma once

#include "importers/mpi/channels.h"
#include "importers/mpi/rank.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

// Calls matched(send, receive) for the sends and receives of one channel, both in order: the k-th send belongs to the
// k-th receive. A send for which isCancelled(send) holds is skipped, unless a receive would then be left without a
// send. A receive for which isReceived(receive) does not hold takes its message, of which nobody hears.
template <typename IsCancelled, typename IsReceived, typename Matched>
void matchChannel(std::span<const std::uint32_t> sends, std::span<const std::uint32_t> receives,
                  const IsCancelled& isCancelled, const IsReceived& isReceived, const Matched& matched)
{
    while (!receives.empty() && !isReceived(receives.back())) receives = receives.first(receives.size() - 1);
    std::size_t live = 0;
    for (const std::uint32_t send : sends) live += isCancelled(send) ? 0u : 1u;
    std::size_t freed = std::min(receives.size() - std::min(receives.size(), live), sends.size() - live);
    std::size_t next = 0;
    for (const std::uint32_t send : sends) {
        if (next == receives.size()) return;
        if (isCancelled(send)) {
            if (freed == 0) continue;
            --freed;
        }
        if (isReceived(receives[next])) matched(send, receives[next]);
        ++next;
    }
}

// Where a receive has its place; nothing if it was cancelled, or nobody knows where.
inline std::optional<MpiChannel> channelOf(const MpiReceive& receive)
{
    if ((receive.completion == noCall && !receive.isPlaced) || receive.isCancelled) return std::nullopt;
    return MpiChannel{receive.from, receive.comm, receive.tag};
}

// Calls found(probe, receive) for each probe of a rank. It found the first message of its channel for which no receive
// had been posted by then and which no other probe had taken; `receive` is the receive that got this message later.
// `received`: the rank's receives, grouped by channelOf().
template <typename Found>
void matchProbes(const MpiRank& rank, const MpiChannels& received, const Found& found)
{
    struct Taken {
        std::size_t next = 0;   // the channel's first receive that is not posted yet
        std::size_t taken = 0;  // messages that probes have taken
    };
    std::vector<Taken> states(received.channels.size());
    for (std::size_t i = 0; i < rank.probes.size(); ++i) {
        const MpiProbe& probe = rank.probes[i];
        const MpiChannel wanted{probe.from, probe.comm, probe.tag};
        const auto known = std::lower_bound(received.channels.begin(), received.channels.end(), wanted);
        if (known == received.channels.end() || *known != wanted) continue;
        const auto channel = static_cast<std::size_t>(known - received.channels.begin());
        const std::span<const std::uint32_t> rows = received.rowsOf(channel);
        Taken& state = states[channel];
        for (; state.next < rows.size() && rank.receives[rows[state.next]].call < probe.call; ++state.next)
            state.taken += rank.receives[rows[state.next]].isMatched ? 0u : 1u;
        if (state.taken < rows.size()) found(i, rows[state.taken]);
        state.taken += probe.takes ? 1 : 0;
    }
}

}  // namespace longpole
