// SPDX-License-Identifier: GPL-3.0-or-later
// Processes that an MPI started. The MPI is not linked: a small library, transport.c compiled against it, is loaded
// when the program begins, chosen by what the launcher left in the environment.
#pragma once

#include "distributed/transport/transport.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

namespace longpole {

// What the environment tells about who started this process.
struct MpiEnvironment {
    QString mpi;        // "openmpi" or "mpich"; empty: nobody, or one that is not known
    int processes = 0;  // 0: it does not say
    int process = -1;   // -1: it does not say
    bool isUnderLauncher() const { return !mpi.isEmpty() || processes > 0; }
};
MpiEnvironment mpiEnvironment();

// Where the library for that MPI lies: beside the program (in the build folder) or installed. Empty: nowhere.
QString transportLibrary(const QString& mpi);
// The source of the library, for a cluster's own mpicc.
QByteArray transportSource();

// Starts the MPI behind the library at `path`, once in a process. Errors: it cannot be loaded, is of another version,
// or belongs to another MPI than the launcher: then every process believes to be alone.
Result<std::unique_ptr<Wire>> startMpi(const QString& path, const MpiEnvironment& launch);
// How the MPI that was started calls itself.
QString mpiDescription();
// The end of all processes: orderly, or, with an exit code, at once, as others may hang.
void finishMpi();
[[noreturn]] void stopMpi(int exitCode);

}  // namespace longpole
