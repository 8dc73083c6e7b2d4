// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/expert/lossql.h"

namespace longpole {

LossSql::LossSql(const TreeFacts& facts) : m_facts(facts)
{
    QStringList ranges;
    for (const TimeRange& period : facts.scope.periods)
        ranges << QStringLiteral("(%1, %2)").arg(period.begin).arg(period.end);
    m_with << QStringLiteral("scope(a, b) AS (VALUES %1)").arg(ranges.join(QStringLiteral(", ")));
}

LossSql& LossSql::idle(const char* condition)
{
    return rows(QStringLiteral("SELECT pe, cause AS part, sum(min(end_ns, b) - max(begin_ns, a)) AS lost_ns\n"
                               "FROM idle_cause JOIN scope ON begin_ns < b AND end_ns > a\n"
                               "WHERE %1 GROUP BY pe, cause")
                    .arg(QLatin1String(condition)));
}

LossSql& LossSql::overhead()
{
    QString used;
    for (const char* table : {"busy", "idle_cause"})
        used += QStringLiteral(
                    "\n  - (SELECT coalesce(sum(min(end_ns, b) - max(begin_ns, a)), 0)\n"
                    "    FROM %1 JOIN scope ON begin_ns < b AND end_ns > a)")
                    .arg(QLatin1String(table));
    return rows(QStringLiteral("SELECT NULL AS pe, 'neither busy nor idle' AS part,\n"
                               "  (SELECT %1 * sum(b - a) FROM scope)%2 AS lost_ns")
                    .arg(m_facts.pes.size())
                    .arg(used));
}

LossSql& LossSql::besideBusy(ProcessorId pe)
{
    return rows(QStringLiteral("SELECT i.pe, 'idle while %1 is busy' AS part,\n"
                               "  sum(min(i.end_ns, w.end_ns, b) - max(i.begin_ns, w.begin_ns, a)) AS lost_ns\n"
                               "FROM idle_cause i\n"
                               "CROSS JOIN busy w ON w.pe = %1 AND w.begin_ns < i.end_ns AND w.end_ns > i.begin_ns\n"
                               "CROSS JOIN scope WHERE i.pe <> %1\n"
                               "  AND min(i.end_ns, w.end_ns, b) > max(i.begin_ns, w.begin_ns, a) GROUP BY i.pe")
                    .arg(index(pe)));
}

LossSql& LossSql::besideLongTasks(TimeNs length)
{
    m_with
        << QStringLiteral("long(c, d) AS (SELECT begin_ns, end_ns FROM task WHERE end_ns - begin_ns > %1)").arg(length)
        << QStringLiteral(
               "begun(c, d, is_new) AS (SELECT c, d, c > coalesce(max(d) OVER (ORDER BY c, d ROWS BETWEEN\n"
               "  UNBOUNDED PRECEDING AND 1 PRECEDING), c - 1) FROM long)")
        << QStringLiteral(
               "joined(c, d) AS (SELECT min(c), max(d) FROM (SELECT c, d, sum(is_new) OVER (ORDER BY c, d\n"
               "  ROWS UNBOUNDED PRECEDING) AS n FROM begun) GROUP BY n)");
    return rows(
        QStringLiteral("SELECT pe, 'idle while a long task runs' AS part,\n"
                       "  sum(min(end_ns, b, d) - max(begin_ns, a, c)) AS lost_ns\n"
                       "FROM idle_cause CROSS JOIN scope CROSS JOIN joined\n"
                       "WHERE min(end_ns, b, d) > max(begin_ns, a, c) GROUP BY pe"));
}

LossSql& LossSql::rows(const QString& select)
{
    m_parts << select;
    return *this;
}

LossSql& LossSql::counting(TimeNs time, TimeNs sum, const char* why)
{
    if (time == sum) return *this;
    m_isPart = true;
    m_with << QStringLiteral("claim(counted_ns, because) AS (VALUES (%1, '%2'))").arg(time).arg(QLatin1String(why));
    return *this;
}

QString LossSql::text() const
{
    const QString parts = m_parts.join(QStringLiteral("\nUNION ALL\n"));
    if (!m_isPart)
        return QStringLiteral("WITH ") % m_with.join(QStringLiteral(",\n  ")) % QLatin1Char('\n') % parts
               % QStringLiteral("\nORDER BY lost_ns DESC");
    // What the rows before it have counted up to is rounded, not each of them, so that they add up.
    return QStringLiteral("WITH ") % m_with.join(QStringLiteral(",\n  "))
           % QStringLiteral(",\n  whole(pe, part, time_ns) AS (\n") % parts
           % QStringLiteral(
               "),\n  shared AS (SELECT *, 1.0 * sum(time_ns) OVER (ORDER BY time_ns DESC, pe, part ROWS\n"
               "  UNBOUNDED PRECEDING) / sum(time_ns) OVER () AS upto,\n"
               "  1.0 * time_ns / sum(time_ns) OVER () AS share FROM whole),\n"
               "  counted AS (SELECT *, CAST(round(upto * counted_ns) AS INTEGER) AS upto_ns\n"
               "  FROM shared CROSS JOIN claim)\n"
               "SELECT pe, part, time_ns, share, because,\n"
               "  upto_ns - lag(upto_ns, 1, 0) OVER (ORDER BY upto_ns, time_ns DESC, pe, part) AS lost_ns\n"
               "FROM counted ORDER BY time_ns DESC");
}

QString idleTimeSql(ProcessorId pe, TimeRange range, IdleCause cause)
{
    return QStringLiteral(
               "SELECT cause, task, min(end_ns, %3) - max(begin_ns, %2) AS time_ns FROM idle_cause\n"
               "WHERE pe = %1 AND begin_ns < %3 AND end_ns > %2 AND cause = '%4'")
        .arg(index(pe))
        .arg(range.begin)
        .arg(range.end)
        .arg(QLatin1String(name(cause)));
}

QString busyTimeSql(ProcessorId pe, TimeRange range)
{
    return QStringLiteral(
               "SELECT begin_ns, end_ns, min(end_ns, %3) - max(begin_ns, %2) AS time_ns FROM busy\n"
               "WHERE pe = %1 AND begin_ns < %3 AND end_ns > %2")
        .arg(index(pe))
        .arg(range.begin)
        .arg(range.end);
}

}  // namespace longpole
