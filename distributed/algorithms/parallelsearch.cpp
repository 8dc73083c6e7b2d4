// SPDX-License-Identifier: GPL-3.0-or-later
// Searches by all processes together: in topological order, Dijkstra's with one node a process and round, and
// Delta-stepping with common buckets (Korkhov et al. 2023, sections 4.3 and 4.4).
#include "distributed/algorithms/search.h"

#include "core/base/translate.h"
#include "distributed/algorithms/passes.h"
#include "distributed/transport/records.h"

#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <utility>

namespace longpole {

namespace {

constexpr std::int64_t mostRelaxationsPerEdgeOfAll = 50;

// What an edge offers to its source, which another process has.
struct Offer {
    NodeId source;
    TimeNs distance;
    NodeId through;
};

std::int64_t sumOfAll(Transport& transport, std::int64_t value)
{
    return reduceOne(transport, value, [](std::int64_t& one, std::int64_t other) { one += other; });
}

// Takes edges apart into those whose source is here and those that go to its process; exchanges the latter in a round.
class Relaxer {
public:
    explicit Relaxer(SharedSearch& search) : m_search(search), m_out(emptyPieces(search.transport)) {}

    // Relaxes the edges into `node` that `choose` takes; accept(node, distance, through) gets what is offered here.
    template <typename Choose, typename Accept>
    void relax(std::uint32_t node, Choose choose, Accept accept)
    {
        if (++m_relaxed % relaxedPerPulse == 0) m_search.transport.pulse();
        const LossGraph& graph = m_search.graph;
        const TimeNs distance = m_search.labels.distance[node];
        for (std::uint64_t e = graph.firstEdge[node]; e < graph.firstEdge[node + 1]; ++e) {
            const LossEdge& edge = graph.edges[e];
            if (!m_search.frame.uses(edge) || !choose(edge)) continue;
            ++m_search.counts.relaxations;
            const TimeNs offered = distance == unreached ? unreached : distance + edge.loss;
            if (edge.local != noNode) {
                accept(edge.local, offered, graph.id[node]);
                continue;
            }
            const auto owner = static_cast<std::size_t>(graph.ownerOf(rankOf(edge.source)));
            appendRecord(m_out[owner], Offer{edge.source, offered, graph.id[node]});
        }
    }

    // A round: all processes call it.
    template <typename Accept>
    void exchange(Accept accept)
    {
        ++m_search.counts.rounds;
        Transport& transport = m_search.transport;
        transport.exchange(pass::relaxations, std::exchange(m_out, emptyPieces(transport)),
                           [&](int, const Payload& bytes) {
                               forEachRecord<Offer>(transport, bytes, [&](const Offer& offer) {
                                   const std::uint32_t node = m_search.graph.find(offer.source);
                                   if (node != noNode) accept(node, offer.distance, offer.through);
                               });
                           });
    }

private:
    static constexpr unsigned relaxedPerPulse = 64;

    SharedSearch& m_search;
    std::vector<Payload> m_out;  // by process
    unsigned m_relaxed = 0;      // nodes
};

// Of the segments that are searched, which follow each other; by place, the first one's is 0. Those in which nothing is
// left to do cost nothing: a run may have a million of them, and one that takes a million rounds.
class ActiveSegments {
public:
    explicit ActiveSegments(std::size_t segments) : m_isActive(segments, false) {}

    void add(std::uint32_t place)
    {
        if (m_isActive[place]) return;
        m_isActive[place] = true;
        m_places.push_back(place);
    }
    std::vector<std::uint32_t> take()
    {
        for (const std::uint32_t place : m_places) m_isActive[place] = false;
        return std::exchange(m_places, {});
    }
    const std::vector<std::uint32_t>& places() const { return m_places; }

private:
    std::vector<std::uint32_t> m_places;
    std::vector<bool> m_isActive;  // by place
};

class DijkstraRun {
public:
    DijkstraRun(SharedSearch& search, const std::vector<std::uint32_t>& segments)
        : m_search(search), m_relaxer(search), m_segments(segments), m_queues(segments.size()),
          m_active(segments.size())
    {
        m_search.wasTaken.resize(search.graph.size(), false);
    }

