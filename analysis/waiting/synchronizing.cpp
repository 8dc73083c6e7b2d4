// SPDX-License-Identifier: GPL-3.0-or-later
// Which entry methods end a synchronization: by the run-time system's names, by who broadcasts, by who gathers.
#include "analysis/waiting/idlelabels.h"

#include "core/base/result.h"
#include "core/store/rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace longpole {

namespace {

bool isAnyOf(const QString& text, std::initializer_list<const char*> names)
{
    return std::any_of(names.begin(), names.end(), [&text](const char* name) { return text == QLatin1String(name); });
}

// Whether reductions, barriers and quiescence detection run through this entry method; constructors do no such thing.
bool isCarrying(const Entry& entry)
{
    if (isAnyOf(entry.chare, {"CkReductionMgr", "CkNodeReductionMgr", "CkArrayReductionMgr",
                              "CProxy_CkArrayReductionMgr", "CkSyncBarrier", "waitqd_QDChare", "MetaBalancerRedn"}))
        return !entry.name.startsWith(entry.chare);
    return entry.kind == EntryKind::System
           && (entry.name.contains(QLatin1String("CkQdMsg"))
               || entry.name.contains(QLatin1String("barrier"), Qt::CaseInsensitive));
}

// Whether it is one of those, or gets the message with their result.
bool isNamedSynchronizing(const Entry& entry)
{
    return isCarrying(entry) || entry.name.contains(QLatin1String("CkReductionMsg"))
           || entry.name.startsWith(QLatin1String("redn_wrapper_")) || entry.name.contains(QLatin1String("CkQdMsg"));
}

struct Creations {
    std::int64_t all = 0, ofResults = 0;  // executions
};

// Counts the broadcasts that a PE sent, by the entry method that they start.
Result<> countBroadcasts(const TraceStore& store, const Processor& processor, const std::vector<bool>& synchronizing,
                         std::vector<Creations>& creations, const Progress& progress)
{
    RowSeeker<TaskRow> tasks(store, processor.track, TaskRow::Entry);
    RowSeeker<ExecutionsRow> executions(store, processor.track, ExecutionsRow::Executions);
    auto messages = store.rows<MessageRow>(processor.track, MessageRow::Task | MessageRow::Entry | MessageRow::Kind,
                                           {.progress = &progress});
    for (const MessageRow& message : messages) {
        const std::size_t entry = index(message.entry());
        if (entry >= creations.size()) continue;
        const Result<const ExecutionsRow*> executed = executions.find(message.number());
        if (!executed) return executed.error();
        const std::int64_t count = *executed != nullptr ? (*executed)->executions() : 1;
        addSaturating(creations[entry].all, count);
        // A broadcast to an array is logged as one message, which many tasks execute.
        if (message.messageKind() != MessageKind::Broadcast && count < 2) continue;
        const Result<const TaskRow*> task = tasks.find(message.task().value_or(-1));
        if (!task) return task.error();
        const std::size_t sender = *task != nullptr ? index((*task)->entry()) : synchronizing.size();
        if (sender < synchronizing.size() && synchronizing[sender]) addSaturating(creations[entry].ofResults, count);
    }
    return messages.result();
}

}  // namespace

namespace {

std::vector<bool> entriesThat(const TraceStore& store, bool (*fits)(const Entry&))
{
    std::vector<bool> found;
    for (const Entry& entry : store.entries()) {
        if (index(entry.id) >= mostIds) continue;
        if (index(entry.id) >= found.size()) found.resize(index(entry.id) + std::size_t{1});
        found[index(entry.id)] = fits(entry);
    }
    return found;
}

}  // namespace

std::vector<bool> carryingEntries(const TraceStore& store) { return entriesThat(store, isCarrying); }

Result<std::vector<bool>> synchronizingEntries(const TraceStore& store, const Progress& progress)
{
    std::vector<bool> synchronizing = entriesThat(store, isNamedSynchronizing);
    std::vector<Creations> creations(synchronizing.size());
    for (const Processor& processor : store.processors())
        if (const Result<> counted = countBroadcasts(store, processor, synchronizing, creations, progress); !counted)
            return counted.error();
    for (std::size_t entry = 0; entry < creations.size(); ++entry)
        if (saturatingMultiply(creations[entry].ofResults, 2) > creations[entry].all) synchronizing[entry] = true;
    return synchronizing;
}

