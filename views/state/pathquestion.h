// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about the critical path: which one, over which edges, to which task, of which part of the run.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "core/base/ids.h"
#include "core/base/timerange.h"

#include <QString>

#include <optional>

namespace longpole {

struct PathQuestion {
    PathMode mode = PathMode::Work;
    EdgeLevel edges = EdgeLevel::Order;
    std::optional<TaskId> to{};  // empty: the end of the run, or of the range
    TimeRange range{};           // empty: the whole run
    friend bool operator==(const PathQuestion&, const PathQuestion&) = default;
};

// What slack and near-critical paths are of: the work path at a level, or the elapsed path. The sweep has neither: the
// work path's then.
struct PathModel {
    PathMode mode = PathMode::Work;
    EdgeLevel edges = EdgeLevel::Order;
    friend bool operator==(const PathModel&, const PathModel&) = default;
};
PathModel modelOf(const PathQuestion& question);
QString modelName(const PathModel& model);  // "work path, edges: order"

// What a level is called, as on the command line.
QString edgesName(EdgeLevel level);

}  // namespace longpole
