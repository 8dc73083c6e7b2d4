// SPDX-License-Identifier: GPL-3.0-or-later
// Where in their records the ranks of a recording last met: the k-th of the calls of a communicator of all ranks that
// nobody leaves before all have come.
#pragma once

#include "importers/recording/run.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace longpole {

// The first record behind a call and its completions.
struct RecordBehind {
    std::uint32_t seq = 0;   // of its chunk
    std::size_t offset = 0;  // in the chunk's records
    friend auto operator<=>(const RecordBehind&, const RecordBehind&) = default;
};

// For each of the last meetings, at most `most`, the earlier first: by rank, the record behind. Those are missing
// behind which some rank has no record yet, and all if a rank has none. `from`: by rank where to begin, behind the same
// meeting; empty: at the begin. A recording whose ranks disagree may have wrong ones. O(records behind `from`).
std::vector<std::vector<RecordBehind>> lastMeetings(const RecordingRun& run, const std::vector<RecordBehind>& from,
                                                    std::size_t most, unsigned threads, const Progress& progress);

}  // namespace longpole
