// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/chartframe.h"

#include "views/drawing/basics/font.h"
#include "views/drawing/basics/picture.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double labelPixels = 11;
constexpr double swatchLine = 20;

int ticksIn(double length, double each) { return std::max(1, static_cast<int>(length / each)); }

}  // namespace

double leftAxisWidth(const ValueAxis& axis, double height)
{
    const QFontMetricsF metrics(timelineFont(labelPixels));
    double widest = 0;
    for (const ValueTick& tick : valueTicks(axis, ticksIn(height, 36)))
        widest = std::max(widest, metrics.horizontalAdvance(tick.label));
    return std::ceil(widest) + 10;
}

void paintLeftAxis(QPainter& painter, const QRectF& plot, const ValueAxis& axis, const Theme& theme)
{
    painter.setFont(timelineFont(labelPixels));
    for (const ValueTick& tick : valueTicks(axis, ticksIn(plot.height(), 36))) {
        if (tick.label.isEmpty()) continue;
        const double y = std::round(plot.bottom() - tick.position * plot.height());
        painter.fillRect(QRectF(plot.left(), y, plot.width(), 1), theme.gridLine);
        painter.setPen(theme.mutedText);
        painter.drawText(QRectF(0, y - 8, plot.left() - 8, 16), Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    painter.fillRect(QRectF(plot.left(), plot.bottom(), plot.width(), 1), theme.line);
}

void paintTicksBelow(QPainter& painter, const QRectF& plot, std::span<const ValueTick> ticks, const Theme& theme)
{
    painter.setFont(timelineFont(labelPixels));
    const QFontMetricsF metrics(painter.font());
    double free = 0;
    for (const ValueTick& tick : ticks) {
        const double x = plot.left() + tick.position * plot.width();
        painter.fillRect(QRectF(std::round(x), plot.bottom(), 1, tick.label.isEmpty() ? 3 : 4), theme.line);
        const double width = metrics.horizontalAdvance(tick.label);
        const double left = std::min(x - width / 2, plot.right() + 10 - width);
        if (tick.label.isEmpty() || left < free) continue;
        painter.setPen(theme.mutedText);
        painter.drawText(QRectF(left, plot.bottom() + 4, width + 1, 16), Qt::AlignLeft | Qt::AlignVCenter, tick.label);
        free = left + width + 10;
    }
}

double paintSwatches(QPainter* painter, std::span<const ChartSwatch> swatches, double width, const Theme& theme)
{
    constexpr double swatch = 9;
    const QFont font = timelineFont(11.5);
    const QFontMetricsF metrics(font);
    if (painter) painter->setFont(font);
    double x = 0;
    double y = 0;
    for (const ChartSwatch& item : swatches) {
        const QString name = metrics.elidedText(item.name, Qt::ElideMiddle, std::clamp(width - 40, 60.0, 320.0));
        const double need = swatch + 6 + metrics.horizontalAdvance(name) + 18;
        if (x > 0 && x + need > width) {
            x = 0;
            y += swatchLine;
        }
        if (painter) {
            const QRectF box(x, y + (swatchLine - swatch) / 2, swatch, swatch);
            painter->fillRect(box, item.colour);
            painter->setPen(swatchOutline(item.colour, theme));
            painter->setBrush(Qt::NoBrush);
            painter->drawRect(box);
            painter->setPen(theme.mutedText);
            painter->drawText(QRectF(x + swatch + 6, y, need, swatchLine),
                              Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, name);
        }
        x += need;
    }
    return swatches.empty() ? 0 : y + swatchLine;
}

void paintChartHead(QPainter& painter, QSize size, const QString& title, const QString& rest, const Theme& theme)
{
    painter.fillRect(QRectF(QPointF(0, 0), QSizeF(size)), theme.window);
    QRectF box(chartMargin, chartMargin - 6, size.width() - 2 * chartMargin, 26);
    const QFont font = timelineFont(14, QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(theme.text);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, title);
    box.setLeft(std::min(box.right(), box.left() + QFontMetricsF(font).horizontalAdvance(title) + 14));
    painter.setFont(timelineFont(12));
    painter.setPen(theme.mutedText);
    drawElided(painter, box, rest);
}

Result<QByteArray> chartBytes(const ChartPicture& picture, QSize size, const QString& title, const QString& rest,
                              const std::function<void(QPainter&)>& paint)
{
    const Sheet sheet{.size = size, .title = title, .scale = picture.scale, .isVector = picture.isVector};
    return pictureBytes(sheet, [&](QPainter& painter) {
        paintChartHead(painter, size, title, rest, picture.theme);
        paint(painter);
    });
}

}  // namespace longpole
