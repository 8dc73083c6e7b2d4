// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn of a timeline, computed without a painter: row data + range + size -> blocks, boxes and labels.
#pragma once

#include "views/drawing/basics/slackscale.h"
#include "views/drawing/basics/timecoordinates.h"
#include "views/drawing/timeline/rowcolumns.h"
#include "views/drawing/timeline/rowdata.h"
#include "views/drawing/timeline/timelinerows.h"

#include <QRectF>

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

// Where a row stands, in pixels. Tasks fill the body; the path's bar lies above it.
struct RowBox {
    double top = 0;
    double height = 0;
    double bodyTop = 0;
    double bodyHeight = 0;
    double barTop = 0;
    double barHeight = 0;

    double barCentre() const { return barTop + barHeight / 2; }
    double bottom() const { return top + height; }
    friend bool operator==(const RowBox&, const RowBox&) = default;
};
RowBox rowBox(double top, double height);

enum class CallPart : std::uint8_t { None, WaitBefore, Execution, WaitAfter };

// One run of equal columns. A column is one device pixel; shares are in sixteenths of its time, the rest is overhead.
// In a row with MPI calls a column belongs to one part of one call, or it blends code, waits (idle) and MPI that
// executes.
struct Block {
    int first = 0;  // columns [first, last)
    int last = 0;
    EntryId entry = noEntry;           // of the most time; noEntry: no task
    std::uint32_t task = noTaskIndex;  // if it is one task and known
    std::uint8_t busy = 0;
    std::uint8_t idle = 0;
    std::uint8_t slack = unknownSlack;  // step of the least slack, where it is asked for
    CallPart part = CallPart::None;     // then busy and idle are 0
    std::uint32_t call = noCallIndex;   // of RowData::calls, with a part
    bool isMpi = false;                 // a blend: what is neither busy nor idle executes MPI
    bool shared = false;                // several tasks share each of these columns
    bool boundary = false;              // another task begins where this one ends
    bool dimmed = false;   // its entry or all its tasks do not pass a filter, or have more slack than is let through
    bool outside = false;  // start-up, or after the end
    friend bool operator==(const Block&, const Block&) = default;
};

struct OverheadBox {
    QRectF rect;
    OverheadKind kind{};
};

struct IntervalBox {
    QRectF rect;
    RegionId region{};
    bool mark = false;
};

// An MPI call wide enough to bear its name.
struct NamedCall {
    QRectF rect;
    RegionId region{};
};

struct RowGeometry {
    RowBox box;
    double blockTop = 0;  // of the blocks: the body, or the lowest lane of a thread that calls MPI
    double blockHeight = 0;
    RowKind kind = RowKind::Processor;
    bool loaded = true;  // false: its data is not there yet
    bool hasLog = true;
    bool damaged = false;
    std::vector<Block> blocks;  // in order, disjoint; columns of no block are empty (outside the run)
    std::vector<NamedCall> calls;
    std::vector<OverheadBox> overheads;
    std::vector<IntervalBox> intervals;
};

struct TimelineGeometry {
    TimeCoordinates at;
    double columnsPerPixel = 1;
    double runBegin = 0;  // x of the run's begin and end
    double runEnd = 0;
    std::vector<RowGeometry> rows;

    double columnX(int column) const { return column / columnsPerPixel; }
};

struct RowInput {
    const TimelineRow* row = nullptr;
    const RowData* data = nullptr;  // null: not loaded yet
    RowBox box;
};

struct GeometryOptions {
    TimeRange run;
    const std::vector<bool>* matching = nullptr;  // by entry id; null: no filter
    double columnsPerPixel = 1;
    const SlackScale* slackScale = nullptr;  // null: blocks need not know their slack
    std::optional<TimeNs> mostSlack{};       // tasks with more are dimmed
    TimeRange grain{};                       // tasks that do not pass the filter of it are dimmed; empty: none
};

// O(columns + what the data holds in the range) per row.
RowGeometry rowGeometry(const RowInput& input, const TimeCoordinates& at, const GeometryOptions& options);
TimelineGeometry timelineGeometry(std::span<const RowInput> rows, const TimeCoordinates& at,
                                  const GeometryOptions& options);

}  // namespace longpole
