// SPDX-License-Identifier: GPL-3.0-or-later
// The begin times of those tasks of a rank that edges may lead to or from.
#pragma once

#include "core/base/timerange.h"
#include "importers/mpi/rank.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Begin times by task, kept only for tasks that an edge may lead to or from: those that end or begin at a call, and
// hubs; all tasks if another thread may call MPI. Takes one bit per task from the first on, and eight bytes for each
// that is kept.
class TaskBegins {
public:
    void add(std::uint32_t row, TimeNs begin);  // rows must ascend; the same one again is ignored
    TimeNs at(std::uint32_t row) const;         // of a row that was added
    bool isEmpty() const { return m_begins.empty(); }
    void clear();
    // The last task that begins at `time` or before; noPiece if there is none. All tasks must have been added.
    std::uint32_t lastBefore(TimeNs time) const;
    // The first task that begins at `time` or later, likewise.
    std::uint32_t firstFrom(TimeNs time) const;

private:
    struct Word {
        std::uint64_t bits = 0;
        std::uint32_t before = 0;  // how many tasks were added in all words before this one
    };
    std::vector<Word> m_words;  // from that of the first task on
    std::size_t m_firstWord = 0;
    std::vector<TimeNs> m_begins;
};

}  // namespace longpole
