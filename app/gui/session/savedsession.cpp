// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/session/savedsession.h"

#include "analysis/report/pathnames.h"
#include "core/base/mayneverend.h"
#include "core/base/namedfile.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

namespace longpole {

namespace {

constexpr int sessionVersion = 1;
constexpr qint64 mostSessionBytes = 16 << 20;
constexpr const char* arrowNames[] = {"none", "one step", "chain", "critical"};  // in the order of ArrowMode

JsonValue pathsJson(const QString& file, const QString& run)
{
    if (run.isEmpty()) return nullptr;
    return {{"path", run}, {"nearby", QFileInfo(file).absoluteDir().relativeFilePath(run)}};
}

// The run beside the file if it is there, else where it was. What lies on another machine is not even asked for.
QString pathFrom(const JsonValue& paths, const QString& file)
{
    const QString own = QFileInfo(file).absoluteFilePath(), nearby = textOf(paths, "nearby");
    const QString moved = QDir::cleanPath(QFileInfo(own).absoluteDir().filePath(nearby));
    if (!nearby.isEmpty() && mayFollow(moved, own) && QFileInfo::exists(moved)) return moved;
    const QString path = textOf(paths, "path");
    return mayFollow(path, own) ? path : QString();
}

// The window has fewer views, and columns, than that.
constexpr qsizetype mostListed = 256;

QStringList textsFrom(const JsonValue& list)
{
    QStringList texts;
    for (const JsonValue& item : list)
        if (item.is_string() && texts.size() < mostListed) texts << QString::fromStdString(item.get<std::string>());
    texts.removeDuplicates();
    return texts;
}

// A width that no screen has is left out.
std::vector<int> widthsFrom(const JsonValue& list)
{
    constexpr std::int64_t widest = 20'000;
    std::vector<int> widths;
    for (const JsonValue& item : list)
        if (item.is_number_unsigned() && item.get<std::uint64_t>() <= widest && widths.size() < std::size_t{mostListed})
            widths.push_back(item.get<int>());
    return widths;
}

// The value that has the name; the first one if none has.
template <typename Choice, typename Name>
Choice choiceFrom(const QString& text, std::initializer_list<Choice> choices, const Name& nameOf)
{
    for (const Choice choice : choices)
        if (text == QLatin1String(nameOf(choice))) return choice;
    return *choices.begin();
}

const char* arrowName(ArrowMode mode) { return arrowNames[static_cast<std::size_t>(mode)]; }

JsonValue questionJson(const PathQuestion& question)
{
    JsonValue json{{"mode", name(question.mode)}, {"edges", name(question.edges)}};
    if (!question.range.isEmpty()) json["range"] = toJson(question.range);
    if (question.to) json["to"] = *question.to;
    return json;
}

PathQuestion questionFrom(const JsonValue& json)
{
    PathQuestion question;
    question.mode = choiceFrom(textOf(json, "mode"), {PathMode::Work, PathMode::Elapsed, PathMode::Sweep},
                               [](PathMode mode) { return name(mode); });
    question.edges = choiceFrom(textOf(json, "edges"), {EdgeLevel::Order, EdgeLevel::Merges, EdgeLevel::Messages},
                                [](EdgeLevel edges) { return name(edges); });
    if (json.is_object() && json.contains("range")) question.range = rangeFrom(memberOf(json, "range"));
    const Result<TaskId> to = parseTaskId(textOf(json, "to"));
    if (to.ok() && question.mode != PathMode::Sweep) question.to = *to;
    return question;
}

Error notRead(const QString& path, const QString& what, const QString& hint)
{
    return Error{.what = what, .where = path, .hint = hint};
}

TimeRange moved(TimeRange range, TimeNs by, TimeRange limits)
{
    return intersection({saturatingAdd(range.begin, by), saturatingAdd(range.end, by)}, limits);
}

}  // namespace

bool isSessionFile(const QString& path) { return path.endsWith(QLatin1String(sessionEnding), Qt::CaseInsensitive); }

Result<> saveSession(const QString& path, const SavedSession& session)
{
    const JsonValue json{{"longpole_session", sessionVersion},
                         {"trace", pathsJson(path, session.trace)},
                         {"second", pathsJson(path, session.second)},
                         {"stamp", session.stamp},
                         {"begin_ns", QString::number(session.begin)},
                         {"kept", toJson(session.side)},
                         {"marked", toJson(session.marked)},
                         {"critical_path", questionJson(session.question)},
                         {"arrows", arrowName(session.arrows)},
                         {"thresholds", pathsJson(path, session.thresholds)},
                         {"views", session.views},
                         {"on_top", session.onTop},
                         {"columns", session.columns}};
    return writeNamedFile(path, dump(json));
}

Result<SavedSession> loadSession(const QString& path)
{
    const QString otherwise = tr("Choose a file that File > Save session … has written.");
    if (mayNeverEnd(path) || !QFileInfo(path).isFile())
        return notRead(path, tr("There is no such session file."), otherwise);
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return notRead(path, tr("The session could not be read: %1.").arg(file.errorString()),
                       tr("Check the rights of the file."));
    if (file.size() > mostSessionBytes) return notRead(path, tr("The file is too large for a session."), otherwise);
    const auto json = parseJson(file.read(mostSessionBytes));
    const std::int64_t version = json ? integerOf(*json, "longpole_session", 0) : 0;
    if (version < 1) return notRead(path, tr("The file is no session of Longpole."), otherwise);
    if (version > sessionVersion)
        return notRead(path, tr("The session was saved by a newer Longpole."), tr("Open it with that version."));
    SavedSession session;
    session.trace = pathFrom(memberOf(*json, "trace"), path);
    session.second = pathFrom(memberOf(*json, "second"), path);
    session.stamp = textOf(*json, "stamp");
    session.begin = textOf(*json, "begin_ns").toLongLong();
    session.side = sideFileFrom(memberOf(*json, "kept"));
    session.marked = rangeFrom(memberOf(*json, "marked"));
    session.question = questionFrom(memberOf(*json, "critical_path"));
    session.arrows = choiceFrom(textOf(*json, "arrows"),
                                {ArrowMode::Critical, ArrowMode::None, ArrowMode::OneStep, ArrowMode::Chain},
                                arrowName);
    session.thresholds = pathFrom(memberOf(*json, "thresholds"), path);
    session.views = textsFrom(listOf(*json, "views"));
    session.onTop = textsFrom(listOf(*json, "on_top"));
    session.columns = widthsFrom(listOf(*json, "columns"));
    return session;
}

FittedSession fitted(SavedSession session, TimeNs begin, TimeRange limits)
{
    const TimeNs by = saturatingSubtract(begin, session.begin);
    const std::size_t all = session.side.bookmarks.size();
    std::erase_if(session.side.bookmarks, [&](Bookmark& bookmark) {
        bookmark.range = moved(bookmark.range, by, limits);
        return bookmark.range.isEmpty();
    });
    for (TimeRange* range : {&session.marked, &session.question.range}) *range = moved(*range, by, limits);
    if (session.side.range) {
        session.side.range = moved(*session.side.range, by, limits);
        if (session.side.range->isEmpty()) session.side.range.reset();
    }
    session.question.to.reset();  // a task of the other run
    const auto dropped = static_cast<int>(all - session.side.bookmarks.size());
    return {.session = std::move(session), .dropped = dropped};
}

}  // namespace longpole
