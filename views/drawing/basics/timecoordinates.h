// SPDX-License-Identifier: GPL-3.0-or-later
// Converts between time and pixels: a range of time is laid over a width.
#pragma once

#include "core/base/timerange.h"

#include <algorithm>
#include <cmath>

namespace longpole {

struct TimeCoordinates {
    TimeRange range;
    double width = 1;  // pixels that the range covers; > 0

    double perPixel() const { return static_cast<double>(range.length()) / width; }  // ns
    double x(TimeNs time) const
    {
        return static_cast<double>(saturatingSubtract(time, range.begin)) / std::max(perPixel(), 1e-9);
    }
    TimeNs time(double pixel) const
    {
        return saturatingAdd(range.begin, static_cast<TimeNs>(std::llround(pixel * perPixel())));
    }
};

// The range that shows `factor` times as much time and keeps the time under `pixel` where it is; at least 10 ns.
inline TimeRange zoomed(const TimeCoordinates& at, double pixel, double factor)
{
    const double length = std::max(10.0, static_cast<double>(at.range.length()) * factor);
    const double share = pixel / at.width;
    const double fixed = static_cast<double>(at.range.length()) * share;
    const auto begin = saturatingAdd(at.range.begin, static_cast<TimeNs>(std::llround(fixed - length * share)));
    return {begin, saturatingAdd(begin, static_cast<TimeNs>(std::llround(length)))};
}

inline TimeRange panned(const TimeCoordinates& at, double pixels)
{
    const auto by = static_cast<TimeNs>(std::llround(pixels * at.perPixel()));
    return {saturatingAdd(at.range.begin, by), saturatingAdd(at.range.end, by)};
}

// `length` ns of which `middle` is the middle.
inline TimeRange around(TimeNs middle, TimeNs length)
{
    const TimeNs begin = saturatingSubtract(middle, length / 2);
    return {begin, saturatingAdd(begin, length)};
}

// The range moved, and cut if it is longer than `limits`, so that it lies within them; at least 10 ns.
inline TimeRange clamped(TimeRange range, TimeRange limits)
{
    constexpr TimeNs least = 10;
    const TimeNs length = std::max(least, std::min(range.length(), limits.length()));
    TimeNs begin = std::min(range.begin, saturatingSubtract(limits.end, length));
    begin = std::max(begin, limits.begin);
    return {begin, saturatingAdd(begin, length)};
}

}  // namespace longpole
