// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/timelinegeometry.h"

#include "core/base/parallel.h"
#include "views/drawing/timeline/rowcolumns.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace longpole {

namespace {

constexpr int shares = 16;

constexpr std::size_t fewRows = 12;  // so few are done without threads

constexpr double leastNamed = 64;  // pixels: narrower calls do not bear their names

std::uint8_t sixteenths(double time, double width)
{
    return static_cast<std::uint8_t>(std::clamp(std::lround(shares * time / width), 0l, long{shares}));
}

class RowBuilder {
public:
    RowBuilder(const RowInput& input, const TimeCoordinates& at, const GeometryOptions& options)
        : m_data(*input.data), m_at(at), m_options(options), m_columns(at, options.columnsPerPixel)
    {
        m_row.box = input.box;
        m_row.kind = input.row->kind;
        m_row.processors = std::max<int>(1, static_cast<int>(input.row->members.size()));
        m_row.hasLog = input.row->hasLog;
        m_row.damaged = m_data.damaged;
        constexpr double widest = 4;  // columns that a bin may have and still be taken for what happened there
        const bool isFine = !m_data.bins.bins.empty()
                            && std::ldexp(1.0, m_data.bins.level) <= widest * m_data.resolution;
        if (!isFine)
            for (const TimeRange& lacking : m_data.lacking)
                m_row.lacks.emplace_back(std::max(0.0, m_at.x(lacking.begin)),
                                         std::min(m_at.width, m_at.x(lacking.end)));
        m_members = std::max(1, m_data.members);
        m_filled = m_row.kind != RowKind::Intervals || !m_data.segments.empty() || !m_data.bins.bins.empty();
        // Of a thread that calls MPI the calls are a lane of their own, below its regions.
        m_isCallLane = !m_filled && !m_data.calls.empty();
        m_row.blockTop = m_row.box.bodyTop;
        m_row.blockHeight = m_row.box.bodyHeight;
        if (!m_isCallLane) return;
        m_row.blockHeight = m_row.box.bodyHeight / (m_data.lanes + 1);
        m_row.blockTop += m_row.box.bodyHeight - m_row.blockHeight;
    }

    RowGeometry build()
    {
        if ((m_filled || m_isCallLane) && m_row.hasLog) {
            fillColumns();
            makeBlocks();
            if (m_data.exact) markBoundaries();
            nameCalls();
        }
        placeOverheads();
        placeIntervals();
        return std::move(m_row);
    }

private:
    void fillColumns()
    {
        const TimeRange range = m_at.range;
        if (!m_data.exact) {
            const TileLevel& level = m_data.bins;
            const auto [first, last] = binsIn(level, range);
            for (std::size_t i = first; i < last; ++i)
                // What the bins at the ends hold lies in the run: they are clipped to it.
                if (const TimeRange bin = intersection(binRange(level, i), m_options.run); !bin.isEmpty())
                    m_columns.addBin(bin, level.bins[i], i < m_data.binSlack.size() ? m_data.binSlack[i] : maxTime,
                                     passes(m_data.binPasses, i));
            return;
        }
        const bool hasSlack = m_data.segmentSlack.size() == m_data.segments.size();
        for (const RowSegment& segment : overlapping(m_data.segments, range)) {
            const auto at = static_cast<std::size_t>(&segment - m_data.segments.data());
            m_columns.addSegment(segment, hasSlack ? m_data.segmentSlack[at] : maxTime,
                                 passes(m_data.segmentPasses, at));
        }
        if (m_data.hasCalls)  // which say where the idle time is
            for (const RowCall& call : overlapping(m_data.calls, range))
                m_columns.addCall(call, static_cast<std::uint32_t>(&call - m_data.calls.data()));
        else
            for (const TimeRange& gap : overlapping(m_data.idle, range)) m_columns.addIdle(gap);
    }

