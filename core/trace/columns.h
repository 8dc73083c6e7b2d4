// SPDX-License-Identifier: GPL-3.0-or-later
// How rows are stored: struct-of-arrays chunks of int64 columns, times in ns of the trace's clock. One list of kinds
// with their columns drives the codec, the writer, the reader and the SQL tables. Who reads a trace takes
// core/store/rows.h.
#pragma once

#include "core/trace/kinds.h"

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

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
    int timeColumn;      // column of the row's begin, -1 if rows have no time
    int durationColumn;  // column of the row's duration, -1 if points
};

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
namespace MessageColumn {
enum : std::uint8_t {
    Sent,
    Task,    // row of the creating task on this PE, -1 if none
    Offset,  // ns from the start of that task; its duration if the message belongs to its end
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
    Bytes,      // of the messages created in the bin, in a task or outside of any
    Pack,       // ns of packing and unpacking outside tasks, clipped to the run
    Count
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
    WaitAfter,   // ns; add up to the duration; none is negative
    Pattern,     // WaitPattern of Severity
    Severity,    // ns of that wait state, at most the duration
    Culprit,     // world rank that was waited for, -1
    CulpritSeq,  // number of its call on that rank, -1
    Instance,    // number of the collective call, the same on all its members; -1
    Task,        // row of the task that ends where the call begins
    Flags,       // MpiCallFlag
    Path,        // CallPath of the place that made the call, noCallPath: not known
    Sent,        // those of Bytes that this rank sent
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
    MessageIndex,  // row in SourcePe's messages; -1: no message
    Link,          // why, as TaskSourceColumn::Link
    Count
};
}

// A message that came; an execution of a message-driven program is the delivery itself (TaskSourceColumn).
namespace DeliveryColumn {
enum : std::uint8_t {
    Time,          // the call ended that completed the receive
    Task,          // row of the task that needed it on this rank, -1 if none follows
    CreatorPe,     // the sender
    MessageIndex,  // row in its messages
    SourceIndex,   // row of its task that sent, -1 if none did
    Latency,       // time - send time, ns; may be negative
    Bytes,         // of the message as it was sent
    Count
};
}

// What a thread waited in a barrier of its team, or for a device. A barrier inside which the thread did something else
// (a task) has a row for each part.
namespace ThreadWaitColumn {
enum : std::uint8_t {
    Begin,
    Duration,
    Region,    // of kind function: the barrier's or the call's name
    Wait,      // ns from the begin on, at most the duration; the rest is the run-time system's
    Pattern,   // WaitPattern; none: nothing says whom it waited for
    Instance,  // number of the barrier, the same for all threads of the team; -1: not known, or no barrier
    Culprit,   // track of the thread that came last, or of the device's stream; -1: not known
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

// Leaves new elements as they are: each is written anyway, and to write zeros first took a sixth of decoding.
template <typename T>
struct UnsetAllocator : std::allocator<T> {
    template <typename U>
    struct rebind {
        using other = UnsetAllocator<U>;
    };
    template <typename U, typename... Args>
    void construct(U* place, Args&&... args)
    {
        if constexpr (sizeof...(Args) == 0) ::new (static_cast<void*>(place)) U;
        else ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
    }
};
using StoredColumn = std::vector<std::int64_t, UnsetAllocator<std::int64_t>>;

// Rows [firstRow, firstRow + rows) of one kind on one track, decoded. A column that was not asked for is empty.
struct Chunk {
    ChunkKind kind{};
    TrackId track{};
    std::int64_t firstRow = 0;
    std::uint32_t rows = 0;
    std::vector<StoredColumn> columns;

    const std::int64_t* operator[](std::size_t column) const { return columns[column].data(); }
    std::int64_t at(std::size_t column, std::uint32_t row) const { return columns[column][row]; }
};

}  // namespace longpole
