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
// Lists the files, which were written. Errors: cannot be read, or written.
Result<> listAnswers(const QString& folder, std::span<const char* const> names);

}  // namespace longpole
