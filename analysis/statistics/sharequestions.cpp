// SPDX-License-Identifier: GPL-3.0-or-later
// Sums busy time once for all paths of a range.
#include "analysis/statistics/sharequestions.h"

#include "analysis/graph/graphquestions.h"
#include "analysis/results/bytesof.h"

namespace longpole {

Result<std::shared_ptr<const BusyTimes>> BusyTimesQuestion::compute(Results& results, const Progress& progress) const
{
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph.ok()) return graph.error();
    Result<BusyTimes> busy = busyTimes(results.store(), **graph, range, by, progress);
    if (!busy.ok()) return busy.error();
    return std::make_shared<const BusyTimes>(std::move(*busy));
}

std::int64_t BusyTimesQuestion::bytes(const BusyTimes& busy)
{
    constexpr std::size_t perNode = 32;  // of a tree, beside what it holds
    return static_cast<std::int64_t>(busy.size() * (sizeof(BusyTimes::value_type) + perNode));
}

Result<std::shared_ptr<const PathSharesQuestion::Answer>> PathSharesQuestion::compute(Results& results,
                                                                                      const Progress& progress) const
{
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph.ok()) return graph.error();
    const auto found = results.ask(path, progress);
    if (!found.ok()) return found.error();
    const auto busy = results.ask(BusyTimesQuestion{path.range, by}, progress);
    if (!busy.ok()) return busy.error();
    Result<Answer> shares = pathShares(results.store(), **graph, **found, by, **busy, progress);
    if (!shares.ok()) return shares.error();
    return std::make_shared<const Answer>(std::move(*shares));
}

std::int64_t PathSharesQuestion::bytes(const Answer& shares)
{
    return bytesOfAll(shares, [](const PathShare& share) { return std::int64_t{2} * share.name.size(); });
}

}  // namespace longpole
