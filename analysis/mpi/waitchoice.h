// SPDX-License-Identifier: GPL-3.0-or-later
// Which wait states the options choose.
#pragma once

#include "analysis/mpi/waitstates.h"

#include <algorithm>
#include "core/trace/kinds.h"

#include <cstdint>

namespace longpole {

class WaitChoice {
public:
    WaitChoice(const WaitOptions& options, TimeRange run) : m_options(options), m_range(options.range.value_or(run)) {}

    TimeRange range() const { return m_range; }
    bool takes(std::uint32_t rank) const { return !m_options.rank || *m_options.rank == rank; }
    bool takes(WaitStateKind kind, TimeRange wait) const
    {
        return !wait.isEmpty() && m_range.contains(wait.begin) && (!m_options.kind || *m_options.kind == kind)
               && !isLeftOut(wait);
    }
    // Whether a call's severity counts in the total of the chosen waits.
    bool takesSeverity(WaitPattern pattern, std::uint16_t flags, TimeRange wait) const
    {
        const auto kind = stateOf(pattern);
        if (!kind) return false;
        if (!m_options.kind || !isPartOfAnother(*m_options.kind)) return takes(*kind, wait);
        return hasPart(pattern, flags, *m_options.kind) && takes(*m_options.kind, wait);
    }
    // Whether a call's wait is also one of a kind that is a part of another.
    static bool hasPart(WaitPattern pattern, std::uint16_t flags, WaitStateKind kind)
    {
        if (kind == WaitStateKind::LateComplete)
            return pattern == WaitPattern::EarlyWait && (flags & MpiCallFlag::LateComplete) != 0;
        const int flag = kind == WaitStateKind::WrongOrderSameSource ? MpiCallFlag::WrongOrderSameSource
                                                                     : MpiCallFlag::WrongOrderDifferentSource;
        return pattern == WaitPattern::LateSender && (flags & flag) != 0;
    }

private:
    bool isLeftOut(TimeRange wait) const
    {
        const auto ends = [](const TimeRange& one, TimeNs time) { return one.end <= time; };
        const auto found = std::lower_bound(m_options.without.begin(), m_options.without.end(), wait.begin, ends);
        return found != m_options.without.end() && found->begin < wait.end;
    }

    WaitOptions m_options;
    TimeRange m_range;
};

}  // namespace longpole
