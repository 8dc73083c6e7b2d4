// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the edges into the pieces of code of each rank, ranks in parallel.
#include "core/base/parallel.h"
#include "core/trace/format.h"
#include "importers/mpi/waits.h"

namespace longpole {
namespace {

// Edges that lead back in time: the rank they come from, and by how much.
struct Against {
    std::uint32_t source = 0;
    TimeNs by = 0;
    friend auto operator<=>(const Against&, const Against&) = default;
};

class RankEdges {
public:
    RankEdges(std::span<const MpiRank> ranks, std::uint32_t rank, const MpiMatches& matches, const Progress& progress)
        : m_ranks(ranks), m_self(ranks[rank]), m_rank(rank), m_matches(matches), m_progress(progress)
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
        if (m_progress.isCancelled()) return {};
        report(log);
        return sorted();
    }

private:
    void add(std::uint32_t piece, TimeNs begin, std::uint32_t sourceRank, std::uint32_t source, TimeNs left,
             std::int64_t message = -1, Link link = Link::Collective)
    {
        if (piece == noPiece || source == noPiece) return;
        if (left > begin) {
            m_against.push_back({sourceRank, saturatingSubtract(left, begin)});
            return;
        }
        m_edges.push_back({piece, sourceRank, source, left, message, link});
    }
    // Adds an edge from the begin of a rank's call `from` to the end of this rank's call `to`.
    void addCalls(std::uint32_t to, std::uint32_t sourceRank, std::uint32_t from, std::int64_t message = -1,
                  Link link = Link::Collective)
    {
        const MpiCall& call = m_ranks[sourceRank].calls[from];
        add(m_self.calls[to].after, m_self.calls[to].end, sourceRank, call.piece, call.begin, message, link);
    }
    void addMessage(std::uint32_t to, const MpiPlace& from)
    {
        addCalls(to, from.rank, m_ranks[from.rank].sends[from.index].call, from.index, Link::Message);
    }

    void data(std::uint32_t row)
    {
        const MpiReceive& receive = m_self.receives[row];
        const MpiPlace& from = m_matches.sendOf[m_rank][row];
        if (from.isValid()) addMessage(receive.completion, from);
    }

    // What follows a probe needs the message that it found, as what follows its receive does.
    void probed(std::uint32_t row)
    {
        const MpiPlace& from = m_matches.probeOf[m_rank][row];
        if (from.isValid()) addMessage(m_self.probes[row].call, from);
    }

    // Adds the edge back from the receiver, if the send waited for it.
    void rendezvous(std::uint32_t row)
    {
        const MpiSend& send = m_self.sends[row];
        const MpiPlace& to = m_matches.receiveOf[m_rank][row];
        if (!to.isValid() || to.rank == m_rank || send.completion == noCall || send.isCancelled) return;
        const std::uint32_t post = m_ranks[to.rank].receives[to.index].call;
        const TimeNs posted = m_ranks[to.rank].calls[post].begin;
        const MpiCall& own = m_self.calls[send.completion];
        if (send.isSynchronous || (posted > own.begin && posted < own.end))
            addCalls(send.completion, to.rank, post, -1, Link::Rendezvous);
    }

    const MpiCollectivePart& partOf(const MpiPlace& member) const
    {
        return m_ranks[member.rank].collectives[member.index];
    }
    std::uint32_t callOf(const MpiPlace& member) const { return partOf(member).call; }

    void collective(std::uint32_t row)
    {
        const std::uint32_t number = m_matches.instanceOf[m_rank][row];
        if (number == noInstance || m_matches.instances[number].memberCount < 2) return;
        const MpiInstance& instance = m_matches.instances[number];
        std::uint32_t completion = m_self.collectives[row].completion;
        const bool isRoot = instance.root == static_cast<std::int32_t>(m_rank);
        const bool isReached = m_self.collectives[row].moved.received != 0 || isRoot || instance.isSynchronizing;
        if (!isReached && receivesItsBytes(instance.kind)) completion = noCall;
        switch (instance.kind) {
        case CollectiveKind::Lifetime:
            if (!instance.isSynchronizing) return;
            [[fallthrough]];
        case CollectiveKind::Barrier:
        case CollectiveKind::NToN: allToAll(instance, completion); return;
        case CollectiveKind::OneToN:
            if (isRoot || completion == noCall || instance.rootMember == noMember) return;
            addCalls(completion, member(instance, instance.rootMember).rank,
                     callOf(member(instance, instance.rootMember)));
            return;
        case CollectiveKind::NToOne:
            if (isRoot && completion != noCall) fromMembers(instance, completion, instance.memberCount);
            return;
        case CollectiveKind::Prefix:
            if (completion != noCall) prefix(instance, completion, m_matches.memberOf[m_rank][row]);
            return;
        case CollectiveKind::Neighbours:
            if (completion == noCall) return;
            for (const std::uint32_t source : m_matches.sourceRows(instance, m_matches.memberOf[m_rank][row]))
                fromMember(m_matches.members[source], completion);
            return;
        case CollectiveKind::None:
        case CollectiveKind::Loose: return;
        }
    }

    const MpiPlace& member(const MpiInstance& instance, std::uint32_t position) const
    {
        return m_matches.members[instance.firstMember + position];
    }

