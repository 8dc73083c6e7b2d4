// SPDX-License-Identifier: GPL-3.0-or-later
// The event tables of a trace as struct-of-arrays chunks: one list of kinds with their columns drives the codec, the
// writer, the reader and the SQL tables. All values are int64; times are ns of the trace's clock.
#pragma once

#include "core/base/ids.h"
#include "core/base/timerange.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

enum class ChunkKind : std::uint8_t {
    Task = 1,           // one row per execution, in begin order: the row number is TaskId::index
    TaskSource,         // aligned with Task: what each task came from (known only after matching)
    Piece,              // the pieces of tasks that have more than one, in begin order
    Message,            // one row per creation, in log order: the row number is MessageId::index
    MessageExecutions,  // aligned with Message: how often it was executed
    Idle,               // parts of BEGIN_IDLE..END_IDLE outside tasks, disjoint, in begin order
    Overhead,           // pack, unpack, flush, tracing off: intervals in begin order
    Interval,           // nested intervals of any track (user brackets, AMPI calls, functions), in begin order
    Counter,            // samples of statistics and counters, in time order
    Mark,               // points with a name and maybe text, in time order
    Hop,                // ENQUEUE, DEQUEUE, MESSAGE_RECV of old logs
    Latency,            // per destination PE: the least latency seen from each source PE
    Tile,               // level-of-detail bins (core/store/tiles.h)
    MpiCall,            // MPI calls with their wait states (filled by MPI importers)
    Merge,              // what a task needed besides its message, as the program recorded it: by task, then message
    EntryBin,  // exclusive time and tasks per entry in coarse bins (core/store/entrybins.h), by bin, then entry
};

enum class Coding : std::uint8_t {
    Plain,   // zigzag varint: small values, durations
    Delta,   // zigzag varint of the difference to the row above: times, ids that grow
    Double,  // the bits of an IEEE double
};

struct ColumnSpec {
    const char* name;
    Coding coding;
};

struct ChunkSpec {
    ChunkKind kind;
    const char* name;
    std::span<const ColumnSpec> columns;
    int timeColumn;             // column of the row's begin, -1 if rows have no time
    int durationColumn;         // column of the row's duration, -1 if points
    std::size_t fewestColumns;  // that files of older schemas have; the others read as 0 there
};

constexpr std::uint32_t chunkRows = 8192;  // rows of a full chunk
constexpr std::size_t maxColumns = 20;

std::span<const ChunkSpec> chunkSpecs();
const ChunkSpec& chunkSpec(ChunkKind kind);

