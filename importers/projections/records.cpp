// SPDX-License-Identifier: GPL-3.0-or-later
// The names of a log's record types, and the layout of a version's records.
#include "importers/projections/records.h"

#include <algorithm>
#include <tuple>

namespace longpole {
namespace {

constexpr auto mostIndices = static_cast<int>(std::tuple_size_v<decltype(LogRecord::index)>);

}  // namespace

const char* recordName(std::uint8_t type)
{
    // clang-format off
    static constexpr std::array<const char*, 33> names = {
        nullptr, "creation", "begin_processing", "end_processing", "enqueue", "dequeue",
        "begin_computation", "end_computation", "begin_interrupt", "end_interrupt", "message_recv",
        "begin_trace", "end_trace", "user_event", "begin_idle", "end_idle",
        "begin_pack", "end_pack", "begin_unpack", "end_unpack", "creation_bcast",
        "creation_multicast", "begin_func", "end_func", "memory_malloc", "memory_free",
        "user_supplied", "memory_usage_current", "user_supplied_note", "user_supplied_bracketed_note", "end_phase",
        "surrogate_block", "user_stat"};
    // clang-format on
    if (type < names.size()) return names[type];
    if (type == 98) return "begin_user_event_pair";
    if (type == 99) return "end_user_event_pair";
    if (type == 100) return "user_event_pair";
    return nullptr;
}

RecordLayout RecordLayout::of(const ProjectionsSymbols& symbols)
{
    RecordLayout layout;
    const double version = symbols.versionNumber;
    layout.version = version;
    layout.papiCounters = version >= 6.6 ? std::min(symbols.papiCounters, mostPapiCounters) : 0;
    layout.hasBytes = version >= 2.0;
    layout.hasIndex = version >= 4.0;
    layout.hasSendDuration = version >= 5.0;
    layout.hasCpu = version >= 6.5;
    if (version < 7.0) layout.fixedIndices = 3;
    else if (version < 9.0) layout.fixedIndices = 4;
    const std::size_t entries = symbols.entries.empty() ? 0 : symbols.entries.rbegin()->first + std::size_t{1};
    layout.indices.assign(entries, 0);
    layout.isShortIndex.assign(entries, false);
    for (const auto& [id, entry] : symbols.entries) {
        const std::optional<int> dimensions = symbols.dimensionsOf(id);
        if (!dimensions) continue;
        layout.indices[id] = static_cast<std::uint8_t>(*dimensions >= 1 ? std::min(*dimensions, mostIndices) : 4);
        layout.isShortIndex[id] = *dimensions >= 4;
    }
    return layout;
}

}  // namespace longpole
