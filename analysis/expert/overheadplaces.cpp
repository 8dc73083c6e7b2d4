// SPDX-License-Identifier: GPL-3.0-or-later
// Finds how much overhead lies near tasks. Overhead that tasks cost is about the same around each of them; what a part
// of the run has beyond that - start-up, a collective of the run-time system, I/O - no grain size would change.
#include "analysis/expert/facts.h"
#include "core/base/timerange.h"

#include <algorithm>

namespace longpole {

namespace {

// Of one processor in one stage.
struct OverheadCell {
    TimeNs overhead = 0;
    std::int64_t tasks = 0;  // that begin there
    bool isStartUp = false;

    TimeNs perTask() const { return overhead / std::max<std::int64_t>(tasks, 1); }
};

std::vector<OverheadCell> overheadCells(const TreeFacts& facts)
{
    const ActivityGraph& graph = facts.inputs.graph;
    const TimeRange startUp = facts.inputs.health.startUp.range;
    std::vector<OverheadCell> cells;
    std::vector<std::int64_t> tasks(facts.stages.count());
    for (std::size_t pe = 0; pe < facts.pes.size(); ++pe) {
        std::fill(tasks.begin(), tasks.end(), 0);
        if (index(facts.pes[pe]) < graph.byProcessor.size())
            for (const std::uint32_t task : graph.byProcessor[index(facts.pes[pe])])
                ++tasks[std::min(facts.stages.at(graph.begin[task]), facts.stages.count() - 1)];
        for (std::size_t s = 0; s < facts.stages.count(); ++s)
            if (facts.scope.has[s])
                cells.push_back({facts.usage(pe, s).overhead, tasks[s],
                                 !startUp.isEmpty() && facts.stages.range(s).begin < startUp.end});
    }
    return cells;
}

// The overhead per task that half of the tasks have at most around them.
TimeNs medianPerTask(std::vector<OverheadCell> cells)
{
    std::sort(cells.begin(), cells.end(),
              [](const OverheadCell& a, const OverheadCell& b) { return a.perTask() < b.perTask(); });
    std::int64_t all = 0, below = 0;
    for (const OverheadCell& cell : cells) all += cell.tasks;
    for (const OverheadCell& cell : cells) {
        below += cell.tasks;
        if (cell.tasks > 0 && 2 * below >= all) return cell.perTask();
    }
    return 0;
}

}  // namespace

void findOverhead(TreeFacts& facts)
{
    constexpr std::int64_t timesMedian = 4;
    facts.overhead.near = facts.scope.usage.overhead;
    if (!facts.hasTasks() || facts.inputs.graph.hasRanks || facts.stages.count() == 0) return;
    const std::vector<OverheadCell> cells = overheadCells(facts);
    const TimeNs most = saturatingMultiply(medianPerTask(cells), timesMedian);
    facts.overhead = {};
    for (const OverheadCell& cell : cells) {
        const TimeNs near = std::min(cell.overhead, saturatingMultiply(most, cell.tasks));
        addSaturating(facts.overhead.near, near);
        addSaturating(facts.overhead.away, cell.overhead - near);
        if (cell.isStartUp) addSaturating(facts.overhead.inStartUp, cell.overhead - near);
    }
}

}  // namespace longpole
