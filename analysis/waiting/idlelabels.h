// SPDX-License-Identifier: GPL-3.0-or-later
// Why processors idled: every nanosecond of idle time gets exactly one cause (docs/algorithms.md 5).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/taskobjects.h"
#include "analysis/waiting/queuedtime.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "core/trace/vocabulary.h"

#include <QString>

#include <array>
#include <cstdint>
#include <vector>

namespace longpole {

enum class IdleCause : std::uint8_t {
    End,              // no later task on that processor
    Synchronization,  // ended by a reduction, broadcast, barrier or quiescence entry
    Latency,          // the message that ended it was in flight, or nobody recorded when it arrived
    Scheduling,       // it had arrived
    Imbalance,        // it was not sent yet, and another processor had tasks waiting; of a rank: not sent yet
    Parallelism       // it was not sent yet, and no task waited anywhere
};
constexpr std::size_t idleCauseCount = 6;
const char* name(IdleCause cause);  // "end", "synchronization", "latency", "scheduling", "imbalance", "parallelism"
// The one list of words for them: "finished", "collective", "in transit", "arrived but not started", "not sent yet
// (others busy)", "not sent yet (no work)".
QString title(IdleCause cause);
QString explanation(Vocabulary words, IdleCause cause);  // a sentence: which idle time counts as that

// A part of an idle interval that has one cause. `task` is the graph task that ended the interval, noTask if none did;
// whoever sent that task's message is to blame.
struct LabelledIdle {
    ProcessorId pe{};
    TimeRange range{};
    IdleCause cause = IdleCause::End;
    std::uint32_t task = noTask;
};

using IdleByCause = std::array<TimeNs, idleCauseCount>;

// Idle time by how many other processors worked meanwhile. Tasks that only carry a reduction do not count as work.
struct WorkMeanwhile {
    TimeNs none = 0;     // none worked, but messages were under way or in queues
    TimeNs nothing = 0;  // none worked, and no message was under way either; only of cause Parallelism
    TimeNs one = 0, more = 0;
    TimeNs sum() const { return none + nothing + one + more; }
    friend bool operator==(const WorkMeanwhile&, const WorkMeanwhile&) = default;
};

// The same for one piece of idle time; NotAsked where the cause does not depend on it.
enum class Meanwhile : std::uint8_t { NotAsked, Nothing, None, One, More };
const char* name(Meanwhile meanwhile);  // "", "nothing", "none", "one", "more"

// The pieces that the sums of IdleLabels are made of: one cause, and one number of processors that worked meanwhile.
struct IdlePiece {
    ProcessorId pe{};
    TimeRange range{};
    std::uint32_t task = noTask;  // that ended the idling
    IdleCause cause = IdleCause::End;
    Meanwhile working = Meanwhile::NotAsked;
    friend bool operator==(const IdlePiece&, const IdlePiece&) = default;
};

struct IdleLabels {
    IdleByCause total{};
    std::vector<IdleByCause> byPe{};  // in the order of the graph's processors
    std::vector<TimeNs> stageEdges{};
    std::vector<IdleByCause> byStage{};                   // over all PEs
    std::vector<WorkMeanwhile> parallelismByStage{};      // of cause Parallelism
    std::vector<WorkMeanwhile> synchronizationByStage{};  // of cause Synchronization
    // By entry id, and one more element for idle time that has no such entry; of all stages, or of those chosen.
    std::vector<IdleByCause> byEntry{};  // the entry whose task ended the idling
    std::vector<IdleByCause> blamed{};   // the entry that sent the message of that task
    // Examples of each cause, longest first: the longest unbroken part of each of the idle intervals that have most of
    // the cause; of as much the earliest, then those of the first processors.
    std::array<std::vector<LabelledIdle>, idleCauseCount> longest{};
    TimeNs estimated = 0;  // of total, the latency of messages whose arrival nobody recorded
    TimeNs sum() const;
};

// Idle time of each processor, disjoint, ascending, outside tasks, clipped to the run (ChunkKind::Idle).
using ProcessorIdle = std::vector<std::vector<TimeRange>>;
Result<ProcessorIdle> processorIdle(const TraceStore& store, const Progress& progress);

// Gives all of `idle` a cause, so that `total` adds up to it. The task that ended an idle interval is the first one on
// that processor that began at the interval's end or later. The interval is cut at the times at which that task's
// message was sent and received.
//   - A message whose sender is not known was sent when it was received. If its receive time is not known either, it
//     was sent at the end of the idling: nothing says that there was anything to do before.
//   - A message with a sender but no receive time was in flight until the end of the idling. So was one whose receive
//     time is an estimate: estimates are the earliest possible arrival, and an idle processor begins what arrives.
//   - A message that was received before it was sent, since clocks disagree, was sent when it was received.
//   - A Structured Dagger block has no message. It could have gone on when the block before it ended.
//   - Imbalance means that another processor had tasks in its queue (queuedOn). The idle processor's own is empty.
// By entry id, `synchronizing` says whether its tasks end a synchronization, and `carrying` whether they only carry one
// and so do no work. byStage has `stages` equal parts of the run; `chosen`: of these, the ones that
// byEntry and blamed are of, or empty for all.
// What the last rank to come waits inside a collective call is synchronization as well. With `haveThreads` a rank's
// idle time that no other rank ends is a wait for its own threads or devices, and counts as synchronization. O(n log
// PEs + idle log n); at most 32 bytes a task while it runs, mostly much less. Errors: cancelled.
Result<IdleLabels> idleLabels(const ActivityGraph& graph, const ProcessorIdle& idle,
                              const std::vector<bool>& synchronizing, std::int64_t stages, const Progress& progress,
                              const std::vector<bool>& carrying = {}, bool haveThreads = false,
                              const std::vector<bool>& chosen = {});
// The same of some ranks of a run. `graph` needs no other tasks than those that end idle intervals, meetings right
// before them, and those that sent their messages; `working` is of all ranks of the run.
Result<IdleLabels> idleLabelsOfRanks(const ActivityGraph& graph, const ProcessorIdle& idle,
                                     const std::vector<bool>& synchronizing, std::int64_t stages, Working working,
                                     bool haveThreads, const Progress& progress);
// Examples of a cause of several such parts together, as many as are kept of one.
constexpr std::size_t idleExamples = 20;  // of each cause
void keepLongest(std::vector<LabelledIdle>& longest);
// The same as pieces, by processor and then time. Costs as much, and O(pieces). Errors: cancelled.
Result<std::vector<IdlePiece>> idlePieces(const ActivityGraph& graph, const ProcessorIdle& idle,
                                          const std::vector<bool>& synchronizing, const std::vector<bool>& carrying,
                                          const Progress& progress, bool haveThreads = false);

// Which entry methods take part in a synchronization, by entry id: of the run-time system, or one that the program
// makes of messages. In an MPI run these are the calls in which every member waits for all others; idle time before
// other collective calls is caused by messages.
struct Synchronizations {
    std::vector<bool> ending{};     // its tasks end a synchronization
    std::vector<bool> carrying{};   // its tasks only carry contributions and results
    std::vector<bool> gathering{};  // its tasks gather for a reduction of the program's own; empty if there is none
    bool haveThreads = false;       // ranks wait for their own threads or devices
};
// Those of an MPI run, but for threads: they are a matter of its definitions.
std::vector<bool> synchronizingCalls(const TraceStore& store);
// Errors: damaged chunks, cancelled.
Result<Synchronizations> synchronizations(const TraceStore& store, const ActivityGraph& graph,
                                          const Progress& progress);

// Which entry methods end a synchronization of the run-time system, by entry id: those that reductions, barriers and
// quiescence detection run through, those that get a reduction's result (redn_wrapper_...), and those of which most
// tasks were started by a broadcast of one of these. Decodes the creations. Errors: damaged chunks, cancelled.
Result<std::vector<bool>> synchronizingEntries(const TraceStore& store, const Progress& progress);
// Which of them are the run-time system's own, that carry contributions and results.
std::vector<bool> carryingEntries(const TraceStore& store);

// Which entry methods a task starts on every processor at once, by entry id. Without any the program makes no reduction
// of its own. O(tasks log tasks).
std::vector<bool> spreadEntries(const ActivityGraph& graph);
// Reductions that the program makes of messages: an object runs the gathering entry method until it has heard of every
// processor once, and then starts a task of the result's entry method on every processor. Both end a synchronization.
// O(tasks log tasks).
struct GatheredEntries {
    std::vector<bool> gathering, results;  // by entry id
};
GatheredEntries gatheredEntries(const ActivityGraph& graph, const TaskObjects& objects);

}  // namespace longpole
