// SPDX-License-Identifier: GPL-3.0-or-later
// Soft errors of an import: counting, merging, and the text of their places.
#include "importers/common/importlog.h"

#include <algorithm>

namespace longpole {

void ImportLog::addAt(IssueKind kind, const QString& place, std::int64_t count)
{
    Counter& counter = counterOf(kind);
    if (counter.count == 0) counter.place = place;
    counter.count += count;
}

void ImportLog::merge(const ImportLog& later)
{
    for (const Counter& counter : later.m_counters) addAt(counter.kind, later.placeOf(counter), counter.count);
}

std::int64_t ImportLog::count(IssueKind kind) const
{
    const auto counter = std::find_if(m_counters.begin(), m_counters.end(),
                                      [kind](const Counter& c) { return c.kind == kind; });
    return counter == m_counters.end() ? 0 : counter->count;
}

QString ImportLog::placeOf(const Counter& counter) const
{
    if (!counter.place.isEmpty()) return counter.place;
    if (counter.line == 0) return m_file;
    return QStringLiteral("%1, line %2").arg(m_file, QString::number(counter.line));
}

std::vector<Issue> ImportLog::issues() const
{
    std::vector<Issue> issues;
    for (const Counter& counter : m_counters)
        issues.push_back({issueIdentifier(counter.kind), counter.count, placeOf(counter)});
    // As the file lists them.
    std::sort(issues.begin(), issues.end(), [](const Issue& a, const Issue& b) { return a.kind < b.kind; });
    return issues;
}

}  // namespace longpole
