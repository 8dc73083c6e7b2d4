// SPDX-License-Identifier: GPL-3.0-or-later
// What one rank did when, without waiting: how long each code ran in any interval.
#pragma once

#include "core/base/timerange.h"

#include <cstdint>
#include <vector>

namespace longpole {

struct CodeTime {
    std::uint32_t code = 0;  // EntryId or RegionId, which have one numbering
    TimeNs time = 0;
    friend bool operator==(const CodeTime&, const CodeTime&) = default;
};

class ActivityTimes {
public:
    // In order of time, disjoint; what lies before the end of the one before is cut off.
    void add(std::uint32_t code, TimeRange range);
    void close();  // after the last one

    // Time of each code that ran in the range, by code. O(pieces in it), or O(codes log n) where that is less.
    void times(TimeRange range, std::vector<CodeTime>& into) const;

private:
    void timesByPiece(TimeRange range, std::size_t first, std::size_t last, std::vector<CodeTime>& into) const;
    void timesByCode(TimeRange range, std::vector<CodeTime>& into) const;
    TimeNs before(std::size_t first, std::size_t last, TimeNs time) const;

    // Pieces in order of time.
    std::vector<TimeNs> m_begin, m_end;
    std::vector<std::uint32_t> m_code;
    // The same code after code, each in order of time: begins, and the sum of all pieces before, with a last one.
    struct Code {
        std::uint32_t code;
        std::size_t first, last;
    };
    std::vector<Code> m_codes;
    std::vector<TimeNs> m_beginOfCode, m_sumBefore;
};

}  // namespace longpole
