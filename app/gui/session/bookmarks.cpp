// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/session/bookmarks.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSaveFile>
#include <QStandardPaths>

#include <algorithm>

namespace longpole {

namespace {

constexpr int sideFileVersion = 1;

QString tr(const char* text) { return QCoreApplication::translate("SideFile", text); }

// A JSON number holds 53 bits; times have 63.
QJsonValue toJson(TimeNs time) { return QString::number(time); }
TimeNs timeFrom(const QJsonValue& value) { return value.toString().toLongLong(); }

TimeRange rangeFrom(const QJsonObject& object)
{
    return {timeFrom(object.value(QLatin1String("begin_ns"))), timeFrom(object.value(QLatin1String("end_ns")))};
}

QJsonObject toJson(TimeRange range)
{
    return {{QStringLiteral("begin_ns"), toJson(range.begin)}, {QStringLiteral("end_ns"), toJson(range.end)}};
}

}  // namespace

void setBookmark(std::vector<Bookmark>& bookmarks, Bookmark bookmark)
{
    if (bookmark.number != 0)
        std::erase_if(bookmarks, [&](const Bookmark& other) { return other.number == bookmark.number; });
    bookmarks.push_back(std::move(bookmark));
    const auto key = [](const Bookmark& b) { return std::pair(b.number == 0 ? 10 : b.number, b.range.begin); };
    std::stable_sort(bookmarks.begin(), bookmarks.end(),
                     [&](const Bookmark& a, const Bookmark& b) { return key(a) < key(b); });
}

int freeNumber(const std::vector<Bookmark>& bookmarks)
{
    for (int number = 1; number <= 9; ++number)
        if (std::none_of(bookmarks.begin(), bookmarks.end(), [&](const Bookmark& b) { return b.number == number; }))
            return number;
    return 0;
}

QString sideFilePath(const QString& stamp)
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) % QLatin1String("/longpole/side/")
           % stamp % QLatin1String(".json");
}

Result<SideFile> loadSideFile(const QString& path)
{
    QFile file(path);
    if (!file.exists()) return SideFile{};
    if (!file.open(QIODevice::ReadOnly))
        return Error{.what = tr("The bookmarks could not be read: %1.").arg(file.errorString()),
                     .where = path,
                     .hint = tr("Check the rights of the file.")};
    QJsonParseError parse;
    const QJsonObject object = QJsonDocument::fromJson(file.readAll(), &parse).object();
    if (parse.error != QJsonParseError::NoError)
        return Error{.what = tr("The bookmarks are damaged: %1.").arg(parse.errorString()),
                     .where = path,
                     .hint = tr("Bookmarks start empty; setting one replaces the file.")};
    if (object.value(QLatin1String("version")).toInt() > sideFileVersion)
        return Error{.what = tr("The bookmarks were written by a newer Longpole."),
                     .where = path,
                     .hint = tr("Use that version to see them.")};
    SideFile content;
    for (const QJsonValue& value : object.value(QLatin1String("bookmarks")).toArray()) {
        const QJsonObject item = value.toObject();
        setBookmark(content.bookmarks, {.number = std::clamp(item.value(QLatin1String("number")).toInt(), 0, 9),
                                        .note = item.value(QLatin1String("note")).toString(),
                                        .range = rangeFrom(item)});
    }
    if (object.contains(QLatin1String("range")))
        content.range = rangeFrom(object.value(QLatin1String("range")).toObject());
    content.view = object.value(QLatin1String("view")).toObject();
    return content;
}

Result<> saveSideFile(const QString& path, const SideFile& content)
{
    QJsonArray bookmarks;
    for (const Bookmark& bookmark : content.bookmarks) {
        QJsonObject item = toJson(bookmark.range);
        item.insert(QStringLiteral("number"), bookmark.number);
        item.insert(QStringLiteral("note"), bookmark.note);
        bookmarks.append(item);
    }
    QJsonObject object{{QStringLiteral("version"), sideFileVersion},
                       {QStringLiteral("bookmarks"), bookmarks},
                       {QStringLiteral("view"), content.view}};
    if (content.range) object.insert(QStringLiteral("range"), toJson(*content.range));
    QDir().mkpath(QFileInfo(path).absolutePath());
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(QJsonDocument(object).toJson()) >= 0 && file.commit())
        return Unit{};
    return Error{.what = tr("The bookmarks could not be saved: %1.").arg(file.errorString()),
                 .where = path,
                 .hint = tr("Check the rights of the folder and the free space.")};
}

}  // namespace longpole
