// SPDX-License-Identifier: GPL-3.0-or-later
// Dijkstra's algorithm and Delta-stepping on one process, and where searches begin.
#include "distributed/algorithms/search.h"

#include "distributed/transport/records.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>

namespace longpole {

namespace {

constexpr std::int64_t mostRelaxationsPerEdge = 50;

// Nodes by distance, then place; outdated entries stay and are passed over.
using Queue = std::priority_queue<std::pair<TimeNs, std::uint32_t>, std::vector<std::pair<TimeNs, std::uint32_t>>,
                                  std::greater<>>;

class DeltaRun {
public:
    DeltaRun(Transport& transport, const LossGraph& graph, const SearchFrame& frame, TimeNs delta, Labels& labels,
             SearchCounts& counts)
        : m_transport(transport), m_graph(graph), m_frame(frame), m_delta(delta), m_labels(labels), m_counts(counts)
    {
    }

    bool run(const std::vector<SearchStart>& starts)
    {
        const std::int64_t most = m_counts.relaxations
                                  + mostRelaxationsPerEdge * static_cast<std::int64_t>(m_graph.edges.size() + 1);
        for (const SearchStart& start : starts) offer(start.node, start.distance, sinkNode);
        while (!m_buckets.empty() && !m_transport.failed()) {
            const TimeNs number = m_buckets.begin()->first;
            std::vector<std::uint32_t> settled;
            while (!m_buckets.empty() && m_buckets.begin()->first == number && !m_transport.failed()) {
                const std::vector<std::uint32_t> nodes = std::move(m_buckets.begin()->second);
                m_buckets.erase(m_buckets.begin());
                for (const std::uint32_t node : nodes) {
                    if (m_labels.distance[node] / m_delta != number) continue;  // moved to an earlier bucket meanwhile
                    settled.push_back(node);
                    relax(node, true);
                }
                if (m_counts.relaxations > most) return false;
            }
            std::sort(settled.begin(), settled.end());
            const auto last = std::unique(settled.begin(), settled.end());
            m_counts.rePushes += settled.end() - last;
            for (auto node = settled.begin(); node != last; ++node) relax(*node, false);
        }
        return true;
    }

private:
    void relax(std::uint32_t node, bool isLight)
    {
        m_transport.pulse();
        for (std::uint64_t e = m_graph.firstEdge[node]; e < m_graph.firstEdge[node + 1]; ++e) {
            const LossEdge& edge = m_graph.edges[e];
            if (!m_frame.uses(edge) || (edge.loss <= m_delta) != isLight || edge.local == noNode) continue;
            ++m_counts.relaxations;
            offer(edge.local, m_labels.distance[node] + edge.loss, m_graph.id[node]);
        }
    }
    void offer(std::uint32_t node, TimeNs distance, NodeId through)
    {
        if (m_labels.offer(node, distance, through)) m_buckets[distance / m_delta].push_back(node);
    }

    Transport& m_transport;
    const LossGraph& m_graph;
    const SearchFrame& m_frame;
    TimeNs m_delta;
    Labels& m_labels;
    SearchCounts& m_counts;
    std::map<TimeNs, std::vector<std::uint32_t>> m_buckets;
};

}  // namespace

SearchFrame searchFrame(Transport& transport, const LossGraph& graph, bool isSplit)
{
    if (!isSplit) return {.isSplit = false, .times = {graph.run}};
    SearchFrame frame{.isSplit = true, .times = std::vector<TimeRange>(graph.segments, TimeRange{maxTime, minTime})};
    const auto widen = [](TimeRange& one, const TimeRange& other) {
        one = {std::min(one.begin, other.begin), std::max(one.end, other.end)};
    };
    for (std::size_t node = 0; node < graph.size(); ++node)
        widen(frame.times[graph.segment[node]], {graph.begin[node], graph.end(node)});
    reduceValues(transport, std::span<TimeRange>(frame.times), widen);
    for (TimeRange& times : frame.times)
        if (times.begin > times.end) times = {0, 0};  // nobody does anything in it
    return frame;
}

std::vector<std::vector<SearchStart>> searchStarts(const LossGraph& graph, const SearchFrame& frame)
{
    std::vector<std::vector<SearchStart>> starts(frame.segments());
    for (std::size_t node = 0; node < graph.size(); ++node) {
        if (!graph.isLast(node, frame.isSplit)) continue;
        const std::uint32_t segment = frame.segmentOf(graph, node);
        starts[segment].push_back({static_cast<std::uint32_t>(node), frame.times[segment].end - graph.end(node)});
    }
    return starts;
}

void dijkstra(Transport& transport, const LossGraph& graph, const SearchFrame& frame,
              const std::vector<SearchStart>& starts, Labels& labels, SearchCounts& counts)
{
    Queue queue;
    const auto offer = [&](std::uint32_t node, TimeNs distance, NodeId through) {
        if (labels.offer(node, distance, through)) queue.emplace(distance, node);
    };
    for (const SearchStart& start : starts) offer(start.node, start.distance, sinkNode);
    while (!queue.empty() && !transport.failed()) {
        transport.pulse();
        const auto [distance, node] = queue.top();
        queue.pop();
        if (distance != labels.distance[node]) continue;
        for (std::uint64_t e = graph.firstEdge[node]; e < graph.firstEdge[node + 1]; ++e) {
            const LossEdge& edge = graph.edges[e];
            if (!frame.uses(edge) || edge.local == noNode) continue;
            ++counts.relaxations;
            offer(edge.local, distance + edge.loss, graph.id[node]);
        }
    }
}

bool deltaStepping(Transport& transport, const LossGraph& graph, const SearchFrame& frame,
                   const std::vector<SearchStart>& starts, TimeNs delta, Labels& labels, SearchCounts& counts)
{
    return DeltaRun(transport, graph, frame, std::max<TimeNs>(1, delta), labels, counts).run(starts);
}

TimeNs meanLoss(Transport& transport, const LossGraph& graph)
{
    struct Sum {
        double loss = 0;
        std::int64_t count = 0;
    } sum;
    std::int64_t exact = 0;  // of this process; doubles of whole numbers add up the same in any order below 2^53
    for (const LossEdge& edge : graph.edges)
        if (edge.loss > 0) {
            exact = saturatingAdd(exact, edge.loss);
            ++sum.count;
        }
    sum.loss = static_cast<double>(exact);
    sum = reduceOne(transport, sum, [](Sum& one, const Sum& other) {
        one.loss += other.loss;
        one.count += other.count;
    });
    return sum.count == 0 ? 1 : std::max<TimeNs>(1, static_cast<TimeNs>(sum.loss / static_cast<double>(sum.count)));
}

}  // namespace longpole
