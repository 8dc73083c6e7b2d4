// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/charts/processorgrid.h"

#include "core/base/translate.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <map>

namespace longpole {

namespace {

constexpr double largestCell = 150;  // pixels

// The least divisor of `count` that is at least its square root, so that all rows are full, unless that is over a third
// more than the root; else the root.
int squareColumns(std::size_t count)
{
    const auto root = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count))));
    for (int columns = root; columns <= root + root / 3; ++columns)
        if (columns > 0 && count % static_cast<std::size_t>(columns) == 0) return columns;
    return std::max(1, root);
}

}  // namespace

Result<GridShape> parseGridShape(const QString& text, std::size_t processors)
{
    const QString words = text.trimmed().toLower();
    if (words.isEmpty() || words == QLatin1String("square")) return GridShape{};
    if (words == QLatin1String("nodes")) return GridShape{.kind = GridShape::Kind::Nodes};
    const QStringList sides = words.split(QRegularExpression(QStringLiteral("\\s*[x×*]\\s*")));
    bool columnsFit = false, rowsFit = true;
    const int columns = sides.front().toInt(&columnsFit);
    const int rows = sides.size() > 1 ? sides[1].toInt(&rowsFit) : 0;
    if (!columnsFit || !rowsFit || sides.size() > 2 || columns < 1 || (sides.size() > 1 && rows < 1))
        return Error{.what = tr("\"%1\" is no arrangement of rows.").arg(text),
                     .where = text,
                     .hint = tr("Write square, nodes, a number of columns, or columns x rows such as 16x8.")};
    const auto most = static_cast<std::int64_t>(std::max<std::size_t>(processors, 1));
    if (columns > most || rows > most)
        return Error{.what = tr("There are only %1 PEs or ranks for so large a grid.").arg(processors),
                     .where = text,
                     .hint = tr("Choose fewer columns and rows.")};
    if (rows > 0 && static_cast<std::int64_t>(columns) * rows < static_cast<std::int64_t>(processors))
        return Error{
            .what = tr("%1 x %2 cells are too few for %3 PEs or ranks.").arg(columns).arg(rows).arg(processors),
            .where = text,
            .hint = tr("Leave out the rows, or choose more.")};
    return GridShape{.kind = GridShape::Kind::Columns, .columns = columns, .rows = rows};
}

ProcessorGrid::ProcessorGrid(std::span<const ProcessorId> pes, std::span<const Processor> processors,
                             const GridShape& shape)
    : m_places(pes.size())
{
    if (shape.kind == GridShape::Kind::Nodes) {
        std::map<std::uint32_t, std::vector<std::size_t>> byNode;
        for (std::size_t i = 0; i < pes.size(); ++i) {
            const auto known = std::ranges::lower_bound(processors, pes[i], {}, &Processor::pe);
            byNode[known != processors.end() && known->pe == pes[i] ? known->node : 0].push_back(i);
        }
        for (const auto& [node, members] : byNode) {
            for (std::size_t i = 0; i < members.size(); ++i) m_places[members[i]] = {static_cast<int>(i), m_rows};
            m_columns = std::max(m_columns, static_cast<int>(members.size()));
            m_nodes.push_back(node);
            ++m_rows;
        }
        return;
    }
    m_columns = shape.kind == GridShape::Kind::Columns ? shape.columns : squareColumns(pes.size());
    for (std::size_t i = 0; i < pes.size(); ++i)
        m_places[i] = {static_cast<int>(i) % m_columns, static_cast<int>(i) / m_columns};
    m_rows = std::max(shape.rows, (static_cast<int>(pes.size()) + m_columns - 1) / m_columns);
}

std::optional<std::uint32_t> ProcessorGrid::nodeOf(int row) const
{
    if (row < 0 || row >= static_cast<int>(m_nodes.size())) return {};
    return m_nodes[static_cast<std::size_t>(row)];
}

double ProcessorGrid::cellSize(const QRectF& box) const
{
    if (m_columns < 1 || m_rows < 1) return 0;
    const double size = std::min({box.width() / m_columns, box.height() / m_rows, largestCell});
    return size >= 2 ? std::floor(size) : size;  // whole pixels where there are some
}

QRectF ProcessorGrid::cell(std::size_t processor, const QRectF& box) const
{
    const double size = cellSize(box);
    const double left = std::floor(box.center().x() - size * m_columns / 2);
    const double top = std::floor(box.center().y() - size * m_rows / 2);
    const Place place = m_places[processor];
    return {left + place.column * size, top + place.row * size, size, size};
}

std::optional<std::size_t> ProcessorGrid::at(const QPointF& point, const QRectF& box) const
{
    for (std::size_t i = 0; i < m_places.size(); ++i)
        if (cell(i, box).contains(point)) return i;
    return {};
}

}  // namespace longpole
