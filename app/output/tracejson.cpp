// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/tracejson.h"

namespace longpole {

JsonValue traceJson(const TraceStore& store)
{
    const TraceInfo& info = store.info();
    JsonValue counts = JsonValue::array();
    for (const RecordCount& count : store.counts()) counts.push_back({{"kind", count.kind}, {"count", count.count}});
    return {{"format", info.format},
            {"version", info.version},
            {"program", info.program},
            {"commandline", info.commandline},
            {"processors", info.processors},
            {"entries", store.entries().size()},
            {"tasks", info.tasks},
            {"messages", info.messages},
            {"messages_matched", info.messagesMatched},
            {"executions_unmatched", info.executionsUnmatched},
            {"records", info.records},
            {"begin_ns", info.begin},
            {"end_ns", info.end},
            {"busy_ns", info.busy},
            {"idle_ns", info.idle},
            {"overhead_ns", info.overhead()},
            {"startup_ns", info.startup},
            {"interval_ns", info.interval},
            {"issues", store.issues()},
            {"counts", counts}};
}

}  // namespace longpole
