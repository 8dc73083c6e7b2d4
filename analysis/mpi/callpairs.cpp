// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/callpairs.h"

#include "core/base/translate.h"
#include "core/store/rows.h"

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

Result<> CallPairs::rewind()
{
    m_before = noNeighbourCall;
    m_calls.emplace(m_store.rows<MpiRow>(m_track, MpiRow::Region | MpiRow::Task));
    m_call = m_calls->next();
    return m_calls->result();
}

Result<CallPair> CallPairs::of(std::uint32_t taskIndex)
{
    if (!m_calls || taskIndex < m_task)
        if (const Result<> rewound = rewind(); !rewound) return rewound.error();
    m_task = taskIndex;
    while (m_call != nullptr && m_call->task() < std::int64_t{taskIndex}) {
        m_before = index(m_call->region());
        m_call = m_calls->next();
    }
    if (const Result<> read = m_calls->result(); !read) return read.error();
    return CallPair{m_before, m_call != nullptr ? index(m_call->region()) : noNeighbourCall};
}

QString callPairName(const TraceStore& store, const CallPair& pair)
{
    return tr("%1 to %2").arg(callName(store, pair.before, tr("begin")), callName(store, pair.after, tr("end")));
}

}  // namespace longpole
