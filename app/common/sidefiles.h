// SPDX-License-Identifier: GPL-3.0-or-later
// Where what a user has added to a trace lies, bookmarks and notes, and that it follows a trace that is written anew.
#pragma once

#include <QString>

namespace longpole {

// `stamp`: of the trace.
QString sideFilePath(const QString& stamp);

// Copies what was added to a trace for the one that it has become, unless that has something of its own.
void carrySideFile(const QString& from, const QString& to);

}  // namespace longpole
