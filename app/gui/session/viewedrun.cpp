// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/session/viewedrun.h"

#include "analysis/report/advicetables.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/state/pathsentence.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t mostPictures = 6;

QString pathText(const TraceStore& store, const ViewedRun& run)
{
    const QString sentence = pathSentence(store.words(), *run.path);
    if (run.question.to) return tr("To task %1: %2").arg(toText(*run.question.to), sentence);
    if (run.question.range.isEmpty()) return sentence;
    return tr("In %1: %2").arg(rangeText(store, run.question.range), sentence);
}

// "3: the slow step, 12.1 ms to 15.3 ms".
QString bookmarkText(const TraceStore& store, const Bookmark& bookmark)
{
    const QString range = rangeText(store, bookmark.range);
    const QString text = bookmark.note.isEmpty() ? range : tr("%1, %2").arg(bookmark.note, range);
    return bookmark.number > 0 ? tr("%1: %2").arg(QString::number(bookmark.number), text) : text;
}

JsonValue viewJson(const ViewedRun& run)
{
    JsonValue bookmarks = JsonValue::array();
    for (const Bookmark& bookmark : run.bookmarks) {
        JsonValue item = toJson(bookmark.range);
        item["note"] = bookmark.note;
        bookmarks.push_back(std::move(item));
    }
    JsonValue json{{"bookmarks", std::move(bookmarks)}};
    if (!run.visible.isEmpty()) json["visible"] = toJson(run.visible);
    if (!run.marked.isEmpty()) json["marked"] = toJson(run.marked);
    return json;
}

// A picture of a range, with the path that the window showed.
FindingFigure pictureOf(const ViewedRun& run, TimeRange range, const QString& caption)
{
    FindingFigure figure{
        .kind = FigureKind::Timeline, .caption = caption, .range = range, .pes = run.processors, .withPath = true};
    if (run.path) figure.path = run.path->path;
    return figure;
}

}  // namespace

bool isLookedAt(const ViewedRun& run)
{
    static const PathQuestion usual;
    return !run.visible.isEmpty() || !run.marked.isEmpty() || !run.bookmarks.empty() || run.question != usual;
}

Finding viewedFinding(const TraceStore& store, const ViewedRun& run)
{
    Finding finding;
    finding.id = QStringLiteral("view");
    finding.title = tr("What was looked at");
    if (!run.visible.isEmpty()) {
        finding.paragraphs << tr("From %1, %2 of the run.")
                                  .arg(rangeText(store, run.visible),
                                       formatShare(double(run.visible.length()) / double(store.info().duration())));
        finding.figures.push_back(pictureOf(run, run.visible,
                                            tr("What was visible: %1").arg(rangeText(store, run.visible))));
    }
    if (!run.marked.isEmpty())
        finding.paragraphs
            << tr("Marked: %1, %2 long.").arg(rangeText(store, run.marked), formatTime(run.marked.length()));
    if (run.path && run.path->path) finding.paragraphs << pathText(store, run);
    for (std::size_t i = 0; i < run.bookmarks.size(); ++i) {
        const QString text = tr("Bookmark %1").arg(bookmarkText(store, run.bookmarks[i]));
        if (i < mostPictures) finding.figures.push_back(pictureOf(run, run.bookmarks[i].range, text));
        else finding.paragraphs << text % QLatin1Char('.');
    }
    finding.json = viewJson(run);
    return finding;
}

}  // namespace longpole
