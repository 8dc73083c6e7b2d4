// SPDX-License-Identifier: GPL-3.0-or-later
// The entry methods of a path and whether priorities could single out their critical tasks (docs/algorithms.md 4).
#pragma once

#include "analysis/base/thresholds.h"
#include "analysis/waiting/criticalwaits.h"
#include "core/base/ids.h"

#include <QString>

#include <vector>

namespace longpole {

// How entry methods of the critical path lend themselves to prioritization (docs/algorithms.md 4).
enum class EntryClass : std::uint8_t { Good, Mixed, Once };
const char* name(EntryClass entryClass);  // "good", "mixed", "once"

// An entry method on the path: what its tasks on the path took and waited, beside all of its tasks.
struct PathEntry {
    EntryId entry = noEntry;
    EntryClass entryClass = EntryClass::Mixed;
    std::int64_t criticalCount = 0, count = 0;
    TimeNs criticalTime = 0, time = 0;
    QueueWait wait{};
    TimeNs idleBefore = 0;
    // Whether it is worth a priority: its critical tasks waited behind others or came after idling, and the priority
    // would not reach as many tasks that are not critical, or a replay predicts a gain all the same.
    bool isPotential = false;
    QString caveat{};  // why a priority would not help, or only if it depends on the object; empty for good ones
    // The share of its time that is on the path.
    double purity() const { return time > 0 ? double(criticalTime) / double(time) : 0; }
};

// Most critical time first, then by id. Does not set isPotential and caveat, which need names and replays. O(tasks).
std::vector<PathEntry> pathEntries(const ActivityGraph& graph, const std::vector<CriticalWait>& waits,
                                   const Thresholds& thresholds);

// The two conditions of branch E, without their evidence.
Condition idleCondition(const std::vector<CriticalWait>& waits, TimeNs duration, const Thresholds& thresholds);
Condition overtakenCondition(const std::vector<CriticalWait>& waits, TimeNs duration, const Thresholds& thresholds);

}  // namespace longpole
