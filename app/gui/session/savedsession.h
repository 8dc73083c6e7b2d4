// SPDX-License-Identifier: GPL-3.0-or-later
// A session in a file, .longpole-session: which run was open and how it was looked at, to go on later or elsewhere, or
// to look at another run in the same way.
#pragma once

#include "analysis/paths/pathquestions.h"
#include "app/gui/session/bookmarks.h"
#include "core/base/result.h"
#include "views/state/choices.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace longpole {

constexpr char sessionEnding[] = ".longpole-session";
bool isSessionFile(const QString& path);  // by its ending

struct SavedSession {
    QString trace;   // the run, as an absolute path
    QString second;  // the run that it is compared with; empty: none
    QString stamp;   // of the trace: times are those of this one; empty: the same run, which may have gone on since
    TimeNs begin = 0;
    SideFile side;
    TimeRange marked;  // empty: none
    PathQuestion question;
    ArrowMode arrows = ArrowMode::Critical;
    QString thresholds;  // the file; empty: the defaults
    QStringList views;   // that are open, by id; those of them that no other one covers
    QStringList onTop;
    std::vector<int> columns;  // the widths of sidebar, views and right column
};

// Paths are kept from the file's folder, too, so that a folder with both can be moved. Errors: the folder is not
// writable, the disk is full; then an old file stays.
Result<> saveSession(const QString& path, const SavedSession& session);
// Errors: unreadable, too large, no session, of a newer version.
Result<SavedSession> loadSession(const QString& path);

// What of it fits another run that is shown within `limits` and begins at `begin`: times are moved, bookmarks and
// ranges are cut to the run; `dropped` is the number of bookmarks that lie outside.
struct FittedSession {
    SavedSession session;
    int dropped = 0;
};
FittedSession fitted(SavedSession session, TimeNs begin, TimeRange limits);

}  // namespace longpole