    void run()
    {
        for (const std::uint32_t segment : m_segments)
            for (const SearchStart& start : m_search.starts[segment]) offer(start.node, start.distance, sinkNode);
        const auto accept = [this](std::uint32_t node, TimeNs distance, NodeId through) {
            offer(node, distance, through);
        };
        do {
            for (const std::uint32_t place : m_active.take()) {
                const std::uint32_t node = takeLeast(m_queues[place]);
                if (node != noNode) {
                    m_search.wasTaken[node] = true;
                    m_relaxer.relax(
                        node, [](const LossEdge&) { return true; }, accept);
                }
                if (!m_queues[place].empty()) m_active.add(place);
            }
            m_relaxer.exchange(accept);
        } while (!m_search.transport.failed() && sumOfAll(m_search.transport, hasAny() ? 1 : 0) > 0);
    }

private:
    using Entry = std::pair<TimeNs, std::uint32_t>;
    using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

    void offer(std::uint32_t node, TimeNs distance, NodeId through)
    {
        if (!m_search.labels.offer(node, distance, through)) return;
        if (m_search.wasTaken[node]) ++m_search.counts.rePushes;
        const std::uint32_t place = m_search.frame.segmentOf(m_search.graph, node) - m_segments.front();
        m_queues[place].emplace(distance, node);
        m_active.add(place);
    }
    void dropOutdated(Queue& queue) const
    {
        while (!queue.empty() && queue.top().first != m_search.labels.distance[queue.top().second]) queue.pop();
    }
    std::uint32_t takeLeast(Queue& queue)
    {
        dropOutdated(queue);
        if (queue.empty()) return noNode;
        const std::uint32_t node = queue.top().second;
        queue.pop();
        return node;
    }
    bool hasAny()
    {
        for (const std::uint32_t place : m_active.take()) {
            dropOutdated(m_queues[place]);
            if (!m_queues[place].empty()) m_active.add(place);
        }
        return !m_active.places().empty();
    }

    SharedSearch& m_search;
    Relaxer m_relaxer;
    const std::vector<std::uint32_t>& m_segments;
    std::vector<Queue> m_queues;  // by place
    ActiveSegments m_active;
};

class BucketsRun {
public:
    BucketsRun(SharedSearch& search, const std::vector<std::uint32_t>& segments, TimeNs delta)
        : m_search(search), m_relaxer(search), m_segments(segments), m_delta(delta), m_buckets(segments.size()),
          m_current(segments.size(), noBucket), m_settled(segments.size()), m_light(segments.size())
    {
        for (std::uint32_t place = 0; place < segments.size(); ++place) m_left.push_back(place);
    }

    bool run()
    {
        Transport& transport = m_search.transport;
        const std::int64_t most = mostRelaxationsPerEdgeOfAll
                                  * (1 + sumOfAll(transport, static_cast<std::int64_t>(m_search.graph.edges.size())));
        const std::int64_t before = m_search.counts.relaxations;
        for (const std::uint32_t segment : m_segments)
            for (const SearchStart& start : m_search.starts[segment]) offer(start.node, start.distance, sinkNode);
        while (chooseBuckets()) {
            std::array<std::int64_t, 2> sums{};  // nodes that fell into the buckets again; relaxations
            do {
                for (const std::uint32_t place : m_light.take()) relaxLight(place);
                exchange();
                sums = {inCurrent(), m_search.counts.relaxations - before};
                reduceValues(transport, std::span<std::int64_t>(sums),
                             [](std::int64_t& one, std::int64_t other) { one += other; });
                if (transport.failed() || sums[1] > most) return false;
            } while (sums[0] > 0);
            for (const std::uint32_t place : m_left) relaxHeavy(place);
            exchange();
        }
        return !transport.failed();
    }

private:
    static constexpr TimeNs noBucket = std::numeric_limits<TimeNs>::max();
    using Buckets = std::map<TimeNs, std::vector<std::uint32_t>>;

    // The least bucket of each segment that any process has; false: there is none. A segment in which nobody has one
    // is done, as no edge that is used leads into it from another.
    bool chooseBuckets()
    {
        std::vector<TimeNs> least;
        for (const std::uint32_t place : m_left)
            least.push_back(m_buckets[place].empty() ? noBucket : m_buckets[place].begin()->first);
        reduceValues(m_search.transport, std::span<TimeNs>(least),
                     [](TimeNs& one, TimeNs other) { one = std::min(one, other); });
        std::vector<std::uint32_t> left;
        for (std::size_t i = 0; i < m_left.size(); ++i) {
            m_current[m_left[i]] = least[i];
            if (least[i] == noBucket) continue;
            left.push_back(m_left[i]);
            if (m_buckets[m_left[i]].contains(least[i])) m_light.add(m_left[i]);
        }
        m_left = std::move(left);
        return !m_search.transport.failed() && !m_left.empty();
    }

