// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/nearpaths/hostednear.h"

#include "analysis/base/callpaths.h"
#include "core/base/translate.h"
#include "distributed/exchange/pack.h"
#include "distributed/nearpaths/nearwalk.h"
#include "distributed/transport/cancelled.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

// A task through which the next path may lead, by slack and in the order of the graph.
struct NearCandidate {
    TimeNs slack = maxTime;
    TimeNs begin = maxTime;
    std::uint32_t place = WorkPass::noPlace;
    DistinctPass::Target at{};
    std::uint32_t segment = 0;
    DistinctPass::Target entry{}, exit{};
    TimeNs distinct = 0;

    bool isThere() const { return at.rank != WorkPass::noPlace; }
    friend bool operator<(const NearCandidate& a, const NearCandidate& b)
    {
        return std::tie(a.slack, a.begin, a.place, a.at) < std::tie(b.slack, b.begin, b.place, b.at);
    }
};

class NearSearch {
public:
    NearSearch(const WorkPass& pass, TailPass tails, const TraceStore& store)
        : m_pass(pass), m_transport(pass.transport()), m_store(store), m_tails(std::move(tails)),
          m_links(pass, *m_tails)
    {
        for (const WorkPass::Rank& rank : pass.ranks()) m_taken.emplace_back(rank.tasks.begin.size());
        if (!store.callPaths().empty()) m_functions.emplace(store);
    }

    Result<HostedNear> search(const HostedPath& path, const NearCriticalOptions& options, const Progress& progress)
    {
        HostedNear found;
        m_links.find();
        m_tails.reset();  // are in the links now
        if (isOver(m_transport, progress)) return m_transport.failure();
        m_distinct.emplace(m_links);
        m_distinct->run(m_taken);
        if (isOver(m_transport, progress)) return m_transport.failure();
        const NearCandidate first = critical(path);
        if (!first.isThere() || m_transport.failed()) return result(std::move(found));
        mark(hopsThrough(first), 0, std::numeric_limits<std::uint64_t>::max());
        for (std::size_t count = 1; count < options.count && !isOver(m_transport, progress); ++count) {
            m_distinct->run(m_taken);
            const auto [next, longest] = candidates(options);
            if (next.isThere()) found.paths.push_back({take(next), next.slack, next.distinct});
            else if (count == 1 && longest.isThere())
                found.longest = HostedNearPath{take(longest), longest.slack, longest.distinct};
            if (!next.isThere()) break;
        }
        failIfCancelled(m_transport, progress);
        return result(std::move(found));
    }

private:
    Result<HostedNear> result(HostedNear found) const
    {
        if (m_transport.failed()) return m_transport.failure();
        return m_transport.isRoot() ? std::move(found) : HostedNear{};
    }

    void refuse()
    {
        m_transport.fail({.what = tr("A path came to process %1 that cannot be.").arg(m_transport.process()),
                          .where = {},
                          .hint = {}});
    }

    NearCandidate candidate(std::uint32_t rank, std::uint32_t task, std::uint32_t segment) const
    {
        const std::uint32_t number = m_pass.firstRank() + rank;
        return {.slack = m_links.ranks()[rank].slack[task],
                .begin = m_pass.ranks()[rank].tasks.begin[task],
                .place = m_pass.placeOf(number, task),
                .at = {number, task},
                .segment = segment,
                .entry = m_distinct->entry(rank, task),
                .exit = m_distinct->exit(rank, task)};
    }

    // The task in which the work path ends, on all processes.
    NearCandidate critical(const HostedPath& path)
    {
        Packer packer;
        if (m_transport.isRoot() && !path.path.steps.empty()) {
            packer.put(index(path.path.to.pe));
            packer.put(path.path.to.index);
        }
        const Payload bytes = m_transport.broadcast(packer.take());
        NearCandidate end;
        Unpacker unpacker(bytes);
        const bool isThere = !unpacker.isAtEnd();
        const auto rank = unpacker.value<std::uint32_t>(), row = unpacker.value<std::uint32_t>();
        if (isThere && unpacker.isWhole() && m_pass.hosting().hosts(m_transport.process(), rank)) {
            const std::uint32_t local = rank - m_pass.firstRank();
            const auto place = m_pass.ranks()[local].tasks.placeOf(row);
            if (place) end = candidate(local, place->task, m_pass.ranks()[local].segmentOf(place->task));
            else refuse();
        }
        end.distinct = m_pass.length(0);
        return reduceOne(m_transport, end, [](NearCandidate& into, const NearCandidate& from) {
            if (from.isThere()) into = from;
        });
    }

