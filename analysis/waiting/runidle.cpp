// SPDX-License-Identifier: GPL-3.0-or-later
// The causes of a run's idle time, with the synchronizations of the run-time system and of the program itself.
#include "analysis/waiting/idlelabels.h"

#include "analysis/graph/taskobjects.h"

#include <algorithm>

namespace longpole {

// The MPI calls, by entry id, for which the import made a task without length in which the members meet.
std::vector<bool> synchronizingCalls(const TraceStore& store)
{
    std::vector<bool> found;
    for (const Entry& entry : store.entries()) {
        if (index(entry.id) >= mostIds) continue;
        const Region* region = store.region(RegionId{index(entry.id)});
        if (region == nullptr || region->kind != RegionKind::MpiCall) continue;
        found.resize(std::max(found.size(), index(entry.id) + std::size_t{1}));
        found[index(entry.id)] = true;
    }
    return found;
}

Result<Synchronizations> synchronizations(const TraceStore& store, const ActivityGraph& graph, const Progress& progress)
{
    if (store.info().hasRanks())
        return Synchronizations{.ending = synchronizingCalls(store),
                                .haveThreads = !store.chunks(ChunkKind::ThreadWait).empty()};
    Result<std::vector<bool>> ending = synchronizingEntries(store, progress);
    if (!ending) return ending.error();
    Synchronizations found{.ending = std::move(*ending), .carrying = carryingEntries(store)};
    const std::vector<bool> spread = spreadEntries(graph);
    bool mayGather = false;
    for (std::size_t e = 0; e < spread.size(); ++e)
        mayGather = mayGather || (spread[e] && !(e < found.ending.size() && found.ending[e]));
    if (!mayGather) return found;
    const Result<TaskObjects> objects = taskObjects(store, graph, progress);
    if (!objects) return objects.error();
    const GatheredEntries gathered = gatheredEntries(graph, *objects);
    found.carrying.resize(std::max(found.carrying.size(), gathered.gathering.size()));
    found.ending.resize(std::max(found.ending.size(), gathered.results.size()));
    for (std::size_t e = 0; e < gathered.results.size(); ++e) {
        if (gathered.gathering[e]) found.carrying[e] = found.ending[e] = true;
        if (gathered.results[e]) found.ending[e] = true;
    }
    found.gathering = gathered.gathering;
    return found;
}

}  // namespace longpole