    // Adds edges from the first `count` members.
    void fromMembers(const MpiInstance& instance, std::uint32_t completion, std::uint32_t count)
    {
        for (std::uint32_t i = 0; i < count; ++i) {
            const MpiPlace& other = member(instance, i);
            const bool wantsGivers = instance.kind == CollectiveKind::NToOne || waitsForGivers(instance);
            const bool isEmpty = wantsGivers && partOf(other).moved.sent == 0;
            if (!isEmpty) fromMember(other, completion);
        }
    }
    void fromMember(const MpiPlace& other, std::uint32_t completion)
    {
        if (other.rank != m_rank) addCalls(completion, other.rank, callOf(other));
    }
    // Adds edges from all members to all, through the hub of the last one to arrive if it has one: from all into it,
    // and from it to all.
    void allToAll(const MpiInstance& instance, std::uint32_t completion)
    {
        if (waitsForGivers(instance)) {
            if (completion == noCall) return;
            if (instance.memberCount <= mostPairedMembers) fromMembers(instance, completion, instance.memberCount);
            else fromMember(member(instance, instance.latestGiver), completion);
            return;
        }
        const MpiCall& last = m_ranks[instance.latestRank].calls[instance.latestCall];
        const bool isLast = instance.latestRank == m_rank;
        if (last.hub == noPiece) {
            if (completion == noCall) return;
            if (instance.memberCount <= mostPairedMembers) fromMembers(instance, completion, instance.memberCount);
            else if (!isLast) addCalls(completion, instance.latestRank, instance.latestCall);
        } else if (!isLast) {
            if (completion == noCall) return;
            const MpiCall& own = m_self.calls[completion];
            add(own.after, own.end, instance.latestRank, last.hub, last.begin);
        } else {
            for (std::uint32_t i = 0; i < instance.memberCount; ++i) {
                const MpiPlace& other = member(instance, i);
                const MpiCall& call = m_ranks[other.rank].calls[callOf(other)];
                if (other.rank != m_rank) add(last.hub, last.begin, other.rank, call.piece, call.begin);
            }
        }
    }

    void prefix(const MpiInstance& instance, std::uint32_t completion, std::uint32_t row)
    {
        if (instance.memberCount <= mostPairedMembers) {
            fromMembers(instance, completion, row - instance.firstMember);
            return;
        }
        const MpiPlace& latest = m_matches.members[m_matches.latestUpTo[row]];
        if (latest.rank != m_rank) addCalls(completion, latest.rank, callOf(latest));
    }

    // Counts all edges against time, and names the rank from which most of them come and their median: a clock that is
    // off is off for all.
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

    // Sorts the edges, by piece in linear time, as a piece has few edges.
    std::vector<MpiEdge> sorted() const
    {
        std::uint32_t pieces = 0;
        for (const MpiEdge& edge : m_edges) pieces = std::max(pieces, edge.piece + 1);
        std::vector<std::uint32_t> next(pieces + 1, 0);
        for (const MpiEdge& edge : m_edges) ++next[edge.piece + 1];
        for (std::uint32_t i = 0; i < pieces; ++i) next[i + 1] += next[i];
        std::vector<MpiEdge> result(m_edges.size());
        for (const MpiEdge& edge : m_edges) result[next[edge.piece]++] = edge;
        const auto isBefore = [](const MpiEdge& a, const MpiEdge& b) {
            if (a.left != b.left) return a.left > b.left;
            if (a.sourceRank != b.sourceRank) return a.sourceRank < b.sourceRank;
            if (a.message != b.message) return a.message < b.message;
            return a.source < b.source;
        };
        for (std::size_t first = 0; first < result.size() && !m_progress.isCancelled();) {
            std::size_t end = first + 1;
            while (end < result.size() && result[end].piece == result[first].piece) ++end;
            if (end > first + 1) {
                std::sort(result.begin() + static_cast<std::ptrdiff_t>(first),
                          result.begin() + static_cast<std::ptrdiff_t>(end), isBefore);
            }
            first = end;
        }
        return result;
    }

    std::span<const MpiRank> m_ranks;
    const MpiRank& m_self;
    std::uint32_t m_rank;
    const MpiMatches& m_matches;
    const Progress& m_progress;
    std::vector<MpiEdge> m_edges;
    std::vector<Against> m_against;
};

}  // namespace

std::vector<MpiEdge> mpiEdgesOf(std::uint32_t rank, std::span<const MpiRank> ranks, const MpiMatches& matches,
                                ImportLog& log, const Progress& progress)
{
    return RankEdges(ranks, rank, matches, progress).find(log);
}

std::vector<std::vector<MpiEdge>> mpiEdges(std::span<const MpiRank> ranks, const MpiMatches& matches,
                                           std::span<ImportLog> logs, unsigned threads)
{
    std::vector<std::vector<MpiEdge>> edges(ranks.size());
    parallelFor(
        ranks.size(),
        [&](std::size_t rank) {
            edges[rank] = mpiEdgesOf(static_cast<std::uint32_t>(rank), ranks, matches, logs[rank], Progress());
        },
        threads);
    return edges;
}

}  // namespace longpole
