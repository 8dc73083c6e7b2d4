// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about single tasks and their surroundings: a part of the graph to draw, a processor's activity table,
// the tasks that much work waits for.
#pragma once

#include "analysis/paths/activitytable.h"
#include "analysis/paths/parallelism.h"
#include "analysis/paths/pathquestions.h"
#include "analysis/paths/subgraph.h"

#include <vector>

namespace longpole {

struct SubgraphQuestion {
    using Answer = Subgraph;
    static constexpr const char* id = "graph to draw";

    EdgeLevel edges = EdgeLevel::Order;
    SubgraphChoice choice{};

    Result<std::shared_ptr<const Subgraph>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Subgraph& graph);
    friend bool operator==(const SubgraphQuestion&, const SubgraphQuestion&) = default;
};

struct ActivityTableQuestion {
    using Answer = ActivityTable;
    static constexpr const char* id = "activity table";

    ProcessorId pe{};
    EdgeLevel edges = EdgeLevel::Order;

    Result<std::shared_ptr<const ActivityTable>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const ActivityTable& table) { return table.bytes(); }
    friend bool operator==(const ActivityTableQuestion&, const ActivityTableQuestion&) = default;
};

// Level order exposes nothing: an error, as of exposingTasks().
struct ExposingQuestion {
    using Answer = std::vector<ExposingTask>;
    static constexpr const char* id = "parallelism-exposing tasks";

    EdgeLevel edges = EdgeLevel::Messages;
    std::size_t count = 10;
    TimeRange part{};

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& tasks);
    friend bool operator==(const ExposingQuestion&, const ExposingQuestion&) = default;
};

}  // namespace longpole
