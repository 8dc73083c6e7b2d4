// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/joins.h"

#include "analysis/base/bigarray.h"
#include "core/base/limits.h"
#include "core/base/sortrows.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <span>
#include <utility>

namespace longpole {

namespace {

// A task whose message was only kept, and the later task that acted on it.
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

// Which list holds the members of a demand.
enum class MemberList : std::uint8_t { Kept, Block, Counter, Reduction };

// Tasks that the actor's messages start can run only after all members of a list have run. Which of these tasks: one,
// those of one entry method, or all that are no Structured Dagger blocks.
struct Demand {
    std::uint32_t actor = noTask;
    std::uint32_t target = noTask;  // noTask: all
    std::uint32_t entry = noTask;   // of the targets; noTask: any
    MemberList list = MemberList::Kept;
    std::uint32_t number = 0;  // which list of that kind
    friend auto operator<=>(const Demand&, const Demand&) = default;
};

// A task that an actor's message started.
struct Target {
    std::uint32_t actor;
    std::uint32_t task;
    friend auto operator<=>(const Target&, const Target&) = default;
};

// Members are looked up once for all targets that need the same: a result may go to as many as contributed to it.
class JoinFinder {
public:
    JoinFinder(const ActivityGraph& graph, const JoinFacts& facts, const Progress& progress)
        : m_graph(graph), m_facts(facts), m_progress(progress),
          m_left(limits::joinMembers.of(static_cast<std::int64_t>(graph.size())))
    {
    }

    ReplayJoins find(const std::vector<MergeEdge>& inferred)
    {
        gatherBuffered(inferred);
        if (m_facts.reductions != nullptr) gatherReductions(*m_facts.reductions);
        if (m_facts.counters != nullptr) gatherCounters(*m_facts.counters);
        sortRows(m_demands, m_progress);
        const std::vector<Target> targets = targetsOfActors();
        auto demand = m_demands.cbegin();
        for (auto first = targets.begin(); first != targets.end() && m_left > 0 && !m_progress.isCancelled();) {
            const std::uint32_t actor = first->actor;
            const auto last = std::find_if(first, targets.end(), [&](const Target& one) { return one.actor != actor; });
            while (demand->actor != actor) ++demand;
            const auto end = std::find_if(demand, m_demands.cend(),
                                          [&](const Demand& one) { return one.actor != actor; });
            makeJoins({first, last}, {demand, end});
            first = last;
            demand = end;
        }
        sortRows(m_result.ofTask, m_progress);
        m_result.members.shrink_to_fit();
        m_result.ofTask.shrink_to_fit();
        return std::move(m_result);
    }

private:
    bool isBlock(std::uint32_t task) const
    {
        return (m_graph.flags[task] & ActivityGraph::BlockEdge) != 0 && m_graph.source[task] != noTask;
    }

    // Finds the executions that only kept a message, and which later one acts on it. There may be as many as tasks, so
    // they stand in arrays: a map would take ten times the memory.
    void gatherBuffered(const std::vector<MergeEdge>& inferred)
    {
        std::vector<std::uint32_t> next = bigArray(m_graph.size(), noTask);
        for (const MergeEdge& edge : inferred) {
            if (edge.kind != MergeKind::Buffered) continue;
            if (isBlock(edge.task)) {
                demand({m_graph.source[edge.task], edge.task, noTask, MemberList::Block,
                        static_cast<std::uint32_t>(m_blockMembers.size())});
                m_blockMembers.push_back(edge.source);
            } else {
                next[edge.source] = edge.task;
            }
        }
        // Goes backwards: whoever acts comes last, so what a later task leads to is known when an earlier one needs it.
        const auto isKept = [](std::uint32_t task) { return task != noTask; };
        for (std::size_t task = next.size(); task-- > 0;)
            if (isKept(next[task]) && isKept(next[next[task]])) next[task] = next[next[task]];
        m_keptFor.reserve(static_cast<std::size_t>(std::count_if(next.begin(), next.end(), isKept)));
        for (std::uint32_t task = 0; task < next.size(); ++task)
            if (isKept(next[task])) m_keptFor.push_back({next[task], task});
        sortRows(m_keptFor, m_progress);
        for (std::size_t i = 0; i < m_keptFor.size(); ++i)
            if (i == 0 || m_keptFor[i].actor != m_keptFor[i - 1].actor)
                demand({m_keptFor[i].actor, noTask, noTask, MemberList::Kept, m_keptFor[i].actor});
    }

