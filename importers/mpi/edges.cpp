// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the edges into the pieces of code of a rank.
#include "core/trace/format.h"
#include "importers/mpi/waits.h"

namespace longpole {
namespace {

// Edges that would lead back in time: from which rank, and by how much.
struct Against {
    std::uint32_t source = 0;
    TimeNs by = 0;
    friend auto operator<=>(const Against&, const Against&) = default;
};

class RankEdges {
public:
    RankEdges(std::uint32_t rank, const MpiRank& self, const MpiPartners& partners, const Progress& progress)
        : m_self(self), m_rank(rank), m_partners(partners), m_progress(progress)
    {
    }

    std::vector<MpiEdge> find(ImportLog& log)
    {
        m_edges.reserve(m_self.receives.size() + m_self.collectives.size());
        const auto each = [this](std::size_t count, const auto& of) {
            for (std::uint32_t i = 0; i < count && !m_progress.isCancelled(); ++i) of(i);
        };
        each(m_self.receives.size(), [this](std::uint32_t i) { data(i); });
        each(m_self.probes.size(), [this](std::uint32_t i) { probed(i); });
        each(m_self.sends.size(), [this](std::uint32_t i) { rendezvous(i); });
        each(m_self.collectives.size(), [this](std::uint32_t i) { collective(i); });
        for (const WindowMeeting& meeting : m_partners.windowsOf(m_rank).meetings) window(meeting);
        if (m_progress.isCancelled()) return {};
        report(log);
        return sorted();
    }

private:
    // Whether an edge into a piece is possible. One that leads back in time is counted instead of being added.
    bool canBe(std::uint32_t piece, TimeNs begin, std::uint32_t source, const MpiPartner& from)
    {
        if (piece == noPiece || source == noPiece) return false;
        if (from.begin > begin) m_against.push_back({from.rank, saturatingSubtract(from.begin, begin)});
        return from.begin <= begin;
    }
    void add(std::uint32_t piece, TimeNs begin, const MpiPartner& from, std::int64_t message, Link link)
    {
        if (!canBe(piece, begin, from.piece, from)) return;
        const TimeNs sourceBegin = m_partners.pieceBegin(from);
        m_edges.push_back({piece, from.rank, from.piece, from.begin, sourceBegin, message, link});
    }
    // Adds an edge out of the hub of the last member of a collective call.
    void addFromHub(std::uint32_t piece, TimeNs begin, const MpiPartner& last)
    {
        if (canBe(piece, begin, last.hub, last))
            m_edges.push_back({piece, last.rank, last.hub, last.begin, last.begin, -1, Link::Collective});
    }
    // Adds an edge from the begin of a partner's call to the end of this rank's call `to`.
    void addCalls(std::uint32_t to, const MpiPartner& from, std::int64_t message = -1, Link link = Link::Collective)
    {
        add(m_self.calls[to].after, m_self.calls[to].end, from, message, link);
    }
    void addMessage(std::uint32_t to, const MpiPartner& from) { addCalls(to, from, from.row, Link::Message); }

    void data(std::uint32_t row)
    {
        const MpiReceive& receive = m_self.receives[row];
        const MpiPartner from = m_partners.senderOf(m_rank, row);
        if (from.isValid()) addMessage(receive.completion, from);
    }

    // What follows a probe needs the message that it found, as what follows its receive does.
    void probed(std::uint32_t row)
    {
        const MpiPartner from = m_partners.probedBy(m_rank, row);
        if (from.isValid()) addMessage(m_self.probes[row].call, from);
    }

    // If the send waited for its receiver, adds an edge from the receiver back to the sender.
    void rendezvous(std::uint32_t row)
    {
        const MpiSend& send = m_self.sends[row];
        const MpiPartner to = m_partners.receiverOf(m_rank, row);
        if (!to.isValid() || to.rank == m_rank || send.completion == noCall || send.isCancelled) return;
        const MpiCall& own = m_self.calls[send.completion];
        if (send.isSynchronous || (to.begin > own.begin && to.begin < own.end))
            addCalls(send.completion, to, -1, Link::Rendezvous);
    }

