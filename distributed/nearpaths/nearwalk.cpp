// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/nearpaths/nearwalk.h"

#include "distributed/transport/records.h"

#include <map>
#include <optional>
#include <utility>

namespace longpole {
namespace {

struct NearMessage {
    enum Kind : std::uint32_t {
        Back,   // to the host of a task: the walk comes into it, over the need with that number
        On,     // to the host of a task that needs a hosted one: likewise, forward
        Into,   // to the host of the task in which a path enters a segment: it comes from that rank
        Ended,  // to process 0: a walk has come to the end of its segment
        Finish  // to all: the path is known
    };
    Kind kind = Back;
    std::uint32_t segment = 0;
    std::uint32_t number = 0;
    std::uint32_t rank = 0, task = 0, from = 0;
    std::int64_t step = 0;
};

class NearWalk {
public:
    NearWalk(const NearLinks& links, const NearStart& start)
        : m_links(links), m_pass(links.pass()), m_transport(m_pass.transport()), m_start(start),
          m_toSend(static_cast<std::size_t>(m_transport.processes())),
          m_open(2 + start.ways.back.size() + start.ways.on.size())
    {
    }

    std::vector<NearHop> along()
    {
        beginAll();
        while (!m_transport.failed()) {
            takeOwn();
            for (std::size_t to = 0; to < m_toSend.size(); ++to)
                if (!m_toSend[to].empty())
                    m_transport.send(static_cast<int>(to), NearPassNumber::WalkNear,
                                     std::exchange(m_toSend[to], Payload()));
            if (m_isFinished) break;
            std::optional<Incoming> come = m_transport.receive(NearPassNumber::WalkNear, Wait::Yes);
            for (; come; come = m_transport.receive(NearPassNumber::WalkNear, Wait::No))
                takeAll(come->from, come->bytes);
        }
        m_transport.quiet(NearPassNumber::WalkNear, [this](int from, const Payload& bytes) { takeAll(from, bytes); });
        return std::move(m_hops);
    }

private:
    struct At {
        std::uint32_t segment = 0;
        std::uint32_t rank = 0, task = 0;  // rank: among the hosted
        std::int64_t step = 0;
    };

    const WorkPass::Rank& rankOf(const At& at) const { return m_pass.ranks()[at.rank]; }
    const WorkPass::Strand& strandOf(const At& at) const
    {
        return m_pass.strands()[m_links.firstStrand(at.rank) + at.segment];
    }

    // Where this process has a task of a segment; nothing if it does not host the rank.
    std::optional<At> hosted(std::uint32_t segment, std::uint32_t rank) const
    {
        if (!m_pass.hosting().hosts(m_transport.process(), rank)) return {};
        if (segment > m_pass.ranks()[rank - m_pass.firstRank()].tasks.cuts.size()) return {};
        return At{.segment = segment, .rank = rank - m_pass.firstRank()};
    }
    // Where a path begins or enters a segment; what another process says of it may not be.
    bool isThere(const At& at)
    {
        const bool isIn = at.task >= strandOf(at).first && at.task < strandOf(at).end;
        if (!isIn) m_links.refuse(0);
        return isIn;
    }

    void beginAll()
    {
        if (std::optional<At> at = hosted(m_start.segment, m_start.at.rank)) {
            at->task = m_start.at.task;
            if (!isThere(*at)) return;
            back(*at, m_links.length(at->rank, at->task));
            on(*at);
        }
        for (const DistinctPass::Crossing& crossing : m_start.ways.back) {
            std::optional<At> at = hosted(crossing.segment, crossing.at.rank);
            if (!at) continue;
            if (strandOf(*at).first == strandOf(*at).end) {  // along a rank that had nothing to do there
                ended();
                continue;
            }
            at->task = static_cast<std::uint32_t>(strandOf(*at).end - 1);
            back(*at, rankOf(*at).tasks.weight[at->task]);
        }
        for (const DistinctPass::Crossing& crossing : m_start.ways.on) {
            std::optional<At> at = hosted(crossing.segment, crossing.at.rank);
            if (!at) continue;
            at->task = crossing.at.task;
            if (!isThere(*at)) return;
            m_entered[at->segment] = m_hops.size();
            write(*at, PathEdge::Order, false);  // until it is told where the path comes from
            on(*at);
        }
    }

    void write(const At& at, PathEdge edge, bool isDoubtful)
    {
        m_hops.push_back({at.segment, at.step, at.rank, at.task, m_links.length(at.rank, at.task), edge, isDoubtful});
    }

    static PathEdge edgeOf(const WorkPass::Slot& slot)
    {
        return slot.isMessage ? PathEdge::Message : PathEdge::RecordedMerge;
    }

    // `length`: of the task, on the path.
    void back(At at, TimeNs length)
    {
        while (!m_transport.failed()) {
            const WorkPass::Rank& rank = rankOf(at);
            const std::uint32_t link = m_links.ranks()[at.rank].before[at.task];
            NearHop hop{at.segment, at.step, at.rank, at.task, length};
            if (link >= NearLinks::across) {
                if (link == NearLinks::neighbour) hop.edge = PathEdge::Order;
                m_hops.push_back(hop);
                if (link != NearLinks::neighbour || at.task == strandOf(at).first) return ended();
                --at.task;
                --at.step;
                length = rank.tasks.weight[at.task];
                continue;
            }
            const WorkPass::Slot& slot = rank.slots[link];
            hop.edge = edgeOf(slot);
            hop.isDoubtful = slot.isDoubtful();
            m_hops.push_back(hop);
            if (slot.crosses) return ended();
            const NearMessage next{.kind = NearMessage::Back,
                                   .segment = at.segment,
                                   .number = slot.number,
                                   .step = at.step - 1};
            return send(static_cast<int>(slot.process), next);
        }
    }

