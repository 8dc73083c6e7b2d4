// SPDX-License-Identifier: GPL-3.0-or-later
// What MPI ranks sent each other in collective calls, by what these calls mean: the standard does not say by which way
// the bytes went.
#pragma once

#include "analysis/statistics/commmatrix.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <optional>
#include <vector>

namespace longpole {

// Bytes from rank to rank, or from node to node, by from, then to, of the calls that begin in the request's range; both
// ends are among its PEs. A root sends each other member what that one receives and gets from each what that one sends;
// where all need the data of all, each member sends its part to every other one; a scan, to those of higher rank
// (docs/algorithms.md 7.6). Nobody sends to itself; between ranks of one node: from the node to itself. Neighbourhood
// calls, one-sided calls, files, and what makes communicators are not counted. Nothing where that are more pairs than
// limits::collectivePairs, or more parts of what is sent than limits::collectiveParts. O(calls + parts). Errors:
// damaged chunks; cancelled.
Result<std::optional<std::vector<CommCell>>> collectiveTraffic(const TraceStore& store, const CommRequest& request,
                                                               const Progress& progress);

}  // namespace longpole
