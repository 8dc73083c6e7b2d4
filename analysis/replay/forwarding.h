// SPDX-License-Identifier: GPL-3.0-or-later
// Broadcasts to groups on their way. Since Charm++ 7 the message of one waits in the queue of a processor, mostly its
// sender's, like any other; when its turn has come it is handed to all processors of the process, past their queues.
// Logs have two creations of it: the sender's, which is executed nowhere, and a second one outside of any task. Where
// the queue was empty in the record nothing waited there, and in another order it may.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/replay/broadcasts.h"
#include "core/base/drawnhash.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace longpole {

struct ForwardedBroadcast {
    std::uint32_t sender = noTask;  // graph task
    TimeNs offset = 0;              // sent - begin of the sender
    std::uint32_t number = 0;       // which of its creator's messages it is
    std::uint32_t pe = 0;           // in whose queue it waits
    std::uint32_t entry = 0;
    TimeNs forwarded = 0;                  // when its turn had come, in the trace's clock
    std::vector<std::uint32_t> targets{};  // graph tasks that it started
};

// Collects them while the messages of all processors are read.
class ForwardingReader {
public:
    // `isGroupBroadcast`: by entry. Of those whose first and second creations cannot be told to belong together, as
    // there are more of one of them, nothing is found. Errors: damaged chunks, cancelled.
    static Result<ForwardingReader> of(const TraceStore& store, const ActivityGraph& graph,
                                       std::span<const std::uint8_t> isGroupBroadcast, const Progress& progress);

    // The messages that started graph.byProcessor[pe], one after the other.
    void see(const ActivityGraph& graph, std::size_t pe, std::span<const MessageKey> messages);

    // By sender and offset.
    std::vector<ForwardedBroadcast> take();

private:
    std::vector<ForwardedBroadcast> m_broadcasts;
    std::unordered_map<MessageKey, std::size_t, DrawnHash> m_ofMessage;  // second creations; place in m_broadcasts
};

}  // namespace longpole
