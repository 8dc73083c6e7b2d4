// SPDX-License-Identifier: GPL-3.0-or-later
// Hollingsworth's streaming algorithm over a stored trace: one pass in order of time, no graph. Memory is the
// algorithm's own (processes x procedures and messages in flight), a window of rows per PE, what the executions that
// are running have sent and nested, and of an MPI run 16 bytes an edge (Departures).
#pragma once

#include "analysis/streaming/longestpath.h"
#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Procedures are entry methods, or disjoint sets of them that count as one.
struct StreamingRequest {
    std::vector<std::vector<EntryId>> procedures{};
    ShareKind shares = ShareKind::Exclusive;
    TieRule ties = TieRule::LocalWins;
    bool zeroing = false;
    TimeNs sampleEvery = 0;  // 0: no samples
    TimeRange range{};       // the instruction to start reaches all PEs at its begin, that to stop at its end
    friend bool operator==(const StreamingRequest&, const StreamingRequest&) = default;
};
std::vector<std::vector<EntryId>> oneByOne(const std::vector<EntryId>& entries);

// The path as far as it had come at a time (figure 4). Lengths never fall from sample to sample.
struct StreamingSample {
    TimeNs time = 0;  // in the trace's clock
    TimeNs length = 0;
    std::vector<TimeNs> shares{};  // by procedure
    TimeNs rest = 0;
    friend bool operator==(const StreamingSample&, const StreamingSample&) = default;
};

struct StreamingResult {
    TimeNs length = 0;    // == workPath() of the range, at EdgeLevel::Order; of an MPI run at Data: as in the paper,
                          // no sender waits for its receiver
    TimeNs duration = 0;  // of the range
    ProcessorId end{};    // where the path ends
    std::vector<TimeNs> shares{};  // by procedure
    TimeNs rest = 0;               // in none of them
    std::vector<TimeNs> nets{};    // zeroing: by procedure the length if it cost nothing (figure 5)
    std::vector<StreamingSample> samples{};
    std::int64_t mostInFlight = 0;  // messages that carried a path at the same time
    std::int64_t leftInFlight = 0;  // at the end; of the whole run 0
    std::int64_t early = 0;         // received before they were sent, by the clocks: brought what was there
    std::int64_t dropped = 0;       // from tasks that begin after the receiver, or round in a circle of ties
    std::int64_t lost = 0;          // could not be followed, so that the path may be longer: the trace names no
                                    // message, or has it out of order
};

// One pass, of an MPI run one more over its edges: O(events x (procedures + log PEs)). Errors: damaged chunks;
// cancelled.
Result<StreamingResult> streamingPath(const TraceStore& store, const StreamingRequest& request,
                                      const Progress& progress);

// The entry methods with most exclusive time in all of the run, most first.
std::vector<EntryId> busiestEntries(const TraceStore& store, std::size_t most);

// The entry methods with more than 1/parts of the path, most time first, by the bucket search of appendix B: one pass a
// round. Exclusive shares; parts >= 1.
struct TopShares {
    std::vector<EntryId> entries{};
    int rounds = 0;
};
Result<TopShares> entriesAbove(const TraceStore& store, std::uint32_t parts, TimeRange range, const Progress& progress);

}  // namespace longpole