    Block blockOf(const PixelColumn& column, double inside) const
    {
        Block block;
        const double width = m_columns.width() * m_members;
        block.outside = inside <= 0.5;
        const double tasksPerMember = double{column.tasks} / m_members;
        block.shared = m_data.exact ? column.hidden || column.tasks > 2.5 : tasksPerMember > 1.5;
        if (m_data.exact && !block.shared) {
            // At most two tasks meet in the column: it is given to the one with most time, so that edges stay crisp.
            const double inCalls = column.parts[0] + column.parts[1] + column.parts[2];
            const double rest = std::max(0.0, width - column.busy - column.idle - inCalls);
            const auto part = std::max_element(column.parts.begin(), column.parts.end());
            const double most = std::max({column.idle, rest, double{*part}});
            if (column.best >= most && column.best > 0) block.busy = shares;
            else if (*part >= std::max(column.idle, rest) && *part > 0) {
                block.part = static_cast<CallPart>(part - column.parts.begin() + 1);
                block.call = column.call;
                block.dimmed = isDimmed(EntryId{index(m_data.calls[column.call].region)});
            } else if (column.idle >= rest && column.idle > 0) block.idle = shares;
        } else {
            block.isMpi = m_data.hasCalls;
            block.busy = sixteenths(column.busy, width);
            block.idle = std::min<std::uint8_t>(sixteenths(column.waits(), width), shares - block.busy);
            if (column.busy > 0 && block.busy == 0) {
                block.busy = 1;  // that something ran is never hidden
                block.idle = std::min<std::uint8_t>(block.idle, shares - 1);
            }
        }
        if (block.busy > 0) {
            block.entry = column.entry;
            block.task = block.shared ? noTaskIndex : column.task;
            const TimeNs slack = block.task != noTaskIndex ? column.bestSlack : column.slack;
            block.dimmed = isDimmed(column.entry)
                           || (m_options.mostSlack && slack != maxTime && slack > *m_options.mostSlack)
                           || (isFiltered() && !(block.task != noTaskIndex ? column.bestPasses : column.passes));
            if (m_options.slackScale && slack != maxTime) block.slack = m_options.slackScale->step(slack);
        }
        return block;
    }

    // Whether the data has the marks of this filter: it may still have those of another one, or none.
    bool isFiltered() const { return !m_options.grain.isEmpty() && m_data.grain == m_options.grain && knowsPasses(); }
    bool knowsPasses() const
    {
        return m_data.exact ? m_data.segmentPasses.size() == m_data.segments.size()
                            : m_data.binPasses.size() == m_data.bins.bins.size();
    }
    static bool passes(const std::vector<std::uint8_t>& of, std::size_t at) { return at < of.size() && of[at] != 0; }

    bool isDimmed(EntryId entry) const
    {
        return m_options.matching
               && (index(entry) >= m_options.matching->size() || !(*m_options.matching)[index(entry)]);
    }

    void makeBlocks()
    {
        const double runBegin = m_columns.position(m_options.run.begin);
        const double runEnd = m_columns.position(m_options.run.end);
        for (int i = 0; i < m_columns.count(); ++i) {
            const double inside = std::min(runEnd, i + 1.0) - std::max(runBegin, static_cast<double>(i));
            Block block = blockOf(m_columns[i], inside);
            // Outside the run nothing is known, not even that it is overhead. A lane of calls has nothing between them.
            if (block.outside && block.busy == 0 && block.part == CallPart::None) continue;
            if (m_isCallLane && m_columns[i].call == noCallIndex) continue;
            block.first = i;
            block.last = i + 1;
            if (!m_row.blocks.empty() && continues(m_row.blocks.back(), block)) m_row.blocks.back().last = i + 1;
            else m_row.blocks.push_back(block);
        }
    }

    static bool continues(const Block& before, Block block)
    {
        block.first = before.first;
        if (before.last + 1 != block.last) return false;
        block.last = before.last;
        return before == block;
    }

    void markBoundaries()
    {
        for (std::size_t i = 0; i + 1 < m_row.blocks.size(); ++i) {
            Block& block = m_row.blocks[i];
            const Block& next = m_row.blocks[i + 1];
            const bool tasks = block.task != noTaskIndex && next.task != noTaskIndex && block.task != next.task;
            const bool calls = block.call != noCallIndex && next.call != noCallIndex && block.call != next.call;
            block.boundary = (tasks || calls) && next.first == block.last;
        }
    }

