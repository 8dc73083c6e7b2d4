// SPDX-License-Identifier: GPL-3.0-or-later
// Measures per stage and processor from the level-of-detail pyramid and the coarse bins per entry method: at once,
// whatever the length of the trace. Bins that a stage's edge cuts are shared by largest remainder, so every total stays
// exact.
#pragma once

#include "analysis/projection/projection.h"
#include "analysis/projection/stagequantity.h"
#include "analysis/projection/stages.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace longpole {

class StagePlan;

// Whether the pyramid has all that an attribute needs.
bool isInTiles(const Attribute& attribute, const TraceStore& store);

// The bins of some PEs over a range, as fine as a resolution asks for.
class StageTiles {
public:
    // `measures`: of attributes that isInTiles(). Per PE the coarsest level whose bins are not wider than `resolution`
    // ns, else its finest; bins per entry method have one width only. Errors: damaged chunks; cancelled. O(bins): PEs x
    // range / resolution x 4 at most.
    static Result<std::shared_ptr<const StageTiles>> load(const TraceStore& store, std::span<const Measure> measures,
                                                          std::span<const ProcessorId> pes, TimeRange range,
                                                          TimeNs resolution, const Progress& progress);

    // Whether stages of that range and timestep can be made of these bins; false also where finer ones would be there.
    bool serves(const Stages& stages, std::span<const ProcessorId> pes) const;
    TimeNs resolution() const { return m_resolution; }
    std::int64_t bytes() const;
    // As projectionOf; of an attribute whose measures were loaded, in the loaded range. O(bins + cells).
    Projection project(const Attribute& attribute, const Stages& stages) const;

private:
    struct Bins {
        int level = 0;
        std::int64_t firstBin = 0;
        std::size_t count = 0;
        std::vector<std::vector<std::int64_t>> values;  // by the measures that come from there
    };
    struct Row {
        Bins tiles;
        Bins entries;
    };
    Result<> loadTiles(const TraceStore& store, TrackId track, Bins& bins, bool& isFinest) const;
    Result<> loadEntries(const TraceStore& store, TrackId track, const StagePlan& plan, Bins& bins) const;

    std::vector<Measure> m_inTiles;
    std::vector<Measure> m_inEntries;
    std::vector<ProcessorId> m_pes;
    std::vector<std::uint8_t> m_lost;  // by PE
    std::vector<Row> m_rows;
    TimeRange m_range;
    TimeRange m_run;
    TimeNs m_resolution = 0;
    bool m_isFinest = false;
};

// Shares `value` among parts of the given lengths: in proportion, rounded by largest remainder (earlier parts first
// where remainders tie), so that the parts add up to it. `parts` are overwritten with the shares.
void shareByLargestRemainder(std::int64_t value, std::span<std::int64_t> parts);

}  // namespace longpole
