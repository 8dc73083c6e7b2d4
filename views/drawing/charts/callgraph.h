// SPDX-License-Identifier: GPL-3.0-or-later
// Who sends messages to whom, as a graph: entry methods are boxes in layers, arrows lead from senders to what they
// start, beginning at the left (or top) with what no other entry method starts.
#pragma once

#include "analysis/statistics/commmatrix.h"
#include "core/store/tracestore.h"
#include "views/drawing/basics/palette.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/charts/matrixgrid.h"

#include <QPainter>
#include <QRectF>

#include <optional>
#include <vector>

namespace longpole {

struct CallBox {
    std::uint32_t entry = 0;  // id; noSender: outside tasks
    int layer = 0;
    QString name;
    QRectF rect{};
};

struct CallArrow {
    std::size_t cell = 0;  // of the matrix
    std::size_t from = 0;  // indices of boxes
    std::size_t to = 0;
    double width = 1;  // pixels; grows with the logarithm of the amount
};

struct CallGraph {
    std::vector<CallBox> boxes;
    std::vector<CallArrow> arrows;
    std::size_t omitted = 0;  // entry methods that were left out
    bool isDownward = false;  // layers stand below each other, else beside

    std::optional<std::size_t> boxAt(QPointF point) const;
};

// Of a matrix by entry method (others give an empty graph), within `area`; with the at most `mostBoxes` entry methods
// that exchange most. An entry method's layer is the length of the shortest way to it from one that no other calls.
// O(cells log cells).
CallGraph callGraph(const TraceStore& store, const CommMatrix& matrix, CommMeasure measure, const QRectF& area,
                    std::size_t mostBoxes = 40);

// The arrows of the box `hovered` are drawn strong, the others pale.
void paintCallGraph(QPainter& painter, const CallGraph& graph, const Palette& palette, const Theme& theme,
                    std::optional<std::size_t> hovered = {});

}  // namespace longpole
