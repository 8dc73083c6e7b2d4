// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/nearpaths/nearlinks.h"

#include "core/base/release.h"
#include "core/base/translate.h"
#include "distributed/exchange/pack.h"

#include <algorithm>

namespace longpole {

NearLinks::NearLinks(const WorkPass& pass, const TailPass& tails)
    : m_pass(pass), m_tails(tails), m_transport(pass.transport()), m_ranks(pass.ranks().size()),
      m_targets(pass.strands().size()), m_slotAt(static_cast<std::size_t>(m_transport.processes())),
      m_readerAt(m_slotAt.size()), m_cuts(pass.segments()), m_questions(m_slotAt.size()), m_asked(m_slotAt.size())
{
}

void NearLinks::find()
{
    note();
    findCuts();
    if (m_transport.failed()) return;
    for (std::uint32_t rank = 0; rank < m_ranks.size() && !m_transport.failed(); ++rank) {
        look(rank);
        m_transport.pulse();
    }
    askAll();
    want();
    release(m_ties);
    release(m_questions);
    release(m_asked);
}

std::optional<NearLinks::Place> NearLinks::placed(const Places& places, int process, std::uint32_t number)
{
    const auto at = static_cast<std::size_t>(process);
    if (at >= places.size() || number >= places[at].size() || places[at][number].rank == WorkPass::noPlace) return {};
    return places[at][number];
}

void NearLinks::refuse(int from) const
{
    m_transport.fail({tr("Process %1 told process %2 what cannot be.").arg(from).arg(m_transport.process()), QString(),
                      QString()});
}

TimeNs NearLinks::length(std::uint32_t rank, std::uint32_t task) const
{
    const std::uint32_t link = m_ranks[rank].next[task];
    return link < across ? m_pass.ranks()[rank].readers[link].work : m_pass.ranks()[rank].tasks.weight[task];
}

void NearLinks::FirstTwo::add(const Key& key)
{
    if (key < first) {
        if (key.rank != first.rank) second = first;
        first = key;
    } else if (key.rank != first.rank && key < second) {
        second = key;
    }
}

NearLinks::Key NearLinks::keyOf(std::uint32_t rank, std::uint32_t task, std::uint32_t edge) const
{
    const std::uint32_t number = m_pass.firstRank() + rank;
    return {m_pass.ranks()[rank].tasks.begin[task], m_pass.placeOf(number, task), number, task, edge};
}

// Where slots and readers are by the numbers that others know them by.
void NearLinks::note()
{
    const auto set = [](std::vector<Place>& places, std::uint32_t number, Place place) {
        if (number >= places.size()) places.resize(number + std::size_t{1});
        places[number] = place;
    };
    for (std::uint32_t rank = 0; rank < m_ranks.size(); ++rank) {
        const WorkPass::Rank& own = m_pass.ranks()[rank];
        for (std::uint32_t i = 0; i < own.slots.size(); ++i)
            set(m_slotAt[own.slots[i].process], own.slots[i].number, {rank, i});
        for (std::uint32_t i = 0; i < own.readers.size(); ++i)
            set(m_readerAt[own.readers[i].process], own.readers[i].number, {rank, i});
        m_ranks[rank].isBefore.resize(own.readers.size());
        m_ranks[rank].isNext.resize(own.slots.size());
    }
    for (std::size_t strand = 0; strand < m_pass.strands().size(); ++strand)
        if (m_pass.strands()[strand].segment == 0) m_firstStrand.push_back(strand);
}

void NearLinks::findCuts()
{
    for (std::size_t strand = 0; strand < m_pass.strands().size(); ++strand) {
        const WorkPass::Strand& own = m_pass.strands()[strand];
        if (own.first == own.end) continue;
        const WorkPass::Rank& rank = m_pass.ranks()[own.rank];
        const TimeNs end = m_pass.base(own.segment, 0) + m_pass.reached(strand, 0).value;
        if (own.segment + 1 < m_cuts.size() && end == m_pass.base(own.segment + 1, 0))
            m_cuts[own.segment + 1].leaving.add(keyOf(own.rank, static_cast<std::uint32_t>(own.end - 1), 0));
        const TimeNs longest = m_pass.base(own.segment + 1, 0) - m_pass.base(own.segment, 0);
        for (std::size_t slot = own.firstSlot; slot < rank.slots.size() && rank.slots[slot].task < own.end; ++slot) {
            const std::uint32_t task = rank.slots[slot].task;
            if (rank.slots[slot].crosses && m_tails.tails(own.rank)[task] == longest)
                m_cuts[own.segment].entered.add(keyOf(own.rank, task, 0));
        }
    }
    reduceValues(m_transport, std::span(m_cuts), [](Cut& into, const Cut& from) {
        for (const Key& key : {from.leaving.first, from.leaving.second}) into.leaving.add(key);
        for (const Key& key : {from.entered.first, from.entered.second}) into.entered.add(key);
    });
}

// Heads once more, from the values that the work pass has left behind.
void NearLinks::look(std::uint32_t rank)
{
    const WorkPass::Rank& own = m_pass.ranks()[rank];
    const auto tasks = static_cast<std::uint32_t>(own.tasks.begin.size());
    Rank& found = m_ranks[rank];
    found.before.resize(tasks);
    found.next.resize(tasks);
    found.slack.resize(tasks);
    std::uint32_t slot = 0, reader = 0, segment = 0;
    TimeNs free = 0;  // the longest work up to the end of the task before
    for (std::uint32_t task = 0; task < tasks; ++task) {
        while (segment < own.tasks.cuts.size() && own.tasks.cuts[segment] <= task) ++segment;
        const std::uint32_t firstSlot = slot, firstReader = reader;
        TimeNs head = free;
        for (; slot < own.slots.size() && own.slots[slot].task == task; ++slot)
            head = std::max(head, m_pass.valueOf(own.slots[slot], segment, 0));
        while (reader < own.readers.size() && own.readers[reader].source == task) ++reader;
        found.slack[task] = m_pass.length(0) - head - m_tails.tails(rank)[task] - behind(segment);
        found.before[task] = head > 0 ? before(rank, task, segment, head, {firstSlot, slot}) : nothing;
        found.next[task] = next(rank, task, segment, {firstReader, reader});
        free = head + own.tasks.weight[task];
    }
}

// As predecessorOf(): over the message, over the first merge, along the rank.
std::uint32_t NearLinks::before(std::uint32_t rank, std::uint32_t task, std::uint32_t segment, TimeNs head,
                                std::pair<std::uint32_t, std::uint32_t> slots)
{
    const WorkPass::Rank& own = m_pass.ranks()[rank];
    std::vector<std::uint32_t> candidates, crossing;
    for (std::uint32_t i = slots.first; i < slots.second; ++i) {
        const WorkPass::Slot& slot = own.slots[i];
        if (m_pass.valueOf(slot, segment, 0) != head) continue;
        if (slot.isMessage) return i;
        (slot.crosses ? crossing : candidates).push_back(i);
    }
    if (crossing.size() > 1) {  // most of them are as long: who is first among all has been found
        const FirstTwo& leaving = m_cuts[segment].leaving;
        for (const std::uint32_t wanted : {leaving.first.rank, leaving.second.rank}) {
            const auto first = std::find_if(crossing.begin(), crossing.end(),
                                            [&](std::uint32_t i) { return own.slots[i].rank == wanted; });
            if (first == crossing.end()) continue;
            crossing = {*first};
            break;
        }
    }
    candidates.insert(candidates.end(), crossing.begin(), crossing.end());
    if (candidates.empty()) return task > 0 ? neighbour : nothing;
    if (candidates.size() == 1) return candidates.front();
    return ask({.rank = rank, .task = task, .isBack = true}, candidates);
}

// The first task of those from which the rest of the longest way is as long as it has to be.
std::uint32_t NearLinks::next(std::uint32_t rank, std::uint32_t task, std::uint32_t segment,
                              std::pair<std::uint32_t, std::uint32_t> readers)
{
    const WorkPass::Rank& own = m_pass.ranks()[rank];
    const std::vector<TimeNs>& tails = m_tails.tails(rank);
    const TimeNs weight = own.tasks.weight[task];
    if (tails[task] + behind(segment) == weight) return nothing;
    Tie tie{.rank = rank, .task = task};
    const auto take = [&tie](const Key& key, std::uint32_t link) {
        if (!(key < tie.best)) return;
        tie.best = key;
        tie.link = link;
    };
    const bool isLast = task + 1 == m_pass.strands()[m_firstStrand[rank] + segment].end;
    if (!isLast && weight + tails[task + 1] == tails[task]) take(keyOf(rank, task + 1, 2), neighbour);
    if (isLast && weight == tails[task]) {
        const auto [key, target] = acrossFrom(rank, task, segment);
        m_targets[m_firstStrand[rank] + segment] = target;
        take(key, across);
    }
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t i = readers.first; i < readers.second; ++i) {
        const WorkPass::Reader& reader = own.readers[i];
        if (!reader.crosses && m_tails.tailOf(reader) + reader.work == tails[task]) candidates.push_back(i);
    }
    if (candidates.empty()) return tie.link;
    if (candidates.size() == 1 && tie.link == nothing) return candidates.front();
    return ask(tie, candidates);
}

