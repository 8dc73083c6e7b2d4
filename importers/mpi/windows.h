// SPDX-License-Identifier: GPL-3.0-or-later
// Finds which rank each synchronization of one-sided communication waited for: MPI_Win_start for posts, MPI_Win_wait
// for completes, locks for other locks (docs/algorithms.md 7.2).
#pragma once

#include "core/base/progress.h"
#include "core/trace/kinds.h"
#include "importers/mpi/rank.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// One step of a rank at a window, with all that others need to know of its call.
struct WindowRow : MpiWindowStep {
    std::uint32_t rank = 0;
    bool isOpen = false;            // the call had no end
    std::uint32_t piece = noPiece;  // the task that ends where the call begins
    TimeNs begin = 0, end = 0;
    TimeNs pieceBegin = 0;  // as far as the rank's process knows
};

// A call that waited for another rank's, or that depends on it without waiting.
struct WindowMeeting {
    std::uint32_t call = noCall;
    std::uint32_t with = 0;  // the row of the other's call among all ranks' rows
    TimeNs from = 0;         // where in the call the wait began
    WaitPattern pattern = WaitPattern::None;
    TimeNs lastAccess = 0;  // of an early wait: when the other's last access to the rank had ended
    friend bool operator==(const WindowMeeting&, const WindowMeeting&) = default;
};

// What is known of a rank's one-sided calls.
struct WindowFindings {
    std::vector<WindowMeeting> meetings;  // by (call, row of the other's call)
    std::vector<std::uint32_t> judged;    // calls whose partners are all known, in order
    friend bool operator==(const WindowFindings&, const WindowFindings&) = default;
};

// The rank's steps at windows, without those at unknown windows. `pieceBegin(piece)`: when that task began.
template <typename PieceBegin>
std::vector<WindowRow> windowRowsOf(std::uint32_t number, const MpiRank& rank, const PieceBegin& pieceBegin)
{
    std::vector<WindowRow> rows;
    for (const MpiWindowStep& step : rank.windowSteps) {
        const MpiCall& call = rank.calls[step.call];
        rows.push_back({step, number, call.isOpen, call.piece, call.begin, call.end, pieceBegin(call.piece)});
    }
    return rows;
}

// `rows`: of all ranks, by rank and then in the order of its calls, which begin one after the other. Finds what ranks
// `first` .. first + count - 1 waited for. O(n log n); of locks of all ranks see WindowLocks. Cancelled: some of it.
std::vector<WindowFindings> findWindowMeetings(std::span<const WindowRow> rows, std::uint32_t first, std::size_t count,
                                               const Progress& progress = {});

}  // namespace longpole
