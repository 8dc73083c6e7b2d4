// Sorts measures by what they count.
#include "analysis/stageplan.h"

namespace longpole {

namespace {

bool isOfRegion(Quantity q)
{
    return q == Quantity::EventTime || q == Quantity::Events || q == Quantity::Samples || q == Quantity::SampleSum ||
           q == Quantity::LargestSample;
}

}  // namespace

StagePlan::StagePlan(const TraceStore& store, std::span<const Measure> measures)
{
    for (const Entry& entry : store.entries()) m_entries = std::max<std::size_t>(m_entries, index(entry.id) + 1);
    for (const Region& region : store.regions()) m_regions = std::max<std::size_t>(m_regions, index(region.id) + 1);
    std::vector<std::uint32_t> chareOf(m_entries, 0xffffffffu);
    for (const Entry& entry : store.entries()) chareOf[index(entry.id)] = index(entry.chareId);

    for (std::uint32_t m = 0; m < measures.size(); ++m) {
        const auto q = static_cast<std::size_t>(measures[m].quantity);
        const Subject& subject = measures[m].subject;
        Lists& lists = m_lists[q];
        m_wants[q] = true;
        const std::size_t ids = isOfRegion(measures[m].quantity) ? m_regions : m_entries;
        if (lists.size() < ids + 1) lists.resize(ids + 1);
        for (std::size_t id = 0; id <= ids; ++id) {
            const bool isKnown = id < ids;
            bool counts = subject.kind == Subject::Kind::Program;
            if (subject.kind == Subject::Kind::Entry || subject.kind == Subject::Kind::Region)
                counts = isKnown && id == subject.id;
            if (subject.kind == Subject::Kind::Chare) counts = isKnown && chareOf[id] == subject.id;
            if (counts) lists[id].push_back(m);
        }
    }
}

}  // namespace longpole
