// SPDX-License-Identifier: GPL-3.0-or-later
// What the search for the causes of waits needs of a run: each rank's calls with their waits, what the rank did between
// them, and which calls messages connect.
#pragma once

#include "analysis/mpi/activitytimes.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "core/trace/kinds.h"

#include <cstdint>
#include <vector>

namespace longpole {

constexpr std::uint32_t noWaitCall = 0xffffffffu;

struct WaitCall {
    TimeNs begin = minTime;  // minTime: there is no such call
    TimeNs severity = 0;     // length of its wait, which is at its begin
    std::int32_t culprit = -1;
    std::uint32_t culpritCall = noWaitCall;
    std::int32_t instance = -1;
    std::int32_t comm = -1;
    std::int32_t root = -1;  // or the peer
    std::uint32_t task = noWaitCall;
    std::uint16_t flags = 0;
    WaitPattern pattern = WaitPattern::None;

    TimeRange wait() const { return {begin, saturatingAdd(begin, severity)}; }
};

// A message between a call of this rank and one of another: one sent it, the other completed its receive.
struct WaitMessage {
    std::uint32_t peer = 0;
    std::uint32_t own = 0;     // the call of this rank
    std::uint32_t theirs = 0;  // the call of the peer
};

struct WaitRank {
    std::vector<WaitCall> calls;        // by number
    std::vector<std::uint32_t> waits;   // calls that waited, ascending
    ActivityTimes activity;             // of the rank's own thread
    std::vector<WaitMessage> messages;  // by `own`
};

struct WaitRecords {
    std::vector<WaitRank> ranks;
};

// O(calls + tasks + messages) memory. Errors: damaged chunks, cancelled.
// The code that a rank was in: by its entry method or region, or by its call path.
enum class WaitCodes : std::uint8_t { Entries, CallPaths };
Result<WaitRecords> waitRecords(const TraceStore& store, const Progress& progress,
                                WaitCodes codes = WaitCodes::Entries);

}  // namespace longpole