    void relaxLight(std::uint32_t place)
    {
        const auto found = m_buckets[place].find(m_current[place]);
        if (found == m_buckets[place].end()) return;
        const std::vector<std::uint32_t> nodes = std::move(found->second);
        m_buckets[place].erase(found);
        for (const std::uint32_t node : nodes) {
            if (m_search.labels.distance[node] / m_delta != m_current[place]) continue;
            m_settled[place].push_back(node);
            relax(node, true);
        }
    }
    void relaxHeavy(std::uint32_t place)
    {
        std::vector<std::uint32_t> nodes = std::exchange(m_settled[place], {});
        std::sort(nodes.begin(), nodes.end());
        const auto last = std::unique(nodes.begin(), nodes.end());
        m_search.counts.rePushes += nodes.end() - last;
        for (auto node = nodes.begin(); node != last; ++node) relax(*node, false);
    }
    void relax(std::uint32_t node, bool isLight)
    {
        m_relaxer.relax(
            node, [&](const LossEdge& edge) { return (edge.loss <= m_delta) == isLight; },
            [this](std::uint32_t to, TimeNs distance, NodeId through) { offer(to, distance, through); });
    }
    void exchange()
    {
        m_relaxer.exchange([this](std::uint32_t node, TimeNs distance, NodeId through) {
            offer(node, distance, through);
        });
    }
    void offer(std::uint32_t node, TimeNs distance, NodeId through)
    {
        if (!m_search.labels.offer(node, distance, through)) return;
        const std::uint32_t place = m_search.frame.segmentOf(m_search.graph, node) - m_segments.front();
        m_buckets[place][distance / m_delta].push_back(node);
        if (distance / m_delta == m_current[place]) m_light.add(place);
    }
    std::int64_t inCurrent() const
    {
        std::int64_t nodes = 0;
        for (const std::uint32_t place : m_light.places())
            if (const auto found = m_buckets[place].find(m_current[place]); found != m_buckets[place].end())
                nodes += static_cast<std::int64_t>(found->second.size());
        return nodes;
    }

    SharedSearch& m_search;
    Relaxer m_relaxer;
    const std::vector<std::uint32_t>& m_segments;
    TimeNs m_delta;
    std::vector<Buckets> m_buckets;                     // by place
    std::vector<TimeNs> m_current;                      // by place: the bucket that is emptied
    std::vector<std::vector<std::uint32_t>> m_settled;  // by place: nodes that were in it, some more than once
    std::vector<std::uint32_t> m_left;                  // places in which any process has buckets
    ActiveSegments m_light;                             // in whose current bucket this process has nodes
};

}  // namespace

void topologicalOrder(SharedSearch& search)
{
    const LossGraph& graph = search.graph;
    std::vector<std::uint32_t> missing = search.frame.isSplit ? graph.leavingInside : graph.leaving;
    std::vector<std::uint32_t> ready;
    for (const std::vector<SearchStart>& ofSegment : search.starts)
        for (const SearchStart& start : ofSegment) search.labels.offer(start.node, start.distance, sinkNode);
    for (std::uint32_t node = 0; node < graph.size(); ++node)
        if (missing[node] == 0) ready.push_back(node);
    Relaxer relaxer(search);
    std::int64_t left = static_cast<std::int64_t>(graph.size());
    const auto accept = [&](std::uint32_t node, TimeNs distance, NodeId through) {
        if (distance != unreached) search.labels.offer(node, distance, through);
        if (missing[node] > 0 && --missing[node] == 0) ready.push_back(node);
    };
    std::array<std::int64_t, 2> sums{};  // nodes that are left; nodes that can go on
    do {
        while (!ready.empty()) {
            const std::uint32_t node = ready.back();
            ready.pop_back();
            --left;
            relaxer.relax(
                node, [](const LossEdge&) { return true; }, accept);
        }
        relaxer.exchange(accept);
        sums = {left, static_cast<std::int64_t>(ready.size())};
        reduceValues(search.transport, std::span<std::int64_t>(sums),
                     [](std::int64_t& one, std::int64_t other) { one += other; });
    } while (sums[1] > 0 && !search.transport.failed());
    if (sums[0] > 0)
        search.transport.fail(
            {.what = tr("%1 tasks wait for each other in a circle.").arg(sums[0]),
             .where = {},
             .hint = tr("They begin at the same instant; longpole critical-path leaves an edge out.")});
}

void parallelDijkstra(SharedSearch& search, const std::vector<std::uint32_t>& segments)
{
    DijkstraRun(search, segments).run();
}

bool parallelDeltaStepping(SharedSearch& search, const std::vector<std::uint32_t>& segments, TimeNs delta)
{
    return BucketsRun(search, segments, std::max<TimeNs>(1, delta)).run();
}

}  // namespace longpole
