// SPDX-License-Identifier: GPL-3.0-or-later
// What a change gained when it was tried, beside what was predicted, as text, CSV and JSON
// (resources/schema/try.schema.json).
#pragma once

#include "analysis/compare/trial.h"
#include "app/output/output.h"

namespace longpole {

void writeTrial(Output& output, OutputFormat format, const Trial& trial);

// As the runs end, for --follow: what is going to run, a line for each run (of JSON the last line is the trial).
void writeTrialBegin(Output& output, OutputFormat format, const Trial& trial, std::int64_t runs);
// The run that is the last of the trial so far, of `runs` in all.
void writeTrialRun(Output& output, OutputFormat format, const Trial& trial, std::int64_t runs);
void writeTrialEnd(Output& output, OutputFormat format, const Trial& trial);

}  // namespace longpole
