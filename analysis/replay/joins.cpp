// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/joins.h"

#include "analysis/base/bigarray.h"

#include <algorithm>
#include <compare>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace longpole {

namespace {

// A target needs a member to have run.
struct Need {
    std::uint32_t actor;
    std::uint32_t target;
    std::uint32_t member;
    friend auto operator<=>(const Need&, const Need&) = default;
};

// A task that another one acted for.
struct ActedFor {
    std::uint32_t actor;
    std::uint32_t task;
    friend auto operator<=>(const ActedFor&, const ActedFor&) = default;
};

std::span<const ActedFor> actedForBy(const std::vector<ActedFor>& all, std::uint32_t actor)
{
    const auto first = std::lower_bound(all.begin(), all.end(), ActedFor{actor, 0});
    return {first, std::find_if(first, all.end(), [actor](const ActedFor& one) { return one.actor != actor; })};
}

class JoinFinder {
public:
    JoinFinder(const ActivityGraph& graph, const JoinFacts& facts) : m_graph(graph), m_facts(facts) {}

    ReplayJoins find(const std::vector<MergeEdge>& inferred)
    {
        gatherBuffered(inferred);
        if (m_facts.reductions != nullptr) gatherReductions(*m_facts.reductions);
        if (m_facts.counters != nullptr) indexCounters(*m_facts.counters);
        needOfActors();
        m_actsFor = {};
        std::sort(m_needs.begin(), m_needs.end());
        m_needs.erase(std::unique(m_needs.begin(), m_needs.end()), m_needs.end());
        makeJoins();
        m_result.members.shrink_to_fit();
        m_result.ofTask.shrink_to_fit();
        return std::move(m_result);
    }

private:
    bool isBlock(std::uint32_t task) const
    {
        return (m_graph.flags[task] & ActivityGraph::BlockEdge) != 0 && m_graph.source[task] != noTask;
    }

    // Executions that only kept a message, by the one that acts for them. There may be as many as tasks: no map, which
    // would take ten times as much.
    void gatherBuffered(const std::vector<MergeEdge>& inferred)
    {
        std::vector<std::uint32_t> next = bigArray(m_graph.size(), noTask);
        for (const MergeEdge& edge : inferred) {
            if (edge.kind != MergeKind::Buffered) continue;
            if (isBlock(edge.task)) {
                const std::uint32_t actor = m_graph.source[edge.task];
                need(actor, edge.task, edge.source);
            } else {
                next[edge.source] = edge.task;
            }
        }
        const auto isKept = [](std::uint32_t task) { return task != noTask; };
        m_keptFor.reserve(static_cast<std::size_t>(std::count_if(next.begin(), next.end(), isKept)));
        for (std::uint32_t task = 0; task < next.size(); ++task) {
            if (!isKept(next[task])) continue;
            std::uint32_t last = next[task];
            while (isKept(next[last])) last = next[last];
            m_keptFor.push_back({last, task});
        }
        std::sort(m_keptFor.begin(), m_keptFor.end());
    }

    void indexCounters(const Counters& counters)
    {
        for (std::uint32_t g = 0; g < counters.groups.size(); ++g)
            if (m_counterOf.empty() || !m_counterOf.contains(counters.groups[g].actor))
                m_counterOf.emplace(counters.groups[g].actor, g);
    }

    void gatherReductions(const Reductions& reductions)
    {
        for (const ReductionGroup& group : reductions.groups) {
            const auto sources = reductions.sources.begin() + static_cast<std::ptrdiff_t>(group.firstSource);
            const std::uint32_t pe = m_graph.pe[*sources];
            for (std::size_t t = group.firstTarget; t < group.firstTarget + group.targets; ++t) {
                const std::uint32_t target = reductions.targets[t];
                const std::uint32_t sender = m_graph.source[target];
                const bool isSentByElement = sender != noTask && m_graph.pe[sender] == pe;
                for (std::size_t s = 0; s < group.sources; ++s) {
                    const std::uint32_t member = sources[static_cast<std::ptrdiff_t>(s)];
                    if (isSentByElement) needAll(sender, target, member);
                    else m_actsFor.push_back({target, member});
                }
            }
        }
        std::sort(m_actsFor.begin(), m_actsFor.end());
    }

