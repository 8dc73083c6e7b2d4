// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/pictures/renderprojection.h"

#include "analysis/base/naming.h"
#include "core/base/namedfile.h"
#include "core/base/result.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/drawing/basics/animatedpng.h"
#include "views/drawing/basics/font.h"
#include "views/drawing/basics/timeaxis.h"
#include "views/drawing/timeline/timelinepainter.h"

#include <QImage>

#include <algorithm>
#include <cmath>
#include <functional>

namespace longpole {

namespace {

QString summary(Vocabulary vocabulary, const Projection& projection)
{
    QStringList parts{counted("%1 stages", "%1 stage", static_cast<std::int64_t>(projection.stages.count())),
                      countedProcessors(vocabulary, static_cast<std::int64_t>(projection.pes.size()))};
    if (std::isfinite(projection.total))
        parts << tr("all together %1").arg(attributeText(projection.total, projection.attribute.unit()));
    if (projection.isApproximate) parts << tr("≈ stages cut bins of the overview");
    if (projection.isEstimated) parts << tr("receive times estimated");
    return parts.join(QStringLiteral(" · "));
}

std::vector<ValueTick> timeTicks(TimeRange range, TimeNs zero, double width)
{
    std::vector<ValueTick> ticks;
    for (const AxisTick& tick : axisTicks(range, zero, width))
        ticks.push_back({static_cast<double>(tick.time), tick.x / width, tick.label});
    return ticks;
}

// The columns of pixels [first, second) of a stage; at least one.
std::pair<int, int> pixelsOf(const Stages& stages, std::size_t stage, int width)
{
    const TimeRange whole = stages.whole();
    const auto at = [&](TimeNs time) {
        return static_cast<int>(static_cast<double>(time - whole.begin)
                                / static_cast<double>(std::max<TimeNs>(1, whole.length())) * width);
    };
    const int first = std::clamp(at(stages.edges[stage]), 0, width - 1);
    return {first, std::clamp(at(stages.edges[stage + 1]), first + 1, width)};
}

QImage heatImage(const Projection& projection, QSize size, const ColourScale& scale)
{
    QImage image(size, QImage::Format_RGB32);
    image.fill(scale.nothing());
    if (image.isNull() || projection.pes.empty()) return image;
    std::vector<double> shown(static_cast<std::size_t>(size.width()));
    const std::size_t rows = projection.pes.size();
    for (int y = 0; y < size.height(); ++y) {
        const std::size_t first = static_cast<std::size_t>(y) * rows / static_cast<std::size_t>(size.height());
        const std::size_t end = std::max(first + 1, static_cast<std::size_t>(y + 1) * rows
                                                        / static_cast<std::size_t>(size.height()));
        std::fill(shown.begin(), shown.end(), std::nan(""));
        for (std::size_t row = first; row < end; ++row)
            for (std::size_t stage = 0; stage < projection.stages.count(); ++stage) {
                const double value = projection.at(row, stage);
                if (std::isnan(value)) continue;
                const auto [left, right] = pixelsOf(projection.stages, stage, size.width());
                for (int x = left; x < right; ++x)
                    if (!(shown[static_cast<std::size_t>(x)] >= value)) shown[static_cast<std::size_t>(x)] = value;
            }
        auto* const line = reinterpret_cast<QRgb*>(image.scanLine(y));
        for (int x = 0; x < size.width(); ++x) line[x] = scale.colour(shown[static_cast<std::size_t>(x)]);
    }
    return image;
}

// The processors' numbers at the left, as many as have room.
void paintRows(QPainter& painter, const QRectF& plot, const Projection& projection, const Theme& theme)
{
    if (projection.pes.empty()) return;
    painter.setFont(timelineFont(11));
    painter.setPen(theme.mutedText);
    const double each = plot.height() / static_cast<double>(projection.pes.size());
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(14 / each)));
    for (std::size_t row = 0; row < projection.pes.size(); row += every)
        painter.drawText(QRectF(0, plot.top() + (static_cast<double>(row) + 0.5) * each - 8, plot.left() - 8, 16),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(index(projection.pes[row])));
}

}  // namespace

