// SPDX-License-Identifier: GPL-3.0-or-later
// A long string of symbols wrapped into lines of equally wide cells: where each symbol stands, the letter it is shown
// as, and the cells that a piece of the string covers (Dooley, Arya, Kale 2010, figure 10).
#pragma once

#include "analysis/phases/pathphases.h"

#include <QPointF>
#include <QRectF>
#include <QString>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

// Lengths are pixels from the string's upper left corner.
struct SymbolGrid {
    std::size_t count = 0;
    std::size_t columns = 1;
    double cell = 8;   // width
    double line = 18;  // height

    std::size_t lines() const { return (count + columns - 1) / columns; }
    double height() const { return static_cast<double>(lines()) * line; }
    QRectF cellOf(std::size_t symbol) const;
    std::optional<std::size_t> at(QPointF place) const;
    // The symbols [first, last) of all lines that have a part between `top` and `bottom`.
    std::pair<std::size_t, std::size_t> within(double top, double bottom) const;
};
// As many columns as fit into `width`, at least one; a multiple of ten where there is room for more than twenty.
SymbolGrid symbolGrid(std::size_t count, double width, double cell, double line);

// What of one piece stands on one line.
struct MarkedCells {
    std::size_t piece = 0;
    QRectF box{};
    bool begins = false;  // the piece begins on this line
    bool ends = false;    // and ends on it
    friend bool operator==(const MarkedCells&, const MarkedCells&) = default;
};
// What of `pieces`, which ascend and do not overlap, stands between `top` and `bottom`. O(log pieces + pieces there).
std::vector<MarkedCells> markedCells(const SymbolGrid& grid, std::span<const PhasePiece> pieces, double top,
                                     double bottom);

// Symbols get their letters in the order in which they first occur: a to z, A to Z, 0 to 9, Greek, Cyrillic; all
// further ones are dots.
class SymbolLetters {
public:
    SymbolLetters() = default;
    explicit SymbolLetters(std::span<const std::uint32_t> symbols);

    QChar of(std::uint32_t symbol) const { return letter(placeOf(symbol)); }
    const std::vector<std::uint32_t>& order() const { return m_order; }
    // At most `most` letters, with an ellipsis behind them if there are more.
    QString text(std::span<const std::uint32_t> symbols, std::size_t most) const;

private:
    static QChar letter(std::size_t place);
    std::size_t placeOf(std::uint32_t symbol) const;

    std::vector<std::uint32_t> m_order;
    std::vector<std::pair<std::uint32_t, std::size_t>> m_places;  // by symbol
};

}  // namespace longpole
