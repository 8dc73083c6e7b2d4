// SPDX-License-Identifier: GPL-3.0-or-later
// What a user keeps about a trace beside it: bookmarks with notes, the visible range, rows and colours; a JSON file in
// the user's cache folder, keyed by the trace's stamp, because a trace is never written again.
#pragma once

#include "core/base/result.h"
#include "core/base/timerange.h"

#include <QJsonObject>
#include <QString>

#include <optional>
#include <vector>

namespace longpole {

struct Bookmark {
    int number = 0;  // 1..9 has a key; others 0
    QString note;
    TimeRange range;
    friend bool operator==(const Bookmark&, const Bookmark&) = default;
};

struct SideFile {
    std::vector<Bookmark> bookmarks;
    std::optional<TimeRange> range;  // visible when the trace was closed
    QJsonObject view;                // rows, folding and colours, as the timeline describes them
    friend bool operator==(const SideFile&, const SideFile&) = default;
};

// Adds a bookmark, replacing the one with the same number (unless 0); sorted by number, then begin.
void setBookmark(std::vector<Bookmark>& bookmarks, Bookmark bookmark);
// The first free number of 1..9, else 0.
int freeNumber(const std::vector<Bookmark>& bookmarks);

QString sideFilePath(const QString& stamp);
// An empty side file if there is none. Errors: unreadable, not JSON, of a newer version.
Result<SideFile> loadSideFile(const QString& path);
// Errors: folder not writable, disk full; the old file stays then.
Result<> saveSideFile(const QString& path, const SideFile& content);

}  // namespace longpole
