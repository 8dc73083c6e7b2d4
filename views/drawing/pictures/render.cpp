// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/pictures/render.h"

#include "analysis/base/naming.h"
#include "core/base/parallel.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/drawing/basics/font.h"
#include "views/drawing/basics/picture.h"
#include "views/drawing/timeline/legend.h"
#include "views/drawing/timeline/minimapgeometry.h"
#include "views/drawing/timeline/pathgeometry.h"
#include "views/drawing/timeline/tilesource.h"
#include "views/drawing/timeline/timelinepainter.h"

#include <QFontMetricsF>
#include <QPainter>

#include <cmath>
#include <functional>
#include <optional>

namespace longpole {

namespace {

constexpr double margin = 16;
constexpr double axisHeight = 26;
constexpr double minimapHeight = 56;
constexpr double mostHeight = 2000;

class TimelineSheet {
public:
    TimelineSheet(const TraceStore& store, const TimelinePicture& picture, bool vector)
        : m_store(store), m_picture(picture), m_vector(vector), m_palette(store, picture.theme)
    {
        m_rows = timelineRows(store.tracks(), store.processors(), {.only = picture.pes});
        markCutLogs(m_rows, store);
        m_at.range = picture.range.isEmpty() ? store.info().range() : picture.range;
        if (m_at.range.isEmpty()) m_at.range.end = m_at.range.begin + 1;
        measure();
        loadRows();
        m_items = legendItems(m_geometry, store, 12);
        m_legendHeight = picture.legend ? paintLegend(nullptr, m_items, m_width - 2 * margin, m_palette, picture.theme,
                                                      legendRest())
                                              + 14
                                        : 0;
        m_height = picture.size.height() > 0 ? picture.size.height()
                                             : m_rowsTop + m_rowsHeight + m_legendHeight + margin;
    }

    QSize size() const { return {static_cast<int>(m_width), static_cast<int>(std::ceil(m_height))}; }

    void paint(QPainter& painter)
    {
        const Theme& theme = m_picture.theme;
        painter.fillRect(QRectF(0, 0, m_width, m_height), theme.window);
        paintTitle(painter);
        paintMinimap(painter);
        painter.fillRect(QRectF(0, m_rowsTop - axisHeight, m_width, m_rowsHeight + axisHeight), theme.panel);
        paintLabels(painter);
        painter.save();
        painter.translate(m_left, m_rowsTop);
        const std::vector<AxisTick> ticks = axisTicks(m_at.range, m_store.info().begin, m_at.width);
        painter.translate(0, -axisHeight);
        paintAxis(painter, ticks, m_at.width, axisHeight, theme);
        painter.translate(0, axisHeight);
        painter.setClipRect(QRectF(0, 0, m_at.width, m_rowsHeight));
        paintGrid(painter, ticks, m_rowsHeight, theme);
        paintRows(painter, m_geometry, {&theme, &m_palette, &m_store, m_vector});
        paintMarked(painter);
        if (m_picture.path) paintPath(painter, path(), theme, true);
        painter.restore();
        paintFoot(painter);
    }

    // The first chunk that could not be read: a picture with a hole that nobody notices would be a lie.
    std::optional<Error> damage() const
    {
        for (const RowData& data : m_data)
            if (data.damaged) return data.damage;
        return m_overview ? std::nullopt : std::optional<Error>(m_overview.error());
    }

private:
    void measure()
    {
        const QFontMetricsF metrics(timelineFont(12));
        double label = 56;
        for (const TimelineRow& row : m_rows)
            label = std::max(label, metrics.horizontalAdvance(row.label) + 12 * row.depth + 8);
        m_width = std::max(200, m_picture.size.width());
        m_left = margin + std::min(label, m_width / 4) + 10;
        m_at.width = std::max(50.0, std::floor(m_width - m_left - margin));
        m_titleHeight = m_picture.title.isEmpty() ? 0 : 34;
        m_rowsTop = (m_titleHeight > 0 ? m_titleHeight : 8) + minimapHeight + axisHeight + 12;
        const double rows = std::max<double>(1, static_cast<double>(m_rows.size()));
        const double given = m_picture.size.height() > 0 ? m_picture.size.height() : mostHeight;
        const double room = std::max(1.0, given - m_rowsTop - margin - (m_picture.legend ? 54 : 0));
        m_rowHeight = std::max(1.0, std::min(m_picture.size.height() > 0 ? 90.0 : 46.0, std::floor(room / rows)));
        // Of more rows than lines of pixels only the first are drawn; the foot says how many are not.
        const auto fit = static_cast<std::size_t>(std::max(1.0, room / m_rowHeight));
        if (m_rows.size() > fit) {
            m_rowsOmitted = m_rows.size() - fit;
            m_rows.resize(fit);
        }
        m_rowsHeight = m_rowHeight * static_cast<double>(m_rows.size());
    }

