// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/consequences.h"

#include "analysis/graph/programentry.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t mostWaitedFor = 64;  // processors; of more, only the one that ended last

// The last task of each processor that has begun, and the one before it, which has ended.
class LastTasks {
public:
    explicit LastTasks(std::size_t processors) : m_last(processors, noTask), m_before(processors, noTask) {}

    void add(std::uint32_t pe, std::uint32_t task)
    {
        m_before[pe] = m_last[pe];
        m_last[pe] = task;
    }

    // The last that had ended by then.
    std::uint32_t endedBy(const ActivityGraph& graph, std::uint32_t pe, TimeNs time) const
    {
        for (const std::uint32_t task : {m_last[pe], m_before[pe]})
            if (task != noTask && graph.end(task) <= time) return task;
        return noTask;
    }

private:
    std::vector<std::uint32_t> m_last;
    std::vector<std::uint32_t> m_before;
};

std::vector<std::uint32_t> causesOf(const ActivityGraph& graph, const LastTasks& last, std::uint32_t task,
                                    Consequence kind)
{
    std::vector<std::uint32_t> causes;
    for (std::uint32_t pe = 0; pe < graph.byProcessor.size(); ++pe)
        if (pe == graph.pe[task] || kind == Consequence::OfAll)
            if (const std::uint32_t cause = last.endedBy(graph, pe, graph.begin[task]); cause != noTask)
                causes.push_back(cause);
    const auto endsBefore = [&graph](std::uint32_t a, std::uint32_t b) { return graph.end(a) < graph.end(b); };
    if (causes.size() > mostWaitedFor) causes = {*std::max_element(causes.begin(), causes.end(), endsBefore)};
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
    LastTasks last(graph.byProcessor.size());
    for (std::uint32_t task = 0; task < end; ++task) {
        const std::uint32_t entry = graph.entry[task];
        const Consequence kind = entry < kinds.size() ? kinds[entry] : Consequence::None;
        if (kind != Consequence::None && isCandidate[task]) {
            TimeNs latest = minTime;
            for (const std::uint32_t cause : causesOf(graph, last, task, kind)) {
                found.edges.push_back({.task = task, .source = cause, .offset = graph.duration[cause]});
                latest = std::max(latest, graph.end(cause));
            }
            if (latest > minTime) {
                found.tasks.push_back(task);
                found.distance.push_back(graph.begin[task] - latest);
            }
        }
        last.add(graph.pe[task], task);
    }
    return found;
}

}  // namespace longpole
