// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the samples of a critical path that is found while the program runs, as text and JSON
// (resources/schema/online.schema.json).
#pragma once

#include "app/output/output.h"
#include "app/record/onlinesamples.h"
#include "views/drawing/charts/groupedbars.h"

#include <vector>

namespace longpole {

// "At 12.4 s the path is 9.3 s long: 75.0 % of the time; ...", with a line break at its end.
QString sampleText(const OnlineSample& sample);

// What is not in the path, and why it may be too short; a line each, nothing if all is well.
QString doubtText(const OnlineSample& sample);

// What the path consists of, by procedure and by rank, and how far that can be trusted.
void writeProfile(Output& output, const OnlineSample& sample);

// Text: a line for each of the last samples, and the profile of the last one. JSON: all samples. CSV: the procedures of
// the last one.
void writeSamples(Output& output, OutputFormat format, std::vector<OnlineSample> samples);

// The procedures with most of the path: their parts of it, of all ranks' time, and where that is known, by how much the
// path were shorter without each (Hollingsworth 1996, figures 8 and 9).
GroupedBars profileBars(const OnlineSample& sample, const Theme& theme);

}  // namespace longpole
