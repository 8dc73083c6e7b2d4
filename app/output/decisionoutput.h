// SPDX-License-Identifier: GPL-3.0-or-later
// What a program decided about its own priorities, as text, CSV and JSON (resources/schema/decisions.schema.json), and
// what a trace of it says of that.
#pragma once

#include "app/output/output.h"
#include "app/record/autodecisions.h"
#include "app/record/predicteddecisions.h"

#include <vector>

namespace longpole {

// `predicted`: null without a trace.
void writeDecisions(Output& output, OutputFormat format, const std::vector<AutoDecision>& decisions,
                    const PredictedDecisions* predicted = nullptr);

}  // namespace longpole
