// SPDX-License-Identifier: GPL-3.0-or-later
// What the user keeps about a trace: bookmarks with notes, the visible range, rows and colours. A trace is never
// written again, so they are in a JSON file in a folder of the user's that is named by the run (the side file).
#pragma once

#include "analysis/base/json.h"
#include "core/base/result.h"
#include "core/base/timerange.h"

#include <QString>

#include <optional>
#include <vector>

namespace longpole {

constexpr int longestNote = 4000;  // letters; of a longer one the rest is left out when it is read

struct Bookmark {
    int number = 0;  // 1..9: there are keys for it; 0: none
    QString note;
    TimeRange range;
    friend bool operator==(const Bookmark&, const Bookmark&) = default;
};

struct SideFile {
    std::vector<Bookmark> bookmarks;
    std::optional<TimeRange> range;  // that was visible when the trace was closed; empty: the whole run
    JsonValue view;                  // rows and colours
    friend bool operator==(const SideFile&, const SideFile&) = default;
};

// Adds a bookmark in place of the one with the same number (unless that is 0); sorts them by number, then begin.
void setBookmark(std::vector<Bookmark>& bookmarks, Bookmark bookmark);
// The first free number of 1..9, else 0.
int freeNumber(const std::vector<Bookmark>& bookmarks);
// With those of `more` that are not there, cut to `limits`; of those whose number is taken the first free one.
struct JoinedBookmarks {
    std::vector<Bookmark> bookmarks;
    int outside = 0;  // of `more`: left out, as no part of them lies in `limits`
};
JoinedBookmarks joined(std::vector<Bookmark> bookmarks, const std::vector<Bookmark>& more,
                       TimeRange limits = {minTime, maxTime});

// What two windows have made of the bookmarks that both once had: what either added is there, what either removed is
// not. Of two with the same number that of `own` keeps it.
std::vector<Bookmark> merged(const std::vector<Bookmark>& once, const std::vector<Bookmark>& own,
                             const std::vector<Bookmark>& others);

// A range as {begin_ns, end_ns}, and what a side file holds. What is missing, of another type or beyond what a run may
// have is left out.
JsonValue toJson(TimeRange range);
TimeRange rangeFrom(const JsonValue& object);
JsonValue toJson(const SideFile& content);
SideFile sideFileFrom(const JsonValue& object);

// An empty side file if there is none. Errors: unreadable, not JSON, of a newer version.
Result<SideFile> loadSideFile(const QString& path);
// Errors: the folder is not writable, the disk is full, what is there cannot be read or is of a newer version; then the
// old file stays.
Result<> saveSideFile(const QString& path, const SideFile& content);

}  // namespace longpole
