// SPDX-License-Identifier: GPL-3.0-or-later
// Where a time axis has ticks and what they say: 1-2-5 steps at any zoom from nanoseconds to hours.
#pragma once

#include "core/base/timerange.h"

#include <QString>

#include <vector>

namespace longpole {

struct AxisTick {
    TimeNs time = 0;
    double x = 0;     // pixels from the range's begin
    QString label{};  // empty for a tick between two labelled ones
    friend bool operator==(const AxisTick&, const AxisTick&) = default;
};

// The smallest step in ns that is not below `least` and of the series 1, 2, 5, 10 ns ... 10 s, 15 s, 30 s, 1 min, 2, 5,
// 10, 15, 30 min, 1 h, 2, 5, 10 h ...
TimeNs niceStep(double least);

// Labelled ticks at least `spacing` pixels apart, at multiples of a nice step from `zero`, and where the step can be
// halved an unlabelled one between any two of them. Labels are times since `zero`.
std::vector<AxisTick> axisTicks(TimeRange range, TimeNs zero, double width, double spacing = 90);

}  // namespace longpole
