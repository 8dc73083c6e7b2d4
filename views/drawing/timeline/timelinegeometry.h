// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn of a timeline, computed without a painter from the rows' data, the range and the size.
#pragma once

#include "views/drawing/basics/slackscale.h"
#include "views/drawing/basics/timecoordinates.h"
#include "views/drawing/timeline/rowcolumns.h"
#include "views/drawing/timeline/rowdata.h"
#include "views/drawing/timeline/timelinerows.h"

#include <QRectF>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace longpole {

// Where a row stands, in pixels. Tasks fill its body; the bar above the body is for the critical path.
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

// A run of equal columns; a column is one device pixel. Of a column's time some is busy and some idle, the rest is
// overhead. In a row with MPI calls a column shows one part of one call, or it blends code (busy), waits (idle) and MPI
// that executes (the rest).
struct Block {
    int first = 0;  // columns [first, last)
    int last = 0;
    EntryId entry = noEntry;            // the one with most time; noEntry: no task
    std::uint32_t task = noTaskIndex;   // if it is a single task that is known
    std::uint8_t busy = 0;              // sixteenths of the time
    std::uint8_t idle = 0;              // sixteenths
    std::uint8_t slack = unknownSlack;  // step of the least slack, if the options ask for it
    CallPart part = CallPart::None;     // of an MPI call; busy and idle are 0 then
    std::uint32_t call = noCallIndex;   // index of that call in RowData::calls
    bool isMpi = false;                 // a blend in a row with MPI calls
    bool shared = false;                // each of these columns has several tasks
    bool boundary = false;              // at its end another task or call begins
    bool dimmed = false;                // does not pass a filter, or has more slack than is let through
    bool outside = false;               // before the run's begin or after its end
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
    double blockTop = 0;  // where the blocks stand: in the body, or in the lowest lane of a thread that calls MPI
    double blockHeight = 0;
    RowKind kind = RowKind::Processor;
    int processors = 1;  // that the row stands for
    bool loaded = true;  // its data is there
    bool hasLog = true;
    bool damaged = false;
    std::pair<double, double> unknown{};           // x: from the end of a cut log to that of the run; empty: none
    std::vector<std::pair<double, double>> lacks;  // x: wide bins stand for events that the trace does not have
    std::vector<Block> blocks;                     // in order and disjoint; columns without a block are empty
    std::vector<NamedCall> calls;
    std::vector<OverheadBox> overheads;
    std::vector<IntervalBox> intervals;
};

struct TimelineGeometry {
    TimeCoordinates at;
    double columnsPerPixel = 1;
    double runBegin = 0;  // x of the run's begin and end
    double runEnd = 0;
    std::vector<RowGeometry> rows{};

    double columnX(int column) const { return column / columnsPerPixel; }
};

struct RowInput {
    const TimelineRow* row = nullptr;
    const RowData* data = nullptr;  // null: not loaded yet
    RowBox box;
};

struct GeometryOptions {
    TimeRange run;
    const std::vector<bool>* matching = nullptr;  // by entry id; others are dimmed; null: all match
    double columnsPerPixel = 1;
    const SlackScale* slackScale = nullptr;  // gives blocks their step of slack; null: they have none
    std::optional<TimeNs> mostSlack{};       // tasks with more are dimmed
    TimeRange grain{};                       // tasks that do not pass this TaskFilter are dimmed; empty: no filter
};

// Each row costs O(columns + what its data holds in the range).
RowGeometry rowGeometry(const RowInput& input, const TimeCoordinates& at, const GeometryOptions& options);
TimelineGeometry timelineGeometry(std::span<const RowInput> rows, const TimeCoordinates& at,
                                  const GeometryOptions& options);

}  // namespace longpole
