// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/charts/matrixgrid.h"

#include "core/base/drawnhash.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace longpole {

namespace {

// The PEs or nodes of the rows and columns, ascending.
std::vector<std::uint32_t> places(const TraceStore& store, const CommMatrix& matrix, std::span<const ProcessorId> pes)
{
    std::set<std::uint32_t> ids;
    const bool byPe = matrix.by == CommBy::Pe;
    for (const Processor& processor : store.processors()) {
        const bool isChosen = pes.empty() ? processor.kind != TrackKind::CommThread
                                          : std::ranges::find(pes, processor.pe) != pes.end();
        if (isChosen) ids.insert(byPe ? index(processor.pe) : processor.node);
    }
    for (const CommCell& cell : matrix.cells) ids.insert({cell.from, cell.to});
    return {ids.begin(), ids.end()};
}

// The senders (or receivers), those of most first.
std::vector<std::uint32_t> byAmount(const CommMatrix& matrix, CommMeasure measure, std::uint32_t CommCell::*end)
{
    std::unordered_map<std::uint32_t, std::int64_t, DrawnHash> sums;
    for (const CommCell& cell : matrix.cells) sums[cell.*end] = saturatingAdd(sums[cell.*end], amountOf(cell, measure));
    std::vector<std::pair<std::uint32_t, std::int64_t>> ordered(sums.begin(), sums.end());
    std::ranges::sort(ordered, [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    std::vector<std::uint32_t> ids;
    ids.reserve(ordered.size());
    for (const auto& [id, sum] : ordered) ids.push_back(id);
    return ids;
}

QString groupName(const TraceStore& store, const MatrixGrid& grid, const std::vector<std::uint32_t>& ids,
                  std::size_t number)
{
    const std::size_t first = number * grid.group;
    const std::size_t last = std::min(first + grid.group, ids.size()) - 1;
    if (first == last) return endName(store, grid.by, ids[first]);
    return (grid.by == CommBy::Node ? tr("nodes %1-%2") : store.words().say(tr("PEs %1-%2"), tr("Ranks %1-%2")))
        .arg(ids[first])
        .arg(ids[last]);
}

}  // namespace

std::int64_t amountOf(const CommCell& cell, CommMeasure measure)
{
    return measure == CommMeasure::Bytes ? cell.deliveredBytes : cell.deliveries;
}

MatrixGrid matrixGrid(const TraceStore& store, const CommMatrix& matrix, CommMeasure measure,
                      std::span<const ProcessorId> pes, std::size_t mostSide)
{
    MatrixGrid grid{.by = matrix.by, .measure = measure, .traffic = matrix.traffic};
    if (matrix.by == CommBy::Entry) {
        grid.rows = byAmount(matrix, measure, &CommCell::from);
        grid.columns = byAmount(matrix, measure, &CommCell::to);
    } else {
        grid.rows = grid.columns = places(store, matrix, pes);
    }
    const std::size_t longest = std::max(grid.rows.size(), grid.columns.size());
    grid.group = std::max<std::size_t>(1, (longest + mostSide - 1) / std::max<std::size_t>(mostSide, 1));
    grid.values.assign(grid.rowCount() * grid.columnCount(), 0);
    std::unordered_map<std::uint32_t, std::size_t, DrawnHash> rowOf;
    std::unordered_map<std::uint32_t, std::size_t, DrawnHash> columnOf;
    for (std::size_t i = 0; i < grid.rows.size(); ++i) rowOf[grid.rows[i]] = i / grid.group;
    for (std::size_t i = 0; i < grid.columns.size(); ++i) columnOf[grid.columns[i]] = i / grid.group;
    for (const CommCell& cell : matrix.cells)
        grid.values[rowOf[cell.from] * grid.columnCount() + columnOf[cell.to]] += double(amountOf(cell, measure));
    for (const double value : grid.values) {
        if (value <= 0) continue;
        grid.least = grid.most == 0 ? value : std::min(grid.least, value);
        grid.most = std::max(grid.most, value);
    }
    return grid;
}

QString endName(const TraceStore& store, CommBy by, std::uint32_t id)
{
    if (by == CommBy::Node) return tr("node %1").arg(id);
    if (by == CommBy::Pe) return store.words().say(tr("PE %1"), tr("Rank %1")).arg(id);
    if (id == noSender) return tr("(outside tasks)");  // also noReceiver
    const Entry* const entry = store.entry(EntryId{id});
    return entry != nullptr ? entryName(*entry) : tr("entry %1").arg(id);
}

QString rowName(const TraceStore& store, const MatrixGrid& grid, std::size_t row)
{
    return groupName(store, grid, grid.rows, row);
}

QString columnName(const TraceStore& store, const MatrixGrid& grid, std::size_t column)
{
    return groupName(store, grid, grid.columns, column);
}

QRectF MatrixLayout::cell(const MatrixGrid& grid, MatrixCellAt at) const
{
    const double width = plot.width() / static_cast<double>(std::max<std::size_t>(grid.columnCount(), 1));
    const double height = plot.height() / static_cast<double>(std::max<std::size_t>(grid.rowCount(), 1));
    return {plot.left() + static_cast<double>(at.column) * width, plot.top() + static_cast<double>(at.row) * height,
            width, height};
}

std::optional<MatrixCellAt> MatrixLayout::cellAt(const MatrixGrid& grid, QPointF point) const
{
    if (grid.values.empty() || !plot.contains(point)) return {};
    const double x = (point.x() - plot.left()) / plot.width() * static_cast<double>(grid.columnCount());
    const double y = (point.y() - plot.top()) / plot.height() * static_cast<double>(grid.rowCount());
    return MatrixCellAt{std::min(static_cast<std::size_t>(y), grid.rowCount() - 1),
                        std::min(static_cast<std::size_t>(x), grid.columnCount() - 1)};
}

MatrixLayout matrixLayout(const MatrixGrid& grid, const QRectF& box, double left, double top)
{
    constexpr double largestCell = 46;
    const double columns = static_cast<double>(std::max<std::size_t>(grid.columnCount(), 1));
    const double rows = static_cast<double>(std::max<std::size_t>(grid.rowCount(), 1));
    const double width = std::max(1.0, box.width() - left);
    const double height = std::max(1.0, box.height() - top);
    QSizeF cell(std::min(width / columns, 2 * largestCell), std::min(height / rows, 26.0));
    if (grid.by != CommBy::Entry) {
        const double side = std::min({width / columns, height / rows, largestCell});
        cell = {side, side};
    }
    return {QRectF(box.left() + left, box.top() + top, columns * cell.width(), rows * cell.height())};
}

}  // namespace longpole
