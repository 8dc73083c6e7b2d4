// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/queues/processorrecord.h"

#include "analysis/paths/elapseddelays.h"
#include "analysis/queues/latencies.h"
#include "core/base/parallel.h"

#include <algorithm>
#include <limits>

namespace longpole {

namespace {

constexpr std::size_t mostAtOnce = 1u << 16;  // processors: even the record of one without tasks takes memory

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

ProcessorRecords::ProcessorRecords(const ActivityGraph& graph, const ReplayFacts& facts, const Progress& progress,
                                   std::size_t atOnce)
    : m_graph(graph), m_facts(facts), m_progress(progress), m_atOnce(std::max(atOnce, graph.size() / 8)),
      m_kinds(graph.byProcessor.size())
{
}

// The end of the range of processors whose records are made together with that of `first`.
std::size_t ProcessorRecords::batchFrom(std::size_t first) const
{
    std::size_t tasks = m_graph.byProcessor[first].size();
    std::size_t last = first + 1;
    while (last < size() && last - first < mostAtOnce && tasks + m_graph.byProcessor[last].size() <= m_atOnce)
        tasks += m_graph.byProcessor[last++].size();
    return last;
}

std::size_t ProcessorRecords::firstWithMoreThan(std::size_t tasks) const
{
    std::size_t pe = 0;
    for (std::size_t before = 0; pe < size() && before <= tasks; ++pe) before += m_graph.byProcessor[pe].size();
    return pe;
}

void ProcessorRecords::make(std::size_t first, std::size_t last)
{
    // all records fit at once, and are still there from the last pass
    if (first == m_first && m_made.size() == last - first) return;
    m_made.clear();
    m_made.resize(last - first);
    m_first = first;
    for (std::size_t pe = first; pe < last; ++pe) {
        ProcessorRecord& record = m_made[pe - first];
        const std::size_t size = m_graph.byProcessor[pe].size();
        record.runBegin = m_graph.run.begin;
        record.begin.reserve(size);
        record.end.reserve(size);
        record.sent.reserve(size);
        record.latency.reserve(size);
        record.kind.reserve(size);
        record.latencyClass.reserve(size);
        record.entry.reserve(size);
        record.number.reserve(size);
    }
    // Goes through the graph in the order of time, since its columns lie in that order in memory.
    for (std::uint32_t task = 0; task < m_graph.size(); ++task) {
        const std::uint32_t pe = m_graph.pe[task];
        if (pe < first || pe >= last) continue;
        ProcessorRecord& record = m_made[pe - first];
        const Arrival arrival = arrivalOf(m_graph, task);
        std::uint8_t kind = kindOf(m_graph, task, arrival, record.begin.empty());
        if (!m_facts.follows.empty() && m_facts.follows[task] != 0) kind |= ProcessorRecord::Glued;
        record.begin.push_back(m_graph.begin[task]);
        record.end.push_back(m_graph.end(task));
        record.sent.push_back(arrival.sent);
        record.latency.push_back(static_cast<std::uint32_t>(
            std::min<TimeNs>(arrival.received - arrival.sent, std::numeric_limits<std::uint32_t>::max())));
        record.kind.push_back(kind);
        record.latencyClass.push_back(LatencyClasses::classOf(m_graph, m_facts, task));
        record.entry.push_back(m_graph.entry[task]);
        record.number.push_back(task < m_facts.numbers.size() ? m_facts.numbers[task] : 0);
    }
    for (std::size_t pe = first; pe < last; ++pe)
        if (m_kinds[pe].size() == m_made[pe - first].size()) m_made[pe - first].kind = m_kinds[pe];
}

void ProcessorRecords::each(const std::function<bool(std::size_t, ProcessorRecord&)>& use)
{
    for (std::size_t first = 0; first < size() && !isCancelled();) {
        const std::size_t last = batchFrom(first);
        make(first, last);
        for (; first < last; ++first) {
            ProcessorRecord& record = m_made[first - m_first];
            const bool isEnough = !use(first, record) || isCancelled();
            m_kinds[first] = record.kind;
            if (isEnough) return;
        }
    }
}

void ProcessorRecords::eachAtOnce(const std::function<void(std::size_t, ProcessorRecord&)>& use, std::size_t most)
{
    for (std::size_t first = 0; first < std::min(most, size()) && !isCancelled();) {
        const std::size_t last = std::min(most, batchFrom(first));
        make(first, last);
        parallelFor(last - first, [&](std::size_t i) {
            if (isCancelled()) return;
            use(first + i, m_made[i]);
            m_kinds[first + i] = m_made[i].kind;
        });
        first = last;
    }
}

}  // namespace longpole
