// SPDX-License-Identifier: GPL-3.0-or-later
// Forward: values run from task to task and from process to process, in all segments at once.
#include "distributed/answers/workpass.h"
#include "distributed/exchange/pack.h"
#include "distributed/transport/cancelled.h"

#include <algorithm>

namespace longpole {
namespace {

constexpr TimeNs isMissing = minTime;  // a value that has yet to come

}  // namespace

Result<> WorkPass::run(const LaneFactors& factors, std::size_t lanes, bool crossings)
{
    m_factors = &factors;
    m_lanes = lanes;
    for (std::size_t process = 0; process < m_values.size(); ++process)
        m_values[process].assign(m_askedBy[process].size() * lanes, isMissing);
    m_now.assign(m_strands.size() * lanes, 0);
    m_reached.assign(m_strands.size() * lanes, {});
    m_left = 0;
    m_runnable.clear();
    for (std::uint32_t number = 0; number < m_strands.size(); ++number) {
        Strand& strand = m_strands[number];
        strand.position = strand.first;
        strand.isLeading = strand.segment > 0;
        strand.nextSlot = strand.firstSlot;
        strand.nextReader = strand.firstReader;
        m_left += strand.end - strand.first;
        m_runnable.push_back(number);
    }
    addUpNested();
    runFreely();
    sumUp();
    if (crossings) tellCrossings();
    failIfCancelled(m_transport, m_progress);
    return m_transport.failed() ? Result<>(m_transport.failure()) : Result<>(Unit{});
}

void WorkPass::dropValues()
{
    for (std::vector<TimeNs>& values : m_values) std::vector<TimeNs>().swap(values);
    for (Told& told : m_told) told = {};
    std::vector<TimeNs>().swap(m_now);
    std::vector<Reached>().swap(m_reached);
    std::vector<std::optional<PrefixSums<LaneTimes>>>().swap(m_nested);
}

void WorkPass::addLanes(LaneTimes& sum, std::uint32_t entry, TimeNs time) const
{
    const TimeNs* const factor = m_factors->of(entry);
    for (std::size_t k = 0; k < m_lanes; ++k) sum.at[k] += time * factor[k];
}

void WorkPass::addUpNested()
{
    const auto add = [this](LaneTimes& sum, std::uint32_t entry, TimeNs time) { addLanes(sum, entry, time); };
    m_nested.clear();
    m_nested.resize(m_ranks.size());
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank)
        if (const auto& nested = m_ranks[rank].tasks.nested) m_nested[rank].emplace(nested->parts(), add);
}

// The time of a task in which executions are nested, each part as its own entry method's.
WorkPass::LaneTimes WorkPass::nestedWork(const Rank& rank, std::uint32_t task, TimeNs time) const
{
    const auto add = [this](LaneTimes& sum, std::uint32_t entry, TimeNs part) { addLanes(sum, entry, part); };
    const PrefixSums<LaneTimes>& sums = *m_nested[static_cast<std::size_t>(&rank - m_ranks.data())];
    const std::uint32_t number = rank.tasks.nested->numberOf(task);
    const TimeRange part = partOf(rank, task, time);
    LaneTimes work = sums.upTo(number, part.end, add);
    if (part.begin == rank.tasks.begin[task]) return work;
    const LaneTimes before = sums.upTo(number, part.begin, add);
    for (std::size_t k = 0; k < m_lanes; ++k) work.at[k] -= before.at[k];
    return work;
}

// `Lanes`: how many there are; 0: as many as m_lanes says.
template <std::size_t Lanes>
void WorkPass::give(std::uint32_t process, std::uint32_t number, const TimeNs* values)
{
    if (process == static_cast<std::uint32_t>(m_transport.process())) return got<Lanes>(process, number, values);
    m_told[process].numbers.push_back(number);
    m_told[process].values.insert(m_told[process].values.end(), values, values + m_lanes);
}

