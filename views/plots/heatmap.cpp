// SPDX-License-Identifier: GPL-3.0-or-later
// The colour map holds only the cells in view: it is filled again whenever these change.

// QCustomPlot's header is written with Qt's keywords.
#undef QT_NO_KEYWORDS
#undef QT_NO_FOREACH
#undef QT_NO_CAST_FROM_ASCII

#include "views/plots/heatmap.h"

#include "views/plots/gradient.h"
#include "views/widgets/tableview.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr int groupWidth = 7;  // pixels, between the map and its axis

}  // namespace

PlotHeatMap::PlotHeatMap(QWidget* parent)
    : PlotFrame(parent), m_map(new QCPColorMap(canvas().xAxis, canvas().yAxis)), m_current(new QCPItemRect(&canvas()))
{
    m_map->setInterpolate(false);
    m_map->setAntialiased(false);
    canvas().yAxis->setRangeReversed(true);
    canvas().yAxis->grid()->setVisible(false);
    canvas().xAxis->grid()->setVisible(false);
    m_current->setVisible(false);
    m_current->setLayer(QStringLiteral("overlay"));
    setYZooms(true);
    setDragShown(true);
    setBandOutlined(true);
    connect(this, &PlotFrame::shownChanged, this, &PlotHeatMap::fillMap);
    dress(themeOf(*this));
}

QString PlotHeatMap::rowText(std::int64_t row) const
{
    if (row < 0 || static_cast<std::size_t>(row) >= m_content.order.size()) return {};
    return QString::number(index(m_content.projection->pes[m_content.order[static_cast<std::size_t>(row)]]));
}

void PlotHeatMap::dress(const Theme& theme)
{
    PlotFrame::dress(theme);
    m_current->setBrush(Qt::NoBrush);
}

void PlotHeatMap::setContent(Content content)
{
    m_content = std::move(content);
    const bool isThere = m_content.projection && !m_content.order.empty();
    for (QCPAxis* axis : {canvas().xAxis, canvas().yAxis}) axis->setVisible(isThere);
    setAxes({tr("time"), PlotUnit::Time}, {m_content.words.say(tr("PE"), tr("Rank"))});
    setRowTicks(false, [this](std::int64_t row) { return rowText(row); });
    setCurrent({});
    createGroups();
    if (isThere) {
        const TimeRange time = m_content.projection->stages.whole();
        // On the y axis row i covers [i - 0.5, i + 0.5), so that its number stands at its middle.
        setWhole({static_cast<double>(time.begin - m_content.zero), static_cast<double>(time.end - m_content.zero)},
                 {-0.5, static_cast<double>(m_content.order.size()) - 0.5});
    }
    fillMap();
}

void PlotHeatMap::setScale(const ColourScale& scale)
{
    const bool wasLog = m_scale.axis().isLog;
    m_scale = scale;
    m_map->setGradient(gradientOf(scale));
    m_map->setDataScaleType(scale.axis().isLog ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    m_map->setDataRange({scale.axis().low, scale.axis().high});
    if (wasLog != scale.axis().isLog) fillMap();
    draw();
}

void PlotHeatMap::fillMap()
{
    const bool isThere = m_content.projection && !m_content.order.empty();
    m_map->setVisible(isThere);
    m_cells = {};
    if (!isThere) {
        draw();
        return;
    }
    const TimeRange whole = m_content.projection->stages.whole();
    const PlotSpan x = xShown(), y = yShown();
    const auto timeAt = [this](double at) { return m_content.zero + static_cast<TimeNs>(std::llround(at)); };
    const QRect area = axesRect();
    const TimeRange shown{timeAt(x.first), std::max(timeAt(x.first) + 1, timeAt(x.second))};
    const HeatWindow window{.time = intersection(shown, whole),
                            .firstRow = y.first + 0.5,
                            .lastRow = y.second + 0.5,
                            .width = static_cast<std::size_t>(std::max(1, area.width())),
                            .height = static_cast<std::size_t>(std::max(1, area.height()))};
    m_cells = heatCells(*m_content.projection, m_content.order, window);
    placeGroups();
    if (m_cells.values.empty()) {
        m_map->setVisible(false);
        return;
    }
    const auto columns = static_cast<int>(m_cells.columns), rows = static_cast<int>(m_cells.rows);
    QCPColorMapData& map = *m_map->data();
    // QCustomPlot draws nothing of a single row or column: it becomes two of half the size.
    const int across = std::max(columns, 2), down = std::max(rows, 2);
    map.setSize(across, down);
    const double cellWidth = static_cast<double>(m_cells.time.length()) / columns;
    const double begin = static_cast<double>(m_cells.time.begin - m_content.zero);
    const auto rowHeight = static_cast<double>(m_cells.rowsPerCell);
    const double top = static_cast<double>(m_cells.firstRow) - 0.5;
    // QCustomPlot names cells by their middles.
    const double halfColumn = cellWidth * columns / across / 2, halfRow = rowHeight * rows / down / 2;
    map.setRange({begin + halfColumn, begin + cellWidth * columns - halfColumn},
                 {top + halfRow, top + rowHeight * rows - halfRow});
    const bool isLog = m_scale.axis().isLog;
    for (int row = 0; row < down; ++row) {
        const double* values = m_cells.values.data()
                               + static_cast<std::size_t>(std::min(row, rows - 1)) * m_cells.columns;
        for (int column = 0; column < across; ++column) {
            const double value = values[std::min(column, columns - 1)];
            map.setCell(column, row, isLog && value <= 0 ? std::nan("") : value);
        }
    }
    draw();
}

void PlotHeatMap::createGroups()
{
    for (QCPItemRect* item : m_groups) canvas().removeItem(item);
    m_groups.clear();
    canvas().yAxis->setOffset(m_content.groups.empty() ? 0 : groupWidth + 3);
    for (const RowGroup& group : m_content.groups) {
        auto* item = new QCPItemRect(&canvas());
        for (QCPItemPosition* corner : {item->topLeft, item->bottomRight}) {
            corner->setTypeX(QCPItemPosition::ptAxisRectRatio);
            corner->setTypeY(QCPItemPosition::ptPlotCoords);
        }
        item->setPen(Qt::NoPen);
        item->setBrush(group.color);
        item->setClipToAxisRect(false);
        m_groups.push_back(item);
    }
}

void PlotHeatMap::placeGroups()
{
    const double width = std::max(1, axesRect().width());
    const PlotSpan y = yShown();
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        const double top = static_cast<double>(m_content.groups[i].first) - 0.5;
        const double bottom = top + static_cast<double>(m_content.groups[i].count);
        m_groups[i]->setVisible(bottom > y.first && top < y.second);
        m_groups[i]->topLeft->setCoords(-(groupWidth + 1) / width, std::max(top, y.first));
        m_groups[i]->bottomRight->setCoords(-1 / width, std::min(bottom, y.second));
    }
}