    void need(std::uint32_t actor, std::uint32_t target, std::uint32_t member)
    {
        if (member < target && member != actor) m_needs.push_back({actor, target, member});
    }

    // A member that acted for others stands for them.
    void needAll(std::uint32_t actor, std::uint32_t target, std::uint32_t member)
    {
        need(actor, target, member);
        for (const ActedFor& kept : actedForBy(m_keptFor, member)) need(actor, target, kept.task);
    }

    // Everything that tasks sent which acted for others.
    void needOfActors()
    {
        for (std::uint32_t task = 0; task < m_graph.size(); ++task) {
            const std::uint32_t actor = m_graph.source[task];
            if (actor == noTask || isBlock(task)) continue;
            for (const ActedFor& kept : actedForBy(m_keptFor, actor)) need(actor, task, kept.task);
            if (const auto counter = m_counterOf.find(actor); counter != m_counterOf.end())
                needOfCounters(counter->second, actor, task);
            for (const ActedFor& member : actedForBy(m_actsFor, actor)) needAll(actor, task, member.task);
        }
    }

    void needOfCounters(std::uint32_t first, std::uint32_t actor, std::uint32_t target)
    {
        const Counters& counters = *m_facts.counters;
        for (std::size_t g = first; g < counters.groups.size() && counters.groups[g].actor == actor; ++g) {
            const CounterGroup& group = counters.groups[g];
            if (group.target != m_graph.entry[target]) continue;
            for (std::size_t m = 0; m < group.members; ++m)
                need(actor, target, counters.members[group.firstMember + m]);
            if (group.sharesRoles) m_shares.insert(actor);
        }
    }

    void makeJoins()
    {
        for (auto first = m_needs.begin(); first != m_needs.end();) {
            const auto last = std::find_if(first, m_needs.end(), [&](const Need& need) {
                return need.actor != first->actor || need.target != first->target;
            });
            addTarget({first, last});
            first = last;
        }
        std::sort(m_result.ofTask.begin(), m_result.ofTask.end());
    }

    void addTarget(std::span<const Need> needs)
    {
        const std::uint32_t actor = needs.front().actor;
        std::vector<std::uint32_t> members{actor};
        for (const Need& need : needs) members.push_back(need.member);
        std::sort(members.begin(), members.end());
        if (!m_result.joins.empty()) {
            ReplayJoin& before = m_result.joins.back();
            const auto first = m_result.members.begin() + before.firstMember;
            if (before.actor == actor && std::equal(first, m_result.members.end(), members.begin(), members.end())) {
                m_result.targets.push_back(needs.front().target);
                ++before.targets;
                return;
            }
        }
        const auto join = static_cast<std::uint32_t>(m_result.joins.size());
        m_result.joins.push_back({.actor = actor,
                                  .firstMember = static_cast<std::uint32_t>(m_result.members.size()),
                                  .members = static_cast<std::uint32_t>(members.size()),
                                  .firstTarget = static_cast<std::uint32_t>(m_result.targets.size()),
                                  .targets = 1,
                                  .sharesRoles = !actedForBy(m_keptFor, actor).empty() || m_shares.contains(actor)});
        m_result.targets.push_back(needs.front().target);
        m_result.members.insert(m_result.members.end(), members.begin(), members.end());
        for (const std::uint32_t member : members) m_result.ofTask.push_back({member, join});
    }

    const ActivityGraph& m_graph;
    const JoinFacts& m_facts;
    std::vector<ActedFor> m_keptFor;  // sorted
    std::vector<ActedFor> m_actsFor;  // reductions: the actor is the manager's task; sorted
    std::unordered_map<std::uint32_t, std::uint32_t> m_counterOf;  // by actor: its first group
    std::unordered_set<std::uint32_t> m_shares;                    // actors
    std::vector<Need> m_needs;
    ReplayJoins m_result;
};

}  // namespace

ReplayJoins findJoins(const ActivityGraph& graph, const std::vector<MergeEdge>& inferred, const JoinFacts& facts)
{
    return JoinFinder(graph, facts).find(inferred);
}

}  // namespace longpole
