// SPDX-License-Identifier: GPL-3.0-or-later
// The things of a trace: what importers define and readers find in the plain tables.
#pragma once

#include "core/base/ids.h"
#include "core/base/timerange.h"
#include "core/trace/callpath.h"
#include "core/trace/vocabulary.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

enum class TrackKind : std::uint8_t { Root, Node, Process, Pe, CommThread, Rank, Thread, Stream, UserEvents };
enum class EntryKind : std::uint8_t { User, System };
enum class RegionKind : std::uint8_t {
    UserEvent,
    Stat,
    Memory,
    Note,
    Phase,
    UserSupplied,
    Counter,
    Function,
    MpiCall,
    Communicator
};

// A row of the timeline. Tracks form a tree; ids come from core/trace/trackids.h.
struct Track {
    TrackId id{};
    TrackId parent = noTrack;
    TrackKind kind = TrackKind::Pe;
    QString name;
    std::optional<ProcessorId> pe;  // the processor it shows or belongs to
};

// One PE (or MPI rank) with its totals, all clipped to [begin_ns, end_ns] of the trace
// (docs/definitions.md, "User, idle, overhead"). overhead is not stored: T - busy - idle. pack, flush and untraced lie
// inside overhead (pack: its part outside tasks). Comm-thread rows (kind CommThread) are not counted among the PEs.
struct Processor {
    ProcessorId pe{};
    TrackId track{};
    std::uint32_t node = 0;
    std::uint32_t process = 0;
    TrackKind kind = TrackKind::Pe;
    QString name;
    bool hasLog = true;
    TimeNs firstRecord = 0;  // ns; 0 with lastRecord when there is no log
    TimeNs lastRecord = 0;
    // MPI: the end of its MPI_Init and the begin of its MPI_Finalize. What lies before and after is start-up and
    // shut-down (docs/definitions.md, "Time zero and duration").
    TimeNs started = minTime;
    TimeNs stopping = maxTime;
    std::int64_t records = 0;  // log lines without the header
    std::int64_t tasks = 0;
    std::int64_t messages = 0;
    TimeNs busy = 0;
    TimeNs idle = 0;
    TimeNs pack = 0;
    TimeNs flush = 0;
    TimeNs untraced = 0;

    TimeRange active() const { return {started, stopping}; }
};

struct Chare {
    ChareId id{};
    QString name;
    int dimensions = -1;  // -1: not a chare array
};

struct Entry {
    EntryId id{};
    QString name;
    QString chare;  // name of its chare
    EntryKind kind = EntryKind::User;
    ChareId chareId{};
};

// A named thing that is not an entry method: user event, statistic, counter, note kind, function.
struct Region {
    RegionId id{};
    RegionKind kind = RegionKind::UserEvent;
    std::int64_t number = 0;  // the id the program gave it; of a communicator: its size
    QString name;
};

// A counted soft error (docs/definitions.md, "Soft errors"): what kind, how often, and the first place where it was
// seen. `kind` is a stable identifier such as "unmatched_execution"; core/trace/issues.h lists them with their
// sentences.
struct Issue {
    QString kind;
    std::int64_t count = 0;
    QString place;
    friend bool operator==(const Issue&, const Issue&) = default;
};

struct RecordCount {
    QString kind;
    std::int64_t count = 0;
    friend bool operator==(const RecordCount&, const RecordCount&) = default;
};

// Totals of one entry method on one PE. `time` is inclusive of nested executions, `exclusive` goes to the innermost.
// `messages` and `bytes` are what its executions created.
struct ProfileRow {
    ProcessorId pe{};
    EntryId entry{};
    std::int64_t count = 0;
    TimeNs time = 0;
    TimeNs exclusive = 0;
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    friend bool operator==(const ProfileRow&, const ProfileRow&) = default;
};

// Where a trace that has the events of parts of a run only has them: all that touch this time on this processor, on the
// tracks of its threads, too.
struct KeptRange {
    ProcessorId pe{};
    TimeNs begin = 0;
    TimeNs end = 0;
    friend bool operator==(const KeptRange&, const KeptRange&) = default;
};

// Format of traces that hold sums over intervals and no executions or messages.
constexpr QLatin1String summaryFormat("projections-summary");
constexpr QLatin1String otf2Format("otf2");
constexpr QLatin1String recordingFormat("mpi-recording");
constexpr QLatin1String callTableFormat("mpi-calls");  // the recorder's CSV, one row per call

// The run as a whole (table meta). busy, idle: sums over PEs; overhead = T x processors - busy - idle.
struct TraceInfo {
    QString format;  // "projections", "projections-binary", "projections-summary", "otf2", "mpi-recording",
                     // "mpi-calls"
    Vocabulary vocabulary;
    QString version;  // of the source's format, e.g. "11.0"
    QString program;  // base name, e.g. "wave2d"
    QString commandline;
    QString machine;
    QString hostname;
    QString timestamp;  // as the source has it
    QString charmVersion;
    QString source;               // absolute path of what was imported
    QString fingerprint;          // of the source, hex
    std::int64_t processors = 0;  // PEs or ranks, without comm threads, with those that have no log
    std::int64_t tasks = 0;
    std::int64_t messages = 0;
    std::int64_t messagesMatched = 0;
    std::int64_t executionsUnmatched = 0;
    std::int64_t records = 0;
    TimeNs begin = 0;  // docs/definitions.md, "Time zero and duration"
    TimeNs end = 0;
    TimeNs busy = 0;
    TimeNs idle = 0;
    TimeNs startup = 0;   // first record of any log .. begin; MPI: the part of overhead that is start-up
    TimeNs shutdown = 0;  // MPI: the part of overhead that is shut-down
    TimeNs before = 0;    // MPI: first record of any rank .. begin
    // MPI recordings: how many ranks could have a core of their host each, and the CPU time of all; 0: unknown.
    std::int64_t cores = 0;
    TimeNs cpu = 0;
    // And how long all ranks could have run and had no core; -1: unknown.
    TimeNs withoutCore = -1;
    std::int64_t withoutCoreMost = -1;  // the rank of them that had none for longest
    std::int64_t sourceBytes = 0;
    TimeNs interval = 0;  // of a summary: what it knows are sums over intervals this long (the longest); else 0
    // 1: events are those of parts of the run only, which table kept names; totals and tiles are of all of it. Else 0.
    std::int64_t part = 0;
    // Of a folded trace: how many iterations of a run lie over each other in it, each PE's in a row of its own. Else 0.
    std::int64_t iterations = 0;

    TimeNs duration() const { return saturatingSubtract(end, begin); }
    TimeNs overhead() const  // exact unless the times of a damaged log are impossibly large
    {
        return saturatingSubtract(saturatingSubtract(saturatingMultiply(duration(), processors), busy), idle);
    }
    TimeRange range() const { return {begin, end}; }
    bool isSummary() const { return format == summaryFormat; }
    bool isPart() const { return part != 0; }
    bool isFolded() const { return iterations > 0; }
    bool hasEvents() const { return !isSummary() && !isPart(); }  // all of them
    // MPI programs and what OTF2 archives hold: processors are ranks, tasks the code between calls
    // (docs/algorithms.md 1.2).
    bool hasRanks() const { return vocabulary.ofRanks(); }
};

}  // namespace longpole
