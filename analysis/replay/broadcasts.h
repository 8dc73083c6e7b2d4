// SPDX-License-Identifier: GPL-3.0-or-later
// Broadcasts to arrays, which wait in a processor's queue once: its elements run one after the other when the turn has
// come, in one step of the scheduler.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace longpole {

// A message by who created it and which of its creator's messages it is; no two are alike. noMessage: unknown.
using MessageKey = std::uint64_t;
constexpr MessageKey noMessage = 0xffffffffffffffffu;

// Sets follows[task] for the tasks of one processor that went on with the message of the task before them: the same
// entry method, nothing in between but Structured Dagger blocks that went on where they ended. Where a processor ran
// other tasks among those of one message, that message waited more than once, and nothing is set. `messages`: of
// graph.byProcessor[pe]. O(n).
void findFollowing(const ActivityGraph& graph, std::size_t pe, std::span<const MessageKey> messages,
                   std::vector<std::uint8_t>& follows);

// What the trace says of the messages that started the graph's tasks.
struct MessageTurns {
    std::vector<std::uint8_t> follows;   // of all processors; empty if there are none
    std::vector<std::uint32_t> numbers;  // per graph task: which of its creator's messages it had; 0: unknown
};

// `see` is shown the messages that started graph.byProcessor[pe]. Errors: damaged chunks, cancelled.
using SeeMessages = std::function<void(std::size_t pe, std::span<const MessageKey> messages)>;
Result<MessageTurns> findTurns(const TraceStore& store, const ActivityGraph& graph, const SeeMessages& see,
                               const Progress& progress);

}  // namespace longpole
