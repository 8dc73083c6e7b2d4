// SPDX-License-Identifier: GPL-3.0-or-later
// Finds which MPI a program is linked to, and which of the recorder's libraries fits that.
#pragma once

#include "app/record/mpilaunch.h"
#include "core/base/result.h"

#include <QString>
#include <QStringList>

#include <cstdint>

namespace longpole {

enum class MpiKind : std::uint8_t { Unknown, OpenMpi, Mpich, Other };

struct MpiProgram {
    QString path;
    MpiKind mpi = MpiKind::Unknown;  // Unknown: a script, an interpreter, or no MPI program
    QString library;                 // e.g. "libmpi.so.40"
    bool isStatic = false;           // an executable without a loader, for which nothing can be preloaded
    QStringList tools;               // libraries of other tools that wrap MPI calls
};

QString mpiName(MpiKind kind);  // "Open MPI"

// Asks the loader that it names, so that libraries of libraries count, too.
MpiProgram inspectProgram(const QString& path);

// For inspectProgram and tests: sets what the output of ldd, or of the loader, says of the program.
void readLinked(const QString& output, MpiProgram& program);
// Those of the libraries that are other tools which wrap MPI, told by their names.
QStringList wrappingTools(const QStringList& libraries);

// The MPI for which the recorder must be built: the program's, or for scripts and interpreters the launcher's. Errors:
// the program is linked statically, or started by the launcher of another MPI.
Result<MpiKind> mpiOf(const MpiLaunch& launch, const MpiProgram& program);

// The library to preload. Errors: not built or installed; no recorder for this MPI.
Result<QString> recorderLibrary(MpiKind kind, const QString& soname);

}  // namespace longpole
