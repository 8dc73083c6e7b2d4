// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/graphs/graphpainter.h"

#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/drawing/basics/colourscale.h"
#include "views/drawing/basics/curve.h"
#include "views/drawing/basics/font.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <limits>

namespace longpole {

namespace {

constexpr double smallestWords = 6;  // device pixels

class GraphPainter {
public:
    GraphPainter(QPainter& painter, const GraphGeometry& geometry, const Subgraph& graph, const GraphStyle& style,
                 QRectF visible)
        : m_painter(painter), m_geometry(geometry), m_graph(graph), m_style(style), m_theme(*style.theme),
          m_visible(visible)
    {
    }

    void paint()
    {
        m_painter.setRenderHint(QPainter::Antialiasing);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_theme.gridLine, 1));
        for (const GraphLane& lane : m_geometry.lanes) {
            const double y = lane.top + lane.height / 2;
            m_painter.drawLine(QPointF(0, y), QPointF(m_geometry.size.width(), y));
        }
        for (const bool onPath : {false, true})
            for (std::size_t i = 0; i < m_graph.edges.size(); ++i)
                if (m_graph.edges[i].onPath == onPath) paintLine(m_graph.edges[i], m_geometry.lines[i]);
        for (std::size_t i = 0; i < m_graph.nodes.size(); ++i)
            if (isVisible(m_geometry.boxes[i].rect)) paintBox(i);
    }

private:
    bool isVisible(const QRectF& rect) const
    {
        return m_visible.isEmpty() || rect.adjusted(-8, -8, 8, 8).intersects(m_visible);
    }

    void paintLine(const Subgraph::Edge& edge, const GraphLine& line)
    {
        const QPainterPath path = roundedLine(line.points, 6);
        if (!isVisible(path.controlPointRect())) return;
        const QPen pen = graphPen(edge.kind, edge.onPath, m_theme);
        m_painter.setPen(pen);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawPath(path);
        const double size = (m_geometry.dots ? 3 : 5) + pen.widthF();
        const QPointF tip = line.points.back();
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(pen.color());
        m_painter.drawPolygon(QPolygonF({tip, tip + QPointF(-size, -size / 2), tip + QPointF(-size, size / 2)}));
    }

    void paintBox(std::size_t i)
    {
        const Subgraph::Node& node = m_graph.nodes[i];
        const QRectF rect = m_geometry.boxes[i].rect;
        const QColor fill = graphFill(node.entry, node.onPath, *m_style.palette, m_theme);
        const double corner = m_geometry.dots ? rect.height() / 2 : 6;
        const bool isSelected = static_cast<int>(i) == m_style.selected;
        m_painter.setPen(isSelected ? QPen(m_theme.selection, 2.5)
                                    : (node.onPath ? QPen(m_theme.accent, 2.4) : QPen(m_theme.line, 1)));
        m_painter.setBrush(fill);
        m_painter.drawRoundedRect(rect, corner, corner);
        if (!m_geometry.dots) paintWords(node, rect.adjusted(8, 3, -8, -3), QColor(inkOn(fill.rgb())));
    }

    void paintWords(const Subgraph::Node& node, const QRectF& rect, QColor ink)
    {
        constexpr double large = 11.5;
        constexpr double small = 10;
        if (small * m_style.zoom < smallestWords) return;
        const Entry* entry = m_style.names ? m_style.names->entry(node.entry) : nullptr;
        const QRectF upper(rect.left(), rect.top(), rect.width(), rect.height() / 2);
        words(upper, entry ? fittingName(entryName(*entry), upper.width(), large) : QString(), large, ink);
        ink.setAlpha(210);
        words(upper.translated(0, rect.height() / 2),
              toText(node.id) % QStringLiteral(" · ") % formatTime(node.end - node.begin), small, ink);
    }

    // The method alone where its chare has no room.
    static QString fittingName(const QString& name, double width, double size)
    {
        const qsizetype method = name.lastIndexOf(QLatin1String("::"));
        if (method < 0 || QFontMetricsF(timelineFont(size)).horizontalAdvance(name) <= width) return name;
        return name.mid(method + 2);
    }

    void words(const QRectF& rect, const QString& text, double size, const QColor& ink)
    {
        m_painter.setFont(timelineFont(size));
        m_painter.setPen(ink);
        drawElided(m_painter, rect, text, Qt::AlignLeft, Qt::ElideMiddle);
    }

    QPainter& m_painter;
    const GraphGeometry& m_geometry;
    const Subgraph& m_graph;
    const GraphStyle& m_style;
    const Theme& m_theme;
    QRectF m_visible;
};

}  // namespace

