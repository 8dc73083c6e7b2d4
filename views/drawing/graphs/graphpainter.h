// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the geometry of a subgraph: no decisions here, only colours and QPainter calls.
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
    double zoom = 1;    // device pixels per pixel of the geometry: words too small to read are left out
    int selected = -1;  // node
};

// Rails, lines and boxes. The path is drawn last, lines before boxes. Only what touches `visible` (empty: all).
void paintGraph(QPainter& painter, const GraphGeometry& geometry, const Subgraph& graph, const GraphStyle& style,
                QRectF visible = {});

// The PEs' names, centred on their lanes, right-aligned in [0, width); `scale` and `top` say where the lanes stand.
void paintGraphLanes(QPainter& painter, const GraphGeometry& geometry, double width, double scale, double top,
                     const Theme& theme, Vocabulary vocabulary);
QString laneName(Vocabulary vocabulary, const GraphLane& lane);  // "PE 3"

// When the columns begin, above them, since `zero`; as many as have room.
void paintGraphTimes(QPainter& painter, const GraphGeometry& geometry, double height, double scale, double left,
                     TimeNs zero, const Theme& theme);

// The kinds of lines in a picture, to be explained.
struct GraphKind {
    PathEdge kind = PathEdge::Message;
    bool onPath = false;
    QString text;
};
std::vector<GraphKind> graphKinds(const Subgraph& graph, Vocabulary vocabulary);
// A sample of the line, `width` long, and its words, on one line of `height` from the origin. Returns the width used; a
// null painter only measures.
double paintGraphKind(QPainter* painter, const GraphKind& kind, double height, const Theme& theme);

// How a dependency of that kind is drawn.
QPen graphPen(PathEdge kind, bool onPath, const Theme& theme);
// The colour of a box: of its entry method, paler away from the path.
QColor graphFill(EntryId entry, bool onPath, const Palette& palette, const Theme& theme);
// Black or white, whatever is read better on `fill`.
QColor readableOn(const QColor& fill);

}  // namespace longpole
