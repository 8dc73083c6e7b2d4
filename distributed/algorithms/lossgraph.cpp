// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a process' part of the graph: the tasks of its ranks, then where the edges into them come from, which the
// processes that have the sources know.
#include "distributed/algorithms/lossgraph.h"

#include "core/base/translate.h"
#include "core/store/rows.h"
#include "distributed/algorithms/passes.h"
#include "distributed/transport/records.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace longpole {

namespace {

constexpr std::uint32_t mostRanks = 1u << 24u;  // as in the graph of one machine

// An edge as it is stored: the row of its source and how long after that row's begin it leaves.
struct StoredEdge {
    std::uint32_t node;  // place
    std::uint32_t rank;
    std::int64_t row;
    TimeNs offset;
};

struct SourceQuestion {
    std::uint64_t edge;  // of the asker
    std::int64_t row;
    TimeNs offset;
    TimeNs begin;  // of the node that the edge leads into
    std::uint32_t rank;
    std::uint32_t segment;
};

struct SourceAnswer {
    std::uint64_t edge;
    NodeId source;  // sinkNode: there is no such edge
    TimeNs left;    // when the source's work for it was done
    std::uint32_t segment;
    std::uint32_t padding = 0;
};

// An execution inside a task: what it sent left the task.
struct InnerExecution {
    std::int64_t row;
    std::uint32_t node;
    TimeNs shift;  // its begin after the task's
};

struct RankRows {
    std::size_t firstNode = 0;
    std::vector<std::uint32_t> nodeOfRow;  // only if there are inner executions
    std::vector<InnerExecution> inner;
    std::int64_t rows = 0;
};

class Reader {
public:
    Reader(Transport& transport, const TraceStore& store) : m_transport(transport), m_store(store) {}

    LossGraph read()
    {
        m_graph.run = m_store.info().range();
        if (Result<> there = requireEvents(m_store); !there) m_transport.fail(there.error());
        placeRanks();
        if (m_transport.failed()) return {};
        const auto self = static_cast<std::size_t>(m_transport.process());
        for (std::uint32_t rank = m_graph.border[self]; rank < m_graph.border[self + 1] && !m_transport.failed();
             ++rank)
            if (Result<> read = readRank(rank); !read) m_transport.fail(read.error());
        if (m_graph.size() >= noNode || m_stored.size() >= noNode)
            m_transport.fail({.what = tr("The trace has more tasks than so few processes can hold."),
                              .where = m_store.path(),
                              .hint = tr("Ask for more processes.")});
        m_graph.segments = reduceOne(m_transport, m_graph.segments,
                                     [](std::uint32_t& one, std::uint32_t other) { one = std::max(one, other); });
        m_graph.leaving.assign(m_graph.size(), 0);
        m_graph.leavingInside.assign(m_graph.size(), 0);
        if (!m_transport.failed()) findSources();
        if (m_transport.failed()) return {};
        gatherEdges();
        if (m_transport.failed()) return {};
        return std::move(m_graph);
    }

private:
    // To be asked for each row; false: to be left.
    bool goesOn()
    {
        constexpr unsigned rowsPerPulse = 256;
        if (++m_rows % rowsPerPulse == 0) m_transport.pulse();
        return !m_transport.failed();
    }

