// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/minimapgeometry.h"

#include "views/drawing/timeline/rowdata.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

std::vector<double> utilizationPerPixel(const TileLevel& overview, const TraceInfo& info, const TimeCoordinates& at)
{
    const auto pixels = static_cast<std::size_t>(std::max(1.0, std::floor(at.width)));
    std::vector<double> busy(pixels, 0.0);
    const TimeRange run = info.range();
    for (std::size_t i = 0; i < overview.bins.size(); ++i) {
        const TimeRange bin = intersection(binRange(overview, i), run);
        if (bin.isEmpty() || overview.bins[i].busy == 0) continue;
        const double from = std::max(0.0, at.x(bin.begin));
        const double to = std::min(static_cast<double>(pixels), at.x(bin.end));
        const double density = static_cast<double>(overview.bins[i].busy) / (at.x(bin.end) - at.x(bin.begin));
        for (auto x = static_cast<std::size_t>(from); x < pixels && static_cast<double>(x) < to; ++x) {
            const double left = std::max(from, static_cast<double>(x));
            busy[x] += density * (std::min(to, static_cast<double>(x) + 1) - left);
        }
    }
    const double whole = at.perPixel() * static_cast<double>(std::max<std::int64_t>(1, info.processors));
    for (double& value : busy) value = std::clamp(value / whole, 0.0, 1.0);
    return busy;
}

// Where the path computes; pieces with no pixel between them are one.
std::vector<QRectF> pieces(const CriticalPath& path, const TimeCoordinates& at, double top, double height)
{
    std::vector<QRectF> pieces;
    for (const PathStep& step : path.steps) {
        if (step.part != PathPart::Compute) continue;
        const double x0 = at.x(step.begin);
        const double x1 = std::max(at.x(step.end), x0 + 1);
        if (x1 < 0 || x0 > at.width) continue;
        if (!pieces.empty() && x0 <= pieces.back().right() + 0.5)
            pieces.back().setRight(std::max(pieces.back().right(), x1));
        else pieces.emplace_back(x0, top, x1 - x0, height);
    }
    return pieces;
}

}  // namespace

MinimapGeometry minimapGeometry(const TileLevel& overview, const TraceInfo& info, const CriticalPath* path,
                                const TimeCoordinates& at, double height, const CriticalPath* second)
{
    MinimapGeometry geometry{.at = at,
                             .height = height,
                             .chartHeight = std::max(1.0, height - 8),
                             .utilization = utilizationPerPixel(overview, info, at)};
    if (path) geometry.path = pieces(*path, at, height - 4, 3);
    if (second) geometry.second = pieces(*second, at, height - 7, 2);
    return geometry;
}

void paintMinimap(QPainter& painter, const MinimapGeometry& geometry, const Theme& theme)
{
    const double foot = geometry.chartHeight;
    for (std::size_t x = 0; x < geometry.utilization.size(); ++x) {
        const double height = std::round(geometry.utilization[x] * (foot - 2));
        if (height > 0) painter.fillRect(QRectF(static_cast<double>(x), foot - height, 1, height), theme.utilization);
    }
    for (const QRectF& piece : geometry.second) painter.fillRect(piece, theme.secondPath);
    for (const QRectF& piece : geometry.path) painter.fillRect(piece, theme.accent);
}

void paintWindow(QPainter& painter, const MinimapGeometry& geometry, TimeRange range, const Theme& theme)
{
    const double x0 = std::clamp(geometry.at.x(range.begin), 0.0, geometry.at.width);
    const double x1 = std::clamp(geometry.at.x(range.end), 0.0, geometry.at.width);
    const double missing = std::max(0.0, 4 - (x1 - x0));
    const QRectF rect(x0 - missing / 2, 0, x1 - x0 + missing, geometry.height);
    QColor fill = theme.selection;
    fill.setAlpha(theme.dark ? 26 : 16);
    painter.fillRect(rect, fill);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.selection, 1));
    painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
}

}  // namespace longpole
