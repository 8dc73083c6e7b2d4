// SPDX-License-Identifier: GPL-3.0-or-later
// A communication matrix as a heat map: cells, names and the scale's legend.
#pragma once

#include "core/base/result.h"
#include "core/trace/trace.h"
#include "views/drawing/basics/colourscale.h"
#include "views/drawing/charts/matrixgrid.h"
#include "views/drawing/pictures/renderhistogram.h"

#include <QByteArray>
#include <QPainter>

#include <optional>

namespace longpole {

// From zero, or if it is logarithmic from the least value above zero, to the grid's largest.
ColourScale matrixScale(const MatrixGrid& grid, const Theme& theme, ColourScaleKind kind, bool isLog);

// What the names at the left and above need.
QSizeF matrixMargins(const TraceStore& store, const MatrixGrid& grid);

struct MatrixPaint {
    const TraceStore* store = nullptr;
    const Theme* theme = nullptr;
    const ColourScale* scale = nullptr;
    std::optional<MatrixCellAt> hovered{};
    std::optional<MatrixCellAt> selected{};
};

// Cells, and names at the left and above. A pixel that several cells share shows the largest. O(cells + pixels).
void paintMatrix(QPainter& painter, const MatrixGrid& grid, const MatrixLayout& layout, const MatrixPaint& paint);

// "3.2 M messages · 80 MB · 42 % within nodes · 12 never executed".
QString matrixSummary(const TraceInfo& info, const CommMatrix& matrix);

// A width or height of zero becomes what the cells need, up to about 1000 pixels.
Result<QByteArray> renderMatrix(const TraceStore& store, const CommMatrix& matrix, const MatrixGrid& grid, bool isLog,
                                const ChartPicture& picture);

}  // namespace longpole
