// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/tailpass.h"

#include "core/base/translate.h"
#include "distributed/exchange/pack.h"

#include <algorithm>
#include <optional>

namespace longpole {

TailPass::TailPass(const WorkPass& pass)
    : m_pass(pass), m_transport(pass.transport()), m_told(static_cast<std::size_t>(m_transport.processes())),
      m_values(m_told.size()), m_readAt(m_told.size())
{
}

void TailPass::run()
{
    prepare();
    while (!m_transport.failed()) {
        runAll();
        for (std::size_t process = 0; process < m_told.size(); ++process)
            if (!m_told[process].empty())
                m_transport.send(static_cast<int>(process), WorkPassNumber::TellTails, pack(m_told[process]));
        if (m_left == 0) break;
        std::optional<Incoming> come = m_transport.receive(WorkPassNumber::TellTails, Wait::Yes);
        for (; come; come = m_transport.receive(WorkPassNumber::TellTails, Wait::No)) note(come->from, come->bytes);
    }
    m_transport.quiet(WorkPassNumber::TellTails, [this](int from, const Payload& bytes) { note(from, bytes); });
}

void TailPass::prepare()
{
    std::uint32_t number = 0;
    m_places.resize(m_pass.strands().size());
    for (const WorkPass::Rank& rank : m_pass.ranks()) {
        const std::uint32_t firstStrand = number;
        m_tails.emplace_back(rank.tasks.begin.size());
        for (; number < m_places.size() && m_pass.strands()[number].rank + 1 == m_tails.size(); ++number) {
            const WorkPass::Strand& strand = m_pass.strands()[number];
            // The forward pass has gone through all of it.
            m_places[number] = {strand.end, strand.nextSlot, strand.nextReader, 0, minTime};
            m_left += strand.end - strand.first;
            m_runnable.push_back(number);
        }
        noteReaders(rank.readers, firstStrand, number);
    }
}

// `strands`: those of the rank, [first, last).
void TailPass::noteReaders(std::span<const WorkPass::Reader> readers, std::uint32_t first, std::uint32_t last)
{
    for (const WorkPass::Reader& reader : readers) {
        while (first + 1 < last && reader.source >= m_pass.strands()[first].end) ++first;
        std::vector<TimeNs>& values = m_values[reader.process];
        if (reader.number >= values.size()) {
            values.resize(reader.number + std::size_t{1}, isUnknown);
            m_readAt[reader.process].resize(values.size());
        }
        m_readAt[reader.process][reader.number] = {first, reader.source};
    }
}

void TailPass::runAll()
{
    while (!m_runnable.empty()) {
        const std::uint32_t number = m_runnable.back();
        m_runnable.pop_back();
        runBack(m_pass.strands()[number], m_places[number]);
        m_transport.pulse();
    }
}

// Goes back until a tail is missing.
void TailPass::runBack(const WorkPass::Strand& strand, Place& place)
{
    const WorkPass::Rank& rank = m_pass.ranks()[strand.rank];
    while (place.position > strand.first) {
        const auto task = static_cast<std::uint32_t>(place.position - 1);
        // What has thousands of readers, and stops at many of them, goes on where it was.
        for (; place.nextReader > 0 && rank.readers[place.nextReader - 1].source == task; --place.nextReader) {
            const WorkPass::Reader& one = rank.readers[place.nextReader - 1];
            if (one.crosses) continue;
            const TimeNs told = m_values[one.process][one.number];
            if (told == isUnknown) return;
            place.ownTail = std::max(place.ownTail, told + one.work);
        }
        const TimeNs tail = std::max(place.ownTail, rank.tasks.weight[task] + place.tail);
        place.tail = m_tails[strand.rank][task] = tail;
        place.ownTail = minTime;
        --place.position;
        --m_left;
        for (; place.nextSlot > 0 && rank.slots[place.nextSlot - 1].task == task; --place.nextSlot) {
            const WorkPass::Slot& slot = rank.slots[place.nextSlot - 1];
            if (!slot.crosses) give(slot, tail);
        }
    }
}

void TailPass::give(const WorkPass::Slot& slot, TimeNs tail)
{
    if (static_cast<int>(slot.process) == m_transport.process()) got(slot.process, slot.number, tail);
    else m_told[slot.process].push_back({slot.number, tail});
}

// False: nobody here is read so.
bool TailPass::got(std::size_t process, std::uint32_t number, TimeNs tail)
{
    if (number >= m_values[process].size()) return false;
    const ReadAt& at = m_readAt[process][number];
    if (at.source == WorkPass::noPlace) return false;
    m_values[process][number] = tail;
    // A strand that has not come back there, or waits for something else, finds it later.
    if (m_places[at.strand].position == std::size_t{at.source} + 1) m_runnable.push_back(at.strand);
    return true;
}

Payload TailPass::pack(std::vector<ToldTail>& told)
{
    Packer packer;
    packer.putTable(told, &ToldTail::number, &ToldTail::tail);
    told.clear();
    return packer.take();
}

void TailPass::note(int from, const Payload& bytes)
{
    Unpacker unpacker(bytes);
    const auto rows = unpacker.table<ToldTail>(&ToldTail::number, &ToldTail::tail);
    bool isRight = unpacker.isWhole();
    for (const ToldTail& told : rows) isRight = got(static_cast<std::size_t>(from), told.number, told.tail) && isRight;
    if (!isRight)
        m_transport.fail({tr("Process %1 told process %2 what cannot be.").arg(from).arg(m_transport.process()),
                          QString(), QString()});
}

}  // namespace longpole
