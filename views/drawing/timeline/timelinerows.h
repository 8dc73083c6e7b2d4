// SPDX-License-Identifier: GPL-3.0-or-later
// Which tracks are rows of the timeline, in what order, under which group, and which of them are folded away.
#pragma once

#include "core/base/ids.h"
#include "core/store/tracestore.h"
#include "core/trace/trace.h"

#include <QString>

#include <optional>
#include <set>
#include <span>
#include <vector>

namespace longpole {

// A band stands for several processors that follow each other (rowbands.h).
enum class RowKind : std::uint8_t { Group, Processor, CommThread, Intervals, Band };

struct TimelineRow {
    RowKind kind = RowKind::Processor;
    TrackId track{};
    std::optional<ProcessorId> pe{};
    QString label{};
    int depth = 0;  // indentation steps
    bool foldable = false;
    bool folded = false;
    bool pinned = false;
    bool hasLog = true;              // false: the trace has no log of this processor
    TimeNs recordedUntil = maxTime;  // what it did later is not known: its log is cut
    std::vector<TrackId> members{};  // of a group or band: the tracks of its processors
    std::size_t place = 0;           // of its first processor among those that are not pinned; set by bandedRows()
    friend bool operator==(const TimelineRow&, const TimelineRow&) = default;
};

// What the user chose.
struct RowChoice {
    std::set<TrackId> folded{};
    std::vector<TrackId> pinned{};     // shown first, in this order
    std::vector<ProcessorId> only{};   // empty: all
    std::vector<ProcessorId> order{};  // rows in this order and without groups; empty: as the trace has them
};

// Rows from top to bottom. Nodes and processes become groups where there are at least two of their kind. Tracks below a
// processor (user events, ranks, threads) follow it and can be folded away. O(tracks log tracks).
std::vector<TimelineRow> timelineRows(std::span<const Track> tracks, std::span<const Processor> processors,
                                      const RowChoice& choice);

// Where logs of the trace are cut, rows tell until when they were recorded. O(rows + processors).
void markCutLogs(std::vector<TimelineRow>& rows, const TraceStore& store);

}  // namespace longpole
