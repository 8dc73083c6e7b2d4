// SPDX-License-Identifier: GPL-3.0-or-later
// How long messages take by their size and by how far they go: the fit a + b x bytes, small ones, and who receives.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <array>
#include <cstdint>
#include <vector>

namespace longpole {

enum class MessageWay : std::uint8_t { OwnProcessor, OwnNode, OtherNode };
constexpr std::size_t messageWays = 3;

// Of messages that did not wait in a queue: with a recorded receive time, or begun by a processor that idled.
struct LatencyFit {
    std::int64_t messages = 0;
    TimeNs least = 0, median = 0;
    double base = 0;     // ns; medians of sizes between powers of two, by least squares
    double perByte = 0;  // ns
};

struct MessageLatency {
    std::array<LatencyFit, messageWays> fits{};
    std::array<std::int64_t, messageWays> messages{}, bytes{};  // executed
    std::int64_t small = 0;                                     // below the size that was asked for
    std::vector<std::int64_t> received{};                       // by PE
    TimeNs underWay = 0;  // sums over all: from sending to receipt, and from there to the begin
    TimeNs queued = 0;

    std::int64_t all() const { return messages[0] + messages[1] + messages[2]; }
};

// O(tasks). Errors: damaged chunks, cancelled.
Result<MessageLatency> messageLatency(const TraceStore& store, const ActivityGraph& graph, std::int64_t smallBytes,
                                      const Progress& progress);

}  // namespace longpole
