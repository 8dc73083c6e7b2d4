// SPDX-License-Identifier: GPL-3.0-or-later
// Makes totals, tiles and entry bins of one processor's summary.
#pragma once

#include "importers/common/rowsink.h"
#include "importers/projections/processor.h"
#include "importers/summary/text.h"

#include <cstdint>
#include <optional>

namespace longpole {

// What all processors of the run share.
struct SummaryRun {
    ProjectionsRun run;                       // symbols, processors, begin
    TimeNs end = 0;                           // the end of the longest summary
    std::uint32_t packEntry = 0xffffffffu;    // dummy_pack_ep; this and the next lie inside the times of other
    std::uint32_t unpackEntry = 0xffffffffu;  // entry methods and are left out
};

struct SummaryCounts {
    std::int64_t intervals = 0;
    std::int64_t cells = 0;  // of .sumd
    std::int64_t packs = 0;
    std::int64_t unpacks = 0;
    std::int64_t marks = 0;
    std::int64_t phases = 0;
};

// The user time of an interval is its percentage rounded down to ns, idle time likewise and at most the rest. Both are
// spread over bins in proportion to time; what lies before the run's begin is not counted. Overhead is the rest of the
// run: it also has what the tracer's rounding to whole per cents has cut off, up to 1 % of each interval.
//
// The profile has EPCallTime and EPExeTime (inner executions interrupt outer ones, so this is exclusive time). The
// .sumd says when entry methods ran, but with every interval rounded down to us. So an entry method's EPExeTime is
// spread over its intervals in proportion to their us + 1/2, and entry bins add up to the profile. Soft errors: .sum
// and .sumd, or the utilization and the times of entry methods, differ by more than rounding. Once cancelled it emits
// no more.
ProcessorResult importSummary(const SummaryRun& run, std::uint32_t pe, const Summary& summary,
                              const std::optional<SummaryDetail>& detail, RowSink& sink, ImportLog& log,
                              SummaryCounts& counts, const Progress& progress = {});

// The first interval in which an entry method ran; the end of time if there is none.
TimeNs firstActivity(const SummaryDetail& detail, const SummaryRun& run);

}  // namespace longpole
