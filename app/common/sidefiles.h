// SPDX-License-Identifier: GPL-3.0-or-later
// Where what a user has added to a trace lies, bookmarks and notes, and that it follows a run that is written anew.
#pragma once

#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "core/store/upgrade.h"

#include <QString>

namespace longpole {

// Named by the run, so that a run which is moved, or imported again by another version, has what was added to it; a
// trace that was made of another one (folded, replayed) is named by its own stamp.
QString sideFilePath(const TraceStore& trace);

// Copies what was added to a trace for the one that it becomes, unless that has something of its own: of files that are
// named by their stamps. Errors: the copy cannot be made.
Result<> carrySideFile(const Upgrade& upgrade);

// Copies what earlier versions kept in the cache, if nothing is there yet.
void takeEarlierSideFile(const TraceStore& trace);

}  // namespace longpole
