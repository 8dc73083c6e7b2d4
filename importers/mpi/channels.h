// SPDX-License-Identifier: GPL-3.0-or-later
// Groups the rows (sends or receives of a rank) by channel: the other rank, the communicator and the tag.
#pragma once

#include "core/base/drawnhash.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

struct MpiChannel {
    std::uint32_t peer = 0;
    std::uint32_t comm = 0;
    std::int32_t tag = 0;
    friend auto operator<=>(const MpiChannel&, const MpiChannel&) = default;
};

// Numbers channels in the order in which they appear. Open addressing; constant time per look-up.
class ChannelNumbers {
public:
    ChannelNumbers() : m_slots(64, 0) {}

    std::uint32_t numberOf(const MpiChannel& channel)
    {
        if (m_last < m_channels.size() && m_channels[m_last] == channel) return m_last;
        std::size_t slot = hash(channel) & (m_slots.size() - 1);
        while (m_slots[slot] != 0 && m_channels[m_slots[slot] - 1] != channel) slot = (slot + 1) & (m_slots.size() - 1);
        if (m_slots[slot] == 0) {
            m_channels.push_back(channel);
            m_slots[slot] = static_cast<std::uint32_t>(m_channels.size());
            m_last = static_cast<std::uint32_t>(m_channels.size() - 1);
            if (m_channels.size() * 2 > m_slots.size()) grow();
        } else {
            m_last = m_slots[slot] - 1;
        }
        return m_last;
    }
    const std::vector<MpiChannel>& channels() const { return m_channels; }

private:
    static std::size_t hash(const MpiChannel& channel)
    {
        const std::uint64_t ends = std::uint64_t{channel.peer} << 32 | channel.comm;
        return drawnHash(static_cast<std::uint32_t>(channel.tag), drawnHash(ends));
    }
    void grow()
    {
        m_slots.assign(m_slots.size() * 4, 0);
        for (std::size_t i = 0; i < m_channels.size(); ++i) {
            std::size_t slot = hash(m_channels[i]) & (m_slots.size() - 1);
            while (m_slots[slot] != 0) slot = (slot + 1) & (m_slots.size() - 1);
            m_slots[slot] = static_cast<std::uint32_t>(i + 1);
        }
    }

    std::vector<MpiChannel> m_channels;
    std::vector<std::uint32_t> m_slots;  // number + 1
    std::uint32_t m_last = 0;
};

// The rows of each channel, ascending.
struct MpiChannels {
    std::vector<MpiChannel> channels;  // ascending
    std::vector<std::uint32_t> first;  // by channel: its first one in `rows`; one element more
    std::vector<std::uint32_t> rows;

    std::span<const std::uint32_t> rowsOf(std::size_t channel) const
    {
        return std::span(rows).subspan(first[channel], first[channel + 1] - first[channel]);
    }
    std::span<const std::uint32_t> rowsOf(const MpiChannel& channel) const
    {
        const auto found = std::lower_bound(channels.begin(), channels.end(), channel);
        if (found == channels.end() || *found != channel) return {};
        return rowsOf(static_cast<std::size_t>(found - channels.begin()));
    }
};

// Groups the rows [0, count) by `channelOf(row)`; rows without a channel are left out. O(n + c log c) for c channels.
template <typename ChannelOf>
MpiChannels channelsOf(std::size_t count, const ChannelOf& channelOf)
{
    constexpr std::uint32_t none = 0xffffffffu;
    ChannelNumbers numbers;
    std::vector<std::uint32_t> numberOf(count, none);
    for (std::size_t row = 0; row < count; ++row) {
        const std::optional<MpiChannel> channel = channelOf(row);
        if (channel) numberOf[row] = numbers.numberOf(*channel);
    }
    const std::vector<MpiChannel>& seen = numbers.channels();
    std::vector<std::uint32_t> order(seen.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return seen[a] < seen[b]; });
    std::vector<std::uint32_t> sizes(seen.size(), 0), next(seen.size());
    for (const std::uint32_t number : numberOf)
        if (number != none) ++sizes[number];

    MpiChannels result;
    result.first.push_back(0);
    for (const std::uint32_t number : order) {
        result.channels.push_back(seen[number]);
        next[number] = result.first.back();
        result.first.push_back(result.first.back() + sizes[number]);
    }
    result.rows.resize(result.first.back());
    for (std::size_t row = 0; row < count; ++row)
        if (numberOf[row] != none) result.rows[next[numberOf[row]]++] = static_cast<std::uint32_t>(row);
    return result;
}

}  // namespace longpole
