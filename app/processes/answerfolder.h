// SPDX-License-Identifier: GPL-3.0-or-later
// The folder that --answers names: its list says which files an analysis wrote there, so that nothing else is written
// over or removed.
#pragma once

#include "core/base/result.h"

#include <QString>

#include <span>

namespace longpole {

// Of an answer folder, the file with the hash of each file that was written there.
constexpr const char* listOfAnswers = "answers.json";

// Whether files of these names may be written there, beside the run that is read: each is as an analysis wrote it, or
// is not there. Errors: the folder is a link; as -o; a file of these names is somebody else's, or was changed.
Result<> checkAnswerFolder(const QString& folder, const QString& run, std::span<const char* const> names);
// Answers are written into a folder of their own below it, which is returned, and come to where they belong together:
// whoever ends in between leaves some answers of one run there, never of two, and the next one may write all of them.
// Errors: something else is in the way; it cannot be made.
Result<QString> beginAnswers(const QString& folder);
// Removes the earlier ones of `all`, puts those that were `written` in their place and lists them. Errors: cannot be
// read, written, or removed.
Result<> publishAnswers(const QString& folder, const QString& part, std::span<const char* const> all,
                        std::span<const char* const> written);
// Removes the folder below with what was written there, after an error or an end in between, too.
void endAnswers(const QString& part, std::span<const char* const> all);

}  // namespace longpole