    // What follows MPI_Win_wait needs the accesses that came before the other's MPI_Win_complete; for posts and locks
    // a call waits as a send waits for its receiver.
    void window(const WindowMeeting& meeting)
    {
        addCalls(meeting.call, m_partners.windowPartner(meeting), -1,
                 meeting.pattern == WaitPattern::EarlyWait ? Link::Collective : Link::Rendezvous);
    }

    void collective(std::uint32_t row)
    {
        const MpiInstance* const known = m_partners.instanceOf(m_rank, row);
        if (known == nullptr || known->memberCount < 2) return;
        const MpiInstance& instance = *known;
        std::uint32_t completion = m_self.collectives[row].completion;
        const bool isRoot = instance.root == static_cast<std::int32_t>(m_rank);
        const bool isReached = m_self.collectives[row].moved.received != 0 || isRoot || instance.isSynchronizing;
        if (!isReached && receivesItsBytes(instance.kind)) completion = noCall;
        switch (instance.kind) {
        case CollectiveKind::Lifetime:
            if (!instance.isSynchronizing) return;
            [[fallthrough]];
        case CollectiveKind::Barrier:
        case CollectiveKind::NToN: allToAll(instance, completion, m_self.collectives[row].call); return;
        case CollectiveKind::OneToN:
            if (isRoot || completion == noCall || instance.rootMember == noMember) return;
            addCalls(completion, m_partners.member(instance, instance.rootMember));
            return;
        case CollectiveKind::NToOne:
            if (isRoot && completion != noCall) fromMembers(instance, completion, instance.memberCount);
            return;
        case CollectiveKind::Prefix:
            if (completion != noCall) prefix(instance, completion, row);
            return;
        case CollectiveKind::Neighbours:
            if (completion != noCall && instance.pairing != Pairing::None)
                fromSources(instance, completion, m_partners.sourcesOf(m_rank, row));
            return;
        case CollectiveKind::None:
        case CollectiveKind::Loose: return;
        }
    }

    static bool isPaired(const MpiInstance& instance)
    {
        return instance.memberCount <= mostPairedMembers && instance.pairing == Pairing::Each;
    }
    // Adds edges from the first `count` members.
    void fromMembers(const MpiInstance& instance, std::uint32_t completion, std::uint32_t count)
    {
        for (std::uint32_t i = 0; i < count; ++i) {
            const MpiPartner other = m_partners.member(instance, i);
            const bool wantsGivers = instance.kind == CollectiveKind::NToOne || waitsForGivers(instance);
            const bool isEmpty = wantsGivers && other.bytes == 0;
            if (!isEmpty) fromMember(other, completion);
        }
    }
    void fromSources(const MpiInstance& instance, std::uint32_t completion, const std::vector<std::uint32_t>& sources)
    {
        if (sources.size() <= mostPairedMembers && instance.pairing == Pairing::Each) {
            for (const std::uint32_t source : sources) fromMember(m_partners.member(instance, source), completion);
            return;
        }
        MpiPartner latest;
        for (const std::uint32_t source : sources) {
            const MpiPartner other = m_partners.member(instance, source);
            if (!latest.isValid() || other.begin > latest.begin) latest = other;
        }
        if (latest.isValid()) fromMember(latest, completion);
    }
    void fromMember(const MpiPartner& other, std::uint32_t completion)
    {
        if (other.rank != m_rank) addCalls(completion, other);
    }
    // Adds edges from all members to all, through the hub of the last one to arrive if it has one: from all into it,
    // and from it to all. `call`: this rank's.
    void allToAll(const MpiInstance& instance, std::uint32_t completion, std::uint32_t call)
    {
        if (waitsForGivers(instance)) {
            if (completion == noCall) return;
            if (isPaired(instance)) fromMembers(instance, completion, instance.memberCount);
            else fromMember(m_partners.member(instance, instance.latestGiver), completion);
            return;
        }
        const MpiPartner last = m_partners.lastOf(instance);
        const bool isLast = instance.latestRank == m_rank;
        if (last.hub == noPiece) {
            if (completion == noCall) return;
            if (isPaired(instance)) fromMembers(instance, completion, instance.memberCount);
            else if (!isLast) addCalls(completion, last);
        } else if (!isLast) {
            if (completion == noCall) return;
            const MpiCall& own = m_self.calls[completion];
            addFromHub(own.after, own.end, last);
        } else {
            const MpiCall& own = m_self.calls[call];  // not what others say of it
            for (std::uint32_t i = 0; i < instance.memberCount; ++i) {
                const MpiPartner other = m_partners.member(instance, i);
                if (other.rank != m_rank) add(own.hub, own.begin, other, -1, Link::Collective);
            }
        }
    }

