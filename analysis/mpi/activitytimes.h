// SPDX-License-Identifier: GPL-3.0-or-later
// What one rank did when, apart from waiting: tells how long each code ran in any interval, and where in the source. A
// code is an entry method, a region between calls, or an MPI call.
#pragma once

#include "core/base/drawnhash.h"
#include "core/base/timerange.h"
#include "core/trace/callpath.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace longpole {

struct CodeTime {
    std::uint32_t code = 0;           // EntryId or RegionId, which share one numbering
    std::uint32_t path = noCallPath;  // where in the source, as far as that was told
    TimeNs time = 0;
    friend bool operator==(const CodeTime&, const CodeTime&) = default;
};

// Takes 7 bytes for each piece, and for each gap between two.
class ActivityTimes {
public:
    void reserve(std::size_t pieces);
    // Pieces must come in order of time. What overlaps the piece before is cut off.
    void add(std::uint32_t code, TimeRange range, std::uint32_t path = noCallPath);
    void close();  // to be called after the last add()

    // Sets `into` to the time of each code at each place that ran in the range, by code and path. O(pieces in the
    // range), or O(codes + log n) if that is less.
    void times(TimeRange range, std::vector<CodeTime>& into) const;
    // What that costs, in times that it gives; to look at a piece costs a sixteenth of one. O(log n).
    std::size_t effort(TimeRange range) const;

private:
    // Boundaries at whose times other code begins, or a gap; those of a block lie less than 2^32 ns behind its begin.
    struct Block {
        TimeNs begin = 0;
        std::size_t first = 0;  // boundary
    };
    void addBoundary(TimeNs time, std::uint32_t code);
    std::uint32_t placeOf(std::uint32_t code, std::uint32_t path);
    std::uint32_t codeAt(std::size_t boundary) const
    {
        return m_low[boundary] | (m_high.empty() ? 0u : std::uint32_t{m_high[boundary]} << 16);
    }
    void setCode(std::size_t boundary, std::uint32_t code);
    CodeTime timeOf(std::uint32_t code, TimeNs time) const
    {
        return {static_cast<std::uint32_t>(m_codes[code] >> 32), static_cast<std::uint32_t>(m_codes[code]), time};
    }
    std::size_t blockBefore(TimeNs time) const;
    std::size_t firstFrom(TimeNs time, std::size_t block, std::size_t near) const;
    std::pair<std::size_t, std::size_t> piecesIn(TimeRange range) const;  // first, last; not if there are no pieces
    std::size_t endOf(std::size_t block) const;
    template <typename Take>
    void eachPiece(std::size_t first, std::size_t last, TimeRange range, const Take& take) const;

    std::vector<Block> m_blocks;
    std::vector<std::uint32_t> m_offsets;  // by boundary, from its block's begin; after close() the last one is the end
    std::vector<std::uint16_t> m_low;      // by boundary: place in m_codes; 0: a gap
    std::vector<std::uint16_t> m_high;     // its upper half, if there are so many
    TimeNs m_end = minTime;                // of the last piece
    // Code and path; behind the first, which stands for gaps, ascending after close(), before in order of their coming.
    std::vector<std::uint64_t> m_codes{0};
    std::unordered_map<std::uint64_t, std::uint32_t, DrawnHash> m_places;  // of these, until close()
    // Sums of all pieces before every m_stride-th one, of each code.
    std::size_t m_stride = 0;
    std::vector<TimeNs> m_sums;
};

}  // namespace longpole
