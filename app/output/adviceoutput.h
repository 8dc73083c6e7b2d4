// SPDX-License-Identifier: GPL-3.0-or-later
// Ranked advice and the scheduling analysis behind it as text, CSV and JSON (resources/schema/advise.schema.json).
#pragma once

#include "analysis/expert/expert.h"
#include "app/output/output.h"
#include "core/store/tracestore.h"

namespace longpole {

// The checks, the ranked advice, and the verdict about priorities with its reasons. CSV has a line for each advice and
// nothing else.
void writeAdvice(Output& output, OutputFormat format, const TraceStore& store, const Expert& found);

}  // namespace longpole