std::optional<PlotHeatMap::Cell> PlotHeatMap::cellAt(double x, double y) const
{
    if (!m_content.projection || m_content.order.empty()) return {};
    const Stages& stages = m_content.projection->stages;
    const TimeNs time = m_content.zero + static_cast<TimeNs>(std::floor(x));
    const auto row = static_cast<std::int64_t>(std::floor(y + 0.5));
    if (stages.count() == 0 || row < 0 || static_cast<std::size_t>(row) >= m_content.order.size()) return {};
    return Cell{static_cast<std::size_t>(row), m_content.order[static_cast<std::size_t>(row)], stages.at(time)};
}

void PlotHeatMap::setCurrent(std::optional<Cell> cell, bool isRow)
{
    m_current->setVisible(cell.has_value());
    if (cell) {
        const Stages& stages = m_content.projection->stages;
        const TimeRange range = isRow ? stages.whole() : stages.range(cell->stage);
        const double value = m_content.projection->at(cell->pe, cell->stage);
        m_current->setPen(QPen(QColor::fromRgb(inkOn(m_scale.colour(value))), 1));
        const auto row = static_cast<double>(cell->row);
        m_current->topLeft->setCoords(static_cast<double>(range.begin - m_content.zero), row - 0.5);
        m_current->bottomRight->setCoords(static_cast<double>(range.end - m_content.zero), row + 0.5);
    }
    draw();
}

void PlotHeatMap::scrollToRow(std::size_t row)
{
    QCPRange y = canvas().yAxis->range();
    const auto at = static_cast<double>(row);
    if (at >= y.lower && at <= y.upper) return;
    const double half = y.size() / 2;
    const double centre = std::clamp(at, half - 0.5, static_cast<double>(m_content.order.size()) - 0.5 - half);
    canvas().yAxis->setRange(centre - half, centre + half);
    fillMap();
}

QByteArray PlotHeatMap::toCsv() const
{
    if (!m_content.projection) return {};
    const Projection& projection = *m_content.projection;
    const QString heading = QStringLiteral("\"pe\",\"stage\",\"from_ns\",\"to_ns\",%1,\"approximate\"\r\n");
    QString text = heading.arg(csvQuoted(m_content.title));
    for (const std::size_t pe : m_content.order)
        for (std::size_t stage = 0; stage < projection.stages.count(); ++stage) {
            const std::size_t cell = pe * projection.stages.count() + stage;
            const TimeRange range = projection.stages.range(stage);
            const QString value = projection.counts.empty() || std::isnan(projection.values[cell])
                                      ? csvNumber(projection.values[cell])
                                      : QString::number(projection.counts[cell]);
            const bool isApproximate = projection.isApproximate
                                       && (projection.approximate.empty() || projection.approximate[cell]);
            text += QStringLiteral("%1,%2,%3,%4,%5,%6\r\n")
                        .arg(index(projection.pes[pe]))
                        .arg(stage)
                        .arg(range.begin - m_content.zero)
                        .arg(range.end - m_content.zero)
                        .arg(value, isApproximate ? QStringLiteral("1") : QStringLiteral("0"));
        }
    return text.toUtf8();
}

}  // namespace longpole