    // From a task that is written.
    void on(At at)
    {
        while (!m_transport.failed()) {
            const std::uint32_t link = m_links.ranks()[at.rank].next[at.task];
            if (link == NearLinks::nothing) return ended();
            if (link == NearLinks::across) {
                const NearLinks::Target target = m_links.target(m_links.firstStrand(at.rank) + at.segment);
                if (target.rank == WorkPass::noPlace) return m_links.refuse(m_transport.process());
                return send(m_pass.hosting().hostOf(target.rank), {.kind = NearMessage::Into,
                                                                   .segment = at.segment + 1,
                                                                   .rank = target.rank,
                                                                   .task = target.task,
                                                                   .from = m_pass.firstRank() + at.rank});
            }
            ++at.step;
            if (link != NearLinks::neighbour) {
                const WorkPass::Reader& reader = rankOf(at).readers[link];
                return send(static_cast<int>(reader.process),
                            {.kind = NearMessage::On, .segment = at.segment, .number = reader.number, .step = at.step});
            }
            ++at.task;
            write(at, PathEdge::Order, false);
        }
    }

    void cameBack(const NearMessage& message, int from)
    {
        const std::optional<NearLinks::Place> place = m_links.readerOf(from, message.number);
        if (!place) return m_links.refuse(from);
        const WorkPass::Reader& reader = m_pass.ranks()[place->rank].readers[place->at];
        if (m_pass.ranks()[place->rank].segmentOf(reader.source) != message.segment) return m_links.refuse(from);
        back({message.segment, place->rank, reader.source, message.step}, reader.work);
    }

    void cameOn(const NearMessage& message, int from)
    {
        const std::optional<NearLinks::Place> place = m_links.slotOf(from, message.number);
        if (!place) return m_links.refuse(from);
        const WorkPass::Slot& slot = m_pass.ranks()[place->rank].slots[place->at];
        if (m_pass.ranks()[place->rank].segmentOf(slot.task) != message.segment) return m_links.refuse(from);
        const At at{message.segment, place->rank, slot.task, message.step};
        write(at, edgeOf(slot), slot.isDoubtful());
        on(at);
    }

    // By which edge the path comes into the first task of a segment: over the message rather than a merge.
    void cameInto(const NearMessage& message, int from)
    {
        const std::optional<At> at = hosted(message.segment, message.rank);
        const auto entered = m_entered.find(message.segment);
        if (!at || entered == m_entered.end()) return m_links.refuse(from);
        NearHop& hop = m_hops[entered->second];
        if (hop.rank != at->rank || hop.task != message.task) return m_links.refuse(from);
        const WorkPass::Slot* found = nullptr;
        for (const WorkPass::Slot& slot : rankOf(*at).slotsOf(message.task))
            if (slot.crosses && slot.rank == message.from && (found == nullptr || slot.isMessage)) found = &slot;
        if (found == nullptr && message.from != message.rank) return m_links.refuse(from);
        if (found != nullptr) {
            hop.edge = edgeOf(*found);
            hop.isDoubtful = found->isDoubtful();
        }
        ended();
    }

    void ended() { send(0, {.kind = NearMessage::Ended}); }

    void send(int to, const NearMessage& message)
    {
        if (to == m_transport.process()) m_own.push_back(message);
        else appendRecord(m_toSend[static_cast<std::size_t>(to)], message);
    }

    void takeOwn()
    {
        while (!m_own.empty() && !m_transport.failed()) {
            const NearMessage message = m_own.back();
            m_own.pop_back();
            take(message, m_transport.process());
            m_transport.pulse();
        }
    }

    void takeAll(int from, const Payload& bytes)
    {
        forEachRecord<NearMessage>(m_transport, bytes, [&](const NearMessage& message) { take(message, from); });
    }

    void take(const NearMessage& message, int from)
    {
        switch (message.kind) {
        case NearMessage::Back: return cameBack(message, from);
        case NearMessage::On: return cameOn(message, from);
        case NearMessage::Into: return cameInto(message, from);
        case NearMessage::Ended:
            if (--m_open > 0) return;
            for (int to = 1; to < m_transport.processes(); ++to) send(to, {.kind = NearMessage::Finish});
            m_isFinished = true;
            return;
        case NearMessage::Finish: m_isFinished = true; return;
        }
    }

    const NearLinks& m_links;
    const WorkPass& m_pass;
    Transport& m_transport;
    const NearStart& m_start;
    std::vector<NearHop> m_hops;
    std::map<std::uint32_t, std::size_t> m_entered;  // by segment: the hop in which the path enters it
    std::vector<NearMessage> m_own;
    std::vector<Payload> m_toSend;  // by process
    std::size_t m_open;             // at process 0: walks that have not ended
    bool m_isFinished = false;
};

}  // namespace

std::vector<NearHop> nearPath(const NearLinks& links, const NearStart& start) { return NearWalk(links, start).along(); }

}  // namespace longpole
