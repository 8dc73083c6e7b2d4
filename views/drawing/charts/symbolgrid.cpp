// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/charts/symbolgrid.h"

#include "core/base/drawnhash.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace longpole {

QRectF SymbolGrid::cellOf(std::size_t symbol) const
{
    const std::size_t row = symbol / columns;
    return {static_cast<double>(symbol % columns) * cell, static_cast<double>(row) * line, cell, line};
}

std::optional<std::size_t> SymbolGrid::at(QPointF place) const
{
    if (place.x() < 0 || place.y() < 0 || place.x() >= static_cast<double>(columns) * cell) return {};
    const auto symbol = static_cast<std::size_t>(place.y() / line) * columns
                        + static_cast<std::size_t>(place.x() / cell);
    return symbol < count ? std::optional(symbol) : std::nullopt;
}

std::pair<std::size_t, std::size_t> SymbolGrid::within(double top, double bottom) const
{
    if (bottom <= 0 || bottom <= top) return {0, 0};
    const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(top / line))) * columns;
    const auto last = static_cast<std::size_t>(std::ceil(bottom / line)) * columns;
    return {std::min(first, count), std::min(last, count)};
}

SymbolGrid symbolGrid(std::size_t count, double width, double cell, double line)
{
    auto columns = static_cast<std::size_t>(std::max(1.0, std::floor(width / cell)));
    if (columns > 20) columns -= columns % 10;
    return {.count = count, .columns = columns, .cell = cell, .line = line};
}

std::vector<MarkedCells> markedCells(const SymbolGrid& grid, std::span<const PhasePiece> pieces, double top,
                                     double bottom)
{
    const auto [first, last] = grid.within(top, bottom);
    std::vector<MarkedCells> cells;
    auto piece = std::upper_bound(pieces.begin(), pieces.end(), first,
                                  [](std::size_t symbol, const PhasePiece& one) { return symbol < one.last; });
    for (; piece != pieces.end() && piece->first < last; ++piece) {
        const std::size_t end = std::min(piece->last, last);
        for (std::size_t begin = std::max(piece->first, first); begin < end;) {
            const std::size_t lineEnd = std::min(end, (begin / grid.columns + 1) * grid.columns);
            cells.push_back({.piece = static_cast<std::size_t>(piece - pieces.begin()),
                             .box = grid.cellOf(begin).united(grid.cellOf(lineEnd - 1)),
                             .begins = begin == piece->first,
                             .ends = lineEnd == piece->last});
            begin = lineEnd;
        }
    }
    return cells;
}

SymbolLetters::SymbolLetters(std::span<const std::uint32_t> symbols)
{
    std::unordered_set<std::uint32_t, DrawnHash> known;
    for (const std::uint32_t symbol : symbols) {
        if (!known.insert(symbol).second) continue;
        m_places.emplace_back(symbol, m_order.size());
        m_order.push_back(symbol);
    }
    std::sort(m_places.begin(), m_places.end());
}

std::size_t SymbolLetters::placeOf(std::uint32_t symbol) const
{
    const auto found = std::lower_bound(m_places.begin(), m_places.end(), std::pair(symbol, std::size_t{0}));
    return found != m_places.end() && found->first == symbol ? found->second : m_order.size();
}

QChar SymbolLetters::letter(std::size_t place)
{
    static const QString letters = QStringLiteral(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        "αβγδεζηθικλμνξοπρστυφχψωбгджзийлпфцчшщъыьэюя");
    const auto at = static_cast<qsizetype>(place);
    return at < letters.size() ? letters[at] : QChar(u'·');
}

QString SymbolLetters::text(std::span<const std::uint32_t> symbols, std::size_t most) const
{
    QString text;
    for (const std::uint32_t symbol : symbols.first(std::min(symbols.size(), most))) text += of(symbol);
    return symbols.size() > most ? text + QChar(u'…') : text;
}

}  // namespace longpole
