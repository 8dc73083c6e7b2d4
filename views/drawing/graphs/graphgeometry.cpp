// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/graphs/graphgeometry.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

namespace longpole {

namespace {

struct Measures {
    QSizeF box;
    double gap;      // between columns, without the tracks in it
    double channel;  // between lanes, without the tracks in it
    double track;    // distance of lines that run beside each other
    double most;     // width of all tracks of a gap or channel: where more are needed they are nearer to each other
};
constexpr Measures boxMeasures{{140, 36}, 26, 18, 5, 100};
constexpr Measures dotMeasures{{14, 14}, 10, 10, 3, 14};

// Lines of one kind that leave a task at the same moment, upwards or downwards, share their way until they part.
using Net = std::tuple<std::uint32_t, TimeNs, PathEdge, bool>;  // source, offset, kind, upwards

// A net's way through a Room, in half steps: columns and lanes have odd numbers, gaps and channels even ones.
struct Track {
    int from = 0;
    int to = 0;
    int number = 0;  // its place among the tracks of the room
};

// The room for lines between boxes: gap g is right of column g, channel k above lane k (the last one below all lanes).
struct Room {
    std::map<Net, Track> tracks;
    int count = 0;

    void use(const Net& net, int a, int b)
    {
        const auto [at, isNew] = tracks.try_emplace(net, Track{std::min(a, b), std::max(a, b)});
        if (isNew) return;
        at->second.from = std::min({at->second.from, a, b});
        at->second.to = std::max({at->second.to, a, b});
    }

    // Gives each track the first place that is free from where it begins, in the order of their begins.
    void assign()
    {
        std::vector<Track*> order;
        for (auto& [net, track] : tracks) order.push_back(&track);
        std::stable_sort(order.begin(), order.end(), [](const Track* a, const Track* b) {
            return std::pair(a->from, b->to) < std::pair(b->from, a->to);
        });
        using Taken = std::pair<int, int>;  // until where, and which place
        std::priority_queue<Taken, std::vector<Taken>, std::greater<>> taken;
        std::priority_queue<int, std::vector<int>, std::greater<>> free;
        for (Track* track : order) {
            for (; !taken.empty() && taken.top().first < track->from; taken.pop()) free.push(taken.top().second);
            if (free.empty()) free.push(count++);
            track->number = free.top();
            free.pop();
            taken.emplace(track->to, track->number);
        }
    }

    double width(double base, const Measures& measures) const
    {
        return base + std::min(measures.most, measures.track * count);
    }
    // Of a net's track, from the room's left or upper edge.
    double position(const Net& net, double base, const Measures& measures) const
    {
        return base / 2 + (width(base, measures) - base) * (tracks.at(net).number + 0.5) / std::max(1, count);
    }
};

int columnStep(int column) { return 2 * column + 1; }
int gapStep(int gap) { return 2 * gap + 2; }
int laneStep(int lane) { return 2 * lane + 1; }
int channelStep(int channel) { return 2 * channel; }

class GraphLayout {
public:
    GraphLayout(const Subgraph& graph, const Measures& measures) : m_graph(graph), m_measures(measures) {}

    GraphGeometry make()
    {
        placeLanes();
        placeColumns();
        m_gaps.resize(m_columns.size());
        m_channels.resize(m_pes.size() + 1);
        for (const Subgraph::Edge& edge : m_graph.edges)
            if (edge.kind != PathEdge::Order) reserve(edge);
        for (Room& gap : m_gaps) gap.assign();
        for (Room& channel : m_channels) channel.assign();
        GraphGeometry geometry;
        geometry.boxes.resize(m_graph.nodes.size());
        placeBoxes(geometry);
        for (const Subgraph::Edge& edge : m_graph.edges) geometry.lines.push_back({lineOf(edge, geometry)});
        return geometry;
    }

private:
    void placeLanes()
    {
        for (const Subgraph::Node& node : m_graph.nodes) m_pes.push_back(node.id.pe);
        std::sort(m_pes.begin(), m_pes.end());
        m_pes.erase(std::unique(m_pes.begin(), m_pes.end()), m_pes.end());
        for (const Subgraph::Node& node : m_graph.nodes) {
            const auto lane = std::lower_bound(m_pes.begin(), m_pes.end(), node.id.pe);
            m_lane.push_back(static_cast<int>(lane - m_pes.begin()));
        }
    }

    void placeColumns()
    {
        std::vector<int> next(m_pes.size(), 0);  // first free column of each lane
        std::vector<int> least(m_graph.nodes.size(), 0);
        auto edge = m_graph.edges.begin();
        int column = 0;
        for (std::uint32_t node = 0; node < m_graph.nodes.size(); ++node) {
            int& free = next[static_cast<std::size_t>(m_lane[node])];
            column = std::max(column, free);
            for (; edge != m_graph.edges.end() && edge->target == node; ++edge)
                column = std::max(column, m_column[edge->source] + 1);
            m_column.push_back(column);
            free = column + 1;
            if (static_cast<std::size_t>(column) >= m_columns.size())
                m_columns.resize(static_cast<std::size_t>(column) + 1, {0, m_graph.nodes[node].begin});
        }
    }

    int lane(std::uint32_t node) const { return m_lane[node]; }
    int column(std::uint32_t node) const { return m_column[node]; }
    Room& gap(int number) { return m_gaps[static_cast<std::size_t>(number)]; }
    Room& channel(int number) { return m_channels[static_cast<std::size_t>(number)]; }

