// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path over the rows: bars where it stays on a processor, connectors where it goes to another; merged
// where they are finer than pixels.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "analysis/paths/pathpyramid.h"
#include "views/drawing/basics/timecoordinates.h"

#include <QPointF>

#include <functional>
#include <optional>
#include <vector>

namespace longpole {

struct PathBar {
    double x0 = 0;
    double x1 = 0;
    double y = 0;  // centre
    bool waiting =
        false;  // of the elapsed path: time before a task that is not computing (queue, overhead, unexplained)
    friend bool operator==(const PathBar&, const PathBar&) = default;
};

struct Connector {
    QPointF from;
    QPointF to;
    bool doubtful = false;
    bool inferred = false;  // a merge that is not recorded but inferred
    friend bool operator==(const Connector&, const Connector&) = default;
};

// Connectors within one column of pixels, as the height that they span together.
struct ConnectorBundle {
    double x = 0;
    double top = 0;
    double bottom = 0;
    int count = 0;
};

struct PathGeometry {
    std::vector<PathBar> bars;
    std::vector<Connector> connectors;
    std::vector<ConnectorBundle> bundles;
    std::int64_t steps = 0;  // of the path that lie in the range
    double crowd = 0;        // connectors and bundles per pixel of width
};

// The height of a processor's bars (their centre), also if its row is scrolled out of sight; nothing if it has no row.
using BarPosition = std::function<std::optional<double>(ProcessorId)>;

// What lies between heights 0 and `height`. O(log steps + steps in the range); with the path's pyramid as many as there
// are pixels, for each processor on it.
PathGeometry pathGeometry(const CriticalPath& path, const TimeCoordinates& at, double height, const BarPosition& bar,
                          const PathPyramid* pyramid = nullptr);

// `path` without the connectors that `other` has too: of two lines over each other neither could be read.
PathGeometry withoutShared(PathGeometry path, const PathGeometry& other);

}  // namespace longpole
