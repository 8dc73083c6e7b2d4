// SPDX-License-Identifier: GPL-3.0-or-later
// Tells silent executions from acting ones, then follows every object through its executions in time order.
#include "analysis/graph/buffermerges.h"

#include "analysis/base/timemedian.h"
#include "analysis/graph/activations.h"
#include "core/base/drawnhash.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace longpole {

namespace {

// logs of Projections count whole microseconds, so a duration of 0 may be up to 1 us; on average half of it
constexpr TimeNs clockError = 500;
constexpr std::int64_t shortness = 4;  // executions that only buffer take less than 1/4 of acting ones
// one case in so many decides: at least that share must act, at most that share may be exceptions
constexpr std::int64_t mostPerActing = 20;
constexpr std::size_t mostTriggers = 64;  // at most so many `when`s are noted for one block
// at most so many entry methods are noted that have buffered something on one object
constexpr std::size_t mostSilent = 64;

struct EntryTimes {
    TimeMedian silent;
    TimeMedian acting;
};

TimeNs timeOf(const ActivityGraph& graph, const Activation& activation)
{
    TimeNs time = graph.duration[activation.root];
    for (const std::uint32_t block : activation.blocks) time = saturatingAdd(time, graph.duration[block]);
    return time;
}

template <typename Test>
bool anyTask(const Activation& activation, Test test)
{
    return test(activation.root) || std::any_of(activation.blocks.begin(), activation.blocks.end(), test);
}

std::optional<BufferingEntry> buffering(std::uint32_t entry, const EntryTimes& times)
{
    const BufferingEntry row{.entry = EntryId{entry},
                             .silent = times.silent.count(),
                             .acting = times.acting.count(),
                             .silentMedian = times.silent.median(),
                             .actingMedian = times.acting.median()};
    if (row.silent == 0 || row.acting == 0) return std::nullopt;
    if (row.acting * mostPerActing < row.silent + row.acting) return std::nullopt;
    if (saturatingMultiply(std::max(row.silentMedian, clockError), shortness) >= row.actingMedian) return std::nullopt;
    return row;
}

// Follows the objects and makes the edges.
class ObjectWalk {
public:
    ObjectWalk(const ActivityGraph& graph, const TaskObjects& objects, const Buffering& buffering)
        : m_graph(graph), m_objects(objects), m_silent(buffering.silent), m_states(objects.objects)
    {
        for (const BufferingEntry& entry : buffering.entries) m_buffering[index(entry.entry)] = {};
    }

    std::vector<MergeEdge> edges()
    {
        forEachActivation(m_graph, m_objects, [this](const Activation& activation) { learn(activation); });
        forEachActivation(m_graph, m_objects, [this](const Activation& activation) { countOrder(activation); });
        std::fill(m_states.begin(), m_states.end(), State{});
        forEachActivation(m_graph, m_objects, [this](const Activation& activation) { follow(activation); });
        return std::move(m_edges);
    }

private:
    using Entries = std::set<std::uint32_t>;
    struct Step {
        std::uint32_t entry = 0xffffffffu;
        std::uint32_t task = noTask;
    };
    struct State {
        // by entry, for few entries: the last execution that only buffered, or only ran its body
        std::vector<Step> silent;
        Step turn;  // entry of the last block that was no body, and the last task of its activation
    };
    // How often a silent execution of an entry was followed on its object first by ...
    struct Followers {
        std::int64_t own = 0;     // ... another execution of the entry
        std::int64_t others = 0;  // ... an acting one of another buffering entry
        bool isJoint() const { return others > 0 && own * mostPerActing <= own + others; }
    };
    struct Queue {
        std::vector<std::uint32_t> tasks;
        std::size_t first = 0;
    };

    std::uint32_t entryOf(const Activation& activation) const { return m_graph.entry[activation.root]; }
    bool isSilent(const Activation& activation) const { return activation.isOfRoot && m_silent[activation.root]; }
    bool isWhen(const Activation& activation) const
    {
        return activation.isOfRoot && m_whens.contains(entryOf(activation));
    }

