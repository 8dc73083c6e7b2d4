// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/timemapping.h"

#include "core/base/wide.h"

#include <algorithm>

namespace longpole {

namespace {

using Knot = std::pair<TimeNs, TimeNs>;

// `from` and `to`: which run's times are given and which are wanted.
TimeNs mapped(const std::vector<Knot>& knots, TimeNs time, TimeNs Knot::*from, TimeNs Knot::*to)
{
    const auto next = std::upper_bound(knots.begin(), knots.end(), time,
                                       [from](TimeNs t, const Knot& knot) { return t < knot.*from; });
    if (next == knots.begin()) return saturatingAdd((*next).*to, saturatingSubtract(time, (*next).*from));
    const Knot& last = *std::prev(next);
    if (next == knots.end()) return saturatingAdd(last.*to, saturatingSubtract(time, last.*from));
    const Wide into = Wide{time} - last.*from;
    const Wide length = Wide{(*next).*from} - last.*from;
    return static_cast<TimeNs>(last.*to + into * (Wide{(*next).*to} - last.*to) / length);
}

}  // namespace

TimeMapping TimeMapping::byTime(TimeRange a, TimeRange b) { return TimeMapping({{a.begin, b.begin}}); }

TimeMapping TimeMapping::byPhase(TimeRange a, TimeRange b, std::span<const TimeRange> iterationsA,
                                 std::span<const TimeRange> iterationsB)
{
    std::vector<Knot> knots{{a.begin, b.begin}};
    const Knot end{a.end, b.end};
    const auto isBetween = [](const Knot& low, const Knot& knot, const Knot& high) {
        return low.first < knot.first && low.second < knot.second && knot.first < high.first
               && knot.second < high.second;
    };
    for (std::size_t i = 0; i < std::min(iterationsA.size(), iterationsB.size()); ++i) {
        const Knot knot{iterationsA[i].begin, iterationsB[i].begin};
        if (isBetween(knots.back(), knot, end)) knots.push_back(knot);
    }
    if (knots.back().first < end.first && knots.back().second < end.second) knots.push_back(end);
    return TimeMapping(std::move(knots));
}

TimeNs TimeMapping::toB(TimeNs a) const { return mapped(m_knots, a, &Knot::first, &Knot::second); }
TimeNs TimeMapping::toA(TimeNs b) const { return mapped(m_knots, b, &Knot::second, &Knot::first); }

}  // namespace longpole
