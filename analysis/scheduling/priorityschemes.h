// SPDX-License-Identifier: GPL-3.0-or-later
// Ways to prefer critical tasks: by entry method, several of them, by object or by iteration; and how to ask the
// replay.
#pragma once

#include "analysis/graph/taskobjects.h"
#include "analysis/scheduling/objectseparation.h"
#include "analysis/scheduling/schedulingadvice.h"

#include <vector>

namespace longpole {

struct PriorityScheme {
    std::vector<EntryId> entries{};      // whose waits it is about
    std::vector<Separation> selected{};  // by object or iteration; empty: all tasks of the entries
    bool byEntry() const { return selected.empty(); }
};

// The most promising ones first, `most` at most: entry methods by min(overtaken, bound) then purity, all good ones at
// once, what separates objects or iterations, together and by chare. `isUser`: by position in `entries`.
std::vector<PriorityScheme> prioritySchemes(const std::vector<PathEntry>& entries, const std::vector<bool>& isUser,
                                            const std::vector<Separation>& separations, TimeNs bound, std::size_t most);

// How many schemes a run of so many tasks is worth; above a million, a first look at each must do (isRough), and only
// the best one gets its interval.
std::size_t mostSchemes(std::size_t tasks);
bool isLarge(std::size_t tasks);

// `objects` is looked at only for schemes that are not by entry. O(tasks) for these.
QueuePriorities prioritiesOf(const PriorityScheme& scheme, const ActivityGraph& graph, const TaskObjects& objects);

// User entries on the path that waited behind others, the most promising first, a few; and the mixed ones of these,
// most waiting first.
std::vector<EntryId> waitingEntries(const std::vector<PathEntry>& entries, const std::vector<bool>& isUser,
                                    TimeNs bound);
// User entries on the path for sets: those that waited, then those that did not, most critical time first. What waits
// for another one's messages need not have waited as long as these came late.
std::vector<EntryId> entriesForSets(const std::vector<PathEntry>& entries, const std::vector<bool>& isUser,
                                    TimeNs bound);
std::vector<EntryId> mixedEntries(const std::vector<PathEntry>& entries, const std::vector<bool>& isUser);

}  // namespace longpole
