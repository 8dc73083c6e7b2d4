// SPDX-License-Identifier: GPL-3.0-or-later
// Wait states, rank by rank in parallel: each rank looks at the partners of its own calls.
#include "importers/mpi/waits.h"

#include "core/base/parallel.h"
#include "importers/mpi/polling.h"

#include <array>
#include <map>
#include <numeric>

namespace longpole {
namespace {

constexpr std::uint32_t noCulprit = 0xffffffffu;

TimeNs spanOf(TimeNs from, TimeNs to) { return TimeRange{from, to}.length(); }

// What a call's name says about the requests that it completes.
struct Completion {
    bool isTest = false;
    bool isWait = false;
    bool isQuickProbe = false;
};

std::vector<Completion> completionsOf(const MpiRunNames& names)
{
    std::vector<Completion> completions;
    for (const MpiRegion& region : names.regions) {
        const qsizetype start = region.name.startsWith(u'P', Qt::CaseInsensitive) ? 1 : 0;
        const QStringView name = QStringView(region.name).mid(start);
        completions.push_back({name.startsWith(QLatin1String("MPI_Test"), Qt::CaseInsensitive),
                               name.startsWith(QLatin1String("MPI_Wait"), Qt::CaseInsensitive),
                               name.startsWith(QLatin1String("MPI_Iprobe"), Qt::CaseInsensitive)
                                   || name.startsWith(QLatin1String("MPI_Improbe"), Qt::CaseInsensitive)});
    }
    return completions;
}

// The last calls that waited for a late sender, of one thread: threads do not order what each of them posts. A message
// that is received after such a call though it was sent before the message the call waited for came in wrong order.
class RecentLateSenders {
public:
    // A message was received: found(call, flag) for each earlier call that waited for one sent later; once per call.
    template <typename Found>
    void received(TimeNs sent, std::uint32_t source, const Found& found)
    {
        if (sent >= m_latestSent) return;
        m_latestSent = minTime;
        for (Instance& instance : m_instances) {
            if (sent < instance.sent) {
                found(instance.call, instance.source == source ? MpiCallFlag::WrongOrderSameSource
                                                               : MpiCallFlag::WrongOrderDifferentSource);
                instance.sent = minTime;
            }
            m_latestSent = std::max(m_latestSent, instance.sent);
        }
    }
    void add(std::uint32_t call, TimeNs sent, std::uint32_t source)
    {
        m_instances[m_next] = {sent, call, source};
        m_next = (m_next + 1) % m_instances.size();
        m_latestSent = std::max(m_latestSent, sent);
    }

private:
    struct Instance {
        TimeNs sent = minTime;
        std::uint32_t call = noCall;
        std::uint32_t source = 0;
    };
    std::array<Instance, 100> m_instances;
    std::size_t m_next = 0;
    TimeNs m_latestSent = minTime;  // no instance's `sent` is later
};

class RankWaits {
public:
    RankWaits(std::span<const MpiRank> ranks, std::uint32_t rank, const std::vector<Completion>& completions,
              const MpiMatches& matches, const Progress& progress)
        : m_ranks(ranks), m_self(ranks[rank]), m_rank(rank), m_completions(completions), m_matches(matches),
          m_progress(progress), m_waits(ranks[rank].calls.size()), m_loopBefore(loopsBefore(ranks[rank]))
    {
    }

    std::vector<MpiWait> find()
    {
        for (std::size_t call = 0; call < m_waits.size() && goesOn(); ++call) {
            if (m_self.calls[call].isOpen) m_waits[call].flags |= MpiCallFlag::Incomplete;
            const Completion completion = completionOf(static_cast<std::uint32_t>(call));
            if (completion.isTest || completion.isWait) m_waits[call].flags |= MpiCallFlag::Completes;
        }
        receives();
        for (std::uint32_t i = 0; i < m_self.probes.size() && goesOn(); ++i) probe(i);
        for (std::uint32_t i = 0; i < m_self.sends.size() && goesOn(); ++i) send(i);
        for (std::uint32_t i = 0; i < m_self.collectives.size() && goesOn(); ++i) collective(i);
        return std::move(m_waits);
    }

private:
    // Whether the call returned at once, and no loop of failed ones came before it.
    bool isQuick(std::uint32_t call) const
    {
        const Completion completion = completionOf(call);
        return (completion.isTest || completion.isQuickProbe) && !m_self.calls[call].isPolling;
    }
    bool goesOn() const { return !m_progress.isCancelled(); }
    Completion completionOf(std::uint32_t call) const
    {
        const std::uint32_t region = m_self.calls[call].region;
        return region < m_completions.size() ? m_completions[region] : Completion{};
    }

