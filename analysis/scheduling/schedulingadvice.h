// SPDX-License-Identifier: GPL-3.0-or-later
// Branch E of the decision tree (Sinha and Kale, section 5.2; docs/algorithms.md 4): would it help to run critical
// tasks first? The two conditions, what critical tasks waited for in the queue, and which entry methods priorities
// could separate.
#pragma once

#include "analysis/base/thresholds.h"
#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/queues/discipline.h"
#include "analysis/replay/replay.h"
#include "analysis/results/results.h"
#include "analysis/scheduling/advice.h"
#include "analysis/waiting/idlelabels.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace longpole {

// The priorities that advice and exports give (Dooley, Arya, Kale 2010, section 7.1): smaller numbers run first.
constexpr std::int32_t highPriority = -5;
constexpr std::int32_t lowPriority = 0;

// What the replay was asked: these entry methods first, or certain objects or iterations of them.
struct TriedScheme {
    QString what{};                  // "chain_hop", "RB2[5,*]"
    std::vector<EntryId> entries{};  // with the priority; empty unless it goes by entry method
    Prediction prediction{};
    bool isRough = false;    // of a large run: one replay with likely arrivals, no interval
    bool isAdvised = false;  // there is advice to do so
};

struct SchedulingAnalysis {
    Condition afterIdle{};             // critical tasks after idle periods
    Condition behindOthers{};          // critical tasks that waited while others ran
    QueueWait wait{};                  // of all critical tasks
    std::vector<PathEntry> entries{};  // most time on the path first
    TimeNs bound = 0;                  // no order of the queues gains more than this
    QString boundReason{};             // "PE 5 is busy 218 ms": what the run takes whatever the order
    TimeNs estimate = 0;
    TimeNs baseline = 0;  // duration of the replay of the run as it was
    double baselineError = 0;
    std::vector<RecordedOrder> recordedOrder{};  // of the run's queues
    double noise = 0;                            // of the run's duration, see Prediction
    double estimatedShare = 0;                   // of the critical tasks' waits: rest on estimated receive times
    std::vector<TriedScheme> tried{};            // also those that lose or cannot be told
    std::vector<Advice> advice{};  // ranked; only what is predicted to gain, splitting, and priority by object
    QString verdict{};             // one or two sentences, also when there is no effective scheme
    QString notEvaluated{};        // not empty: could not be judged, and why
};

// Of an MPI run, which has no priorities.
SchedulingAnalysis schedulingOfRanks();

// `path`: of level messages or merges. What schemes gain is asked of the trace's `results`. Errors: damaged chunks,
// cancelled.
Result<SchedulingAnalysis> schedulingAdvice(Results& results, const ActivityGraph& graph, const CriticalPath& path,
                                            const ProcessorIdle& idle, const Thresholds& thresholds,
                                            const Progress& progress);

}  // namespace longpole
