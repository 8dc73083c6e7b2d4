// SPDX-License-Identifier: GPL-3.0-or-later
// A set of positions that tells how many of its members lie before each: what only a few positions have can be stored
// one after the other. A fifth of a byte a position.
#pragma once

#include "analysis/base/bigarray.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace longpole {

class RankedBits {
public:
    RankedBits() = default;
    explicit RankedBits(std::size_t size) : m_words(bigArray<std::uint64_t>((size + 63) / 64)) {}

    // Members are added before count() is called once; rank() holds from then on.
    void add(std::size_t position) { m_words[position / 64] |= std::uint64_t{1} << (position % 64); }
    void count()
    {
        resizeBig(m_before, m_words.size());
        std::uint32_t sum = 0;
        for (std::size_t w = 0; w < m_words.size(); ++w) {
            m_before[w] = sum;
            sum += static_cast<std::uint32_t>(std::popcount(m_words[w]));
        }
        m_count = sum;
    }

    bool has(std::size_t position) const { return (m_words[position / 64] >> (position % 64) & 1) != 0; }
    // How many members lie before it.
    std::size_t rank(std::size_t position) const
    {
        const std::uint64_t below = (std::uint64_t{1} << (position % 64)) - 1;
        return m_before[position / 64] + static_cast<std::size_t>(std::popcount(m_words[position / 64] & below));
    }
    std::size_t members() const { return m_count; }
    bool isEmpty() const { return m_count == 0; }
    std::int64_t bytes() const
    {
        return static_cast<std::int64_t>(m_words.capacity() * sizeof(std::uint64_t)
                                         + m_before.capacity() * sizeof(std::uint32_t));
    }

private:
    std::vector<std::uint64_t> m_words;
    std::vector<std::uint32_t> m_before;  // members in earlier words
    std::size_t m_count = 0;
};

}  // namespace longpole
