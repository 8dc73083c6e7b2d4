// SPDX-License-Identifier: GPL-3.0-or-later
// An attribute projected onto stages and processors (Sinha and Kale 1995, section 5.1): its matrix, and what of it an
// overview shows.
#pragma once

#include "analysis/projection/attribute.h"
#include "analysis/projection/stagecells.h"
#include "analysis/projection/stages.h"
#include "core/base/ids.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace longpole {

// Values of one attribute. NaN: undefined (the mean grain size where no task began), of a PE without a log, or not
// there yet.
struct Projection {
    Attribute attribute;
    Stages stages;
    std::vector<ProcessorId> pes;
    std::vector<double> values;          // [pe x stages + stage]
    std::vector<std::int64_t> counts{};  // the same as exact integers, of additive attributes
    std::vector<double> perStage{};      // all PEs together: sums, largest, or sum over sum
    std::vector<double> perProcessor{};  // all stages together
    double total = 0;
    std::vector<std::int64_t> countsPerStage{}, countsPerProcessor{};  // of additive attributes
    std::int64_t totalCount = 0;
    bool isApproximate = false;               // stages cut bins of the pyramid; totals are exact all the same
    std::vector<std::uint8_t> approximate{};  // by cell, 0 or 1; empty unless isApproximate
    bool isEstimated = false;                 // rests on estimated receive times
    std::size_t rowsThere = 0;                // PEs that were counted; the others' values are NaN

    double at(std::size_t pe, std::size_t stage) const { return values[pe * stages.count() + stage]; }
};
using ProjectionPtr = std::shared_ptr<const Projection>;

// What a measure has to be for an attribute: one request can serve many attributes.
StageRequest requestFor(std::span<const Attribute> attributes, Stages stages, std::vector<ProcessorId> pes);

// From cells (axis Cells) whose request has the attribute's measures; of a partly filled one what is there. O(cells).
Projection projectionOf(const Attribute& attribute, const StageCells& cells);

// Measured exactly from the chunks; of a summary from its bins. Errors: damaged chunks; cancelled; too many cells.
Result<Projection> project(const TraceStore& store, const Attribute& attribute, const Stages& stages,
                           const std::vector<ProcessorId>& pes, std::shared_ptr<const CriticalPath> path,
                           const Progress& progress);

// How cells become one number: Together as in Projection::perStage; the others over the cells' defined values.
struct Statistic {
    enum class Kind : std::uint8_t { Together, Mean, Largest, Least, Percentile };
    Kind kind = Kind::Together;
    double percentile = 50;  // 0..100, nearest rank
};
// Over the chosen rows (all if empty): one value a stage. Over the chosen stages: one value a processor.
std::vector<double> overProcessors(const Projection& projection, Statistic statistic);
std::vector<double> overStages(const Projection& projection, Statistic statistic);
// The nearest-rank percentile of the defined values; NaN if there are none. Reorders `values`.
double percentileOf(std::vector<double>& values, double percentile);

}  // namespace longpole