    void loadRows()
    {
        m_overview = overviewTiles(m_store, m_at.width);
        const double columns = m_vector ? 1 : std::max(0.5, m_picture.scale);
        const double resolution = std::max(1e-6, m_at.perPixel() / columns);
        m_data.resize(m_rows.size());
        parallelFor(m_rows.size(), [&](std::size_t i) {
            if (m_rows[i].kind == RowKind::Group) return;  // a heading: its members have rows of their own
            m_data[i] = loadRow(m_store, {.track = m_rows[i].track,
                                          .members = m_rows[i].members,
                                          .range = m_at.range,
                                          .resolution = resolution,
                                          .beside = m_rows.size()});
        });
        std::vector<RowInput> inputs;
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            inputs.push_back({&m_rows[i], m_rows[i].kind == RowKind::Group ? nullptr : &m_data[i],
                              rowBox(static_cast<double>(i) * m_rowHeight, m_rowHeight)});
        m_geometry = timelineGeometry(inputs, m_at,
                                      {.run = m_store.info().range(), .matching = nullptr, .columnsPerPixel = columns});
    }

    void paintMarked(QPainter& painter) const
    {
        const TimeRange marked = intersection(m_picture.marked, m_at.range);
        if (marked.isEmpty()) return;
        const double left = m_at.x(marked.begin), right = m_at.x(marked.end);
        painter.fillRect(QRectF(left, 0, right - left, m_rowsHeight), m_picture.theme.markedRange);
        QColor edge = m_picture.theme.markedRange;
        edge.setAlpha(255);
        painter.setPen(QPen(edge, 1));
        for (const double x : {left, right}) painter.drawLine(QPointF(x, 0), QPointF(x, m_rowsHeight));
    }

    PathGeometry path() const
    {
        std::map<ProcessorId, double> centres;
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            if (m_rows[i].kind == RowKind::Processor && m_rows[i].pe)
                centres.emplace(*m_rows[i].pe, m_geometry.rows[i].box.barCentre());
        return pathGeometry(*m_picture.path, m_at, m_rowsHeight, [&](ProcessorId pe) -> std::optional<double> {
            const auto found = centres.find(pe);
            if (found == centres.end()) return {};
            return found->second;
        });
    }

    void paintTitle(QPainter& painter) const
    {
        if (m_titleHeight == 0) return;
        painter.setFont(timelineFont(14, QFont::DemiBold));
        painter.setPen(m_picture.theme.text);
        drawElided(painter, QRectF(margin, 8, m_width - 2 * margin, m_titleHeight - 8), m_picture.title);
    }

    void paintMinimap(QPainter& painter) const
    {
        if (!m_overview) return;
        const double top = (m_titleHeight > 0 ? m_titleHeight : 8);
        const MinimapGeometry map = minimapGeometry(*m_overview, m_store.info(), m_picture.path,
                                                    {m_store.info().range(), m_at.width}, minimapHeight - 8);
        painter.save();
        painter.translate(m_left, top);
        longpole::paintMinimap(painter, map, m_picture.theme);
        if (m_at.range != m_store.info().range()) paintWindow(painter, map, m_at.range, m_picture.theme);
        painter.restore();
        painter.setFont(timelineFont(11));
        painter.setPen(m_picture.theme.faintText);
        painter.drawText(QRectF(margin, top, m_left - margin - 10, minimapHeight - 18),
                         Qt::AlignRight | Qt::AlignVCenter, tr("utilization"));
        if (m_picture.path)
            painter.drawText(QRectF(margin, top + minimapHeight - 20, m_left - margin - 10, 14),
                             Qt::AlignRight | Qt::AlignVCenter, tr("path"));
    }

