// SPDX-License-Identifier: GPL-3.0-or-later
// The strip above a timeline: utilization of all processors over the run, and when the critical path computes.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "core/store/tiles.h"
#include "core/trace/trace.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/basics/timecoordinates.h"

#include <QPainter>
#include <QRectF>

#include <vector>

namespace longpole {

struct MinimapGeometry {
    TimeCoordinates at;
    double height = 0;
    double chartHeight = 0;             // of the utilization, which stands above the path
    std::vector<double> utilization{};  // of each pixel, 0..1
    std::vector<QRectF> path{};         // where the path computes
    std::vector<QRectF> second{};       // where the path it is compared with does
};

// O(pixels + bins + steps of the paths).
MinimapGeometry minimapGeometry(const TileLevel& overview, const TraceInfo& info, const CriticalPath* path,
                                const TimeCoordinates& at, double height, const CriticalPath* second = nullptr);

void paintMinimap(QPainter& painter, const MinimapGeometry& geometry, const Theme& theme);

// The visible range as a frame over the strip, at least 4 pixels wide.
void paintWindow(QPainter& painter, const MinimapGeometry& geometry, TimeRange range, const Theme& theme);

}  // namespace longpole
