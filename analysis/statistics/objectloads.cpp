// SPDX-License-Identifier: GPL-3.0-or-later
// Adds up executions by object, and moves objects between processors by the greedy rule.
#include "analysis/statistics/objectloads.h"

#include "analysis/base/chunkscan.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/format.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

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

// Null if there is none. Chares are in order of their ids.
const Chare* chareOf(const TraceStore& store, ChareId id)
{
    const std::span<const Chare> chares = store.chares();
    const auto found = std::lower_bound(chares.begin(), chares.end(), id,
                                        [](const Chare& chare, ChareId wanted) { return chare.id < wanted; });
    return found != chares.end() && found->id == id ? &*found : nullptr;
}

// The objects of a processor that may move, in the order in which they came. O(log n) each.
class Movable {
public:
    void add(std::size_t object, TimeNs time)
    {
        if (m_objects.size() == m_room) makeRoom();
        m_objects.push_back(object);
        set(m_objects.size() - 1, time > 0 ? time : maxTime);
    }

    // Takes the first one with a time below that.
    std::optional<std::size_t> takeFirst(TimeNs below)
    {
        if (m_objects.empty() || m_least[1] >= below) return {};
        std::size_t node = 1;
        while (node < m_room) node = m_least[2 * node] < below ? 2 * node : 2 * node + 1;
        set(node - m_room, maxTime);
        return m_objects[node - m_room];
    }

private:
    void makeRoom()
    {
        const std::vector<TimeNs> times(m_least.begin() + std::ptrdiff_t(m_room), m_least.end());
        m_room = std::max<std::size_t>(1, 2 * m_room);
        m_least.assign(2 * m_room, maxTime);
        std::copy(times.begin(), times.end(), m_least.begin() + std::ptrdiff_t(m_room));
        for (std::size_t node = m_room - 1; node > 0; --node)
            m_least[node] = std::min(m_least[2 * node], m_least[2 * node + 1]);
    }
    void set(std::size_t place, TimeNs time)
    {
        m_least[m_room + place] = time;
        for (std::size_t node = (m_room + place) / 2; node > 0; node /= 2)
            m_least[node] = std::min(m_least[2 * node], m_least[2 * node + 1]);
    }

    std::vector<std::size_t> m_objects;
    std::size_t m_room = 0;
    // The least time below each node of a binary tree, whose root is node 1 and whose leaves, from m_room on, are the
    // objects; maxTime: gone, or of no time.
    std::vector<TimeNs> m_least;
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
                addSaturating(sum.time, own);
                ++sum.tasks;
                addSaturating(sum.byEntry[index(task.entry())], own);
            }
        });
        if (!scanned) return scanned.error();
        if (progress.isCancelled()) return cancelledError();
        const std::size_t first = loads.size();
        for (const auto& [key, sum] : sums) {
            const auto most = std::max_element(sum.byEntry.begin(), sum.byEntry.end(),
                                               [](const auto& a, const auto& b) { return a.second < b.second; });
            const Chare* const chare = chareOf(store, ChareId{key.chare});
            loads.push_back({.pe = processor->pe,
                             .chare = ChareId{key.chare},
                             .objectIndex = key.index,
                             .time = sum.time,
                             .tasks = sum.tasks,
                             .entry = EntryId{most->first},
                             .canMove = chare != nullptr && chare->dimensions > 0});
        }
        std::stable_sort(loads.begin() + std::ptrdiff_t(first), loads.end(),
                         [](const ObjectLoad& a, const ObjectLoad& b) { return a.time > b.time; });
    }
    return loads;
}

QString nameOfObject(const TraceStore& store, const ObjectLoad& object)
{
    const Chare* const chare = chareOf(store, object.chare);
    return chare != nullptr ? objectName(*chare, object.objectIndex) : tr("an object");
}

std::vector<std::size_t> greedyMoves(std::vector<TimeNs>& loads, std::span<const ObjectLoad> objects,
                                     std::span<const ProcessorId> pes)
{
    std::map<ProcessorId, std::size_t> placeOfPe;
    for (std::size_t place = 0; place < pes.size(); ++place) placeOfPe.try_emplace(pes[place], place);
    std::vector<Movable> on(pes.size());
    for (std::size_t i = 0; i < objects.size(); ++i) {
        const auto place = placeOfPe.find(objects[i].pe);
        if (objects[i].canMove && place != placeOfPe.end()) on[place->second].add(i, objects[i].time);
    }
    std::set<std::pair<TimeNs, std::size_t>> byLoad;
    for (std::size_t place = 0; place < loads.size(); ++place) byLoad.emplace(loads[place], place);
    const auto change = [&](std::size_t place, TimeNs by) {
        byLoad.erase({loads[place], place});
        addSaturating(loads[place], by);
        byLoad.emplace(loads[place], place);
    };
    std::vector<std::size_t> moved;
    for (std::size_t left = byLoad.empty() ? 0 : objects.size(); left > 0; --left) {
        const std::size_t from = byLoad.lower_bound({byLoad.rbegin()->first, 0})->second;
        const std::size_t to = byLoad.begin()->second;
        const std::optional<std::size_t> best = on[from].takeFirst(saturatingSubtract(loads[from], loads[to]));
        if (!best) break;
        change(from, -objects[*best].time);
        change(to, objects[*best].time);
        moved.push_back(*best);
        on[to].add(*best, objects[*best].time);
    }
    return moved;
}

}  // namespace longpole
