// SPDX-License-Identifier: GPL-3.0-or-later
// The repeated phases of a path or of a text, as text, as CSV of their instances, and as the JSON that is documented.
#pragma once

#include "analysis/phases/pathphases.h"
#include "app/output/output.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <cstddef>

namespace longpole {

// What was searched, and what repeats in it. Of a text the path is empty: its symbols are characters.
struct PhaseAnswer {
    const TraceStore* store = nullptr;  // of a path: names its symbols, which are entry ids; null for a text
    QString title{};
    PathPhases found{};
};

// Of the instance that begins at this searched symbol: times of a path, symbol offsets of a text as it was given.
TimeRange spanOf(const PhaseAnswer& answer, const Phase& phase, std::size_t begin);

void writePhases(Output& output, OutputFormat format, const PhaseAnswer& answer, const PhaseOptions& options);

}  // namespace longpole
