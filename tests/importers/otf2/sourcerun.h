// SPDX-License-Identifier: GPL-3.0-or-later
// An archive that a test writes with the OTF2 library itself and reads again, as lines of MPI events.
#pragma once

#include "importers/otf2/source.h"

#include "support/mpi/mpieventlog.h"
#include "support/otf2/written.h"

#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <memory>
#include <utility>

namespace longpole {

inline QStringList linesFrom(const char* text) { return QString::fromLatin1(text).split(u'|'); }

// An archive that a test writes and reads again. Its first region is main, its second MPI_Send and so on, as below.
struct SourceRun {
    QTemporaryDir folder;
    WrittenOtf2 archive{folder.path()};
    std::unique_ptr<MpiSource> source;
    MpiEventLogs logs;

    OTF2_RegionRef main = archive.region(QStringLiteral("main"), OTF2_PARADIGM_COMPILER);
    OTF2_RegionRef call(const char* name) { return archive.region(QString::fromLatin1(name), OTF2_PARADIGM_MPI); }

    // The lines of the first location.
    QStringList read()
    {
        archive.finish();
        Result<std::unique_ptr<MpiSource>> opened = openOtf2Source(folder.path(), 2, {});
        if (!opened) return {toText(opened.error())};
        source = std::move(*opened);
        logs = readAll(*source);
        return lines(0);
    }
    const QStringList& lines(std::size_t location) const { return logs.locations[location].lines; }
};

}  // namespace longpole
