// SPDX-License-Identifier: GPL-3.0-or-later
// Scalasca's wait states of an MPI run with their severities, worst instances and root causes (docs/algorithms.md 7.2).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/mpi/calls.h"
#include "analysis/paths/criticalpath.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

// What `longpole waits` lists: WaitPattern's and those that lie beside or inside them.
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
};
constexpr std::size_t waitStateKinds = 11;
const char* name(WaitStateKind kind);  // "late_sender" ...
std::optional<WaitStateKind> waitStateNamed(const QString& name);
QString title(WaitStateKind kind);         // "Late sender"
QString explanation(WaitStateKind kind);   // one sentence: what it is, what helps
bool isPartOfAnother(WaitStateKind kind);  // wrong order: its time is in late sender's as well

std::optional<WaitStateKind> stateOf(WaitPattern pattern);

struct WaitInstance {
    std::uint32_t rank = 0;
    std::int64_t seq = 0;  // the call that waited
    TimeRange wait;        // the time waited
    RegionId call{};
    std::int64_t culprit = -1;  // rank
    std::int64_t culpritSeq = -1;
    TaskId delayed{};          // what the culprit did meanwhile (analysis/mpi/culpritwork.h); invalid: nothing is known
    EntryId during = noEntry;  // its entry
};

struct WaitState {
    WaitStateKind kind{};
    std::int64_t count = 0;
    TimeNs time = 0;
    std::vector<TimeNs> byRank;
    std::vector<WaitInstance> worst;  // longest first, at most `mostWorst`; ties: earliest, lowest rank
};

// Which code made others wait (Boehme et al. 2010, 2016). A wait of rank i for rank j is put down to what j did more
// than i since both last met, in proportion (direct costs); what j itself waited meanwhile passes its part on to what
// caused that, and so on (propagated costs).
struct DelayCost {
    EntryId entry = noEntry;  // region, code between two calls, or an MPI call (entries and regions have one numbering)
    std::uint32_t rank = 0xffffffffu;  // 0xffffffff: all ranks together
    TimeNs direct = 0;
    TimeNs propagated = 0;
    TimeNs sum() const { return direct + propagated; }
    friend bool operator==(const DelayCost&, const DelayCost&) = default;
};

struct WaitStates {
    std::vector<WaitState> states;        // those that occur, by time, largest first
    TimeNs total = 0;                     // without those that are parts of others
    TimeNs totalTime = 0;                 // length of the range x ranks
    std::vector<DelayCost> causes;        // per entry, largest first
    std::vector<DelayCost> causesByRank;  // per entry and rank, largest first
    TimeNs unexplained = 0;               // total - sum of causes, exactly: completion, culprits without code, or with
                                          // nothing in excess. All of it if causes were not asked for
};

// Waits that begin in the range count, whole. Propagation goes through all others, too.
struct WaitOptions {
    std::optional<TimeRange> range{};  // the run
    std::optional<WaitStateKind> kind{};
    std::optional<std::uint32_t> rank{};  // that waited
    std::size_t mostWorst = 10;
    bool withCauses = true;
    friend bool operator==(const WaitOptions&, const WaitOptions&) = default;
};
// O(calls) time, O(worst) memory; with causes O((calls + tasks + messages) log), and 100 bytes for each of those.
// Errors: no ranks, damaged chunks, cancelled.
Result<WaitStates> waitStates(const TraceStore& store, const WaitOptions& options, const Progress& progress);
Result<WaitStates> waitStates(const TraceStore& store, const Progress& progress, std::size_t mostWorst = 10);
// What caused states that were found without their causes, with the same options.
Result<> findCauses(const TraceStore& store, const WaitOptions& options, WaitStates& waits, const Progress& progress);

// Scalasca's critical-path metrics per activity (entry), from the elapsed path's profile.
struct PathImbalance {
    EntryId entry = noEntry;
    TimeNs onPath = 0;     // t_cp
    double average = 0;    // of its time over ranks, ns
    double imbalance = 0;  // max(0, t_cp - average): what perfect balance of it could gain at most, ns
    double impact = 0;     // ranks x t_cp / (ranks x duration): its share of the resources that the run allocates
    friend bool operator==(const PathImbalance&, const PathImbalance&) = default;
};
// Largest imbalance first; the impacts and that of waits and MPI add up to 1.
std::vector<PathImbalance> pathImbalances(const ActivityGraph& graph, const CriticalPath& elapsed, std::size_t ranks);
Result<std::vector<PathImbalance>> pathImbalances(const TraceStore& store, const Progress& progress);

}  // namespace longpole
