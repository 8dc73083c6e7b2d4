// The repeated phases of a path or of a text, as text, as CSV of their instances, and as the JSON that is documented.
#pragma once

#include "analysis/phases.h"
#include "app/output/output.h"
#include "core/timerange.h"
#include "core/tracestore.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace longpole {

// What was searched. With collapsed runs, `searched` has one symbol a run, and parts[i] is from its first to its last.
struct PhaseString {
    const TraceStore* store = nullptr;        // of a path: names its symbols, which are entry ids; null for a text
    QString title{};
    std::vector<std::uint32_t> searched{};
    std::vector<std::size_t> begins{};        // of each symbol in the string as it was given, and its length
    std::vector<TimeRange> parts{};           // of a path: by symbol of the string as it was given
};

// Of the instance that begins at this searched symbol: times of a path, symbol offsets of a text as it was given.
TimeRange spanOf(const PhaseString& string, const Phase& phase, std::size_t begin);

void writePhases(Output& output, OutputFormat format, const PhaseString& string, const std::vector<Phase>& phases,
                 const PhaseOptions& options);

}  // namespace longpole
