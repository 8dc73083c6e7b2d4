// SPDX-License-Identifier: GPL-3.0-or-later
// A part of the activity graph small enough to be drawn: the tasks of a range, of some processors, or around one task's
// path, with all dependencies among them.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

constexpr std::size_t mostSubgraphNodes = 500;
constexpr std::size_t mostSubgraphEdges = 10'000;  // two tasks may have any number of merges

// Tasks that touch `range` (empty: the whole run) on `pes` (sorted; empty: all); if `aroundPath`, of those only the
// ones on the work path to `to` (empty: of the run) and the ones next to it.
struct SubgraphChoice {
    TimeRange range{};
    std::vector<ProcessorId> pes{};
    std::optional<TaskId> to{};
    bool aroundPath = false;
    std::size_t most = mostSubgraphNodes;
    friend bool operator==(const SubgraphChoice&, const SubgraphChoice&) = default;
};

struct Subgraph {
    struct Node {
        TaskId id{};
        EntryId entry = noEntry;
        TimeNs begin = 0;
        TimeNs end = 0;
        TimeNs length = 0;    // of the longest path to its end
        bool onPath = false;  // on the work path of the run, or to `to`
        friend bool operator==(const Node&, const Node&) = default;
    };
    // It leaves its source `offset` after that began, and brings a path of `length`.
    struct Edge {
        std::uint32_t source = 0;  // nodes; source < target
        std::uint32_t target = 0;
        PathEdge kind = PathEdge::Message;
        TimeNs offset = 0;
        TimeNs length = 0;
        bool onPath = false;
        friend bool operator==(const Edge&, const Edge&) = default;
    };

    EdgeLevel level = EdgeLevel::Order;
    std::vector<Node> nodes;         // in the graph's order: by begin, a source before what it leads to
    std::vector<Edge> edges;         // by target, then message, merges, processor order
    std::int64_t omitted = 0;        // tasks of the choice beyond `most`
    std::int64_t omittedOnPath = 0;  // of those, on the path
    std::int64_t omittedEdges = 0;   // dependencies of these nodes beyond mostSubgraphEdges
};

// If there are more tasks than `most`: the last ones on the path, then those next to a task on it (the latest if
// `aroundPath`, else the longest), then the longest of the others. Of more merges than fit those on the path, then
// those that bring the longest paths. O(path + tasks in the range + their merges). Errors: `to` does not exist;
// cancelled.
Result<Subgraph> subgraph(const ActivityGraph& graph, const WorkHeads& heads, const SubgraphChoice& choice,
                          const Progress& progress);

// The tasks [first, last) of ActivityGraph::byProcessor that touch a range. O(log n).
struct RankRange {
    std::size_t first = 0;
    std::size_t last = 0;
};
RankRange tasksTouching(const ActivityGraph& graph, ProcessorId pe, TimeRange range);

}  // namespace longpole
