// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/callpairs.h"

#include "core/base/translate.h"
#include "core/store/rows.h"

#include <algorithm>
#include <limits>

namespace longpole {

namespace {

QString callName(const TraceStore& store, std::int64_t region, const QString& otherwise)
{
    if (region == noNeighbourCall) return otherwise;
    const Region* known = store.region(RegionId{static_cast<std::uint32_t>(region)});
    return known != nullptr ? known->name : QString::number(region);
}

}  // namespace

CallPairs::CallPairs(const TraceStore& store, TrackId track) : m_store(store), m_track(track) {}

Result<> CallPairs::read()
{
    auto calls = m_store.rows<MpiRow>(m_track, MpiRow::Region | MpiRow::Task);
    std::int64_t task = std::numeric_limits<std::int64_t>::min();
    for (const MpiRow& call : calls) {
        task = std::max<std::int64_t>(task, call.task());
        m_tasks.push_back(task);
        m_regions.push_back(index(call.region()));
    }
    return calls.result();
}

Result<CallPair> CallPairs::of(std::uint32_t taskIndex)
{
    if (!m_read) m_read = read();
    if (!*m_read) return m_read->error();
    const std::int64_t task{taskIndex};
    const auto first = m_next > 0 && m_tasks[m_next - 1] >= task ? m_tasks.begin()
                                                                 : m_tasks.begin() + std::ptrdiff_t(m_next);
    constexpr std::ptrdiff_t near = 16;  // calls: most often the next one
    auto end = first + std::min(near, m_tasks.end() - first);
    if (end != m_tasks.end() && *end < task) end = m_tasks.end();
    m_next = static_cast<std::size_t>(std::lower_bound(first, end, task) - m_tasks.begin());
    const auto regionOf = [this](std::size_t call) { return std::int64_t{m_regions[call]}; };
    return CallPair{m_next > 0 ? regionOf(m_next - 1) : noNeighbourCall,
                    m_next < m_regions.size() ? regionOf(m_next) : noNeighbourCall};
}

QString callPairName(const TraceStore& store, const CallPair& pair)
{
    return tr("%1 to %2").arg(callName(store, pair.before, tr("begin")), callName(store, pair.after, tr("end")));
}

}  // namespace longpole
