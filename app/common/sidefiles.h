// SPDX-License-Identifier: GPL-3.0-or-later
// Where what a user has added to a trace lies, bookmarks and notes, and that it follows a run that is written anew.
#pragma once

#include "core/store/tracestore.h"

#include <QString>

namespace longpole {

// Named by the run, so that a run which is imported again, by another version too, has what was added to it; a trace
// that was made of another one (folded, replayed) is named by its own stamp.
QString sideFilePath(const TraceStore& trace);

// Copies what was added to a trace for the one that it has become, unless that has something of its own. Both are
// stamps: of files that were named by them.
void carrySideFile(const QString& from, const QString& to);

// Copies what earlier versions kept in the cache, if nothing is there yet.
void takeEarlierSideFile(const TraceStore& trace);

}  // namespace longpole
