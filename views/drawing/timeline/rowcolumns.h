// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of a row's picture: how much time of what lies in each device pixel.
#pragma once

#include "views/drawing/basics/timecoordinates.h"
#include "views/drawing/timeline/rowdata.h"

#include <array>
#include <cstdint>
#include <vector>

namespace longpole {

constexpr std::uint32_t noCallIndex = 0xffffffffu;

struct Column {
    double busy = 0;  // ns
    double idle = 0;
    double best = 0;  // ns of `entry`
    EntryId entry = noEntry;
    std::uint32_t task = noTaskIndex;
    std::uint32_t call = noCallIndex;  // of RowData::calls: the one with the most time
    std::array<float, 3> parts{};      // ns of wait before, execution, wait after
    float callTime = 0;                // ns of `call`
    float tasks = 0;                   // begun in it (bins) or touching it (segments)
    bool hidden = false;               // a whole segment or call lies inside
    TimeNs slack = maxTime;            // least of its tasks
    TimeNs bestSlack = maxTime;        // of `task`
    bool passes = false;               // the filter: any of its tasks
    bool bestPasses = false;           // `task`

    double waits() const { return idle + parts[0] + parts[2]; }
};

// Spreads time over columns.
class Columns {
public:
    Columns(const TimeCoordinates& at, double columnsPerPixel);

    int count() const { return static_cast<int>(m_columns.size()); }
    double width() const { return m_width; }  // ns of a column
    const Column& operator[](int i) const { return m_columns[static_cast<std::size_t>(i)]; }
    double position(TimeNs time) const { return static_cast<double>(saturatingSubtract(time, m_begin)) / m_width; }

    void addSegment(const RowSegment& segment, TimeNs slack, bool passes);
    void addIdle(TimeRange gap);
    void addCall(const RowCall& call, std::uint32_t number);
    void addBin(TimeRange range, const TileBin& bin, TimeNs slack, bool passes);

private:
    // give(column, ns) for the columns between two positions.
    template <typename Give>
    void each(double from, double to, const Give& give);

    std::vector<Column> m_columns;
    TimeNs m_begin;
    double m_width;
};

}  // namespace longpole
