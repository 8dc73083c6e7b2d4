// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a .longpole file of an MPI run in three passes: locations (rows of tasks, regions, counters; in parallel),
// matching, and per rank what only matching knows (calls with their waits, sources, idle time, tiles).
//
// A task is a piece of code outside MPI: it begins where a call ends or a region is entered or left and ends where the
// next of these happens. Its entry method is the innermost region around it; outside of all regions the pair of calls
// between which it lies ("MPI_Recv to MPI_Send") or, if it borders on a region, that region ("after main", "before f").
// Before, between and after calls there is always at least one piece, of no length if need be. Regions and MPI calls
// have one numbering: EntryId == RegionId == index in MpiRunNames::regions; communicators, counters and the entry
// methods of code between calls come after (importers/mpirows/layout.h). Idle time is what mpiWaits() gives as before
// and after; the rest of MPI is overhead, and so is the time of regions of kind Measurement.
#pragma once

#include "importers/common/importer.h"
#include "importers/mpi/source.h"

namespace longpole {

Result<ImportReport> importMpiRun(MpiSource& source, const QString& target, const ImportOptions& options,
                                  const Progress& progress);

}  // namespace longpole
