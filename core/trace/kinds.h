// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of rows that a trace has, what their small numbers mean, and the directory of the chunks that hold them.
#pragma once

#include "core/base/ids.h"
#include "core/base/timerange.h"

#include <cstddef>
#include <cstdint>

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
    EntryBin,    // exclusive time and tasks per entry in coarse bins (core/store/entrybins.h), by bin, then entry
    Delivery,    // MPI: messages received, on the receiver's track, in time order
    ThreadWait,  // barriers of threads and synchronizations with devices, with what they waited, in begin order
};

constexpr std::uint32_t chunkRows = 8192;  // rows of a full chunk

// How a task hangs on its source.
enum class Link : std::uint8_t {
    None,           // no known creation
    Message,        // (source PE, event) found, same entry or the only candidate
    RepairedBcast,  // array broadcast with a wrong key, resolved (docs/formats/projections.md 4)
    Block,          // Structured Dagger block: the end of the block before it on its PE
    NoTask,         // creation found, but it was made outside any task after idling: no predecessor
    Collective,     // MPI: no message, but a member of a collective call that the task's rank waited for
    Forwarded,      // what a broadcast's message for another entry method led to: no delivery of it, but its sequel
    Rendezvous,     // MPI: no message, but the receiver of one that this rank sent, which waited for it; likewise whose
                    // post or unlock of a window a one-sided call waited for
};
// Whether an MPI rank waited for another one's call, without a message from it.
constexpr bool isWithoutMessage(Link link) { return link == Link::Collective || link == Link::Rendezvous; }
// Whether a task with this link has a source task, and whether it is known when its message was sent: begin - Latency.
constexpr bool hasSource(Link link) { return link != Link::None && link != Link::NoTask; }
constexpr bool hasSendTime(Link link) { return link != Link::None && link != Link::Block; }

enum class MessageKind : std::uint8_t { Single, Broadcast, Multicast };
enum class OverheadKind : std::uint8_t { Pack, Unpack, Flush, Untraced };
enum class HopKind : std::uint8_t { Enqueue, Dequeue, Receive };

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
    OmpBarrier,             // of a thread: the last thread of its team had not come yet
    DeviceSynchronization,  // of a thread: what it had started on a device was not done
    WaitAtFence,            // of a window: the last rank had not come yet
    LatePost,               // MPI_Win_start, an access or MPI_Win_complete: a target had not called MPI_Win_post
    EarlyWait,              // MPI_Win_wait: an origin had not called MPI_Win_complete
    LockCompetition,        // of a window: another rank had the lock
};
constexpr std::size_t waitPatterns = 14;
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
    Judged = 512,          // a one-sided call whose partners are all known: what is no wait of it is no waiting
    LateComplete = 1024,   // its early wait is for the most part a pause of the origin before MPI_Win_complete
};
}

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
