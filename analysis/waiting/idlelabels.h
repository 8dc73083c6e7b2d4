// SPDX-License-Identifier: GPL-3.0-or-later
// Why processors idled: every nanosecond of idle time gets exactly one cause (docs/algorithms.md 5).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/taskobjects.h"
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

// A labelled part of an idle interval; `task`: the graph task that ended it (noTask: none), whose sender is to blame.
struct LabelledIdle {
    ProcessorId pe{};
    TimeRange range{};
    IdleCause cause = IdleCause::End;
    std::uint32_t task = noTask;
};

using IdleByCause = std::array<TimeNs, idleCauseCount>;

// Idle time by how many processors worked meanwhile, on what is no errand of a reduction: none though messages were
// under way, none and (of Parallelism) not even that, one, more.
struct WorkMeanwhile {
    TimeNs none = 0, nothing = 0, one = 0, more = 0;
    TimeNs sum() const { return none + nothing + one + more; }
    friend bool operator==(const WorkMeanwhile&, const WorkMeanwhile&) = default;
};

// How many processors worked meanwhile; of the causes that do not ask, `NotAsked`.
enum class Meanwhile : std::uint8_t { NotAsked, Nothing, None, One, More };
const char* name(Meanwhile meanwhile);  // "", "nothing", "none", "one", "more"

// Idle time of one cause with one number of working processors: what the sums of IdleLabels are made of.
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
    std::vector<IdleByCause> byPe{};  // as graph's processors
    std::vector<TimeNs> stageEdges{};
    std::vector<IdleByCause> byStage{};                   // over all PEs
    std::vector<WorkMeanwhile> parallelismByStage{};      // of cause Parallelism
    std::vector<WorkMeanwhile> synchronizationByStage{};  // of cause Synchronization
    std::vector<IdleByCause> byEntry{};                   // by id of the entry whose task ended the idling; last: none
    std::vector<IdleByCause> blamed{};                    // by id of the entry that sent what it waited for; last: none
    // A few of each cause, longest first: of the idle intervals with most of it, the longest unbroken part.
    std::array<std::vector<LabelledIdle>, idleCauseCount> longest{};
    TimeNs estimated = 0;  // of total: latency whose end nobody recorded
    TimeNs sum() const;
};

// Idle time of each processor, disjoint, ascending, outside tasks, clipped to the run (ChunkKind::Idle).
using ProcessorIdle = std::vector<std::vector<TimeRange>>;
Result<ProcessorIdle> processorIdle(const TraceStore& store, const Progress& progress);

// total adds up to all of `idle`. An interval is cut by what became of the message of the task that ended it, which is
// the first one on that processor that began at its end or later: not yet sent, in flight, received.
//   A task whose message was sent outside any task, or that has no message (its creation is not in the logs), is
//   treated as sent when it was received; without a receive time, as not sent before the end of the idling: nothing
//   says that there was anything to do. Where only the sending is known the message was in flight until then. A message
//   that was received before it was sent (clocks) was sent when it was received. A Structured Dagger block has no
//   message: it could go on where the block before it ended. Where the receive time is an estimate the message was in
//   flight until the end of the idling: a processor that idles begins what arrives, and the least latency of its pair
//   of processors is only the earliest that it can have arrived. While a processor idles its own queue is empty; so
//   imbalance means that another processor's was not: the union of [received, begin) over all processors' tasks, each
//   from when its processor last idled before it on.
// `synchronizing`: by entry id, whether its tasks end a synchronization; `carrying`: whether they are no more than its
// errands, and so no work. byStage has `stages` equal parts of the run.
// O(n log PEs + idle log n), at most 32 bytes a task while it runs, mostly much less. Errors: cancelled.
Result<IdleLabels> idleLabels(const ActivityGraph& graph, const ProcessorIdle& idle,
                              const std::vector<bool>& synchronizing, std::int64_t stages, const Progress& progress,
                              const std::vector<bool>& carrying = {});
// The same time as pieces, by processor and time. O(as above + pieces).
Result<std::vector<IdlePiece>> idlePieces(const ActivityGraph& graph, const ProcessorIdle& idle,
                                          const std::vector<bool>& synchronizing, const std::vector<bool>& carrying,
                                          const Progress& progress);

// Of an MPI run: the calls in which every member waits for all. Idle time before other collective calls counts as for
// messages.
// All synchronizations that a trace shows, of the run-time system and of the program itself; by entry id. Errors:
// damaged chunks, cancelled.
struct Synchronizations {
    std::vector<bool> ending{}, carrying{};  // as above
    std::vector<bool> gathering{};           // of the program's own reductions; empty without
};
Result<Synchronizations> synchronizations(const TraceStore& store, const ActivityGraph& graph,
                                          const Progress& progress);
// The causes of a run's idle time with these.
Result<IdleLabels> idleLabels(const TraceStore& store, const ActivityGraph& graph, const ProcessorIdle& idle,
                              std::int64_t stages, const Progress& progress);

// By entry id: entry methods of the run-time system that reductions, barriers and quiescence detection run through,
// those that a reduction's result goes to (redn_wrapper_...), and those that mostly run for broadcasts which such an
// entry method sent. Decodes the creations. Errors: damaged chunks, cancelled.
Result<std::vector<bool>> synchronizingEntries(const TraceStore& store, const Progress& progress);
// Of those, the run-time system's own: what carries contributions and results.
std::vector<bool> carryingEntries(const TraceStore& store);

// A program's own reductions by messages, as far as the trace shows them: an entry method mostly runs on an object
// until it has heard of every processor, once of each, and then starts tasks of another one on every processor; both
// end a synchronization. spreadEntries: those others, wherever they come from; where there are none, there is nothing
// to be gathered. O(tasks log tasks).
std::vector<bool> spreadEntries(const ActivityGraph& graph);
struct GatheredEntries {
    std::vector<bool> gathering, results;  // by entry id
};
GatheredEntries gatheredEntries(const ActivityGraph& graph, const TaskObjects& objects);

}  // namespace longpole
