// SPDX-License-Identifier: GPL-3.0-or-later
// A Projections run before its logs are read: its files, its names, its processors, the merges that lie beside the
// logs, and what is wrong with these.
#pragma once

#include "core/base/result.h"
#include "importers/common/importlog.h"
#include "importers/common/merges.h"
#include "importers/projections/files.h"
#include "importers/projections/processor.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

struct OpenedProjections {
    ProjectionsFiles files;          // without the logs of other runs
    ProjectionsRun run;              // but for its begin
    RecordedMerges merges;           // of the file beside the logs
    std::vector<std::uint32_t> pes;  // by log
    std::int64_t logBytes = 0;
    ImportLog log;
};

// What is in the run's .sts; nothing if it has none. Errors: as readSymbolsFile().
Result<QByteArray> symbolsTextOf(const ProjectionsFiles& files);

// `symbols`: that text; `others`: another run's .sts that names what this one's does not, or empty. A file of merges
// that cannot be read is a soft error. Errors: the other .sts cannot be read or names nothing; no log is the run's.
Result<OpenedProjections> openProjections(ProjectionsFiles files, const QByteArray& symbols, const QString& others,
                                          const Progress& progress = Progress());

// When the run's last record was written, as far as these logs tell.
TimeNs lastRecordOf(std::span<const ProcessorResult> results);
// The program may be linked without the module by now, or run without the option: the file of the run before then still
// lies there, and its numbers are found in these logs, too. They are dropped, and counted. Files get other times when
// they are copied; what is written in them stays.
void leaveOutEarlierMerges(OpenedProjections& opened, TimeNs lastRecord);

// Counts the processors of which there is no log.
void addMissingLogs(const OpenedProjections& opened, ImportLog& log);

}  // namespace longpole
