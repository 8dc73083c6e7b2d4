// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/laneplan.h"

#include "analysis/base/bigarray.h"

#include <algorithm>

namespace longpole {

namespace {

// Hands out slots, the one that was given back last first. It has no branches on whether a slot is needed, since
// processors could not predict them.
class Slots {
public:
    Slots() { grow(); }

    // `slot`, or a free one if `slot` is noSlot.
    std::uint32_t orFree(std::uint32_t slot)
    {
        if (m_taken + 1 == m_slots.size()) grow();
        const bool isNone = slot == LanePlan::noSlot;
        const std::uint32_t result = isNone ? m_slots[m_taken] : slot;
        m_taken += isNone ? 1 : 0;
        m_most = std::max(m_most, m_taken);
        return result;
    }

    // Frees `slot` unless it is noSlot.
    void giveBack(std::uint32_t slot)
    {
        const bool isSlot = slot != LanePlan::noSlot;
        m_taken -= isSlot ? 1 : 0;
        m_slots[m_taken] = isSlot ? slot : m_slots[m_taken];
    }

    std::uint32_t most() const { return static_cast<std::uint32_t>(m_most); }

private:
    void grow()
    {
        std::size_t next = m_slots.size();
        m_slots.resize(2 * next + 64);
        for (; next < m_slots.size(); ++next) m_slots[next] = static_cast<std::uint32_t>(next);
    }

    std::vector<std::uint32_t> m_slots;  // from m_taken on the free ones, at least one
    std::size_t m_taken = 0;
    std::size_t m_most = 0;
};

}  // namespace

LanePlan lanePlan(const ActivityGraph& graph, const Dependencies& edges, const Progress& progress)
{
    constexpr std::uint32_t blockTasks = 1u << 16;
    constexpr std::uint32_t ahead = 32;  // so many tasks before its turn, what a task uses is fetched into the cache
    LanePlan plan;
    plan.slot = bigArray<std::uint32_t>(graph.size(), LanePlan::noSlot);
    Slots slots;
    const auto use = [&plan, &slots](std::uint32_t source) { plan.slot[source] = slots.orFree(plan.slot[source]); };
    auto merge = edges.merges.size();
    for (auto i = static_cast<std::uint32_t>(graph.size()); i-- > 0;) {
        if (i % blockTasks == 0 && progress.isCancelled()) return {};
        if (const std::uint32_t later = graph.source[i >= ahead ? i - ahead : 0]; later != noTask)
            __builtin_prefetch(plan.slot.data() + later, 1);
        if (graph.source[i] != noTask) use(graph.source[i]);
        for (; merge > 0 && edges.merges[merge - 1].task == i; --merge) use(edges.merges[merge - 1].source);
        // The task's own slot is freed last, so that it is none of those that it reads.
        slots.giveBack(plan.slot[i]);
    }
    plan.slots = slots.most();
    if (graph.inner.empty()) return plan;
    plan.isNested.resize(graph.size());
    for (const ActivityGraph::Inner& piece : graph.inner) plan.isNested[piece.task] = true;
    plan.nested = std::make_shared<const NestedParts>(graph);
    return plan;
}

}  // namespace longpole
