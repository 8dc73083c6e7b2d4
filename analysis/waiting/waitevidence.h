// SPDX-License-Identifier: GPL-3.0-or-later
// Evidence for waits of critical tasks: where they were, behind which tasks, and SQL that shows them again.
#pragma once

#include "analysis/base/evidence.h"
#include "analysis/waiting/criticalwaits.h"
#include "analysis/waiting/queuewindows.h"

#include <functional>
#include <map>
#include <vector>

namespace longpole {

// Finds the worst waits of a path, and what they were behind. What it is made of must outlive it.
class WaitEvidence {
public:
    WaitEvidence(const TraceStore& store, const ActivityGraph& graph, const ProcessorIdle& idle,
                 const std::vector<CriticalWait>& waits);

    // The 20 longest waits by `timeOf`, of those that it does not find 0.
    using TimeOf = std::function<TimeNs(const CriticalWait&)>;
    std::vector<Evidence> idling(const TimeOf& timeOf) const;
    std::vector<Evidence> overtaken(const TimeOf& timeOf) const;
    std::vector<Evidence> residual(const TimeOf& timeOf) const;

    // An entry method that ran when messages of critical tasks came, and how long they waited for its end.
    struct Blocker {
        EntryId entry = noEntry;
        std::int64_t count = 0;
        TimeNs time = 0;
    };
    const std::vector<Blocker>& blockers() const { return m_blockers; }  // longest first
    EntryId runningBefore(const CriticalWait& wait) const;               // noEntry: nothing off the path ran
    // The entry method that took most time while the worst evidence waited; of tasks of `entry` alone unless that is
    // noEntry.
    EntryId mainOvertaker(EntryId entry) const;
    // From when the first message of these waits came to the end of the last of their tasks.
    TimeRange range(const TimeOf& timeOf) const;

private:
    std::vector<const CriticalWait*> longest(const TimeOf& timeOf) const;
    std::map<EntryId, std::pair<std::int64_t, TimeNs>> overtakers(const QueueWindow& window) const;
    QString nameOf(std::uint32_t task) const;
    QString waitSql(const CriticalWait& wait, const char* column) const;

    const TraceStore& m_store;
    const ActivityGraph& m_graph;
    QueueWindows m_windows;
    const std::vector<CriticalWait>& m_waits;
    std::vector<bool> m_isCritical;
    std::vector<Blocker> m_blockers;
};

// SQL for the critical tasks of these entry methods that were overtaken, and for those that waited for the end of a
// running task of the blocker. Its column lost_ns adds up to the time.
QString overtakenSql(const std::vector<EntryId>& entries);
QString blockedSql(EntryId blocker);

}  // namespace longpole
