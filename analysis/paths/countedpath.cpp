// SPDX-License-Identifier: GPL-3.0-or-later
// Counts what differs along a path, which may have millions of steps, in one walk.
#include "analysis/paths/countedpath.h"

#include "core/base/timerange.h"

#include <bitset>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

namespace longpole {

namespace {

// Ids that mostly follow each other, each counted once; takes memory for what is near one of them only.
class DifferentOnes {
public:
    // Whether it is new.
    bool insert(std::uint32_t id)
    {
        if (m_newest == nullptr || id / size != m_of) m_newest = &m_seen[m_of = id / size];
        const bool isNew = !(*m_newest)[id % size];
        (*m_newest)[id % size] = true;
        return isNew;
    }

private:
    static constexpr std::uint32_t size = 512;
    std::map<std::uint32_t, std::bitset<size>> m_seen;
    std::bitset<size>* m_newest = nullptr;
    std::uint32_t m_of = 0;
};

// What a path does on one processor.
struct Visited {
    TimeNs time = 0;
    DifferentOnes tasks{};
};

struct PathCounts {
    std::int64_t tasks = 0;
    std::map<ProcessorId, Visited> processors{};
};

// Cancelled: of no use.
PathCounts countsOf(const CriticalPath& path, const Progress& progress)
{
    PathCounts counts;
    Visited* at = nullptr;
    ProcessorId pe{};
    for (const PathStep& step : path.steps) {
        if (progress.isCancelled()) break;
        if (at == nullptr || step.pe != pe) at = &counts.processors[pe = step.pe];
        addSaturating(at->time, step.weight());
        if (at->tasks.insert(step.task.index)) ++counts.tasks;
    }
    return counts;
}

std::pair<ProcessorId, TimeNs> busiestOf(const PathCounts& counts)
{
    std::pair<ProcessorId, TimeNs> most{};
    for (const auto& [pe, visited] : counts.processors)
        if (visited.time > most.second) most = {pe, visited.time};
    return most;
}

CriticalPath withoutSteps(const CriticalPath& path)
{
    return {.mode = path.mode,
            .edges = path.edges,
            .to = path.to,
            .length = path.length,
            .duration = path.duration,
            .profile = path.profile,
            .parts = path.parts,
            .doubtfulWeight = path.doubtfulWeight};
}

}  // namespace

std::int64_t processorsOn(const CriticalPath& path)
{
    std::set<ProcessorId> processors;
    const PathStep* before = nullptr;
    for (const PathStep& step : path.steps) {
        if (before == nullptr || before->pe != step.pe) processors.insert(step.pe);
        before = &step;
    }
    return std::ssize(processors);
}

TimeNs timeUntilEnd(const PathQuestion& question, const CriticalPath& path, TimeNs begin)
{
    const bool isToTask = question.to && question.range.isEmpty() && !path.steps.empty();
    return isToTask ? path.steps.back().end - begin : path.duration;
}

Result<std::shared_ptr<const CountedPath>> CountedPathQuestion::compute(Results& results,
                                                                        const Progress& progress) const
{
    const std::shared_ptr<const CriticalPath> known = hasSteps ? nullptr : results.peek(path);
    const auto found = known      ? Result<std::shared_ptr<const CriticalPath>>(known)
                       : hasSteps ? results.ask(path, progress)
                                  : path.compute(results, progress);
    if (!found.ok()) return found.error();
    const CriticalPath& whole = **found;
    const PathCounts counts = countsOf(whole, progress);
    CountedPath counted{.tasks = counts.tasks, .processors = std::ssize(counts.processors)};
    std::tie(counted.busiest, counted.onBusiest) = busiestOf(counts);
    counted.until = timeUntilEnd(path, whole, results.store().info().range().begin);
    counted.path = hasSteps ? *found : std::make_shared<const CriticalPath>(withoutSteps(whole));
    if (hasSteps) counted.pyramid = std::make_shared<const PathPyramid>(whole, progress);
    if (progress.isCancelled()) return cancelledError();
    return std::make_shared<const CountedPath>(std::move(counted));
}

std::int64_t CountedPathQuestion::bytes(const CountedPath& counted) const
{
    return static_cast<std::int64_t>(sizeof(counted)) + (hasSteps ? 0 : PathQuestion::bytes(*counted.path))
           + (counted.pyramid ? counted.pyramid->bytes() : 0);
}

}  // namespace longpole
