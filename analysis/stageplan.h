// Which measures of a request an entry method, or a region, counts for.
#pragma once

#include "analysis/quantity.h"
#include "core/tracestore.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

class StagePlan {
public:
    StagePlan(const TraceStore& store, std::span<const Measure> measures);

    bool wants(Quantity q) const { return m_wants[static_cast<std::size_t>(q)]; }
    template <typename... Quantities>
    bool wantsAny(Quantities... q) const { return (wants(q) || ...); }

    // Measures that count something of that entry method or region, or of anything. Unknown ids: those of anything.
    std::span<const std::uint32_t> of(Quantity q, EntryId entry) const { return at(q, index(entry), m_entries); }
    std::span<const std::uint32_t> of(Quantity q, RegionId region) const { return at(q, index(region), m_regions); }
    std::span<const std::uint32_t> of(Quantity q) const { return of(q, noEntry); }

private:
    using Lists = std::vector<std::vector<std::uint32_t>>;  // by id; the last: of anything
    std::span<const std::uint32_t> at(Quantity q, std::uint32_t id, std::size_t ids) const
    {
        const Lists& lists = m_lists[static_cast<std::size_t>(q)];
        if (lists.empty()) return {};
        return lists[id < ids && lists.size() > 1 ? id : lists.size() - 1];
    }

    std::array<bool, quantities> m_wants{};
    std::array<Lists, quantities> m_lists;
    std::size_t m_entries = 0;  // ids below it have a list
    std::size_t m_regions = 0;
};

}  // namespace longpole