namespace {

// A task that started tasks of one entry method on every processor.
struct Burst {
    std::uint32_t source = noTask, entry = 0;
    std::int64_t tasks = 0;
};

std::vector<Burst> bursts(const ActivityGraph& graph)
{
    std::vector<std::uint32_t> children(graph.size());
    const auto sourceOf = [&graph](std::uint32_t task) {
        return (graph.flags[task] & ActivityGraph::BlockEdge) != 0 ? noTask : graph.source[task];
    };
    for (std::uint32_t task = 0; task < graph.size(); ++task)
        if (const std::uint32_t source = sourceOf(task); source != noTask) ++children[source];
    struct Started {
        std::uint32_t source, entry, pe;
    };
    std::vector<Started> started;
    for (std::uint32_t task = 0; task < graph.size(); ++task)
        if (const std::uint32_t source = sourceOf(task); source != noTask && children[source] >= graph.processors)
            started.push_back({source, graph.entry[task], graph.pe[task]});
    std::sort(started.begin(), started.end(), [](const Started& a, const Started& b) {
        return std::tie(a.source, a.entry, a.pe) < std::tie(b.source, b.entry, b.pe);
    });
    std::vector<Burst> found;
    for (std::size_t first = 0, last = 0; first < started.size(); first = last) {
        std::uint32_t distinct = 0;
        for (last = first; last < started.size() && started[last].source == started[first].source
                           && started[last].entry == started[first].entry;
             ++last)
            if (last == first || started[last].pe != started[last - 1].pe) ++distinct;
        if (distinct == graph.processors)
            found.push_back({started[first].source, started[first].entry, static_cast<std::int64_t>(last - first)});
    }
    return found;
}

// How many executions of each entry method were begun by messages.
std::vector<std::int64_t> begunByMessages(const ActivityGraph& graph)
{
    std::vector<std::int64_t> counts(graph.exclusiveByEntry.size());
    for (std::uint32_t task = 0; task < graph.size(); ++task)
        if ((graph.flags[task] & ActivityGraph::BlockEdge) == 0 && graph.entry[task] < counts.size())
            ++counts[graph.entry[task]];
    return counts;
}

std::vector<bool> mostOf(const std::vector<std::int64_t>& counts, const std::vector<std::int64_t>& all)
{
    std::vector<bool> most(all.size());
    for (std::size_t entry = 0; entry < all.size(); ++entry) most[entry] = 2 * counts[entry] > all[entry];
    return most;
}

// Follows objects whose entry methods start something on every processor: from which processors each has heard.
class Gatherings {
public:
    Gatherings(const ActivityGraph& graph, const TaskObjects& objects, const std::vector<Burst>& found)
        : m_graph(graph), m_objects(objects), m_bursts(found), m_gathers(graph.exclusiveByEntry.size())
    {
        for (const Burst& burst : found)
            if (m_graph.entry[burst.source] < m_gathers.size()) m_gathers[m_graph.entry[burst.source]] = true;
    }

    // Calls complete(burst, executions) for each burst that completes a gathering: by executions of the entry method
    // that sent it, the object had heard exactly once from every processor since its last burst.
    template <typename Complete>
    void forEachComplete(Complete complete)
    {
        auto burst = m_bursts.begin();  // by source, and so in order of time
        for (std::uint32_t task = 0; task < m_graph.size() && burst != m_bursts.end(); ++task) {
            const std::uint32_t entry = m_graph.entry[task];
            if (entry >= m_gathers.size() || !m_gathers[entry]) continue;
            const bool isPlaced = m_objects.object[task] == noObject;
            Heard& heard = m_heard[{entry, isPlaced, isPlaced ? m_graph.pe[task] : m_objects.object[task]}];
            if (const std::uint32_t from = m_graph.source[task]; from != noTask) heard.pes.insert(m_graph.pe[from]);
            ++heard.executions;
            if (burst->source != task) continue;
            const bool isComplete = heard.pes.size() == m_graph.processors && heard.executions == m_graph.processors;
            for (; burst != m_bursts.end() && burst->source == task; ++burst)
                if (isComplete) complete(*burst, heard.executions);
            heard = {};
        }
    }

private:
    struct Heard {
        std::set<std::uint32_t> pes{};
        std::int64_t executions = 0;
    };
    const ActivityGraph& m_graph;
    const TaskObjects& m_objects;
    const std::vector<Burst>& m_bursts;
    std::vector<bool> m_gathers;
    std::map<std::tuple<std::uint32_t, bool, std::uint32_t>, Heard> m_heard;  // by entry and object, or PE
};

}  // namespace

std::vector<bool> spreadEntries(const ActivityGraph& graph)
{
    const std::vector<std::int64_t> all = begunByMessages(graph);
    std::vector<std::int64_t> spread(all.size());
    if (graph.processors > 1)
        for (const Burst& burst : bursts(graph))
            if (burst.entry < spread.size()) spread[burst.entry] += burst.tasks;
    return mostOf(spread, all);
}

GatheredEntries gatheredEntries(const ActivityGraph& graph, const TaskObjects& objects)
{
    const std::vector<std::int64_t> all = begunByMessages(graph);
    std::vector<std::int64_t> taking(all.size()), gathering(all.size());
    if (graph.processors > 1) {
        const std::vector<Burst> found = bursts(graph);
        std::uint32_t counted = noTask;  // a gatherer may start several entry methods everywhere
        Gatherings(graph, objects, found).forEachComplete([&](const Burst& burst, std::int64_t gathered) {
            if (burst.entry < taking.size()) taking[burst.entry] += burst.tasks;
            if (burst.source != counted) gathering[graph.entry[burst.source]] += gathered;
            counted = burst.source;
        });
    }
    return {mostOf(gathering, all), mostOf(taking, all)};
}

}  // namespace longpole
