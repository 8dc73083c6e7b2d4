// SPDX-License-Identifier: GPL-3.0-or-later
// How much CPU time a command may take: what the size of its input explains. Beyond it the command ends with an error.
#pragma once

#include <QStringList>

#include <chrono>

namespace longpole {

// By the bytes of what the paths name, runs and their folders as well as single files; at least what any command may
// take (limits::cpuTime). What is not there, and what is no file of a run, counts nothing.
std::chrono::seconds cpuTimeFor(const QStringList& paths);

// From now on this process may take that much, and so may each that it starts. Beyond it the work in hand is cancelled
// as by a signal, and the process says why and ends with ExitCode::BadInput; after a few seconds more it ends in any
// case. Not in builds with sanitizers, which take several times as long, and not where the user's own limit (ulimit -t)
// is lower.
void limitCpuTime(std::chrono::seconds most);

}  // namespace longpole
