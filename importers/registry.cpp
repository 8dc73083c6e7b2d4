// SPDX-License-Identifier: GPL-3.0-or-later
// The list of importers.
#include "importers/calltable/calltable.h"
#include "importers/common/importer.h"
#include "importers/otf2/archive.h"
#include "importers/otf2/import.h"
#include "importers/projections/import.h"
#include "importers/projections/summary.h"
#include "importers/recording/import.h"

namespace longpole {
namespace {

constexpr Importer list[] = {
    // First: its .sum.sts looks like the other's .sts.
    {.id = "projections-summary",
     .title = QT_TRANSLATE_NOOP("longpole", "Charm++ summary traces"),
     .patterns = "*.sum.sts *.sum *.sumd",
     .version = 1,
     .probe = probeSummary,
     .fingerprint = fingerprintSummary,
     .import = importSummaries},
    {.id = "projections",
     .title = QT_TRANSLATE_NOOP("longpole", "Charm++ Projections traces"),
     .patterns = "*.sts *.log *.log.gz",
     .version = 3,
     .probe = probeProjections,
     .fingerprint = fingerprintProjections,
     .import = importProjections},
    {.id = "recording",
     .title = QT_TRANSLATE_NOOP("longpole", "Recordings of MPI programs"),
     .patterns = "*.lprank *.lpindex",
     .version = 1,
     .probe = probeRecording,
     .fingerprint = fingerprintRecording,
     .import = importRecording},
    {.id = "mpi-calls",
     .title = QT_TRANSLATE_NOOP("longpole", "Tables of MPI calls"),
     .patterns = "*.csv",
     .version = 1,
     .probe = probeCallTable,
     .fingerprint = fingerprintCallTable,
     .import = importCallTable},
    {.id = "otf2",
     .title = QT_TRANSLATE_NOOP("longpole", "OTF2 archives"),
     .patterns = "*.otf2",
     .version = 1,
     .probe = probeOtf2,
     .fingerprint = fingerprintOtf2,
     .import = importOtf2},
};

}  // namespace

std::span<const Importer> importers() { return list; }

const Importer* importerFor(const QString& path)
{
    for (const Importer& importer : list) {
        if (importer.probe(path)) return &importer;
    }
    return nullptr;
}

}  // namespace longpole
