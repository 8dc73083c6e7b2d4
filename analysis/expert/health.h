// SPDX-License-Identifier: GPL-3.0-or-later
// How far the figures of a trace can be trusted: what the import skipped, repaired or could not match, and how much of
// the critical path rests on it.
#pragma once

#include "analysis/expert/checks.h"
#include "analysis/facts/startup.h"
#include "analysis/graph/activitygraph.h"
#include "analysis/noise/noise.h"
#include "analysis/noise/processortime.h"
#include "analysis/paths/criticalpath.h"
#include "core/store/tracestore.h"
#include "core/trace/issues.h"
#include "core/trace/vocabulary.h"

#include <QString>

#include <vector>

namespace longpole {

enum class Trust : std::uint8_t { Good, Fair, Poor };
const char* name(Trust trust);  // "good", "fair", "poor"

struct HealthIssue {
    Issue issue;
    QString sentence;  // what happened, what was made of it
};

struct Health {
    std::vector<HealthIssue> issues;       // of the import, then of the graph; most frequent first in each
    std::int64_t executions = 0;           // tasks
    std::int64_t executionsUnmatched = 0;  // without a known creation (blocks and repaired ones are known)
    std::int64_t messages = 0;
    std::int64_t messagesMatched = 0;
    std::int64_t negativeLatencies = 0;
    std::int64_t repaired = 0;
    std::vector<ProcessorId> missingLogs;
    std::int64_t receiveTimesEstimated = 0;  // graph tasks whose receive time is an estimate
    std::int64_t receiveTimes = 0;           // graph tasks with a receive time, recorded or estimated
    TimeNs flush = 0;                        // sums over PEs
    TimeNs untraced = 0;
    double doubtfulPathShare = 0;   // of the work path at level order: behind repaired or clamped edges
    double estimatedPathShare = 0;  // of the elapsed path: what rests on estimates or mended edges
    Trust trust = Trust::Good;
    QString verdict;            // a few short sentences
    std::vector<Check> checks;  // whether the run can be judged; all of them, in their order
    ProcessorTime processorTime;
    StartUp startUp;
};

// What disturbed the run, or is no part of its work.
struct Disturbances {
    ProcessorTime processorTime{};
    Noise noise{};
    StartUp startUp{};
};

// The part of it that the store says without its events being read, before anything is judged.
Health storedHealth(const TraceStore& store);

Health health(const TraceStore& store, const ActivityGraph& graph, const CriticalPath& work,
              const CriticalPath& elapsed, const Disturbances& disturbances = {});

// The sentence for an issue of the import or of the activity graph.
QString sentenceFor(Vocabulary words, const Issue& issue);

}  // namespace longpole
