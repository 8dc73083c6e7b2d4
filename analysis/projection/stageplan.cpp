// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts measures by what they count.
#include "analysis/projection/stageplan.h"

namespace longpole {

namespace {

constexpr std::uint32_t smallIds = 1u << 16;
constexpr std::uint32_t noPlace = 0xffffffffu;

bool isOfRegion(StageQuantity q)
{
    return q == StageQuantity::EventTime || q == StageQuantity::Events || q == StageQuantity::Samples
           || q == StageQuantity::SampleSum || q == StageQuantity::LargestSample;
}

}  // namespace

void DenseIds::add(std::uint32_t id)
{
    const auto place = static_cast<std::uint32_t>(m_count);
    if (id < smallIds) {
        if (id >= m_small.size()) m_small.resize(id + std::size_t{1}, noPlace);
        if (m_small[id] != noPlace) return;
        m_small[id] = place;
    } else if (!m_large.emplace(id, place).second) {
        return;
    }
    ++m_count;
}

StagePlan::StagePlan(const TraceStore& store, std::span<const Measure> measures)
{
    for (const Entry& entry : store.entries()) m_entries.add(index(entry.id));
    for (const Region& region : store.regions()) m_regions.add(index(region.id));
    for (std::uint32_t m = 0; m < measures.size(); ++m) {
        const StageQuantity q = measures[m].quantity;
        const Subject& subject = measures[m].subject;
        const DenseIds& ids = isOfRegion(q) ? m_regions : m_entries;
        Lists& lists = m_lists[static_cast<std::size_t>(q)];
        m_wants[static_cast<std::size_t>(q)] = true;
        lists.resize(ids.count() + 1);
        switch (subject.kind) {
        case Subject::Kind::Program:
            for (auto& list : lists) list.push_back(m);
            break;
        case Subject::Kind::Entry:
        case Subject::Kind::Region:
            if (ids.place(subject.id) < ids.count()) lists[ids.place(subject.id)].push_back(m);
            break;
        case Subject::Kind::Chare:
            for (const Entry& entry : store.entries())
                if (index(entry.chareId) == subject.id) lists[ids.place(index(entry.id))].push_back(m);
            break;
        }
    }
}

}  // namespace longpole
