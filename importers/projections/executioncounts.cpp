// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/projections/executioncounts.h"

#include "core/trace/trackids.h"

#include <algorithm>
#include <atomic>

namespace longpole {
namespace {

constexpr std::uint8_t many = 255;

}  // namespace

ExecutionCounts::ExecutionCounts(const std::vector<Creations>& creations)
{
    m_counts.reserve(creations.size());
    for (const Creations& source : creations) m_counts.emplace_back(source.size());
}

void ExecutionCounts::add(std::uint32_t source, std::uint32_t position)
{
    std::atomic_ref<std::uint8_t> counter(m_counts[source][position]);
    std::uint8_t value = counter.load(std::memory_order_relaxed);
    while (value < many && !counter.compare_exchange_weak(value, value + 1, std::memory_order_relaxed)) {}
    if (value < many) return;
    const std::lock_guard lock(m_mutex);
    ++m_many[(std::uint64_t{source} << 32) | position];
}

void ExecutionCounts::addMany(std::uint32_t source, std::uint32_t position, std::int64_t executions)
{
    std::uint8_t& counter = m_counts[source][position];
    const auto here = static_cast<std::uint8_t>(std::min<std::int64_t>(many - counter, executions));
    counter = static_cast<std::uint8_t>(counter + here);
    if (here == executions) return;
    std::int64_t& more = m_many[(std::uint64_t{source} << 32) | position];
    more = saturatingAdd(more, executions - here);
}

std::int64_t ExecutionCounts::emit(std::uint32_t source, TrackId track, RowSink& sink) const
{
    std::int64_t matched = 0;
    const std::vector<std::uint8_t>& counts = m_counts[source];
    for (std::uint32_t position = 0; position < counts.size(); ++position) {
        std::int64_t executions = counts[position];
        if (executions > 0) ++matched;
        if (executions == many) {
            const auto more = m_many.find((std::uint64_t{source} << 32) | position);
            if (more != m_many.end()) executions += more->second;
        }
        sink.append(ChunkKind::MessageExecutions, track, {&executions, 1});
    }
    return matched;
}

}  // namespace longpole