    void nameCalls()
    {
        const double least = leastNamed * m_at.perPixel();
        for (const RowCall& call : overlapping(m_data.calls, m_at.range)) {
            if (static_cast<double>(call.range.length()) < least || call.seq < 0) continue;
            const double from = std::max(0.0, m_at.x(call.range.begin));
            const double to = std::min(m_at.width, m_at.x(call.range.end));
            if (to - from >= leastNamed)
                m_row.calls.push_back({QRectF(from, m_row.blockTop, to - from, m_row.blockHeight), call.region});
        }
    }

    void placeOverheads()
    {
        const RowBox& box = m_row.box;
        const double height = std::clamp(std::round(box.bodyHeight * 0.3), 2.0, 8.0);
        for (const RowOverhead& overhead : m_data.overheads) {
            if (!overhead.range.overlaps(m_at.range)) continue;
            const double from = std::max(0.0, m_at.x(overhead.range.begin));
            const double to = std::min(m_at.width, m_at.x(overhead.range.end));
            const bool whole = overhead.kind == OverheadKind::Flush || overhead.kind == OverheadKind::Untraced;
            // Packing shorter than half a pixel would look longer than it was.
            if (!whole && to - from < 0.5) continue;
            const double top = whole ? box.bodyTop : box.bodyTop + box.bodyHeight - height;
            m_row.overheads.push_back({QRectF(from, top, std::max(1.0, to - from), whole ? box.bodyHeight : height),
                                       overhead.kind});
        }
    }

    void placeIntervals()
    {
        if (m_data.intervals.empty()) return;
        // Rows with tasks have their intervals in a thin band below the body; in others intervals fill the body.
        const RowBox& box = m_row.box;
        const bool below = m_filled;
        const double top = below ? box.bodyTop + box.bodyHeight + 2 : box.bodyTop;
        const double room = below ? std::max(0.0, box.bottom() - top - 2) : box.bodyHeight;
        const double lane = room / std::max(1, m_data.lanes + (m_isCallLane ? 1 : 0));
        if (lane < 1) return;
        for (const RowInterval& interval : m_data.intervals) {
            if (interval.range.begin > m_at.range.end || interval.range.end < m_at.range.begin) continue;
            const double from = std::max(0.0, m_at.x(interval.range.begin));
            const double to = std::min(m_at.width, m_at.x(interval.range.end));
            m_row.intervals.push_back({QRectF(from, top + interval.depth * lane, std::max(1.0, to - from),
                                              std::max(1.0, lane - 1)),
                                       interval.region, interval.range.isEmpty()});
        }
    }

    const RowData& m_data;
    const TimeCoordinates& m_at;
    const GeometryOptions& m_options;
    Columns m_columns;
    RowGeometry m_row;
    int m_members = 1;
    bool m_filled = true;
    bool m_isCallLane = false;
};

}  // namespace

RowBox rowBox(double top, double height)
{
    RowBox box{.top = top, .height = height};
    box.bodyHeight = height < 12 ? std::max(1.0, height - 2) : std::round(0.4 * height + 4);
    box.barHeight = std::clamp(std::round(height * 0.085), 2.0, 5.0);
    const double gap = height < 24 ? 1 : 2;
    box.bodyTop = top + std::round((height - box.bodyHeight) / 2) + (height < 12 ? 0 : 1);
    box.barTop = std::max(top, box.bodyTop - gap - box.barHeight);
    return box;
}

RowGeometry rowGeometry(const RowInput& input, const TimeCoordinates& at, const GeometryOptions& options)
{
    if (!input.data) {
        RowGeometry row;
        row.box = input.box;
        row.kind = input.row->kind;
        row.hasLog = input.row->hasLog;
        row.loaded = false;
        return row;
    }
    return RowBuilder(input, at, options).build();
}

TimelineGeometry timelineGeometry(std::span<const RowInput> rows, const TimeCoordinates& at,
                                  const GeometryOptions& options)
{
    TimelineGeometry geometry{.at = at,
                              .columnsPerPixel = options.columnsPerPixel,
                              .runBegin = at.x(options.run.begin),
                              .runEnd = at.x(options.run.end)};
    geometry.rows.resize(rows.size());
    const unsigned threads = rows.size() < fewRows ? 1 : 0;
    parallelFor(
        rows.size(), [&](std::size_t i) { geometry.rows[i] = rowGeometry(rows[i], at, options); }, threads);
    return geometry;
}

}  // namespace longpole
