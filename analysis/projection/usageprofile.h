// SPDX-License-Identifier: GPL-3.0-or-later
// What each processor did with its time: user time by entry method, idle and overhead, which add up to the run exactly.
#pragma once

#include "analysis/statistics/utilization.h"

#include <cstddef>
#include <span>
#include <vector>

namespace longpole {

struct EntryUsage {
    EntryId entry = noEntry;
    TimeNs time = 0;  // exclusive
    friend bool operator==(const EntryUsage&, const EntryUsage&) = default;
};

// usage.user is the sum of the entries. pack, flush and untraced lie inside the overhead, or
// inside idling where the log has them there.
struct ProcessorUsage {
    ProcessorId pe{};
    Usage usage;
    TimeNs pack = 0;
    TimeNs flush = 0;
    TimeNs untraced = 0;
    std::vector<EntryUsage> entries{};  // most time first
};

struct UsageProfile {
    TimeRange range;
    std::vector<ProcessorUsage> processors;  // by pe
    ProcessorUsage total;                    // sums; pe means nothing
};

// What counts as overhead of processors without a log: nobody knows what it was.
TimeNs missingTime(const TraceStore& store, std::span<const ProcessorUsage> processors);

// Of the whole run, from the processor and profile tables. No `pes`: all, without comm threads. O(profile table).
UsageProfile usageProfile(const TraceStore& store, std::span<const ProcessorId> pes);

// Of a part of the run: times are cut at its ends, exactly. O(rows of the chunks in it), and again for each `mostCells`
// of entry methods x PEs. Errors: damaged chunks; a PE that the trace does not have; cancelled.
Result<UsageProfile> usageProfile(const TraceStore& store, TimeRange range, std::span<const ProcessorId> pes,
                                  const Progress& progress, std::size_t mostCells = std::size_t{1} << 24);

}  // namespace longpole
