// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/nearpaths/distinctpass.h"

#include "core/base/translate.h"
#include "distributed/exchange/pack.h"

#include <algorithm>
#include <optional>

namespace longpole {
namespace {

constexpr std::uint32_t nowhere = WorkPass::noPlace;

NearPassNumber passOf(bool isBack) { return isBack ? NearPassNumber::TellBefore : NearPassNumber::TellBehind; }

}  // namespace

DistinctPass::DistinctPass(const NearLinks& links)
    : m_links(links), m_pass(links.pass()), m_transport(m_pass.transport()), m_back(m_pass.ranks().size()),
      m_on(m_back.size()), m_known(static_cast<std::size_t>(m_transport.processes())), m_told(m_known.size())
{
    for (std::size_t rank = 0; rank < m_back.size(); ++rank)
        for (Way* const way : {&m_back[rank], &m_on[rank]}) {
            way->time.resize(m_pass.ranks()[rank].tasks.begin.size());
            if (m_pass.segments() > 1) way->end.resize(way->time.size());
        }
}

void DistinctPass::run(const std::vector<std::vector<bool>>& taken)
{
    m_taken = &taken;
    for (const bool isBack : {true, false}) runWay(isBack);
    if (m_transport.failed()) return;
    if (!m_isCrossed) {
        m_leaving = crossings(true);
        m_entering = crossings(false);
        m_isCrossed = true;
    }
    if (!m_transport.failed()) addUp();
}

// What is before a task runs forward.
void DistinctPass::begin(bool isBack)
{
    const std::size_t strands = m_pass.strands().size();
    m_position.resize(strands);
    m_next.resize(strands);
    m_left = 0;
    m_runnable.clear();
    for (std::size_t number = 0; number < strands; ++number) {
        const WorkPass::Strand& strand = m_pass.strands()[number];
        m_position[number] = isBack ? strand.first : strand.end;
        // The work pass has gone through all of it.
        m_next[number] = isBack ? strand.firstReader : strand.nextSlot;
        m_left += strand.end - strand.first;
        m_runnable.push_back(number);
    }
    for (Known& known : m_known) known.time.clear();
    for (const WorkPass::Rank& rank : m_pass.ranks()) {
        const auto makeRoom = [this](std::uint32_t process, std::uint32_t number) {
            std::vector<TimeNs>& time = m_known[process].time;
            if (number >= time.size()) time.resize(number + std::size_t{1}, -1);
        };
        if (isBack)
            for (const WorkPass::Slot& slot : rank.slots) makeRoom(slot.process, slot.number);
        else
            for (const WorkPass::Reader& reader : rank.readers) makeRoom(reader.process, reader.number);
    }
    if (m_pass.segments() > 1)
        for (Known& known : m_known) known.end.assign(known.time.size(), {});
}

void DistinctPass::runWay(bool isBack)
{
    begin(isBack);
    const std::uint16_t pass = passOf(isBack);
    while (!m_transport.failed()) {
        runAll(isBack);
        for (std::size_t to = 0; to < m_told.size(); ++to) {
            if (m_told[to].empty()) continue;
            Packer packer;
            packer.putTable(m_told[to], &Told::number, &Told::time, &Told::rank, &Told::task);
            m_told[to].clear();
            m_transport.send(static_cast<int>(to), pass, packer.take());
        }
        if (m_left == 0) break;
        std::optional<Incoming> come = m_transport.receive(pass, Wait::Yes);
        for (; come; come = m_transport.receive(pass, Wait::No)) take(come->from, come->bytes, isBack);
    }
    m_transport.quiet(pass, [&](int from, const Payload& bytes) { take(from, bytes, isBack); });
}

void DistinctPass::runAll(bool isBack)
{
    while (!m_runnable.empty()) {
        const std::size_t strand = m_runnable.back();
        m_runnable.pop_back();
        if (isBack) forward(strand);
        else backward(strand);
        m_transport.pulse();
    }
}

// Goes on until a value is missing.
void DistinctPass::forward(std::size_t number)
{
    const WorkPass::Strand& strand = m_pass.strands()[number];
    const WorkPass::Rank& rank = m_pass.ranks()[strand.rank];
    const NearLinks::Rank& links = m_links.ranks()[strand.rank];
    Way& way = m_back[strand.rank];
    for (std::size_t& position = m_position[number]; position < strand.end; ++position) {
        const auto task = static_cast<std::uint32_t>(position);
        const std::uint32_t link = links.before[task];
        TimeNs time = 0;
        Target end;
        if (link == NearLinks::neighbour && task > strand.first) {
            time = way.time[task - 1] + ofItsOwn(strand.rank, task - 1, rank.tasks.weight[task - 1]);
            end = way.endOf(task - 1);
        } else if (link == NearLinks::neighbour) {
            end.rank = m_pass.firstRank() + strand.rank;
        } else if (link != NearLinks::nothing && rank.slots[link].crosses) {
            end.rank = rank.slots[link].rank;
        } else if (link != NearLinks::nothing) {
            const Known& known = m_known[rank.slots[link].process];
            const std::uint32_t need = rank.slots[link].number;
            if (known.time[need] < 0) return;
            time = known.time[need];
            if (!known.end.empty()) end = known.end[need];
        }
        way.set(task, time, end);
        --m_left;
        std::size_t& reader = m_next[number];
        for (; reader < rank.readers.size() && rank.readers[reader].source == task; ++reader) {
            if (!links.isBefore[reader]) continue;
            const WorkPass::Reader& one = rank.readers[reader];
            give(one.process, one.number, time + ofItsOwn(strand.rank, task, one.work), end, true);
        }
    }
}

void DistinctPass::backward(std::size_t number)
{
    const WorkPass::Strand& strand = m_pass.strands()[number];
    const WorkPass::Rank& rank = m_pass.ranks()[strand.rank];
    const NearLinks::Rank& links = m_links.ranks()[strand.rank];
    Way& way = m_on[strand.rank];
    for (std::size_t& position = m_position[number]; position > strand.first; --position) {
        const auto task = static_cast<std::uint32_t>(position - 1);
        const std::uint32_t link = links.next[task];
        TimeNs time = ofItsOwn(strand.rank, task, m_links.length(strand.rank, task));
        Target end;
        if (link == NearLinks::neighbour) {
            time += way.time[task + 1];
            end = way.endOf(task + 1);
        } else if (link == NearLinks::across) {
            end = m_links.target(number);
        } else if (link != NearLinks::nothing) {
            const Known& known = m_known[rank.readers[link].process];
            const std::uint32_t need = rank.readers[link].number;
            if (known.time[need] < 0) return;
            time += known.time[need];
            if (!known.end.empty()) end = known.end[need];
        }
        way.set(task, time, end);
        --m_left;
        std::size_t& slot = m_next[number];
        for (; slot > strand.firstSlot && rank.slots[slot - 1].task == task; --slot)
            if (links.isNext[slot - 1])
                give(rank.slots[slot - 1].process, rank.slots[slot - 1].number, time, end, false);
    }
}

void DistinctPass::give(std::uint32_t process, std::uint32_t number, TimeNs time, Target end, bool isBack)
{
    if (static_cast<int>(process) == m_transport.process()) got(m_transport.process(), number, time, end, isBack);
    else m_told[process].push_back({number, time, end.rank, end.task});
}

// False: nobody here has asked for it.
bool DistinctPass::got(int from, std::uint32_t number, TimeNs time, Target end, bool isBack)
{
    const std::optional<NearLinks::Place> place = isBack ? m_links.slotOf(from, number)
                                                         : m_links.readerOf(from, number);
    if (!place || time < 0) return false;
    const WorkPass::Rank& rank = m_pass.ranks()[place->rank];
    Known& known = m_known[static_cast<std::size_t>(from)];
    known.time[number] = time;
    if (!known.end.empty()) known.end[number] = end;
    const std::uint32_t task = isBack ? rank.slots[place->at].task : rank.readers[place->at].source;
    const std::size_t strand = m_links.firstStrand(place->rank) + rank.segmentOf(task);
    // A strand that has not come there, or waits for something else, finds it later.
    if (m_position[strand] == std::size_t{task} + (isBack ? 0 : 1)) m_runnable.push_back(strand);
    return true;
}

void DistinctPass::take(int from, const Payload& bytes, bool isBack)
{
    Unpacker unpacker(bytes);
    const auto rows = unpacker.table<Told>(&Told::number, &Told::time, &Told::rank, &Told::task);
    bool isRight = unpacker.isWhole();
    for (const Told& told : rows)
        isRight = got(from, told.number, told.time, {told.rank, told.task}, isBack) && isRight;
    if (!isRight) m_links.refuse(from);
}

// Those of all hosted tasks' paths, of all processes, each once.
std::vector<DistinctPass::Crossing> DistinctPass::crossings(bool isBack)
{
    std::vector<Crossing> own;
    for (const WorkPass::Strand& strand : m_pass.strands()) {
        const std::vector<Target>& ends = (isBack ? m_back : m_on)[strand.rank].end;
        const auto first = static_cast<std::ptrdiff_t>(own.size());
        if (ends.empty()) continue;
        for (std::size_t task = strand.first; task < strand.end; ++task) {
            if (ends[task].rank == nowhere) continue;
            const Crossing one{isBack ? strand.segment - 1 : strand.segment + 1, ends[task]};
            if (std::ssize(own) != first && own.back() == one) continue;
            own.push_back(one);
            // Along a rank that had nothing to do there.
            const bool isOfRank = isBack && one.at.rank == m_pass.firstRank() + strand.rank;
            for (std::uint32_t at = one.segment; isOfRank && at > 0; --at) {
                const WorkPass::Strand& before = m_pass.strands()[m_links.firstStrand(strand.rank) + at];
                if (before.first != before.end) break;
                own.push_back({at - 1, one.at});
            }
        }
    }
    const auto tidy = [](std::vector<Crossing>& all) {
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
    };
    tidy(own);
    struct Row {
        std::uint32_t segment = 0, rank = 0, task = 0;
    };
    const auto packed = [](const std::vector<Crossing>& all) {
        std::vector<Row> rows;
        rows.reserve(all.size());
        for (const Crossing& one : all) rows.push_back({one.segment, one.at.rank, one.at.task});
        Packer packer;
        packer.putTable(rows, &Row::segment, &Row::rank, &Row::task);
        return packer.take();
    };
    std::vector<Crossing> all;
    const auto unpack = [&](const Payload& bytes, int from) {
        Unpacker unpacker(bytes);
        const auto rows = unpacker.table<Row>(&Row::segment, &Row::rank, &Row::task);
        if (!unpacker.isWhole()) return m_links.refuse(from);
        for (const Row& row : rows) all.push_back({row.segment, {row.rank, row.task}});
    };
    int from = 0;
    for (const Payload& bytes : m_transport.gather(packed(own))) unpack(bytes, from++);
    tidy(all);
    const Payload told = m_transport.broadcast(m_transport.isRoot() ? packed(all) : Payload());
    all.clear();
    if (!m_transport.failed()) unpack(told, 0);
    tidy(all);
    return all;
}

// Of a crossing of a hosted rank; nothing if it is of no hosted task.
std::optional<DistinctPass::Sum> DistinctPass::ownSum(const Crossing& crossing, bool isBack) const
{
    if (!m_pass.hosting().hosts(m_transport.process(), crossing.at.rank) || crossing.segment >= m_pass.segments())
        return {};
    const std::uint32_t rank = crossing.at.rank - m_pass.firstRank();
    const std::size_t number = m_links.firstStrand(rank) + crossing.segment;
    if (number >= m_pass.strands().size() || m_pass.strands()[number].rank != rank) return {};
    const WorkPass::Strand& strand = m_pass.strands()[number];
    if (isBack && strand.first == strand.end) return Sum{0, crossing.at};
    const std::uint32_t task = isBack ? static_cast<std::uint32_t>(strand.end - 1) : crossing.at.task;
    if (task < strand.first || task >= strand.end) return {};
    const Way& way = (isBack ? m_back : m_on)[rank];
    const TimeNs whole = isBack ? ofItsOwn(rank, task, m_pass.ranks()[rank].tasks.weight[task]) : 0;
    return Sum{way.time[task] + whole, way.endOf(task)};
}

// Of each crossing all of the time from there on, however many segments that is.
void DistinctPass::addUp()
{
    const auto fill = [&](const std::vector<Crossing>& crossings, std::vector<Sum>& sums, bool isBack) {
        sums.assign(crossings.size(), {});
        for (std::size_t i = 0; i < crossings.size(); ++i)
            if (const std::optional<Sum> sum = ownSum(crossings[i], isBack)) sums[i] = *sum;
        reduceValues(m_transport, std::span(sums), [](Sum& into, const Sum& from) {
            if (from.time >= 0) into = from;
        });
        if (std::any_of(sums.begin(), sums.end(), [](const Sum& sum) { return sum.time < 0; })) m_links.refuse(0);
    };
    fill(m_leaving, m_leavingSums, true);
    if (!m_transport.failed()) fill(m_entering, m_enteringSums, false);
    if (m_transport.failed()) return;
    for (std::size_t i = 0; i < m_leaving.size(); ++i)
        m_leavingSums[i].time += totalOf(m_leaving[i].segment, m_leavingSums[i].end, true);
    for (std::size_t i = m_entering.size(); i-- > 0;)
        m_enteringSums[i].time += totalOf(m_entering[i].segment, m_enteringSums[i].end, false);
}

const DistinctPass::Sum* DistinctPass::sumOf(const std::vector<Crossing>& crossings, const std::vector<Sum>& sums,
                                             const Crossing& wanted)
{
    const auto found = std::lower_bound(crossings.begin(), crossings.end(), wanted);
    if (found == crossings.end() || *found != wanted) return nullptr;
    return &sums[static_cast<std::size_t>(found - crossings.begin())];
}

// From where a way leaves that segment.
TimeNs DistinctPass::totalOf(std::uint32_t segment, Target end, bool isBack) const
{
    if (end.rank == nowhere) return 0;
    const Sum* const sum = isBack ? sumOf(m_leaving, m_leavingSums, {segment - 1, end})
                                  : sumOf(m_entering, m_enteringSums, {segment + 1, end});
    return sum != nullptr ? sum->time : 0;
}

TimeNs DistinctPass::distinct(std::uint32_t rank, std::uint32_t task, std::uint32_t segment) const
{
    return m_back[rank].time[task] + m_on[rank].time[task] + totalOf(segment, m_back[rank].endOf(task), true)
           + totalOf(segment, m_on[rank].endOf(task), false);
}

DistinctPass::Ways DistinctPass::ways(std::uint32_t segment, Target entry, Target exit) const
{
    Ways ways;
    for (std::uint32_t at = segment; entry.rank != nowhere && at > 0;) {
        const Crossing one{--at, entry};
        const Sum* const sum = sumOf(m_leaving, m_leavingSums, one);
        if (sum == nullptr) break;
        ways.back.push_back(one);
        entry = sum->end;
    }
    for (std::uint32_t at = segment; exit.rank != nowhere;) {
        const Crossing one{++at, exit};
        const Sum* const sum = sumOf(m_entering, m_enteringSums, one);
        if (sum == nullptr) break;
        ways.on.push_back(one);
        exit = sum->end;
    }
    return ways;
}

}  // namespace longpole
