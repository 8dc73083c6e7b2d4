// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/queues/processorrecord.h"

#include "analysis/paths/elapseddelays.h"
#include "analysis/queues/latencies.h"

#include <algorithm>
#include <limits>

namespace longpole {

namespace {

std::uint8_t kindOf(const ActivityGraph& graph, std::uint32_t task, const Arrival& arrival, bool isFirst)
{
    const std::uint8_t flags = graph.flags[task];
    const std::uint32_t source = graph.source[task];
    std::uint8_t kind = 0;
    if (arrival.known) kind |= ProcessorRecord::Known;
    if (source != noTask && graph.pe[source] == graph.pe[task]) kind |= ProcessorRecord::Local;
    if ((flags & ActivityGraph::HasReceived) != 0 && !arrival.isEstimated) kind |= ProcessorRecord::Logged;
    if (isFirst || (flags & ActivityGraph::AfterIdle) != 0) kind |= ProcessorRecord::AfterIdle;
    if (source == noTask) kind |= ProcessorRecord::Fixed;
    else if ((flags & ActivityGraph::BlockEdge) != 0) kind |= ProcessorRecord::Glued;
    return kind;
}

}  // namespace

std::vector<ProcessorRecord> processorRecords(const ActivityGraph& graph, const ReplayFacts& facts)
{
    std::vector<ProcessorRecord> records(graph.byProcessor.size());
    for (std::size_t pe = 0; pe < records.size(); ++pe) {
        ProcessorRecord& record = records[pe];
        const std::size_t size = graph.byProcessor[pe].size();
        record.runBegin = graph.run.begin;
        record.begin.reserve(size);
        record.end.reserve(size);
        record.sent.reserve(size);
        record.latency.reserve(size);
        record.kind.reserve(size);
        record.latencyClass.reserve(size);
        record.entry.reserve(size);
        record.number.reserve(size);
    }
    for (std::uint32_t task = 0; task < graph.size(); ++task) {
        ProcessorRecord& record = records[graph.pe[task]];
        const Arrival arrival = arrivalOf(graph, task);
        std::uint8_t kind = kindOf(graph, task, arrival, record.begin.empty());
        if (!facts.follows.empty() && facts.follows[task] != 0) kind |= ProcessorRecord::Glued;
        record.begin.push_back(graph.begin[task]);
        record.end.push_back(graph.end(task));
        record.sent.push_back(arrival.sent);
        record.latency.push_back(static_cast<std::uint32_t>(
            std::min<TimeNs>(arrival.received - arrival.sent, std::numeric_limits<std::uint32_t>::max())));
        record.kind.push_back(kind);
        record.latencyClass.push_back(LatencyClasses::classOf(graph, facts, task));
        record.entry.push_back(graph.entry[task]);
        record.number.push_back(task < facts.numbers.size() ? facts.numbers[task] : 0);
    }
    return records;
}

}  // namespace longpole
