// SPDX-License-Identifier: GPL-3.0-or-later
// One processor of a run cut into its iterations: its executions, messages, idle and overhead go to a row for each.
#pragma once

#include "analysis/phases/foldedtrace.h"
#include "core/store/tracewriter.h"
#include "core/trace/columns.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

// What all processors share.
struct Folding {
    std::vector<TimeRange> iterations{};  // disjoint, ascending, none longer than `length`
    TimeNs length = 0;
    std::vector<ProcessorId> pes{};  // that are folded

    std::uint32_t count() const { return static_cast<std::uint32_t>(iterations.size()); }
    std::uint32_t row(std::size_t pe, std::uint32_t iteration) const
    {
        return static_cast<std::uint32_t>(pe) * count() + iteration;
    }
};

constexpr TrackId foldedTrack(std::uint32_t row) { return TrackId{row + 1}; }

// Where the executions and messages of a processor went. A part is what of an execution lies in one iteration.
struct FoldedParts {
    static constexpr std::uint32_t none = 0xffffffffu;
    std::vector<std::uint32_t> task{};       // by part: the execution
    std::vector<TimeNs> begin{};             // by part, of the trace's clock
    std::vector<bool> isFirst{};             // by part: of its execution
    std::vector<std::uint32_t> firstPart{};  // by iteration, and one more
    std::vector<std::uint32_t> byTask{};     // the parts of each iteration, by execution, then begin
    std::vector<std::uint32_t> message{};    // by message: its row in its iteration's, or none
    std::vector<std::uint32_t> messageIteration{};
    std::vector<std::uint32_t> executions{};  // by message: by how many parts

    // All parts of an iteration are there.
    void endIteration();
    // The last part of `wanted` in an iteration that is over that had begun by `time`, counted from the iteration's
    // first; none if none had. O(log parts).
    std::uint32_t partAt(std::uint32_t iteration, std::uint32_t wanted, TimeNs time) const;
};

struct FoldedProcessor {
    FoldedParts parts{};
    std::vector<Processor> rows{};  // all but names
    std::vector<ProfileRow> profile{};
    std::int64_t cutExecutions = 0;
};

// Writes all rows of the pe-th processor but what its executions came from: stream ordinals row(pe, 0) ... Errors:
// damaged chunks; more goes on from one iteration into the next than limits::foldedParts; cancelled.
Result<FoldedProcessor> foldProcessor(const TraceStore& store, const Folding& folding, std::size_t pe,
                                      TraceWriter& writer, const Progress& progress);

}  // namespace longpole
