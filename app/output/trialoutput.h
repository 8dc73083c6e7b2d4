// SPDX-License-Identifier: GPL-3.0-or-later
// What a change gained when it was tried, beside what was predicted, as text, CSV and JSON
// (resources/schema/try.schema.json).
#pragma once

#include "analysis/compare/trialgain.h"
#include "analysis/replay/replay.h"
#include "app/output/output.h"
#include "app/record/timedrun.h"

#include <optional>
#include <vector>

namespace longpole {

struct Trial {
    std::vector<TrialRun> runs{};            // in their order
    MeasuredBy by = MeasuredBy::WallTime;    // all of them
    std::optional<Prediction> prediction{};  // empty: the trace predicts nothing of the change
    QString change{};                        // in words, in the middle of a sentence
    std::vector<QString> missing{};          // entry methods of the priorities that the trace does not have
};

// Whether the measured gain lies in the predicted interval, to a tenth of a point, as it is printed; empty without a
// prediction that can be used.
std::optional<bool> isAsPredicted(const Trial& trial);

void writeTrial(Output& output, OutputFormat format, const Trial& trial);

}  // namespace longpole