namespace TaskColumn {
enum : std::uint8_t {
    Begin,
    Duration,  // ns; first piece's begin .. last piece's end
    Nested,    // duration - exclusive: time of inner executions and gaps between pieces, ns
    Entry,
    Outer,        // rows back to the outermost execution around it; 0: it is the outermost
    Pieces,       // pieces - 1
    Bytes,        // of the message that started it
    MessageType,  // m field; 65535: Structured Dagger block
    Received,     // recvTime - begin if known, else minTime
    Cpu,          // CPU time ns, -1 if the log has none
    Index0,
    Index1,
    Index2,
    Index3,
    Index4,
    Index5,  // object index as logged; unused dimensions 0
    Count
};
}
// How a task hangs on its source.
enum class Link : std::uint8_t {
    None,           // no known creation
    Message,        // (source PE, event) found, same entry or the only candidate
    RepairedBcast,  // array broadcast with a wrong key, resolved (docs/formats/projections.md 4)
    Block,          // Structured Dagger block: the end of the block before it on its PE
    NoTask,         // creation found, but it was made outside any task after idling: no predecessor
    Collective,     // MPI: no message, but the last member to arrive at a collective call, or a receiver
};
// Whether such a task has a source task; whether it is known when that was left for it (begin - Latency).
constexpr bool hasSource(Link link) { return link != Link::None && link != Link::NoTask; }
constexpr bool hasSendTime(Link link) { return link != Link::None && link != Link::Block; }
namespace TaskSourceColumn {
enum : std::uint8_t {
    Link,
    SourcePe,      // of the source task, meaningless without one
    SourceIndex,   // row of the source task on SourcePe
    Offset,        // send - begin of the source task, ns (docs/definitions.md, "Messages"); its duration for Block
    Latency,       // begin - send time, ns; may be negative. 0 without a creation
    MessageIndex,  // row in SourcePe's (creator's) messages, -1 if none
    CreatorPe,     // PE whose log has the creation (== SourcePe where there is a source task)
    Count
};
}
namespace PieceColumn {
enum : std::uint8_t { Begin, Duration, Task, Count };
}  // namespace PieceColumn
enum class MessageKind : std::uint8_t { Single, Broadcast, Multicast };
namespace MessageColumn {
enum : std::uint8_t {
    Sent,
    Task,    // row of the creating task on this PE, -1 if none
    Offset,  // ns from the begin of that task; its duration if it hangs on its end
    Entry,
    Bytes,
    Kind,
    Destinations,  // PEs of a broadcast or multicast, else 1
    Duration,      // ns the send call took
    Event,         // event number of the log
    MessageType,
    Count
};
}
namespace MessageExecutionsColumn {
enum : std::uint8_t { Executions, Count };
}
namespace IdleColumn {
enum : std::uint8_t { Begin, Duration, Count };
}
enum class OverheadKind : std::uint8_t { Pack, Unpack, Flush, Untraced };
namespace OverheadColumn {
enum : std::uint8_t { Begin, Duration, Kind, Count };
}
namespace IntervalColumn {
enum : std::uint8_t { Begin, Duration, Nested, Depth, Region, Value, Count };
}
namespace CounterColumn {
enum : std::uint8_t { Time, Region, Value /*double*/, UserTime /*double*/, Count };
}
namespace MarkColumn {
enum : std::uint8_t { Time, Duration, Region, Value, Text /*id of table text, -1*/, Count };
}
enum class HopKind : std::uint8_t { Enqueue, Dequeue, Receive };
namespace HopColumn {
enum : std::uint8_t { Time, Kind, CreatorPe, Event, Count };
}
namespace LatencyColumn {
enum : std::uint8_t { SourcePe, Least /*ns*/, Messages, Count };
}
namespace TileColumn {
enum : std::uint8_t {
    Busy,
    Idle,  // ns of the bin inside tasks / idle, clipped to the run
    Tasks,
    Messages,   // begun / created in the bin
    Entry,      // entry with the most exclusive time in the bin (chosen among the children's), -1 if none
    EntryTime,  // that time, ns
    Bytes,      // of the messages created in the bin, in a task or outside of any; from schema 3 on
    Pack,       // ns of packing and unpacking outside tasks, clipped to the run; from schema 3 on
    Count
};
}
constexpr std::uint32_t allTileColumns = (1u << TileColumn::Count) - 1;
// What a call waited for (Scalasca's wait states, docs/algorithms.md 7.2). One per call: of a call that completes
// several requests the one with the largest severity.
enum class WaitPattern : std::uint8_t {
    None,
    LateSender,
    LateReceiver,
    WaitAtBarrier,
    WaitAtNxN,      // collectives in which every member needs every other, but the barrier
    EarlyReduce,    // the root of an N to 1 call
    LateBroadcast,  // the others of a 1 to N call
    EarlyScan,
};
constexpr std::size_t waitPatterns = 8;
namespace MpiCallFlag {
enum : std::uint16_t {
    Collective = 1,            // its WaitAfter is completion time if the pattern is a barrier's or an N x N call's
    NotSynchronizing = 2,      // a member left before the last one came: no part of the paper's imbalance
    WrongOrderSameSource = 4,  // its late sender's wait is one of messages in wrong order
    WrongOrderDifferentSource = 8,
    Unmatched = 16,        // a message of it has no partner in the trace
    Incomplete = 32,       // the call has no end: the run was cut
    Synchronization = 64,  // the whole run meets here: every rank, no message in flight (a global split)
    Completes = 128,       // of requests: Wait and Test calls
    ReverseEdge = 256,     // a send that waited for its receiver (rendezvous)
};
}
namespace MpiCallColumn {
enum : std::uint8_t {
    Begin,
    Duration,
    Region,  // of kind mpi_call: the call's name
    Seq,     // number of the call on its rank, from 0
    Comm,    // region of kind communicator, -1: none
    Peer,    // the other world rank, or the root's; -1: none, several, or MPI_PROC_NULL
    Tag,     // -1: none
    Bytes,   // sent and received by this rank
    WaitBefore,
    Execution,
    WaitAfter,  // ns; add up to the duration; none is negative
    // From schema 4 on.
    Pattern,     // WaitPattern of Severity
    Severity,    // ns of that wait state, at most the duration
    Culprit,     // world rank that was waited for, -1
    CulpritSeq,  // number of its call on that rank, -1
    Instance,    // number of the collective call, the same on all its members; -1
    Task,        // row of the task that ends where the call begins
    Flags,       // MpiCallFlag
    Count
};
}
// A merge edge of Dooley et al. (section 5.1): `Task` also waited for a message that another task had sent.
namespace MergeColumn {
enum : std::uint8_t {
    Task,          // row on this PE
    SourcePe,      // of the task that sent that message
    SourceIndex,   // row of it on SourcePe
    Offset,        // send - begin of the source task, ns
    MessageIndex,  // row in SourcePe's messages
    Count
};
}

namespace EntryBinColumn {
enum : std::uint8_t {
    Bin,  // covers [bin << level, (bin + 1) << level) ns
    Entry,
    Time,   // exclusive, ns of the bin, clipped to the run
    Tasks,  // begun in the bin
    Count
};
}

// Rows [firstRow, firstRow + rows) of one kind on one track, decoded. A column that was not asked for is empty.
struct Chunk {
    ChunkKind kind{};
    TrackId track{};
    std::int64_t firstRow = 0;
    std::uint32_t rows = 0;
    std::vector<std::vector<std::int64_t>> columns;

    const std::int64_t* operator[](std::size_t column) const { return columns[column].data(); }
    std::int64_t at(std::size_t column, std::uint32_t row) const { return columns[column][row]; }
};

// The directory entry of a chunk. Times are those of the spec's time column; maxEnd is the largest begin + duration
// (a long interval may start in an earlier chunk).
struct ChunkRef {
    std::int64_t id = 0;  // rowid of its data
    ChunkKind kind{};
    TrackId track{};
    std::int32_t level = 0;     // tiles and entry bins: log2 of the bin width in ns; else 0
    std::int64_t firstRow = 0;  // tiles: number of the first bin since time 0
    std::uint32_t rows = 0;
    TimeNs firstBegin = 0;
    TimeNs lastBegin = 0;  // largest begin
    TimeNs maxEnd = 0;
    std::uint64_t hash = 0;  // XXH3 of the stored bytes
};

}  // namespace longpole
