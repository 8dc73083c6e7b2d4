// SPDX-License-Identifier: GPL-3.0-or-later
// Which files belong to one summary run (tracemode summary), given its .sum.sts, a .sum, a .sumd, or the folder.
#pragma once

#include "core/base/result.h"
#include "importers/projections/files.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace longpole {

struct SummaryFiles {
    struct Processor {
        std::uint64_t pe = 0;
        QString summary;  // path of <base>.<pe>.sum, empty if there is none
        QString detail;   // path of <base>.<pe>.sumd, empty if there is none
    };
    QString folder;
    QString base;     // name of the program; it may hold dots: base.sum.sts, base.<pe>.sum, base.<pe>.sumd
    QString symbols;  // path of the .sum.sts, empty if there is none
    std::vector<Processor> processors;  // by pe

    // The files in the form that names, sizes and fingerprints are made of.
    ProjectionsFiles asRun() const;
};

// Errors: nothing there, not readable, several runs in one folder, a run without .sum files of its processors.
Result<SummaryFiles> findSummaryRun(const QString& path);

// Whether a name or a folder's content looks like a summary run; a folder or an .sts with event logs does not.
bool looksLikeSummary(const QString& path);

}  // namespace longpole