    // What `call` waited for until it arrived; the loops of polls before it waited for the same.
    void waited(std::uint32_t call, WaitPattern pattern, TimeNs arrived, std::uint32_t culprit,
                std::uint32_t culpritCall)
    {
        if (!isQuick(call)) {
            const MpiCall& own = m_self.calls[call];
            add(call, pattern, spanOf(own.begin, std::min(arrived, own.end)), culprit, culpritCall);
        }
        while (!m_loopBefore.empty() && (call = m_loopBefore[call]) != noCall) {
            const MpiCall& loop = m_self.calls[call];
            add(call, pattern, spanOf(loop.begin, std::min(arrived, loop.end)), culprit, culpritCall);
        }
    }

    // Keeps the largest wait of a call.
    void add(std::uint32_t call, WaitPattern pattern, TimeNs severity, std::uint32_t culprit, std::uint32_t culpritCall)
    {
        MpiWait& wait = m_waits[call];
        if (severity <= wait.severity) return;
        wait.before = wait.severity = severity;
        wait.pattern = pattern;
        wait.culprit = static_cast<std::int32_t>(culprit);
        wait.culpritCall = culpritCall;
    }

    std::vector<std::uint32_t> receivesByCompletion() const
    {
        const std::vector<MpiReceive>& all = m_self.receives;
        std::vector<std::uint32_t> rows;
        bool isSorted = true;
        std::uint32_t last = 0;
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            if (all[i].completion == noCall || all[i].isCancelled) continue;
            isSorted &= all[i].completion >= last;
            last = all[i].completion;
            rows.push_back(i);
        }
        const auto isBefore = [&](std::uint32_t a, std::uint32_t b) { return all[a].completion < all[b].completion; };
        if (!isSorted) std::stable_sort(rows.begin(), rows.end(), isBefore);
        return rows;
    }

    // Late senders; for a call that completes several receives only the worst one.
    void receives()
    {
        const std::vector<std::uint32_t> rows = receivesByCompletion();
        std::map<std::uint32_t, RecentLateSenders> recent;  // by location that posted the receive
        for (std::size_t i = 0; i < rows.size() && goesOn();) {
            const std::uint32_t call = m_self.receives[rows[i]].completion;
            std::uint32_t worst = noCulprit;
            for (; i < rows.size() && m_self.receives[rows[i]].completion == call; ++i) {
                if (received(rows[i], call, recent[postedBy(rows[i])])) worst = rows[i];
            }
            if (worst == noCulprit) continue;
            const MpiPlace& from = m_matches.sendOf[m_rank][worst];
            recent[postedBy(worst)].add(call, sentBy(from), from.rank);
        }
    }

    std::uint32_t postedBy(std::uint32_t receive) const { return m_self.calls[m_self.receives[receive].call].location; }

    TimeNs sentBy(const MpiPlace& send) const
    {
        const MpiRank& sender = m_ranks[send.rank];
        return sender.calls[sender.sends[send.index].call].begin;
    }

    // Whether this is the worst late sender of the call so far.
    bool received(std::uint32_t row, std::uint32_t call, RecentLateSenders& recent)
    {
        const MpiPlace& from = m_matches.sendOf[m_rank][row];
        if (!from.isValid()) {
            m_waits[call].flags |= MpiCallFlag::Unmatched;
            return false;
        }
        const TimeNs sent = sentBy(from);
        recent.received(sent, from.rank, [&](std::uint32_t earlier, int flag) {
            m_waits[earlier].flags |= static_cast<std::uint16_t>(flag);
        });
        const TimeNs before = m_waits[call].severity;
        waited(call, WaitPattern::LateSender, sent, from.rank, m_ranks[from.rank].sends[from.index].call);
        return m_waits[call].severity > before;
    }

