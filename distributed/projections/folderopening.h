// SPDX-License-Identifier: GPL-3.0-or-later
// Opening a folder of Projections logs with several processes: process 0 lists it and reads the .sts, and all know
// which process hosts which PEs.
#pragma once

#include "distributed/matching/hosting.h"
#include "distributed/transport/transport.h"
#include "importers/projections/opening.h"

#include <QString>

#include <cstddef>

namespace longpole {

struct HostedFolder {
    Hosting hosting;           // of all PEs, also of those that have no log
    OpenedProjections opened;  // its merges, and what is wrong, are known at process 0 only
    std::size_t firstLog = 0;  // logs [firstLog, lastLog) are of hosted PEs
    std::size_t lastLog = 0;

    // The process that reads a log of the run.
    int hostOfLog(std::uint32_t log) const { return hosting.hostOf(opened.pes[log]); }
};

// All processes call it. `path`: as the importer's, seen by process 0. Errors: as the importer's, at all of them.
Result<HostedFolder> openFolder(Transport& transport, const QString& path, const Progress& progress);

}  // namespace longpole
