// SPDX-License-Identifier: GPL-3.0-or-later
// Processors as the square cells of a grid: their order, and where they lie in a picture.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/trace/trace.h"

#include <QRectF>
#include <QString>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

// How processors are laid out: about as many rows as columns, rows of a given length, or a row for each node.
struct GridShape {
    enum class Kind : std::uint8_t { Square, Columns, Nodes };
    Kind kind = Kind::Square;
    int columns = 0;  // Kind::Columns
    int rows = 0;     // Kind::Columns; 0: as many as are needed
};
// "square", "nodes", "16" (columns), "16x8". Errors: neither; fewer cells than processors.
Result<GridShape> parseGridShape(const QString& text, std::size_t processors);

class ProcessorGrid {
public:
    ProcessorGrid() = default;
    // Lays `pes` out in this order; by node, row by row in the order of the nodes' numbers.
    ProcessorGrid(std::span<const ProcessorId> pes, std::span<const Processor> processors, const GridShape& shape);

    std::size_t count() const { return m_places.size(); }
    int columns() const { return m_columns; }
    int rows() const { return m_rows; }
    // Number of the row's node where rows are nodes, else empty.
    std::optional<std::uint32_t> nodeOf(int row) const;

    // The grid is as large as fits into `box`, and centred in it.
    QRectF cell(std::size_t processor, const QRectF& box) const;
    double cellSize(const QRectF& box) const;
    // The place among `pes` of the processor at a point; none beside them.
    std::optional<std::size_t> at(const QPointF& point, const QRectF& box) const;

private:
    struct Place {
        int column = 0;
        int row = 0;
    };
    std::vector<Place> m_places;
    std::vector<std::uint32_t> m_nodes;  // by row
    int m_columns = 0;
    int m_rows = 0;
};

}  // namespace longpole