    // Notes which entry methods a block runs on from, and which blocks are bodies: those that silent executions run,
    // too.
    void learn(const Activation& activation)
    {
        if (activation.blocks.empty() || !activation.isOfRoot) return;
        m_whens.insert(entryOf(activation));
        Entries& triggers = m_triggers[m_graph.entry[activation.blocks.front()]];
        if (triggers.size() < mostTriggers) triggers.insert(entryOf(activation));
        if (!isSilent(activation)) return;
        for (const std::uint32_t block : activation.blocks) m_bodies[entryOf(activation)].insert(m_graph.entry[block]);
    }

    // The first block of an activation that is not just the body of its `when`, so that the program goes on with it;
    // noTask if there is none.
    std::uint32_t turnOf(const Activation& activation) const
    {
        if (isSilent(activation)) return noTask;
        const auto body = activation.isOfRoot ? m_bodies.find(entryOf(activation)) : m_bodies.end();
        for (const std::uint32_t block : activation.blocks)
            if (body == m_bodies.end() || !body->second.contains(m_graph.entry[block])) return block;
        return noTask;
    }

    void countOrder(const Activation& activation)
    {
        if (activation.blocks.empty()) return countFollowers(activation);
        const std::uint32_t turn = turnOf(activation);
        if (turn == noTask) return;
        State& state = m_states[activation.object];
        if (state.turn.task != noTask) {
            ++m_turns[m_graph.entry[turn]];
            ++m_order[{state.turn.entry, m_graph.entry[turn]}];
        }
        state.turn = {m_graph.entry[turn], activation.last()};
    }

    void countFollowers(const Activation& activation)
    {
        const auto entry = m_buffering.find(entryOf(activation));
        if (entry == m_buffering.end()) return;
        State& state = m_states[activation.object];
        if (const auto before = silentOf(state, entry->first); before != state.silent.end()) {
            ++entry->second.own;
            state.silent.erase(before);
        }
        if (isSilent(activation)) {
            keepSilent(state, {entry->first, activation.root});
            return;
        }
        for (const Step& step : state.silent) ++m_buffering[step.entry].others;
        state.silent.clear();
    }

    bool isProgramOrder(std::uint32_t before, std::uint32_t after) const
    {
        const auto pair = m_order.find({before, after});
        const auto all = m_turns.find(after);
        return pair != m_order.end() && all->second > 1 && (all->second - pair->second) * mostPerActing <= all->second;
    }

    void follow(const Activation& activation)
    {
        if (!activation.blocks.empty()) return followBlocks(activation);
        if (isWhen(activation)) {
            if (!m_objects.sends[activation.root])
                m_kept[{activation.object, entryOf(activation)}].tasks.push_back(activation.root);
            return;
        }
        const auto entry = m_buffering.find(entryOf(activation));
        if (entry == m_buffering.end()) return;
        State& state = m_states[activation.object];
        if (const auto before = silentOf(state, entry->first); before != state.silent.end()) {
            if (!entry->second.isJoint()) add(activation.root, before->task);
            state.silent.erase(before);
        }
        if (isSilent(activation)) {
            keepSilent(state, {entry->first, activation.root});
            return;
        }
        for (const Step& step : state.silent)
            if (m_buffering[step.entry].isJoint()) add(activation.root, step.task);
        std::erase_if(state.silent, [this](const Step& step) { return m_buffering[step.entry].isJoint(); });
    }

    void followBlocks(const Activation& activation)
    {
        takeKept(activation);
        State& state = m_states[activation.object];
        const auto before = activation.isOfRoot ? silentOf(state, entryOf(activation)) : state.silent.end();
        if (before != state.silent.end()) {
            add(activation.blocks.front(), before->task);
            state.silent.erase(before);
        }
        if (isSilent(activation)) {
            keepSilent(state, {entryOf(activation), activation.last()});
            return;
        }
        const std::uint32_t turn = turnOf(activation);
        if (turn == noTask) return;
        for (const Step& step : state.silent) add(turn, step.task);
        state.silent.clear();
        if (state.turn.task != noTask && isProgramOrder(state.turn.entry, m_graph.entry[turn]))
            add(turn, state.turn.task);
        state.turn = {m_graph.entry[turn], activation.last()};
    }

