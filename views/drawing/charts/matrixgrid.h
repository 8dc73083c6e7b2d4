// SPDX-License-Identifier: GPL-3.0-or-later
// A communication matrix as rows and columns of cells, and where they lie: what a heat map of it draws, without a
// painter.
#pragma once

#include "analysis/statistics/commmatrix.h"
#include "core/store/tracestore.h"

#include <QRectF>
#include <QString>

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

enum class CommMeasure : std::uint8_t { Bytes, Messages };

// Rows send, columns receive. Where there are very many ends, `group` neighbours share a row and a column.
struct MatrixGrid {
    CommBy by = CommBy::Pe;
    CommMeasure measure = CommMeasure::Bytes;
    std::vector<std::uint32_t> rows;  // ids
    std::vector<std::uint32_t> columns;
    std::size_t group = 1;
    std::vector<double> values;  // row by row; 0: nothing
    double least = 0, most = 0;  // of what is not nothing

    std::size_t rowCount() const { return (rows.size() + group - 1) / group; }
    std::size_t columnCount() const { return (columns.size() + group - 1) / group; }
    double at(std::size_t row, std::size_t column) const { return values[row * columnCount() + column]; }
};

// Rows and columns: by PE and node all of the trace that are among `pes` (empty: all), by entry method those that sent
// or received, in the order of how much. At most `mostSide` of each; O(cells + side^2).
MatrixGrid matrixGrid(const TraceStore& store, const CommMatrix& matrix, CommMeasure measure,
                      std::span<const ProcessorId> pes = {}, std::size_t mostSide = 1024);

// "PE 3", "PEs 64-127", "node 2", "Jacobi::compute", "(outside tasks)".
QString endName(const TraceStore& store, CommBy by, std::uint32_t id);
QString rowName(const TraceStore& store, const MatrixGrid& grid, std::size_t row);
QString columnName(const TraceStore& store, const MatrixGrid& grid, std::size_t column);

struct MatrixCellAt {
    std::size_t row = 0;
    std::size_t column = 0;
    friend bool operator==(const MatrixCellAt&, const MatrixCellAt&) = default;
};

// Where the cells are drawn: square as far as the room allows.
struct MatrixLayout {
    QRectF plot;

    QRectF cell(const MatrixGrid& grid, MatrixCellAt at) const;
    std::optional<MatrixCellAt> cellAt(const MatrixGrid& grid, QPointF point) const;
};

// In `box`, with `left` and `top` pixels for names.
MatrixLayout matrixLayout(const MatrixGrid& grid, const QRectF& box, double left, double top);

}  // namespace longpole
