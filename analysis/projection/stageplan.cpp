// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts measures by what they count.
#include "analysis/projection/stageplan.h"

namespace longpole {

namespace {

constexpr std::uint32_t smallIds = 1u << 16;
constexpr std::uint32_t noPlace = 0xffffffffu;

bool isOfRegion(StageQuantity q)
{
    using enum StageQuantity;
    return q == MpiTime || q == MpiCalls || q == MpiSent || q == MpiReceived || q == CollectiveSent
           || q == CollectiveReceived || q == EventTime || q == Events || q == Samples || q == SampleSum
           || q == LargestSample;
}

// Messages in wrong order and late completes are counted in another state, too.
bool isCountedAnyway(StageQuantity q, std::size_t place)
{
    return q == StageQuantity::Waited && place < waitStateKinds && isPartOfAnother(static_cast<WaitStateKind>(place));
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

const DenseIds& StagePlan::idsOf(StageQuantity q) const
{
    if (q == StageQuantity::Waited) return m_waitStates;
    return isOfRegion(q) ? m_regions : m_entries;
}

StagePlan::StagePlan(const TraceStore& store, std::span<const Measure> measures)
{
    for (const Entry& entry : store.entries()) m_entries.add(index(entry.id));
    for (const Region& region : store.regions()) m_regions.add(index(region.id));
    for (std::uint32_t kind = 0; kind < waitStateKinds; ++kind) m_waitStates.add(kind);
    for (std::uint32_t m = 0; m < measures.size(); ++m) {
        const StageQuantity q = measures[m].quantity;
        const Subject& subject = measures[m].subject;
        const DenseIds& ids = idsOf(q);
        Lists& lists = m_lists[static_cast<std::size_t>(q)];
        m_wants[static_cast<std::size_t>(q)] = true;
        lists.resize(ids.count() + 1);
        switch (subject.kind) {
        case Subject::Kind::Program:
            for (std::size_t place = 0; place < lists.size(); ++place)
                if (!isCountedAnyway(q, place)) lists[place].push_back(m);
            break;
        case Subject::Kind::Entry:
        case Subject::Kind::Region:
        case Subject::Kind::WaitState:
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
