// SPDX-License-Identifier: GPL-3.0-or-later
// Adds up executions by object, and moves objects between processors by the greedy rule.
#include "analysis/statistics/objectloads.h"

#include "analysis/base/chunkscan.h"
#include "core/base/result.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/format.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace longpole {

namespace {

struct ObjectKey {
    std::uint32_t chare = 0;
    std::array<std::int64_t, 6> index{};
    friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

struct ObjectSum {
    TimeNs time = 0;
    std::int64_t tasks = 0;
    std::map<std::uint32_t, TimeNs> byEntry{};
};

bool isInside(std::span<const TimeRange> periods, TimeNs time)
{
    const auto after = std::upper_bound(periods.begin(), periods.end(), time,
                                        [](TimeNs t, const TimeRange& range) { return t < range.begin; });
    return after != periods.begin() && time < (after - 1)->end;
}

}  // namespace

Result<std::vector<ObjectLoad>> objectLoads(const TraceStore& store, std::span<const ProcessorId> pes,
                                            std::span<const TimeRange> periods, const Progress& progress)
{
    const ScanRequest request{.fields = TaskRow::Begin | TaskRow::Exclusive | TaskRow::Entry | TaskRow::Object};
    std::vector<ObjectLoad> loads;
    for (const Processor* processor : processorsToScan(store, pes, false)) {
        std::map<ObjectKey, ObjectSum> sums;
        const Result<> scanned = scanRows<TaskRow>(store, processor->track, request, progress, [&](const auto& chunk) {
            for (const TaskRow& task : chunk.rows) {
                if (!isInside(periods, task.begin())) continue;
                const Entry* entry = store.entry(task.entry());
                const ObjectKey key{entry != nullptr ? index(entry->chareId) : 0xffffffffu, task.objectIndex()};
                const TimeNs own = task.exclusive();
                ObjectSum& sum = sums[key];
                sum.time += own;
                ++sum.tasks;
                sum.byEntry[index(task.entry())] += own;
            }
        });
        if (!scanned) return scanned.error();
        if (progress.isCancelled()) return cancelledError();
        const std::size_t first = loads.size();
        for (const auto& [key, sum] : sums) {
            const auto most = std::max_element(sum.byEntry.begin(), sum.byEntry.end(),
                                               [](const auto& a, const auto& b) { return a.second < b.second; });
            bool isArray = false;
            for (const Chare& chare : store.chares())
                if (index(chare.id) == key.chare) isArray = chare.dimensions > 0;
            loads.push_back({.pe = processor->pe,
                             .chare = ChareId{key.chare},
                             .objectIndex = key.index,
                             .time = sum.time,
                             .tasks = sum.tasks,
                             .entry = EntryId{most->first},
                             .canMove = isArray});
        }
        std::stable_sort(loads.begin() + std::ptrdiff_t(first), loads.end(),
                         [](const ObjectLoad& a, const ObjectLoad& b) { return a.time > b.time; });
    }
    return loads;
}

QString nameOfObject(const TraceStore& store, const ObjectLoad& object)
{
    for (const Chare& chare : store.chares())
        if (chare.id == object.chare) return objectName(chare, object.objectIndex);
    return tr("an object");
}

std::vector<std::size_t> greedyMoves(std::vector<TimeNs>& loads, std::span<const ObjectLoad> objects,
                                     std::span<const ProcessorId> pes)
{
    std::vector<std::vector<std::size_t>> on(pes.size());
    for (std::size_t i = 0; i < objects.size(); ++i) {
        const auto pe = std::find(pes.begin(), pes.end(), objects[i].pe);
        if (objects[i].canMove && pe != pes.end()) on[std::size_t(pe - pes.begin())].push_back(i);
    }
    std::vector<std::size_t> moved;
    for (std::size_t left = objects.size(); left > 0; --left) {
        const auto from = std::size_t(std::max_element(loads.begin(), loads.end()) - loads.begin());
        const auto to = std::size_t(std::min_element(loads.begin(), loads.end()) - loads.begin());
        std::vector<std::size_t>& here = on[from];
        const auto best = std::find_if(here.begin(), here.end(), [&](std::size_t i) {
            return objects[i].time > 0 && loads[to] + objects[i].time < loads[from];
        });
        if (best == here.end()) break;
        loads[from] -= objects[*best].time;
        loads[to] += objects[*best].time;
        moved.push_back(*best);
        on[to].push_back(*best);
        here.erase(std::find(here.begin(), here.end(), moved.back()));
    }
    return moved;
}

}  // namespace longpole
