// SPDX-License-Identifier: GPL-3.0-or-later

// QCustomPlot's header is written with Qt's keywords.
#undef QT_NO_KEYWORDS
#undef QT_NO_FOREACH
#undef QT_NO_CAST_FROM_ASCII

#include "views/plots/matrix.h"

#include "views/plots/gradient.h"
#include "views/widgets/tableview.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr int stripWidth = 7;  // pixels, between the map and its axis

}  // namespace

PlotMatrix::PlotMatrix(QWidget* parent)
    : PlotFrame(parent), m_map(new QCPColorMap(canvas().xAxis, canvas().yAxis)), m_current(new QCPItemRect(&canvas()))
{
    m_map->setInterpolate(false);
    m_map->setAntialiased(false);
    m_map->setTightBoundary(false);
    canvas().yAxis->setRangeReversed(true);
    canvas().yAxis->grid()->setVisible(false);
    canvas().xAxis->grid()->setVisible(false);
    m_current->setVisible(false);
    m_current->setLayer(QStringLiteral("overlay"));
    setBandOutlined(true);
    connect(this, &PlotFrame::shownChanged, this, &PlotMatrix::showStrip);
    dress(themeOf(*this));
}

void PlotMatrix::dress(const Theme& theme)
{
    PlotFrame::dress(theme);
    m_current->setBrush(Qt::NoBrush);
    m_current->setPen(QPen(theme.selection, 1));
}

void PlotMatrix::setContent(Content content)
{
    m_content = std::move(content);
    for (QCPAxis* axis : {canvas().xAxis, canvas().yAxis}) axis->setVisible(isThere());
    setAxes({m_content.columnTitle}, {});
    const auto names = [](const std::vector<QString>& list) {
        return [list](std::int64_t at) {
            return at >= 0 && at < static_cast<std::int64_t>(list.size()) ? list[static_cast<std::size_t>(at)]
                                                                          : QString();
        };
    };
    setRowTicks(false, names(m_content.rows));
    nameRows(m_content.rows.size());
    setRowTicks(true, names(m_content.columns));
    setCurrent({});
    if (isThere())
        setWhole({-0.5, static_cast<double>(m_content.columns.size()) - 0.5},
                 {-0.5, static_cast<double>(m_content.rows.size()) - 0.5});
    fillMap();
    showStrip();
}

void PlotMatrix::showStrip()
{
    for (QCPItemRect* item : m_strip) canvas().removeItem(item);
    m_strip.clear();
    canvas().yAxis->setOffset(m_content.rowColours.empty() ? 0 : stripWidth + 3);
    const double width = std::max(1, axesRect().width());
    for (std::size_t row = 0; row < std::min(m_content.rowColours.size(), m_content.rows.size()); ++row) {
        auto* item = new QCPItemRect(&canvas());
        for (QCPItemPosition* corner : {item->topLeft, item->bottomRight}) {
            corner->setTypeX(QCPItemPosition::ptAxisRectRatio);
            corner->setTypeY(QCPItemPosition::ptPlotCoords);
        }
        item->topLeft->setCoords(-(stripWidth + 1) / width, static_cast<double>(row) - 0.5);
        item->bottomRight->setCoords(-1 / width, static_cast<double>(row) + 0.5);
        item->setPen(Qt::NoPen);
        item->setBrush(m_content.rowColours[row]);
        item->setClipToAxisRect(false);
        m_strip.push_back(item);
    }
}

void PlotMatrix::setScale(const ColourScale& scale)
{
    m_scale = scale;
    m_map->setGradient(gradientOf(scale));
    m_map->setDataRange({scale.axis().low, scale.axis().high});
    draw();
}

void PlotMatrix::fillMap()
{
    m_map->setVisible(isThere());
    if (!isThere()) {
        draw();
        return;
    }
    // QCustomPlot draws nothing of a single row or column: it becomes two of half the size.
    const auto columns = static_cast<int>(m_content.columns.size()), rows = static_cast<int>(m_content.rows.size());
    const int across = std::max(columns, 2), down = std::max(rows, 2);
    QCPColorMapData& map = *m_map->data();
    map.setSize(across, down);
    // It names cells by their middles.
    const double halfColumn = static_cast<double>(columns) / across / 2, halfRow = static_cast<double>(rows) / down / 2;
    map.setRange({-0.5 + halfColumn, columns - 0.5 - halfColumn}, {-0.5 + halfRow, rows - 0.5 - halfRow});
    for (int row = 0; row < down; ++row)
        for (int column = 0; column < across; ++column)
            map.setCell(column, row,
                        at({static_cast<std::size_t>(std::min(row, rows - 1)),
                            static_cast<std::size_t>(std::min(column, columns - 1))}));
    draw();
}

std::optional<PlotMatrix::Cell> PlotMatrix::cellAt(double x, double y) const
{
    const double column = std::floor(x + 0.5), row = std::floor(y + 0.5);
    if (!isThere() || column < 0 || row < 0 || column >= static_cast<double>(m_content.columns.size())
        || row >= static_cast<double>(m_content.rows.size()))
        return {};
    return Cell{static_cast<std::size_t>(row), static_cast<std::size_t>(column)};
}

void PlotMatrix::setCurrent(std::optional<Cell> cell)
{
    m_current->setVisible(cell.has_value());
    if (cell) {
        const auto column = static_cast<double>(cell->column), row = static_cast<double>(cell->row);
        m_current->topLeft->setCoords(column - 0.5, row - 0.5);
        m_current->bottomRight->setCoords(column + 0.5, row + 0.5);
    }
    draw();
}

QByteArray PlotMatrix::toCsv() const
{
    QString text = csvQuoted(m_content.rowTitle) % QLatin1Char(',') % csvQuoted(m_content.columnTitle)
                   % QLatin1Char(',') % csvQuoted(m_content.title) % QStringLiteral("\r\n");
    for (std::size_t row = 0; row < m_content.rows.size(); ++row)
        for (std::size_t column = 0; column < m_content.columns.size(); ++column)
            text += csvQuoted(m_content.rows[row]) % QLatin1Char(',') % csvQuoted(m_content.columns[column])
                    % QLatin1Char(',') % csvNumber(at({row, column})) % QStringLiteral("\r\n");
    return text.toUtf8();
}

}  // namespace longpole
