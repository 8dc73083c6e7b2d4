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

class ActivityTimes {
public:
    // Pieces must come in order of time. What overlaps the piece before is cut off.
    void add(std::uint32_t code, TimeRange range);
    void close();  // to be called after the last add()

    // Sets `into` to the time of each code that ran in the range, by code. O(pieces in the range), or O(codes log n) if
    // that is less.
    void times(TimeRange range, std::vector<CodeTime>& into) const;

private:
    void timesByPiece(TimeRange range, std::size_t first, std::size_t last, std::vector<CodeTime>& into) const;
    void timesByCode(TimeRange range, std::vector<CodeTime>& into) const;
    TimeNs before(std::size_t first, std::size_t last, TimeNs time) const;

    // Pieces in order of time.
    std::vector<TimeNs> m_begin, m_end;
    std::vector<std::uint32_t> m_code;
    // The same pieces by code and, within a code, by time: their begins, and the sum of all pieces before each. The
    // sums have one element more, which is the sum of all.
    struct Code {
        std::uint32_t code;
        std::size_t first, last;
    };
    std::vector<Code> m_codes;
    std::vector<TimeNs> m_beginOfCode, m_sumBefore;
};

}  // namespace longpole