    bool isUpwards(const Subgraph::Edge& edge) const { return lane(edge.target) < lane(edge.source); }
    Net netOf(const Subgraph::Edge& edge) const { return {edge.source, edge.offset, edge.kind, isUpwards(edge)}; }
    // The channel that a line enters from its source, and the one through which it comes to its target's lane.
    int firstChannel(const Subgraph::Edge& edge) const { return lane(edge.source) + (isUpwards(edge) ? 0 : 1); }
    bool comesFromBelow(const Subgraph::Edge& edge) const { return lane(edge.target) <= lane(edge.source); }
    int lastChannel(const Subgraph::Edge& edge) const { return lane(edge.target) + (comesFromBelow(edge) ? 1 : 0); }
    bool isNext(const Subgraph::Edge& edge) const { return column(edge.target) == column(edge.source) + 1; }

    void reserve(const Subgraph::Edge& edge)
    {
        const Net net = netOf(edge);
        const int trunk = column(edge.source);
        channel(firstChannel(edge)).use(net, columnStep(column(edge.source)), gapStep(trunk));
        if (isNext(edge)) {
            gap(trunk).use(net, channelStep(firstChannel(edge)), laneStep(lane(edge.target)));
            return;
        }
        const int last = column(edge.target) - 1;
        gap(trunk).use(net, channelStep(firstChannel(edge)), channelStep(lastChannel(edge)));
        channel(lastChannel(edge)).use(net, gapStep(trunk), gapStep(last));
        gap(last).use(net, channelStep(lastChannel(edge)), laneStep(lane(edge.target)));
    }

    void placeBoxes(GraphGeometry& geometry)
    {
        double x = m_measures.gap / 2;
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            m_columns[i].left = x;
            x += m_measures.box.width() + m_gaps[i].width(m_measures.gap, m_measures);
        }
        double y = 0;
        for (std::size_t i = 0; i < m_pes.size(); ++i) {
            m_channelTop.push_back(y);
            y += m_channels[i].width(m_measures.channel, m_measures);
            geometry.lanes.push_back({m_pes[i], y, m_measures.box.height()});
            y += m_measures.box.height();
        }
        m_channelTop.push_back(y);
        y += m_channels.back().width(m_measures.channel, m_measures);
        for (std::uint32_t node = 0; node < m_graph.nodes.size(); ++node) {
            const QPointF corner(m_columns[static_cast<std::size_t>(column(node))].left,
                                 geometry.lanes[static_cast<std::size_t>(lane(node))].top);
            geometry.boxes[node] = {QRectF(corner, m_measures.box), column(node), lane(node)};
        }
        geometry.columns = m_columns;
        geometry.size = {x, y};
    }

    double trackX(int number, const Net& net)
    {
        const double right = m_columns[static_cast<std::size_t>(number)].left + m_measures.box.width();
        return right + gap(number).position(net, m_measures.gap, m_measures);
    }
    double trackY(int number, const Net& net)
    {
        return m_channelTop[static_cast<std::size_t>(number)]
               + channel(number).position(net, m_measures.channel, m_measures);
    }

    std::vector<QPointF> lineOf(const Subgraph::Edge& edge, const GraphGeometry& geometry)
    {
        const QRectF from = geometry.boxes[edge.source].rect;
        const QRectF to = geometry.boxes[edge.target].rect;
        if (edge.kind == PathEdge::Order) return {{from.right(), from.center().y()}, {to.left(), to.center().y()}};
        const Net net = netOf(edge);
        const int trunk = column(edge.source);
        const double x = leavingX(edge, from);
        const double y = trackY(firstChannel(edge), net);
        const double enterY = to.center().y() + (comesFromBelow(edge) ? 0.24 : -0.24) * to.height();
        std::vector<QPointF> points{{x, isUpwards(edge) ? from.top() : from.bottom()}, {x, y}, {trackX(trunk, net), y}};
        if (!isNext(edge)) {
            const int last = column(edge.target) - 1;
            const double lastY = trackY(lastChannel(edge), net);
            points.emplace_back(trackX(trunk, net), lastY);
            points.emplace_back(trackX(last, net), lastY);
        }
        points.emplace_back(points.back().x(), enterY);
        points.emplace_back(to.left(), enterY);
        return points;
    }

    // Where a line leaves its source's box: as far along the box as the send lay in the task.
    double leavingX(const Subgraph::Edge& edge, const QRectF& box) const
    {
        const Subgraph::Node& source = m_graph.nodes[edge.source];
        const double length = static_cast<double>(saturatingSubtract(source.end, source.begin));
        const double share = length > 0 ? std::clamp(static_cast<double>(edge.offset) / length, 0.0, 1.0) : 0.5;
        const double inset = box.width() / 10;
        return box.left() + inset + share * (box.width() - 2 * inset);
    }

    const Subgraph& m_graph;
    const Measures& m_measures;
    std::vector<ProcessorId> m_pes;     // by lane
    std::vector<int> m_lane, m_column;  // by node
    std::vector<GraphColumn> m_columns;
    std::vector<Room> m_gaps, m_channels;
    std::vector<double> m_channelTop;
};

}  // namespace

GraphGeometry graphGeometry(const Subgraph& graph, double most)
{
    GraphGeometry geometry = GraphLayout(graph, boxMeasures).make();
    if (geometry.size.width() <= most && geometry.size.height() <= most) return geometry;
    geometry = GraphLayout(graph, dotMeasures).make();
    geometry.dots = true;
    return geometry;
}

int nodeAt(const GraphGeometry& geometry, QPointF at)
{
    for (std::size_t i = 0; i < geometry.boxes.size(); ++i)
        if (geometry.boxes[i].rect.contains(at)) return static_cast<int>(i);
    return -1;
}

}  // namespace longpole
