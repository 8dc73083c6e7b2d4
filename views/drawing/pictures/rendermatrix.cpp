// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/pictures/rendermatrix.h"

#include "analysis/base/naming.h"
#include "analysis/base/unknownbytes.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/drawing/basics/font.h"

#include <QFontMetricsF>
#include <QImage>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double widestName = 200;
constexpr double highestName = 120;

QString shortName(const TraceStore& store, const MatrixGrid& grid, const std::vector<std::uint32_t>& ids,
                  std::size_t number)
{
    const std::uint32_t id = ids[number * grid.group];
    return grid.by == CommBy::Entry ? endName(store, grid.by, id) : QString::number(id);
}

// The pixels [first, second) of cell `number` if `count` cells share `pixels`; at least one.
std::pair<int, int> pixelsOf(std::size_t number, std::size_t count, int pixels)
{
    const auto at = [&](std::size_t i) { return static_cast<int>(i * static_cast<std::size_t>(pixels) / count); };
    const int first = std::min(at(number), pixels - 1);
    return {first, std::max(first + 1, at(number + 1))};
}

QImage cellImage(const MatrixGrid& grid, QSize size, const ColourScale& scale)
{
    QImage image(size, QImage::Format_RGB32);
    image.fill(scale.nothing());
    const auto width = static_cast<std::size_t>(size.width());
    std::vector<double> shown(width * static_cast<std::size_t>(size.height()), 0);
    for (std::size_t row = 0; row < grid.rowCount(); ++row) {
        const auto [top, bottom] = pixelsOf(row, grid.rowCount(), size.height());
        for (std::size_t column = 0; column < grid.columnCount(); ++column) {
            const double value = grid.at(row, column);
            if (value <= 0) continue;
            const auto [left, right] = pixelsOf(column, grid.columnCount(), size.width());
            const QRgb colour = scale.colour(value);
            for (int y = top; y < bottom; ++y) {
                auto* const line = reinterpret_cast<QRgb*>(image.scanLine(y));
                double* const values = shown.data() + static_cast<std::size_t>(y) * width;
                for (int x = left; x < right; ++x) {
                    if (values[x] >= value) continue;
                    values[x] = value;
                    line[x] = colour;
                }
            }
        }
    }
    return image;
}

void paintCells(QPainter& painter, const MatrixGrid& grid, const MatrixLayout& layout, const MatrixPaint& paint)
{
    const QRectF& plot = layout.plot;
    const QSizeF each = layout.cell(grid, {0, 0}).size();
    if (std::min(each.width(), each.height()) >= 4) {
        const double gap = std::min(each.width(), each.height()) > 10 ? 1 : 0;
        painter.fillRect(plot, QColor(paint.scale->nothing()));
        for (std::size_t row = 0; row < grid.rowCount(); ++row)
            for (std::size_t column = 0; column < grid.columnCount(); ++column)
                if (const double value = grid.at(row, column); value > 0)
                    painter.fillRect(layout.cell(grid, {row, column}).adjusted(0, 0, -gap, -gap),
                                     QColor(paint.scale->colour(value)));
    } else {
        const double ratio = painter.device()->devicePixelRatioF();
        const QSize size = (plot.size() * ratio).toSize().expandedTo({1, 1});
        painter.drawImage(plot, cellImage(grid, size, *paint.scale));
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(paint.theme->line);
    painter.drawRect(plot.adjusted(-1, -1, 0, 0));
}

void paintRowNames(QPainter& painter, const MatrixGrid& grid, const MatrixLayout& layout, const MatrixPaint& paint)
{
    const QFontMetricsF metrics(painter.font());
    const double height = layout.cell(grid, {0, 0}).height();
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(13 / height)));
    for (std::size_t row = 0; row < grid.rowCount(); row += every) {
        const QRectF cell = layout.cell(grid, {row, 0});
        const bool isHovered = paint.hovered && paint.hovered->row == row;
        painter.setPen(isHovered ? paint.theme->text : paint.theme->mutedText);
        const QString whole = shortName(*paint.store, grid, grid.rows, row);
        painter.drawText(QRectF(0, cell.center().y() - 8, cell.left() - 7, 16), Qt::AlignRight | Qt::AlignVCenter,
                         metrics.elidedText(whole, Qt::ElideMiddle, widestName));
    }
}

