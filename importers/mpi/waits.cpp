// SPDX-License-Identifier: GPL-3.0-or-later
// Wait states, rank by rank in parallel: each rank looks at the partners of its own calls.
#include "importers/mpi/waits.h"

#include "core/base/limits.h"
#include "core/base/parallel.h"
#include "importers/mpi/polling.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>

namespace longpole {
namespace {

constexpr std::uint32_t noCulprit = 0xffffffffu;

TimeNs spanOf(TimeNs from, TimeNs to) { return TimeRange{from, to}.length(); }

// The last calls of one thread that waited for a late sender. If a message is received after such a call but was sent
// before the message that the call waited for, the two came in wrong order. Each thread has its own list, since nothing
// orders the receives of different threads.
class RecentLateSenders {
public:
    // A message was received. Calls found(call, flag) for each earlier call that waited for a message sent later than
    // this one; once per call.
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
    TimeNs m_latestSent = minTime;  // the latest `sent` of all calls in the list
};

class RankWaits {
public:
    RankWaits(std::uint32_t rank, const MpiRank& self, std::span<const MpiCompletion> completions,
              const MpiPartners& partners, const Progress& progress)
        : m_self(self), m_rank(rank), m_completions(completions), m_partners(partners), m_progress(progress),
          m_waits(self.calls.size()), m_loopBefore(loopsBefore(self))
    {
    }

    std::vector<MpiWait> find()
    {
        for (std::size_t call = 0; call < m_waits.size() && goesOn(); ++call) {
            if (m_self.calls[call].isOpen) m_waits[call].flags |= MpiCallFlag::Incomplete;
            const MpiCompletion completion = completionOf(static_cast<std::uint32_t>(call));
            if (completion.isTest || completion.isWait) m_waits[call].flags |= MpiCallFlag::Completes;
        }
        receives();
        for (std::uint32_t i = 0; i < m_self.probes.size() && goesOn(); ++i) probe(i);
        for (std::uint32_t i = 0; i < m_self.sends.size() && goesOn(); ++i) send(i);
        for (std::uint32_t i = 0; i < m_self.collectives.size() && goesOn(); ++i) collective(i);
        windows();
        loops();
        return std::move(m_waits);
    }

private:
    struct Arrival {
        TimeNs arrived = 0;
        WaitPattern pattern = WaitPattern::None;
        std::uint32_t culprit = noCulprit;
        std::uint32_t culpritCall = noCall;
        std::optional<TimeNs> lastAccess;
    };

    // Whether the call returned at once, and no loop of failed polls came before it.
    bool isQuick(std::uint32_t call) const
    {
        const MpiCompletion completion = completionOf(call);
        return (completion.isTest || completion.isQuickProbe) && !m_self.calls[call].isPolling;
    }
    bool goesOn() const { return !m_progress.isCancelled(); }
    MpiCompletion completionOf(std::uint32_t call) const
    {
        const std::uint32_t region = m_self.calls[call].region;
        return region < m_completions.size() ? m_completions[region] : MpiCompletion{};
    }

    std::uint32_t loopBefore(std::uint32_t call) const { return m_loopBefore.empty() ? noCall : m_loopBefore[call]; }

    // What `call` waited for arrived at `arrived`; the loops of polls before it waited for the same. `lastAccess`: only
    // of an early wait, when the other rank's last access ended.
    void waited(std::uint32_t call, WaitPattern pattern, TimeNs arrived, std::uint32_t culprit,
                std::uint32_t culpritCall, std::optional<TimeNs> lastAccess = {})
    {
        if (!isQuick(call)) {
            const MpiCall& own = m_self.calls[call];
            add(call, pattern, spanOf(own.begin, std::min(arrived, own.end)), culprit, culpritCall);
        }
        if (loopBefore(call) == noCall) return;
        std::vector<Arrival>& arrivals = m_arrivals[call];
        if (arrivals.empty() || arrived > arrivals.back().arrived)
            arrivals.push_back({arrived, pattern, culprit, culpritCall, lastAccess});
    }

    // A call may complete many requests, and many loops of polls may come before it. Each loop waited for the first of
    // these that arrived after the loop had ended; if none did, for the last one.
    void loops()
    {
        for (const auto& [call, arrivals] : m_arrivals) {
            for (std::uint32_t loop = loopBefore(call); loop != noCall && goesOn(); loop = loopBefore(loop)) {
                const MpiCall& own = m_self.calls[loop];
                const auto first = std::lower_bound(arrivals.begin(), arrivals.end(), own.end,
                                                    [](const Arrival& a, TimeNs end) { return a.arrived < end; });
                const Arrival& of = first == arrivals.end() ? arrivals.back() : *first;
                const TimeNs severity = spanOf(own.begin, std::min(of.arrived, own.end));
                const bool isLonger = severity > m_waits[loop].severity;
                add(loop, of.pattern, severity, of.culprit, of.culpritCall);
                if (isLonger && of.lastAccess) lateComplete(loop, of.arrived, *of.lastAccess);
            }
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
            const MpiPartner from = m_partners.senderOf(m_rank, worst);
            recent[postedBy(worst)].add(call, from.begin, from.rank);
        }
    }

