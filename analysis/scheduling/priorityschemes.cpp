// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/scheduling/priorityschemes.h"

#include "core/base/timerange.h"

#include <algorithm>
#include <tuple>

namespace longpole {

namespace {

constexpr std::size_t mostWaiting = 12;
// Fewer critical tasks, or less of what all critical tasks waited, are chance.
constexpr std::int64_t leastCritical = 3;
constexpr TimeNs leastPart = 50;

std::vector<std::size_t> byScore(const std::vector<PathEntry>& entries, const std::vector<bool>& isUser, TimeNs bound)
{
    std::vector<std::size_t> order;
    TimeNs all = 0;
    for (const PathEntry& entry : entries) addSaturating(all, entry.wait.overtaken);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const PathEntry& entry = entries[i];
        const bool waited = entry.wait.overtaken > 0 && entry.wait.overtaken >= all / leastPart;
        if (isUser[i] && entry.entryClass != EntryClass::Once && waited && entry.criticalCount >= leastCritical)
            order.push_back(i);
    }
    const auto key = [&](std::size_t i) {
        return std::tuple(-std::min(entries[i].wait.overtaken, bound), -entries[i].purity(), index(entries[i].entry));
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    return order;
}

// Objects of one chare that the same index tells apart count as one choice: that with most waiting behind it.
std::vector<PriorityScheme> objectSchemes(const std::vector<Separation>& separations)
{
    std::vector<PriorityScheme> schemes;
    for (const Separation& found : separations) {
        if (found.kind == SeparationKind::None) continue;
        const auto same = std::find_if(schemes.begin(), schemes.end(), [&](const PriorityScheme& scheme) {
            return scheme.selected.front().chare == found.chare;
        });
        if (same == schemes.end()) {
            schemes.push_back({{found.entry}, {found}});
            continue;
        }
        same->entries.push_back(found.entry);
        const bool isOther = found.kind == SeparationKind::Iterations
                             || same->selected.front().kind == SeparationKind::Iterations;
        if (isOther) same->selected.push_back(found);
    }
    return schemes;
}

}  // namespace

std::vector<EntryId> waitingEntries(const std::vector<PathEntry>& entries, const std::vector<bool>& isUser,
                                    TimeNs bound)
{
    std::vector<EntryId> waiting;
    for (const std::size_t i : byScore(entries, isUser, bound))
        if (waiting.size() < mostWaiting) waiting.push_back(entries[i].entry);
    return waiting;
}

std::vector<EntryId> entriesForSets(const std::vector<PathEntry>& entries, const std::vector<bool>& isUser,
                                    TimeNs bound)
{
    std::vector<EntryId> found = waitingEntries(entries, isUser, bound);
    const std::size_t waiting = found.size();
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const bool isWaiting = std::find(found.begin(), found.end(), entries[i].entry) != found.end();
        const bool isOnce = entries[i].entryClass == EntryClass::Once;
        if (isUser[i] && !isOnce && !isWaiting && entries[i].criticalCount >= leastCritical) others.push_back(i);
    }
    std::stable_sort(others.begin(), others.end(),
                     [&](std::size_t a, std::size_t b) { return entries[a].criticalTime > entries[b].criticalTime; });
    if (waiting > 0)
        for (const std::size_t i : others) found.push_back(entries[i].entry);
    return found;
}

std::vector<EntryId> mixedEntries(const std::vector<PathEntry>& entries, const std::vector<bool>& isUser)
{
    std::vector<EntryId> mixed;
    for (const std::size_t i : byScore(entries, isUser, maxTime))
        if (entries[i].entryClass == EntryClass::Mixed && mixed.size() < mostWaiting) mixed.push_back(entries[i].entry);
    return mixed;
}

std::size_t mostSchemes(std::size_t tasks)
{
    constexpr std::size_t huge = 10'000'000;
    return tasks > huge ? 1 : isLarge(tasks) ? 2 : 8;
}

bool isLarge(std::size_t tasks)
{
    constexpr std::size_t large = 1'000'000;
    return tasks > large;
}

std::vector<PriorityScheme> prioritySchemes(const std::vector<PathEntry>& entries, const std::vector<bool>& isUser,
                                            const std::vector<Separation>& separations, TimeNs bound, std::size_t most)
{
    const std::vector<std::size_t> order = byScore(entries, isUser, bound);
    PriorityScheme good;
    for (const std::size_t i : order)
        if (entries[i].entryClass == EntryClass::Good) good.entries.push_back(entries[i].entry);
    std::vector<PriorityScheme> byObject = objectSchemes(separations);
    std::vector<PriorityScheme> schemes;
    const auto addEntry = [&](std::size_t rank) {
        if (rank < order.size()) schemes.push_back({{entries[order[rank]].entry}, {}});
    };
    addEntry(0);
    if (good.entries.size() > 1) schemes.push_back(good);
    if (byObject.size() > 1) {
        PriorityScheme all;
        for (const PriorityScheme& scheme : byObject) {
            all.entries.insert(all.entries.end(), scheme.entries.begin(), scheme.entries.end());
            all.selected.insert(all.selected.end(), scheme.selected.begin(), scheme.selected.end());
        }
        schemes.push_back(std::move(all));
    }
    if (!byObject.empty()) schemes.push_back(byObject.front());
    addEntry(1);
    addEntry(2);
    for (std::size_t i = 1; i < byObject.size(); ++i) schemes.push_back(byObject[i]);
    if (schemes.size() > most) schemes.resize(most);
    return schemes;
}

QueuePriorities prioritiesOf(const PriorityScheme& scheme, const ActivityGraph& graph, const TaskObjects& objects)
{
    QueuePriorities priorities;
    if (scheme.byEntry()) {
        for (const EntryId entry : scheme.entries) priorities.entries.push_back({entry, highPriority});
        return priorities;
    }
    priorities.tasks.assign(graph.size(), lowPriority);
    for (const Separation& selected : scheme.selected) {
        if (selected.kind != SeparationKind::Iterations) {
            std::vector<bool> isSelected(objects.objects);
            for (const std::uint32_t object : selected.objects) isSelected[object] = true;
            for (std::size_t task = 0; task < graph.size(); ++task)
                if (objects.object[task] != noObject && isSelected[objects.object[task]])
                    priorities.tasks[task] = highPriority;
            continue;
        }
        std::vector<std::int64_t> executions(objects.objects);
        for (std::size_t task = 0; task < graph.size(); ++task)
            if (graph.entry[task] == index(selected.entry) && objects.object[task] != noObject
                && executions[objects.object[task]]++ >= selected.value)
                priorities.tasks[task] = highPriority;
    }
    return priorities;
}

}  // namespace longpole
