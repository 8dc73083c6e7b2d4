// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/charts/gridframe.h"

#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/drawing/basics/font.h"
#include "views/drawing/timeline/timelinepainter.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <vector>

namespace longpole {

namespace {

constexpr double numbersFrom = 22;  // pixels: cells of this size bear the PE's number
constexpr double valuesFrom = 56;   // and from here on its value too

// Pixels between neighbouring cells; lines between small ones would be most of what one sees.
double gapOf(double size) { return size >= 8 ? std::min(4.0, std::floor(size / 10) + 1) : size >= 6 ? 1 : 0; }

void paintCells(QPainter& painter, const QRectF& box, const GridFrame& frame)
{
    const Projection& projection = *frame.projection;
    const double size = frame.grid->cellSize(box);
    const double gap = gapOf(size);
    for (std::size_t i = 0; i < frame.grid->count(); ++i) {
        const QRectF cell = frame.grid->cell(i, box).adjusted(0, 0, -gap, -gap);
        const double value = projection.at(i, frame.stage);
        const QRgb colour = frame.scale->colour(value);
        painter.fillRect(cell, QColor(colour));
        if (size < numbersFrom) continue;
        painter.setPen(QColor(inkOn(colour)));
        painter.setFont(timelineFont(size < valuesFrom ? 10 : 12));
        const QString number = QString::number(index(projection.pes[i]));
        if (QFontMetricsF(painter.font()).horizontalAdvance(number) > cell.width() - 4) continue;
        const bool hasValue = size >= valuesFrom;
        painter.drawText(hasValue ? QRectF(cell.left(), cell.center().y() - 17, cell.width(), 16) : cell,
                         Qt::AlignCenter, number);
        if (!hasValue) continue;
        painter.setFont(timelineFont(10));
        drawElided(painter, QRectF(cell.left() + 2, cell.center().y() + 1, cell.width() - 4, 16),
                   attributeText(value, projection.attribute.unit()), Qt::AlignHCenter);
    }
}

constexpr double wholeFrom = 2;  // pixels: cells from this size on are whole pixels (ProcessorGrid::cellSize)

// Cells that are no whole pixels: each pixel has the mean colour of the cells that it covers, by their areas. Painted
// one by one their edges would let the ground through in a pattern of its own.
void paintMixedCells(QPainter& painter, const QRectF& box, const GridFrame& frame)
{
    struct Mixture {
        double area = 0, red = 0, green = 0, blue = 0;
    };
    const double scale = painter.device()->devicePixelRatioF();
    const ProcessorGrid& grid = *frame.grid;
    const QPointF origin = grid.cell(0, box).topLeft();
    const double size = grid.cellSize(box);
    const int width = static_cast<int>(std::ceil(size * scale * grid.columns()));
    const int height = static_cast<int>(std::ceil(size * scale * grid.rows()));
    std::vector<Mixture> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (std::size_t i = 0; i < grid.count(); ++i) {
        const QColor colour(frame.scale->colour(frame.projection->at(i, frame.stage)));
        const QRectF cell = grid.cell(i, box).translated(-origin);
        const double left = cell.left() * scale, right = cell.right() * scale;
        const double top = cell.top() * scale, bottom = cell.bottom() * scale;
        for (int y = static_cast<int>(top); y < height && y < bottom; ++y)
            for (int x = static_cast<int>(left); x < width && x < right; ++x) {
                const double area = (std::min(right, x + 1.0) - std::max<double>(left, x))
                                    * (std::min(bottom, y + 1.0) - std::max<double>(top, y));
                Mixture& pixel =
                    pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
                pixel.area += area;
                pixel.red += area * colour.redF();
                pixel.green += area * colour.greenF();
                pixel.blue += area * colour.blueF();
            }
    }
    QImage image(width, height, QImage::Format_ARGB32);
    const auto byte = [](double share) { return std::clamp(static_cast<int>(std::lround(share * 255)), 0, 255); };
    for (int y = 0; y < height; ++y) {
        auto* const line = reinterpret_cast<QRgb*>(image.scanLine(y));
        for (int x = 0; x < width; ++x) {
            const Mixture& pixel =
                pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
            const double area = std::max(pixel.area, 1e-9);
            line[x] = qRgba(byte(pixel.red / area), byte(pixel.green / area), byte(pixel.blue / area),
                            byte(std::min(1.0, pixel.area)));
        }
    }
    image.setDevicePixelRatio(scale);
    painter.drawImage(origin, image);
}

void paintNodes(QPainter& painter, const QRectF& box, const GridFrame& frame)
{
    if (frame.grid->count() == 0 || frame.grid->cellSize(box) < 12) return;
    painter.setFont(timelineFont(11));
    painter.setPen(frame.theme->mutedText);
    const double left = frame.grid->cell(0, box).left();
    for (int row = 0; row < frame.grid->rows(); ++row)
        if (const auto node = frame.grid->nodeOf(row)) {
            const double size = frame.grid->cellSize(box);
            const double top = frame.grid->cell(0, box).top() + row * size;
            painter.drawText(QRectF(box.left(), top, left - box.left() - 8, size), Qt::AlignRight | Qt::AlignVCenter,
                             tr("node %1").arg(*node));
        }
}

// The path of one stage: a line through the middles of the cells it visits, and a frame around each of them.
void paintWalk(QPainter& painter, const QRectF& box, const GridFrame& frame, std::size_t stage, double strength)
{
    const std::vector<GridVisit>& visits = (*frame.path)[stage];
    if (visits.empty()) return;
    const double size = frame.grid->cellSize(box);
    QColor colour = frame.theme->accent;
    colour.setAlphaF(static_cast<float>(strength));
    painter.setBrush(Qt::NoBrush);
    constexpr std::size_t mostLines = 400;  // more would cover the cells
    if (visits.size() <= mostLines) {
        QPainterPath line(frame.grid->cell(visits.front().place, box).center());
        for (std::size_t i = 1; i < visits.size(); ++i) line.lineTo(frame.grid->cell(visits[i].place, box).center());
        QColor thin = colour;
        thin.setAlphaF(static_cast<float>(strength * 0.7));
        painter.setPen(QPen(thin, std::clamp(size / 16, 1.0, 2.5), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawPath(line);
    }
    painter.setPen(QPen(colour, std::clamp(size / 12, 1.0, 3.0)));
    for (const GridVisit& visit : visits) {
        const double gap = gapOf(size);
        painter.drawRect(frame.grid->cell(visit.place, box).adjusted(0.5, 0.5, -gap - 0.5, -gap - 0.5));
    }
}

}  // namespace

ValueUnit valueUnit(AttributeUnit unit)
{
    switch (unit) {
    case AttributeUnit::Time: return ValueUnit::Time;
    case AttributeUnit::Share: return ValueUnit::Share;
    case AttributeUnit::Bytes: return ValueUnit::Bytes;
    case AttributeUnit::Count:
    case AttributeUnit::Number: break;
    }
    return ValueUnit::Count;
}

void paintGridFrame(QPainter& painter, const QRectF& box, const GridFrame& frame)
{
    if (frame.grid->count() == 0 || frame.stage >= frame.projection->stages.count()) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (frame.grid->cellSize(box) < wholeFrom) paintMixedCells(painter, box, frame);
    else paintCells(painter, box, frame);
    paintNodes(painter, box, frame);
    if (frame.path && frame.stage < frame.path->size()) {
        if (frame.stage > 0) paintWalk(painter, box, frame, frame.stage - 1, 0.25);
        paintWalk(painter, box, frame, frame.stage, 1);
    }
    if (frame.hovered && *frame.hovered < frame.grid->count()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(frame.theme->selection, 2));
        painter.drawRect(frame.grid->cell(*frame.hovered, box).adjusted(-1, -1, 0, 0));
    }
    painter.restore();
}

ColourScale frameScale(const Projection& projection, const Theme& theme, ColourScaleKind kind, bool isLog)
{
    const ValueUnit unit = valueUnit(projection.attribute.unit());
    if (projection.attribute.unit() == AttributeUnit::Share && projection.attribute.spec && !isLog)
        return {theme, kind, valueAxis(0, 1, false, unit)};
    return {theme, kind, axisOf(projection.values, isLog, unit)};
}

QString stageText(const Stages& stages, std::size_t stage, TimeNs zero)
{
    if (stage >= stages.count()) return {};
    const TimeRange range = stages.range(stage);
    const TimeNs resolution = std::max<TimeNs>(1, range.length() / 10);
    QString name = tr("stage %1 of %2").arg(stage).arg(stages.count());
    if (stage < stages.names.size()) name += QStringLiteral(" · ") + stages.names[stage];
    return name + QStringLiteral(" · ") + formatTimeAt(range.begin - zero, resolution) + QStringLiteral(" … ")
           + formatTimeAt(range.end - zero, resolution);
}

}  // namespace longpole
