// SPDX-License-Identifier: GPL-3.0-or-later
// Ranked advice with what it rests on, for people, spreadsheets and programs (resources/schema/advise.schema.json).
#pragma once

#include "analysis/scheduling/advice.h"
#include "analysis/scheduling/schedulingadvice.h"
#include "app/output/output.h"
#include "core/store/tracestore.h"

#include <vector>

namespace longpole {

// `advice` is ranked; it may be more than that of `scheduling`. CSV: a line an advice.
void writeAdvice(Output& output, OutputFormat format, const TraceStore& store, const std::vector<Advice>& advice,
                 const SchedulingAnalysis& scheduling);

}  // namespace longpole
