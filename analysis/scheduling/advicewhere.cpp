// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/scheduling/advicewhere.h"

#include "analysis/base/callpaths.h"
#include "analysis/base/naming.h"
#include "core/base/timerange.h"
#include "core/store/rows.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

// The call of the rank's own thread that lasts longest within the range.
std::uint32_t longestCall(const TraceStore& store, const Processor& processor, TimeRange range)
{
    std::uint32_t path = noCallPath;
    TimeNs longest = 0;
    auto calls = store.rows<MpiRow>(processor.track, MpiRow::Range | MpiRow::Path, {.touching = range});
    for (const MpiRow& call : calls) {
        const TimeNs inside = overlap(call.range(), range);
        if (inside <= longest) continue;
        longest = inside;
        path = call.path();
    }
    return calls.result() ? path : noCallPath;
}

// Where that call, all of its name together, executes most in the range.
std::uint32_t costliestPlace(const TraceStore& store, const Processor& processor, TimeRange range, RegionId call)
{
    std::map<std::uint32_t, TimeNs> places;
    auto calls = store.rows<MpiRow>(processor.track, MpiRow::Range | MpiRow::Region | MpiRow::Execution | MpiRow::Path,
                                    {.touching = range});
    for (const MpiRow& row : calls) {
        const TimeNs inside = std::min(row.execution(), overlap(row.range(), range));
        if (row.region() == call && inside > 0) addSaturating(places[row.path()], inside);
    }
    if (!calls.result() || places.empty()) return noCallPath;
    return std::max_element(places.begin(), places.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

// The function that the rank's tasks ran longest in within the range.
std::uint32_t longestCode(const TraceStore& store, const Processor& processor, TimeRange range)
{
    const Result<RankPaths> paths = RankPaths::read(store, CommonCallers(store), index(processor.pe));
    if (!paths) return noCallPath;
    std::map<std::uint32_t, TimeNs> times;
    auto tasks = store.rows<TaskRow>(processor.track, TaskRow::Range, {.touching = range});
    for (const TaskRow& task : tasks) addSaturating(times[paths->ofTask(task.index())], overlap(task.range(), range));
    const auto longest = std::max_element(times.begin(), times.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    return tasks.result() && longest != times.end() ? longest->first : noCallPath;
}

}  // namespace

std::uint32_t placeOf(const TraceStore& store, const QString& kind, const Evidence& evidence)
{
    if (kind == QLatin1String("cores")) return noCallPath;  // of the machine
    const Processor* const processor = store.processor(evidence.pe);
    if (kind == QLatin1String("mpi_time"))
        return processor != nullptr && evidence.call ? costliestPlace(store, *processor, evidence.range, *evidence.call)
                                                     : noCallPath;
    if (kind == QLatin1String("synchronization"))
        return processor != nullptr ? longestCall(store, *processor, evidence.range) : noCallPath;
    // The task that came late stands behind the one that waited for it.
    if (!evidence.tasks.empty()) return TaskPaths(store).of(evidence.tasks.back());
    return processor != nullptr ? longestCode(store, *processor, evidence.range) : noCallPath;
}

QString whereOf(const TraceStore& store, const Advice& advice)
{
    if (store.callPaths().empty()) return {};
    if (advice.place) return *advice.place != noCallPath ? pathText(store, *advice.place) : QString();
    for (const Evidence& evidence : advice.evidence)
        if (const std::uint32_t path = placeOf(store, advice.kind, evidence); path != noCallPath)
            return pathText(store, path);
    return {};
}

}  // namespace longpole