void paintColumnNames(QPainter& painter, const MatrixGrid& grid, const MatrixLayout& layout, const MatrixPaint& paint)
{
    const QFontMetricsF metrics(painter.font());
    const double width = layout.cell(grid, {0, 0}).width();
    const bool isUpright = grid.by == CommBy::Entry;
    const double need = isUpright ? 13 : metrics.horizontalAdvance(QString::number(grid.columns.back())) + 8;
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(need / width)));
    for (std::size_t column = 0; column < grid.columnCount(); column += every) {
        const QRectF cell = layout.cell(grid, {0, column});
        const bool isHovered = paint.hovered && paint.hovered->column == column;
        painter.setPen(isHovered ? paint.theme->text : paint.theme->mutedText);
        const QString name = metrics.elidedText(shortName(*paint.store, grid, grid.columns, column), Qt::ElideMiddle,
                                                isUpright ? highestName : need);
        painter.save();
        painter.translate(cell.center().x(), cell.top() - 5);
        if (isUpright) {
            painter.rotate(-90);
            painter.drawText(QRectF(0, -8, highestName + 10, 16), Qt::AlignLeft | Qt::AlignVCenter, name);
        } else {
            painter.drawText(QRectF(-30, -14, 60, 16), Qt::AlignCenter, name);
        }
        painter.restore();
    }
}

// "Bytes in collective calls from rank to rank".
QString trafficTitle(const MatrixGrid& grid)
{
    const bool byNode = grid.by == CommBy::Node;
    if (grid.traffic == CommTraffic::Collective)
        return byNode ? tr("Bytes in collective calls from node to node")
                      : tr("Bytes in collective calls from rank to rank");
    return byNode ? tr("Bytes in messages and collective calls from node to node")
                  : tr("Bytes in messages and collective calls from rank to rank");
}

// "Bytes from PE to PE".
QString matrixTitle(Vocabulary vocabulary, const MatrixGrid& grid)
{
    if (grid.traffic != CommTraffic::Messages) return trafficTitle(grid);
    const bool isBytes = grid.measure == CommMeasure::Bytes;
    switch (grid.by) {
    case CommBy::Pe:
        return isBytes ? vocabulary.say(tr("Bytes from PE to PE"), tr("Bytes from rank to rank"))
                       : vocabulary.say(tr("Deliveries from PE to PE"), tr("Deliveries from rank to rank"));
    case CommBy::Node: return isBytes ? tr("Bytes from node to node") : tr("Deliveries from node to node");
    case CommBy::Entry: break;
    }
    return isBytes ? vocabulary.say(tr("Bytes from entry method to entry method"), tr("Bytes from region to region"))
                   : vocabulary.say(tr("Deliveries from entry method to entry method"),
                                    tr("Deliveries from region to region"));
}

}  // namespace

ColourScale matrixScale(const MatrixGrid& grid, const Theme& theme, ColourScaleKind kind, bool isLog)
{
    const ValueUnit unit = grid.measure == CommMeasure::Bytes ? ValueUnit::Bytes : ValueUnit::Count;
    const bool hasSpan = grid.least < grid.most;  // else a logarithmic scale would begin below a value that is the most
    return {theme, kind,
            valueAxis(isLog && hasSpan ? grid.least : 0, std::max(grid.most, 1.0), isLog && hasSpan, unit)};
}

QSizeF matrixMargins(const TraceStore& store, const MatrixGrid& grid)
{
    const QFontMetricsF metrics(timelineFont(11));
    double left = 20;
    double top = 12;
    for (std::size_t row = 0; row < grid.rowCount() && row < 2048; ++row)
        left = std::max(left, metrics.horizontalAdvance(shortName(store, grid, grid.rows, row)));
    for (std::size_t column = 0; grid.by == CommBy::Entry && column < grid.columnCount() && column < 2048; ++column)
        top = std::max(top, metrics.horizontalAdvance(shortName(store, grid, grid.columns, column)));
    return {std::min(left, widestName) + 12, std::min(top, highestName) + 10};
}

