// SPDX-License-Identifier: GPL-3.0-or-later
// Opening a recording with several processes: each reads the definitions in some files, process 0 makes the run's names
// of them as the importer does, and each hears what it needs to read the ranks that it hosts.
#pragma once

#include "core/base/progress.h"
#include "distributed/matching/hosting.h"
#include "distributed/transport/transport.h"
#include "importers/recording/run.h"

#include <QString>

#include <vector>

namespace longpole {

enum RecordingPass : std::uint16_t { DealFiles = 200, NumberRanks, CollectResults, AskForRows, GiveRows };

struct HostedRun {
    Hosting hosting;
    RecordingRun run;  // its ranks, clocks and numbers are those of hosted ranks only; its log is at process 0
    std::vector<QString> files;  // of the recording, at process 0
};

// All processes call it. Errors: as openRecording(), at all of them.
Result<HostedRun> openHosted(Transport& transport, const QString& path, unsigned threads, const Progress& progress);

}  // namespace longpole
