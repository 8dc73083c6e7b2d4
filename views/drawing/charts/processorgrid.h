// SPDX-License-Identifier: GPL-3.0-or-later
// Processors as the cells of a grid: which has which place, and where it lies in a picture.
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

// How processors are laid out: as near to a square as their number allows, in rows of a given length, or one row of
// cells per node.
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
    // `pes` in the order they are laid out; by node, nodes in order of their numbers.
    ProcessorGrid(std::span<const ProcessorId> pes, std::span<const Processor> processors, const GridShape& shape);

    std::size_t count() const { return m_places.size(); }
    int columns() const { return m_columns; }
    int rows() const { return m_rows; }
    // Number of the row's node where rows are nodes, else empty.
    std::optional<std::uint32_t> nodeOf(int row) const;

    // Square cells, as large as fit into `box`, centred.
    QRectF cell(std::size_t processor, const QRectF& box) const;
    double cellSize(const QRectF& box) const;
    // The processor (by place among `pes`) at a point; empty between and beside them.
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
