// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/charts/callgraph.h"

#include "views/drawing/basics/font.h"

#include <QFontMetricsF>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

namespace longpole {

namespace {

constexpr double boxHeight = 24;
constexpr double fontPixels = 11.5;

// The ids of the entry methods that exchange most, ascending.
std::vector<std::uint32_t> chosenEntries(const CommMatrix& matrix, CommMeasure measure, std::size_t most,
                                         std::size_t& omitted)
{
    std::map<std::uint32_t, std::int64_t> amounts;
    for (const CommCell& cell : matrix.cells)
        for (const std::uint32_t end : {cell.from, cell.to})
            amounts[end] = saturatingAdd(amounts[end], amountOf(cell, measure));
    std::vector<std::pair<std::uint32_t, std::int64_t>> ordered(amounts.begin(), amounts.end());
    std::ranges::stable_sort(ordered, [](const auto& a, const auto& b) { return a.second > b.second; });
    omitted = ordered.size() > most ? ordered.size() - most : 0;
    ordered.resize(ordered.size() - omitted);
    std::vector<std::uint32_t> entries;
    entries.reserve(ordered.size());
    for (const auto& [entry, amount] : ordered) entries.push_back(entry);
    std::ranges::sort(entries);
    return entries;
}

// Breadth first from the boxes that no other box calls, then from each that these do not reach (calls in a circle).
void findLayers(CallGraph& graph)
{
    std::vector<int> layer(graph.boxes.size(), -1);
    std::vector<std::vector<std::size_t>> called(graph.boxes.size());
    std::vector<bool> isCalled(graph.boxes.size(), false);
    for (const CallArrow& arrow : graph.arrows) {
        if (arrow.from == arrow.to) continue;
        called[arrow.from].push_back(arrow.to);
        isCalled[arrow.to] = true;
    }
    std::deque<std::size_t> next;
    const auto start = [&](std::size_t box) {
        layer[box] = 0;
        next.push_back(box);
    };
    const auto walk = [&] {
        for (; !next.empty(); next.pop_front())
            for (const std::size_t to : called[next.front()])
                if (layer[to] < 0) {
                    layer[to] = layer[next.front()] + 1;
                    next.push_back(to);
                }
    };
    for (std::size_t i = 0; i < graph.boxes.size(); ++i)
        if (!isCalled[i]) start(i);
    walk();
    for (std::size_t i = 0; i < graph.boxes.size(); ++i) {
        if (layer[i] >= 0) continue;
        start(i);
        walk();
    }
    for (std::size_t i = 0; i < graph.boxes.size(); ++i) graph.boxes[i].layer = layer[i];
}

// The boxes of each layer, ordered by the mean position of those that call them, so that arrows are short and seldom
// cross. A position is a share (0..1) of the layer's length.
std::vector<std::vector<std::size_t>> orderedLayers(const CallGraph& graph)
{
    std::vector<std::vector<std::size_t>> layers;
    std::vector<double> middle(graph.boxes.size(), 0.5);
    for (const CallBox& box : graph.boxes)
        layers.resize(std::max(layers.size(), static_cast<std::size_t>(box.layer) + 1));
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t i = 0; i < graph.boxes.size(); ++i) {
            if (static_cast<std::size_t>(graph.boxes[i].layer) != layer) continue;
            double sum = 0;
            int callers = 0;
            for (const CallArrow& arrow : graph.arrows)
                if (arrow.to == i && graph.boxes[arrow.from].layer < graph.boxes[i].layer) {
                    sum += middle[arrow.from];
                    ++callers;
                }
            order.emplace_back(callers > 0 ? sum / callers : 0.5, i);
        }
        std::ranges::stable_sort(order, {}, &std::pair<double, std::size_t>::first);
        for (std::size_t i = 0; i < order.size(); ++i) {
            layers[layer].push_back(order[i].second);
            middle[order[i].second] = (static_cast<double>(i) + 0.5) / static_cast<double>(order.size());
        }
    }
    return layers;
}

// Layers stand beside each other, or below each other where that leaves boxes more room for their names.
void place(CallGraph& graph, const QRectF& area)
{
    constexpr double widest = 190;
    constexpr double lowestLayer = 38;  // with room for arrows
    const std::vector<std::vector<std::size_t>> layers = orderedLayers(graph);
    if (layers.empty()) return;
    std::size_t longest = 1;
    for (const auto& layer : layers) longest = std::max(longest, layer.size());
    const double beside = std::min(widest, area.width() / static_cast<double>(layers.size()) * 0.72);
    const double below = std::min(widest, area.width() / static_cast<double>(longest) * 0.7);
    const double eachLayer = area.height() / static_cast<double>(layers.size());
    graph.isDownward = below > beside && eachLayer >= lowestLayer;
    for (std::size_t layer = 0; layer < layers.size(); ++layer)
        for (std::size_t i = 0; i < layers[layer].size(); ++i) {
            const double along = (static_cast<double>(layer) + 0.5) / static_cast<double>(layers.size());
            const double across = (static_cast<double>(i) + 0.5) / static_cast<double>(layers[layer].size());
            const QPointF centre(area.left() + (graph.isDownward ? across : along) * area.width(),
                                 area.top() + (graph.isDownward ? along : across) * area.height());
            const double room = area.height() / static_cast<double>(layers[layer].size());
            const double height = graph.isDownward ? boxHeight : std::min(boxHeight, room * 0.8);
            const double width = graph.isDownward ? below : beside;
            graph.boxes[layers[layer][i]].rect = QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height);
        }
}

