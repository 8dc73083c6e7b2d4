// SPDX-License-Identifier: GPL-3.0-or-later
// Projections as pictures: the heat map of stages and processors, an overview as bars, and the animation.
#pragma once

#include "analysis/projection/projection.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "views/drawing/charts/gridframe.h"
#include "views/drawing/pictures/renderhistogram.h"

#include <QByteArray>
#include <QIODevice>

#include <optional>

namespace longpole {

struct ProjectionPicture {
    ChartPicture chart;
    bool isLog = false;
    Statistic statistic{};  // of an overview
};

// Rows are processors, columns are stages, as wide as they are long. A pixel that several share shows the largest
// value.
Result<QByteArray> renderHeatMap(const TraceStore& store, const Projection& projection,
                                 const ProjectionPicture& picture);

// A bar for each processor (over time), or for each stage (over processors).
Result<QByteArray> renderOverview(const TraceStore& store, const Projection& projection, bool overTime,
                                  const ProjectionPicture& picture);

struct AnimationPicture {
    ProjectionPicture look;
    GridShape shape{};
    const CriticalPath* path = nullptr;  // to be drawn over the grid; null: none
    int delay = 100;                     // ms for which a stage shows
};
// All stages as an animated PNG. Errors: cancelled; what the device said.
Result<> renderAnimation(const TraceStore& store, const Projection& projection, const AnimationPicture& picture,
                         QIODevice& out, const Progress& progress);

// Each stage as a PNG of its own, which replaces an older one whole. Errors: cancelled; a file that cannot be written,
// a link in its place.
Result<> renderFrames(const TraceStore& store, const Projection& projection, const AnimationPicture& picture,
                      const QString& path, const Progress& progress);
// Its files: of "walk.png", "walk-0000.png", "walk-0001.png" ...
QString frameFile(const QString& path, std::size_t stage);

}  // namespace longpole
