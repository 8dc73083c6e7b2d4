// SPDX-License-Identifier: GPL-3.0-or-later
// Imports a whole Projections run: symbols, logs in parallel, matching, definitions.
#pragma once

#include "importers/common/importer.h"

#include <cstddef>

namespace longpole {

// Limits that tests lower, to see that they change nothing but the use of memory.
struct ProjectionsLimits {
    std::size_t creationMemory = 96u << 20;   // bytes of creations kept in memory
    std::size_t executionMemory = 64u << 20;  // bytes of packed executions and brackets kept in memory
    std::uint32_t pendingRows = 65536;        // executions of a PE that may wait for a later piece
};

bool probeProjections(const QString& path);
Result<QString> fingerprintProjections(const QString& path, FingerprintOf of);
Result<ImportReport> importProjections(const QString& path, const QString& target, const ImportOptions& options,
                                       const Progress& progress);
Result<ImportReport> importProjections(const QString& path, const QString& target, const ImportOptions& options,
                                       const Progress& progress, const ProjectionsLimits& limits);

}  // namespace longpole