// To a later layer an arrow goes straight on; within a layer or back it bends around the right sides of the boxes, and
// to the box itself it is a loop above it.
QPainterPath arrowPath(const CallBox& from, const CallBox& to, bool isDownward)
{
    const QRectF& a = from.rect;
    const QRectF& b = to.rect;
    QPainterPath path;
    if (a == b) {
        path.moveTo(a.right() - 26, a.top());
        path.cubicTo(a.right() - 30, a.top() - 14, a.right() - 6, a.top() - 14, a.right() - 10, a.top());
    } else if (to.layer > from.layer && isDownward) {
        const double bend = (b.top() - a.bottom()) * 0.5;
        path.moveTo(a.center().x(), a.bottom());
        path.cubicTo(a.center().x(), a.bottom() + bend, b.center().x(), b.top() - bend, b.center().x(), b.top());
    } else if (to.layer > from.layer) {
        const double bend = (b.left() - a.right()) * 0.5;
        path.moveTo(a.right(), a.center().y());
        path.cubicTo(a.right() + bend, a.center().y(), b.left() - bend, b.center().y(), b.left(), b.center().y());
    } else {
        const double bend = 22 + 0.1 * std::abs(b.center().y() - a.center().y());
        path.moveTo(a.right(), a.center().y());
        path.cubicTo(a.right() + bend, a.center().y(), b.right() + bend, b.center().y(), b.right(), b.center().y());
    }
    return path;
}

void paintHead(QPainter& painter, const QPainterPath& path, const QColor& colour, double width)
{
    const QPointF tip = path.pointAtPercent(1);
    const QPointF before = path.pointAtPercent(0.99);
    const double length = std::max(1e-6, std::hypot(tip.x() - before.x(), tip.y() - before.y()));
    const QPointF along((tip.x() - before.x()) / length, (tip.y() - before.y()) / length);
    const QPointF across(-along.y(), along.x());
    const double size = 5 + width;
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    const QPointF foot = tip - along * size;
    painter.drawPolygon(QPolygonF({tip, foot + across * size * 0.45, foot - across * size * 0.45}));
}

}  // namespace

std::optional<std::size_t> CallGraph::boxAt(QPointF point) const
{
    for (std::size_t i = 0; i < boxes.size(); ++i)
        if (boxes[i].rect.contains(point)) return i;
    return {};
}

CallGraph callGraph(const TraceStore& store, const CommMatrix& matrix, CommMeasure measure, const QRectF& area,
                    std::size_t mostBoxes)
{
    CallGraph graph;
    if (matrix.by != CommBy::Entry) return graph;
    std::map<std::uint32_t, std::size_t> boxOf;
    for (const std::uint32_t entry : chosenEntries(matrix, measure, mostBoxes, graph.omitted)) {
        boxOf[entry] = graph.boxes.size();
        graph.boxes.push_back({.entry = entry, .name = endName(store, CommBy::Entry, entry)});
    }
    double most = 1;
    for (const CommCell& cell : matrix.cells) most = std::max(most, static_cast<double>(amountOf(cell, measure)));
    for (std::size_t i = 0; i < matrix.cells.size(); ++i) {
        const auto from = boxOf.find(matrix.cells[i].from);
        const auto to = boxOf.find(matrix.cells[i].to);
        if (from == boxOf.end() || to == boxOf.end()) continue;
        const double amount = std::max(1.0, static_cast<double>(amountOf(matrix.cells[i], measure)));
        constexpr double thinnest = 0.8;
        constexpr double thickest = 4.5;
        constexpr double decades = 4;  // below the largest
        const double part = std::clamp(1 - std::log10(most / amount) / decades, 0.0, 1.0);
        graph.arrows.push_back({i, from->second, to->second, thinnest + (thickest - thinnest) * part});
    }
    findLayers(graph);
    place(graph, area);
    return graph;
}

void paintCallGraph(QPainter& painter, const CallGraph& graph, const Palette& palette, const Theme& theme,
                    std::optional<std::size_t> hovered)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const CallArrow& arrow : graph.arrows) {
        const bool isStrong = hovered && (arrow.from == *hovered || arrow.to == *hovered);
        const double strength = isStrong ? 1 : hovered ? 0.25 : 0.65;
        const QColor ink(mixed(theme.panel.rgb(), isStrong ? theme.text.rgb() : theme.mutedText.rgb(), strength));
        const QPainterPath path = arrowPath(graph.boxes[arrow.from], graph.boxes[arrow.to], graph.isDownward);
        painter.setPen(QPen(ink, arrow.width));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
        paintHead(painter, path, ink, arrow.width);
    }
    painter.setFont(timelineFont(fontPixels));
    const QFontMetricsF metrics(painter.font());
    for (std::size_t i = 0; i < graph.boxes.size(); ++i) {
        const CallBox& box = graph.boxes[i];
        painter.setPen(QPen(hovered == i ? theme.text : theme.line, 1));
        painter.setBrush(theme.raised);
        painter.drawRoundedRect(box.rect, 4, 4);
        const bool isOutside = box.entry == noSender;
        painter.fillRect(QRectF(box.rect.left() + 7, box.rect.center().y() - 4.5, 9, 9),
                         isOutside ? theme.overhead : QColor(palette.entry(EntryId{box.entry})));
        painter.setPen(theme.text);
        const QRectF room = box.rect.adjusted(22, 0, -6, 0);
        // In a narrow box the method says more than its chare.
        const bool fits = metrics.horizontalAdvance(box.name) <= room.width();
        drawElided(painter, room, fits ? box.name : box.name.section(QStringLiteral("::"), -1));
    }
    painter.restore();
}

}  // namespace longpole