    // The first of all tasks through which a path leads that is to be listed; and through which any other path leads.
    std::array<NearCandidate, 2> candidates(const NearCriticalOptions& options)
    {
        std::array<NearCandidate, 2> best;
        const TimeNs length = m_pass.length(0);
        const std::array<NearCriticalOptions, 2> wanted{options, longestOther};
        const std::array<TimeNs, 2> most{mostSlack(length, wanted[0]), mostSlack(length, wanted[1])};
        for (std::uint32_t rank = 0; rank < m_taken.size() && !m_transport.failed(); ++rank) {
            const NearLinks::Rank& links = m_links.ranks()[rank];
            const std::vector<std::uint32_t>& cuts = m_pass.ranks()[rank].tasks.cuts;
            std::uint32_t segment = 0;
            for (std::uint32_t task = 0; task < m_taken[rank].size(); ++task) {
                while (segment < cuts.size() && cuts[segment] <= task) ++segment;
                const TimeNs slack = links.slack[task];
                const auto isOpen = [&](std::size_t i) { return slack <= std::min(most[i], best[i].slack); };
                if (m_taken[rank][task] || (!isOpen(0) && !isOpen(1))) continue;
                const TimeNs distinct = m_distinct->distinct(rank, task, segment);
                for (std::size_t i = 0; i < best.size(); ++i) {
                    if (!isOpen(i) || distinct < leastDistinct(length - slack, wanted[i])) continue;
                    NearCandidate one = candidate(rank, task, segment);
                    one.distinct = distinct;
                    if (one < best[i]) best[i] = one;
                }
            }
            m_transport.pulse();
        }
        reduceValues(m_transport, std::span<NearCandidate>(best), [](NearCandidate& into, const NearCandidate& from) {
            if (from < into) into = from;
        });
        return best;
    }

    std::vector<NearHop> hopsThrough(const NearCandidate& through) const
    {
        return nearPath(m_links,
                        {through.segment, through.at, m_distinct->ways(through.segment, through.entry, through.exit)});
    }

    // The tasks from that step on are of no other path from now on. What is nested in them.
    NestedShares mark(const std::vector<NearHop>& hops, std::uint32_t segment, std::uint64_t number)
    {
        NestedShares shares;
        for (const NearHop& hop : hops) {
            if (hop.segment < segment || (hop.segment == segment && numberOf(hop) > number)) continue;
            m_taken[hop.rank][hop.task] = true;
            const WorkPass::Rank& rank = m_pass.ranks()[hop.rank];
            shares.add(rank.tasks.nested.get(), hop.task, rank.tasks.entry[hop.task],
                       m_pass.partOf(rank, hop.task, hop.length));
        }
        return shares;
    }

    std::vector<HostedStep> stepsOf(const std::vector<NearHop>& hops)
    {
        std::vector<HostedStep> own;
        own.reserve(hops.size());
        for (const NearHop& hop : hops) {
            const HostedTasks& tasks = m_pass.ranks()[hop.rank].tasks;
            const std::uint32_t rank = m_pass.firstRank() + hop.rank, row = tasks.rowOf(hop.task);
            own.push_back({hop.segment, numberOf(hop), rank, row, tasks.entry[hop.task], tasks.begin[hop.task],
                           hop.length, static_cast<std::uint8_t>(hop.edge), hop.isDoubtful,
                           m_functions ? m_functions->of({ProcessorId{rank}, row}) : noCallPath});
        }
        return own;
    }

    // The longest path through a task, marked.
    HostedPath take(const NearCandidate& through)
    {
        const std::vector<NearHop> hops = hopsThrough(through);
        std::vector<HostedStep> steps = gatheredSteps(m_transport, stepsOf(hops));
        // It begins where it first carries time.
        std::size_t without = 0;
        while (without + 1 < steps.size() && steps[without].length == 0) ++without;
        if (without > 0) {
            steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(without));
            steps.front().edge = static_cast<std::uint8_t>(PathEdge::Start);
            steps.front().isDoubtful = false;
        }
        Packer packer;
        packer.put(steps.empty() ? std::uint32_t{0} : steps.front().segment);
        packer.put(steps.empty() ? std::uint64_t{0} : steps.front().number);
        const Payload begin = m_transport.broadcast(packer.take());
        if (m_transport.failed()) return {};
        Unpacker unpacker(begin);
        const auto segment = unpacker.value<std::uint32_t>();
        const NestedShares nested = mark(hops, segment, unpacker.value<std::uint64_t>());
        const std::vector<EntrySum> shares = gatheredShares(m_transport, nested);
        if (!m_transport.isRoot()) return {};
        HostedPath path = joinedPath(m_store, steps, shares);
        if (path.path.length != m_pass.length(0) - through.slack) refuse();
        return path;
    }

    // Falls in time.
    static std::uint64_t numberOf(const NearHop& hop)
    {
        return (std::uint64_t{1} << 62) - static_cast<std::uint64_t>(hop.number);
    }

    const WorkPass& m_pass;
    Transport& m_transport;
    const TraceStore& m_store;
    std::optional<TailPass> m_tails;
    NearLinks m_links;
    std::optional<DistinctPass> m_distinct;  // once there are links
    std::vector<std::vector<bool>> m_taken;  // by hosted rank and task
    std::optional<TaskPaths> m_functions;
};

}  // namespace

Result<HostedNear> hostedNearCritical(const WorkPass& pass, TailPass tails, const HostedPath& path,
                                      const TraceStore& store, const NearCriticalOptions& options,
                                      const Progress& progress)
{
    return NearSearch(pass, std::move(tails), store).search(path, options, progress);
}

}  // namespace longpole
