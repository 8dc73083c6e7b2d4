// SPDX-License-Identifier: GPL-3.0-or-later
// What starts an MPI program: where its launcher, its options and its programs stand on a command line, and how
// environment variables get from there to every rank.
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
    qsizetype at = 0;                 // of the launcher in words: before it may stand time, timeout 60 ...
    std::vector<qsizetype> programs;  // positions in words, one per part of "... : ..."; empty: not found
    std::vector<qsizetype> parts;     // where each part's options begin
    QString missing;                  // the word that should be a program and is none, if programs is empty
};

// Where a word that names a program leads: itself if it has a slash, else through PATH. Empty: not executable.
QString programPath(const QString& word);

// Asks the launcher for its version where its name does not say whose it is.
MpiLaunch readLaunch(const QStringList& words);

// For tests, and the second half of readLaunch: finds parts and programs behind a launcher of a known kind.
MpiLaunch readLaunch(const QStringList& words, qsizetype at, MpiLauncher launcher);

using Variables = std::vector<std::pair<QString, QString>>;

// The command line that hands the variables to every rank, and to nothing else. Empty variables stay out. For None and
// Environment it is as it was: they need the variables in the environment.
QStringList withVariables(const MpiLaunch& launch, const Variables& variables);

}  // namespace longpole
