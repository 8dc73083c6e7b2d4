// SPDX-License-Identifier: GPL-3.0-or-later
// Walks the calls of a rank beside its tasks.
#include "analysis/mpi/callpairs.h"

#include "core/base/translate.h"

namespace longpole {

namespace {

constexpr std::uint32_t wanted = 1u << MpiCallColumn::Begin | 1u << MpiCallColumn::Region | 1u << MpiCallColumn::Task;

QString callName(const TraceStore& store, std::int64_t region, const QString& otherwise)
{
    if (region == noNeighbourCall) return otherwise;
    const Region* known = store.region(RegionId{static_cast<std::uint32_t>(region)});
    return known != nullptr ? known->name : QString::number(region);
}

}  // namespace

CallPairs::CallPairs(const TraceStore& store, TrackId track)
    : m_store(store), m_chunks(store.chunks(ChunkKind::MpiCall, track))
{
}

Result<> CallPairs::open(std::size_t chunk)
{
    m_chunk.reset();
    m_next = chunk + 1;
    m_row = 0;
    if (chunk >= m_chunks.size()) return Unit{};
    Result<std::shared_ptr<const Chunk>> read = m_store.read(m_chunks[chunk], wanted);
    if (!read) return read.error();
    m_chunk = *read;
    return Unit{};
}

Result<CallPair> CallPairs::of(std::uint32_t taskIndex)
{
    if (m_next == 0 || taskIndex < m_task) {
        m_before = noNeighbourCall;
        if (const Result<> opened = open(0); !opened) return opened.error();
    }
    m_task = taskIndex;
    while (m_chunk && m_chunk->at(MpiCallColumn::Task, m_row) < std::int64_t{taskIndex}) {
        m_before = m_chunk->at(MpiCallColumn::Region, m_row);
        if (++m_row < m_chunk->rows) continue;
        if (const Result<> opened = open(m_next); !opened) return opened.error();
    }
    return CallPair{m_before, m_chunk ? m_chunk->at(MpiCallColumn::Region, m_row) : noNeighbourCall};
}

QString callPairName(const TraceStore& store, const CallPair& pair)
{
    return tr("%1 to %2").arg(callName(store, pair.before, tr("begin")), callName(store, pair.after, tr("end")));
}

}  // namespace longpole