    // Probes wait for late senders, too.
    void probe(std::uint32_t row)
    {
        const MpiPlace& from = m_matches.probeOf[m_rank][row];
        const std::uint32_t call = m_self.probes[row].call;
        if (from.isValid())
            waited(call, WaitPattern::LateSender, sentBy(from), from.rank, m_ranks[from.rank].sends[from.index].call);
    }

    // Late receivers, unless the call waited for a sender as well.
    void send(std::uint32_t row)
    {
        const MpiSend& send = m_self.sends[row];
        const MpiPlace& to = m_matches.receiveOf[m_rank][row];
        if (!to.isValid()) {
            if (!send.isCancelled) m_waits[send.call].flags |= MpiCallFlag::Unmatched;
            return;
        }
        if (send.completion == noCall || send.isCancelled) return;
        const MpiCall& own = m_self.calls[send.completion];
        const std::uint32_t postedBy = m_ranks[to.rank].receives[to.index].call;
        const TimeNs posted = m_ranks[to.rank].calls[postedBy].begin;
        if (posted <= own.begin || posted >= own.end || isQuick(send.completion)) return;
        m_waits[send.completion].flags |= MpiCallFlag::ReverseEdge;
        if (m_waits[send.completion].pattern == WaitPattern::LateSender) return;
        add(send.completion, WaitPattern::LateReceiver, spanOf(own.begin, posted), to.rank, postedBy);
    }

    void collective(std::uint32_t row)
    {
        const MpiCollectivePart& part = m_self.collectives[row];
        const std::uint32_t number = m_matches.instanceOf[m_rank][row];
        MpiWait& wait = m_waits[part.call];
        wait.flags |= MpiCallFlag::Collective;
        const bool isBlocking = part.completion == part.call;
        const bool hasWaits = number != noInstance && m_matches.instances[number].isComplete
                              && part.kind != CollectiveKind::Loose && part.kind != CollectiveKind::None;
        if (hasWaits && m_matches.instances[number].isGlobal) wait.flags |= MpiCallFlag::Synchronization;
        const bool isSynchronizing = hasWaits && isBlocking && m_matches.instances[number].isSynchronizing;
        if (!isSynchronizing) wait.flags |= MpiCallFlag::NotSynchronizing;
        if (!hasWaits || part.completion == noCall) return;
        const MpiInstance& instance = m_matches.instances[number];
        if (part.kind == CollectiveKind::Lifetime && !instance.isSynchronizing) return;
        if (!isReached(part, instance)) return;
        patternWait(part, instance, m_matches.memberOf[m_rank][row]);
        if (isBlocking) colours(part, instance);
    }

    // Whether data of others can come to this member.
    bool isReached(const MpiCollectivePart& part, const MpiInstance& instance) const
    {
        const bool isRoot = instance.root == static_cast<std::int32_t>(m_rank);
        return part.moved.received != 0 || isRoot || instance.isSynchronizing || !receivesItsBytes(instance.kind);
    }

