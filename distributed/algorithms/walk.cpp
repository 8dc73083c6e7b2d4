// SPDX-License-Identifier: GPL-3.0-or-later
// Follows the labels from node to node and process to process. Of each segment a token goes round; steps stay where
// they are found until all are gathered.
#include "distributed/algorithms/search.h"

#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "distributed/algorithms/passes.h"
#include "distributed/transport/records.h"

#include <algorithm>
#include <tuple>

namespace longpole {

namespace {

// The way in at a start: what is lost on all of the path.
struct WayIn {
    TimeNs lost = unreached;
    NodeId node = sinkNode;
};

// Where a walk goes on. At process 0 one with node == sinkNode says that the walk has ended, elsewhere that all have.
struct Token {
    NodeId node;
    std::uint32_t segment;
    std::uint32_t padding;
    std::uint64_t step;
};

struct FoundStep {
    WalkedStep step;
    std::uint64_t number;
    std::uint64_t segment;
};

class Walker {
public:
    Walker(Transport& transport, const LossGraph& graph, const Labels& labels, std::int64_t nodes)
        : m_transport(transport), m_graph(graph), m_labels(labels), m_nodes(static_cast<std::uint64_t>(nodes))
    {
    }

    // `ways`: of each segment, on all processes.
    std::vector<FoundStep> run(const std::vector<WayIn>& ways)
    {
        std::size_t left = 0;  // walks that have not ended; counted at process 0
        for (std::size_t segment = 0; segment < ways.size(); ++segment) {
            if (ways[segment].node == sinkNode) continue;
            ++left;
            if (m_graph.find(ways[segment].node) != noNode)
                follow({ways[segment].node, static_cast<std::uint32_t>(segment), 0, 0});
        }
        bool areAllDone = left == 0;
        while (!areAllDone && !m_transport.failed()) {
            const std::optional<Incoming> come = m_transport.receive(pass::walk, Wait::Yes);
            if (!come) break;
            forEachRecord<Token>(m_transport, come->bytes, [&](const Token& token) {
                if (token.node != sinkNode) return follow(token);
                areAllDone = !m_transport.isRoot() || --left == 0;
                if (m_transport.isRoot() && areAllDone)
                    for (int to = 1; to < m_transport.processes(); ++to) send(to, token);
            });
        }
        m_transport.quiet(pass::walk, [](int, const Payload&) {});
        return std::move(m_steps);
    }

private:
    void follow(Token token)
    {
        while (token.node != sinkNode) {
            const std::uint32_t node = m_graph.find(token.node);
            if (node == noNode) return send(m_graph.ownerOf(rankOf(token.node)), token);
            if (token.step > m_nodes)
                return m_transport.fail({.what = tr("The path runs in a circle."),
                                         .where = {},
                                         .hint = tr("Tasks that begin at the same instant wait for each other.")});
            m_steps.push_back({{token.node, m_graph.begin[node], m_graph.work[node]}, token.step++, token.segment});
            token.node = m_labels.next[node];
        }
        send(0, token);
    }
    void send(int to, const Token& token)
    {
        Payload bytes;
        appendRecord(bytes, token);
        m_transport.send(to, pass::walk, std::move(bytes));
    }

    Transport& m_transport;
    const LossGraph& m_graph;
    const Labels& m_labels;
    std::uint64_t m_nodes;
    std::vector<FoundStep> m_steps;
};

std::vector<WayIn> waysIn(Transport& transport, const LossGraph& graph, const SearchFrame& frame, const Labels& labels)
{
    std::vector<WayIn> ways(frame.segments());
    const auto choose = [](WayIn& one, const WayIn& other) {
        if (std::tie(other.lost, other.node) < std::tie(one.lost, one.node)) one = other;
    };
    for (std::size_t node = 0; node < graph.size(); ++node) {
        const auto first = graph.edges.begin() + static_cast<std::ptrdiff_t>(graph.firstEdge[node]);
        const auto last = graph.edges.begin() + static_cast<std::ptrdiff_t>(graph.firstEdge[node + 1]);
        const bool isStart = std::none_of(first, last, [&](const LossEdge& edge) { return frame.uses(edge); });
        if (!isStart || labels.distance[node] == unreached) continue;
        const std::uint32_t segment = frame.segmentOf(graph, node);
        choose(ways[segment], {graph.begin[node] - frame.times[segment].begin + labels.distance[node], graph.id[node]});
    }
    reduceValues(transport, std::span<WayIn>(ways), choose);
    return ways;
}

}  // namespace

FoundPath walk(Transport& transport, const LossGraph& graph, const SearchFrame& frame, const Labels& labels)
{
    const std::vector<WayIn> ways = waysIn(transport, graph, frame, labels);
    FoundPath path;
    for (std::size_t segment = 0; segment < ways.size(); ++segment)
        if (ways[segment].node != sinkNode)
            addSaturating(path.length, frame.times[segment].length() - ways[segment].lost);
    const std::int64_t nodes = reduceOne(transport, static_cast<std::int64_t>(graph.size()),
                                         [](std::int64_t& one, std::int64_t other) { one += other; });
    std::vector<FoundStep> own = Walker(transport, graph, labels, nodes).run(ways);
    std::erase_if(own, [](const FoundStep& step) { return step.step.work == 0; });
    std::vector<FoundStep> all;
    for (const Payload& bytes : transport.gather(toBytes(own)))
        for (const FoundStep& step : recordsOf<FoundStep>(transport, bytes)) all.push_back(step);
    std::sort(all.begin(), all.end(), [](const FoundStep& a, const FoundStep& b) {
        return std::tie(a.segment, a.number) < std::tie(b.segment, b.number);
    });
    for (const FoundStep& step : all) path.steps.push_back(step.step);
    return path;
}

}  // namespace longpole
