// SPDX-License-Identifier: GPL-3.0-or-later
// What every reader relies on in decoded columns and a checksum cannot promise: ids are those of definitions, and rows
// that others point to are there.
#pragma once

#include "core/file/definitions.h"
#include "core/trace/columns.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

class ColumnLimits {
public:
    ColumnLimits() = default;
    // `isHeld`: of a held trace: the events of some processors lie elsewhere, with as many rows as the processors'
    // table says.
    explicit ColumnLimits(const Definitions& definitions, bool isHeld = false);

    // Whether the columns that were decoded can be what a writer wrote under this entry of the directory. Looks at each
    // value once or twice: about a tenth of decoding it.
    bool allow(const ChunkRef& ref, const Chunk& chunk, const std::vector<ChunkRef>& directory) const;

private:
    struct Reference;
    struct Rows {
        std::int64_t tasks = 0;
        std::int64_t messages = 0;
    };
    // Numbers that definitions have; many in a row, as the importers number them, are told by two comparisons.
    class DefinedIds {
    public:
        template <typename Row, typename Id>
        DefinedIds(const std::vector<Row>& rows, Id Row::*id);
        DefinedIds() = default;
        bool holdAll(std::span<const std::int64_t> values, std::int64_t none) const;

    private:
        std::vector<std::int64_t> m_ids;  // ascending; in a row: the first and the last
        bool m_areInARow = true;
    };
    bool pointToRows(const Chunk& chunk) const;
    bool nameDefinitions(const Chunk& chunk) const;
    bool pointsToRow(const Chunk& chunk, const Reference& reference) const;

    DefinedIds m_entries, m_regions, m_callPaths;
    std::vector<Rows> m_rowsOf;  // by processor
    Rows m_most;                 // of any processor
    bool m_mayLack = false;      // rows may point to such as are not in the file
};

// Rows of that kind on that track; the directory is sorted.
std::int64_t rowsOn(const std::vector<ChunkRef>& directory, ChunkKind kind, TrackId track);

}  // namespace longpole
