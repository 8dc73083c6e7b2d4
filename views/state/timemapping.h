// SPDX-License-Identifier: GPL-3.0-or-later
// Which time of one run stands above which time of another: the same time since begin, or the same place in an
// iteration.
#pragma once

#include "core/base/timerange.h"

#include <span>
#include <utility>
#include <vector>

namespace longpole {

// Strictly increasing: linear between its knots; before the first and behind the last, both runs go equally fast.
class TimeMapping {
public:
    // Times since begin are the same.
    static TimeMapping byTime(TimeRange a, TimeRange b);
    // The runs' begins and ends stand above each other, and so do the begins of their i-th iterations.
    static TimeMapping byPhase(TimeRange a, TimeRange b, std::span<const TimeRange> iterationsA,
                               std::span<const TimeRange> iterationsB);

    TimeNs toB(TimeNs a) const;
    TimeNs toA(TimeNs b) const;
    TimeRange toB(TimeRange a) const { return {toB(a.begin), toB(a.end)}; }
    TimeRange toA(TimeRange b) const { return {toA(b.begin), toA(b.end)}; }

private:
    explicit TimeMapping(std::vector<std::pair<TimeNs, TimeNs>> knots) : m_knots(std::move(knots)) {}

    std::vector<std::pair<TimeNs, TimeNs>> m_knots;  // of both runs; at least one, strictly ascending in both
};

}  // namespace longpole
