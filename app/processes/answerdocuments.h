// SPDX-License-Identifier: GPL-3.0-or-later
// What process 0 says of the answers: as text, and as the documents of the folder that --answers names.
#pragma once

#include "app/commandline/commandline.h"
#include "app/output/output.h"
#include "app/processes/allanswers.h"
#include "core/base/result.h"

#include <QString>

#include <optional>

namespace longpole {

struct RunAnswers : AllAnswers {
    std::optional<HostedTrace> trace;
};

void writeAnswers(Output& output, const RunAnswers& answers);

// Whether the files of the folder may be written, as -o may, beside the run that is read.
Result<> checkDocuments(const QString& folder, const QString& run);
// Errors are printed.
ExitCode writeDocuments(const QString& folder, const QString& run, const RunAnswers& answers);

}  // namespace longpole
