// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/tasklinks.h"

#include "app/common/tracelink.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace longpole {

namespace {

bool isFigure(QChar c) { return c >= QLatin1Char('0') && c <= QLatin1Char('9'); }
bool isOfWord(QChar c) { return c.isLetterOrNumber() || c == QLatin1Char('_') || c == QLatin1Char(':'); }

qsizetype figuresFrom(const QString& text, qsizetype at)
{
    while (at < text.size() && isFigure(text[at])) ++at;
    return at;
}

// Whether what stands before an id says that it is a task's; `since`: behind the mention before it, which may have
// said so for a list of them.
bool isAnnounced(QStringView before, qsizetype since)
{
    if (since > 0) {
        const QStringView between = before.mid(since).trimmed();
        if (between == QLatin1String(",") || between == tr("and")) return true;
    }
    qsizetype last = before.size();
    while (last > 0 && before[last - 1].isSpace()) --last;
    if (last == before.size()) return false;  // no space between the word and the id
    qsizetype first = last;
    while (first > 0 && isOfWord(before[first - 1])) --first;
    const QStringView word = before.mid(first, last - first);
    return word.compare(tr("task"), Qt::CaseInsensitive) == 0 || word.compare(tr("tasks"), Qt::CaseInsensitive) == 0;
}

}  // namespace

std::vector<TaskMention> taskMentions(const QString& text)
{
    std::vector<TaskMention> found;
    qsizetype at = 0;
    while (at < text.size()) {
        const qsizetype begin = at;
        const qsizetype colon = figuresFrom(text, begin);
        at = std::max(colon, begin + 1);
        if (colon == begin || (begin > 0 && isOfWord(text[begin - 1]))) continue;
        if (colon >= text.size() || text[colon] != QLatin1Char(':')) continue;
        const qsizetype end = figuresFrom(text, colon + 1);
        at = end;
        if (end < text.size() && isOfWord(text[end])) continue;
        const qsizetype since = found.empty() ? 0 : found.back().at + found.back().length;
        if (!isAnnounced(QStringView(text).left(begin), since)) continue;
        if (const Result<TaskId> task = parseTaskId(text.mid(begin, end - begin)))
            found.push_back({begin, end - begin, *task});
    }
    return found;
}

std::optional<TaskId> taskOfCell(const QVariant& cell, const Column& column)
{
    constexpr const char* keys[] = {"task", "to", "longest"};
    const auto isKey = [&column](const char* key) { return column.key == QLatin1String(key); };
    if (column.kind != CellKind::Text || std::none_of(std::begin(keys), std::end(keys), isKey)) return {};
    const QVariant raw = rawValue(cell);
    const Result<TaskId> task = parseTaskId(raw.toString());
    return task ? std::optional(*task) : std::nullopt;
}

TaskLinks::TaskLinks(const TraceStore& store, QString trace) : m_store(&store), m_trace(std::move(trace)) {}

QString TaskLinks::address(TaskId task) const
{
    if (m_trace.isEmpty() || m_store->processor(task.pe) == nullptr) return {};
    return toText(TraceLink{.path = m_trace, .range = {}, .task = task});
}

std::vector<TextLink> TaskLinks::in(const QString& text) const
{
    std::vector<TextLink> links;
    if (m_trace.isEmpty()) return links;
    for (const TaskMention& mention : taskMentions(text))
        if (QString leads = address(mention.task); !leads.isEmpty())
            links.push_back({mention.at, mention.length, std::move(leads)});
    return links;
}

QString TaskLinks::ofCell(const QVariant& cell, const Column& column) const
{
    const auto task = taskOfCell(cell, column);
    return task ? address(*task) : QString();
}

}  // namespace longpole
