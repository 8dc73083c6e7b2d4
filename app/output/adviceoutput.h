// SPDX-License-Identifier: GPL-3.0-or-later
// Ranked advice and the scheduling analysis behind it as text, CSV and JSON (resources/schema/advise.schema.json).
#pragma once

#include "analysis/scheduling/advice.h"
#include "analysis/scheduling/schedulingadvice.h"
#include "app/output/output.h"
#include "core/store/tracestore.h"

#include <vector>

namespace longpole {

// `advice`: ranked, about scheduling and anything else. `scheduling`: the verdict about priorities and its reasons. CSV
// has a line for each advice and nothing of `scheduling`.
void writeAdvice(Output& output, OutputFormat format, const TraceStore& store, const std::vector<Advice>& advice,
                 const SchedulingAnalysis& scheduling);

}  // namespace longpole
