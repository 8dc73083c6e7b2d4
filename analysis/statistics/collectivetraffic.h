// SPDX-License-Identifier: GPL-3.0-or-later
// What MPI ranks sent each other in collective calls, by what these calls mean: the standard does not say by which way
// the bytes went.
#pragma once

#include "analysis/statistics/commmatrix.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <vector>

namespace longpole {

// Bytes from rank to rank, by from, then to, of the calls that begin in the range (empty: all); both ends are among
// `pes` (empty: all). A root sends each other member what that one receives and gets from each what that one sends;
// where all need the data of all, each member sends its part to every other one; a scan, to those of higher rank
// (docs/algorithms.md 7.6). Nobody sends to itself. Neighbourhood calls, one-sided calls, files, and what makes
// communicators are not counted. O(calls + pairs). Errors: damaged chunks; cancelled.
Result<std::vector<CommCell>> collectiveTraffic(const TraceStore& store, TimeRange range,
                                                const std::vector<ProcessorId>& pes, const Progress& progress);

}  // namespace longpole
