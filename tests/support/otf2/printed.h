// SPDX-License-Identifier: GPL-3.0-or-later
// What otf2-print, the OTF2 library's own tool, prints of an archive, counts, times and MPI records, in the same form
// as what the importer gives.
#pragma once

#include "support/mpi/mpieventlog.h"

#include <QString>
#include <QStringList>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace longpole {

struct PrintedOtf2 {
    std::map<std::string, std::int64_t> counts;  // of records by type
    TimeNs first = 0;                            // times of records, since the archive's global offset
    TimeNs last = 0;
    TimeNs firstEnter = 0;
    std::vector<QStringList> locations;  // by location, in the archive's order: its lines
};

// Empty if otf2-print is not installed or refuses the archive.
std::optional<PrintedOtf2> printOtf2(const QString& path);

// The lines of a location in the same form: "ENTER time region", "LEAVE time", "SEND rank tag bytes", "RECV rank tag
// bytes", "COLLECTIVE root".
QStringList likePrinted(const MpiEventLog& location);

}  // namespace longpole
