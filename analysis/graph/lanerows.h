// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of one PE as streams, each read in order and decoded a window at a time: executions with what they came
// from, creations with how often they were executed, pieces, recorded merges.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace longpole {

// A message that a task began with, or that it waited for besides; of a rank also a call without one.
struct LaneSource {
    static constexpr std::uint32_t unknownMessage = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t pe = 0;
    std::uint32_t row = 0;                   // of the sending execution on `pe`
    std::uint32_t message = unknownMessage;  // row in the messages of `pe`
    TimeNs offset = 0;                       // from the execution's begin to the send
    friend bool operator==(const LaneSource&, const LaneSource&) = default;
};

// An execution. Where a rank only waited for the receiver of what it sent, nothing came to it, so that it has no source
// there. A Structured Dagger block has none either: it goes on where the task before it on its PE ended, which the
// PE's order says already.
struct LaneTaskRow {
    TimeNs begin = 0;
    TimeNs duration = 0;
    EntryId entry = noEntry;
    bool isInner = false;    // nested in another one
    bool hasPieces = false;  // more than one
    bool hasSource = false;
    LaneSource source{};
};
struct LaneMessageRow {
    std::int64_t task = -1;  // row of the execution that created it
    TimeNs offset = 0;       // from the begin of that
    std::uint32_t receivers = 0;
};
struct LanePieceRow {
    TimeNs begin = 0;
    TimeNs end = 0;
    std::int64_t task = 0;
};
struct LaneMergeRow {
    std::int64_t task = 0;
    bool carriesPath = false;
    LaneSource source{};
};

class LaneRows {
public:
    // `windowRows`: rows of a kind that are held at a time, at most a chunk.
    LaneRows(const TraceStore& store, TrackId track, std::uint32_t windowRows);

    template <typename Row>
    struct Stream {
        std::vector<Row> rows{};
        std::int64_t first = 0;     // number of rows[0]
        std::int64_t position = 0;  // of the next row
        std::int64_t total = 0;
    };
    Stream<LaneTaskRow> tasks;
    Stream<LaneMessageRow> messages;
    Stream<LanePieceRow> pieces;
    Stream<LaneMergeRow> merges;

    // The row at the stream's position, null behind the last; go on by increasing the position. Errors: damaged chunks.
    template <typename Row>
    Result<const Row*> peek(Stream<Row>& stream) const
    {
        auto place = static_cast<std::size_t>(stream.position - stream.first);
        if (place >= stream.rows.size()) {
            if (stream.position >= stream.total) return static_cast<const Row*>(nullptr);
            stream.first = stream.position;
            place = 0;
            if (Result<> filled = fill(stream); !filled) return filled.error();
        }
        return &stream.rows[place];
    }

    // The first row from `row` on that is an outermost execution and begins after `time`. O(rows up to there).
    Result<std::int64_t> firstTaskAfter(TimeNs time, std::int64_t row) const;

private:
    Result<> fill(Stream<LaneTaskRow>& stream) const;
    Result<> fill(Stream<LaneMessageRow>& stream) const;
    Result<> fill(Stream<LanePieceRow>& stream) const;
    Result<> fill(Stream<LaneMergeRow>& stream) const;
    template <typename Row>
    std::int64_t makeRoom(ChunkKind kind, Stream<Row>& stream) const;
    template <typename Row, typename Visit>
    Result<> visit(std::uint32_t fields, std::int64_t first, std::int64_t last, Visit visit) const;
    std::span<const ChunkRef> chunksFrom(ChunkKind kind, std::int64_t row) const;

    const TraceStore* m_store;
    TrackId m_track{};
    std::uint32_t m_windowRows = 1;
};

}  // namespace longpole
