// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of a row's picture, a device pixel each: how much time of what lies in it.
#pragma once

#include "views/drawing/basics/timecoordinates.h"
#include "views/drawing/timeline/rowdata.h"

#include <array>
#include <cstdint>
#include <vector>

namespace longpole {

constexpr std::uint32_t noCallIndex = 0xffffffffu;

struct PixelColumn {
    double busy = 0;  // ns
    double idle = 0;
    double best = 0;  // ns of `entry`
    EntryId entry = noEntry;
    std::uint32_t task = noTaskIndex;  // the first of that entry, of segments
    std::uint32_t call = noCallIndex;  // index in RowData::calls of the call with most time
    std::array<float, 3> parts{};      // ns of wait before, execution, wait after
    float callTime = 0;                // ns of `call`
    float tasks = 0;                   // segments that touch it, or of bins the tasks that begin in it
    bool hidden = false;               // a whole segment or call lies inside: it cannot be seen as such
    TimeNs slack = maxTime;            // least of all its tasks
    TimeNs bestSlack = maxTime;        // of `task`
    bool passes = false;               // one of its tasks passes the filter
    bool bestPasses = false;           // `task` passes the filter

    double waits() const { return idle + parts[0] + parts[2]; }
};

// Spreads the time of segments, bins and calls over columns.
class Columns {
public:
    Columns(const TimeCoordinates& at, double columnsPerPixel);

    int count() const { return static_cast<int>(m_columns.size()); }
    double width() const { return m_width; }  // ns of a column
    const PixelColumn& operator[](int i) const { return m_columns[static_cast<std::size_t>(i)]; }
    double position(TimeNs time) const { return static_cast<double>(saturatingSubtract(time, m_begin)) / m_width; }

    void addSegment(const RowSegment& segment, TimeNs slack, bool passes);
    void addIdle(TimeRange gap);
    void addCall(const RowCall& call, std::uint32_t number);
    void addBin(TimeRange range, const TileBin& bin, TimeNs slack, bool passes);

private:
    // Calls give(column, ns) for each column between two positions, with its part of the time.
    template <typename Give>
    void each(double from, double to, const Give& give);

    std::vector<PixelColumn> m_columns;
    TimeNs m_begin;
    double m_width;
};

}  // namespace longpole