template <std::size_t Lanes>
void WorkPass::got(std::size_t process, std::uint32_t number, const TimeNs* values)
{
    const std::size_t lanes = Lanes == 0 ? m_lanes : Lanes;
    TimeNs* const place = m_values[process].data() + number * lanes;
    for (std::size_t k = 0; k < lanes; ++k) place[k] = values[k];
    // A strand that has not come there, or waits for something else, finds it later.
    const Asker& asker = m_askedBy[process][number];
    if (m_strands[asker.strand].position == asker.task) m_runnable.push_back(asker.strand);
}

// Goes on until a value is missing.
template <std::size_t Lanes>
void WorkPass::run(const Rank& rank, std::size_t number)
{
    const std::size_t lanes = Lanes == 0 ? m_lanes : Lanes;
    Strand& strand = m_strands[number];
    TimeNs* const now = m_now.data() + number * m_lanes;
    // As many as there are lanes are set before they are read.
    std::array<TimeNs, mostLanes> head, told;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    for (; strand.position < strand.end; ++strand.position) {
        const auto task = static_cast<std::uint32_t>(strand.position);
        for (std::size_t k = 0; k < lanes; ++k) head[k] = now[k];
        std::size_t next = strand.nextSlot;
        for (; next < rank.slots.size() && rank.slots[next].task == task; ++next) {
            const Slot& slot = rank.slots[next];
            strand.isLeading = false;
            if (slot.crosses) continue;
            const TimeNs* const value = m_values[slot.process].data() + slot.number * lanes;
            if (*value == isMissing) {
                strand.nextSlot = next;
                for (std::size_t k = 0; k < lanes; ++k) now[k] = head[k];
                return;
            }
            for (std::size_t k = 0; k < lanes; ++k) head[k] = std::max(head[k], value[k]);
        }
        strand.nextSlot = next;
        const TimeNs* const factor = m_factors->of(rank.tasks.entry[task]);
        const bool isNested = hasNested(rank, task);
        for (std::size_t k = 0; k < lanes; ++k) now[k] = head[k] + rank.tasks.weight[task] * factor[k];
        if (isNested) {
            const LaneTimes own = nestedWork(rank, task, rank.tasks.weight[task]);
            for (std::size_t k = 0; k < lanes; ++k) now[k] = head[k] + own.at[k];
        }
        for (std::size_t k = 0; k < lanes; ++k) {
            Reached& reached = m_reached[number * lanes + k];
            if (!strand.isLeading && now[k] > reached.value) reached = {now[k], task};
        }
        --m_left;
        for (; strand.nextReader < rank.readers.size() && rank.readers[strand.nextReader].source == task;
             ++strand.nextReader) {
            const Reader& reader = rank.readers[strand.nextReader];
            if (reader.crosses) continue;
            for (std::size_t k = 0; k < lanes; ++k) told[k] = head[k] + reader.work * factor[k];
            if (isNested) {
                const LaneTimes left = nestedWork(rank, task, reader.work);
                for (std::size_t k = 0; k < lanes; ++k) told[k] = head[k] + left.at[k];
            }
            give<Lanes>(reader.process, reader.number, told.data());
        }
    }
}

// The newest first: along a wave from rank to rank none stops twice.
void WorkPass::runAll()
{
    while (!m_runnable.empty()) {
        const std::uint32_t strand = m_runnable.back();
        m_runnable.pop_back();
        const Rank& rank = m_ranks[m_strands[strand].rank];
        if (m_lanes == 1) run<1>(rank, strand);
        else run<0>(rank, strand);
        m_transport.pulse();
    }
}

Payload WorkPass::packTold(Told& told) const
{
    if (told.numbers.empty()) return {};
    Packer packer;
    packer.putNumbers(told.numbers);
    std::vector<TimeNs> lane(told.numbers.size());
    for (std::size_t k = 0; k < m_lanes; ++k) {
        for (std::size_t i = 0; i < lane.size(); ++i) lane[i] = told.values[i * m_lanes + k];
        packer.putNumbers(lane);
    }
    told.numbers.clear();
    told.values.clear();
    return packer.take();
}

