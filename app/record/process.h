// SPDX-License-Identifier: GPL-3.0-or-later
// Starts programs as a user's shell would, and says how they ended.
#pragma once

#include "app/record/mpilaunch.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"

#include <QString>
#include <QStringList>

#include <sys/types.h>

namespace longpole {

// How a program is started. Found by PATH, but with the name that was typed: a launcher that is started by its whole
// path takes that for a wish, as Open MPI's, which then changes the program's PATH.
struct ProcessStart {
    QStringList words;
    Variables variables{};  // added to our environment, or in place of what it has
    // Apart: in a process group of its own, without input, so that it can be ended with all that it starts.
    bool isApart = false;
    QString folder{};  // where it runs; empty: where we do. Only apart
    QString output{};  // a file for what it prints. Only apart
};
Result<pid_t> startProcess(const ProcessStart& start);

// A program's exit code; as in a shell, a signal's number plus 128 if one ended it.
int exitCodeOf(int status);

// Waits for a process that runs apart. Cancelled: ends it with all that it started (SIGTERM, after two seconds
// SIGKILL).
struct EndedProcess {
    int exitCode = 0;
    TimeNs wallTime = 0;  // from the call on, which is to follow the start at once
};
Result<EndedProcess> waitForProcess(pid_t process, const Progress& progress);

// The last lines of what a program printed into a file, on one line; empty if there are none.
QString lastWords(const QString& file);

}  // namespace longpole
