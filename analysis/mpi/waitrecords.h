// SPDX-License-Identifier: GPL-3.0-or-later
// What the search for the causes of waits keeps of a run: each rank's calls with their waits, what it did between, and
// which messages joined whose calls.
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
    TimeNs severity = 0;     // its wait lies at its begin
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

// A message that two calls have to do with: this rank's, which sent it or completed its receive, and the other's.
struct WaitMessage {
    std::uint32_t peer = 0;
    std::uint32_t own = 0;  // call
    std::uint32_t theirs = 0;
};

struct WaitRank {
    std::vector<WaitCall> calls;        // by number
    std::vector<std::uint32_t> waits;   // calls that waited, ascending
    ActivityTimes activity;             // of its own thread
    std::vector<WaitMessage> messages;  // by `own`
};

struct WaitRecords {
    std::vector<WaitRank> ranks;
};

// O(calls + tasks + messages) memory. Errors: damaged chunks, cancelled.
Result<WaitRecords> waitRecords(const TraceStore& store, const Progress& progress);

}  // namespace longpole
