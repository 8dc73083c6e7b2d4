// SPDX-License-Identifier: GPL-3.0-or-later
// The iterations of a run laid over each other: a trace of its own in which time is that since the begin of an
// iteration and each iteration of each processor is a row, so that every view and analysis works on it.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

constexpr std::int64_t mostFoldedRows = 200'000;  // processors x iterations

// What was cut and left out.
struct FoldReport {
    std::int64_t iterations = 0;
    std::int64_t rows = 0;
    TimeNs length = 0;               // of the folded axis
    std::int64_t executions = 0;     // with the parts of those that were cut
    std::int64_t cutExecutions = 0;  // that an iteration's end cut
    std::int64_t messages = 0;       // kept
    std::int64_t droppedLinks = 0;   // executions whose message was sent in another iteration, or in none
    std::int64_t cutIterations = 0;  // longer than the axis
    TimeNs cutTime = 0;              // of them, behind the axis' end
    TimeNs outside = 0;              // of the run, in no iteration
    friend bool operator==(const FoldReport&, const FoldReport&) = default;
};

// As long as the longest iteration that is not slow (InstanceDurations): one odd iteration must not squeeze all others.
TimeNs foldedLength(std::span<const TimeRange> iterations);

// Iteration i of the k-th processor is processor k x iterations + i, under a node of that processor. What an iteration
// lacks to the axis' length is untraced time. An execution that was suspended counts once for each piece; one that lies
// in two iterations is cut, and counts in both. Messages stay with the iteration they were sent in, links only inside
// one. Comm threads, user events, statistics, hops and merges are left out. O(tasks + messages), 16 bytes a task and 12
// a message. Errors: fewer than two iterations, too many rows, more that goes on from one iteration into the next than
// limits::foldedParts, a summary, damaged chunks, what the writer says, cancelled.
Result<FoldReport> foldTrace(const TraceStore& store, std::span<const TimeRange> iterations, const QString& path,
                             const Progress& progress);

}  // namespace longpole
