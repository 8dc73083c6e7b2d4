// SPDX-License-Identifier: GPL-3.0-or-later
// Where the tasks and dependencies of a subgraph stand: a lane for each PE, columns in order of time. Lines run and
// turn at right angles in the gaps between lanes and columns, so that none crosses a box.
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
    double top = 0;  // where its boxes begin
    double height = 0;
};

struct GraphColumn {
    double left = 0;   // where its boxes begin
    TimeNs begin = 0;  // of its earliest task
};

struct GraphGeometry {
    QSizeF size;
    bool dots = false;             // boxes are dots without words
    std::vector<GraphBox> boxes;   // one for each of Subgraph::nodes
    std::vector<GraphLine> lines;  // one for each of Subgraph::edges
    std::vector<GraphLane> lanes;  // by PE
    std::vector<GraphColumn> columns;
};

// A task stands right of those that it depends on and of the one before it on its PE, and never left of a task that
// begins before it. Lines of one send share their way until they part. If the picture would be longer or higher than
// `most` pixels, boxes shrink to dots. O(n log n + lines log n).
GraphGeometry graphGeometry(const Subgraph& graph, double most = 16'000);

// The node at a point of the picture; -1 if there is none.
int nodeAt(const GraphGeometry& geometry, QPointF at);

}  // namespace longpole
