// SPDX-License-Identifier: GPL-3.0-or-later
// Discrete-event replay (docs/algorithms.md 4): the recorded tasks and messages run again on processors with
// non-preemptive queues, under another queue order, network, balance or cost; and what that predicts, with its error.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/mergeinference.h"
#include "analysis/queues/arrivalreading.h"
#include "analysis/whatif/zeroing.h"
#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace longpole {

// Recorded: the order in which each processor ran its tasks (the forced order; it reproduces the run exactly). Kept:
// the queues as the record shows them to have been (discipline.h), first in, first out where it shows nothing else; all
// other orders replace those.
enum class QueueOrder : std::uint8_t { Recorded, Kept, Fifo, Lifo, Priority };
// ZeroLatency: what depends on the size of a message stays. Ideal: messages take no time.
enum class NetworkModel : std::uint8_t { Recorded, ZeroLatency, Ideal };

// Smaller numbers run first (Charm++'s integer priorities); what is not named has 0. A task's own number wins over its
// entry method's.
struct QueuePriorities {
    struct OfEntry {
        EntryId entry = noEntry;
        std::int32_t priority = 0;
        friend bool operator==(const OfEntry&, const OfEntry&) = default;
    };
    std::vector<OfEntry> entries{};
    std::vector<std::int32_t> tasks{};  // per graph task; empty: only entries count
    friend bool operator==(const QueuePriorities&, const QueuePriorities&) = default;
};

struct ReplayQuestion {
    QueueOrder queue = QueueOrder::Kept;
    QueuePriorities priorities{};  // with Priority
    NetworkModel network = NetworkModel::Recorded;
    bool perfectBalance = false;     // every processor gets the mean of their busy times
    std::uint32_t balanceParts = 1;  // into so many equal parts the run is divided, each balanced for itself
    std::vector<WhatIf> factors{};   // of entry methods' own time
    std::vector<std::pair<TaskId, TimeNs>> shorter{};  // tasks, and how much less each takes, nested ones with it
    friend bool operator==(const ReplayQuestion&, const ReplayQuestion&) = default;
};

// What a replay needs of a run, computed once: when each task's message arrived (as far as the trace can tell, and
// between which bounds), overheads, latencies, dependencies.
class ReplayModel;

// O(n log n). `merges`: recorded ones are in the graph; of the inferred ones only buffered messages order a replay.
// Errors: damaged chunks, cancelled.
Result<std::shared_ptr<const ReplayModel>> replayModel(const TraceStore& store,
                                                       std::shared_ptr<const ActivityGraph> graph,
                                                       const MergeInference& merges, const Progress& progress);

// The same of a graph alone, whose inner workings are known (drawings): all entry methods are the user's, all
// processors of one node.
std::shared_ptr<const ReplayModel> replayModel(std::shared_ptr<const ActivityGraph> graph,
                                               const std::vector<MergeEdge>& inferred = {});

struct ReplayedRun {
    TimeNs duration = 0;
    std::vector<TimeNs> begin{};   // per graph task, in the trace's clock
    std::vector<TimeNs> length{};  // per graph task, if the replay changed any; else empty
    // Per graph task, if the replay may have changed them, else empty: its processor (pools of work), and which task
    // sent its message, so long after that began (counters, reductions, pools); noTask where the graph has none.
    std::vector<std::uint32_t> pe{};
    std::vector<std::uint32_t> source{};
    std::vector<TimeNs> offset{};
};

// O(n log q). Errors: cancelled; factors that overflow.
Result<ReplayedRun> replay(const ReplayModel& model, const ReplayQuestion& question, ArrivalReading reading,
                           const Progress& progress);

// What a change would make of the run's duration. Intervals [low, high] over what the trace leaves unknown, widened by
// the error of the baseline, and at least as wide as the run's own noise makes them. Where most arrivals are estimates,
// as in today's logs, the free reading is one more, and each end is moved a tenth of its gain outwards: the readings
// move all arrivals together, and a program that really runs with the priority also differs in what no reading changes.
// Of the programs that were run both ways, a pipeline gained 27.7 % where the readings said 27.3 to 27.3, and a chain
// beside bulk work took 111 ms (109 to 115) where they said 104.5 to 104.9. Where the recorded queue took messages in
// an order that no priorities of entry methods explain, that share of the gain is added to the tenth. Where the run as
// it was, replayed with free arrivals, takes less time than recorded, the rest are waits that may stay whatever is
// changed: the gain over the recorded time is in the interval, too. Above a half of the run nothing is predicted.
struct Prediction {
    TimeNs recorded = 0;
    TimeNs baseline = 0;           // the replay of the run as it was: queues as recorded, likely arrivals
    double baselineError = 0;      // baseline / recorded - 1
    double freeBaselineError = 0;  // the same with free arrivals
    double noise = 0;              // standard deviation of the run's duration, as a share, as its iterations show it
    TimeNs low = 0;                // predicted durations
    TimeNs high = 0;
    double gainLow = 0;  // 1 - predicted / baseline, over T; negative: a loss
    double gainHigh = 0;
    int readings = 4;  // of unknown arrivals that were tried: of very long runs only the likely one
    // A sentence: why nothing can be said. The end of the run hangs on recorded times that no question changes (tasks
    // without a known cause; without those it would come more than `widest` earlier, which gainHigh then allows for),
    // or nobody knows in which order the queues took messages. Empty: something can.
    QString pinned{};
    static constexpr double widest = 0.25;
    // Wider than 25 points, or pinned: no prediction.
    bool isUsable() const { return pinned.isEmpty() && gainHigh - gainLow <= widest; }
    bool gains() const { return isUsable() && gainLow > 0; }
};

// A sentence; empty if the prediction is usable.
QString whyUnusable(const Prediction& prediction);

// Two replays for each reading, on two threads; those of the run as it was are kept by the model. One more where tasks
// without a known cause came late. Above ten million tasks only the likely reading is tried, and the run as it was with
// free arrivals. Errors: those of replay().
Result<Prediction> predict(const ReplayModel& model, const ReplayQuestion& wanted, const Progress& progress);

}  // namespace longpole
