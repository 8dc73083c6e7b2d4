// SPDX-License-Identifier: GPL-3.0-or-later
// Answers to what-if questions as text, CSV and the JSON that is documented.
#pragma once

#include "analysis/whatif/zeroing.h"
#include "app/output/output.h"
#include "core/store/tracestore.h"

#include <vector>

namespace longpole {

// One row per answer. `path`: without the change, of the same range.
void writeWhatIf(Output& output, OutputFormat format, const TraceStore& store, const CriticalPath& path,
                 Rational factor, const std::vector<WhatIfAnswer>& answers);

}  // namespace longpole