    // A block needs one message of each `when` that it is known to run on from. One came with the execution it runs on
    // from now; of every other `when` it takes the oldest that was kept.
    void takeKept(const Activation& activation)
    {
        for (const std::uint32_t block : activation.blocks) {
            const auto triggers = m_triggers.find(m_graph.entry[block]);
            if (triggers == m_triggers.end()) continue;
            for (const std::uint32_t when : triggers->second) {
                const bool isItsOwn = activation.isOfRoot && when == entryOf(activation);
                if (isItsOwn && block == activation.blocks.front()) continue;
                const auto kept = m_kept.find({activation.object, when});
                if (kept == m_kept.end()) continue;
                add(block, kept->second.tasks[kept->second.first++]);
                if (kept->second.first == kept->second.tasks.size()) m_kept.erase(kept);
            }
        }
    }

    static void keepSilent(State& state, Step step)
    {
        if (state.silent.size() < mostSilent) state.silent.push_back(step);
    }

    static std::vector<Step>::iterator silentOf(State& state, std::uint32_t entry)
    {
        return std::find_if(state.silent.begin(), state.silent.end(),
                            [entry](const Step& step) { return step.entry == entry; });
    }

    // Adds an edge that needs the whole source, which has ended by then unless clocks differ.
    void add(std::uint32_t task, std::uint32_t source)
    {
        if (source >= task || m_graph.source[task] == source) return;
        const TimeNs most = m_graph.begin[task] - m_graph.begin[source];
        m_edges.push_back({task, source, std::min<TimeNs>(m_graph.duration[source], most), MergeKind::Buffered});
    }

    const ActivityGraph& m_graph;
    const TaskObjects& m_objects;
    const std::vector<bool>& m_silent;
    std::vector<State> m_states;                  // by object
    Entries m_whens;                              // entry methods that blocks run on from
    std::map<std::uint32_t, Entries> m_triggers;  // by the entry of a block: the `when`s it runs on from
    std::map<std::uint32_t, Entries> m_bodies;    // by the entry of a `when`: the blocks that are its body
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> m_order;
    std::map<std::uint32_t, std::int64_t> m_turns;
    std::map<std::uint32_t, Followers> m_buffering;                   // by entry
    std::map<std::pair<std::uint32_t, std::uint32_t>, Queue> m_kept;  // by object and entry
    std::vector<MergeEdge> m_edges;
};

}  // namespace

Buffering findBuffering(const ActivityGraph& graph, const TaskObjects& objects, const std::vector<bool>& contributes)
{
    const auto acts = [&](std::uint32_t task) { return objects.sends[task] || contributes[task]; };
    std::map<std::uint32_t, EntryTimes> times;
    forEachActivation(graph, objects, [&](const Activation& activation) {
        if (!activation.isOfRoot) return;
        EntryTimes& known = times[graph.entry[activation.root]];
        (anyTask(activation, acts) ? known.acting : known.silent).add(timeOf(graph, activation));
    });
    Buffering result;
    result.silent.resize(graph.size());
    std::unordered_map<std::uint32_t, TimeNs, DrawnHash> actingMedian;
    for (const auto& [entry, known] : times)
        if (const std::optional<BufferingEntry> row = buffering(entry, known)) {
            result.entries.push_back(*row);
            actingMedian[entry] = row->actingMedian;
        }
    if (result.entries.empty()) return result;
    forEachActivation(graph, objects, [&](const Activation& activation) {
        const auto median = actingMedian.find(graph.entry[activation.root]);
        if (!activation.isOfRoot || median == actingMedian.end()) return;
        const bool isShort = saturatingMultiply(timeOf(graph, activation), shortness) < median->second;
        const bool isSending = anyTask(activation, [&](std::uint32_t task) { return bool(objects.sends[task]); });
        result.silent[activation.root] = isShort && !isSending;
    });
    return result;
}

std::vector<MergeEdge> bufferMerges(const ActivityGraph& graph, const TaskObjects& objects, const Buffering& buffering)
{
    return ObjectWalk(graph, objects, buffering).edges();
}

}  // namespace longpole
