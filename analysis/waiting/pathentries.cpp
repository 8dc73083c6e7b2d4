// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/waiting/pathentries.h"

#include "core/base/timerange.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

// The number and time of all executions of an entry method, on the path or not.
struct AllOf {
    std::int64_t count = 0;
    TimeNs time = 0;
    TimeNs lastBegin = minTime;
};

std::vector<AllOf> allByEntry(const ActivityGraph& graph, std::uint32_t entries)
{
    std::vector<AllOf> all(entries);
    for (std::size_t task = 0; task < graph.size(); ++task) {
        if (graph.entry[task] >= entries) continue;
        AllOf& of = all[graph.entry[task]];
        ++of.count;
        addSaturating(of.time, graph.duration[task]);
        of.lastBegin = graph.begin[task];  // in order of begin
    }
    return all;
}

void add(QueueWait& sum, const QueueWait& wait)
{
    addSaturating(sum.overtaken, wait.overtaken);
    addSaturating(sum.residual, wait.residual);
    addSaturating(sum.self, wait.self);
    addSaturating(sum.overhead, wait.overhead);
}

EntryClass classOf(const PathEntry& entry, TimeNs lastBegin, const ActivityGraph& graph, const Thresholds& thresholds)
{
    const double start = thresholds.scheduling.start * static_cast<double>(graph.run.length());
    const bool onlyAtStart = static_cast<double>(saturatingSubtract(lastBegin, graph.run.begin)) <= start;
    if (entry.count <= std::int64_t(graph.processors) || onlyAtStart) return EntryClass::Once;
    const bool isOften = static_cast<double>(entry.count) >= thresholds.scheduling.leastCount;
    return entry.purity() >= thresholds.scheduling.good && isOften ? EntryClass::Good : EntryClass::Mixed;
}

template <typename TimeOf>
Condition condition(const std::vector<CriticalWait>& waits, double threshold, TimeNs duration, TimeOf timeOf)
{
    Condition found{.threshold = static_cast<TimeNs>(std::ceil(threshold * static_cast<double>(duration)))};
    for (const CriticalWait& wait : waits) {
        const TimeNs time = timeOf(wait);
        found.count += time > 0 ? 1 : 0;
        addSaturating(found.time, time);
    }
    found.isMet = found.count > 0 && found.time >= found.threshold;
    return found;
}

}  // namespace

std::vector<PathEntry> pathEntries(const ActivityGraph& graph, const std::vector<CriticalWait>& waits,
                                   const Thresholds& thresholds)
{
    std::uint32_t entries = 0;
    for (const CriticalWait& wait : waits)
        if (graph.entry[wait.task] < mostIds) entries = std::max(entries, graph.entry[wait.task] + 1);
    std::vector<PathEntry> byEntry(entries);
    for (const CriticalWait& wait : waits) {
        const std::uint32_t id = graph.entry[wait.task];
        if (id >= entries) continue;
        PathEntry& entry = byEntry[id];
        entry.entry = EntryId{id};
        ++entry.criticalCount;
        addSaturating(entry.criticalTime, graph.duration[wait.task]);
        addSaturating(entry.idleBefore, wait.idleBefore);
        add(entry.wait, wait.wait);
    }
    const std::vector<AllOf> all = allByEntry(graph, entries);
    std::vector<PathEntry> found;
    for (std::uint32_t id = 0; id < entries; ++id) {
        PathEntry& entry = byEntry[id];
        if (entry.criticalCount == 0) continue;
        entry.count = all[id].count;
        entry.time = all[id].time;
        entry.entryClass = classOf(entry, all[id].lastBegin, graph, thresholds);
        found.push_back(std::move(entry));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const PathEntry& a, const PathEntry& b) { return a.criticalTime > b.criticalTime; });
    return found;
}

Condition idleCondition(const std::vector<CriticalWait>& waits, TimeNs duration, const Thresholds& thresholds)
{
    return condition(waits, thresholds.scheduling.idle, duration, [](const CriticalWait& w) { return w.idleBefore; });
}

Condition overtakenCondition(const std::vector<CriticalWait>& waits, TimeNs duration, const Thresholds& thresholds)
{
    return condition(waits, thresholds.scheduling.overtaking, duration,
                     [](const CriticalWait& w) { return w.wait.overtaken; });
}

const char* name(EntryClass entryClass)
{
    switch (entryClass) {
    case EntryClass::Good: return "good";
    case EntryClass::Mixed: return "mixed";
    case EntryClass::Once: return "once";
    }
    return "";
}

}  // namespace longpole
