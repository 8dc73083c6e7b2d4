// SPDX-License-Identifier: GPL-3.0-or-later
// The plain tables of an imported Projections run: tracks, processors, chares, entries, regions, counts, issues.
#pragma once

#include "core/store/tracewriter.h"
#include "importers/common/importlog.h"
#include "importers/projections/files.h"
#include "importers/projections/processor.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Whether a chare belongs to Charm++ itself. The .sts does not say, so this goes by name.
bool isSystemChare(const QString& name);

// Adds all definitions of a run whose logs were read. `results` by log, ascending by PE. Cancelled: not all of them.
void addDefinitions(TraceWriter& writer, const ProjectionsRun& run, const std::vector<ProcessorResult>& results,
                    const ImportLog& log, const Progress& progress);

// The run's totals; messagesMatched is not known here.
TraceInfo traceInfo(const ProjectionsRun& run, const ProjectionsFiles& files,
                    const std::vector<ProcessorResult>& results, const ImportLog& log);

}  // namespace longpole