    // Contiguous blocks of ranks with about as many tasks each. Every process computes the same ones.
    void placeRanks()
    {
        const std::span<const Processor> processors = m_store.processors();
        if (!processors.empty() && index(processors.back().pe) >= mostRanks)
            return m_transport.fail({.what = tr("The trace has more ranks than can be analysed at once."),
                                     .where = m_store.path(),
                                     .hint = {}});
        m_graph.ranks = processors.empty() ? 0 : index(processors.back().pe) + 1;
        m_tracks.resize(m_graph.ranks, noTrack);
        std::vector<std::int64_t> tasks(m_graph.ranks, 0);
        for (const Processor& processor : processors) {
            m_tracks[index(processor.pe)] = processor.track;
            for (const ChunkRef& ref : m_store.chunks(ChunkKind::Task, processor.track))
                tasks[index(processor.pe)] += ref.rows;
        }
        const std::int64_t all = std::accumulate(tasks.begin(), tasks.end(), std::int64_t{0});
        const std::int64_t processes = m_transport.processes();
        m_graph.border.assign(static_cast<std::size_t>(processes) + 1, m_graph.ranks);
        m_graph.border[0] = 0;
        std::int64_t before = 0;
        std::size_t process = 1;
        for (std::uint32_t rank = 0; rank < m_graph.ranks; ++rank) {
            // The rank belongs where its middle lies.
            while (process < static_cast<std::size_t>(processes)
                   && (2 * before + tasks[rank]) * processes >= 2 * all * static_cast<std::int64_t>(process) && all > 0)
                m_graph.border[process++] = rank;
            before += tasks[rank];
        }
        m_ranks.resize(m_graph.border[static_cast<std::size_t>(m_transport.process()) + 1] - firstRank());
    }
    std::uint32_t firstRank() const { return m_graph.border[static_cast<std::size_t>(m_transport.process())]; }

    Result<> readRank(std::uint32_t rank)
    {
        if (Result<> read = readTasks(rank); !read) return read;
        trimTasks(m_ranks[rank - firstRank()].firstNode);
        if (Result<> read = readCalls(rank); !read) return read;
        return readEdges(rank);
    }

    Result<> readTasks(std::uint32_t rank)
    {
        RankRows& rows = m_ranks[rank - firstRank()];
        rows.firstNode = m_graph.size();
        auto tasks = m_store.rows<TaskRow>(m_tracks[rank], TaskRow::Range | TaskRow::Outer);
        for (const TaskRow& task : tasks) {
            if (!goesOn()) return Unit{};
            const auto node = static_cast<std::uint32_t>(m_graph.size());
            ++rows.rows;
            if (task.isOutermost()) {
                if (!rows.nodeOfRow.empty()) rows.nodeOfRow.push_back(node);
                m_graph.id.push_back(nodeId(rank, node - static_cast<std::uint32_t>(rows.firstNode)));
                m_graph.begin.push_back(task.begin());
                m_graph.work.push_back(std::max<TimeNs>(0, task.duration()));
                continue;
            }
            if (rows.nodeOfRow.empty()) {
                rows.nodeOfRow.resize(static_cast<std::size_t>(rows.rows) - 1);
                std::iota(rows.nodeOfRow.begin(), rows.nodeOfRow.end(), static_cast<std::uint32_t>(rows.firstNode));
            }
            const std::int64_t outer = task.outer();
            const bool isKnown = outer >= 0 && outer < static_cast<std::int64_t>(rows.nodeOfRow.size());
            const std::uint32_t around = isKnown ? rows.nodeOfRow[static_cast<std::size_t>(outer)] : noNode;
            rows.nodeOfRow.push_back(around);
            const TimeNs shift = around == noNode ? 0 : saturatingSubtract(task.begin(), m_graph.begin[around]);
            rows.inner.push_back({task.number(), around, shift});
        }
        m_graph.segment.resize(m_graph.size(), 0);
        m_graph.call.resize(m_graph.size(), noCallName);
        return tasks.result();
    }

    // As the graph of one machine: the tasks of a rank are disjoint and lie in the run.
    void trimTasks(std::size_t first)
    {
        TimeNs free = m_graph.run.begin;
        const TimeNs last = m_graph.run.end;
        for (std::size_t node = first; node < m_graph.size(); ++node) {
            const TimeNs begin = std::clamp(m_graph.begin[node], free, std::max(free, last));
            TimeNs end = std::clamp(saturatingAdd(m_graph.begin[node], m_graph.work[node]), begin,
                                    std::max(begin, last));
            if (node + 1 < m_graph.size()) end = std::clamp(m_graph.begin[node + 1], begin, end);
            m_graph.begin[node] = free = begin;
            m_graph.work[node] = end - begin;
        }
    }

