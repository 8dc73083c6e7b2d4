// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/graphs/graphrender.h"

#include "analysis/base/naming.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/drawing/basics/font.h"
#include "views/drawing/basics/picture.h"
#include "views/drawing/graphs/graphgeometry.h"
#include "views/drawing/graphs/graphpainter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <map>

namespace longpole {

namespace {

constexpr double imageMargin = 16;
constexpr double titleHeight = 30;
constexpr double timesHeight = 22;
constexpr double legendLine = 20;

class GraphSheet {
public:
    GraphSheet(const TraceStore& store, const GraphPicture& picture)
        : m_store(store), m_graph(*picture.graph), m_theme(picture.theme),
          m_palette(store, picture.theme, picture.palette), m_geometry(graphGeometry(m_graph))
    {
        const QFontMetricsF metrics(timelineFont(11.5));
        for (const GraphLane& lane : m_geometry.lanes)
            m_left = std::max(m_left, metrics.horizontalAdvance(laneName(store.words(), lane)));
        m_left += imageMargin + 10;
        const double title = QFontMetricsF(titleFont()).horizontalAdvance(titleText()) + 14
                             + QFontMetricsF(timelineFont(12)).horizontalAdvance(omittedText(m_graph));
        m_width = std::max({480.0, m_left + m_geometry.size.width() + imageMargin, title + 2 * imageMargin});
        m_top = imageMargin + titleHeight + timesHeight;
        m_legendHeight = paintLegend(nullptr);
        m_height = m_top + m_geometry.size.height() + 10 + m_legendHeight + imageMargin;
    }

    QSize size() const { return {static_cast<int>(std::ceil(m_width)), static_cast<int>(std::ceil(m_height))}; }

    void paint(QPainter& painter)
    {
        painter.fillRect(QRectF(0, 0, m_width, m_height), m_theme.window);
        paintTitle(painter);
        painter.save();
        painter.translate(0, m_top - timesHeight);
        paintGraphTimes(painter, m_geometry, timesHeight, 1, m_left, m_store.info().begin, m_theme);
        painter.restore();
        painter.fillRect(QRectF(m_left, m_top, m_geometry.size.width(), m_geometry.size.height()), m_theme.panel);
        paintGraphLanes(painter, m_geometry, m_left - 10, 1, m_top, m_theme, m_store.words());
        painter.save();
        painter.translate(m_left, m_top);
        paintGraph(painter, m_geometry, m_graph, {.theme = &m_theme, .palette = &m_palette, .names = &m_store});
        painter.restore();
        painter.translate(imageMargin, m_top + m_geometry.size.height() + 10);
        paintLegend(&painter);
    }

private:
    static QFont titleFont() { return timelineFont(14, QFont::DemiBold); }
    QString titleText() const
    {
        return tr("Activity graph: %1 tasks, %2 dependencies")
            .arg(formatCount(static_cast<std::int64_t>(m_graph.nodes.size())),
                 formatCount(static_cast<std::int64_t>(m_graph.edges.size())));
    }

    void paintTitle(QPainter& painter) const
    {
        painter.setFont(titleFont());
        painter.setPen(m_theme.text);
        painter.drawText(QPointF(imageMargin, imageMargin + 14), titleText());
        const double x = imageMargin + QFontMetricsF(titleFont()).horizontalAdvance(titleText()) + 14;
        painter.setFont(timelineFont(12));
        painter.setPen(m_theme.warning);
        painter.drawText(QPointF(x, imageMargin + 14), omittedText(m_graph));
    }

    // The entry methods with most boxes, then the kinds of lines. Returns the height; a null painter only measures.
    double paintLegend(QPainter* painter) const
    {
        constexpr std::size_t most = 14;
        std::map<EntryId, int> boxes;
        for (const Subgraph::Node& node : m_graph.nodes) ++boxes[node.entry];
        std::vector<std::pair<EntryId, int>> entries(boxes.begin(), boxes.end());
        std::stable_sort(entries.begin(), entries.end(),
                         [](const auto& a, const auto& b) { return a.second > b.second; });
        if (entries.size() > most) entries.resize(most);
        QPointF at(0, 0);
        // `paint` returns its width and, given null, only measures: it is called twice to find a line that has room.
        const auto put = [&](const auto& paint) {
            const double width = paint(nullptr);
            if (at.x() > 0 && at.x() + width > m_width - 2 * imageMargin) at = {0, at.y() + legendLine};
            if (painter) {
                painter->save();
                painter->translate(at);
                paint(painter);
                painter->restore();
            }
            at.rx() += width;
        };
        for (const auto& [id, count] : entries) put([this, id = id](QPainter* on) { return paintEntry(on, id); });
        for (const GraphKind& kind : graphKinds(m_graph, m_store.words()))
            put([&](QPainter* on) { return paintGraphKind(on, kind, legendLine, m_theme); });
        return at.y() + legendLine;
    }

    double paintEntry(QPainter* painter, EntryId id) const
    {
        constexpr double swatch = 10;
        const Entry* entry = m_store.entry(id);
        const QFont font = timelineFont(11.5);
        const QString name = QFontMetricsF(font).elidedText(entry ? entryName(*entry) : tr("unknown"), Qt::ElideMiddle,
                                                            m_width - 2 * imageMargin - 40);
        const double width = QFontMetricsF(font).horizontalAdvance(name);
        if (painter) {
            painter->fillRect(QRectF(0, (legendLine - swatch) / 2, swatch, swatch), m_palette.entry(id));
            painter->setFont(font);
            painter->setPen(m_theme.mutedText);
            painter->drawText(QRectF(swatch + 6, 0, width + 2, legendLine),
                              Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, name);
        }
        return swatch + 6 + width + 20;
    }

    const TraceStore& m_store;
    const Subgraph& m_graph;
    const Theme& m_theme;
    Palette m_palette;
    GraphGeometry m_geometry;
    double m_left = 0, m_top = 0, m_width = 0, m_height = 0, m_legendHeight = 0;
};

}  // namespace

QString omittedText(const Subgraph& graph)
{
    QStringList parts;
    if (graph.omitted > 0) parts << counted("%1 more tasks not shown", "%1 more task not shown", graph.omitted);
    if (graph.omittedOnPath > 0)
        parts.last() = tr("%1, %2 of them on the path").arg(parts.last(), formatCount(graph.omittedOnPath));
    if (graph.omittedEdges > 0)
        parts << counted("%1 more dependencies not shown", "%1 more dependency not shown", graph.omittedEdges);
    return parts.join(QStringLiteral("; "));
}

Result<QByteArray> renderGraph(const TraceStore& store, const GraphPicture& picture)
{
    GraphSheet sheet(store, picture);
    return pictureBytes({.size = sheet.size(),
                         .title = tr("Activity graph"),
                         .scale = picture.scale,
                         .isVector = picture.isVector,
                         .hint = tr("Choose fewer tasks, or an SVG.")},
                        [&](QPainter& painter) { sheet.paint(painter); });
}

}  // namespace longpole
