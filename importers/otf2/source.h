// SPDX-License-Identifier: GPL-3.0-or-later
// An OTF2 archive as a source of MPI events.
#pragma once

#include "importers/mpi/source.h"

#include <memory>

namespace longpole {

// Reads the definitions, and enough of each location to know when the run begins; in parallel. Errors: no archive, none
// that the library can read, no events at all, cancelled.
Result<std::unique_ptr<MpiSource>> openOtf2Source(const QString& path, unsigned threads, const Progress& progress);

}  // namespace longpole
