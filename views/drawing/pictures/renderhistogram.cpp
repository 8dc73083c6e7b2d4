// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/pictures/renderhistogram.h"

#include "analysis/base/naming.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/drawing/basics/font.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

double widthShare(const Histogram& histogram, const HistogramGeometry& geometry, std::int64_t value)
{
    const auto after = std::ranges::upper_bound(histogram.edges, value);
    if (after == histogram.edges.end()) return 1;
    if (after == histogram.edges.begin()) return 0;
    const auto bin = static_cast<std::size_t>(after - histogram.edges.begin()) - 1;
    const auto from = static_cast<double>(histogram.edges[bin]);
    const auto to = static_cast<double>(histogram.edges[bin + 1]);
    const bool isLog = histogram.binning == Binning::Logarithmic && from > 0;
    const auto at = static_cast<double>(value);
    const double part = isLog ? std::log(at / from) / std::log(to / from) : (at - from) / (to - from);
    return geometry.edges[bin] + part * (geometry.edges[bin + 1] - geometry.edges[bin]);
}

// A dashed line with a word beside its head if that fits right of `free`, which then moves to where the next word may
// begin.
void paintQuantile(QPainter& painter, const QRectF& plot, double x, const QString& text, const Theme& theme,
                   double& free)
{
    constexpr double above = 14;
    const double at = std::round(plot.left() + x * plot.width());
    painter.setPen(QPen(theme.mutedText, 1, Qt::DashLine));
    painter.drawLine(QPointF(at + 0.5, plot.top() - above), QPointF(at + 0.5, plot.bottom()));
    painter.setFont(timelineFont(11));
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(text);
    const double left = at + 5 + width > plot.right() ? at - 5 - width : at + 5;
    if (left < free) return;
    painter.setPen(theme.mutedText);
    painter.drawText(QRectF(left, plot.top() - above, width + 1, above), Qt::AlignLeft | Qt::AlignVCenter, text);
    free = left + width + 6;
}

std::int64_t quantileOf(const Histogram& histogram, double share)
{
    for (const auto& [known, value] : histogram.quantiles)
        if (known == share) return value;
    return 0;
}

}  // namespace

void paintHistogram(QPainter& painter, const QRectF& plot, const Histogram& histogram,
                    const HistogramGeometry& geometry, const HistogramPaint& paint)
{
    const Theme& theme = *paint.theme;
    for (const HistogramBar& bar : geometry.bars) {
        const double left = plot.left() + bar.left * plot.width();
        const double right = plot.left() + bar.right * plot.width();
        const double gap = right - left > 5 ? 1 : 0;
        const bool isQuiet = paint.brush && (bar.bin < paint.brush->first || bar.bin >= paint.brush->second);
        double y = plot.bottom();
        // At least two pixels high: a few in a million are seen too.
        const double stretch = bar.height > 0 ? std::max(1.0, 2 / (bar.height * plot.height())) : 1;
        for (std::size_t i = 0; i < bar.parts.size(); ++i) {
            const double height = bar.parts[i] * plot.height() * stretch;
            if (height <= 0) continue;
            QColor colour = i < paint.colours.size() ? paint.colours[i] : theme.utilization;
            if (isQuiet) colour = QColor(mixed(colour.rgb(), theme.panel.rgb(), 0.72));
            if (paint.hovered == bar.bin) colour = QColor(mixed(colour.rgb(), theme.text.rgb(), 0.18));
            painter.fillRect(QRectF(left, y - height, std::max(1.0, right - left - gap), height), colour);
            y -= height;
        }
    }
    if (histogram.quantiles.empty()) return;
    double free = plot.left();
    for (const auto& [share, name] : {std::pair(0.5, tr("median")), std::pair(0.95, tr("95 %"))})
        paintQuantile(painter, plot, widthShare(histogram, geometry, quantileOf(histogram, share)), name, theme, free);
}

