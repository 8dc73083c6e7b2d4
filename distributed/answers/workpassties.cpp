// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks that begin at one time and need each other: the order among them, and which of these needs the graph of the
// whole run does not have.
#include "distributed/answers/workpass.h"
#include "distributed/exchange/pack.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

std::uint64_t keyOf(std::uint32_t rank, std::uint32_t task) { return std::uint64_t{rank} << 32u | task; }

}  // namespace

// Whether the order of tasks that begin at one time has the source after the task.
bool WorkPass::isAgainstOrder(std::uint32_t rank, const Slot& slot) const
{
    return (m_status[slot.process][slot.number] & AtOnceNeed) != 0
           && std::pair(slot.rank, slot.source) > std::pair(rank, slot.task);
}

// Where a task comes before what it needs, process 0 puts those that begin at that time in order, as the builder of the
// whole graph does, and leaves out needs that go round in a circle.
void WorkPass::orderTies()
{
    std::vector<TimeNs> instants;
    for (std::uint32_t local = 0; local < m_ranks.size(); ++local)
        for (const Slot& slot : m_ranks[local].slots)
            if (countsAgainstOrder(slot) && isAgainstOrder(m_first + local, slot))
                instants.push_back(m_ranks[local].tasks.begin[slot.task]);
    instants = commonInstants(m_transport, std::move(instants));
    std::vector<TiedTask> own;
    std::vector<TiedNeed> needs;
    for (std::uint32_t local = 0; local < m_ranks.size(); ++local) {
        const Rank& rank = m_ranks[local];
        for (std::uint32_t task = 0; task < rank.tasks.begin.size(); ++task) {
            const TimeNs begin = rank.tasks.begin[task];
            if (!std::binary_search(instants.begin(), instants.end(), begin)) continue;
            own.push_back({m_first + local, task, begin});
            for (const Slot& slot : rank.slotsOf(task))
                if (countsAgainstOrder(slot) && (m_status[slot.process][slot.number] & AtOnceNeed) != 0)
                    needs.push_back({m_first + local, task, slot.rank, slot.source, slot.isMessage});
        }
    }
    const OrderedTies ordered = orderTiedTasks(m_transport, own, needs);
    for (std::size_t place = 0; place < ordered.tasks.size(); ++place)
        m_places[keyOf(ordered.tasks[place].rank, ordered.tasks[place].task)] = static_cast<std::uint32_t>(place);
    dropNeeds(eraseSlots(ordered.dropped));
}

// Of a message-driven run only messages make order among tasks that begin at one time: a merge with what comes after
// its task in that order is none.
void WorkPass::dropMergesAgainstOrder()
{
    std::vector<TiedNeed> against;
    for (std::uint32_t local = 0; local < m_ranks.size(); ++local)
        for (const Slot& slot : m_ranks[local].slots) {
            if (slot.isMessage || (m_status[slot.process][slot.number] & AtOnceNeed) == 0) continue;
            const std::uint32_t rank = m_first + local;
            const auto key = [this](std::uint32_t of, std::uint32_t task) {
                return std::tuple(placeOf(of, task), of, task);
            };
            if (key(slot.rank, slot.source) > key(rank, slot.task))
                against.push_back({rank, slot.task, slot.rank, slot.source, false});
        }
    dropNeeds(eraseSlots(std::move(against)));
}

// Their numbers, by the process that hosts the source.
std::vector<std::vector<std::uint32_t>> WorkPass::eraseSlots(std::vector<TiedNeed> needs)
{
    const auto isBefore = [](const TiedNeed& a, const TiedNeed& b) {
        return std::tie(a.rank, a.task, a.sourceRank, a.source, a.isMessage)
               < std::tie(b.rank, b.task, b.sourceRank, b.source, b.isMessage);
    };
    std::sort(needs.begin(), needs.end(), isBefore);
    std::vector<std::vector<std::uint32_t>> erased(m_askedBy.size());
    for (std::uint32_t local = 0; local < m_ranks.size() && !needs.empty(); ++local)
        std::erase_if(m_ranks[local].slots, [&](const Slot& slot) {
            const TiedNeed need{m_first + local, slot.task, slot.rank, slot.source, slot.isMessage};
            const bool isOne = std::binary_search(needs.begin(), needs.end(), need, isBefore);
            if (isOne) erased[slot.process].push_back(slot.number);
            return isOne;
        });
    return erased;
}

void WorkPass::dropNeeds(const std::vector<std::vector<std::uint32_t>>& numbers)
{
    std::vector<Payload> packed;
    packed.reserve(numbers.size());
    for (const std::vector<std::uint32_t>& own : numbers) {
        Packer packer;
        if (!own.empty()) packer.putNumbers(own);
        packed.push_back(packer.take());
    }
    std::vector<std::vector<std::uint32_t>> dropped(m_askedBy.size());  // by process that needed it
    m_transport.exchange(WorkPassNumber::DropNeeds, std::move(packed), [&](int from, const Payload& bytes) {
        Unpacker unpacker(bytes);
        std::vector<std::uint32_t>& own = dropped[static_cast<std::size_t>(from)];
        own = unpacker.numbers<std::uint32_t>();
        if (!unpacker.isWhole()) return refuse(from);
        std::sort(own.begin(), own.end());
    });
    for (Rank& rank : m_ranks)
        std::erase_if(rank.readers, [&](const Reader& reader) {
            const std::vector<std::uint32_t>& own = dropped[reader.process];
            return std::binary_search(own.begin(), own.end(), reader.number);
        });
}

std::uint32_t WorkPass::placeOf(std::uint32_t rank, std::uint32_t task) const
{
    const auto found = m_places.find(keyOf(rank, task));
    return found != m_places.end() ? found->second : noPlace;
}

}  // namespace longpole
