// SPDX-License-Identifier: GPL-3.0-or-later
// Which time of one run goes with which time of another: the same time since begin, or the same place in an iteration.
#pragma once

#include "core/base/timerange.h"

#include <span>
#include <utility>
#include <vector>

namespace longpole {

// Increases strictly; linear between its knots, at the same speed in both runs before the first and behind the last.
class TimeMapping {
public:
    // Times since begin are the same.
    static TimeMapping byTime(TimeRange a, TimeRange b);
    // The runs' begins and ends go together, and the begins of the i-th iterations of both, as far as both have them.
    static TimeMapping byPhase(TimeRange a, TimeRange b, std::span<const TimeRange> iterationsA,
                               std::span<const TimeRange> iterationsB);

    TimeNs toB(TimeNs a) const;
    TimeNs toA(TimeNs b) const;
    TimeRange toB(TimeRange a) const { return {toB(a.begin), toB(a.end)}; }
    TimeRange toA(TimeRange b) const { return {toA(b.begin), toA(b.end)}; }

private:
    explicit TimeMapping(std::vector<std::pair<TimeNs, TimeNs>> knots) : m_knots(std::move(knots)) {}

    std::vector<std::pair<TimeNs, TimeNs>> m_knots;  // at least one; both ascend strictly
};

}  // namespace longpole