// From the last task of a segment: the first task behind the cut that needs it and from which the way on is longest.
std::pair<NearLinks::Key, NearLinks::Target> NearLinks::acrossFrom(std::uint32_t rank, std::uint32_t task,
                                                                   std::uint32_t segment) const
{
    if (segment + 1 >= m_cuts.size()) return {};
    const WorkPass::Rank& own = m_pass.ranks()[rank];
    const FirstTwo& entered = m_cuts[segment + 1].entered;
    Key best = entered.first.rank == m_pass.firstRank() + rank ? entered.second : entered.first;
    const TimeNs longest = m_pass.base(segment + 2, 0) - m_pass.base(segment + 1, 0);
    const bool isOrder = task + 1 < own.tasks.begin.size() && own.segmentOf(task + 1) == segment + 1
                         && m_tails.tails(rank)[task + 1] == longest;
    if (isOrder) best = std::min(best, keyOf(rank, task + 1, 2));
    return {best, {best.rank, best.task}};
}

std::uint32_t NearLinks::ask(Tie tie, const std::vector<std::uint32_t>& candidates)
{
    const WorkPass::Rank& own = m_pass.ranks()[tie.rank];
    for (const std::uint32_t link : candidates) {
        const std::uint32_t process = tie.isBack ? own.slots[link].process : own.readers[link].process;
        const std::uint32_t number = tie.isBack ? own.slots[link].number : own.readers[link].number;
        m_questions[process].push_back({number, tie.isBack});
        m_asked[process].push_back({m_ties.size(), link});
    }
    m_ties.push_back(tie);
    return tie.link;
}

