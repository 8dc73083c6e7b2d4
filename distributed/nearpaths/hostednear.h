// SPDX-License-Identifier: GPL-3.0-or-later
// The next longest paths of a run whose ranks several processes host, which share little with those before them.
#pragma once

#include "analysis/paths/nearcritical.h"
#include "core/base/progress.h"
#include "distributed/answers/hostedpath.h"
#include "distributed/answers/tailpass.h"

#include <optional>
#include <vector>

namespace longpole {

struct HostedNearPath {
    HostedPath path;
    TimeNs slack = 0;
    TimeNs distinct = 0;
};

struct HostedNear {
    std::vector<HostedNearPath> paths;      // behind the work path, which is the first
    std::optional<HostedNearPath> longest;  // if that is alone: the longest other one (longestOther), if there is any
};

// What nearCriticalPaths() finds at level Order in the graph of the whole run, at process 0; elsewhere nothing. `pass`:
// has been run in one lane in which all counts as it is, with crossings; `tails`: of it; `path`: its work path, at
// process 0. All processes call it. Of each path all tasks are gone through, forward and back. Errors: damaged chunks,
// cancelled, at all of them.
Result<HostedNear> hostedNearCritical(const WorkPass& pass, TailPass tails, const HostedPath& path,
                                      const TraceStore& store, const NearCriticalOptions& options,
                                      const Progress& progress);

}  // namespace longpole
