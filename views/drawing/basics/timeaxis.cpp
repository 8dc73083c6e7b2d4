// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/timeaxis.h"

#include "core/trace/format.h"
#include "views/drawing/basics/timecoordinates.h"

#include <array>

namespace longpole {

namespace {

constexpr TimeNs second = 1'000'000'000;
constexpr TimeNs minute = 60 * second;
constexpr TimeNs hour = 60 * minute;

// The first time from `time` on that is a multiple of `step` after or before `zero`.
TimeNs firstTick(TimeNs time, TimeNs zero, TimeNs step)
{
    const TimeNs offset = saturatingSubtract(time, zero);
    TimeNs steps = offset / step;
    if (offset > 0 && offset % step != 0) ++steps;
    return saturatingAdd(zero, saturatingMultiply(steps, step));
}

}  // namespace

TimeNs niceStep(double least)
{
    for (TimeNs power = 1; power <= second; power *= 10)
        for (const TimeNs factor : {1, 2, 5})
            if (static_cast<double>(power * factor) >= least) return power * factor;
    constexpr std::array steps{10 * second, 15 * second, 30 * second, minute,     2 * minute,
                               5 * minute,  10 * minute, 15 * minute, 30 * minute};
    for (const TimeNs step : steps)
        if (static_cast<double>(step) >= least) return step;
    for (TimeNs power = hour; power < maxTime / 100; power *= 10)
        for (const TimeNs factor : {1, 2, 5})
            if (static_cast<double>(power * factor) >= least) return power * factor;
    return maxTime / 10;
}

std::vector<AxisTick> axisTicks(TimeRange range, TimeNs zero, double width, double spacing)
{
    std::vector<AxisTick> ticks;
    if (range.isEmpty() || width <= 0) return ticks;
    const TimeCoordinates at{range, width};
    const TimeNs step = niceStep(spacing * at.perPixel());
    const bool halves = step % 2 == 0;
    const TimeNs every = halves ? step / 2 : step;
    for (TimeNs time = firstTick(range.begin, zero, every); time <= range.end; time = saturatingAdd(time, every)) {
        const TimeNs offset = saturatingSubtract(time, zero);
        AxisTick tick{.time = time, .x = at.x(time)};
        if (offset % step == 0) tick.label = formatTimeAt(offset, step);
        ticks.push_back(std::move(tick));
        if (time == maxTime || ticks.size() > 10000) break;
    }
    return ticks;
}

}  // namespace longpole