Result<QByteArray> renderHeatMap(const TraceStore& store, const Projection& projection,
                                 const ProjectionPicture& picture)
{
    const Theme& theme = picture.chart.theme;
    const int rows = static_cast<int>(std::min<std::size_t>(projection.pes.size(), 1024));
    const int usualHeight = static_cast<int>(chartMargin * 2 + chartTitleHeight + chartAxisHeight + colourLegendHeight)
                            + std::clamp(rows * 22, 180, 900);
    const QSize size{picture.chart.size.width() > 0 ? picture.chart.size.width() : 1280,
                     picture.chart.size.height() > 0 ? picture.chart.size.height() : usualHeight};
    const ColourScale scale = frameScale(projection, theme, ColourScaleKind::Calm, picture.isLog);
    const double foot = size.height() - chartMargin - colourLegendHeight;
    const QRectF plot(chartMargin + 34, chartMargin + chartTitleHeight,
                      std::max(20.0, size.width() - 2 * chartMargin - 34),
                      std::max(20.0, foot - chartAxisHeight - 8 - chartMargin - chartTitleHeight));
    return chartBytes(
        picture.chart, size, attributeTitle(projection.attribute, store), summary(store.words(), projection),
        [&](QPainter& painter) {
            painter.drawImage(plot, heatImage(projection, (plot.size() * picture.chart.scale).toSize(), scale));
            painter.setBrush(Qt::NoBrush);
            painter.setPen(theme.line);
            painter.drawRect(plot);
            paintRows(painter, plot, projection, theme);
            paintTicksBelow(painter, plot, timeTicks(projection.stages.whole(), store.info().begin, plot.width()),
                            theme);
            paintColourLegend(painter, QRectF(plot.left(), foot, std::min(420.0, plot.width()), colourLegendHeight),
                              scale, theme);
        });
}

Result<QByteArray> renderOverview(const TraceStore& store, const Projection& projection, bool overTime,
                                  const ProjectionPicture& picture)
{
    const Theme& theme = picture.chart.theme;
    const QSize size{picture.chart.size.width() > 0 ? picture.chart.size.width() : 1280,
                     picture.chart.size.height() > 0 ? picture.chart.size.height() : 420};
    const std::vector<double> values = overTime ? overStages(projection, picture.statistic)
                                                : overProcessors(projection, picture.statistic);
    ValueAxis axis = axisOf(values, picture.isLog, valueUnit(projection.attribute.unit()));
    if (projection.attribute.unit() == AttributeUnit::Share && !picture.isLog) axis.high = std::max(1.0, axis.high);
    const double left = chartMargin + leftAxisWidth(axis, 200);
    const QRectF plot(left, chartMargin + chartTitleHeight, std::max(20.0, size.width() - left - chartMargin),
                      std::max(20.0, size.height() - 2 * chartMargin - chartTitleHeight - chartAxisHeight));
    return chartBytes(
        picture.chart, size, attributeTitle(projection.attribute, store), summary(store.words(), projection),
        [&](QPainter& painter) {
            paintLeftAxis(painter, plot, axis, theme);
            std::vector<ValueTick> numbers;
            const double each = plot.width() / std::max(1.0, static_cast<double>(values.size()));
            const double zero = axis.isLog ? 0 : axis.position(0);
            for (std::size_t i = 0; i < values.size(); ++i) {
                double x = plot.left() + static_cast<double>(i) * each, width = each;
                if (!overTime) {
                    const auto [first, end] = pixelsOf(projection.stages, i, static_cast<int>(plot.width()));
                    x = plot.left() + first;
                    width = end - first;
                }
                numbers.push_back({0, (static_cast<double>(i) + 0.5) * each / plot.width(),
                                   overTime ? QString::number(index(projection.pes[i])) : QString()});
                if (!std::isfinite(values[i])) continue;
                const double top = axis.position(values[i]);
                const double gap = width > 6 ? 1 : 0;
                painter.fillRect(QRectF(x, plot.bottom() - std::max(top, zero) * plot.height(),
                                        std::max(0.5, width - gap), std::abs(top - zero) * plot.height()),
                                 theme.utilization);
            }
            paintTicksBelow(painter, plot,
                            overTime ? numbers : timeTicks(projection.stages.whole(), store.info().begin, plot.width()),
                            theme);
        });
}

