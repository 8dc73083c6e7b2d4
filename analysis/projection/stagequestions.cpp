// SPDX-License-Identifier: GPL-3.0-or-later
// Hands questions about stages to the analyses that answer them.
#include "analysis/projection/stagequestions.h"

#include "analysis/projection/affinityorder.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"
#include "analysis/statistics/sumquestions.h"

namespace longpole {

Result<std::shared_ptr<const Stages>> StageCutQuestion::compute(Results& results, const Progress& progress) const
{
    return sharedAnswer(event ? eventStages(results.store(), *event, range, progress)
                              : phaseStages(results.store(), range, progress));
}

std::int64_t StageCutQuestion::bytes(const Stages& stages)
{
    return bytesOf(stages.edges)
           + bytesOfAll(stages.names, [](const QString& name) { return std::int64_t{2} * name.size(); });
}

Result<std::shared_ptr<const EntryStacks>> EntryStacksQuestion::compute(Results& results,
                                                                        const Progress& progress) const
{
    return sharedAnswer(entryStacks(results.store(), request, progress));
}

std::int64_t EntryStacksQuestion::bytes(const EntryStacks& stacks)
{
    return bytesOf(stacks.request.stages.edges) + bytesOf(stacks.request.pes) + bytesOf(stacks.whole)
           + bytesOf(stacks.lengths)
           + bytesOfAll(stacks.parts, [](const StackPart& part) { return bytesOf(part.times); });
}

Result<std::shared_ptr<const RowGroups>> RowGroupsQuestion::compute(Results&, const Progress& progress) const
{
    RowGroups groups;
    if (byStages) {
        groups.vectors = stageVectors(*projections.front());
    } else {
        std::vector<Projection> copies;  // of one stage each
        for (const ProjectionPtr& projection : projections) copies.push_back(*projection);
        groups.vectors = attributeVectors(copies);
    }
    groups.clusters = clusterRows(groups.vectors, k, progress);
    if (progress.isCancelled()) return cancelledError();
    groups.outliers = outliersOf(groups.vectors, groups.clusters);
    return std::make_shared<const RowGroups>(std::move(groups));
}

std::int64_t RowGroupsQuestion::bytes(const RowGroups& groups)
{
    return bytesOf(groups.vectors.values) + bytesOf(groups.vectors.scale) + bytesOf(groups.vectors.first)
           + bytesOf(groups.clusters.clusterOf) + bytesOf(groups.clusters.sizes)
           + bytesOf(groups.clusters.representatives) + bytesOf(groups.clusters.distances) + bytesOf(groups.outliers);
}

Result<std::shared_ptr<const AffinityQuestion::Answer>> AffinityQuestion::compute(Results& results,
                                                                                  const Progress& progress) const
{
    const auto matrix = results.ask(CommMatrixQuestion{{.range = range, .pes = pes}}, progress);
    if (!matrix.ok()) return matrix.error();
    return std::make_shared<const Answer>(affinityOrder((*matrix)->cells, pes));
}

std::int64_t AffinityQuestion::bytes(const Answer& order) { return bytesOf(order); }

Result<std::shared_ptr<const UsageProfile>> UsageQuestion::compute(Results& results, const Progress& progress) const
{
    if (range.isEmpty()) return std::make_shared<const UsageProfile>(usageProfile(results.store(), pes));
    return sharedAnswer(usageProfile(results.store(), range, pes, progress));
}

std::int64_t UsageQuestion::bytes(const UsageProfile& usage)
{
    const auto entries = [](const ProcessorUsage& processor) { return bytesOf(processor.entries); };
    return bytesOfAll(usage.processors, entries) + entries(usage.total);
}

}  // namespace longpole