    std::uint32_t nodeAt(const RankRows& rows, std::int64_t row) const
    {
        if (row < 0 || row >= rows.rows) return noNode;
        if (rows.nodeOfRow.empty()) return static_cast<std::uint32_t>(rows.firstNode + static_cast<std::size_t>(row));
        return rows.nodeOfRow[static_cast<std::size_t>(row)];
    }

    // What the calls behind the tasks are, and where the run is cut: behind the task before each global
    // synchronization.
    Result<> readCalls(std::uint32_t rank)
    {
        const RankRows& rows = m_ranks[rank - firstRank()];
        std::vector<std::size_t> cuts;  // the first node behind each
        auto calls = m_store.rows<MpiRow>(m_tracks[rank],
                                          MpiRow::Begin | MpiRow::Task | MpiRow::Flags | MpiRow::Region);
        for (const MpiRow& call : calls) {
            if (!goesOn()) return Unit{};
            const std::uint32_t node = nodeAt(rows, call.task());
            if (node != noNode) m_graph.call[node] = index(call.region());
            if ((call.flags() & MpiCallFlag::Synchronization) == 0) continue;
            cuts.push_back(node != noNode ? node + std::size_t{1} : firstNodeFrom(rows, call.begin()));
        }
        if (Result<> read = calls.result(); !read) return read;
        std::sort(cuts.begin(), cuts.end());
        std::uint32_t segment = 0;
        auto next = cuts.begin();
        for (std::size_t node = rows.firstNode; node < m_graph.size(); ++node) {
            for (; next != cuts.end() && *next <= node; ++next) ++segment;
            m_graph.segment[node] = segment;
        }
        segment = static_cast<std::uint32_t>(cuts.size());
        m_graph.segments = std::max(m_graph.segments, segment + 1);
        return Unit{};
    }

    // Of a rank, the last one that was read; a call without a task before it stands at the very begin of its rank.
    std::size_t firstNodeFrom(const RankRows& rows, TimeNs time) const
    {
        const auto first = m_graph.begin.begin() + static_cast<std::ptrdiff_t>(rows.firstNode);
        return static_cast<std::size_t>(std::lower_bound(first, m_graph.begin.end(), time) - m_graph.begin.begin());
    }

    Result<> readEdges(std::uint32_t rank)
    {
        const RankRows& rows = m_ranks[rank - firstRank()];
        auto sources = m_store.rows<TaskSourceRow>(m_tracks[rank],
                                                   TaskSourceRow::Link | TaskSourceRow::Source | TaskSourceRow::Offset);
        for (const TaskSourceRow& source : sources) {
            if (!goesOn()) return Unit{};
            const Link link = source.link();
            if (link == Link::None || link == Link::NoTask) continue;
            const std::uint32_t node = nodeAt(rows, source.number());
            if (node != noNode && isTask(rows, source.number()))
                addEdge(node, index(source.sourcePe()), source.sourceNumber(), source.offset());
        }
        if (Result<> read = sources.result(); !read) return read;
        auto merges = m_store.rows<MergeRow>(m_tracks[rank], MergeRow::All);
        for (const MergeRow& merge : merges) {
            const std::uint32_t node = nodeAt(rows, merge.task());
            if (node != noNode) addEdge(node, index(merge.sourcePe()), merge.sourceNumber(), merge.offset());
        }
        return merges.result();
    }
    static bool isTask(const RankRows& rows, std::int64_t row)
    {
        return !std::binary_search(rows.inner.begin(), rows.inner.end(), InnerExecution{row, 0, 0},
                                   [](const InnerExecution& a, const InnerExecution& b) { return a.row < b.row; });
    }
    void addEdge(std::uint32_t node, std::uint32_t rank, std::int64_t row, TimeNs offset)
    {
        if (rank < m_graph.ranks) m_stored.push_back({node, rank, row, offset});
    }

