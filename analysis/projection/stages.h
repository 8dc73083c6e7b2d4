// SPDX-License-Identifier: GPL-3.0-or-later
// The stages of a run (Sinha and Kale 1995, section 5.1): consecutive periods of time, equally long or cut at the
// program's own phases, and the words that choose them.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// Stage i is [edges[i], edges[i + 1]). Edges ascend; equal neighbours are an empty stage (more stages than ns).
struct Stages {
    std::vector<TimeNs> edges;     // count() + 1, or empty
    std::vector<QString> names{};  // by stage where the program named them, else empty

    std::size_t count() const { return edges.empty() ? 0 : edges.size() - 1; }
    TimeRange range(std::size_t stage) const { return {edges[stage], edges[stage + 1]}; }
    TimeRange whole() const { return edges.empty() ? TimeRange{} : TimeRange{edges.front(), edges.back()}; }
    // The stage that holds `time`: the last one that begins at or before it; times outside belong to the first or last.
    // There is at least one stage. O(log stages).
    std::size_t at(TimeNs time) const;
    friend bool operator==(const Stages&, const Stages&) = default;
};

constexpr std::int64_t mostStages = 1'000'000;

// Edge i = begin + (i x length) div count (docs/command-line.md, "What is the same everywhere"). count >= 1.
Stages equalStages(TimeRange range, std::int64_t count);
// Stages of one timestep each, the last one shorter. Errors: not above zero; longer than the range; more than
// mostStages.
Result<Stages> timestepStages(TimeRange range, TimeNs timestep);
// "100 stages", "stages=100", "100": a count; "500us", "1ms 20us": a timestep. Errors as above, or words that are
// neither.
Result<Stages> parseStages(const QString& text, TimeRange range);

// Where the program itself cuts: at the ends of its phases, or at each occurrence of a user event (a time step), on
// whichever PE it was marked first. Marks closer than a microsecond on several PEs are one. Errors: nothing marked in
// the range; damaged chunks; cancelled.
Result<Stages> phaseStages(const TraceStore& store, TimeRange range, const Progress& progress = {});
Result<Stages> eventStages(const TraceStore& store, RegionId event, TimeRange range, const Progress& progress = {});
// Regions that can cut stages: phases and user events that were marked more than once.
std::vector<RegionId> stageEvents(const TraceStore& store);

// A stage from the begin of each iteration to the next, the last one to its end; what lies before and behind them are
// stages of their own. Iterations ascend; those outside the range are left out, the others keep their numbers.
Stages iterationStages(TimeRange range, std::span<const TimeRange> iterations);

// "1,3-9:3,11" of numbers below `count`, sorted, without repeats; empty text: all. Errors: what does not fit.
Result<std::vector<std::size_t>> parseStageSet(const QString& text, std::size_t count);

}  // namespace longpole
