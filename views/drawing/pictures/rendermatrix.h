// SPDX-License-Identifier: GPL-3.0-or-later
// A communication matrix as a heat map: cells, names and the scale's legend. QtGui only.
#pragma once

#include "core/base/result.h"
#include "core/trace/vocabulary.h"
#include "views/drawing/basics/colourscale.h"
#include "views/drawing/charts/matrixgrid.h"
#include "views/drawing/pictures/renderhistogram.h"

#include <QByteArray>
#include <QPainter>

#include <optional>

namespace longpole {

// From the least to the most of the grid.
ColourScale matrixScale(const MatrixGrid& grid, const Theme& theme, ColourScaleKind kind, bool isLog);

// Room for names at the left and above.
QSizeF matrixMargins(const TraceStore& store, const MatrixGrid& grid);

struct MatrixPaint {
    const TraceStore* store = nullptr;
    const Theme* theme = nullptr;
    const ColourScale* scale = nullptr;
    std::optional<MatrixCellAt> hovered{};
    std::optional<MatrixCellAt> selected{};
};

// Cells with names at the left and above. Where several cells share a pixel it shows the largest. O(cells + pixels).
void paintMatrix(QPainter& painter, const MatrixGrid& grid, const MatrixLayout& layout, const MatrixPaint& paint);

// "Bytes from PE to PE"; "3.2 M messages · 80 MB · 42 % within nodes · 12 never executed".
QString matrixTitle(Vocabulary vocabulary, const MatrixGrid& grid);
QString matrixSummary(Vocabulary vocabulary, const CommMatrix& matrix);

// A size of zero: as large as the cells need, within reason.
Result<QByteArray> renderMatrix(const TraceStore& store, const CommMatrix& matrix, const MatrixGrid& grid, bool isLog,
                                const ChartPicture& picture);

}  // namespace longpole