    // Where the edges come from: the processes that have the sources say it, and count what leaves these.
    void findSources()
    {
        m_found.assign(m_stored.size(), {0, sinkNode, 0, 0});
        std::vector<Payload> questions = emptyPieces(m_transport);
        for (std::size_t i = 0; i < m_stored.size(); ++i) {
            if (!goesOn()) return;
            const StoredEdge& edge = m_stored[i];
            const SourceQuestion question{i,           edge.row,
                                          edge.offset, m_graph.begin[edge.node],
                                          edge.rank,   m_graph.segment[edge.node]};
            const int owner = m_graph.ownerOf(edge.rank);
            if (owner == m_transport.process()) m_found[i] = answerTo(question, edge.node);
            else appendRecord(questions[static_cast<std::size_t>(owner)], question);
        }
        std::vector<Payload> answers = emptyPieces(m_transport);
        m_transport.exchange(pass::edgeSources, std::move(questions), [&](int from, const Payload& bytes) {
            forEachRecord<SourceQuestion>(m_transport, bytes, [&](const SourceQuestion& question) {
                appendRecord(answers[static_cast<std::size_t>(from)], answerTo(question, noNode));
            });
        });
        m_transport.exchange(pass::edgeAnswers, std::move(answers), [&](int, const Payload& bytes) {
            forEachRecord<SourceAnswer>(m_transport, bytes, [&](const SourceAnswer& answer) {
                if (answer.edge < m_found.size()) m_found[answer.edge] = answer;
            });
        });
    }

    SourceAnswer answerTo(const SourceQuestion& question, std::uint32_t asker)
    {
        SourceAnswer answer{question.edge, sinkNode, 0, 0};
        if (question.rank < firstRank() || question.rank - firstRank() >= m_ranks.size()) return answer;
        const RankRows& rows = m_ranks[question.rank - firstRank()];
        const std::uint32_t node = nodeAt(rows, question.row);
        if (node == noNode || node == asker) return answer;
        TimeNs offset = question.offset;
        const auto inner = std::lower_bound(rows.inner.begin(), rows.inner.end(), question.row,
                                            [](const InnerExecution& a, std::int64_t row) { return a.row < row; });
        if (inner != rows.inner.end() && inner->row == question.row) offset = saturatingAdd(offset, inner->shift);
        const TimeNs longest = std::min(question.begin - m_graph.begin[node], m_graph.work[node]);
        if (longest < 0) {
            ++m_graph.clamped;
            return answer;  // it begins later
        }
        answer.source = m_graph.id[node];
        answer.left = m_graph.begin[node] + std::clamp<TimeNs>(offset, 0, longest);
        answer.segment = m_graph.segment[node];
        countLeaving(node, answer.segment == question.segment);
        return answer;
    }
    void countLeaving(std::size_t node, bool isInside)
    {
        ++m_graph.leaving[node];
        if (isInside) ++m_graph.leavingInside[node];
    }

    // All edges by the node that they lead into, the rank's own order first.
    void gatherEdges()
    {
        std::vector<std::uint32_t> byNode(m_stored.size());
        std::iota(byNode.begin(), byNode.end(), 0u);
        std::sort(byNode.begin(), byNode.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return m_stored[a].node < m_stored[b].node; });
        m_graph.firstEdge.assign(1, 0);
        auto next = byNode.begin();
        for (std::uint32_t node = 0; node < m_graph.size(); ++node) {
            if (!goesOn()) return;
            const std::size_t orderEdge = m_graph.edges.size();
            const bool hasOrder = numberOf(m_graph.id[node]) > 0;
            if (hasOrder) {
                const bool crosses = m_graph.segment[node - 1] != m_graph.segment[node];
                m_graph.edges.push_back({m_graph.id[node - 1], node - 1, crosses,
                                         m_graph.begin[node] - m_graph.end(node - 1)});
            }
            bool hasHub = false;
            for (; next != byNode.end() && m_stored[*next].node == node; ++next)
                hasHub = addFound(node, m_found[*next]) || hasHub;
            const bool isDropped = hasOrder && m_graph.edges[orderEdge].crosses && hasHub;
            if (isDropped) m_graph.edges.erase(m_graph.edges.begin() + static_cast<std::ptrdiff_t>(orderEdge));
            else if (hasOrder) countLeaving(node - 1, !m_graph.edges[orderEdge].crosses);
            m_graph.firstEdge.push_back(m_graph.edges.size());
        }
    }
    // True if it comes from the hub of the synchronization that the node follows: from elsewhere, behind the cut.
    bool addFound(std::uint32_t node, const SourceAnswer& found)
    {
        if (found.source == sinkNode) return false;
        const bool crosses = found.segment != m_graph.segment[node];
        m_graph.edges.push_back({found.source, m_graph.find(found.source), crosses, m_graph.begin[node] - found.left});
        return !crosses && rankOf(found.source) != rankOf(m_graph.id[node]);
    }

