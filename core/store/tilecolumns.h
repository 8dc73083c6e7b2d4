// SPDX-License-Identifier: GPL-3.0-or-later
// A tile bin's fields by the columns of the chunks that store it.
#pragma once

#include "core/store/tiles.h"
#include "core/trace/columns.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace longpole {

// The field of each TileColumn; null for Entry, which is no number.
constexpr std::array<std::int64_t TileBin::*, TileColumn::Count> tileNumbers = {&TileBin::busy,  &TileBin::idle,
                                                                                &TileBin::tasks, &TileBin::messages,
                                                                                nullptr,         &TileBin::entryTime,
                                                                                &TileBin::bytes, &TileBin::pack};

static_assert(TileField::Pack == 1u << TileColumn::Pack && allTileColumns == (1u << TileColumn::Count) - 1);

// Copies the rows of a chunk of tiles from `firstRow` on to `bins`, in these columns, which must have been decoded.
inline void setTileColumns(std::span<TileBin> bins, const Chunk& chunk, std::int64_t firstRow, std::uint32_t columns)
{
    for (std::size_t column = 0; column < tileNumbers.size(); ++column) {
        if ((columns >> column & 1) == 0) continue;
        const std::int64_t* value = chunk[column] + firstRow;
        if (const auto number = tileNumbers[column]) {
            for (TileBin& bin : bins) bin.*number = *value++;
            continue;
        }
        for (TileBin& bin : bins) {
            const std::int64_t entry = *value++;
            bin.entry = entry < 0 ? noEntry : static_cast<EntryId>(entry);
        }
    }
}

}  // namespace longpole
