// SPDX-License-Identifier: GPL-3.0-or-later
// What commands share that several processes run together: those that an MPI started, or threads of this one.
#pragma once

#include "app/commandline/commandline.h"
#include "core/base/progress.h"
#include "distributed/transport/transport.h"

#include <functional>
#include <optional>

namespace longpole {

constexpr CommandOption processesOption{"processes", "N",
                                        "threads that work as processes do (default: 1; not in longpole-mpi)"};

// Runs `body` on all processes of longpole-mpi, or on the threads that --processes asks for. Nothing if all went well;
// else the exit code, after an error that was or will be printed once. The caller writes what body left, at the root.
// Ctrl+C, SIGTERM and SIGHUP cancel the progress and the transport of every process.
using ProcessBody = std::function<void(Transport&, const Progress&)>;
std::optional<ExitCode> runOnProcesses(const CommandLine& line, const ProcessBody& body);

// Whether this process is the one that writes.
bool isRoot(const CommandLine& line);

}  // namespace longpole
