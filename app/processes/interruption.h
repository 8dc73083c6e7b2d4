// SPDX-License-Identifier: GPL-3.0-or-later
// Signals that end a process of longpole-mpi: Ctrl+C, the end of the job's time. The first one cancels the work, so
// that all processes tidy up and end together; a second one ends this process at once.
#pragma once

#include "core/base/progress.h"

namespace longpole {

// One at a time, from the begin of the process' work on. A signal that the caller ignores stays ignored.
class Interruption {
public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    // Cancelled by the first signal.
    const Progress& progress() const { return m_progress; }
    // 128 and the signal's number, as a shell has it; of a process that only heard of the end of another that of
    // SIGTERM.
    static int exitCode();

private:
    Progress m_progress;
};

// What cancels the work of this process, if there is one.
const Progress* interruptedWork();

}  // namespace longpole
