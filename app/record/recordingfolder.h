// SPDX-License-Identifier: GPL-3.0-or-later
// The folder to which a recording is written: makes it, and counts the files in it.
#pragma once

#include "core/base/result.h"

#include <QString>

#include <cstdint>

namespace longpole {

struct RecordedFiles {
    qsizetype ranks = 0;    // rank-000003.lprank
    bool hasIndex = false;  // index.lpindex: the program came to MPI_Finalize
    std::int64_t bytes = 0;
};

RecordedFiles recordedFiles(const QString& folder);

// Makes an empty folder. One that has something in it is refused; with `replace`, an earlier recording is removed from
// it. Errors: something else lies there, no permission.
Result<> makeRecordingFolder(const QString& folder, bool replace);

}  // namespace longpole
