// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the geometry of a subgraph; where things stand has been decided there.
#pragma once

#include "core/store/tracestore.h"
#include "core/trace/vocabulary.h"
#include "views/drawing/basics/palette.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/graphs/graphgeometry.h"

#include <QPainter>
#include <QPen>
#include <QString>

#include <vector>

namespace longpole {

struct GraphStyle {
    const Theme* theme = nullptr;
    const Palette* palette = nullptr;
    const TraceStore* names = nullptr;
    double zoom = 1;    // device pixels per pixel of the geometry; words that would be too small to read are left out
    int selected = -1;  // index of a node; -1: none
};

// Lanes, then lines (those of the path last), then boxes; only what touches `visible` (empty: all).
void paintGraph(QPainter& painter, const GraphGeometry& geometry, const Subgraph& graph, const GraphStyle& style,
                QRectF visible = {});

// The PEs' names beside their lanes, right-aligned in [0, width); a lane's top is drawn at `top` + `scale` x its own.
void paintGraphLanes(QPainter& painter, const GraphGeometry& geometry, double width, double scale, double top,
                     const Theme& theme, Vocabulary vocabulary);
QString laneName(Vocabulary vocabulary, const GraphLane& lane);  // "PE 3"

// When columns begin, since `zero`, above as many of them as have room; a column's left is drawn at `left` + `scale` x
// its own.
void paintGraphTimes(QPainter& painter, const GraphGeometry& geometry, double height, double scale, double left,
                     TimeNs zero, const Theme& theme);

// A kind of line that the legend of a picture explains.
struct GraphKind {
    PathEdge kind = PathEdge::Message;
    bool onPath = false;
    QString text;
};
// The kinds that occur in the graph.
std::vector<GraphKind> graphKinds(const Subgraph& graph, Vocabulary vocabulary);
// A sample of the line with its words, from the origin on a line of the legend. Returns the width that takes; a null
// painter only measures.
double paintGraphKind(QPainter* painter, const GraphKind& kind, double height, const Theme& theme);

// How a dependency of that kind is drawn.
QPen graphPen(PathEdge kind, bool onPath, const Theme& theme);
// The colour of a box: its entry method's, paler if the task is not on the path.
QColor graphFill(EntryId entry, bool onPath, const Palette& palette, const Theme& theme);

}  // namespace longpole
