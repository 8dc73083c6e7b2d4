// What is asked about the critical path: which one, over which edges, to which task, of which part of the run.
#pragma once

#include "analysis/criticalpath.h"
#include "core/ids.h"
#include "core/timerange.h"

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

// What a level is called, as on the command line.
QString edgesName(EdgeLevel level);

}  // namespace longpole