void paintGraph(QPainter& painter, const GraphGeometry& geometry, const Subgraph& graph, const GraphStyle& style,
                QRectF visible)
{
    painter.save();
    GraphPainter(painter, geometry, graph, style, visible).paint();
    painter.restore();
}

QString laneName(Vocabulary vocabulary, const GraphLane& lane)
{
    return vocabulary.say(tr("PE %1"), tr("Rank %1")).arg(index(lane.pe));
}

void paintGraphLanes(QPainter& painter, const GraphGeometry& geometry, double width, double scale, double top,
                     const Theme& theme, Vocabulary vocabulary)
{
    const double height = 16;
    painter.setFont(timelineFont(11.5));
    painter.setPen(theme.mutedText);
    double last = -height;
    for (const GraphLane& lane : geometry.lanes) {
        const double centre = top + (lane.top + lane.height / 2) * scale;
        if (centre - last < height * 0.85) continue;  // no room
        last = centre;
        painter.drawText(QRectF(0, centre - height / 2, width, height), Qt::AlignRight | Qt::AlignVCenter,
                         laneName(vocabulary, lane));
    }
}

void paintGraphTimes(QPainter& painter, const GraphGeometry& geometry, double height, double scale, double left,
                     TimeNs zero, const Theme& theme)
{
    if (geometry.columns.empty()) return;
    const QFont font = timelineFont(11);
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    painter.setPen(theme.faintText);
    TimeNs resolution = maxTime;
    for (std::size_t i = 1; i < geometry.columns.size(); ++i)
        if (const TimeNs step = saturatingSubtract(geometry.columns[i].begin, geometry.columns[i - 1].begin); step > 0)
            resolution = std::min(resolution, step);
    if (resolution == maxTime) resolution = 1000;
    double free = std::numeric_limits<double>::lowest();
    for (const GraphColumn& column : geometry.columns) {
        const double x = left + column.left * scale;
        if (x < free) continue;
        const QString text = formatTimeAt(saturatingSubtract(column.begin, zero), resolution);
        const double width = metrics.horizontalAdvance(text);
        painter.drawText(QRectF(x, 0, width + 2, height), Qt::AlignLeft | Qt::AlignVCenter, text);
        free = x + width + 16;
    }
}

std::vector<GraphKind> graphKinds(const Subgraph& graph, Vocabulary vocabulary)
{
    const GraphKind all[] = {{PathEdge::Message, false, tr("message")},
                             {PathEdge::Order, false, vocabulary.say(tr("order on a PE"), tr("order on a rank"))},
                             {PathEdge::RecordedMerge, false, tr("merge, recorded")},
                             {PathEdge::InferredMerge, false, tr("merge, inferred")},
                             {PathEdge::Message, true, tr("critical path")}};
    std::vector<GraphKind> kinds;
    for (const GraphKind& kind : all)
        if (std::any_of(graph.edges.begin(), graph.edges.end(), [&kind](const Subgraph::Edge& edge) {
                return kind.onPath ? edge.onPath : edge.kind == kind.kind;
            }))
            kinds.push_back(kind);
    return kinds;
}

double paintGraphKind(QPainter* painter, const GraphKind& kind, double height, const Theme& theme)
{
    constexpr double sample = 26;
    const QFont font = timelineFont(11.5);
    const double width = QFontMetricsF(font).horizontalAdvance(kind.text);
    if (painter) {
        painter->setPen(graphPen(kind.kind, kind.onPath, theme));
        painter->drawLine(QPointF(0, height / 2), QPointF(sample, height / 2));
        painter->setFont(font);
        painter->setPen(theme.mutedText);
        painter->drawText(QRectF(sample + 6, 0, width + 2, height),
                          Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, kind.text);
    }
    return sample + 6 + width + 20;
}

QPen graphPen(PathEdge kind, bool onPath, const Theme& theme)
{
    const bool isMerge = kind == PathEdge::RecordedMerge || kind == PathEdge::InferredMerge;
    const QColor colour = onPath ? theme.accent : (isMerge ? theme.utilization : theme.faintText);
    QPen pen(colour, onPath ? 2.4 : (isMerge ? 1.6 : 1.1));
    pen.setCapStyle(Qt::FlatCap);
    if (kind == PathEdge::InferredMerge) pen.setDashPattern({5, 3});
    if (kind == PathEdge::Order && !onPath) pen.setDashPattern({1.5, 2.5});
    return pen;
}

QColor graphFill(EntryId entry, bool onPath, const Palette& palette, const Theme& theme)
{
    const QRgb colour = palette.entry(entry);
    return QColor::fromRgb(onPath ? colour : mixed(colour, theme.panel.rgb(), 0.45));
}

}  // namespace longpole
