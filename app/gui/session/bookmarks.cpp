// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/session/bookmarks.h"

#include "app/common/tracecache.h"
#include "core/base/limits.h"
#include "core/base/translate.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <algorithm>
#include <array>

namespace longpole {

namespace {

constexpr int sideFileVersion = 1;
constexpr qint64 mostSideBytes = 64 << 20;
constexpr qsizetype longestNote = 4000;

// By number, then begin.
void sort(std::vector<Bookmark>& bookmarks)
{
    const auto key = [](const Bookmark& b) { return std::pair(b.number == 0 ? 10 : b.number, b.range.begin); };
    std::stable_sort(bookmarks.begin(), bookmarks.end(),
                     [&](const Bookmark& a, const Bookmark& b) { return key(a) < key(b); });
}

// What a file that is there holds; null if it is damaged. Errors: unreadable, of a newer version.
Result<JsonValue> sideContent(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error{.what = tr("The bookmarks could not be read: %1.").arg(file.errorString()),
                     .where = path,
                     .hint = tr("Check the rights of the file.")};
    const auto object = parseJson(file.read(mostSideBytes));
    if (!object || !object->is_object()) return JsonValue();
    if (integerOf(*object, "version", 0) > sideFileVersion)
        return Error{.what = tr("The bookmarks were written by a newer Longpole."),
                     .where = path,
                     .hint = tr("Use that version to see them.")};
    return *object;
}

}  // namespace

// As text: other readers of JSON keep 53 bits of a number.
TimeRange rangeFrom(const JsonValue& object)
{
    const TimeRange range{textOf(object, "begin_ns").toLongLong(), textOf(object, "end_ns").toLongLong()};
    return range.begin < range.end ? range : TimeRange{};
}

JsonValue toJson(TimeRange range)
{
    return {{"begin_ns", QString::number(range.begin)}, {"end_ns", QString::number(range.end)}};
}

void setBookmark(std::vector<Bookmark>& bookmarks, Bookmark bookmark)
{
    if (bookmark.number != 0)
        std::erase_if(bookmarks, [&](const Bookmark& other) { return other.number == bookmark.number; });
    bookmarks.push_back(std::move(bookmark));
    sort(bookmarks);
}

std::vector<Bookmark> joined(std::vector<Bookmark> bookmarks, const std::vector<Bookmark>& more)
{
    for (Bookmark bookmark : more) {
        if (bookmarks.size() >= std::size_t{limits::bookmarks.free}) break;
        const auto isSame = [&](const Bookmark& b) { return b.range == bookmark.range && b.note == bookmark.note; };
        if (std::any_of(bookmarks.begin(), bookmarks.end(), isSame)) continue;
        const auto hasNumber = [&](const Bookmark& b) { return b.number == bookmark.number; };
        if (bookmark.number != 0 && std::any_of(bookmarks.begin(), bookmarks.end(), hasNumber))
            bookmark.number = freeNumber(bookmarks);
        bookmarks.push_back(std::move(bookmark));
    }
    sort(bookmarks);
    return bookmarks;
}

std::vector<Bookmark> merged(const std::vector<Bookmark>& once, const std::vector<Bookmark>& own,
                             const std::vector<Bookmark>& others)
{
    const auto has = [](const std::vector<Bookmark>& bookmarks, const Bookmark& bookmark) {
        return std::find(bookmarks.begin(), bookmarks.end(), bookmark) != bookmarks.end();
    };
    const auto without = [&](std::vector<Bookmark> bookmarks, const std::vector<Bookmark>& left) {
        std::erase_if(bookmarks, [&](const Bookmark& b) { return !has(left, b) && has(once, b); });
        return bookmarks;
    };
    return joined(without(own, others), without(others, own));
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
    return cacheFolder() % QLatin1String("/side/") % stamp % QLatin1String(".json");
}

SideFile sideFileFrom(const JsonValue& object)
{
    SideFile content;
    std::array<std::optional<Bookmark>, 10> numbered;
    for (const JsonValue& item : listOf(object, "bookmarks")) {
        if (content.bookmarks.size() >= std::size_t{limits::bookmarks.free}) break;
        Bookmark bookmark{.number = static_cast<int>(std::clamp<std::int64_t>(integerOf(item, "number", 0), 0, 9)),
                          .note = textOf(item, "note").left(longestNote),
                          .range = rangeFrom(item)};
        if (bookmark.number == 0) content.bookmarks.push_back(std::move(bookmark));
        else numbered[static_cast<std::size_t>(bookmark.number)] = std::move(bookmark);  // the last one counts
    }
    for (std::optional<Bookmark>& bookmark : numbered)
        if (bookmark) content.bookmarks.push_back(std::move(*bookmark));
    sort(content.bookmarks);
    if (object.is_object() && object.contains("range")) content.range = rangeFrom(memberOf(object, "range"));
    content.view = memberOf(object, "view");
    return content;
}

JsonValue toJson(const SideFile& content)
{
    JsonValue bookmarks = JsonValue::array();
    for (const Bookmark& bookmark : content.bookmarks) {
        JsonValue item = toJson(bookmark.range);
        item["number"] = bookmark.number;
        item["note"] = bookmark.note;
        bookmarks.push_back(std::move(item));
    }
    JsonValue object{{"version", sideFileVersion}, {"bookmarks", std::move(bookmarks)}, {"view", content.view}};
    if (content.range) object["range"] = toJson(*content.range);
    return object;
}

Result<SideFile> loadSideFile(const QString& path)
{
    if (const Result<> checked = checkCacheFolder(); !checked) return checked.error();
    if (!QFileInfo::exists(path)) return SideFile{};
    const Result<JsonValue> object = sideContent(path);
    if (!object) return object.error();
    if (object->is_null())
        return Error{.what = tr("The bookmarks are damaged: they are no JSON."),
                     .where = path,
                     .hint = tr("Bookmarks start empty; setting one replaces the file.")};
    return sideFileFrom(*object);
}

Result<> saveSideFile(const QString& path, const SideFile& content)
{
    if (const Result<> made = makeCacheFolder(); !made) return made;
    QDir().mkpath(QFileInfo(path).absolutePath());
    if (QFileInfo::exists(path))
        if (const Result<JsonValue> before = sideContent(path); !before) return before.error();
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(dump(toJson(content))) >= 0 && file.flush() && file.commit())
        return Unit{};
    return Error{.what = tr("The bookmarks could not be saved: %1.").arg(file.errorString()),
                 .where = path,
                 .hint = tr("Check the rights of the folder and the free space.")};
}

}  // namespace longpole