void paintMatrix(QPainter& painter, const MatrixGrid& grid, const MatrixLayout& layout, const MatrixPaint& paint)
{
    if (grid.values.empty()) return;
    paintCells(painter, grid, layout, paint);
    painter.setFont(timelineFont(11));
    paintRowNames(painter, grid, layout, paint);
    paintColumnNames(painter, grid, layout, paint);
    for (const auto& [cell, colour] :
         {std::pair(paint.selected, paint.theme->selection), std::pair(paint.hovered, paint.theme->mutedText)}) {
        if (!cell || cell->row >= grid.rowCount() || cell->column >= grid.columnCount()) continue;
        painter.setPen(QPen(colour, 1.4));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(layout.cell(grid, *cell).adjusted(-1, -1, 0, 0));
    }
}

QString matrixSummary(const TraceInfo& info, const CommMatrix& matrix)
{
    const Vocabulary vocabulary = info.vocabulary;
    const auto withBytes = [areKnown = areBytesKnown(info)](const QString& count, std::int64_t bytes) {
        return areKnown ? tr("%1, %2").arg(count, formatBytes(bytes)) : count;
    };
    QStringList parts{withBytes(counted("%1 messages", "%1 message", matrix.total.messages), matrix.total.bytes)};
    if (matrix.unexecuted.messages > 0)
        parts << vocabulary.say(tr("%1 of them never executed"), tr("%1 of them never received"))
                     .arg(formatCount(matrix.unexecuted.messages));
    if (matrix.total.deliveries > 0)
        parts << tr("%1, %2 of them within nodes")
                     .arg(withBytes(counted("%1 deliveries", "%1 delivery", matrix.total.deliveries),
                                    matrix.total.deliveredBytes),
                          formatShare(static_cast<double>(matrix.inNode.deliveries)
                                      / static_cast<double>(matrix.total.deliveries)));
    if (matrix.outside.deliveries > 0)
        parts << vocabulary.say(tr("%1 more to or from other PEs"), tr("%1 more to or from other ranks"))
                     .arg(formatCount(matrix.outside.deliveries));
    if (const std::int64_t bytes = collectiveBytes(matrix); bytes > 0)
        parts << tr("%1 in collective calls").arg(formatBytes(bytes));
    if (!matrix.hasCollective) parts << tr("collective calls lead between too many pairs and are left out");
    return parts.join(QStringLiteral(" · "));
}

Result<QByteArray> renderMatrix(const TraceStore& store, const CommMatrix& matrix, const MatrixGrid& grid, bool isLog,
                                const ChartPicture& picture)
{
    const QSizeF names = matrixMargins(store, grid);
    const double top = chartMargin + chartTitleHeight;
    QSize size = picture.size;
    const QRectF largest(chartMargin, top, 1000, 900);
    const MatrixLayout wanted = matrixLayout(grid, largest, names.width(), names.height());
    if (size.width() <= 0) size.setWidth(std::max(640, static_cast<int>(wanted.plot.right() + chartMargin)));
    if (size.height() <= 0)
        size.setHeight(static_cast<int>(wanted.plot.bottom() + 14 + colourLegendHeight + chartMargin));
    const double foot = size.height() - chartMargin - colourLegendHeight;
    const QRectF box(chartMargin, top, size.width() - 2 * chartMargin, std::max(20.0, foot - 10 - top));
    const MatrixLayout layout = matrixLayout(grid, box, names.width(), names.height());
    const ColourScale scale = matrixScale(grid, picture.theme, ColourScaleKind::Calm, isLog);
    return chartBytes(picture, size, matrixTitle(store.words(), grid), matrixSummary(store.info(), matrix),
                      [&](QPainter& painter) {
                          paintMatrix(painter, grid, layout,
                                      {.store = &store, .theme = &picture.theme, .scale = &scale});
                          paintColourLegend(painter,
                                            QRectF(chartMargin + names.width(), foot,
                                                   std::min(360.0, box.width() - names.width()), colourLegendHeight),
                                            scale, picture.theme);
                      });
}

}  // namespace longpole
