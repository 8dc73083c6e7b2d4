// SPDX-License-Identifier: GPL-3.0-or-later
// Which files belong to one Projections run, given its .sts, one of its logs, or the folder that holds it.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "importers/common/fingerprint.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace longpole {

struct ProjectionsFiles {
    struct Log {
        std::uint64_t pe = 0;
        QString path;
        std::int64_t bytes = 0;
    };
    QString folder;               // that holds the .sts
    QString base;                 // name of the program: base.sts, base.<pe>.log
    QString symbols;              // path of the .sts, empty if there is none
    QString merges;               // path of <base>.merges, empty if there is none (importers/common/merges.h)
    std::vector<Log> logs;        // by pe, one each
    std::vector<QString> second;  // logs of a PE that has one already

    // Drops the logs of processors that a run of `processors` (0: not known) does not have, and returns them.
    std::vector<Log> takeForeignLogs(std::int64_t processors);
    // What the import is named after: the .sts, else the first log. Absolute.
    QString source() const;
    std::int64_t bytes() const;
};

constexpr std::int64_t mostProcessors = 1 << 18;  // beyond that the .sts is wrong, or the number in a log's name
// The most that a run with so many logs has: a .sts alone cannot make a hundred thousand rows.
std::int64_t mostProcessorsOf(std::size_t logs);

// "prog.3.log.gz".
QString logFileName(const QString& base, std::uint64_t pe, bool isCompressed);
// What a folder holds of a run of this name: its .sts, .projrc, .merges, logs and folders of logs. Nothing if there is
// no folder.
QStringList filesOfRun(const QString& folder, const QString& base);

// Errors: nothing there, not readable, several runs in one folder, a run without event logs.
Result<ProjectionsFiles> findProjectionsRun(const QString& path);

// Whether a name or a folder's content looks like a Projections run; reads at most the head of a file.
bool looksLikeProjections(const QString& path);

// Hash of each file's name, size, time and sampled content (first and last MiB, 64 blocks of 64 KiB between), hex.
Result<QString> fingerprintOf(const ProjectionsFiles& files, FingerprintOf of = FingerprintOf::Content,
                              const Progress& progress = Progress());

}  // namespace longpole
