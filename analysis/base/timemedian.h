// SPDX-License-Identifier: GPL-3.0-or-later
// The median of very many times in little memory: counts how many times lie in each class of 1/32 of their value.
#pragma once

#include "core/base/timerange.h"

#include <array>
#include <bit>
#include <cstdint>

namespace longpole {

class TimeMedian {
public:
    // Negative times count as zero.
    void add(TimeNs time)
    {
        ++m_counts[classOf(static_cast<std::uint64_t>(time < 0 ? 0 : time))];
        ++m_count;
    }

    std::int64_t count() const { return m_count; }

    // The lower end of the class that holds the (lower) median; 0 without times. Exact below 64 ns.
    TimeNs median() const
    {
        std::int64_t before = 0;
        for (std::size_t i = 0; i < m_counts.size(); ++i) {
            before += m_counts[i];
            if (before * 2 >= m_count && m_count > 0) return static_cast<TimeNs>(lowerEnd(i));
        }
        return 0;
    }

private:
    static constexpr unsigned bits = 5;
    static constexpr std::uint64_t perOctave = 1u << bits;

    static std::size_t classOf(std::uint64_t time)
    {
        if (time < perOctave) return time;
        const unsigned shift = static_cast<unsigned>(std::bit_width(time)) - bits - 1;
        return shift * perOctave + (time >> shift);
    }
    static std::uint64_t lowerEnd(std::size_t number)
    {
        if (number < 2 * perOctave) return number;
        const std::size_t shift = number / perOctave - 1;
        return (number - shift * perOctave) << shift;
    }

    std::array<std::uint32_t, (63 - bits + 1) * perOctave> m_counts{};
    std::int64_t m_count = 0;
};

}  // namespace longpole
