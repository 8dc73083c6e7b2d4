// SPDX-License-Identifier: GPL-3.0-or-later
// Before values run: who needs what of whom, which of that stands, and where the run is cut.
#include "distributed/answers/workpass.h"

#include "core/base/translate.h"
#include "distributed/exchange/pack.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <tuple>

namespace longpole {
std::uint32_t WorkPass::Rank::segmentOf(std::uint32_t task) const
{
    return static_cast<std::uint32_t>(std::upper_bound(tasks.cuts.begin(), tasks.cuts.end(), task)
                                      - tasks.cuts.begin());
}

std::span<const WorkPass::Slot> WorkPass::Rank::slotsOf(std::uint32_t task) const
{
    const auto isBefore = [](const Slot& slot, std::uint32_t wanted) { return slot.task < wanted; };
    // Tasks need about equally much all along a rank: begins to look where it lies then.
    const std::size_t count = slots.size();
    const std::size_t guess = tasks.begin.empty() ? 0 : std::min(count, task * count / tasks.begin.size());
    std::size_t from = guess, to = guess, step = 16;
    for (; from > 0 && slots[from - 1].task >= task; step *= 2) from -= std::min(from, step);
    for (; to < count && slots[to].task < task; step *= 2) to += std::min(count - to, step);
    const auto first = std::lower_bound(slots.begin() + static_cast<std::ptrdiff_t>(from),
                                        slots.begin() + static_cast<std::ptrdiff_t>(to), task, isBefore);
    return {first, std::find_if(first, slots.end(), [task](const Slot& slot) { return slot.task != task; })};
}

// Those of one source stay as they came.
void WorkPass::sortBySource(std::vector<Reader>& readers, std::size_t tasks)
{
    std::vector<std::uint32_t> place(tasks + 1, 0);  // of the next reader of each source
    for (const Reader& reader : readers) ++place[reader.source + std::size_t{1}];
    for (std::size_t task = 0; task < tasks; ++task) place[task + 1] += place[task];
    std::vector<Reader> sorted(readers.size());
    for (const Reader& reader : readers) sorted[place[reader.source]++] = reader;
    readers = std::move(sorted);
}

WorkPass::WorkPass(Transport& transport, const HostedTrace& trace, TimeRange range, const Progress& progress)
    : m_transport(transport), m_trace(trace), m_range(range), m_progress(progress),
      m_first(trace.hosting.first(transport.process())), m_askedBy(static_cast<std::size_t>(transport.processes())),
      m_status(m_askedBy.size()), m_values(m_askedBy.size()), m_told(m_askedBy.size())
{
}

Result<> WorkPass::prepare()
{
    if (const Result<> read = readRanks(); !read) m_transport.fail(read.error());
    ask();
    applyStatus();
    m_shape = reduceOne(m_transport, m_shape, [](Shape& into, const Shape& from) {
        into.fewestCuts = std::min(into.fewestCuts, from.fewestCuts);
        into.mostCuts = std::max(into.mostCuts, from.mostCuts);
        into.ranks += from.ranks;
        into.againstOrder += from.againstOrder;
    });
    // Process 0 has added it up, of what all say.
    const auto isCutMore = [this](const Rank& rank) { return rank.tasks.cuts.size() > m_shape.mostCuts; };
    const bool isRight = m_shape.mostCuts < std::numeric_limits<std::uint32_t>::max()
                         && std::none_of(m_ranks.begin(), m_ranks.end(), isCutMore);
    if (!isRight) refuse(0);
    if (m_transport.failed()) return m_transport.failure();
    if (m_shape.againstOrder > 0 && !m_transport.failed()) orderTies();
    if (!m_trace.store->info().hasRanks()) dropMergesAgainstOrder();
    chooseCuts();
    makeStrands();
    return m_transport.failed() ? Result<>(m_transport.failure()) : Result<>(Unit{});
}

Result<> WorkPass::readRanks()
{
    m_ranks.resize(m_trace.hosting.size(m_transport.process()));
    for (std::uint32_t local = 0; local < m_ranks.size() && !m_progress.isCancelled(); ++local) {
        const Processor* const processor = m_trace.store->processor(ProcessorId{m_first + local});
        if (processor == nullptr) continue;
        Result<HostedTasks> tasks = hostedTasks(*m_trace.store, *processor, m_range);
        if (!tasks) return tasks.error();
        m_ranks[local].tasks = std::move(*tasks);
        if (const HostedTasks& read = m_ranks[local].tasks; !read.begin.empty()) {
            m_shape.fewestCuts = std::min<std::uint64_t>(m_shape.fewestCuts, read.cuts.size());
            m_shape.mostCuts = std::max<std::uint64_t>(m_shape.mostCuts, read.cuts.size());
            ++m_shape.ranks;
        }
        m_transport.pulse();
    }
    return m_progress.isCancelled() ? Result<>(cancelledError()) : Result<>(Unit{});
}

// Tells the processes of sources which values are needed, and hears what they know of these needs.
void WorkPass::ask()
{
    std::vector<std::vector<AskedValue>> asked(m_askedBy.size());
    for (std::uint32_t local = 0; local < m_ranks.size(); ++local) {
        Rank& rank = m_ranks[local];
        for (const HostedTasks::Need& need : rank.tasks.needs) {
            if (need.rank >= m_trace.hosting.ranks()) continue;
            if (need.rank == m_first + local) {
                const auto own = rank.tasks.placeOf(need.source);
                if (own && own->task == need.task) continue;
            }
            const auto process = static_cast<std::uint32_t>(m_trace.hosting.hostOf(need.rank));
            rank.slots.push_back({.task = need.task,
                                  .rank = need.rank,
                                  .source = need.source,
                                  .process = process,
                                  .number = static_cast<std::uint32_t>(asked[process].size()),
                                  .isMessage = need.isMessage,
                                  .isRepaired = need.isRepaired});
            asked[process].push_back({need.rank, need.source, need.offset, rank.tasks.begin[need.task],
                                      rank.segmentOf(need.task)});
            m_askedBy[process].push_back({local, need.task});
        }
        std::vector<HostedTasks::Need>().swap(rank.tasks.needs);
    }
    const auto self = static_cast<std::size_t>(m_transport.process());
    std::vector<Payload> packed;
    for (std::size_t process = 0; process < asked.size(); ++process) {
        m_status[process].assign(asked[process].size(), 0);
        Packer packer;
        if (process != self && !asked[process].empty())
            packer.putTable(asked[process], &AskedValue::rank, &AskedValue::source, &AskedValue::offset,
                            &AskedValue::taskBegin, &AskedValue::segment);
        if (process != self) std::vector<AskedValue>().swap(asked[process]);
        packed.push_back(packer.take());
    }
    std::vector<Payload> answers(m_askedBy.size());
    noteStatus(m_transport.process(), noteAsked(m_transport.process(), asked[self]));
    std::vector<AskedValue>().swap(asked[self]);
    m_transport.exchange(WorkPassNumber::AskForValues, std::move(packed), [&](int from, const Payload& bytes) {
        Unpacker unpacker(bytes);
        const auto table = unpacker.table<AskedValue>(&AskedValue::rank, &AskedValue::source, &AskedValue::offset,
                                                      &AskedValue::taskBegin, &AskedValue::segment);
        if (!unpacker.isWhole()) return refuse(from);
        const std::vector<NumberedStatus> told = noteAsked(from, table);
        Packer packer;
        if (!told.empty())
            packer.putTable(told, &NumberedStatus::number, &NumberedStatus::status, &NumberedStatus::source);
        answers[static_cast<std::size_t>(from)] = packer.take();
    });
    for (Rank& rank : m_ranks) sortBySource(rank.readers, rank.tasks.begin.size());
    m_transport.exchange(WorkPassNumber::TellStatus, std::move(answers),
                         [&](int from, const Payload& bytes) { takeStatus(from, bytes); });
}

std::vector<WorkPass::NumberedStatus> WorkPass::noteAsked(int from, const std::vector<AskedValue>& asked)
{
    std::vector<NumberedStatus> told;
    for (std::uint32_t number = 0; number < asked.size(); ++number) {
        const AskedValue& need = asked[number];
        if (!m_trace.hosting.hosts(m_transport.process(), need.rank)) {
            refuse(from);
            return {};
        }
        Rank& rank = m_ranks[need.rank - m_first];
        const HostedTasks& tasks = rank.tasks;
        const std::optional<HostedTasks::Place> place = tasks.placeOf(need.source);
        const std::uint32_t source = place ? place->task : noPlace;
        const auto found = place ? workOver(tasks, source, saturatingAdd(need.offset, place->later), need.taskBegin,
                                            m_range)
                                 : std::nullopt;
        if (!found) {
            told.push_back({number, DroppedNeed, need.source});
            continue;
        }
        const std::uint32_t segment = rank.segmentOf(source);
        std::uint8_t status = found->isClamped ? ClampedNeed : 0;
        if (source != need.source) status |= MovedNeed;
        if (tasks.begin[source] == need.taskBegin) status |= AtOnceNeed;
        const bool isLast = segment < tasks.cuts.size() && tasks.cuts[segment] == source + 1;
        const bool isWhole = segment + 1 == need.segment && isLast && found->work == tasks.weight[source];
        if (segment != need.segment && isWhole) {
            status |= CrossingNeed;
        } else if (segment != need.segment) {
            const std::size_t first = std::min(segment, need.segment);
            const std::size_t last = std::min<std::size_t>(std::max(segment, need.segment), tasks.cuts.size());
            if (m_reaching.size() <= last) m_reaching.resize(last + 1, 0);
            if (first < last) {
                ++m_reaching[first];
                --m_reaching[last];
            }
        }
        if (status != 0) told.push_back({number, status, source});
        rank.readers.push_back({source, static_cast<std::uint32_t>(from), number, (status & CrossingNeed) != 0,
                                found->work});
    }
    return told;
}

void WorkPass::takeStatus(int from, const Payload& bytes)
{
    Unpacker unpacker(bytes);
    const auto rows = unpacker.table<NumberedStatus>(&NumberedStatus::number, &NumberedStatus::status,
                                                     &NumberedStatus::source);
    if (!unpacker.isWhole()) return refuse(from);
    noteStatus(from, rows);
}

void WorkPass::noteStatus(int from, const std::vector<NumberedStatus>& told)
{
    std::vector<std::uint8_t>& status = m_status[static_cast<std::size_t>(from)];
    for (const NumberedStatus& one : told) {
        if (one.number >= status.size()) return refuse(from);
        status[one.number] = one.status;
        if ((one.status & MovedNeed) == 0) continue;
        m_moved.resize(m_status.size());
        std::vector<std::uint32_t>& moved = m_moved[static_cast<std::size_t>(from)];
        moved.resize(status.size());
        moved[one.number] = one.source;
    }
}

void WorkPass::refuse(int from)
{
    m_transport.fail(Error{tr("Process %1 told process %2 what cannot be.").arg(from).arg(m_transport.process()),
                           QString(), QString()});
}

void WorkPass::applyStatus()
{
    for (std::uint32_t local = 0; local < m_ranks.size(); ++local) {
        std::vector<Slot>& slots = m_ranks[local].slots;
        std::erase_if(slots,
                      [this](const Slot& slot) { return (m_status[slot.process][slot.number] & DroppedNeed) != 0; });
        for (Slot& slot : slots) {
            const std::uint8_t status = m_status[slot.process][slot.number];
            if ((status & MovedNeed) != 0) slot.source = m_moved[slot.process][slot.number];
            slot.crosses = (status & CrossingNeed) != 0;
            if (slot.crosses && m_ranks[local].segmentOf(slot.task) == 0) refuse(static_cast<int>(slot.process));
            slot.isClamped = (status & ClampedNeed) != 0;
            if (countsAgainstOrder(slot) && isAgainstOrder(m_first + local, slot)) ++m_shape.againstOrder;
        }
    }
    std::vector<std::vector<std::uint32_t>>().swap(m_moved);
}

// Cuts the ranks where all of them are cut alike, and values begin anew for all.
void WorkPass::chooseCuts()
{
    std::vector<std::uint8_t> isBad(m_shape.mostCuts, 0);
    if (m_shape.fewestCuts != m_shape.mostCuts) {
        std::fill(isBad.begin(), isBad.end(), 1);
    } else {
        std::int64_t reaching = 0;
        for (std::size_t cut = 0; cut < std::min(m_reaching.size(), isBad.size()); ++cut) {
            reaching += m_reaching[cut];
            isBad[cut] = reaching > 0 ? 1 : 0;
        }
        for (const Rank& rank : m_ranks) judgeCuts(rank, isBad);
        reduceValues(m_transport, std::span(isBad),
                     [](std::uint8_t& into, const std::uint8_t& from) { into = std::max(into, from); });
    }
    if (m_transport.failed()) return;
    keepCuts(isBad);
    m_segments = 1 + static_cast<std::size_t>(std::count(isBad.begin(), isBad.end(), 0));
}

// A cut is good if behind it each task that needs something of before needs all other ranks, and if what comes before
// the first need of a rank takes no time, and nobody needs it.
void WorkPass::judgeCuts(const Rank& rank, std::vector<std::uint8_t>& isBad) const
{
    std::vector<std::uint32_t> needed;
    for (auto slot = rank.slots.begin(); slot != rank.slots.end();) {
        const std::uint32_t task = slot->task;
        needed.clear();
        for (; slot != rank.slots.end() && slot->task == task; ++slot)
            if (slot->crosses) needed.push_back(slot->rank);
        if (needed.empty()) continue;
        std::sort(needed.begin(), needed.end());
        const auto others = std::unique(needed.begin(), needed.end()) - needed.begin();
        const std::uint32_t cut = rank.segmentOf(task) - 1;
        if (static_cast<std::uint64_t>(others) + 1 < m_shape.ranks) isBad[cut] = 1;
    }
    const std::vector<TimeNs>& weight = rank.tasks.weight;
    std::size_t busy = 0;  // the first task from the cut on that takes time
    for (std::size_t cut = 0; cut < rank.tasks.cuts.size() && cut < isBad.size(); ++cut) {
        const std::uint32_t first = rank.tasks.cuts[cut];
        const auto slot = std::lower_bound(rank.slots.begin(), rank.slots.end(), first,
                                           [](const Slot& one, std::uint32_t task) { return one.task < task; });
        const std::size_t last = slot != rank.slots.end() ? slot->task : rank.tasks.begin.size();
        const auto reader = std::lower_bound(rank.readers.begin(), rank.readers.end(), first,
                                             [](const Reader& one, std::uint32_t task) { return one.source < task; });
        const bool isRead = reader != rank.readers.end() && reader->source < last;
        busy = std::max<std::size_t>(busy, first);
        while (busy < weight.size() && weight[busy] <= 0) ++busy;
        if (isRead || busy < last) isBad[cut] = 1;
    }
}

void WorkPass::keepCuts(const std::vector<std::uint8_t>& isBad)
{
    for (Rank& rank : m_ranks) {
        for (Slot& slot : rank.slots)
            if (slot.crosses && isBad[rank.segmentOf(slot.task) - 1] != 0) slot.crosses = false;
        for (Reader& reader : rank.readers)
            if (reader.crosses && isBad[rank.segmentOf(reader.source)] != 0) reader.crosses = false;
        std::vector<std::uint32_t> kept;
        for (std::size_t cut = 0; cut < rank.tasks.cuts.size(); ++cut)
            if (cut < isBad.size() && isBad[cut] == 0) kept.push_back(rank.tasks.cuts[cut]);
        rank.tasks.cuts = std::move(kept);
    }
}

void WorkPass::makeStrands()
{
    for (std::uint32_t local = 0; local < m_ranks.size(); ++local) {
        const Rank& rank = m_ranks[local];
        m_firstStrand.push_back(static_cast<std::uint32_t>(m_strands.size()));
        Strand strand{.rank = local};
        for (std::uint32_t segment = 0; segment <= rank.tasks.cuts.size(); ++segment) {
            strand.segment = segment;
            strand.end = segment < rank.tasks.cuts.size() ? rank.tasks.cuts[segment] : rank.tasks.begin.size();
            m_strands.push_back(strand);
            strand.first = std::max(strand.first, strand.end);
            while (strand.firstSlot < rank.slots.size() && rank.slots[strand.firstSlot].task < strand.first)
                ++strand.firstSlot;
            while (strand.firstReader < rank.readers.size() && rank.readers[strand.firstReader].source < strand.first)
                ++strand.firstReader;
        }
    }
    for (std::vector<Asker>& askers : m_askedBy) {
        std::uint32_t rank = 0, strand = 0;
        for (Asker& asker : askers) {
            if (asker.strand != rank) strand = m_firstStrand[rank = asker.strand];
            while (strand + 1 < m_strands.size() && m_strands[strand + 1].rank == rank
                   && asker.task >= m_strands[strand].end)
                ++strand;
            asker.strand = strand;
        }
    }
}

void WorkPass::narrow(TimeRange range)
{
    const TimeRange before = std::exchange(m_range, intersection(m_range, range));
    const auto inside = [&](TimeNs begin, TimeNs work) {
        const TimeNs from = std::clamp(begin, before.begin, before.end);
        return std::clamp(from + work, m_range.begin, m_range.end) - std::clamp(from, m_range.begin, m_range.end);
    };
    for (Rank& rank : m_ranks) {
        HostedTasks& tasks = rank.tasks;
        for (Reader& reader : rank.readers) reader.work = inside(tasks.begin[reader.source], reader.work);
        for (std::size_t task = 0; task < tasks.begin.size(); ++task)
            tasks.weight[task] = inside(tasks.begin[task], tasks.weight[task]);
    }
}

}  // namespace longpole
