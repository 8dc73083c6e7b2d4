// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about attributes over stages and processors: exact values, and bins of the pyramid for first pictures.
#pragma once

#include "analysis/projection/projection.h"
#include "analysis/projection/stagecells.h"
#include "analysis/projection/stagetiles.h"
#include "analysis/results/results.h"

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

// Whether an attribute is about the critical path that is shown.
bool needsPath(const Attribute& attribute);

// Their measures, sorted, each once.
std::vector<Measure> sortedMeasures(std::span<const Attribute> attributes);

// One attribute, counted exactly; of a summary from its bins.
struct AttributeQuestion {
    using Answer = Projection;
    static constexpr const char* id = "projection";

    Attribute attribute{};
    Stages stages{};
    std::vector<ProcessorId> pes{};              // sorted; empty: all
    std::vector<bool> kept{};                    // by stage: those that were chosen; empty: all
    std::shared_ptr<const CriticalPath> path{};  // for attributes that need it; null for others
    std::optional<TimeRange> grain{};            // only executions of these durations (StageRequest)

    Result<std::shared_ptr<const Projection>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Projection& projection);
    friend bool operator==(const AttributeQuestion&, const AttributeQuestion&) = default;
};

// Where cells can be looked at while they are counted.
class LiveCells {
public:
    std::shared_ptr<const StageCells> get() const
    {
        const std::lock_guard guard(m_lock);
        return m_cells;
    }
    void set(std::shared_ptr<const StageCells> cells)
    {
        const std::lock_guard guard(m_lock);
        m_cells = std::move(cells);
    }

private:
    mutable std::mutex m_lock;
    std::shared_ptr<const StageCells> m_cells;
};

// Several attributes: those that nobody has asked for yet are counted in one pass, and are then known one by one.
struct ProjectionQuestion {
    using Answer = std::vector<ProjectionPtr>;  // by attribute
    static constexpr const char* id = "projections together";

    std::vector<Attribute> attributes{};
    Stages stages{};
    std::vector<ProcessorId> pes{};  // sorted, at least one
    std::vector<bool> kept{};
    std::shared_ptr<const CriticalPath> path{};
    std::optional<TimeRange> grain{};
    std::shared_ptr<LiveCells> live{};  // shows how far counting is; no part of what is asked

    AttributeQuestion one(std::size_t i) const;

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& projections);  // each projection counts for itself
    friend bool operator==(const ProjectionQuestion& a, const ProjectionQuestion& b)
    {
        return a.attributes == b.attributes && a.stages == b.stages && a.pes == b.pes && a.kept == b.kept
               && a.path == b.path && a.grain == b.grain;
    }
};

// Bins that serve stages of about that resolution in the range (StageTiles).
struct StageTilesQuestion {
    using Answer = StageTiles;
    static constexpr const char* id = "bins for projections";

    std::vector<Measure> measures{};  // sorted, of attributes that isInTiles()
    std::vector<ProcessorId> pes{};
    TimeRange range{};
    TimeNs resolution = 1;

    Result<std::shared_ptr<const StageTiles>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const StageTiles& tiles) { return tiles.bytes(); }
    friend bool operator==(const StageTilesQuestion&, const StageTilesQuestion&) = default;
};

}  // namespace longpole