    // The member for which this one waited, by the call's kind, and the wait state.
    struct Cause {
        WaitPattern pattern = WaitPattern::None;
        std::uint32_t rank = 0;
        std::uint32_t call = noCall;
        TimeNs arrived = minTime;
    };
    Cause memberCause(WaitPattern pattern, const MpiPlace& member) const
    {
        const MpiRank& rank = m_ranks[member.rank];
        const std::uint32_t call = rank.collectives[member.index].call;
        return {pattern, member.rank, call, rank.calls[call].begin};
    }
    Cause causeOf(const MpiInstance& instance, std::uint32_t row) const
    {
        const auto latest = [&instance](WaitPattern pattern) {
            return Cause{pattern, instance.latestRank, instance.latestCall, instance.latestBegin};
        };
        const bool isRoot = instance.root == static_cast<std::int32_t>(m_rank);
        switch (instance.kind) {
        case CollectiveKind::Barrier:
        case CollectiveKind::Lifetime: return latest(WaitPattern::WaitAtBarrier);
        case CollectiveKind::NToN:
            return waitsForGivers(instance)
                       ? memberCause(WaitPattern::WaitAtNxN,
                                     m_matches.members[instance.firstMember + instance.latestGiver])
                       : latest(WaitPattern::WaitAtNxN);
        case CollectiveKind::NToOne: return isRoot ? lastContributor(instance) : Cause{};
        case CollectiveKind::OneToN:
            if (isRoot || instance.rootMember == noMember) return {};
            return memberCause(WaitPattern::LateBroadcast,
                               m_matches.members[instance.firstMember + instance.rootMember]);
        case CollectiveKind::Prefix:
            return memberCause(WaitPattern::EarlyScan, m_matches.members[m_matches.latestUpTo[row]]);
        case CollectiveKind::Neighbours: return latestOf(m_matches.sourceRows(instance, row));
        case CollectiveKind::None:
        case CollectiveKind::Loose: break;
        }
        return {};
    }
    // Of an N to 1 call: the last of the others that gave the root anything.
    Cause lastContributor(const MpiInstance& instance) const
    {
        Cause last;
        for (std::uint32_t row = instance.firstMember; row < instance.firstMember + instance.memberCount; ++row) {
            const MpiPlace& member = m_matches.members[row];
            if (member.rank == m_rank || m_ranks[member.rank].collectives[member.index].moved.sent == 0) continue;
            const Cause cause = memberCause(WaitPattern::EarlyReduce, member);
            if (cause.arrived > last.arrived) last = cause;
        }
        return last;
    }
    Cause latestOf(const std::vector<std::uint32_t>& rows) const
    {
        Cause latest;
        for (const std::uint32_t row : rows) {
            const Cause cause = memberCause(WaitPattern::WaitAtNxN, m_matches.members[row]);
            if (cause.arrived > latest.arrived) latest = cause;
        }
        return latest;
    }
    // Scalasca's wait states, in the call that completes the collective.
    void patternWait(const MpiCollectivePart& part, const MpiInstance& instance, std::uint32_t row)
    {
        const Cause cause = causeOf(instance, row);
        if (cause.pattern == WaitPattern::None) return;
        waited(part.completion, cause.pattern, cause.arrived, cause.rank, cause.call);
    }

    // Sets the parts of a blocking call: those of Korkhov et al. if it synchronizes; else, if all wait for all, the
    // time in the call after the last member has come and the first one has left.
    void colours(const MpiCollectivePart& part, const MpiInstance& instance)
    {
        MpiWait& wait = m_waits[part.call];
        const MpiCall& own = m_self.calls[part.call];
        const bool isAllToAll = instance.kind == CollectiveKind::Barrier || instance.kind == CollectiveKind::NToN;
        if (instance.isSynchronizing) {
            wait.before = spanOf(own.begin, instance.latestBegin);
            wait.after = spanOf(instance.earliestEnd, own.end);
            if (wait.pattern == WaitPattern::None && wait.before > 0) {
                wait.culprit = static_cast<std::int32_t>(instance.latestRank);
                wait.culpritCall = instance.latestCall;
            }
        } else if (isAllToAll) {
            wait.after = spanOf(std::max(instance.earliestEnd, std::min(instance.latestBegin, own.end)), own.end);
        }
    }

    std::span<const MpiRank> m_ranks;
    const MpiRank& m_self;
    std::uint32_t m_rank;
    const std::vector<Completion>& m_completions;
    const MpiMatches& m_matches;
    const Progress& m_progress;
    std::vector<MpiWait> m_waits;
    const std::vector<std::uint32_t> m_loopBefore;
};

}  // namespace

std::vector<MpiWait> mpiWaitsOf(std::uint32_t rank, std::span<const MpiRank> ranks, const MpiRunNames& names,
                                const MpiMatches& matches, const Progress& progress)
{
    const std::vector<Completion> completions = completionsOf(names);
    return RankWaits(ranks, rank, completions, matches, progress).find();
}

std::vector<std::vector<MpiWait>> mpiWaits(std::span<const MpiRank> ranks, const MpiRunNames& names,
                                           const MpiMatches& matches, unsigned threads)
{
    const std::vector<Completion> completions = completionsOf(names);
    std::vector<std::vector<MpiWait>> waits(ranks.size());
    parallelFor(
        ranks.size(),
        [&](std::size_t rank) {
            waits[rank] = RankWaits(ranks, static_cast<std::uint32_t>(rank), completions, matches, Progress()).find();
        },
        threads);
    return waits;
}

}  // namespace longpole
