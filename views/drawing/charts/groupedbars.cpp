// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/charts/groupedbars.h"

#include "core/trace/format.h"
#include "views/drawing/basics/font.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double barHeight = 12;
constexpr double groupGap = 12;
constexpr double widestGroupName = 280;
constexpr double valueRoom = 64;  // for a value behind the longest bar
constexpr double barLabelPixels = 11;

QString labelOf(double value, ValueUnit unit)
{
    return unit == ValueUnit::Share ? formatSignedShare(value) : valueText(value, unit);
}

double groupNameWidth(const GroupedBars& bars)
{
    const QFontMetricsF metrics(timelineFont(barLabelPixels));
    double widest = 20;
    for (const QString& name : bars.groups) widest = std::max(widest, metrics.horizontalAdvance(name));
    return std::ceil(std::min(widest, widestGroupName)) + 10;
}

void paintBarNames(QPainter& painter, const GroupedBars& bars, const QRectF& plot, const Theme& theme)
{
    painter.setFont(timelineFont(barLabelPixels));
    painter.setPen(theme.mutedText);
    const QFontMetricsF metrics(painter.font());
    const double each = plot.height() / static_cast<double>(std::max<std::size_t>(bars.groups.size(), 1));
    for (std::size_t group = 0; group < bars.groups.size(); ++group) {
        const QRectF box(chartMargin, plot.top() + static_cast<double>(group) * each, plot.left() - 8 - chartMargin,
                         each);
        painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
                         metrics.elidedText(bars.groups[group], Qt::ElideMiddle, box.width()));
    }
}

void paintBars(QPainter& painter, const GroupedBars& bars, const ValueAxis& axis, const QRectF& plot,
               const Theme& theme)
{
    painter.setFont(timelineFont(barLabelPixels));
    for (const GroupBar& bar : barsOf(bars, axis, plot)) {
        painter.fillRect(bar.rect, bars.measures[bar.measure].colour);
        painter.setPen(theme.mutedText);
        painter.drawText(QRectF(bar.rect.right() + 4, bar.rect.center().y() - 8, valueRoom - 4, 16),
                         Qt::AlignLeft | Qt::AlignVCenter, labelOf(bars.values[bar.group][bar.measure], bars.unit));
    }
    const double zero = std::round(plot.left() + axis.position(0) * plot.width());
    painter.fillRect(QRectF(zero, plot.top(), 1, plot.height()), theme.line);
}

}  // namespace

ValueAxis axisOf(const GroupedBars& bars)
{
    std::vector<double> all;
    for (const std::vector<double>& values : bars.values) all.insert(all.end(), values.begin(), values.end());
    return axisOf(all, false, bars.unit);
}

std::vector<GroupBar> barsOf(const GroupedBars& bars, const ValueAxis& axis, const QRectF& plot)
{
    std::vector<GroupBar> all;
    const auto groups = static_cast<double>(std::max<std::size_t>(bars.groups.size(), 1));
    const auto measures = static_cast<double>(std::max<std::size_t>(bars.measures.size(), 1));
    const double each = plot.height() / groups;
    const double gap = std::min(groupGap, each * 0.3);
    const double height = (each - gap) / measures;
    const double zero = axis.position(0);
    for (std::size_t group = 0; group < bars.groups.size(); ++group)
        for (std::size_t measure = 0; measure < bars.measures.size(); ++measure) {
            const double value = bars.values[group][measure];
            if (!std::isfinite(value)) continue;
            const double at = axis.position(value);
            const double left = std::min(zero, at), right = std::max(zero, at);
            const double top = plot.top() + static_cast<double>(group) * each + gap / 2
                               + static_cast<double>(measure) * height;
            const double room = height > 6 ? 1 : 0;  // between bars
            all.push_back({group, measure,
                           QRectF(plot.left() + left * plot.width(), top, (right - left) * plot.width(),
                                  std::max(height - room, 0.5))});
        }
    return all;
}

Result<QByteArray> renderGroupedBars(const GroupedBars& bars, const ChartPicture& picture)
{
    const Theme& theme = picture.theme;
    const double width = std::max(picture.size.width(), 320);
    const double legend = paintSwatches(nullptr, bars.measures, width - 2 * chartMargin, theme);
    const double around = 2 * chartMargin + chartTitleHeight + chartAxisHeight + legend;
    const double needed = static_cast<double>(bars.groups.size())
                          * (static_cast<double>(bars.measures.size()) * barHeight + groupGap);
    const double height = picture.size.height() > 0 ? std::max<double>(picture.size.height(), around + 20)
                                                    : around + std::max(needed, 20.0);
    const double left = chartMargin + groupNameWidth(bars);
    const QRectF plot(left, chartMargin + chartTitleHeight, std::max(20.0, width - left - chartMargin - valueRoom),
                      height - around);
    const ValueAxis axis = axisOf(bars);
    const QSize size(static_cast<int>(width), static_cast<int>(std::ceil(height)));
    return chartBytes(picture, size, bars.title, bars.summary, [&](QPainter& painter) {
        paintBars(painter, bars, axis, plot, theme);
        paintBarNames(painter, bars, plot, theme);
        paintTicksBelow(painter, plot, valueTicks(axis, std::max(2, static_cast<int>(plot.width() / 90))), theme);
        painter.translate(chartMargin, size.height() - chartMargin - legend + 4);
        paintSwatches(&painter, bars.measures, width - 2 * chartMargin, theme);
    });
}

}  // namespace longpole
