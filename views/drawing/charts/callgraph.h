// SPDX-License-Identifier: GPL-3.0-or-later
// The call table as a graph: entry methods as boxes in layers, from the ones that start everything to the right, joined
// by who creates messages for whom. Computed without a painter, and painted.
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
    QRectF rect;
};

struct CallArrow {
    std::size_t cell = 0;  // of the matrix
    std::size_t from = 0;  // boxes
    std::size_t to = 0;
    double width = 1;  // pixels, by the logarithm of the amount
};

struct CallGraph {
    std::vector<CallBox> boxes;
    std::vector<CallArrow> arrows;
    std::size_t omitted = 0;  // entry methods that were left out
    bool isDownward = false;  // layers below each other instead of beside

    std::optional<std::size_t> boxAt(QPointF point) const;
};

// Of a matrix by entry method, in `area`. The entry methods that exchange most, at most `mostBoxes`. A layer is one
// step of a shortest way from those that nobody else calls; calls within a layer or back stand as curves. O(cells log
// cells).
CallGraph callGraph(const TraceStore& store, const CommMatrix& matrix, CommMeasure measure, const QRectF& area,
                    std::size_t mostBoxes = 40);

// `hovered`: its arrows are strong, the others quiet.
void paintCallGraph(QPainter& painter, const CallGraph& graph, const Palette& palette, const Theme& theme,
                    std::optional<std::size_t> hovered = {});

}  // namespace longpole
