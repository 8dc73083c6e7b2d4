// SPDX-License-Identifier: GPL-3.0-or-later
// The activity graph of an MPI run as the shortest-path algorithms of Korkhov et al. search it: nodes are the pieces of
// code between calls, edges weigh what is lost along them (docs/algorithms.md 2.9). Each process has the pieces of its
// ranks, and all edges that lead into them.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"
#include "distributed/transport/transport.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace longpole {

// Rank, and the number of the piece on it: an order in which the rank counts first.
enum class NodeId : std::uint64_t {};
constexpr NodeId nodeId(std::uint32_t rank, std::uint32_t number)
{
    return static_cast<NodeId>((static_cast<std::uint64_t>(rank) << 32u) | number);
}
constexpr std::uint32_t rankOf(NodeId node)
{
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(node) >> 32u);
}
constexpr std::uint32_t numberOf(NodeId node) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(node)); }
// The end of the run, or of a segment, where all paths end; larger than any piece.
constexpr NodeId sinkNode{std::numeric_limits<std::uint64_t>::max()};

constexpr std::uint32_t noNode = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t noCallName = std::numeric_limits<std::uint32_t>::max();

struct LossEdge {
    NodeId source{};
    std::uint32_t local = noNode;  // the source's place among the nodes of this process; noNode: it is elsewhere
    bool crosses = false;          // a global synchronization: left out where the run is split
    TimeNs loss = 0;               // begin of the node - time at which the source's work for it was done; >= 0
    friend bool operator==(const LossEdge&, const LossEdge&) = default;
};

struct LossGraph {
    TimeRange run;
    std::uint32_t ranks = 0;            // of the run
    std::uint32_t segments = 1;         // into which global synchronizations cut the run
    std::vector<std::uint32_t> border;  // first rank of each process, and the number of ranks: processes + 1

    // The nodes of this process, by id.
    std::vector<NodeId> id;
    std::vector<TimeNs> begin, work;
    std::vector<std::uint32_t> segment;
    std::vector<std::uint32_t> call;       // region of the call that follows; noCallName
    std::vector<std::uint64_t> firstEdge;  // into edges; nodes + 1
    std::vector<LossEdge> edges;           // into node n: [firstEdge[n], firstEdge[n + 1])
    // Edges that leave it, all and those that do not cross: who waits for them must know how many there are.
    std::vector<std::uint32_t> leaving, leavingInside;

    std::int64_t clamped = 0;  // edges whose source begins later: left out, as in the graph of one machine

    std::size_t size() const { return id.size(); }
    TimeNs end(std::size_t node) const { return begin[node] + work[node]; }
    int ownerOf(std::uint32_t rank) const;
    // The place of a node of this process; noNode. O(log n).
    std::uint32_t find(NodeId node) const;
    // Whether the next node of this process is of another rank, or (`split`) of another segment.
    bool isLast(std::size_t node, bool split) const
    {
        return node + 1 == size() || rankOf(id[node + 1]) != rankOf(id[node])
               || (split && segment[node + 1] != segment[node]);
    }
};

// Reads the ranks of this process: contiguous blocks, balanced by their numbers of pieces. All processes call it.
// Failures of one are those of all (Transport::fail). The tasks are those of the graph of one machine: trimmed to be
// disjoint and inside the run; edges as there, but where a rank passes a global synchronization: its way through the
// hub of that is never longer than straight on.
LossGraph readLossGraph(Transport& transport, const TraceStore& store);

// The parts of all processes, node by node where `target` sends its segment; edges that cross a border of processes
// afterwards must be those that cross segments.
LossGraph redistribute(Transport& transport, const LossGraph& graph,
                       const std::function<int(std::uint32_t segment)>& target);

}  // namespace longpole
