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

// An entry method on the path. purity = criticalTime / time.
struct PathEntry {
    EntryId entry = noEntry;
    EntryClass entryClass = EntryClass::Mixed;
    std::int64_t criticalCount = 0, count = 0;
    TimeNs criticalTime = 0, time = 0;
    QueueWait wait{};
    TimeNs idleBefore = 0;
    // Its critical tasks waited behind others or came after idling, and a priority would reach them without reaching as
    // many others: good or once, or predicted to gain all the same.
    bool isPotential = false;
    QString caveat{};  // why a priority will not do, or only by object; empty for good ones
    double purity() const { return time > 0 ? double(criticalTime) / double(time) : 0; }
};

// Most critical time first, then by id; potentials and caveats, which take names, are not set. O(tasks).
std::vector<PathEntry> pathEntries(const ActivityGraph& graph, const std::vector<CriticalWait>& waits,
                                   const Thresholds& thresholds);

// The two conditions without evidence.
Condition idleCondition(const std::vector<CriticalWait>& waits, TimeNs duration, const Thresholds& thresholds);
Condition overtakenCondition(const std::vector<CriticalWait>& waits, TimeNs duration, const Thresholds& thresholds);

}  // namespace longpole
