// Why processors idled: every nanosecond of idle time gets exactly one cause (ALGORITHMS 5).
#pragma once

#include "analysis/activitygraph.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/tracestore.h"

#include <array>
#include <cstdint>
#include <vector>

namespace longpole {

enum class IdleCause : std::uint8_t {
    End,              // no later task on that processor
    Synchronization,  // ended by a reduction, broadcast, barrier or quiescence entry
    Latency,          // the message that ended it was in flight
    Scheduling,       // it had arrived
    Imbalance,        // it was not sent yet, and another processor had tasks waiting
    Parallelism       // it was not sent yet, and no task waited anywhere
};
constexpr std::size_t idleCauseCount = 6;
const char* name(IdleCause cause);  // "end", "synchronization", "latency", "scheduling", "imbalance", "parallelism"

// A labelled part of an idle interval; `task`: the graph task that ended it (noTask: none), whose sender is to blame.
struct LabelledIdle {
    ProcessorId pe{};
    TimeRange range{};
    IdleCause cause = IdleCause::End;
    std::uint32_t task = noTask;
};

using IdleByCause = std::array<TimeNs, idleCauseCount>;

struct IdleLabels {
    IdleByCause total{};
    std::vector<IdleByCause> byPe{};                     // as graph's processors
    std::vector<TimeNs> stageEdges{};
    std::vector<IdleByCause> byStage{};                  // over all PEs
    std::vector<IdleByCause> byEntry{};                  // by id of the entry whose task ended the idling; last: none
    std::vector<IdleByCause> blamed{};                   // by id of the entry that sent what it waited for; last: none
    std::array<std::vector<LabelledIdle>, idleCauseCount> longest{};  // a few of each cause, longest first
    TimeNs estimated = 0;                                // of total: latency and scheduling that rest on estimates
    TimeNs sum() const;
};

// Idle time of each processor, disjoint, ascending, outside tasks, clipped to the run (ChunkKind::Idle).
using ProcessorIdle = std::vector<std::vector<TimeRange>>;
Result<ProcessorIdle> processorIdle(const TraceStore& store, const Progress& progress);

// total adds up to all of `idle`. O(n log n). `synchronizing`: by entry id, whether its tasks end a synchronization.
// Errors: cancelled.
Result<IdleLabels> idleLabels(const ActivityGraph& graph, const ProcessorIdle& idle,
                              const std::vector<bool>& synchronizing, std::int64_t stages, const Progress& progress);
std::vector<bool> synchronizingEntries(const TraceStore& store);

}  // namespace longpole
