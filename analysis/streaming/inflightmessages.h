// SPDX-License-Identifier: GPL-3.0-or-later
// Path values on their way: what a message carries is kept from its sending until its last receiver took it.
#pragma once

#include "core/base/timerange.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

using MessageKey = std::uint64_t;  // any number that only one message has

class InFlightMessages {
public:
    // `width`: numbers in a value.
    explicit InFlightMessages(std::size_t width) : m_width(width), m_cells(64) {}

    // A message with so many receivers is on its way; it does not wait for those for which miss() was called before.
    // Returns `width` numbers for the caller to fill; empty if nobody will take it, or it is sent without a value.
    std::span<TimeNs> add(MessageKey key, std::uint32_t receivers, bool hasValue);

    // One receiver takes its copy; after the last one the message is gone.
    struct Taken {
        bool isKnown = false;           // it was sent, and not all receivers have it
        std::span<const TimeNs> value;  // empty: sent without one. Valid until the next add()
    };
    Taken take(MessageKey key);
    // One receiver goes without it, also before it is sent.
    void miss(MessageKey key);

    std::size_t size() const { return m_values - m_free.size(); }  // messages with a value that are on their way
    std::size_t mostAtOnce() const { return m_values; }
    std::size_t mostNumbers() const { return m_numbers.size(); }  // of those
    // Messages on their way with or without a value, and those that were missed but never sent.
    std::size_t unsettled() const { return m_used; }

private:
    struct Cell {
        MessageKey key = 0;
        std::uint32_t place = 0;     // of its value; noPlace
        std::int64_t receivers = 0;  // 0: the cell is free; below 0: missed before it was sent
    };
    static constexpr std::uint32_t noPlace = 0xffffffffu;

    std::size_t home(MessageKey key) const;
    std::size_t find(MessageKey key) const;  // its cell, or the free one where it belongs
    void occupy(std::size_t cell, const Cell& content);
    void vacate(std::size_t cell);
    void grow();

    std::size_t m_width;
    std::vector<TimeNs> m_numbers;      // values, m_width numbers each
    std::vector<std::uint32_t> m_free;  // places in them
    std::size_t m_values = 0;           // places that exist
    std::vector<Cell> m_cells;          // open addressing, a power of two of them, at most half used
    std::size_t m_used = 0;
};

}  // namespace longpole