// `goesOn`: what needs the values may run on.
void WorkPass::noteTold(int from, const Payload& bytes, bool goesOn)
{
    Unpacker unpacker(bytes);
    const std::vector<std::uint32_t> numbers = unpacker.numbers<std::uint32_t>();
    std::vector<TimeNs> values(numbers.size() * m_lanes);
    for (std::size_t k = 0; k < m_lanes; ++k) {
        const std::vector<TimeNs> lane = unpacker.numbers<TimeNs>();
        if (lane.size() != numbers.size()) return refuse(from);
        for (std::size_t i = 0; i < lane.size(); ++i) values[i * m_lanes + k] = lane[i];
    }
    if (!unpacker.isWhole()) return refuse(from);
    const auto process = static_cast<std::size_t>(from);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] >= m_askedBy[process].size()) return refuse(from);
        got<0>(process, numbers[i], values.data() + i * m_lanes);
    }
    if (!goesOn) m_runnable.clear();
}

// Values leave when there is nothing else to do; what comes is taken at once. Each process knows when its own tasks are
// done.
void WorkPass::runFreely()
{
    while (!m_transport.failed()) {
        runAll();
        for (std::size_t process = 0; process < m_told.size(); ++process)
            if (!m_told[process].numbers.empty())
                m_transport.send(static_cast<int>(process), WorkPassNumber::TellValues, packTold(m_told[process]));
        if (m_left == 0) break;
        std::optional<Incoming> come = m_transport.receive(WorkPassNumber::TellValues, Wait::Yes);
        for (; come; come = m_transport.receive(WorkPassNumber::TellValues, Wait::No))
            noteTold(come->from, come->bytes, true);
    }
    m_transport.quiet(WorkPassNumber::TellValues,
                      [this](int from, const Payload& bytes) { noteTold(from, bytes, true); });
}

// How far the longest path has come at the begin of each segment.
void WorkPass::sumUp()
{
    std::vector<TimeNs> longest(m_segments * m_lanes, 0);
    for (std::size_t strand = 0; strand < m_strands.size(); ++strand)
        for (std::size_t k = 0; k < m_lanes; ++k) {
            TimeNs& most = longest[m_strands[strand].segment * m_lanes + k];
            most = std::max(most, reached(strand, k).value);
        }
    reduceValues(m_transport, std::span(longest),
                 [](TimeNs& into, const TimeNs& from) { into = std::max(into, from); });
    m_base.assign((m_segments + 1) * m_lanes, 0);
    for (std::size_t i = 0; i < longest.size(); ++i) m_base[m_lanes + i] = saturatingAdd(m_base[i], longest[i]);
}

void WorkPass::tellCrossings()
{
    m_runnable.clear();
    for (std::size_t number = 0; number < m_strands.size(); ++number) {
        const Strand& strand = m_strands[number];
        const Rank& rank = m_ranks[strand.rank];
        if (strand.end == strand.first || strand.segment + 1 == m_segments) continue;
        auto reader = std::lower_bound(rank.readers.begin(), rank.readers.end(), strand.end - 1,
                                       [](const Reader& one, std::size_t task) { return one.source < task; });
        for (; reader != rank.readers.end() && reader->source == strand.end - 1; ++reader)
            if (reader->crosses) give<0>(reader->process, reader->number, m_now.data() + number * m_lanes);
    }
    std::vector<Payload> packed;
    for (Told& told : m_told) packed.push_back(packTold(told));
    m_transport.exchange(WorkPassNumber::TellCrossings, std::move(packed),
                         [this](int from, const Payload& bytes) { noteTold(from, bytes, false); });
    m_runnable.clear();
}

}  // namespace longpole
