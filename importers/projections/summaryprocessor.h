// SPDX-License-Identifier: GPL-3.0-or-later
// One processor's summary to totals, tiles and entry bins.
#pragma once

#include "importers/common/rowsink.h"
#include "importers/projections/processor.h"
#include "importers/projections/summarytext.h"

#include <cstdint>
#include <optional>

namespace longpole {

// What all processors of the run share.
struct SummaryRun {
    ProjectionsRun run;                       // symbols, processors, begin
    TimeNs end = 0;                           // of the longest summary
    std::uint32_t packEntry = 0xffffffffu;    // dummy_pack_ep: its times lie inside other entry methods' and are left
    std::uint32_t unpackEntry = 0xffffffffu;  // out
};

struct SummaryCounts {
    std::int64_t intervals = 0;
    std::int64_t cells = 0;  // of .sumd
    std::int64_t packs = 0;
    std::int64_t unpacks = 0;
    std::int64_t marks = 0;
    std::int64_t phases = 0;
};

// User time of an interval is its per cent rounded down to ns, idle time likewise and at most the rest; both shared out
// over bins in proportion to time, and what lies before the run's begin is not counted. Overhead is what is left of the
// run, and has what the tracer's rounding to whole per cents took away: up to 1 % of an interval each.
//
// The profile has EPCallTime and EPExeTime (inner executions interrupt outer ones, so this is exclusive time). When
// entry methods ran says the .sumd; it rounds every interval down to us, so an entry method's EPExeTime is shared out
// over its intervals in proportion to their us + 1/2: entry bins add up to the profile. Issues: where .sum and .sumd,
// or the utilization and the times of entry methods, differ by more than rounding.
ProcessorResult importSummary(const SummaryRun& run, std::uint32_t pe, const Summary& summary,
                              const std::optional<SummaryDetail>& detail, RowSink& sink, ImportLog& log,
                              SummaryCounts& counts);

// The first interval in which an entry method ran; the end of time if there is none.
TimeNs firstActivity(const SummaryDetail& detail, const SummaryRun& run);

}  // namespace longpole
