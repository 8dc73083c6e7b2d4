// SPDX-License-Identifier: GPL-3.0-or-later
// The query behind a loss: the parts of the scope's time that make it, whose column lost_ns adds up to what is claimed.
#pragma once

#include "analysis/expert/facts.h"

#include <QString>
#include <QStringList>

namespace longpole {

class LossSql {
public:
    explicit LossSql(const TreeFacts& facts);

    LossSql& idle(const char* condition);     // of idle_cause (analysis/waiting/sqltables.h)
    LossSql& overhead();                      // what is neither busy nor idle
    LossSql& besideBusy(ProcessorId pe);      // idle time of the others while that one is busy
    LossSql& besideLongTasks(TimeNs length);  // idle time while a task longer than that runs
    LossSql& rows(const QString& select);     // any with the columns pe, part and lost_ns
    // Counts only that much of the rows' sum, in proportion: because of `why` no more is lost. Nothing if it is all.
    LossSql& counting(TimeNs time, TimeNs sum, const char* why);

    QString text() const;

private:
    const TreeFacts& m_facts;
    QStringList m_with;
    QStringList m_parts;
    bool m_isPart = false;
};

// Of evidence: the idle time of a cause, or all busy time, of one processor in a range, as time_ns.
QString idleTimeSql(ProcessorId pe, TimeRange range, IdleCause cause);
QString busyTimeSql(ProcessorId pe, TimeRange range);

}  // namespace longpole
