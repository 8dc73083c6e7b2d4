// SPDX-License-Identifier: GPL-3.0-or-later
// The plain tables of an imported MPI run: tracks, processors, entry methods, regions, counts, profile, issues, totals.
#pragma once

#include "core/store/tracewriter.h"
#include "importers/common/importlog.h"
#include "importers/mpirows/layout.h"
#include "importers/mpirows/locationrows.h"
#include "importers/mpirows/rankrows.h"

#include <span>
#include <vector>

namespace longpole {

// What is known of a run after all rows have been written.
struct MpiRunResults {
    const MpiLayout& layout;
    std::span<const MpiLocationResult> locations;  // their pieces still have counts, totals and profile
    std::span<const MpiRankTotals> ranks;
    std::vector<bool> sendsFrom;  // by region: a message is named after this call
    const ImportLog& log;
};

// Adds all definitions. Tracks are hosts, if there are several, ranks, and below each rank its threads and streams. An
// error where entry methods have more characters than limits::mpiNames.
Result<> addDefinitions(TraceWriter& writer, const MpiRunResults& run);

// What the source says of the run, completed by its totals.
TraceInfo traceInfo(const MpiRunResults& run);

}  // namespace longpole
