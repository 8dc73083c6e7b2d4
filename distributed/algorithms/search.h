// SPDX-License-Identifier: GPL-3.0-or-later
// What all searches for the shortest way through a LossGraph share: each node's distance from the sink, and the node
// that comes next on the way there. Searches run backward over the edges that lead into nodes (Korkhov et al. 2023,
// section 4).
#pragma once

#include "distributed/algorithms/lossgraph.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace longpole {

constexpr TimeNs unreached = std::numeric_limits<TimeNs>::max();

// Of the nodes of one process. Among equal distances the smaller next node counts, so that every search that is right
// finds the same path.
struct Labels {
    std::vector<TimeNs> distance;
    std::vector<NodeId> next;

    explicit Labels(std::size_t nodes) : distance(nodes, unreached), next(nodes, sinkNode) {}
    // True if the distance became smaller.
    bool offer(std::uint32_t node, TimeNs offered, NodeId through)
    {
        if (offered > distance[node] || (offered == distance[node] && !(through < next[node]))) return false;
        const bool isSmaller = offered < distance[node];
        distance[node] = offered;
        next[node] = through;
        return isSmaller;
    }
};

struct SearchCounts {
    std::int64_t rounds = 0;       // of exchanges between the processes
    std::int64_t relaxations = 0;  // edges looked at
    std::int64_t rePushes = 0;     // of nodes that were taken as final before
    friend bool operator==(const SearchCounts&, const SearchCounts&) = default;
};

// The graph as one search sees it: as a whole, or cut into segments that are searched apart.
struct SearchFrame {
    bool isSplit = false;
    std::vector<TimeRange>
        times;  // of each segment, from the first begin to the last end in it; of the run if not split

    std::uint32_t segments() const { return static_cast<std::uint32_t>(times.size()); }
    std::uint32_t segmentOf(const LossGraph& graph, std::size_t node) const
    {
        return isSplit ? graph.segment[node] : 0;
    }
    bool uses(const LossEdge& edge) const { return !isSplit || !edge.crosses; }
};
SearchFrame searchFrame(Transport& transport, const LossGraph& graph, bool isSplit);

// The last nodes of the ranks of this process, by segment, with their distance from the sink.
struct SearchStart {
    std::uint32_t node;
    TimeNs distance;
};
std::vector<std::vector<SearchStart>> searchStarts(const LossGraph& graph, const SearchFrame& frame);

// Sequential searches of one segment, all of which this process has. They end early when the transport fails.
void dijkstra(Transport& transport, const LossGraph& graph, const SearchFrame& frame,
              const std::vector<SearchStart>& starts, Labels& labels, SearchCounts& counts);
// Meyer and Sanders: nodes in buckets of `delta`; edges up to delta are relaxed until the bucket stays empty, longer
// ones once. False: after 50 relaxations an edge, as such a delta is too large.
bool deltaStepping(Transport& transport, const LossGraph& graph, const SearchFrame& frame,
                   const std::vector<SearchStart>& starts, TimeNs delta, Labels& labels, SearchCounts& counts);

// Searches by all processes together, of these segments at once, which follow each other.
struct SharedSearch {
    Transport& transport;
    const LossGraph& graph;
    const SearchFrame& frame;
    const std::vector<std::vector<SearchStart>>& starts;  // by segment
    Labels& labels;
    SearchCounts& counts;
    std::vector<bool> wasTaken{};  // by node: as the nearest one of a round
};
// In topological order: a node is done when all that leaves it is. All segments. Fails the transport if nodes wait for
// each other in a circle.
void topologicalOrder(SharedSearch& search);
// Each round every process takes the least node it has of each segment. As that need not be the least of all, distances
// that are found later can correct it.
void parallelDijkstra(SharedSearch& search, const std::vector<std::uint32_t>& segments);
bool parallelDeltaStepping(SharedSearch& search, const std::vector<std::uint32_t>& segments, TimeNs delta);

// The mean loss of the edges that lose anything, over all processes; at least 1.
TimeNs meanLoss(Transport& transport, const LossGraph& graph);

// One step of the path, as it is gathered.
struct WalkedStep {
    NodeId node{};
    TimeNs begin = 0;
    TimeNs work = 0;
    friend bool operator==(const WalkedStep&, const WalkedStep&) = default;
};
struct FoundPath {
    TimeNs length = 0;              // on all processes
    std::vector<WalkedStep> steps;  // with any work, in order; process 0 only
};
// Follows the labels from the best start of each segment. Fails the transport if they run in a circle.
FoundPath walk(Transport& transport, const LossGraph& graph, const SearchFrame& frame, const Labels& labels);

}  // namespace longpole
