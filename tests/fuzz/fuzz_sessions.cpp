// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes what the window opens by name: sessions, whose values are any, and longpole: links.
#include "app/common/tracelink.h"
#include "app/gui/session/rowchoicejson.h"
#include "app/gui/session/savedsession.h"
#include "core/base/limits.h"
#include "core/smalltrace.h"
#include "fuzz/changedjson.h"
#include "fuzz/require.h"

#include <set>

using namespace longpole;

namespace {

const TraceStore& trace()
{
    static const std::shared_ptr<const TraceStore> store = [] {
        const QString path = fuzzFile("small.longpole");
        if (!writeSmallTrace(path)) std::abort();
        const auto opened = TraceStore::open(path);
        return opened ? *opened : nullptr;
    }();
    return *store;
}

JsonValue soundSession(Choices& choices)
{
    SavedSession session;
    session.trace = fuzzFile("small.longpole");
    session.stamp = choices.below(2) == 0 ? trace().stamp() : QString();
    session.begin = choices.number();
    for (int i = 0; i < static_cast<int>(choices.below(5)); ++i)
        setBookmark(session.side.bookmarks,
                    {.number = i, .note = QStringLiteral("here"), .range = {TimeNs{100} * i, TimeNs{200} * i + 1}});
    session.side.range = TimeRange{10, 5000};
    session.side.view = {{"colour", "chare"},
                         {"rows",
                          {{"folded", {"PE 0"}}, {"pinned", {"PE 1", "PE 1"}}, {"only", {0, 1}}, {"order", {1, 0}}}}};
    session.marked = {20, 30};
    session.question.range = {5, 50};
    session.views = {QStringLiteral("panel.sql")};
    session.onTop = session.views;
    session.columns = {200, 900, 300};
    const QString path = fuzzFile("sound.longpole-session");
    if (!saveSession(path, session)) std::abort();
    return parseJson(fuzzBytes(path)).value_or(JsonValue());
}

// Any times: what fits it to a run saturates.
bool isSane(TimeRange range) { return range == TimeRange{} || range.begin < range.end; }

void checkRows(const RowChoice& rows)
{
    std::set<TrackId> pinned(rows.pinned.begin(), rows.pinned.end());
    require(pinned.size() == rows.pinned.size(), "a row is pinned once");
    for (const std::vector<ProcessorId>* list : {&rows.only, &rows.order}) {
        std::set<ProcessorId> once(list->begin(), list->end());
        require(once.size() == list->size(), "a PE is named once");
        for (const ProcessorId pe : *list) require(trace().processor(pe) != nullptr, "a PE is there");
    }
}

void check(const SavedSession& session)
{
    require(session.side.bookmarks.size() <= std::size_t{limits::bookmarks.free} + 9, "bookmarks are bounded");
    for (const Bookmark& bookmark : session.side.bookmarks)
        require(bookmark.number >= 0 && bookmark.number <= 9 && isSane(bookmark.range), "a bookmark is one");
    require(isSane(session.marked) && isSane(session.question.range), "ranges are some");
    require(session.views.size() <= 256 && session.onTop.size() <= 256 && session.columns.size() <= 256,
            "lists are bounded");
    checkRows(rowChoiceFrom(memberOf(session.side.view, "rows"), trace()));
    const TimeRange run = trace().info().range();
    const FittedSession fit = fitted(session, run.begin, run);
    for (const Bookmark& bookmark : fit.session.side.bookmarks)
        require(intersection(bookmark.range, run) == bookmark.range, "bookmarks lie in the run");
    static_cast<void>(joined(session.side.bookmarks, fit.session.side.bookmarks));
}

void openSession(Choices& choices)
{
    const QString path = fuzzFile("changed.longpole-session");
    writeFuzzFile(path, changedText(changedJson(soundSession(choices), choices), choices));
    const Result<SavedSession> session = loadSession(path);
    if (!session) return;
    check(*session);
    // What was read is read again as it is.
    require(saveSession(path, *session).ok(), "a session can be saved");
    const Result<SavedSession> again = loadSession(path);
    require(again.ok(), "a saved session can be read");
    require(again->side == session->side && again->marked == session->marked && again->question == session->question
                && again->views == session->views && again->columns == session->columns,
            "a saved session is the same");
}

void openLink(Choices& choices)
{
    static constexpr const char* parts[] = {"longpole:", "LONGPOLE:", "/",     "//",
                                            "runs",      "?",         "&",     "from=",
                                            "until=",    "12000000",  "-5",    "99999999999999999999",
                                            "%00",       "%2F",       "%",     "#",
                                            "..",        "@",         ":",     "[",
                                            "]",         "<",         " ",     "\xc3\xa4",
                                            "file:",     "\n",        "task=", "3:1207"};
    QByteArray text = choices.below(4) == 0 ? QByteArray() : QByteArray("longpole:/");
    for (std::uint32_t i = choices.below(20); i > 0; --i)
        text += choices.below(8) == 0 ? QByteArray(1, static_cast<char>(choices.below(256)))
                                      : QByteArray(parts[choices.below(std::size(parts))]);
    const std::optional<TraceLink> link = traceLinkFrom(QString::fromUtf8(text));
    if (!link) return;
    require(link->path.startsWith(QLatin1Char('/')), "a link names a file of this machine");
    require(link->range == TimeRange{} || link->range.begin < link->range.end, "a link's range is one");
    require(!toText(*link).contains(QLatin1Char('<')) && !toText(*link).contains(QLatin1Char('>')),
            "a link is no markup");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Choices choices(data, size);
    if (choices.below(4) == 0) openLink(choices);
    else openSession(choices);
    return 0;
}
