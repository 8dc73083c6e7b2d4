// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/session/bookmarks.h"

#include "app/common/keptfile.h"
#include "app/common/userfolders.h"
#include "core/base/limits.h"
#include "core/base/translate.h"

#include <QDir>
#include <QFileInfo>
#include <QHash>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

namespace longpole {

namespace {

constexpr int sideFileVersion = 1;
constexpr std::size_t mostOwn = 16 * std::size_t{limits::bookmarks.free};  // whatever sessions have added

// Thousands of long notes may begin alike. The seed is drawn by the process: no file can choose notes of one bucket.
struct BookmarkHash {
    std::size_t operator()(const Bookmark& bookmark) const
    {
        return qHashMulti(QHashSeed::globalSeed(), bookmark.number, bookmark.range.begin, bookmark.range.end,
                          bookmark.note);
    }
};
using BookmarkSet = std::unordered_set<Bookmark, BookmarkHash>;

Bookmark withoutNumber(Bookmark bookmark)
{
    bookmark.number = 0;
    return bookmark;
}

// By number, then begin.
void sort(std::vector<Bookmark>& bookmarks)
{
    const auto key = [](const Bookmark& b) { return std::pair(b.number == 0 ? 10 : b.number, b.range.begin); };
    std::stable_sort(bookmarks.begin(), bookmarks.end(),
                     [&](const Bookmark& a, const Bookmark& b) { return key(a) < key(b); });
}

// What a file holds; null if it is damaged, empty if there is none. Errors: unreadable, of a newer version.
Result<JsonValue> sideContent(const QString& path)
{
    const Result<std::optional<QByteArray>> bytes = bytesOfKeptFile(path);
    if (!bytes)
        return Error{.what = tr("The bookmarks could not be read: %1").arg(bytes.error().what),
                     .where = path,
                     .hint = tr("Check the rights of the file.")};
    if (!*bytes) return JsonValue::object();
    const auto object = parseJson(**bytes);
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

namespace {

JoinedBookmarks joinedUpTo(std::size_t most, std::vector<Bookmark> bookmarks, const std::vector<Bookmark>& more,
                           TimeRange limits)
{
    JoinedBookmarks result{.bookmarks = std::move(bookmarks)};
    BookmarkSet there;
    for (const Bookmark& bookmark : result.bookmarks) there.insert(withoutNumber(bookmark));
    for (Bookmark bookmark : more) {
        if (result.bookmarks.size() >= most) break;
        if (there.contains(withoutNumber(bookmark))) continue;
        bookmark.range = intersection(bookmark.range, limits);
        if (bookmark.range.isEmpty()) {
            ++result.outside;
            continue;
        }
        if (!there.insert(withoutNumber(bookmark)).second) continue;
        const auto hasNumber = [&](const Bookmark& b) { return b.number == bookmark.number; };
        if (bookmark.number != 0 && std::any_of(result.bookmarks.begin(), result.bookmarks.end(), hasNumber))
            bookmark.number = freeNumber(result.bookmarks);
        result.bookmarks.push_back(std::move(bookmark));
    }
    sort(result.bookmarks);
    return result;
}

}  // namespace

JoinedBookmarks joined(std::vector<Bookmark> bookmarks, const std::vector<Bookmark>& more, TimeRange limits)
{
    return joinedUpTo(limits::bookmarks.free, std::move(bookmarks), more, limits);
}

std::vector<Bookmark> merged(const std::vector<Bookmark>& once, const std::vector<Bookmark>& own,
                             const std::vector<Bookmark>& others)
{
    const BookmarkSet before(once.begin(), once.end());
    const auto without = [&before](std::vector<Bookmark> bookmarks, const std::vector<Bookmark>& left) {
        const BookmarkSet kept(left.begin(), left.end());
        std::erase_if(bookmarks, [&](const Bookmark& b) { return !kept.contains(b) && before.contains(b); });
        return bookmarks;
    };
    return joinedUpTo(mostOwn, without(own, others), without(others, own), {minTime, maxTime}).bookmarks;
}

int freeNumber(const std::vector<Bookmark>& bookmarks)
{
    for (int number = 1; number <= 9; ++number)
        if (std::none_of(bookmarks.begin(), bookmarks.end(), [&](const Bookmark& b) { return b.number == number; }))
            return number;
    return 0;
}

namespace {

SideFile sideFileUpTo(std::size_t most, const JsonValue& object)
{
    SideFile content;
    std::array<std::optional<Bookmark>, 10> numbered;
    for (const JsonValue& item : listOf(object, "bookmarks")) {
        if (content.bookmarks.size() >= most) break;
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

}  // namespace

SideFile sideFileFrom(const JsonValue& object) { return sideFileUpTo(limits::bookmarks.free, object); }

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
    if (const Result<> checked = checkFolder(UserFolder::Kept); !checked) return checked.error();
    const Result<JsonValue> object = sideContent(path);
    if (!object) return object.error();
    if (object->is_null())
        return Error{.what = tr("The bookmarks are damaged: they are no JSON."),
                     .where = path,
                     .hint = tr("Bookmarks start empty; setting one replaces the file.")};
    return sideFileUpTo(mostOwn, *object);
}

Result<> saveSideFile(const QString& path, const SideFile& content)
{
    if (const Result<> made = makeFolder(UserFolder::Kept); !made) return made;
    QDir().mkpath(QFileInfo(path).absolutePath());
    if (const auto before = sideContent(path); !before) return before.error();
    const Result<> written = writeKeptFile(path, dump(toJson(content)));
    if (written) return written;
    return Error{.what = tr("The bookmarks could not be saved: %1").arg(written.error().what),
                 .where = path,
                 .hint = tr("Check the rights of the folder and the free space.")};
}

}  // namespace longpole
