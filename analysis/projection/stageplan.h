// SPDX-License-Identifier: GPL-3.0-or-later
// Which measures of a request an entry method, a region, or a wait state counts for.
#pragma once

#include "analysis/mpi/waitstates.h"
#include "analysis/projection/stagequantity.h"
#include "core/base/drawnhash.h"
#include "core/store/tracestore.h"

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace longpole {

// Ids of a trace, which may be any numbers, as places 0, 1, 2 ...; the place behind the last is for all others.
class DenseIds {
public:
    void add(std::uint32_t id);
    std::size_t count() const { return m_count; }
    std::size_t place(std::uint32_t id) const
    {
        if (id < m_small.size()) return m_small[id] != 0xffffffffu ? m_small[id] : m_count;
        const auto known = m_large.find(id);
        return known == m_large.end() ? m_count : known->second;
    }

private:
    std::vector<std::uint32_t> m_small;  // places of ids below 2^16; the largest number: none
    std::unordered_map<std::uint32_t, std::uint32_t, DrawnHash> m_large;
    std::size_t m_count = 0;
};

class StagePlan {
public:
    StagePlan(const TraceStore& store, std::span<const Measure> measures);

    bool wants(StageQuantity q) const { return m_wants[static_cast<std::size_t>(q)]; }
    template <typename... Quantities>
    bool wantsAny(Quantities... q) const
    {
        return (wants(q) || ...);
    }

    // Measures that count something of that entry method, region or wait state, or of anything. Unknown ids: those of
    // anything.
    std::span<const std::uint32_t> of(StageQuantity q, EntryId entry) const
    {
        return at(q, m_entries.place(index(entry)));
    }
    std::span<const std::uint32_t> of(StageQuantity q, RegionId region) const
    {
        return at(q, m_regions.place(index(region)));
    }
    std::span<const std::uint32_t> of(StageQuantity q, WaitStateKind kind) const
    {
        return at(q, m_waitStates.place(static_cast<std::uint32_t>(kind)));
    }
    std::span<const std::uint32_t> of(StageQuantity q) const { return at(q, m_entries.count()); }

private:
    const DenseIds& idsOf(StageQuantity q) const;
    using Lists = std::vector<std::vector<std::uint32_t>>;  // by place; the last: of anything
    std::span<const std::uint32_t> at(StageQuantity q, std::size_t place) const
    {
        const Lists& lists = m_lists[static_cast<std::size_t>(q)];
        if (lists.empty()) return {};
        return lists[place];
    }

    std::array<bool, quantityCount> m_wants{};
    std::array<Lists, quantityCount> m_lists;
    DenseIds m_entries;
    DenseIds m_regions;
    DenseIds m_waitStates;
};

}  // namespace longpole