    void gatherCounters(const Counters& counters)
    {
        for (std::uint32_t g = 0; g < counters.groups.size(); ++g)
            demand({counters.groups[g].actor, noTask, counters.groups[g].target, MemberList::Counter, g});
    }

    void gatherReductions(const Reductions& reductions)
    {
        for (std::uint32_t g = 0; g < reductions.groups.size(); ++g) {
            const ReductionGroup& group = reductions.groups[g];
            const std::uint32_t pe = m_graph.pe[reductions.sources[group.firstSource]];
            for (std::size_t t = group.firstTarget; t < group.firstTarget + group.targets; ++t) {
                const std::uint32_t target = reductions.targets[t];
                const std::uint32_t sender = m_graph.source[target];
                const bool isSentByElement = sender != noTask && m_graph.pe[sender] == pe;
                if (isSentByElement) demand({sender, target, noTask, MemberList::Reduction, g});
                else demand({target, noTask, noTask, MemberList::Reduction, g});
            }
        }
    }

    void demand(const Demand& one) { m_demands.push_back(one); }

    // All tasks that messages of actors started, sorted.
    std::vector<Target> targetsOfActors() const
    {
        std::vector<bool> isActor(m_graph.size());
        for (const Demand& one : m_demands) isActor[one.actor] = true;
        std::vector<Target> targets;
        for (std::uint32_t task = 0; task < m_graph.size(); ++task)
            if (const std::uint32_t actor = m_graph.source[task]; actor != noTask && isActor[actor])
                targets.push_back({actor, task});
        sortRows(targets, m_progress);
        return targets;
    }

    bool isFor(const Demand& one, std::uint32_t target) const
    {
        if (one.target != noTask) return one.target == target;
        return !isBlock(target) && (one.entry == noTask || one.entry == m_graph.entry[target]);
    }

    // Makes the joins of one actor. Each demand that is looked at counts as a member against m_left, so that many
    // demands of many targets end, too.
    void makeJoins(std::span<const Target> targets, std::span<const Demand> demands)
    {
        // The demands are sorted: those for one target stand first, in the order of targets.
        const auto ofAll = std::find_if(demands.begin(), demands.end(),
                                        [](const Demand& one) { return one.target == noTask; });
        auto ofOne = demands.begin();
        bool sharesRoles = !actedForBy(m_keptFor, targets.front().actor).empty();
        for (auto one = ofAll; one != demands.end() && !sharesRoles; ++one) {
            if (one->list != MemberList::Counter || !m_facts.counters->groups[one->number].sharesRoles) continue;
            sharesRoles = std::any_of(targets.begin(), targets.end(),
                                      [&](const Target& target) { return isFor(*one, target.task); });
            m_left -= static_cast<std::int64_t>(targets.size());
        }
        std::vector<Demand> before, now;
        std::vector<std::uint32_t> members;  // of the demands in `before`
        std::ptrdiff_t needed = 0;           // how many of these the target before needed
        for (const Target& target : targets) {
            now.clear();
            while (ofOne != ofAll && ofOne->target < target.task) ++ofOne;
            for (; ofOne != ofAll && ofOne->target == target.task; ++ofOne) now.push_back(*ofOne);
            std::copy_if(ofAll, demands.end(), std::back_inserter(now),
                         [&](const Demand& one) { return isFor(one, target.task); });
            m_left -= (demands.end() - ofAll) + 1;
            if (!isSame(now, before)) {
                members = membersOf(now);
                before = now;
                needed = 0;
            }
            if (m_left <= 0) return;
            const auto end = std::lower_bound(members.begin(), members.end(), target.task);
            if (end == members.begin()) continue;
            if (std::exchange(needed, end - members.begin()) == end - members.begin()) addToLast(target);
            else addTarget(target, {members.begin(), end}, sharesRoles);
        }
    }

