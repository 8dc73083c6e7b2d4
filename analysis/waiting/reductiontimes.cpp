// SPDX-License-Identifier: GPL-3.0-or-later
// One pass over the tasks: each manager's task knows the contributions below it when the next one above comes.
#include "analysis/waiting/reductiontimes.h"

#include "analysis/graph/graphquestions.h"
#include "analysis/graph/reductionmerges.h"
#include "core/base/timerange.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace longpole {

namespace {

struct Contributions {
    TimeNs first = maxTime, last = minTime;
    std::int64_t count = 0;

    void add(const Contributions& others)
    {
        first = std::min(first, others.first);
        last = std::max(last, others.last);
        count += others.count;
    }
};

class Pass {
public:
    Pass(const ActivityGraph& graph, const std::vector<MergeEdge>& merges, std::span<const Entry> entries)
        : m_graph(graph), m_merges(merges), m_isManager(reductionManagers(entries))
    {
    }

    ReductionTimes run()
    {
        auto next = m_merges.begin();
        for (std::uint32_t task = 0; task < m_graph.size(); ++task) {
            Contributions own;
            for (; next != m_merges.end() && next->task == task; ++next)
                if (next->kind == MergeKind::Reduction) own.add(of(next->source, next->offset));
            const bool hasSender = m_graph.source[task] != noTask
                                   && (m_graph.flags[task] & ActivityGraph::BlockEdge) == 0;
            const std::uint32_t sender = hasSender ? m_graph.source[task] : noTask;
            if (isManager(task)) {
                if (sender != noTask) own.add(of(sender, m_graph.offset[task]));
                if (own.count > 0) m_below[task] = own;
            } else if (sender != noTask && (own.count > 0 || m_below.contains(sender))) {
                own.add(of(sender, m_graph.offset[task]));
                add(task, {sender, m_graph.offset[task]}, own);
            }
        }
        return times();
    }

private:
    // What sent a result: a task, and when, since it began.
    using Sending = std::pair<std::uint32_t, TimeNs>;

    bool isManager(std::uint32_t task) const
    {
        const std::uint32_t entry = m_graph.entry[task];
        return entry < m_isManager.size() && m_isManager[entry];
    }
    Contributions of(std::uint32_t task, TimeNs offset) const
    {
        if (const auto below = m_below.find(task); below != m_below.end()) return below->second;
        if (isManager(task)) return {};  // nothing is known of what came to it
        const TimeNs time = m_graph.begin[task] + offset;
        return {time, time, 1};
    }
    void add(std::uint32_t task, const Sending& sending, const Contributions& own)
    {
        const auto [known, isNew] = m_results.try_emplace(sending, Outcome{own, maxTime});
        known->second.begin = std::min(known->second.begin, m_graph.begin[task]);
    }

    ReductionTimes times() const
    {
        ReductionTimes found;
        for (const auto& [sending, result] : m_results) {
            if (result.contributions.count < 2) continue;
            addSaturating(found.spread, result.contributions.last - result.contributions.first);
            addSaturating(found.tree, std::max<TimeNs>(0, result.begin - result.contributions.last));
            ++found.count;
        }
        if (found.count == 0) return found;
        found.spread /= found.count;
        found.tree /= found.count;
        return found;
    }

    struct Outcome {
        Contributions contributions;
        TimeNs begin = maxTime;  // of the first task that got it
    };

    const ActivityGraph& m_graph;
    const std::vector<MergeEdge>& m_merges;
    const std::vector<bool> m_isManager;                       // by entry method
    std::unordered_map<std::uint32_t, Contributions> m_below;  // by manager's task
    std::map<Sending, Outcome> m_results;
};

}  // namespace

ReductionTimes reductionTimes(const ActivityGraph& graph, const std::vector<MergeEdge>& merges,
                              std::span<const Entry> entries)
{
    return Pass(graph, merges, entries).run();
}

Result<std::shared_ptr<const ReductionTimes>> ReductionTimesQuestion::compute(Results& results,
                                                                              const Progress& progress) const
{
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph.ok()) return graph.error();
    const auto merges = results.ask(MergesQuestion{}, progress);
    if (!merges.ok()) return merges.error();
    return std::make_shared<const ReductionTimes>(reductionTimes(**graph, (*merges)->edges, results.store().entries()));
}

}  // namespace longpole