    std::uint32_t postedBy(std::uint32_t receive) const { return m_self.calls[m_self.receives[receive].call].location; }

    // Looks at a received message. Returns whether its sender is the one that the call waited longest for so far.
    bool received(std::uint32_t row, std::uint32_t call, RecentLateSenders& recent)
    {
        const MpiPartner from = m_partners.senderOf(m_rank, row);
        if (!from.isValid()) {
            m_waits[call].flags |= MpiCallFlag::Unmatched;
            return false;
        }
        recent.received(from.begin, from.rank, [&](std::uint32_t earlier, int flag) {
            m_waits[earlier].flags |= static_cast<std::uint16_t>(flag);
        });
        const TimeNs before = m_waits[call].severity;
        waited(call, WaitPattern::LateSender, from.begin, from.rank, from.call);
        return m_waits[call].severity > before;
    }

    // Probes wait for late senders, too.
    void probe(std::uint32_t row)
    {
        const MpiPartner from = m_partners.probedBy(m_rank, row);
        const std::uint32_t call = m_self.probes[row].call;
        if (from.isValid()) waited(call, WaitPattern::LateSender, from.begin, from.rank, from.call);
    }

    // Late receivers, unless the call waited for a sender as well.
    void send(std::uint32_t row)
    {
        const MpiSend& send = m_self.sends[row];
        const MpiPartner to = m_partners.receiverOf(m_rank, row);
        if (!to.isValid()) {
            if (!send.isCancelled) m_waits[send.call].flags |= MpiCallFlag::Unmatched;
            return;
        }
        if (send.completion == noCall || send.isCancelled) return;
        const MpiCall& own = m_self.calls[send.completion];
        if (to.begin <= own.begin || to.begin >= own.end || isQuick(send.completion)) return;
        m_waits[send.completion].flags |= MpiCallFlag::ReverseEdge;
        if (m_waits[send.completion].pattern == WaitPattern::LateSender) return;
        add(send.completion, WaitPattern::LateReceiver, spanOf(own.begin, to.begin), to.rank, to.call);
    }

    // One-sided calls: of an MPI_Win_wait the last origin counts.
    void windows()
    {
        const WindowFindings& found = m_partners.windowsOf(m_rank);
        for (const std::uint32_t call : found.judged) m_waits[call].flags |= MpiCallFlag::Judged;
        for (const WindowMeeting& meeting : found.meetings) {
            if (!goesOn()) return;
            const MpiPartner with = m_partners.windowPartner(meeting);
            if (meeting.pattern != WaitPattern::EarlyWait) {
                const TimeNs arrived = std::min(with.begin, m_self.calls[meeting.call].end);
                add(meeting.call, meeting.pattern, spanOf(meeting.from, arrived), with.rank, with.call);
                continue;
            }
            waited(meeting.call, meeting.pattern, with.begin, with.rank, with.call, meeting.lastAccess);
            const MpiWait& wait = m_waits[meeting.call];
            if (wait.culprit == static_cast<std::int32_t>(with.rank) && wait.culpritCall == with.call)
                lateComplete(meeting.call, with.begin, meeting.lastAccess);
        }
    }

    // Notes a late complete: more than half of an early wait passed after the other rank's last access had ended.
    void lateComplete(std::uint32_t call, TimeNs completed, TimeNs lastAccess)
    {
        MpiWait& wait = m_waits[call];
        const MpiCall& own = m_self.calls[call];
        const TimeNs arrived = std::min(completed, own.end);
        wait.flags &= static_cast<std::uint16_t>(~MpiCallFlag::LateComplete);
        if (spanOf(std::max(lastAccess, own.begin), arrived) > spanOf(own.begin, arrived) / 2)
            wait.flags |= MpiCallFlag::LateComplete;
    }

    void collective(std::uint32_t row)
    {
        const MpiCollectivePart& part = m_self.collectives[row];
        const MpiInstance* const instance = m_partners.instanceOf(m_rank, row);
        MpiWait& wait = m_waits[part.call];
        wait.flags |= MpiCallFlag::Collective;
        const bool isBlocking = part.completion == part.call;
        const bool hasWaits = instance != nullptr && instance->isComplete && part.kind != CollectiveKind::Loose
                              && part.kind != CollectiveKind::None;
        if (hasWaits && instance->isGlobal) wait.flags |= MpiCallFlag::Synchronization;
        const bool isSynchronizing = hasWaits && isBlocking && instance->isSynchronizing;
        if (!isSynchronizing) wait.flags |= MpiCallFlag::NotSynchronizing;
        if (!hasWaits || part.completion == noCall) return;
        if (part.kind == CollectiveKind::Lifetime && !instance->isSynchronizing) return;
        if (!isReached(part, *instance)) return;
        patternWait(part, *instance, row);
        if (isBlocking) colours(part, *instance);
    }