    // Whether two lists of demands need the same members, whatever targets they are for.
    static bool isSame(const std::vector<Demand>& a, const std::vector<Demand>& b)
    {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Demand& one, const Demand& other) {
            return one.list == other.list && one.number == other.number;
        });
    }

    // The members that the demands name, ascending, without the actor. Where a member of a reduction acted on kept
    // messages, the executions that kept them are members, too.
    std::vector<std::uint32_t> membersOf(const std::vector<Demand>& demands)
    {
        std::vector<std::uint32_t> members;
        const auto add = [&](std::uint32_t member) {
            if (m_left-- > 0) members.push_back(member);
        };
        for (const Demand& one : demands) {
            if (one.list == MemberList::Kept)
                for (const ActedFor& kept : actedForBy(m_keptFor, one.actor)) add(kept.task);
            if (one.list == MemberList::Block) add(m_blockMembers[one.number]);
            if (one.list == MemberList::Counter) {
                const CounterGroup& group = m_facts.counters->groups[one.number];
                for (std::size_t m = 0; m < group.members; ++m) add(m_facts.counters->members[group.firstMember + m]);
            }
            if (one.list == MemberList::Reduction) {
                const ReductionGroup& group = m_facts.reductions->groups[one.number];
                for (std::size_t m = 0; m < group.sources; ++m) {
                    const std::uint32_t source = m_facts.reductions->sources[group.firstSource + m];
                    add(source);
                    for (const ActedFor& kept : actedForBy(m_keptFor, source)) add(kept.task);
                }
            }
        }
        std::sort(members.begin(), members.end());
        members.erase(std::unique(members.begin(), members.end()), members.end());
        if (!demands.empty()) std::erase(members, demands.front().actor);
        return members;
    }

    void addToLast(const Target& target)
    {
        m_result.targets.push_back(target.task);
        ++m_result.joins.back().targets;
    }

    void addTarget(const Target& target, std::span<const std::uint32_t> needed, bool sharesRoles)
    {
        const std::uint32_t actor = target.actor;
        m_left -= static_cast<std::int64_t>(needed.size());
        if (!m_result.joins.empty() && m_result.joins.back().actor == actor
            && hasMembers(m_result.joins.back(), needed))
            return addToLast(target);
        const auto join = static_cast<std::uint32_t>(m_result.joins.size());
        const auto first = static_cast<std::uint32_t>(m_result.members.size());
        const auto place = std::lower_bound(needed.begin(), needed.end(), actor);
        m_result.members.insert(m_result.members.end(), needed.begin(), place);
        m_result.members.push_back(actor);
        m_result.members.insert(m_result.members.end(), place, needed.end());
        m_result.joins.push_back({.actor = actor,
                                  .firstMember = first,
                                  .members = static_cast<std::uint32_t>(needed.size() + 1),
                                  .firstTarget = static_cast<std::uint32_t>(m_result.targets.size()),
                                  .targets = 1,
                                  .sharesRoles = sharesRoles});
        m_result.targets.push_back(target.task);
        for (std::size_t m = first; m < m_result.members.size(); ++m)
            m_result.ofTask.push_back({m_result.members[m], join});
    }

    // Whether the members of the join are those needed and the actor.
    bool hasMembers(const ReplayJoin& join, std::span<const std::uint32_t> needed) const
    {
        if (join.members != needed.size() + 1) return false;
        const auto first = m_result.members.begin() + join.firstMember;
        const auto actor = std::lower_bound(first, first + join.members, join.actor);
        return std::equal(first, actor, needed.begin())
               && std::equal(actor + 1, first + join.members, needed.begin() + (actor - first));
    }

    const ActivityGraph& m_graph;
    const JoinFacts& m_facts;
    const Progress& m_progress;
    std::int64_t m_left;                        // members that may still be looked at
    std::vector<ActedFor> m_keptFor;            // sorted
    std::vector<std::uint32_t> m_blockMembers;  // by number of the list, for demands of kind Block
    std::vector<Demand> m_demands;
    ReplayJoins m_result;
};

}  // namespace

ReplayJoins findJoins(const ActivityGraph& graph, const std::vector<MergeEdge>& inferred, const JoinFacts& facts,
                      const Progress& progress)
{
    return JoinFinder(graph, facts, progress).find(inferred);
}

}  // namespace longpole
