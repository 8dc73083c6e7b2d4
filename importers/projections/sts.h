// SPDX-License-Identifier: GPL-3.0-or-later
// The symbol table of a Projections run (.sts), all versions: names of entry methods, chares, events and statistics.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "importers/common/importlog.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace longpole {

constexpr std::uint32_t mostPapiCounters = 64;

struct ProjectionsSymbols {
    struct Chare {
        QString name;
        int dimensions = -1;  // at most 6
    };
    struct Entry {
        QString name;
        std::int32_t chare = -1;
    };

    QString version;  // as written, "11.0"
    double versionNumber = 11.0;
    std::int64_t processors = 0;
    std::optional<std::int64_t> pesPerProcess;  // SMPMODE
    std::optional<std::int64_t> processes;
    QString machine;
    QString username;
    QString hostname;
    QString commandline;
    QString timestamp;
    QString charmVersion;
    std::map<std::uint32_t, Chare> chares;
    std::map<std::uint32_t, Entry> entries;
    std::map<std::uint32_t, QString> events;
    std::map<std::uint32_t, QString> statistics;
    std::map<std::uint32_t, QString> functions;
    std::map<std::uint32_t, QString> counters;  // PAPI
    std::uint32_t papiCounters = 0;             // values appended to records 2 and 3; at most mostPapiCounters
    bool isEmpty = true;                        // no line at all
    bool hasEnd = false;

    // The thread dummy is called AMPI::rank: user-event pairs carry the MPI rank in their nestedID.
    bool isAmpi() const;
    // Dimensions of the chare that owns an entry; none if the entry or its chare is not known.
    std::optional<int> dimensionsOf(std::uint32_t entry) const;
};

// The file's content. Errors: no ordinary file, not readable, larger than any symbol table.
Result<QByteArray> readSymbolsFile(const QString& path);

// Reads what can be read; lines that cannot are counted in `log`. Never fails: the empty file gives empty symbols. Once
// cancelled it reads no more.
ProjectionsSymbols parseSymbols(const QByteArray& text, ImportLog& log, const Progress& progress = Progress());
// The same for a file. Errors: as readSymbolsFile.
Result<ProjectionsSymbols> readSymbols(const QString& path, ImportLog& log, const Progress& progress = Progress());
// Takes names and layout from another run's .sts if `mine` names no entry methods; what else is known about the run
// stays. Errors: as readSymbolsFile; it names no entry methods either.
Result<> nameAfter(ProjectionsSymbols& mine, const QString& path);

}  // namespace longpole
