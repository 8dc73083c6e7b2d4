// SPDX-License-Identifier: GPL-3.0-or-later
// Turns ticks of an OTF2 archive's clock into nanoseconds since the archive's global offset, rounded to the nearest.
// The library has already applied the locations' clock offsets.
#pragma once

#include "core/base/timelimits.h"

#include <cstdint>
#include <limits>

namespace longpole {

class Otf2Clock {
public:
    explicit Otf2Clock(std::uint64_t ticksPerSecond = second, std::uint64_t zero = 0)
        : m_resolution(ticksPerSecond == 0 ? second : ticksPerSecond), m_zero(zero)
    {
    }

    // Negative before the global offset; cut to farthestRead.
    TimeNs toNs(std::uint64_t ticks) const
    {
        const bool isBefore = ticks < m_zero;
        const std::uint64_t distance = isBefore ? m_zero - ticks : ticks - m_zero;
        const TimeNs ns = m_resolution == second ? clamped(distance) : scaled(distance);
        return isBefore ? -ns : ns;
    }

private:
    __extension__ using Wide = unsigned __int128;
    static constexpr std::uint64_t second = 1'000'000'000;
    static constexpr TimeNs longest = farthestRead;

    static TimeNs clamped(Wide ns) { return ns > Wide(longest) ? longest : static_cast<TimeNs>(ns); }
    TimeNs scaled(std::uint64_t distance) const
    {
        // Up to this resolution a fraction of a second times 10^9 fits into 64 bits, whose division is faster.
        constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / second - 16;
        const std::uint64_t whole = distance / m_resolution;
        const std::uint64_t rest = distance % m_resolution;
        const std::uint64_t half = m_resolution / 2;
        if (m_resolution <= most) return clamped(Wide(whole) * second + (rest * second + half) / m_resolution);
        return clamped(Wide(whole) * second + (Wide(rest) * second + half) / m_resolution);
    }

    std::uint64_t m_resolution;
    std::uint64_t m_zero;
};

}  // namespace longpole
