// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/hostedslack.h"

#include "core/base/translate.h"
#include "distributed/exchange/pack.h"
#include "distributed/transport/cancelled.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

constexpr TimeNs isUnknown = minTime;  // a tail that has yet to come

// The longest way from the begin of a task on that another process told, for a reader of it.
struct ToldTail {
    std::uint32_t number = 0;
    TimeNs tail = 0;
};

// A task by its slack; of those with the same slack the graph has them in this order.
struct RankedSlack {
    TimeNs slack = maxTime;
    TimeNs begin = maxTime;
    std::uint32_t place = WorkPass::noPlace;
    std::uint32_t rank = WorkPass::noPlace, task = WorkPass::noPlace;
    std::uint32_t entry = 0;
    TimeNs end = 0;
    friend bool operator<(const RankedSlack& a, const RankedSlack& b)
    {
        return std::tie(a.slack, a.begin, a.place, a.rank, a.task)
               < std::tie(b.slack, b.begin, b.place, b.rank, b.task);
    }
};

// The first ones of many.
class LeastSlack {
public:
    explicit LeastSlack(std::size_t most) : m_most(most) {}
    // Whether one with so much slack may be among them.
    bool isOpenFor(TimeNs slack) const { return m_rows.size() < m_most || slack <= m_bound.slack; }
    void add(const RankedSlack& one)
    {
        if (m_rows.size() >= m_most && !(one < m_bound)) return;
        m_rows.push_back(one);
        if (m_rows.size() >= 2 * m_most + 64) cut();
    }
    std::vector<RankedSlack> take()
    {
        cut();
        std::sort(m_rows.begin(), m_rows.end());
        m_rows.resize(m_most);
        return std::move(m_rows);
    }

private:
    void cut()
    {
        if (m_rows.size() <= m_most) return;
        std::nth_element(m_rows.begin(), m_rows.begin() + static_cast<std::ptrdiff_t>(m_most), m_rows.end());
        m_rows.resize(m_most);
        m_bound = m_rows.empty() ? RankedSlack{} : *std::max_element(m_rows.begin(), m_rows.end());
    }

    std::size_t m_most;
    std::vector<RankedSlack> m_rows;
    RankedSlack m_bound;  // none of the first ones comes behind it; once there are enough
};

// Tails of all hosted tasks: from the begin of the task to the end of its segment.
class TailPass {
public:
    explicit TailPass(const WorkPass& pass)
        : m_pass(pass), m_transport(pass.transport()), m_told(static_cast<std::size_t>(m_transport.processes())),
          m_values(m_told.size()), m_readAt(m_told.size())
    {
    }

    void run()
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

    // Of a hosted rank, by task.
    const std::vector<TimeNs>& tails(std::size_t rank) const { return m_tails[rank]; }

private:
    struct Place {  // where a strand has come to, from its end
        std::size_t position = 0, nextSlot = 0, nextReader = 0;
        TimeNs tail = 0;     // of the task behind it
        TimeNs ownTail = 0;  // of the task before it, as far as its readers have told
    };
    struct ReadAt {
        std::uint32_t strand = 0;
        std::uint32_t source = WorkPass::noPlace;
    };

    void prepare()
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
    void noteReaders(std::span<const WorkPass::Reader> readers, std::uint32_t first, std::uint32_t last)
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

    void runAll()
    {
        while (!m_runnable.empty()) {
            const std::uint32_t number = m_runnable.back();
            m_runnable.pop_back();
            runBack(m_pass.strands()[number], m_places[number]);
            m_transport.pulse();
        }
    }

    // Goes back until a tail is missing.
    void runBack(const WorkPass::Strand& strand, Place& place)
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

    void give(const WorkPass::Slot& slot, TimeNs tail)
    {
        if (static_cast<int>(slot.process) == m_transport.process()) got(slot.process, slot.number, tail);
        else m_told[slot.process].push_back({slot.number, tail});
    }

    // False: nobody here is read so.
    bool got(std::size_t process, std::uint32_t number, TimeNs tail)
    {
        if (number >= m_values[process].size()) return false;
        const ReadAt& at = m_readAt[process][number];
        if (at.source == WorkPass::noPlace) return false;
        m_values[process][number] = tail;
        // A strand that has not come back there, or waits for something else, finds it later.
        if (m_places[at.strand].position == std::size_t{at.source} + 1) m_runnable.push_back(at.strand);
        return true;
    }

    static Payload pack(std::vector<ToldTail>& told)
    {
        Packer packer;
        packer.putTable(told, &ToldTail::number, &ToldTail::tail);
        told.clear();
        return packer.take();
    }

