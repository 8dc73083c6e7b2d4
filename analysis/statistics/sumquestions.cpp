// SPDX-License-Identifier: GPL-3.0-or-later
// Hands questions to the analyses that answer them, and adds up what the answers hold.
#include "analysis/statistics/sumquestions.h"

#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"

namespace longpole {

Result<std::shared_ptr<const ProfileQuestion::Answer>> ProfileQuestion::compute(Results& results,
                                                                                const Progress& progress) const
{
    return sharedAnswer(profile(results.store(), by, progress));
}

std::int64_t ProfileQuestion::bytes(const Answer& lines)
{
    return bytesOfAll(lines, [](const ProfileLine& line) { return std::int64_t{2} * line.name.size(); });
}

Result<std::shared_ptr<const EntryTableQuestion::Answer>> EntryTableQuestion::compute(Results& results,
                                                                                      const Progress& progress) const
{
    return sharedAnswer(entryTable(results.store(), progress));
}

std::int64_t EntryTableQuestion::bytes(const Answer& figures) { return bytesOf(figures); }

Result<std::shared_ptr<const Distribution>> DistributionQuestion::compute(Results& results,
                                                                          const Progress& progress) const
{
    return sharedAnswer(distribution(results.store(), request, progress));
}

std::int64_t DistributionQuestion::bytes(const Distribution& values)
{
    return bytesOfAll(values.entries, [](const EntryDistribution& entry) { return bytesOf(entry.values); });
}

Result<std::shared_ptr<const Histogram>> HistogramQuestion::compute(Results& results, const Progress& progress) const
{
    const auto distributed = results.ask(DistributionQuestion{values}, progress);
    if (!distributed.ok()) return distributed.error();
    return std::make_shared<const Histogram>(histogram(**distributed, bins));
}

std::int64_t HistogramQuestion::bytes(const Histogram& histogram)
{
    return bytesOf(histogram.edges) + bytesOf(histogram.counts) + bytesOf(histogram.sums) + bytesOf(histogram.quantiles)
           + bytesOfAll(histogram.series,
                        [](const HistogramSeries& series) { return bytesOf(series.counts) + bytesOf(series.sums); });
}

Result<std::shared_ptr<const CommMatrix>> CommMatrixQuestion::compute(Results& results, const Progress& progress) const
{
    return sharedAnswer(commMatrix(results.store(), request, progress));
}

std::int64_t CommMatrixQuestion::bytes(const CommMatrix& matrix)
{
    return bytesOf(matrix.cells) + bytesOf(matrix.collective);
}

}  // namespace longpole
