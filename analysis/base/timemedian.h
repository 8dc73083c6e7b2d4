// SPDX-License-Identifier: GPL-3.0-or-later
// The median of very many times in little memory: counts how many times lie in each class of 1/32 of their value. Of a
// few it keeps the classes.
#pragma once

#include "core/base/timerange.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace longpole {

class TimeMedian {
public:
    // Negative times count as zero.
    void add(TimeNs time)
    {
        const std::size_t number = classOf(static_cast<std::uint64_t>(time < 0 ? 0 : time));
        ++m_count;
        if (m_counts) {
            ++(*m_counts)[number];
        } else {
            m_few.push_back(static_cast<std::uint16_t>(number));
            if (m_few.size() == mostFew) countAll();
        }
    }

    std::int64_t count() const { return m_count; }

    // The lower end of the class that holds the (lower) median; 0 without times. Exact below 64 ns.
    TimeNs median() const
    {
        if (m_count == 0) return 0;
        if (!m_counts) {
            std::vector<std::uint16_t> few = m_few;
            const auto middle = few.begin() + (m_count - 1) / 2;
            std::nth_element(few.begin(), middle, few.end());
            return static_cast<TimeNs>(lowerEnd(*middle));
        }
        std::size_t i = 0;
        for (std::int64_t before = 0; i < m_counts->size(); ++i)
            if ((before += (*m_counts)[i]) * 2 >= m_count) break;
        return static_cast<TimeNs>(lowerEnd(i));
    }

private:
    static constexpr std::size_t mostFew = 256;

    void countAll()
    {
        m_counts = std::make_unique<Counts>();
        for (const std::uint16_t number : m_few) ++(*m_counts)[number];
        m_few = {};
    }
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

    using Counts = std::array<std::uint32_t, (63 - bits + 1) * perOctave>;
    std::vector<std::uint16_t> m_few;  // classes
    std::unique_ptr<Counts> m_counts;  // null: they are in m_few
    std::int64_t m_count = 0;
};

}  // namespace longpole
