// SPDX-License-Identifier: GPL-3.0-or-later
// The repeated phases of a critical path or of a text, as text, as CSV of their instances, and as JSON
// (resources/schema/phases.schema.json).
#pragma once

#include "analysis/phases/callrounds.h"
#include "analysis/phases/pathphases.h"
#include "app/output/output.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <cstddef>
#include <optional>

namespace longpole {

// What was searched and what repeats in it. If a text was searched, `found.path` is empty and symbols are characters.
struct PhaseAnswer {
    const TraceStore* store = nullptr;  // names the symbols of a path, which are entry ids; null for a text
    QString title{};
    PathPhases found{};
    QString leftOut{};               // a line that says what the path does without; empty if nothing
    std::optional<CallLoop> loop{};  // of an MPI run: the loop whose iterations cut the phases that have rounds
};

// Begin and end of the instance that begins at this searched symbol: times in a path; in a text offsets of characters,
// before runs were collapsed.
TimeRange spanOf(const PhaseAnswer& answer, const Phase& phase, std::size_t begin);

void writePhases(Output& output, OutputFormat format, const PhaseAnswer& answer, const PhaseOptions& options);

}  // namespace longpole
