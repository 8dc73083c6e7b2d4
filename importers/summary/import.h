// SPDX-License-Identifier: GPL-3.0-or-later
// Imports the summaries that tracemode summary writes: utilization per interval, totals per entry method, no events.
#pragma once

#include "importers/common/importer.h"

namespace longpole {

bool probeSummary(const QString& path);
Result<QString> fingerprintSummary(const QString& path, FingerprintOf of);
// Errors: no usable .sum file, unreadable folder or .sts, disk full, cancelled.
Result<ImportReport> importSummaries(const QString& path, const QString& target, const ImportOptions& options,
                                     const Progress& progress);

}  // namespace longpole
