// SPDX-License-Identifier: GPL-3.0-or-later
// What the streaming algorithm found, as text, as CSV of its samples or profile, and as JSON
// (resources/schema/critical-path.schema.json).
#pragma once

#include "analysis/streaming/storedtrace.h"
#include "app/output/output.h"
#include "core/store/tracestore.h"

#include <optional>

namespace longpole {

struct StreamingAnswer {
    std::vector<EntryId> entries{};  // the procedures followed
    StreamingRequest request{};
    StreamingResult result{};
    std::optional<int> searchRounds{};  // set if the search of the paper's appendix B found `entries`
};

void writeStreaming(Output& output, OutputFormat format, const TraceStore& store, const StreamingAnswer& answer);

}  // namespace longpole
