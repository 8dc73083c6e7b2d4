// SPDX-License-Identifier: GPL-3.0-or-later
// A communication matrix as rows (senders) and columns (receivers) of cells, their names, and where they lie in a
// picture.
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

enum class CommMeasure : std::uint8_t { Bytes, Deliveries };
std::int64_t amountOf(const CommCell& cell, CommMeasure measure);

// Where there are very many ends, `group` neighbours share a row or column.
struct MatrixGrid {
    CommBy by = CommBy::Pe;
    CommMeasure measure = CommMeasure::Bytes;
    CommTraffic traffic = CommTraffic::Messages;
    std::vector<std::uint32_t> rows{};  // ids
    std::vector<std::uint32_t> columns{};
    std::size_t group = 1;
    std::vector<double> values{};  // row by row; 0: nothing
    double least = 0, most = 0;    // of the values above 0

    std::size_t rowCount() const { return (rows.size() + group - 1) / group; }
    std::size_t columnCount() const { return (columns.size() + group - 1) / group; }
    double at(std::size_t row, std::size_t column) const { return values[row * columnCount() + column]; }
};

// By PE or node, rows and columns are those of the trace that are among `pes` (empty: all); by entry method those that
// sent or received, most first. At most `mostSide` of each. O(cells + side^2).
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

// Where the cells are drawn.
struct MatrixLayout {
    QRectF plot;

    QRectF cell(const MatrixGrid& grid, MatrixCellAt at) const;
    std::optional<MatrixCellAt> cellAt(const MatrixGrid& grid, QPointF point) const;
};

// In `box` without `left` and `top` pixels for names. Cells of PEs and nodes are square, those of entry methods may be
// wider than high.
MatrixLayout matrixLayout(const MatrixGrid& grid, const QRectF& box, double left, double top);

}  // namespace longpole
