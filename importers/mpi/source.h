// SPDX-License-Identifier: GPL-3.0-or-later
// What an importer of MPI runs (OTF2, recordings, call tables) offers to importers/mpirows/trace.h, which makes a trace
// of it: the run's names, and each location's events in time order.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/trace/trace.h"
#include "importers/common/importlog.h"
#include "importers/mpi/callkind.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace longpole {

constexpr std::uint32_t noRegion = 0xffffffffu;
constexpr std::uint32_t noComm = 0xffffffffu;
constexpr std::int64_t blocking = -1;  // instead of a request's serial: the call itself starts and completes it
constexpr std::int32_t noRank = -1;    // MPI_PROC_NULL, no root
constexpr std::uint32_t unknownSender = 0xffffffffu;

// Bytes that a rank sends to others, and receives from others (a file counts as one) in a call; -1: some, not known how
// many.
struct MpiMoved {
    std::int64_t sent = 0;
    std::int64_t received = 0;
    friend bool operator==(const MpiMoved&, const MpiMoved&) = default;
};

enum class MpiRegionKind : std::uint8_t {
    User,        // a function, an MPI_Pcontrol region
    Runtime,     // OpenMP, CUDA ...: drawn as a region, entry methods of kind system
    Mpi,         // an MPI call
    Measurement  // of the recording tool itself: its time is overhead
};

// In what a thread waits for others than ranks.
enum class MpiSyncKind : std::uint8_t {
    None,
    Barrier,  // of a team of threads
    Device    // until a device has done what was started there
};

// What a one-sided call does at a window.
enum class WindowStep : std::uint8_t {
    Fence,
    Post,      // once for each member of its group, as `peer`
    Start,     // likewise
    Complete,  // of all that Start named
    Wait,      // for all that Post named; also a test that found them done
    Lock,      // without a peer: of all ranks of the window
    Unlock,    // likewise
    Access     // puts, gets and flushes; without a peer: of all
};

struct MpiRegion {
    QString name;
    QString group;  // source file or paradigm: what an entry method's chare is in a Charm++ trace
    MpiRegionKind kind = MpiRegionKind::User;
    MpiSyncKind sync = MpiSyncKind::None;
    bool isOwnWork = false;  // of the recording tool, while the program stands still: code around it goes on
};

struct MpiCommunicator {
    QString name;
    std::vector<std::uint32_t> members;  // world ranks, by rank in the communicator
    bool isSelf = false;
    // Of a topology, by place in `members`: the places of those that this member receives from in neighbourhood calls.
    std::map<std::uint32_t, std::vector<std::uint32_t>> sources{};
};

// A row of the timeline: the rank's own thread of control, or another thread or accelerator stream of its process.
struct MpiLocation {
    QString name;
    QString host;                      // rows are grouped by host, then process
    std::uint32_t rank = 0;            // of its process, 0 .. ranks - 1
    TrackKind kind = TrackKind::Rank;  // Rank (one per rank: it has the rank's tasks), Thread, Stream
    bool hasEvents = true;             // false: its file is missing
};

struct MpiRunNames {
    TraceInfo info;  // format, version, program, commandline, machine, hostname, timestamp, source, fingerprint,
                     // sourceBytes and begin (docs/definitions.md, "Time zero and duration") are read, the rest is
                     // filled in by importMpiRun()
    std::uint32_t ranks = 0;
    std::vector<MpiRegion> regions;
    std::vector<MpiCommunicator> communicators;
    std::vector<MpiLocation> locations;  // all of Rank first, by rank
    std::vector<QString> counters;
    std::vector<CallPath> callPaths;  // by id
};

// Receives one location's events in time order. A call may not begin inside another call of the same location (calls
// that MPI makes inside itself are left out by the source, or come as regions). Everything between beginCall and
// endCall belongs to that call. Ranks are world ranks. Bytes may be -1 (unknown).
class MpiEvents {
public:
    virtual ~MpiEvents() = default;
    virtual void enter(TimeNs time, std::uint32_t region) = 0;
    virtual void leave(TimeNs time, std::uint32_t region) = 0;
    // The thread becomes, and is no longer, a member of a team of threads; teams nest. Barriers belong to the
    // innermost.
    virtual void beginTeam(TimeNs /*time*/, std::uint64_t /*team*/) {}
    virtual void endTeam(TimeNs /*time*/) {}
    virtual void beginCall(TimeNs time, std::uint32_t region) = 0;
    virtual void endCall(TimeNs time) = 0;
    // The call that is open begins with a loop of polls that found nothing: all of it was waiting for what ended it.
    virtual void polled() {}
    virtual void callPath(std::uint32_t /*path*/) {}  // where the call was made, CallPath::id of a place

