// SPDX-License-Identifier: GPL-3.0-or-later
// What one rank did when, apart from waiting: tells how long each code ran in any interval. A code is an entry method,
// a region between calls, or an MPI call.
#pragma once

#include "core/base/timerange.h"

#include <cstdint>
#include <vector>

namespace longpole {

struct CodeTime {
    std::uint32_t code = 0;  // EntryId or RegionId, which share one numbering
    TimeNs time = 0;
    friend bool operator==(const CodeTime&, const CodeTime&) = default;
};

// Takes 13 bytes for each piece.
class ActivityTimes {
public:
    // Pieces must come in order of time. What overlaps the piece before is cut off.
    void add(std::uint32_t code, TimeRange range);
    void close();  // to be called after the last add()

    // Sets `into` to the time of each code that ran in the range, by code. O(pieces in the range), or O(codes + log n)
    // if that is less.
    void times(TimeRange range, std::vector<CodeTime>& into) const;

private:
    // A piece's times are offsets in its block.
    struct Piece {
        std::uint32_t begin = 0;
        std::uint32_t length = 0;  // tooLong: stands in m_long
        std::uint32_t code = 0;    // until close() as given, then a place in m_codes
    };
    struct Block {
        TimeNs begin = 0;
        std::size_t first = 0;  // piece
    };
    struct LongPiece {
        std::size_t piece = 0;
        TimeNs length = 0;
    };
    TimeNs lengthOf(std::size_t piece) const;
    TimeRange rangeOf(const Block& block, std::size_t piece) const;
    template <typename IsBefore>
    std::size_t inBlock(std::vector<Block>::const_iterator behind, const IsBefore& isBefore) const;
    std::size_t firstEndingAfter(TimeNs time) const;
    std::size_t firstBeginningFrom(TimeNs time) const;
    std::size_t endOf(std::size_t block) const;
    template <typename Take>
    void eachPiece(std::size_t first, std::size_t last, TimeRange range, const Take& take) const;

    std::vector<Piece> m_pieces;
    std::vector<Block> m_blocks;
    std::vector<LongPiece> m_long;
    TimeNs m_end = minTime;              // of the last piece
    std::vector<std::uint32_t> m_codes;  // ascending
    // Sums of all pieces before every m_stride-th one, of each code.
    std::size_t m_stride = 0;
    std::vector<TimeNs> m_sums;
};

}  // namespace longpole
