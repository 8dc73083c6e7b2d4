// SPDX-License-Identifier: GPL-3.0-or-later
// Critical waits as evidence: where they were, which tasks they were about, and the SQL that shows them again.
#pragma once

#include "analysis/base/evidence.h"
#include "analysis/waiting/criticalwaits.h"
#include "analysis/waiting/queuewindows.h"

#include <functional>
#include <map>
#include <vector>

namespace longpole {

// The waits of a path with all that is needed to say what they were behind. The references must outlive it.
class WaitEvidence {
public:
    WaitEvidence(const TraceStore& store, const ActivityGraph& graph, const ProcessorIdle& idle,
                 const std::vector<CriticalWait>& waits);

    // Of the waits that `timeOf` finds longer than 0, the longest ones, 20 at most.
    using TimeOf = std::function<TimeNs(const CriticalWait&)>;
    std::vector<Evidence> idling(const TimeOf& timeOf) const;
    std::vector<Evidence> overtaken(const TimeOf& timeOf) const;
    std::vector<Evidence> residual(const TimeOf& timeOf) const;

    // What waits for the rest of a running task come to, by the entry method of that task.
    struct Blocker {
        EntryId entry = noEntry;
        std::int64_t count = 0;
        TimeNs time = 0;
    };
    const std::vector<Blocker>& blockers() const { return m_blockers; }  // longest first
    EntryId runningBefore(const CriticalWait& wait) const;               // noEntry: nothing off the path ran
    // Most time among those that overtook the tasks of an entry (noEntry: of all) on the worst evidence.
    EntryId mainOvertaker(EntryId entry) const;
    // From the first of these waits to the last of these tasks' begin.
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

// The critical tasks of these entry methods that were overtaken, or that waited for the rest of a running task of that
// one; lost_ns adds up to the time.
QString overtakenSql(const std::vector<EntryId>& entries);
QString blockedSql(EntryId blocker);

}  // namespace longpole
