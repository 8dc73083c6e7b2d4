// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/tracelink.h"

#include "core/trace/format.h"

#include <QFileInfo>
#include <QUrl>
#include <QUrlQuery>

namespace longpole {

namespace {

QString scheme() { return QStringLiteral("longpole"); }
QString taskKey() { return QStringLiteral("task"); }

// Empty if the query has no such item; an item that is no number makes the link none.
bool readTime(const QUrlQuery& query, const char* key, std::optional<TimeNs>& time)
{
    if (!query.hasQueryItem(QLatin1String(key))) return true;
    bool isNumber = false;
    const qlonglong number = query.queryItemValue(QLatin1String(key)).toLongLong(&isNumber);
    if (isNumber) time = number;
    return isNumber;
}

void link(std::vector<FindingFigure>& figures, const TraceStore& store, const QString& path)
{
    const TimeNs begin = store.info().begin;
    for (FindingFigure& figure : figures) {
        const TimeRange range{saturatingSubtract(figure.range.begin, begin),
                              saturatingSubtract(figure.range.end, begin)};
        figure.link = toText(TraceLink{path, figure.range.isEmpty() ? TimeRange{} : range});
    }
}

}  // namespace

QString toText(const TraceLink& link)
{
    QUrl url;
    url.setScheme(scheme());
    url.setPath(link.path);
    QUrlQuery query;
    if (!link.range.isEmpty()) {
        query.addQueryItem(QStringLiteral("from"), QString::number(link.range.begin));
        query.addQueryItem(QStringLiteral("until"), QString::number(link.range.end));
    }
    if (link.task.isValid()) query.addQueryItem(taskKey(), longpole::toText(link.task));
    if (!query.isEmpty()) url.setQuery(query);
    return url.toString(QUrl::FullyEncoded);
}

bool isTraceLink(const QString& text) { return text.startsWith(scheme() % QLatin1Char(':'), Qt::CaseInsensitive); }

std::optional<TraceLink> traceLinkFrom(const QString& text)
{
    const QUrl url(text, QUrl::StrictMode);
    if (!url.isValid() || url.scheme() != scheme() || !url.authority().isEmpty()) return {};
    TraceLink link{.path = url.path(QUrl::FullyDecoded), .range = {}};
    if (!link.path.startsWith(QLatin1Char('/'))) return {};
    std::optional<TimeNs> from, until;
    const QUrlQuery query(url);
    if (!readTime(query, "from", from) || !readTime(query, "until", until)) return {};
    if (from && until && *from < *until) link.range = {*from, *until};
    if (query.hasQueryItem(taskKey())) {
        const Result<TaskId> task = parseTaskId(query.queryItemValue(taskKey()));
        if (!task) return {};
        link.task = *task;
    }
    return link;
}

AnalysisResults withLinks(AnalysisResults results, const TraceStore& store, const QString& trace)
{
    const QString path = QFileInfo(trace).absoluteFilePath();
    results.trace = path;
    for (Finding& finding : results.findings) {
        link(finding.figures, store, path);
        link(finding.appendix.figures, store, path);
        for (FindingItem& item : finding.items) link(item.figures, store, path);
    }
    return results;
}

}  // namespace longpole
