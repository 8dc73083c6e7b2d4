// SPDX-License-Identifier: GPL-3.0-or-later
// Where the executions and messages of a trace have their rows and times in a replay of it.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/replay/replay.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace longpole {

class ReplayedPlaces {
public:
    // Errors: damaged chunks, cancelled.
    static Result<ReplayedPlaces> of(const TraceStore& store, const ActivityGraph& graph, const ReplayedRun& run,
                                     const Progress& progress);

    const ActivityGraph& graph() const { return *m_graph; }
    std::uint32_t pe(std::uint32_t task) const { return m_run->pe.empty() ? m_graph->pe[task] : m_run->pe[task]; }
    TimeNs begin(std::uint32_t task) const { return m_run->begin[task]; }
    TimeNs length(std::uint32_t task) const
    {
        return m_run->length.empty() ? m_graph->duration[task] : m_run->length[task];
    }
    TimeNs end(std::uint32_t task) const { return begin(task) + length(task); }
    std::uint32_t source(std::uint32_t task) const
    {
        return m_run->source.empty() ? m_graph->source[task] : m_run->source[task];
    }

    // A time inside a graph task, or after it: then as long after.
    TimeNs moved(std::uint32_t task, TimeNs time) const;

    // Graph tasks of a processor in their new order.
    const std::vector<std::uint32_t>& tasks(std::uint32_t pe) const { return m_tasks[pe]; }
    // Rows of a graph task: its own and those nested in it.
    std::uint32_t rows(std::uint32_t task) const { return m_rows[task]; }
    std::uint32_t firstRow(std::uint32_t task) const { return m_firstRow[task]; }

    // An execution of the trace; task noTask if there is none.
    struct Row {
        std::uint32_t task = noTask;  // graph task
        std::uint32_t pe = 0;
        std::uint32_t row = 0;
    };
    Row row(std::int64_t pe, std::int64_t index) const;

    struct Message {
        std::uint32_t pe = 0;  // in the trace
        std::uint32_t index = 0;
        TimeNs sent = 0;
        std::uint32_t task = noTask;  // graph task that sends it now; noTask: none
        std::uint32_t row = 0;        // and the row of the execution in it
        TimeNs offset = 0;            // from that one's begin
    };
    // Messages of a processor in their new order.
    const std::vector<Message>& messages(std::uint32_t pe) const { return m_messages[pe]; }

    // Where a message of the trace is now; null if there is none.
    const Message* message(std::int64_t pe, std::int64_t index, MessageId& now) const;

private:
    void placeTasks();
    bool isSentElsewhere(std::uint32_t task) const;
    Result<> readSenders(const TraceStore& store, std::uint32_t pe, bool isFirstPass);
    Result<> readMessages(const TraceStore& store, std::uint32_t pe);
    void placeMessages();
    Message placed(std::uint32_t pe, std::uint32_t index, TimeNs sent, std::int64_t row, TimeNs rowBegin) const;

    const ActivityGraph* m_graph = nullptr;
    const ReplayedRun* m_run = nullptr;
    std::vector<std::uint32_t> m_rows;
    std::vector<std::uint32_t> m_firstRow;
    std::vector<std::vector<std::uint32_t>> m_tasks;  // by new PE
    std::vector<std::vector<Message>> m_messages;     // by new PE
    std::vector<std::vector<MessageId>> m_messageAt;  // by old PE and index
    struct Sender {
        std::uint32_t task;
        TimeNs offset;
    };
    std::vector<std::unordered_map<std::uint32_t, Sender>> m_senders;  // by old PE: messages that others send now
};

}  // namespace longpole
