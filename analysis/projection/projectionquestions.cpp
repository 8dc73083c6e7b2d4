// SPDX-License-Identifier: GPL-3.0-or-later
// Counts what is asked, and nothing twice.
#include "analysis/projection/projectionquestions.h"

#include "analysis/projection/coarseprojection.h"
#include "analysis/results/bytesof.h"

#include <algorithm>

namespace longpole {

bool needsPath(const Attribute& attribute)
{
    const std::vector<Measure> measures = measuresOf(attribute);
    return std::any_of(measures.begin(), measures.end(),
                       [](const Measure& measure) { return measure.quantity == StageQuantity::CriticalPath; });
}

std::vector<Measure> sortedMeasures(std::span<const Attribute> attributes)
{
    std::vector<Measure> measures;
    for (const Attribute& attribute : attributes)
        for (const Measure& measure : measuresOf(attribute)) measures.push_back(measure);
    std::sort(measures.begin(), measures.end());
    measures.erase(std::unique(measures.begin(), measures.end()), measures.end());
    return measures;
}

Result<std::shared_ptr<const Projection>> AttributeQuestion::compute(Results& results, const Progress& progress) const
{
    if (results.store().info().isSummary() || (kept.empty() && !grain)) {
        Result<Projection> projection = project(results.store(), attribute, stages, pes, path, progress);
        if (!projection.ok()) return projection.error();
        keepStages(*projection, kept, nullptr);
        return std::make_shared<const Projection>(std::move(*projection));
    }
    StageRequest request = requestFor({&attribute, 1}, stages, pes);
    request.path = path;
    request.grain = grain;
    const auto cells = stageCells(results.store(), std::move(request), progress);
    if (!cells) return cells.error();
    Projection projection = projectionOf(attribute, **cells);
    keepStages(projection, kept, cells->get());
    return std::make_shared<const Projection>(std::move(projection));
}

std::int64_t AttributeQuestion::bytes(const Projection& projection) { return bytesOf(projection); }

AttributeQuestion ProjectionQuestion::one(std::size_t i) const
{
    return {.attribute = attributes[i],
            .stages = stages,
            .pes = pes,
            .kept = kept,
            .path = needsPath(attributes[i]) ? path : nullptr,
            .grain = grain};
}

Result<std::shared_ptr<const ProjectionQuestion::Answer>> ProjectionQuestion::compute(Results& results,
                                                                                      const Progress& progress) const
{
    Answer answers(attributes.size());
    std::vector<Attribute> missing;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        answers[i] = results.peek(one(i));
        if (!answers[i]) missing.push_back(attributes[i]);
    }
    if (missing.empty()) return std::make_shared<const Answer>(std::move(answers));
    StageRequest request = requestFor(missing, stages, pes);
    request.path = path;
    request.grain = grain;
    const auto cells = StageCells::prepare(results.store(), std::move(request));
    if (!cells) return cells.error();
    if (live) live->set(*cells);
    const Result<> filled = fill(**cells, results.store(), progress);
    if (live) live->set(nullptr);  // the question outlives this, and the cells are large
    if (!filled) return filled.error();
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i]) continue;
        Projection projection = projectionOf(attributes[i], **cells);
        keepStages(projection, kept, cells->get());
        answers[i] = std::make_shared<const Projection>(std::move(projection));
        results.give(one(i), answers[i]);
    }
    return std::make_shared<const Answer>(std::move(answers));
}

std::int64_t ProjectionQuestion::bytes(const Answer& projections) { return bytesOf(projections); }

Result<std::shared_ptr<const StageTiles>> StageTilesQuestion::compute(Results& results, const Progress& progress) const
{
    return StageTiles::load(results.store(), measures, pes, range, resolution, progress);
}

}  // namespace longpole
