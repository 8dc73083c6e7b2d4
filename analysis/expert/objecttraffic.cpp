// SPDX-License-Identifier: GPL-3.0-or-later
// Adds bytes up by pairs of objects, then moves objects greedily to the node they exchange most with.
#include "analysis/expert/objecttraffic.h"

#include "analysis/base/naming.h"
#include "analysis/graph/taskobjects.h"
#include "core/base/drawnhash.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/format.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace longpole {

namespace {

constexpr std::size_t shown = 3;
constexpr double mostAboveMean = 1.25;

struct PairBytes {
    std::uint32_t a = 0, b = 0;  // objects, a < b
    std::int64_t bytes = 0;
};

struct PairHash {
    std::size_t operator()(std::uint64_t pair) const { return static_cast<std::size_t>(drawnHash(pair)); }
};

class Traffic {
public:
    Traffic(const TraceStore& store, const ActivityGraph& graph, const TaskObjects& objects)
        : m_store(store), m_graph(graph), m_objects(objects), m_node(nodesOf(store)), m_home(objects.objects),
          m_load(objects.objects), m_example(objects.objects, noTask)
    {
        // Communication threads, which are on no list of nodes, run entry methods too.
        m_node.resize(std::max(m_node.size(), graph.byProcessor.size()));
        for (const Processor& processor : store.processors())
            if (index(processor.pe) < m_node.size()) m_node[index(processor.pe)] = processor.node;
        // A store may number its few nodes as it likes.
        std::vector<std::uint32_t> numbers = m_node;
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        m_nodes = numbers.empty() ? 0 : double(numbers.back()) + 1;
        for (std::uint32_t& node : m_node)
            node = static_cast<std::uint32_t>(std::lower_bound(numbers.begin(), numbers.end(), node) - numbers.begin());
        for (std::uint32_t task = 0; task < graph.size(); ++task)
            if (const std::uint32_t object = objects.object[task]; object != noObject) {
                addSaturating(m_load[object], graph.duration[task]);
                m_home[object] = m_node[graph.pe[task]];
                m_example[object] = task;
            }
    }

    Result<ObjectTraffic> find(const Progress& progress)
    {
        for (std::uint32_t pe = 0; pe < m_graph.byProcessor.size(); ++pe)
            if (const Result<> added = addProcessor(pe, progress); !added) return added.error();
        for (const auto& [key, bytes] : m_pairs)
            m_sorted.push_back({static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), bytes});
        std::sort(m_sorted.begin(), m_sorted.end(), [](const PairBytes& a, const PairBytes& b) {
            return a.bytes != b.bytes ? a.bytes > b.bytes : std::pair(a.a, a.b) < std::pair(b.a, b.b);
        });
        for (const PairBytes& pair : m_sorted)
            if (m_home[pair.a] != m_home[pair.b] && m_result.pairs.size() < shown)
                m_result.pairs.push_back({nameOf(pair.a), nameOf(pair.b), pair.bytes});
        move();
        return std::move(m_result);
    }

private:
    Result<> addProcessor(std::uint32_t pe, const Progress& progress)
    {
        const Processor* processor = m_store.processor(ProcessorId{pe});
        if (processor == nullptr) return Unit{};
        RowSeeker<TaskRow> rows(m_store, processor->track, TaskRow::Bytes);
        for (const std::uint32_t task : m_graph.byProcessor[pe]) {
            const std::uint32_t source = m_graph.source[task];
            if (source == noTask || (m_graph.flags[task] & ActivityGraph::BlockEdge) != 0) continue;
            const Result<const TaskRow*> row = rows.find(m_graph.taskIndex[task]);
            if (!row) return row.error();
            if (*row == nullptr) continue;
            const std::int64_t bytes = (*row)->bytes();
            const bool isRemote = m_node[pe] != m_node[m_graph.pe[source]];
            addSaturating(m_result.bytes, bytes);
            if (isRemote) addSaturating(m_result.remoteBytes, bytes);
            const std::uint32_t a = m_objects.object[source], b = m_objects.object[task];
            if (a == b) continue;
            if (a == noObject || b == noObject) addSaturating(m_fixed, isRemote ? bytes : 0);
            else addSaturating(m_pairs[std::uint64_t(std::min(a, b)) << 32 | std::max(a, b)], bytes);
        }
        if (progress.isCancelled()) return cancelledError();
        return Unit{};
    }