    // Whether this member can receive data from other members.
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
    static Cause memberCause(WaitPattern pattern, const MpiPartner& member)
    {
        return {pattern, member.rank, member.call, member.begin};
    }
    Cause causeOf(const MpiInstance& instance, std::uint32_t row)
    {
        const auto latest = [&instance](WaitPattern pattern) {
            return Cause{pattern, instance.latestRank, instance.latestCall, instance.latestBegin};
        };
        const bool isRoot = instance.root == static_cast<std::int32_t>(m_rank);
        switch (instance.kind) {
        case CollectiveKind::Barrier:
        case CollectiveKind::Lifetime:
            return latest(completionOf(m_self.collectives[row].call).isFence ? WaitPattern::WaitAtFence
                                                                             : WaitPattern::WaitAtBarrier);
        case CollectiveKind::NToN:
            return waitsForGivers(instance)
                       ? memberCause(WaitPattern::WaitAtNxN, m_partners.member(instance, instance.latestGiver))
                       : latest(WaitPattern::WaitAtNxN);
        case CollectiveKind::NToOne: return isRoot ? lastContributor(instance) : Cause{};
        case CollectiveKind::OneToN:
            if (isRoot || instance.rootMember == noMember) return {};
            return memberCause(WaitPattern::LateBroadcast, m_partners.member(instance, instance.rootMember));
        case CollectiveKind::Prefix: return memberCause(WaitPattern::EarlyScan, m_partners.lastUpTo(m_rank, row));
        case CollectiveKind::Neighbours:
            if (instance.pairing == Pairing::None) return {};
            return latestOf(instance, m_partners.sourcesOf(m_rank, row));
        case CollectiveKind::None:
        case CollectiveKind::Loose: break;
        }
        return {};
    }
    // Of an N to 1 call: the last of the others that gave the root anything.
    Cause lastContributor(const MpiInstance& instance) const
    {
        Cause last;
        for (std::uint32_t position = 0; position < instance.memberCount; ++position) {
            const MpiPartner member = m_partners.member(instance, position);
            if (member.rank == m_rank || member.bytes == 0) continue;
            const Cause cause = memberCause(WaitPattern::EarlyReduce, member);
            if (cause.arrived > last.arrived) last = cause;
        }
        return last;
    }
    Cause latestOf(const MpiInstance& instance, const std::vector<std::uint32_t>& positions)
    {
        Cause latest;
        for (const std::uint32_t position : positions) {
            const Cause cause = memberCause(WaitPattern::WaitAtNxN, m_partners.member(instance, position));
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

    const MpiRank& m_self;
    std::uint32_t m_rank;
    const std::span<const MpiCompletion> m_completions;
    const MpiPartners& m_partners;
    const Progress& m_progress;
    std::vector<MpiWait> m_waits;
    const std::vector<std::uint32_t> m_loopBefore;
    // by call, for calls with loops of polls before them: what arrived when, ascending
    std::map<std::uint32_t, std::vector<Arrival>> m_arrivals;
};

}  // namespace

std::vector<MpiCompletion> mpiCompletions(const MpiRunNames& names)
{
    std::vector<MpiCompletion> completions;
    for (const MpiRegion& region : names.regions) {
        const qsizetype start = region.name.startsWith(u'P', Qt::CaseInsensitive) ? 1 : 0;
        const QStringView name = QStringView(region.name).mid(start);
        completions.push_back({name.startsWith(QLatin1String("MPI_Test"), Qt::CaseInsensitive),
                               name.startsWith(QLatin1String("MPI_Wait"), Qt::CaseInsensitive),
                               name.startsWith(QLatin1String("MPI_Iprobe"), Qt::CaseInsensitive)
                                   || name.startsWith(QLatin1String("MPI_Improbe"), Qt::CaseInsensitive),
                               name.startsWith(QLatin1String("MPI_Win_fence"), Qt::CaseInsensitive)});
    }
    return completions;
}

std::vector<MpiWait> mpiWaitsOf(std::uint32_t rank, const MpiRank& self, std::span<const MpiCompletion> completions,
                                const MpiPartners& partners, const Progress& progress)
{
    return RankWaits(rank, self, completions, partners, progress).find();
}

std::vector<std::vector<MpiWait>> mpiWaits(std::span<const MpiRank> ranks, const MpiRunNames& names,
                                           const MpiMatches& matches, unsigned threads, const Progress& progress)
{
    const std::vector<MpiCompletion> completions = mpiCompletions(names);
    const std::unique_ptr<MpiPartners> partners = partnersInMemory(ranks, matches);
    std::vector<std::vector<MpiWait>> waits(ranks.size());
    parallelFor(
        ranks.size(),
        [&](std::size_t rank) {
            const auto number = static_cast<std::uint32_t>(rank);
            waits[rank] = RankWaits(number, ranks[rank], completions, *partners, progress).find();
        },
        threads);
    return waits;
}

}  // namespace longpole
