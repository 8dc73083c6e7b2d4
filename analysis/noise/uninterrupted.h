// SPDX-License-Identifier: GPL-3.0-or-later
// Work paths in which interrupted tasks count with what they would have taken: what noise says that each lost is taken
// off, so that no claim about the path rests on it.
#pragma once

#include "analysis/noise/noise.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/pathquestions.h"
#include "analysis/results/results.h"

#include <map>
#include <memory>
#include <optional>

namespace longpole {

// What each interrupted task lost.
using InterruptedTasks = std::map<TaskId, TimeNs>;
InterruptedTasks interruptedTasks(const Noise& noise);

// The graph with these times taken off its tasks. What a task sent, and what ran nested in it, moves towards its begin
// in proportion; the begin of no task changes, so that only work paths make sense of it. O(tasks).
std::shared_ptr<const ActivityGraph> uninterrupted(const ActivityGraph& graph, const InterruptedTasks& tasks);
// The same of dependencies of that graph.
Dependencies uninterrupted(const ActivityGraph& graph, const Dependencies& edges, const InterruptedTasks& tasks);

// What slack, near-critical paths and what-if of work paths look at: graph, model and work heads without interruptions.
struct UninterruptedModel {
    ModelledGraph modelled{};
    WorkHeads heads{};
};
struct UninterruptedModelQuestion {
    using Answer = UninterruptedModel;
    static constexpr const char* id = "graph without interruptions";

    EdgeLevel edges = EdgeLevel::Order;
    TimeRange part{};  // a run of its own; empty: the whole run

    Result<std::shared_ptr<const UninterruptedModel>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const UninterruptedModel& model);
    friend bool operator==(const UninterruptedModelQuestion&, const UninterruptedModelQuestion&) = default;
};

struct UninterruptedPathQuestion {
    using Answer = CriticalPath;
    static constexpr const char* id = "path without interruptions";

    EdgeLevel edges = EdgeLevel::Order;
    std::optional<TaskId> to{};
    TimeRange part{};  // a run of its own; empty: the whole run

    Result<std::shared_ptr<const CriticalPath>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const CriticalPath& path);
    friend bool operator==(const UninterruptedPathQuestion&, const UninterruptedPathQuestion&) = default;
};

}  // namespace longpole