    // Point to point. A request's serial is unique on its rank (not on its location: it may complete in another
    // thread); `blocking` where the call itself sends or receives. PROC_NULL peers are not reported.
    virtual void send(std::int64_t request, std::uint32_t comm, std::uint32_t to, std::int32_t tag, std::int64_t bytes,
                      bool isSynchronous) = 0;
    virtual void postReceive(std::int64_t request) = 0;
    // The same of one that takes messages of this channel only: its place there is known, whatever becomes of it.
    virtual void postReceiveFrom(std::int64_t request, std::uint32_t /*comm*/, std::uint32_t /*from*/,
                                 std::int32_t /*tag*/)
    {
        postReceive(request);
    }
    virtual void sendCompleted(std::int64_t request) = 0;
    // Of a blocking receive, too. `from` and `tag` are those of the message that came, as the status has them.
    virtual void received(std::int64_t request, std::uint32_t comm, std::uint32_t from, std::int32_t tag,
                          std::int64_t bytes) = 0;
    virtual void receivedNothing(
        std::int64_t request) = 0;                     // it was posted for MPI_PROC_NULL: there never was a message
    virtual void cancelled(std::int64_t request) = 0;  // or freed: nothing depends on it
    // A request that was freed while it was open. A receive takes its message, of which nobody hears; `from` is
    // unknownSender where nothing more is known of that than when it was posted.
    virtual void freed(std::int64_t request, std::uint32_t /*comm*/, std::uint32_t /*from*/, std::int32_t /*tag*/)
    {
        cancelled(request);
    }
    // A probe found a message. `takes`: it may be received by an MPI_Mrecv or MPI_Imrecv only.
    virtual void probed(std::uint32_t /*comm*/, std::uint32_t /*from*/, std::int32_t /*tag*/, bool /*takes*/) {}

    // Collective calls, in the order in which this rank calls them on the communicator. `kind`: of one that MPI_Start
    // starts; None: what the call's name says.
    virtual void collective(std::int64_t request, std::uint32_t comm, std::int32_t root, MpiMoved moved,
                            CollectiveKind kind) = 0;
    virtual void collectiveCompleted(std::int64_t request) = 0;

    // One-sided and file calls: `peer` is the window's other rank, or noRank.
    virtual void transferred(std::uint32_t /*comm*/, std::int32_t /*peer*/, MpiMoved /*moved*/) {}

    // A step at the `window`-th window of a communicator, from 1.
    virtual void atWindow(WindowStep /*step*/, std::uint32_t /*comm*/, std::int32_t /*window*/, std::int32_t /*peer*/,
                          bool /*isExclusive*/)
    {
    }

    virtual void counter(TimeNs time, std::uint32_t counter, double value) = 0;
    virtual void mark(TimeNs time, std::uint32_t region, const QString& text) = 0;
    virtual void record(const char* kind) = 0;  // counts a record of the source by type; `kind` lives for ever
    // Once, at the end: the times of the location's first and last record, also of those that are only counted.
    virtual void span(TimeNs /*first*/, TimeNs /*last*/) {}
    // Between two calls: a place at which a later import of a run that grows may go on. Places are numbered by the
    // source, and come in the order of their numbers.
    virtual void between(std::size_t /*place*/) {}
    // Asked between two calls: whether a location that is read in parts is to stop there (MpiReading).
    virtual bool pauses() const { return false; }
};

// One location that is read in parts.
class MpiReading {
public:
    virtual ~MpiReading() = default;
    // Hands over what follows, until the events want to pause: then true. False: that was all. Errors: as
    // MpiSource::read.
    virtual Result<bool> readOn(const Progress& progress) = 0;
};

class MpiSource {
public:
    virtual ~MpiSource() = default;
    virtual const MpiRunNames& names() const = 0;
    // Hands over all events of one location; called once per location, several locations at once. Soft errors go to
    // `log`; an error stops the import (cancelled).
    virtual Result<> read(std::size_t location, MpiEvents& events, ImportLog& log, const Progress& progress) = 0;
    // The same in parts; all three must outlive the answer. Null: this source cannot stop.
    virtual std::unique_ptr<MpiReading> begin(std::size_t /*location*/, MpiEvents& /*events*/, ImportLog& /*log*/)
    {
        return nullptr;
    }
    // About how many calls all locations have; 0: not known.
    virtual std::int64_t expectedCalls() const { return 0; }
    // Soft errors of the run as a whole, and of files that are missing.
    virtual const ImportLog& log() const = 0;
};

}  // namespace longpole
