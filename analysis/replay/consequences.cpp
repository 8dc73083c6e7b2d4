// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/consequences.h"

#include "analysis/graph/programentry.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace longpole {

namespace {

// a task waits for at most so many processors; of more, only for the one whose task ended last
constexpr std::size_t mostWaitedFor = 64;
// So many edges are made at most. From then on each task waits only for the processor whose task ended last.
constexpr std::size_t freeEdges = std::size_t{1} << 20, edgesPerTask = 2;

// Goes through time and knows of each processor the task that ended last.
class EndedTasks {
public:
    explicit EndedTasks(const ActivityGraph& graph) : m_graph(graph), m_last(graph.byProcessor.size(), noTask) {}

    void begin(std::uint32_t task)
    {
        m_running.emplace_back(m_graph.end(task), task);
        std::push_heap(m_running.begin(), m_running.end(), std::greater<>());
    }

    void advance(TimeNs time)
    {
        while (!m_running.empty() && m_running.front().first <= time) {
            std::pop_heap(m_running.begin(), m_running.end(), std::greater<>());
            const auto [end, task] = m_running.back();
            m_running.pop_back();
            const std::uint32_t pe = m_graph.pe[task];
            if (m_last[pe] == noTask && m_processors.size() <= mostWaitedFor)
                m_processors.insert(std::lower_bound(m_processors.begin(), m_processors.end(), pe), pe);
            m_last[pe] = task;
            const auto isLater = [this](std::uint32_t a, std::uint32_t b) {
                return std::pair(m_graph.end(a), m_graph.pe[b]) >= std::pair(m_graph.end(b), m_graph.pe[a]);
            };
            if (m_latest == noTask || isLater(task, m_latest)) m_latest = task;
        }
    }

    std::uint32_t lastOn(std::uint32_t pe) const { return m_last[pe]; }
    std::uint32_t latest() const { return m_latest; }  // noTask: none has ended
    // The processors on which a task has ended, ascending; once there are more than mostWaitedFor, not all of them are
    // listed.
    const std::vector<std::uint32_t>& processors() const { return m_processors; }

private:
    const ActivityGraph& m_graph;
    std::vector<std::pair<TimeNs, std::uint32_t>> m_running;  // a heap, the first to end on top
    std::vector<std::uint32_t> m_last;                        // by processor
    std::uint32_t m_latest = noTask;
    std::vector<std::uint32_t> m_processors;
};

std::vector<std::uint32_t> causesOf(const EndedTasks& ended, std::uint32_t pe, bool isOfAll, bool mayBeMany)
{
    if (!isOfAll) return ended.lastOn(pe) == noTask ? std::vector<std::uint32_t>() : std::vector{ended.lastOn(pe)};
    if (ended.latest() == noTask) return {};
    if (!mayBeMany || ended.processors().size() > mostWaitedFor) return {ended.latest()};
    std::vector<std::uint32_t> causes;
    for (const std::uint32_t processor : ended.processors()) causes.push_back(ended.lastOn(processor));
    return causes;
}

}  // namespace

std::vector<Consequence> consequencesOf(std::span<const Entry> entries)
{
    std::vector<Consequence> kinds;
    for (const Entry& entry : entries) {
        const std::size_t id = index(entry.id);
        if (id >= mostIds) continue;
        if (id >= kinds.size()) kinds.resize(id + 1, Consequence::None);
        if (entry.chare == QLatin1String("dummy_thread_chare")) kinds[id] = Consequence::OfProcessor;
        else if (entry.kind == EntryKind::System || isOfQuiescence(entry)) kinds[id] = Consequence::OfAll;
    }
    return kinds;
}

Consequences findConsequences(const ActivityGraph& graph, std::span<const Consequence> kinds, std::uint32_t end,
                              const std::vector<bool>& isCandidate)
{
    Consequences found;
    if (std::all_of(kinds.begin(), kinds.end(), [](Consequence kind) { return kind == Consequence::None; }))
        return found;
    const std::size_t mostEdges = freeEdges + edgesPerTask * graph.size();
    EndedTasks ended(graph);
    for (std::uint32_t task = 0; task < end; ++task) {
        ended.advance(graph.begin[task]);
        const std::uint32_t entry = graph.entry[task];
        const Consequence kind = entry < kinds.size() ? kinds[entry] : Consequence::None;
        if (kind != Consequence::None && isCandidate[task]) {
            TimeNs latest = minTime;
            for (const std::uint32_t cause :
                 causesOf(ended, graph.pe[task], kind == Consequence::OfAll, found.edges.size() < mostEdges)) {
                found.edges.push_back({.task = task, .source = cause, .offset = graph.duration[cause]});
                latest = std::max(latest, graph.end(cause));
            }
            if (latest > minTime) {
                found.tasks.push_back(task);
                found.distance.push_back(graph.begin[task] - latest);
            }
        }
        ended.begin(task);
    }
    return found;
}

}  // namespace longpole
