// SPDX-License-Identifier: GPL-3.0-or-later
// Where the tasks and dependencies of a subgraph stand: a lane for each PE, columns in order of time, lines that turn
// at right angles in the room between lanes and columns, so that none crosses a box.
#pragma once

#include "analysis/paths/subgraph.h"

#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <vector>

namespace longpole {

struct GraphBox {
    QRectF rect;
    int column = 0;
    int lane = 0;
};

struct GraphLine {
    std::vector<QPointF> points;  // from the source's box to the left side of the target's
};

struct GraphLane {
    ProcessorId pe{};
    double top = 0;  // of its boxes
    double height = 0;
};

struct GraphColumn {
    double left = 0;   // of its boxes
    TimeNs begin = 0;  // earliest in it
};

struct GraphGeometry {
    QSizeF size;
    bool dots = false;             // too many columns for boxes with words in them
    std::vector<GraphBox> boxes;   // as Subgraph::nodes
    std::vector<GraphLine> lines;  // as Subgraph::edges
    std::vector<GraphLane> lanes;  // by PE
    std::vector<GraphColumn> columns;
};

// A task stands in a later column than those it depends on and than the one before it on its PE, and never in an
// earlier one than a task that begins before it. Lines of one send share their way. Where a side would be longer than
// `most` pixels boxes shrink to dots. O(n log n + lines log n).
GraphGeometry graphGeometry(const Subgraph& graph, double most = 16'000);

// The node at a point of the picture; -1 if there is none.
int nodeAt(const GraphGeometry& geometry, QPointF at);

}  // namespace longpole
