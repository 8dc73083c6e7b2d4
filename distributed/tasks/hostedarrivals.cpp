// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/tasks/hostedarrivals.h"

#include "analysis/base/leastlatencies.h"
#include "analysis/graph/activitygraph.h"
#include "core/base/timelimits.h"
#include "core/store/rows.h"

#include <algorithm>
#include <optional>

namespace longpole {
namespace {

class ArrivalReader {
public:
    ArrivalReader(const TraceStore& store, const Processor& processor, const HostedTasks& tasks)
        : m_store(store), m_processor(processor), m_tasks(tasks), m_isOfRanks(store.info().hasRanks())
    {
        m_arrivals.sent.assign(tasks.begin.size(), minTime);
        m_arrivals.received.assign(tasks.begin.size(), minTime);
        m_arrivals.flags.assign(tasks.begin.size(), 0);
    }

    Result<HostedArrivals> read()
    {
        if (const Result<> read = readTasks(); !read) return read.error();
        if (!m_isOfRanks)  // what a rank waited for is known without idle times
            if (const Result<> read = readIdle(); !read) return read.error();
        if (const Result<> read = readSources(); !read) return read.error();
        return std::move(m_arrivals);
    }

private:
    // Begins as logged: the graph's may be cut.
    Result<> readTasks()
    {
        auto rows = m_store.rows<TaskRow>(m_processor.track, TaskRow::Begin | TaskRow::Outer | TaskRow::Received);
        for (const TaskRow& row : rows) {
            const auto task = static_cast<std::uint32_t>(m_begins.size());
            if (!row.isOutermost()) continue;
            if (task == m_tasks.begin.size()) break;
            m_begins.push_back(row.begin());
            if (const std::optional<TimeNs> received = row.received())
                m_arrivals.received[task] = clampedTime(*received);
        }
        return rows.result();
    }

    // Marks the task that follows each idle time.
    Result<> readIdle()
    {
        std::size_t next = 0;
        auto idle = m_store.rows<IdleRow>(m_processor.track, IdleRow::All);
        for (const IdleRow& gap : idle) {
            while (next < m_begins.size() && m_begins[next] < gap.end()) ++next;
            if (gap.duration() > 0 && next < m_begins.size()) m_arrivals.flags[next] |= ActivityGraph::AfterIdle;
        }
        return idle.result();
    }

    Result<> readSources()
    {
        Result<std::vector<std::pair<ProcessorId, TimeNs>>> known = m_store.leastLatencies(m_processor.pe);
        if (!known) return known.error();
        LeastLatencies leastFrom(std::move(*known));
        auto sources = m_store.rows<TaskSourceRow>(m_processor.track, TaskSourceRow::Link | TaskSourceRow::Latency
                                                                          | TaskSourceRow::Creator);
        for (const TaskSourceRow& source : sources) {
            if (source.link() == Link::None) continue;
            const std::int64_t row = source.number();
            const auto place = m_tasks.placeOf(static_cast<std::uint32_t>(row));
            if (!place || std::int64_t{m_tasks.rowOf(place->task)} != row || place->task >= m_begins.size()) continue;
            take(place->task, source, leastFrom);
        }
        return sources.result();
    }

    void take(std::uint32_t task, const TaskSourceRow& source, LeastLatencies& leastFrom)
    {
        std::uint8_t& flags = m_arrivals.flags[task];
        if (source.link() == Link::Block) {
            flags |= ActivityGraph::BlockEdge;
            return;
        }
        if (source.link() == Link::RepairedBcast) flags |= ActivityGraph::Repaired;
        const TimeNs begin = m_begins[task];
        const TimeNs sent = clampedTime(saturatingSubtract(begin, source.latency()));
        m_arrivals.sent[task] = sent;
        if (m_isOfRanks) {
            m_arrivals.received[task] = sent;
        } else if (m_arrivals.received[task] == minTime) {
            m_arrivals.received[task] = estimatedReceive(sent, begin, leastFrom(index(source.creator())));
            flags |= ActivityGraph::Estimated;
        }
    }

    const TraceStore& m_store;
    const Processor& m_processor;
    const HostedTasks& m_tasks;
    const bool m_isOfRanks;
    HostedArrivals m_arrivals;
    std::vector<TimeNs> m_begins;  // by task
};

}  // namespace

Result<HostedArrivals> hostedArrivals(const TraceStore& store, const Processor& processor, const HostedTasks& tasks)
{
    return ArrivalReader(store, processor, tasks).read();
}

}  // namespace longpole
