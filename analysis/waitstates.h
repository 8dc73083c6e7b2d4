// Scalasca's wait states of an MPI run with their severities, worst instances and root causes (ALGORITHMS 7.2).
#pragma once

#include "analysis/mpicalls.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/tracestore.h"

#include <cstdint>
#include <vector>

namespace longpole {

// What `longpole waits` lists: WaitPattern's and those that lie beside or inside them.
enum class WaitStateKind : std::uint8_t {
    LateSender, LateReceiver,
    WrongOrderSameSource, WrongOrderDifferentSource,  // parts of LateSender
    WaitAtBarrier, BarrierCompletion, WaitAtNxN, NxNCompletion, EarlyReduce, LateBroadcast, EarlyScan,
};
constexpr std::size_t waitStateKinds = 11;
const char* name(WaitStateKind kind);        // "late_sender" ...
QString title(WaitStateKind kind);           // "Late sender"
QString explanation(WaitStateKind kind);     // one sentence: what it is, what helps
bool isPartOfAnother(WaitStateKind kind);    // wrong order: its time is in late sender's as well

struct WaitInstance {
    std::uint32_t rank = 0;
    std::int64_t seq = 0;        // the call that waited
    TimeRange wait;              // the time waited
    RegionId call{};
    std::int64_t culprit = -1;   // rank
    TaskId delayed{};            // what the culprit did before it came: the task that ended last; invalid: none
    EntryId during = noEntry;    // its entry
};

struct WaitState {
    WaitStateKind kind{};
    std::int64_t count = 0;
    TimeNs time = 0;
    std::vector<TimeNs> byRank;
    std::vector<WaitInstance> worst;  // longest first, at most `mostWorst`
};

// Boehme et al.: which code made others wait. Short term: directly; long term: by way of waits it caused in turn.
// The sum of `direct + propagated` over all rows is the sum of the waits that have a cause.
struct DelayCost {
    EntryId entry = noEntry;     // region, or code between two calls
    std::uint32_t rank = 0xffffffffu;  // 0xffffffff: all ranks together
    TimeNs direct = 0;
    TimeNs propagated = 0;
    TimeNs sum() const { return direct + propagated; }
};

struct WaitStates {
    std::vector<WaitState> states;       // those that occur, by time, largest first
    TimeNs total = 0;                    // without those that are parts of others
    TimeNs totalTime = 0;                // duration x ranks
    std::vector<DelayCost> causes;       // per entry, largest first
    std::vector<DelayCost> causesByRank; // per entry and rank
    TimeNs unexplained = 0;              // total - sum of causes: culprits without code, or nothing in excess
};
Result<WaitStates> waitStates(const TraceStore& store, const Progress& progress, std::size_t mostWorst = 10);

// Scalasca's critical-path metrics per activity (entry), from the elapsed path's profile.
struct PathImbalance {
    EntryId entry = noEntry;
    TimeNs onPath = 0;        // t_cp
    double average = 0;       // of its time over ranks, ns
    double imbalance = 0;     // max(0, t_cp - average)
    double impact = 0;        // ranks x t_cp / (ranks x duration)
};
Result<std::vector<PathImbalance>> pathImbalances(const TraceStore& store, const Progress& progress);

}  // namespace longpole
