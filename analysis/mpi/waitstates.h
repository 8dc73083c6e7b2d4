// SPDX-License-Identifier: GPL-3.0-or-later
// Scalasca's wait states of an MPI run with their severities, worst instances and root causes (docs/algorithms.md 7.2).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/mpi/calls.h"
#include "analysis/mpi/culpritwork.h"
#include "analysis/mpi/idleparts.h"
#include "analysis/mpi/unjudgedcalls.h"
#include "analysis/paths/criticalpath.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace longpole {

struct StoredAnswers;

// The states that `longpole waits` lists: those of WaitPattern, and others that are parts of them or occur beside them.
enum class WaitStateKind : std::uint8_t {
    LateSender,
    LateReceiver,
    WrongOrderSameSource,
    WrongOrderDifferentSource,  // parts of LateSender
    WaitAtBarrier,
    BarrierCompletion,
    WaitAtNxN,
    NxNCompletion,
    EarlyReduce,
    LateBroadcast,
    EarlyScan,
    OmpBarrier,             // of threads that are rows of their own
    DeviceSynchronization,  // likewise
    WaitAtFence,
    LatePost,
    EarlyWait,
    LateComplete,  // a part of EarlyWait
    LockCompetition,
};
constexpr std::size_t waitStateKinds = 18;
const char* name(WaitStateKind kind);  // "late_sender" ...
std::optional<WaitStateKind> waitStateNamed(const QString& wanted);
QString title(WaitStateKind kind);            // "Late sender"
QString titleInSentence(WaitStateKind kind);  // "late sender", "wait at N x N"
QString explanation(WaitStateKind kind);      // says what it is and what helps
// The state in which this one's time is counted as well: wrong orders are late senders, late completes early waits.
std::optional<WaitStateKind> wholeOf(WaitStateKind kind);
inline bool isPartOfAnother(WaitStateKind kind) { return wholeOf(kind).has_value(); }

std::optional<WaitStateKind> stateOf(WaitPattern pattern);

struct WaitInstance {
    std::uint32_t rank = 0;
    std::int64_t seq = 0;  // the call that waited; -1: a thread's barrier, or its wait for a device
    TimeRange wait;        // the time waited
    RegionId call{};
    std::uint32_t path = noCallPath;  // where that call was made
    std::int64_t culprit = -1;        // rank
    std::int64_t culpritSeq = -1;
    CulpritWork meanwhile{};         // of the culprit; of threads the region in which `culpritTrack` was most, only
    TrackId track = noTrack;         // of the thread that waited; noTrack: of a rank in an MPI call
    TrackId culpritTrack = noTrack;  // of the thread or stream that it waited for
};

struct WaitState {
    WaitStateKind kind{};
    std::int64_t count = 0;
    TimeNs time = 0;
    TimeNs onRanks = 0;  // of that, on the ranks' own threads: idle time of ranks
    std::vector<TimeNs> byRank;
    std::vector<WaitInstance> worst;  // longest first, at most `mostWorst`; ties: earliest, lowest rank
};

// The time that others waited because of some code (Boehme et al. 2010, 2016). A wait of rank i for rank j is divided
// among the code that j ran longer than i since both last met (direct costs) and the waits of j since then, in
// proportion. The part of such a wait goes to its own causes, and so on (propagated costs).
struct DelayCost {
    EntryId entry = noEntry;  // region, code between two calls, or an MPI call (entries and regions have one numbering)
    std::uint32_t rank = 0xffffffffu;  // 0xffffffff: all ranks together
    TimeNs direct = 0;
    TimeNs propagated = 0;
    std::uint32_t path = noCallPath;  // the function, or place of the call, that most of it goes back to
    TimeNs sum() const { return saturatingAdd(direct, propagated); }
    friend bool operator==(const DelayCost&, const DelayCost&) = default;
};

struct WaitStates {
    std::vector<WaitState> states;        // those that occur, by time, largest first
    TimeNs total = 0;                     // without those that are parts of others
    TimeNs totalTime = 0;                 // length of the range x rows that waits are known of: ranks, and threads
    std::int64_t threads = 0;             // of those, threads
    bool isOfPart = false;                // of a part of the run, beyond which its waits may last
    UnjudgedTime unjudged;                // in calls that begin in the range, of the chosen ranks
    IdleParts idle;                       // likewise, whatever state was asked for and whatever is left out
    std::vector<DelayCost> causes;        // by entry, largest first
    std::vector<DelayCost> causesByRank;  // by entry and rank, largest first
    TimeNs unexplained = 0;               // total - sum of causes, exactly: waits for completion, and for culprits that
                                          // are unknown or did nothing in excess. All if causes were not asked for
};

// The largest of what some code costs on single ranks; nullptr if it costs nothing.
const DelayCost* mostOnOneRank(const WaitStates& found, EntryId entry);

// Waits that begin in the range count, with their whole length. Propagation goes through all other waits, too.
struct WaitOptions {
    std::optional<TimeRange> range{};     // empty: the run
    std::optional<WaitStateKind> kind{};  // empty: all
    std::optional<std::uint32_t> rank{};  // the rank that waited; empty: all
    std::size_t mostWorst = 10;
    bool withCauses = true;
    std::vector<TimeRange> without{};  // waits that overlap these are left out; in order, disjoint
    friend bool operator==(const WaitOptions&, const WaitOptions&) = default;
};
// O(calls) time, O(worst) memory; with causes O((calls + tasks + messages) log), and 100 bytes for each of those.
// Errors: no ranks, damaged chunks, cancelled.
Result<WaitStates> waitStates(const TraceStore& store, const WaitOptions& options, const Progress& progress);
// For traces that each have the events of some of a run's ranks: what one of them has, with worst waits that do not say
// what the other rank did meanwhile; what all of them have together; and the trace of the other rank says the former.
Result<WaitStates> waitStatesOfPart(const TraceStore& store, const WaitOptions& options, const Progress& progress);
WaitStates joinWaitStates(std::vector<WaitStates>&& parts, const TraceStore& store, const WaitOptions& options);
Result<> nameCause(const TraceStore& store, WaitInstance& instance);
// Adds the causes to states that were found without them, with the same options.
Result<> findCauses(const TraceStore& store, const WaitOptions& options, WaitStates& waits, const Progress& progress);
// As they were found, of the whole run, when a trace had all events that has parts of them now. Errors: as
// requireEvents(), if the trace has no answers; damaged.
Result<std::shared_ptr<const WaitStates>> storedWaits(const TraceStore& store, bool withCauses);
void storeWaits(StoredAnswers& answers, const WaitStates& waits);

// Scalasca's critical-path metrics per activity (entry), from the elapsed path's profile.
struct PathImbalance {
    EntryId entry = noEntry;
    TimeNs onPath = 0;     // t_cp
    double average = 0;    // its time in the run / ranks, ns
    double imbalance = 0;  // max(0, t_cp - average): the most that a perfect balance of it could gain, ns
    double impact = 0;     // ranks x t_cp / (ranks x duration): its share of the processor time that the run takes
    friend bool operator==(const PathImbalance&, const PathImbalance&) = default;
};
// Largest imbalance first. The impacts, with that of waits and MPI, add up to 1.
std::vector<PathImbalance> pathImbalances(const ActivityGraph& graph, const CriticalPath& elapsed, std::size_t ranks);

}  // namespace longpole