    void paintLabels(QPainter& painter) const
    {
        if (m_rowHeight < 9) return;
        painter.setFont(timelineFont(std::min(12.0, m_rowHeight - 1)));
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            const RowBox& box = m_geometry.rows[i].box;
            const bool group = m_rows[i].kind == RowKind::Group;
            painter.setPen(group ? m_picture.theme.text : m_picture.theme.mutedText);
            const QRectF rect(margin + 12 * m_rows[i].depth, m_rowsTop + box.bodyTop - 4,
                              m_left - margin - 10 - 12 * m_rows[i].depth, box.bodyHeight + 8);
            drawElided(painter, rect, m_rows[i].label, group ? Qt::AlignLeft : Qt::AlignRight, Qt::ElideMiddle);
            if (m_rowHeight >= 12)
                painter.fillRect(QRectF(0, m_rowsTop + box.bottom() - 1, m_left, 1), m_picture.theme.line);
        }
    }

    LegendRest legendRest() const
    {
        return {.ofRanks = m_store.info().hasRanks(), .withPath = m_picture.path != nullptr};
    }

    void paintFoot(QPainter& painter) const
    {
        double y = m_rowsTop + m_rowsHeight + 8;
        if (m_picture.legend) {
            painter.save();
            painter.translate(margin, y);
            paintLegend(&painter, m_items, m_width - 2 * margin, m_palette, m_picture.theme, legendRest());
            painter.restore();
            y += m_legendHeight - 6;
        }
        if (m_rowsOmitted == 0) return;
        painter.setFont(timelineFont(10.5));
        painter.setPen(m_picture.theme.faintText);
        painter.drawText(QRectF(margin, m_height - 15, m_width - 2 * margin, 14), Qt::AlignRight | Qt::AlignVCenter,
                         counted("%1 more rows are not shown", "%1 more row is not shown",
                                 static_cast<std::int64_t>(m_rowsOmitted)));
    }

    const TraceStore& m_store;
    const TimelinePicture& m_picture;
    bool m_vector;
    Palette m_palette;
    std::vector<TimelineRow> m_rows;
    std::vector<RowData> m_data;
    Result<TileLevel> m_overview = TileLevel{};  // the minimap's
    TimeCoordinates m_at;
    TimelineGeometry m_geometry;
    std::vector<LegendItem> m_items;
    double m_width = 0, m_height = 0, m_left = 0, m_titleHeight = 0;
    double m_rowsTop = 0, m_rowHeight = 0, m_rowsHeight = 0, m_legendHeight = 0;
    std::size_t m_rowsOmitted = 0;
};

// Draws the timeline, with `draw` (pictureImage or pictureBytes), on a sheet that fits it.
template <typename Picture>
Result<Picture> drawn(const TraceStore& store, const TimelinePicture& picture, bool isVector,
                      Result<Picture> (*draw)(const Sheet&, const std::function<void(QPainter&)>&))
{
    TimelineSheet sheet(store, picture, isVector);
    if (const std::optional<Error> damage = sheet.damage()) return *damage;
    return draw({.size = sheet.size(),
                 .title = picture.title,
                 .scale = picture.scale,
                 .isVector = isVector,
                 .hint = tr("Ask for a smaller one.")},
                [&](QPainter& painter) { sheet.paint(painter); });
}

}  // namespace

Result<QImage> renderTimeline(const TraceStore& store, const TimelinePicture& picture)
{
    return drawn(store, picture, false, pictureImage);
}

Result<QByteArray> renderTimelineFile(const TraceStore& store, const TimelinePicture& picture, bool isVector)
{
    return drawn(store, picture, isVector, pictureBytes);
}

}  // namespace longpole