std::optional<NearLinks::Key> NearLinks::answer(int from, const Question& question) const
{
    const std::optional<Place> place = question.isBack ? readerOf(from, question.number)
                                                       : slotOf(from, question.number);
    if (!place) return {};
    const WorkPass::Rank& own = m_pass.ranks()[place->rank];
    if (question.isBack) return keyOf(place->rank, own.readers[place->at].source, 0);
    const WorkPass::Slot& slot = own.slots[place->at];
    return keyOf(place->rank, slot.task, slot.isMessage ? 0 : 1);
}

void NearLinks::askAll()
{
    const auto fields = [](auto use) { return use(&Key::begin, &Key::place, &Key::rank, &Key::task, &Key::edge); };
    std::vector<Payload> asked, answers(m_questions.size());
    for (const std::vector<Question>& questions : m_questions) {
        Packer packer;
        if (!questions.empty()) packer.putTable(questions, &Question::number, &Question::isBack);
        asked.push_back(packer.take());
    }
    m_transport.exchange(NearPassNumber::AskForTies, std::move(asked), [&](int from, const Payload& bytes) {
        Unpacker unpacker(bytes);
        const auto questions = unpacker.table<Question>(&Question::number, &Question::isBack);
        if (!unpacker.isWhole()) return refuse(from);
        std::vector<Key> keys;
        for (const Question& question : questions) {
            const std::optional<Key> key = answer(from, question);
            if (!key) return refuse(from);
            keys.push_back(*key);
        }
        Packer packer;
        fields([&](auto... field) { packer.putTable(keys, field...); });
        answers[static_cast<std::size_t>(from)] = packer.take();
    });
    m_transport.exchange(NearPassNumber::TellTies, std::move(answers), [&](int from, const Payload& bytes) {
        Unpacker unpacker(bytes);
        const auto keys = fields([&](auto... field) { return unpacker.table<Key>(field...); });
        const std::vector<Asked>& own = m_asked[static_cast<std::size_t>(from)];
        if (!unpacker.isWhole() || keys.size() != own.size()) return refuse(from);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            Tie& tie = m_ties[own[i].tie];
            if (!(keys[i] < tie.best)) continue;
            tie.best = keys[i];
            tie.link = own[i].link;
        }
    });
    for (const Tie& tie : m_ties) (tie.isBack ? m_ranks[tie.rank].before : m_ranks[tie.rank].next)[tie.task] = tie.link;
}

// Tells the processes on the other side of links that these are wanted.
void NearLinks::want()
{
    std::vector<std::vector<Question>> wanted(m_slotAt.size());
    for (std::uint32_t rank = 0; rank < m_ranks.size(); ++rank) {
        const WorkPass::Rank& own = m_pass.ranks()[rank];
        for (const std::uint32_t link : m_ranks[rank].before)
            if (link < across && !own.slots[link].crosses)
                wanted[own.slots[link].process].push_back({own.slots[link].number, true});
        for (const std::uint32_t link : m_ranks[rank].next)
            if (link < across) wanted[own.readers[link].process].push_back({own.readers[link].number, false});
    }
    std::vector<Payload> packed;
    for (const std::vector<Question>& own : wanted) {
        Packer packer;
        if (!own.empty()) packer.putTable(own, &Question::number, &Question::isBack);
        packed.push_back(packer.take());
    }
    m_transport.exchange(NearPassNumber::WantValues, std::move(packed), [&](int from, const Payload& bytes) {
        Unpacker unpacker(bytes);
        const auto rows = unpacker.table<Question>(&Question::number, &Question::isBack);
        if (!unpacker.isWhole()) return refuse(from);
        for (const Question& row : rows) {
            const std::optional<Place> place = row.isBack ? readerOf(from, row.number) : slotOf(from, row.number);
            if (!place) return refuse(from);
            if (row.isBack) m_ranks[place->rank].isBefore[place->at] = true;
            else m_ranks[place->rank].isNext[place->at] = true;
        }
    });
}

}  // namespace longpole