namespace {

// One frame with title, stage, grid and scale; null if it is too large for memory.
QImage animationFrame(const TraceStore& store, const GridFrame& frame, QSize size, double scale)
{
    QImage image(size * scale, QImage::Format_RGB32);
    if (image.isNull()) return image;
    image.setDevicePixelRatio(scale);
    QPainter painter(&image);
    const Theme& theme = *frame.theme;
    paintChartHead(painter, size, attributeTitle(frame.projection->attribute, store),
                   stageText(frame.projection->stages, frame.stage, store.info().begin), theme);
    const double foot = size.height() - chartMargin - colourLegendHeight;
    paintGridFrame(painter,
                   QRectF(chartMargin, chartMargin + chartTitleHeight, size.width() - 2 * chartMargin,
                          foot - 12 - chartMargin - chartTitleHeight),
                   frame);
    paintColourLegend(painter,
                      QRectF(chartMargin, foot, std::min(420.0, size.width() - 2 * chartMargin), colourLegendHeight),
                      *frame.scale, theme);
    return image;
}

// Draws one stage after the other and gives each to `take`, which may end it with an error.
Result<> forEachFrame(const TraceStore& store, const Projection& projection, const AnimationPicture& picture,
                      const Progress& progress, const std::function<Result<>(std::size_t, const QImage&)>& take)
{
    const ChartPicture& chart = picture.look.chart;
    const QSize size{chart.size.width() > 0 ? chart.size.width() : 640,
                     chart.size.height() > 0 ? chart.size.height() : 560};
    const ProcessorGrid grid(projection.pes, store.processors(), picture.shape);
    const ColourScale scale = frameScale(projection, chart.theme, ColourScaleKind::Calm, picture.look.isLog);
    std::vector<std::vector<GridVisit>> visits;
    if (picture.path) visits = gridPath(*picture.path, projection.stages, projection.pes);
    GridFrame frame{.projection = &projection,
                    .grid = &grid,
                    .scale = &scale,
                    .theme = &chart.theme,
                    .path = picture.path ? &visits : nullptr};
    const std::size_t stages = projection.stages.count();
    for (frame.stage = 0; frame.stage < stages; ++frame.stage) {
        if (progress.isCancelled()) return cancelledError();
        if (auto taken = take(frame.stage, animationFrame(store, frame, size, chart.scale)); !taken) return taken;
        progress.report(static_cast<double>(frame.stage + 1) / static_cast<double>(stages));
    }
    return Unit{};
}

}  // namespace

Result<> renderAnimation(const TraceStore& store, const Projection& projection, const AnimationPicture& picture,
                         QIODevice& out, const Progress& progress)
{
    AnimatedPng animation(out, static_cast<int>(projection.stages.count()), picture.delay);
    const auto drawn = forEachFrame(store, projection, picture, progress,
                                    [&](std::size_t, const QImage& frame) { return animation.add(frame); });
    return drawn ? animation.finish() : drawn;
}

QString frameFile(const QString& path, std::size_t stage)
{
    const QString stem = path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive) ? path.chopped(4) : path;
    return stem % QLatin1Char('-') % QString::number(stage).rightJustified(4, QLatin1Char('0'))
           % QStringLiteral(".png");
}

Result<> renderFrames(const TraceStore& store, const Projection& projection, const AnimationPicture& picture,
                      const QString& path, const Progress& progress)
{
    return forEachFrame(store, projection, picture, progress, [&](std::size_t stage, const QImage& frame) -> Result<> {
        const QString file = frameFile(path, stage);
        return writeNamedFile(file, [&](QIODevice& out) -> Result<> {
            if (frame.save(&out, "PNG")) return Unit{};
            return Error{tr("The picture could not be written: %1.").arg(out.errorString()), file, {}};
        });
    });
}

}  // namespace longpole
