// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a command line that starts an MPI program, finds its launcher, options and programs, and adds environment
// variables for every rank.
#pragma once

#include "core/base/result.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <utility>
#include <vector>

namespace longpole {

enum class MpiLauncher : std::uint8_t {
    None,         // the program itself is started: a run of one rank
    OpenMpi,      // mpirun, mpiexec, orterun, prterun: -x NAME=VALUE before each program
    Hydra,        // MPICH's mpiexec and its relatives: -genv NAME VALUE
    Environment,  // srun and others that hand the environment on
};

struct MpiLaunch {
    MpiLauncher launcher = MpiLauncher::None;
    QStringList words;                // the command line
    qsizetype at = 0;                 // the launcher's position in words, after "time", "timeout 60" and the like
    std::vector<qsizetype> programs;  // positions in words, one per part of "... : ..."; empty: not found
    std::vector<qsizetype> parts;     // where each part's options begin
    QString missing;                  // if programs is empty: the word that should be a program and is not
};

// The path of the program that a word names: the word itself if it has a slash, else found in PATH. Empty if it is not
// executable.
QString programPath(const QString& word);

// Reads a command line. Runs the launcher with --version if its name does not tell its kind.
MpiLaunch readLaunch(const QStringList& words);

// For tests, and the second half of readLaunch: finds parts and programs behind a launcher of a known kind.
MpiLaunch readLaunch(const QStringList& words, qsizetype at, MpiLauncher launcher);

using Variables = std::vector<std::pair<QString, QString>>;

// The command line with options that set the variables for every rank, and for nothing else. Empty variables are left
// out. Unchanged for None and Environment, which take the variables from the environment.
QStringList withVariables(const MpiLaunch& launch, const Variables& variables);

}  // namespace longpole
