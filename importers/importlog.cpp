// Soft errors of an import: counting, merging, and the text of their places.
#include "importers/importlog.h"

#include "core/translate.h"

namespace longpole {

void ImportLog::addAt(IssueKind kind, const QString& place, std::int64_t count)
{
    Counter& counter = m_counters[static_cast<std::size_t>(kind)];
    if (counter.count == 0) counter.place = place;
    counter.count += count;
}

void ImportLog::merge(const ImportLog& later)
{
    for (std::size_t kind = 0; kind < issueKinds; ++kind) {
        const Counter& from = later.m_counters[kind];
        if (from.count == 0) continue;
        Counter& to = m_counters[kind];
        if (to.count == 0) to.place = later.placeOf(from);
        to.count += from.count;
    }
}

QString ImportLog::placeOf(const Counter& counter) const
{
    if (!counter.place.isEmpty()) return counter.place;
    if (counter.line == 0) return m_file;
    return tr("%1, line %2").arg(m_file).arg(counter.line);
}

std::vector<Issue> ImportLog::issues() const
{
    std::vector<Issue> issues;
    for (std::size_t kind = 0; kind < issueKinds; ++kind) {
        const Counter& counter = m_counters[kind];
        if (counter.count == 0) continue;
        issues.push_back({issueIdentifier(static_cast<IssueKind>(kind)), counter.count, placeOf(counter)});
    }
    return issues;
}

}  // namespace longpole
