// SPDX-License-Identifier: GPL-3.0-or-later
// How a rank's clock differs from rank 0's (recorder/format/format.h): the offset is interpolated between two
// measurements, as in the recorder's own lp_clock_align.
#pragma once

#include "core/base/timelimits.h"
#include "recorder/format/format.h"

namespace longpole {

class RecordingClock {
public:
    RecordingClock() = default;
    explicit RecordingClock(TimeNs offset) : m_first(offset), m_second(offset) {}
    // Nothing is measured at a point whose method is LP_CLOCK_UNKNOWN; without the first there is no offset.
    RecordingClock(const lp_clock_point& init, const lp_clock_point& finalize)
    {
        if (init.method == LP_CLOCK_UNKNOWN || !isPlausible(init)) return;
        m_first = m_second = init.offset;
        if (finalize.method == LP_CLOCK_UNKNOWN || !isPlausible(finalize) || finalize.local <= init.local) return;
        m_second = finalize.offset;
        m_begin = init.local;
        m_end = finalize.local;
    }

    TimeNs operator()(TimeNs local) const { return std::clamp(shifted(local), -farthestRead, farthestRead); }

    friend bool operator==(const RecordingClock&, const RecordingClock&) = default;

private:
    TimeNs shifted(TimeNs local) const
    {
        if (m_first == m_second || local <= m_begin) return saturatingAdd(local, m_first);
        if (local >= m_end) return saturatingAdd(local, m_second);
        const double share = static_cast<double>(local - m_begin) / static_cast<double>(m_end - m_begin);
        return saturatingAdd(local, m_first + static_cast<TimeNs>(static_cast<double>(m_second - m_first) * share));
    }
    static bool isPlausible(const lp_clock_point& point)
    {
        constexpr TimeNs most = maxTime / 4;
        return point.offset > -most && point.offset < most && point.local > -most && point.local < most;
    }

    TimeNs m_first = 0;
    TimeNs m_second = 0;
    TimeNs m_begin = 0;
    TimeNs m_end = 0;
};

}  // namespace longpole
