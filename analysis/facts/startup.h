// SPDX-License-Identifier: GPL-3.0-or-later
// Start-up inside a message-driven run: its first part, before the work begins.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "core/base/timerange.h"

#include <cstdint>

namespace longpole {

// The longest first part of the run, in hundredths of it, in which at most a twentieth of the tasks begin and of the
// busy time passes, and both at most a quarter as densely as in the run on average. Empty if there is none; of MPI
// runs, too, whose start-up the import tells (docs/definitions.md, "Time zero and duration").
struct StartUp {
    TimeRange range{};
    std::int64_t tasks = 0;  // that begin in it

    double shareOf(TimeRange run) const { return run.length() > 0 ? double(range.length()) / double(run.length()) : 0; }
};

// O(tasks).
StartUp findStartUp(const ActivityGraph& graph, TimeRange run);

}  // namespace longpole
