// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a .longpole file of a long MPI run in memory that does not grow with it. All ranks are read until a call in
// which they meet; where nothing is pending there, what came before is matched, written and forgotten. The file is the
// one that importMpiRun() writes of the run as a whole, byte for byte.
#pragma once

#include "importers/common/importer.h"
#include "importers/mpi/source.h"

#include <cstddef>

namespace longpole {

// In parts, if the run is long enough for that and its ranks have one thread each, and no file is missing; else at
// once.
Result<ImportReport> importMpiRunOfAnyLength(MpiSource& source, const QString& target, const ImportOptions& options,
                                             const Progress& progress);

// `callsInPart`: of a rank, at least. Where ranks never meet, or something is pending whenever they do, parts are
// longer, up to the whole run. Errors: as importMpiRun().
Result<ImportReport> importMpiRunInParts(MpiSource& source, const QString& target, const ImportOptions& options,
                                         const Progress& progress, std::size_t callsInPart);

}  // namespace longpole
