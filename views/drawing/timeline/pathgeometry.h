// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path over the rows as bars and connectors, merged where steps are finer than pixels.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "views/drawing/basics/timecoordinates.h"

#include <QPointF>

#include <functional>
#include <optional>
#include <vector>

namespace longpole {

struct PathBar {
    double x0 = 0;
    double x1 = 0;
    double y = 0;          // centre
    bool waiting = false;  // elapsed path: queue, overhead or unexplained time that leads to the next task
    friend bool operator==(const PathBar&, const PathBar&) = default;
};

struct Connector {
    QPointF from;
    QPointF to;
    bool doubtful = false;
    bool inferred = false;  // a merge that nobody recorded
    friend bool operator==(const Connector&, const Connector&) = default;
};

// Many connectors within one pixel: the rows they span.
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
    std::int64_t steps = 0;  // of the path in the range
    double crowd = 0;        // connectors per pixel of width
};

// The centre of a processor's bar, also of one that is scrolled away; nothing for a processor that has no row.
using BarPosition = std::function<std::optional<double>(ProcessorId)>;

// Bars and connectors between heights 0 and `height`. O(log steps + steps in the range).
PathGeometry pathGeometry(const CriticalPath& path, const TimeCoordinates& at, double height, const BarPosition& bar);

// Without the connectors that `other` has too: two lines over each other are neither.
PathGeometry withoutShared(PathGeometry path, const PathGeometry& other);

}  // namespace longpole