    void prefix(const MpiInstance& instance, std::uint32_t completion, std::uint32_t row)
    {
        if (isPaired(instance)) {
            fromMembers(instance, completion, m_partners.positionOf(m_rank, row));
            return;
        }
        fromMember(m_partners.lastUpTo(m_rank, row), completion);
    }

    // Reports how many edges lead back in time, the rank from which most of them come, and their median: a clock that
    // is wrong is wrong for all edges of its rank.
    void report(ImportLog& log)
    {
        if (m_against.empty()) return;
        std::sort(m_against.begin(), m_against.end());
        std::span<const Against> most;
        for (std::size_t first = 0; first < m_against.size();) {
            std::size_t end = first + 1;
            while (end < m_against.size() && m_against[end].source == m_against[first].source) ++end;
            if (end - first > most.size()) most = std::span(m_against).subspan(first, end - first);
            first = end;
        }
        log.addAt(IssueKind::NegativeLatency,
                  QStringLiteral("%1 from rank %2 to rank %3, by %4 at the median")
                      .arg(formatCount(static_cast<std::int64_t>(most.size())), QString::number(most.front().source),
                           QString::number(m_rank), formatTime(most[most.size() / 2].by)),
                  static_cast<std::int64_t>(m_against.size()));
    }

    // Sorts the edges. O(n): they are dealt out to their pieces first, and a piece has few edges.
    std::vector<MpiEdge> sorted() const
    {
        if (m_edges.empty()) return {};
        std::uint32_t first = noPiece, last = 0;
        for (const MpiEdge& edge : m_edges) {
            first = std::min(first, edge.piece);
            last = std::max(last, edge.piece);
        }
        std::vector<std::uint32_t> next(std::size_t{last} - first + 2, 0);
        for (const MpiEdge& edge : m_edges) ++next[edge.piece - first + 1];
        for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
        std::vector<MpiEdge> result(m_edges.size());
        for (const MpiEdge& edge : m_edges) result[next[edge.piece - first]++] = edge;
        const auto isBefore = [](const MpiEdge& a, const MpiEdge& b) {
            if (a.left != b.left) return a.left > b.left;
            if (a.sourceRank != b.sourceRank) return a.sourceRank < b.sourceRank;
            if (a.message != b.message) return a.message < b.message;
            return a.source < b.source;
        };
        for (std::size_t begin = 0; begin < result.size() && !m_progress.isCancelled();) {
            std::size_t end = begin + 1;
            while (end < result.size() && result[end].piece == result[begin].piece) ++end;
            if (end > begin + 1) {
                std::sort(result.begin() + static_cast<std::ptrdiff_t>(begin),
                          result.begin() + static_cast<std::ptrdiff_t>(end), isBefore);
            }
            begin = end;
        }
        return result;
    }

    const MpiRank& m_self;
    std::uint32_t m_rank;
    const MpiPartners& m_partners;
    const Progress& m_progress;
    std::vector<MpiEdge> m_edges;
    std::vector<Against> m_against;
};

}  // namespace

std::vector<MpiEdge> mpiEdgesOf(std::uint32_t rank, const MpiRank& self, const MpiPartners& partners, ImportLog& log,
                                const Progress& progress)
{
    return RankEdges(rank, self, partners, progress).find(log);
}

}  // namespace longpole
