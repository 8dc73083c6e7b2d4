// SPDX-License-Identifier: GPL-3.0-or-later
// What a program decided about its own priorities, as text, CSV and JSON (resources/schema/decisions.schema.json).
#pragma once

#include "app/output/output.h"
#include "app/record/autodecisions.h"

#include <vector>

namespace longpole {

void writeDecisions(Output& output, OutputFormat format, const std::vector<AutoDecision>& decisions);

}  // namespace longpole