std::vector<ChartSwatch> histogramSwatches(const TraceStore& store, const Histogram& histogram, const Palette& palette,
                                           const Theme& theme)
{
    std::vector<ChartSwatch> swatches;
    for (const HistogramSeries& series : histogram.series) {
        const Entry* const entry = store.entry(series.entry);
        if (series.isRest) swatches.push_back({tr("others"), theme.faintText});
        else if (histogram.of == DistributedQuantity::IdleLength)
            swatches.push_back({store.words().say(tr("idle"), tr("waiting in MPI")), theme.utilization});
        else if (entry != nullptr) swatches.push_back({entryName(*entry), QColor(palette.entry(series.entry))});
        else swatches.push_back({tr("unknown"), theme.mutedText});
    }
    return swatches;
}

QString quantityTitle(DistributedQuantity quantity)
{
    switch (quantity) {
    case DistributedQuantity::TaskDuration: return tr("Task duration");
    case DistributedQuantity::MessageSize: return tr("Message size");
    case DistributedQuantity::IdleLength: return tr("Idle length");
    case DistributedQuantity::Latency: return tr("Message latency");
    case DistributedQuantity::QueueWait: break;
    }
    return tr("Queue wait");
}

QString histogramSummary(const Histogram& histogram)
{
    const auto value = [unit = unitOf(histogram.of)](std::int64_t figure) {
        return valueText(static_cast<double>(figure), unit);
    };
    const std::int64_t count = histogram.summary.count;
    if (count == 0) return tr("nothing there");
    QStringList parts;
    switch (histogram.of) {
    case DistributedQuantity::TaskDuration: parts << counted("%1 tasks", "%1 task", count); break;
    case DistributedQuantity::MessageSize: parts << counted("%1 messages", "%1 message", count); break;
    case DistributedQuantity::IdleLength: parts << counted("%1 times", "%1 time", count); break;
    case DistributedQuantity::Latency:
    case DistributedQuantity::QueueWait: parts << counted("%1 deliveries", "%1 delivery", count); break;
    }
    parts << tr("%1 in all").arg(value(histogram.summary.sum))
          << tr("mean %1").arg(value(std::llround(histogram.summary.mean)))
          << tr("median %1").arg(value(quantileOf(histogram, 0.5)))
          << tr("95 % up to %1").arg(value(quantileOf(histogram, 0.95)))
          << tr("most %1").arg(value(histogram.summary.most));
    if (histogram.estimated == histogram.summary.count) parts << tr("all estimated: the trace has no times of arrival");
    else if (histogram.estimated > 0) parts << tr("%1 estimated").arg(formatCount(histogram.estimated));
    if (histogram.isRounded) parts << tr("rounded to 16 bits");
    return parts.join(QStringLiteral(" · "));
}

Result<QByteArray> renderHistogram(const TraceStore& store, const Histogram& histogram, const HistogramLook& look,
                                   const ChartPicture& picture)
{
    const QSize size = picture.size.expandedTo({200, 120});
    const Palette palette(store, picture.theme, picture.palette);
    const std::vector<ChartSwatch> swatches = histogramSwatches(store, histogram, palette, picture.theme);
    const double legend = paintSwatches(nullptr, swatches, size.width() - 2 * chartMargin, picture.theme);
    const double top = chartMargin + chartTitleHeight;
    const double bottom = size.height() - chartMargin - legend - chartAxisHeight;
    HistogramGeometry geometry = histogramGeometry(histogram, look, size.width());
    const double left = chartMargin + leftAxisWidth(geometry.heights, bottom - top);
    const QRectF plot(left, top, std::max(20.0, size.width() - left - chartMargin), std::max(20.0, bottom - top));
    geometry = histogramGeometry(histogram, look, plot.width());
    HistogramPaint paint{.theme = &picture.theme};
    for (const ChartSwatch& swatch : swatches) paint.colours.push_back(swatch.colour);
    return chartBytes(picture, size, quantityTitle(histogram.of), histogramSummary(histogram), [&](QPainter& painter) {
        paintLeftAxis(painter, plot, geometry.heights, picture.theme);
        paintHistogram(painter, plot, histogram, geometry, paint);
        paintTicksBelow(painter, plot, geometry.ticks, picture.theme);
        painter.translate(chartMargin, size.height() - chartMargin - legend + 4);
        paintSwatches(&painter, swatches, size.width() - 2 * chartMargin, picture.theme);
    });
}

}  // namespace longpole
