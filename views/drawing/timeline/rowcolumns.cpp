// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/rowcolumns.h"

#include <algorithm>
#include <cmath>

namespace longpole {

Columns::Columns(const TimeCoordinates& at, double columnsPerPixel)
    : m_columns(static_cast<std::size_t>(std::max(1.0, std::ceil(at.width * columnsPerPixel)))),
      m_begin(at.range.begin), m_width(std::max(at.perPixel() / columnsPerPixel, 1e-9))
{
}

template <typename Give>
void Columns::each(double from, double to, const Give& give)
{
    from = std::max(from, 0.0);
    to = std::min(to, static_cast<double>(m_columns.size()));
    if (to <= from) return;
    const auto first = static_cast<std::size_t>(from);
    const auto last = std::min(m_columns.size() - 1, static_cast<std::size_t>(std::ceil(to)) - 1);
    for (std::size_t i = first; i <= last; ++i) {
        const double part = std::min(to, static_cast<double>(i) + 1) - std::max(from, static_cast<double>(i));
        give(m_columns[i], part * m_width);
    }
}

void Columns::addSegment(const RowSegment& segment, TimeNs slack, bool passes)
{
    const double from = position(segment.range.begin);
    const double to = position(segment.range.end);
    const bool hidden = std::floor(from) == std::floor(to);
    each(from, to, [&](PixelColumn& column, double time) {
        column.busy += time;
        column.tasks += 1;
        column.hidden = column.hidden || hidden;
        column.slack = std::min(column.slack, slack);
        column.passes = column.passes || passes;
        if (segment.entry == column.entry) {
            // Further tasks of the entry with most time add to its time; the first one stays the column's task.
            column.best += time;
        } else if (time > column.best) {
            column.best = time;
            column.entry = segment.entry;
            column.task = segment.task;
            column.bestSlack = slack;
            column.bestPasses = passes;
        }
    });
}

void Columns::addIdle(TimeRange gap)
{
    each(position(gap.begin), position(gap.end), [](PixelColumn& column, double time) { column.idle += time; });
}

// A call of no length has no time to show: it does not count as hidden.
void Columns::addCall(const RowCall& call, std::uint32_t number)
{
    const double from = position(call.range.begin);
    const double to = position(call.range.end);
    const bool hidden = to > from && std::floor(from) == std::floor(to);
    const TimeRange parts[] = {call.waitBefore(), call.execution(), call.waitAfter()};
    for (std::size_t part = 0; part < 3; ++part)
        each(position(parts[part].begin), position(parts[part].end),
             [&](PixelColumn& column, double time) { column.parts[part] += static_cast<float>(time); });
    each(from, to, [&](PixelColumn& column, double time) {
        column.hidden = column.hidden || hidden;
        if (static_cast<float>(time) <= column.callTime) return;
        column.callTime = static_cast<float>(time);
        column.call = number;
    });
}

void Columns::addBin(TimeRange range, const TileBin& bin, TimeNs slack, bool passes)
{
    if (bin.busy == 0 && bin.idle == 0 && bin.tasks == 0) return;
    const double length = static_cast<double>(range.length());
    each(position(range.begin), position(range.end), [&](PixelColumn& column, double time) {
        const double share = time / length;
        column.slack = std::min(column.slack, slack);
        column.passes = column.passes || passes;
        column.busy += share * static_cast<double>(bin.busy);
        column.idle += share * static_cast<double>(bin.idle);
        column.tasks += static_cast<float>(share * static_cast<double>(bin.tasks));
        const double ofEntry = share * static_cast<double>(bin.entryTime);
        if (bin.entry == column.entry) column.best += ofEntry;
        else if (ofEntry > column.best) {
            column.best = ofEntry;
            column.entry = bin.entry;
        }
    });
}

}  // namespace longpole
