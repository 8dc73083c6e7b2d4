// SPDX-License-Identifier: GPL-3.0-or-later
// One pass over each processor that the path touches adds up the time of the tasks that ran there, on the path and off
// it. What ran while a task waited is then the difference of two such sums.
#include "analysis/waiting/criticalwaits.h"

#include "analysis/waiting/queuewindows.h"
#include "core/base/timerange.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

struct RunSoFar {
    TimeNs other = 0;  // off the path
    TimeNs critical = 0;
};

// The time of a PE's tasks before each of the given positions among them, which ascend.
class RunBefore {
public:
    RunBefore(const QueueWindows& windows, const std::vector<bool>& isCritical, std::uint32_t pe,
              std::vector<std::size_t> positions)
        : m_positions(std::move(positions))
    {
        std::sort(m_positions.begin(), m_positions.end());
        m_positions.erase(std::unique(m_positions.begin(), m_positions.end()), m_positions.end());
        const std::span<const std::uint32_t> tasks = windows.onProcessor(pe);
        RunSoFar run;
        std::size_t at = 0;
        for (const std::size_t position : m_positions) {
            for (; at < position; ++at)
                addSaturating((isCritical[tasks[at]] ? run.critical : run.other), windows.length(pe, at));
            m_run.push_back(run);
        }
    }
    const RunSoFar& operator[](std::size_t position) const
    {
        const auto found = std::lower_bound(m_positions.begin(), m_positions.end(), position);
        return m_run[static_cast<std::size_t>(found - m_positions.begin())];
    }

private:
    std::vector<std::size_t> m_positions;
    std::vector<RunSoFar> m_run;
};

QueueWait split(const QueueWindow& window, TimeNs begin, const RunBefore& ran, const std::vector<bool>& isCritical)
{
    const RunSoFar& first = ran[window.first];
    const RunSoFar& last = ran[window.last];
    QueueWait wait{.overtaken = last.other - first.other, .self = last.critical - first.critical};
    if (window.running != noTask) addSaturating((isCritical[window.running] ? wait.self : wait.residual), window.rest);
    wait.overhead = begin - window.received - wait.sum();
    return wait;
}

}  // namespace

std::vector<CriticalWait> criticalWaits(const ActivityGraph& graph, const CriticalPath& path, const ProcessorIdle& idle)
{
    const std::vector<std::uint32_t> tasks = criticalTasks(graph, path);
    std::vector<bool> isCritical(graph.size());
    for (const std::uint32_t task : tasks) isCritical[task] = true;
    const QueueWindows windows(graph, idle);
    std::vector<CriticalWait> waits;
    std::map<std::uint32_t, std::vector<std::size_t>> onProcessor;  // indices into waits
    for (const std::uint32_t task : tasks) {
        onProcessor[graph.pe[task]].push_back(waits.size());
        waits.push_back({.task = task, .idleBefore = windows.idleBefore(task)});
    }
    for (const auto& [pe, indices] : onProcessor) {
        std::vector<QueueWindow> ofTasks;
        std::vector<std::size_t> positions;
        for (const std::size_t i : indices) {
            ofTasks.push_back(windows.of(waits[i].task));
            positions.push_back(ofTasks.back().first);
            positions.push_back(ofTasks.back().last);
        }
        const RunBefore ran(windows, isCritical, pe, std::move(positions));
        for (std::size_t k = 0; k < indices.size(); ++k)
            waits[indices[k]].wait = split(ofTasks[k], graph.begin[waits[indices[k]].task], ran, isCritical);
    }
    return waits;
}

}  // namespace longpole