    Transport& m_transport;
    const TraceStore& m_store;
    LossGraph m_graph;
    unsigned m_rows = 0;            // that were looked at
    std::vector<TrackId> m_tracks;  // by rank
    std::vector<RankRows> m_ranks;  // of this process
    std::vector<StoredEdge> m_stored;
    std::vector<SourceAnswer> m_found;  // by stored edge
};

// A node with its edges, on the way to another process.
struct SentNode {
    NodeId id;
    TimeNs begin, work;
    std::uint32_t segment, call, leaving, leavingInside;
    std::uint64_t edges;
};

}  // namespace

int LossGraph::ownerOf(std::uint32_t rank) const
{
    const auto next = std::upper_bound(border.begin(), border.end(), rank);
    return static_cast<int>(next - border.begin()) - 1;
}

std::uint32_t LossGraph::find(NodeId node) const
{
    const auto found = std::lower_bound(id.begin(), id.end(), node);
    return found != id.end() && *found == node ? static_cast<std::uint32_t>(found - id.begin()) : noNode;
}

LossGraph readLossGraph(Transport& transport, const TraceStore& store) { return Reader(transport, store).read(); }

LossGraph redistribute(Transport& transport, const LossGraph& graph,
                       const std::function<int(std::uint32_t segment)>& target)
{
    struct Edge {
        NodeId source;
        TimeNs loss;
        std::uint64_t crosses;
    };
    std::vector<Payload> to = emptyPieces(transport);
    for (std::size_t node = 0; node < graph.size(); ++node) {
        Payload& bytes = to[static_cast<std::size_t>(target(graph.segment[node]))];
        appendRecord(bytes, SentNode{graph.id[node], graph.begin[node], graph.work[node], graph.segment[node],
                                     graph.call[node], graph.leaving[node], graph.leavingInside[node],
                                     graph.firstEdge[node + 1] - graph.firstEdge[node]});
        for (std::uint64_t e = graph.firstEdge[node]; e < graph.firstEdge[node + 1]; ++e)
            appendRecord(bytes, Edge{graph.edges[e].source, graph.edges[e].loss, graph.edges[e].crosses ? 1u : 0u});
    }
    std::vector<Payload> from(to.size());
    transport.exchange(pass::nodes, std::move(to),
                       [&](int process, Payload bytes) { from[static_cast<std::size_t>(process)] = std::move(bytes); });
    LossGraph result;
    result.run = graph.run;
    result.ranks = graph.ranks;
    result.segments = graph.segments;
    result.border = {0, graph.ranks};
    result.firstEdge = {0};
    // Processes in order have ranks in order, and each one's nodes are sorted.
    for (const Payload& bytes : from) {
        std::size_t at = 0;
        const auto take = [&](auto& record) {
            if (bytes.size() - at < sizeof(record)) return false;
            std::memcpy(&record, bytes.data() + at, sizeof(record));
            at += sizeof(record);
            return true;
        };
        SentNode node;
        while (at < bytes.size() && take(node)) {
            result.id.push_back(node.id);
            result.begin.push_back(node.begin);
            result.work.push_back(node.work);
            result.segment.push_back(node.segment);
            result.call.push_back(node.call);
            result.leaving.push_back(node.leaving);
            result.leavingInside.push_back(node.leavingInside);
            Edge edge;
            for (std::uint64_t i = 0; i < node.edges && take(edge); ++i)
                result.edges.push_back({edge.source, noNode, edge.crosses != 0, edge.loss});
            result.firstEdge.push_back(result.edges.size());
        }
    }
    for (LossEdge& edge : result.edges) edge.local = result.find(edge.source);
    return result;
}

}  // namespace longpole