    bool canMove(std::uint32_t object) const
    {
        if (m_example[object] == noTask) return false;
        const Entry* entry = m_store.entry(EntryId{m_graph.entry[m_example[object]]});
        if (entry == nullptr) return false;
        const Chare* const chare = findChare(m_store, entry->chareId);
        return chare != nullptr && chare->dimensions > 0;
    }

    QString nameOf(std::uint32_t object) const
    {
        if (m_example[object] == noTask) return tr("an object");
        const Entry* entry = m_store.entry(EntryId{m_graph.entry[m_example[object]]});
        const Result<TaskDetail> task = m_store.task(m_graph.id(m_example[object]));
        if (!task || entry == nullptr) return tr("an object");
        const Chare* const chare = findChare(m_store, entry->chareId);
        return chare != nullptr ? objectName(*chare, task->objectIndex) : entry->chare;
    }

    // Objects with most bytes first; each once to the node it exchanges most with, if that has room.
    void move()
    {
        std::vector<TimeNs> load(m_node.size());  // by node
        for (std::size_t object = 0; object < m_home.size(); ++object)
            addSaturating(load[m_home[object]], m_load[object]);
        const double room = mostAboveMean * double(std::accumulate(load.begin(), load.end(), TimeNs{0}, saturatingAdd))
                            / m_nodes;
        std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> partners(m_home.size());
        std::vector<std::int64_t> exchanged(m_home.size());
        for (const PairBytes& pair : m_sorted) {
            partners[pair.a].emplace_back(pair.b, pair.bytes);
            partners[pair.b].emplace_back(pair.a, pair.bytes);
            addSaturating(exchanged[pair.a], pair.bytes);
            addSaturating(exchanged[pair.b], pair.bytes);
        }
        std::vector<std::uint32_t> order(m_home.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return exchanged[a] > exchanged[b]; });
        std::vector<std::int64_t> to(m_node.size());  // of the object that is looked at
        for (const std::uint32_t object : order) {
            if (exchanged[object] == 0 || !canMove(object)) continue;
            for (const auto& [partner, bytes] : partners[object]) to[m_home[partner]] = 0;
            to[m_home[object]] = 0;
            for (const auto& [partner, bytes] : partners[object]) addSaturating(to[m_home[partner]], bytes);
            std::uint32_t best = m_home[object];
            for (const auto& [partner, bytes] : partners[object]) {
                const std::uint32_t node = m_home[partner];
                if (to[node] > to[best] || (to[node] == to[best] && node < best)) best = node;
            }
            if (to[best] <= to[m_home[object]] || double(load[best] + m_load[object]) > room) continue;
            load[m_home[object]] -= m_load[object];
            addSaturating(load[best], m_load[object]);
            m_home[object] = best;
            ++m_result.moves;
        }
        m_result.remoteAfter = m_fixed;
        for (const PairBytes& pair : m_sorted)
            if (m_home[pair.a] != m_home[pair.b]) addSaturating(m_result.remoteAfter, pair.bytes);
    }

    const TraceStore& m_store;
    const ActivityGraph& m_graph;
    const TaskObjects& m_objects;
    std::vector<std::uint32_t> m_node;     // by PE, numbered anew
    double m_nodes = 0;                    // as they were numbered
    std::vector<std::uint32_t> m_home;     // node, by object: where it ran last
    std::vector<TimeNs> m_load;            // by object
    std::vector<std::uint32_t> m_example;  // a task of it
    std::unordered_map<std::uint64_t, std::int64_t, PairHash> m_pairs;
    std::vector<PairBytes> m_sorted;
    std::int64_t m_fixed = 0;  // remote bytes of what has no object
    ObjectTraffic m_result;
};

}  // namespace

std::vector<std::uint32_t> nodesOf(const TraceStore& store)
{
    std::vector<std::uint32_t> nodes;
    for (const Processor& processor : store.processors()) {
        if (processor.kind == TrackKind::CommThread) continue;
        if (index(processor.pe) >= nodes.size()) nodes.resize(index(processor.pe) + std::size_t{1});
        nodes[index(processor.pe)] = processor.node;
    }
    return nodes;
}

Result<ObjectTraffic> objectTraffic(const TraceStore& store, const ActivityGraph& graph, const Progress& progress)
{
    const Result<TaskObjects> objects = taskObjects(store, graph, progress);
    if (!objects) return objects.error();
    return Traffic(store, graph, *objects).find(progress);
}

}  // namespace longpole
