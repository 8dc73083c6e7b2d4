// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the tasks inside a range of time by binary search on every PE.
#include "analysis/graph/taskwindow.h"

#include "analysis/graph/attribution.h"
#include "core/base/timerange.h"

#include <algorithm>

namespace longpole {

namespace {

void addTo(std::vector<TimeNs>& sums, std::uint32_t entry, TimeNs time)
{
    if (entry >= mostIds) return;
    if (entry >= sums.size()) sums.resize(entry + 1, 0);
    addSaturating(sums[entry], time);
}

// Moves the time of nested executions from the entry of the task around them to their own.
void moveToInner(const TaskWindow& window, std::vector<TimeNs>& sums)
{
    const std::vector<ActivityGraph::Inner>& inner = window.graph->inner;
    for (auto piece = inner.begin(); piece != inner.end();) {
        const std::uint32_t task = piece->task;
        if (window.contains(task)) {
            addTo(sums, window.graph->entry[task], -window.inside(task).length());
            attributeToInnermost(
                *window.graph, task, window.inside(task),
                [&sums](std::uint32_t entry, TimeNs time) { addTo(sums, entry, time); }, [](std::uint32_t) {});
        }
        while (piece != inner.end() && piece->task == task) ++piece;
    }
}

}  // namespace

bool TaskWindow::contains(std::uint32_t task) const
{
    if (task < first) return graph->end(task) > range.begin;
    return task < atEnd || (task < last && graph->duration[task] == 0);
}

TaskWindow taskWindow(const ActivityGraph& graph, TimeRange range)
{
    TaskWindow window;
    window.graph = &graph;
    window.range = intersection(graph.run, range);
    const auto begin = graph.begin.begin();
    const auto end = graph.begin.end();
    const auto first = std::lower_bound(begin, end, window.range.begin);
    const auto atEnd = std::lower_bound(first, end, window.range.end);
    window.first = static_cast<std::uint32_t>(first - begin);
    window.atEnd = static_cast<std::uint32_t>(atEnd - begin);
    window.last = static_cast<std::uint32_t>(std::upper_bound(atEnd, end, window.range.end) - begin);
    window.reaching.assign(graph.byProcessor.size(), noTask);
    if (window.first == 0) return window;
    for (std::size_t pe = 0; pe < graph.byProcessor.size(); ++pe) {
        const std::span<const std::uint32_t> tasks = graph.byProcessor[pe];
        const auto after = std::lower_bound(tasks.begin(), tasks.end(), window.first);
        if (after != tasks.begin() && window.contains(*(after - 1))) window.reaching[pe] = *(after - 1);
    }
    return window;
}

std::vector<std::uint32_t> lastTasks(const TaskWindow& window)
{
    std::vector<std::uint32_t> last = window.reaching;
    for (std::size_t pe = 0; pe < last.size(); ++pe) {
        const std::span<const std::uint32_t> tasks = window.graph->byProcessor[pe];
        auto task = std::lower_bound(tasks.begin(), tasks.end(), window.last);
        while (task != tasks.begin() && *(task - 1) >= window.first && !window.contains(*(task - 1))) --task;
        if (task != tasks.begin() && *(task - 1) >= window.first) last[pe] = *(task - 1);
    }
    return last;
}

std::uint32_t latestEnd(const TaskWindow& window)
{
    const ActivityGraph& graph = *window.graph;
    const std::vector<std::uint32_t> last = lastTasks(window);
    std::uint32_t best = noTask;
    for (const std::uint32_t lastOfPe : last) {
        // Tasks without length may follow what ends at the same time; the list is short.
        for (std::uint32_t task = lastOfPe; task != noTask && window.contains(task); task = graph.previous(task)) {
            if (best != noTask
                && (window.end(task) < window.end(best)
                    || (window.end(task) == window.end(best) && graph.id(best) < graph.id(task))))
                break;
            best = task;
        }
    }
    return best;
}

std::vector<TimeNs> exclusiveByEntry(const TaskWindow& window)
{
    const ActivityGraph& graph = *window.graph;
    std::vector<TimeNs> sums(std::max<std::size_t>(graph.exclusiveByEntry.size(), 1), 0);
    for (const std::uint32_t task : window.reaching)
        if (task != noTask) addTo(sums, graph.entry[task], window.inside(task).length());
    const TimeNs* const begin = graph.begin.data();
    const std::uint32_t* const duration = graph.duration.data();
    const std::uint32_t* const entry = graph.entry.data();
    TimeNs* sum = sums.data();
    std::size_t entries = sums.size();
    for (std::uint32_t task = window.first; task < window.atEnd; ++task) {
        const TimeNs whole = duration[task] != CompactTimes::aside ? TimeNs{duration[task]} : graph.duration[task];
        const TimeNs time = std::min(whole, window.range.end - begin[task]);
        if (entry[task] < entries) {
            addSaturating(sum[entry[task]], time);
            continue;
        }
        addTo(sums, entry[task], time);
        sum = sums.data();
        entries = sums.size();
    }
    if (!graph.inner.empty()) moveToInner(window, sums);
    return sums;
}

}  // namespace longpole