    void note(int from, const Payload& bytes)
    {
        Unpacker unpacker(bytes);
        const auto rows = unpacker.table<ToldTail>(&ToldTail::number, &ToldTail::tail);
        bool isRight = unpacker.isWhole();
        for (const ToldTail& told : rows)
            isRight = got(static_cast<std::size_t>(from), told.number, told.tail) && isRight;
        if (!isRight)
            m_transport.fail({tr("Process %1 told process %2 what cannot be.").arg(from).arg(m_transport.process()),
                              QString(), QString()});
    }

    const WorkPass& m_pass;
    Transport& m_transport;
    std::vector<std::vector<ToldTail>> m_told;  // by process: to be sent
    std::vector<std::vector<TimeNs>> m_values;  // by process and its number of the need
    std::vector<std::vector<ReadAt>> m_readAt;  // likewise
    std::vector<std::vector<TimeNs>> m_tails;
    std::vector<Place> m_places;  // by strand
    std::vector<std::uint32_t> m_runnable;
    std::uint64_t m_left = 0;
};

struct SlackCounts {
    std::int64_t tasks = 0, without = 0;
};

// Heads once more, from the values that the forward pass has left behind, with the tails.
void addRank(const WorkPass& pass, std::size_t local, const std::vector<TimeNs>& tails, LeastSlack& least,
             SlackCounts& counts)
{
    const WorkPass::Rank& rank = pass.ranks()[local];
    const TimeNs length = pass.length(0);
    auto slot = rank.slots.begin();
    TimeNs before = 0;  // the longest work up to the end of the task before
    const std::vector<std::uint32_t>& cuts = rank.tasks.cuts;
    std::uint32_t segment = 0;
    for (std::uint32_t task = 0; task < rank.tasks.begin.size(); ++task) {
        while (segment < cuts.size() && cuts[segment] <= task) ++segment;
        TimeNs head = before;
        for (; slot != rank.slots.end() && slot->task == task; ++slot)
            head = std::max(head, pass.valueOf(*slot, segment, 0));
        before = head + rank.tasks.weight[task];
        const TimeNs behind = length - pass.base(segment + 1, 0);
        const TimeNs slack = length - head - tails[task] - behind;
        ++counts.tasks;
        if (slack == 0) ++counts.without;
        if (!least.isOpenFor(slack)) continue;
        const auto number = static_cast<std::uint32_t>(local) + pass.firstRank();
        least.add({slack, rank.tasks.begin[task], pass.placeOf(number, task), number, task, rank.tasks.entry[task],
                   rank.tasks.begin[task] + rank.tasks.duration[task]});
    }
}

}  // namespace

Result<HostedSlack> hostedSlack(const WorkPass& pass, std::size_t most, const Progress& progress)
{
    Transport& transport = pass.transport();
    TailPass tails(pass);
    tails.run();
    LeastSlack least(most);
    SlackCounts counts;
    for (std::size_t rank = 0; rank < pass.ranks().size() && !transport.failed(); ++rank)
        addRank(pass, rank, tails.tails(rank), least, counts);
    failIfCancelled(transport, progress);
    counts = reduceOne(transport, counts, [](SlackCounts& into, const SlackCounts& from) {
        into.tasks += from.tasks;
        into.without += from.without;
    });
    std::vector<RankedSlack> rows = least.take();
    const auto first = [most](std::byte* into, const std::byte* from, std::size_t lists) {
        std::vector<RankedSlack> both(2 * most);
        for (std::size_t list = 0; list < lists; ++list) {
            const std::size_t bytes = most * sizeof(RankedSlack);
            std::memcpy(both.data(), into + list * bytes, bytes);
            std::memcpy(both.data() + most, from + list * bytes, bytes);
            std::inplace_merge(both.begin(), both.begin() + static_cast<std::ptrdiff_t>(most), both.end());
            std::memcpy(into + list * bytes, both.data(), bytes);
        }
    };
    if (most > 0)
        transport.reduce(std::as_writable_bytes(std::span(rows)), most * sizeof(RankedSlack), first, Receiver::Root);
    if (transport.failed()) return transport.failure();
    if (!transport.isRoot()) return HostedSlack{};
    HostedSlack found{pass.length(0), counts.tasks, counts.without, {}};
    for (const RankedSlack& row : rows)
        if (row.rank != WorkPass::noPlace)
            found.least.push_back(
                {{ProcessorId{row.rank}, row.task}, EntryId{row.entry}, row.begin, row.end, row.slack});
    return found;
}

}  // namespace longpole
