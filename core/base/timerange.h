// SPDX-License-Identifier: GPL-3.0-or-later
// Time in a trace: int64 nanoseconds of the trace's own clock, half-open ranges, arithmetic that saturates.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>

namespace longpole {

using TimeNs = std::int64_t;

constexpr TimeNs maxTime = std::numeric_limits<TimeNs>::max();
constexpr TimeNs minTime = std::numeric_limits<TimeNs>::min();

// a + b and a - b, clamped to the representable range instead of overflowing.
constexpr TimeNs saturatingAdd(TimeNs a, TimeNs b)
{
    TimeNs sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b > 0 ? maxTime : minTime;
}
constexpr TimeNs saturatingSubtract(TimeNs a, TimeNs b)
{
    TimeNs difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference)) return difference;
    return b < 0 ? maxTime : minTime;
}

// a x count, clamped; count >= 0.
constexpr TimeNs saturatingMultiply(TimeNs a, std::int64_t count)
{
    TimeNs product = 0;
    if (!__builtin_mul_overflow(a, count, &product)) return product;
    return a > 0 ? maxTime : minTime;
}

constexpr void addSaturating(TimeNs& sum, TimeNs part) { sum = saturatingAdd(sum, part); }

// [begin, end); empty when end <= begin.
struct TimeRange {
    TimeNs begin = 0;
    TimeNs end = 0;

    constexpr TimeNs length() const { return end > begin ? saturatingSubtract(end, begin) : 0; }
    constexpr bool isEmpty() const { return end <= begin; }
    constexpr bool contains(TimeNs t) const { return t >= begin && t < end; }
    constexpr bool overlaps(TimeRange other) const { return begin < other.end && other.begin < end; }
    friend auto operator<=>(const TimeRange&, const TimeRange&) = default;
};

constexpr TimeRange intersection(TimeRange a, TimeRange b)
{
    return {std::max(a.begin, b.begin), std::max(std::max(a.begin, b.begin), std::min(a.end, b.end))};
}
constexpr TimeNs overlap(TimeRange a, TimeRange b) { return intersection(a, b).length(); }

}  // namespace longpole
