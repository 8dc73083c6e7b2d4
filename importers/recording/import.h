// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings of MPI programs (recorder/) as an importer.
#pragma once

#include "importers/common/importer.h"

namespace longpole {

bool probeRecording(const QString& path);
Result<QString> fingerprintRecording(const QString& path, FingerprintOf of);
Result<ImportReport> importRecording(const QString& path, const QString& target, const ImportOptions& options,
                                     const Progress& progress);

}  // namespace longpole
