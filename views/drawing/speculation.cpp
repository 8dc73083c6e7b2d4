// Bars of work and ticks of updates.
#include "views/drawing/speculation.h"

#include "views/drawing/palette.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double tickRoom = 11;  // above the bars

TimeNs valueAt(const std::vector<TimeNs>& values, std::size_t i) { return i < values.size() ? std::max<TimeNs>(0, values[i]) : 0; }

}  // namespace

SpeculationGeometry speculationGeometry(const SpeculativeSeries& series, double width, double height)
{
    SpeculationGeometry geometry;
    geometry.plot = {0, tickRoom, width, std::max(0.0, height - tickRoom - 1)};
    if (series.edges.size() < 2) return geometry;
    const TimeNs begin = series.edges.front();
    const auto length = static_cast<double>(std::max<TimeNs>(1, saturatingSubtract(series.edges.back(), begin)));
    const auto x = [&](TimeNs time) { return static_cast<double>(saturatingSubtract(time, begin)) / length * width; };
    const TimeNs most = series.user.empty() ? 0 : *std::max_element(series.user.begin(), series.user.end());
    for (std::size_t i = 0; i + 1 < series.edges.size(); ++i) {
        const double left = x(series.edges[i]);
        const double right = x(series.edges[i + 1]);
        const auto bar = [&](TimeNs value) {
            const double part = most > 0 ? static_cast<double>(value) / static_cast<double>(most) : 0;
            const double tall = std::min(1.0, part) * geometry.plot.height();
            return QRectF(left, geometry.plot.bottom() - tall, right - left, tall);
        };
        geometry.stages.push_back({bar(valueAt(series.user, i)), bar(valueAt(series.speculative, i)),
                                   series.hasReads ? bar(valueAt(series.outdated, i)) : QRectF()});
    }
    for (const SpeculativeSeries::Update& update : series.best)
        if (update.time >= begin && update.time <= series.edges.back()) geometry.best.push_back(x(update.time));
    return geometry;
}

int stageAt(const SpeculationGeometry& geometry, QPointF at)
{
    for (std::size_t i = 0; i < geometry.stages.size(); ++i)
        if (at.x() >= geometry.stages[i].user.left() && at.x() < geometry.stages[i].user.right()) return static_cast<int>(i);
    return -1;
}

void paintSpeculation(QPainter& painter, const SpeculationGeometry& geometry, const Theme& theme, int hovered)
{
    painter.save();
    const QColor quiet(mixed(theme.utilization.rgb(), theme.window.rgb(), 0.55));
    const QColor middle(mixed(theme.accent.rgb(), theme.window.rgb(), 0.45));
    if (hovered >= 0 && hovered < static_cast<int>(geometry.stages.size())) {
        const QRectF& user = geometry.stages[static_cast<std::size_t>(hovered)].user;
        painter.fillRect(QRectF(user.left(), geometry.plot.top(), user.width(), geometry.plot.height()), theme.raised);
    }
    for (const SpeculationGeometry::Stage& stage : geometry.stages) {
        painter.fillRect(stage.user, quiet);
        painter.fillRect(stage.speculative, stage.outdated.isNull() ? theme.accent : middle);
        painter.fillRect(stage.outdated, theme.accent);
    }
    painter.fillRect(QRectF(geometry.plot.left(), geometry.plot.bottom(), geometry.plot.width(), 1), theme.line);
    for (const double x : geometry.best) painter.fillRect(QRectF(x - 0.5, 1, 1, 7), theme.text);
    painter.restore();
}

}  // namespace longpole
