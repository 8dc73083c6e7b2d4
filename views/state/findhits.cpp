// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/findhits.h"

#include "analysis/results/bytesof.h"
#include "core/store/rows.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace longpole {

namespace {

bool isEarlier(const FindHit& a, const FindHit& b)
{
    return std::tuple(a.begin, index(a.task.pe), a.task.index) < std::tuple(b.begin, index(b.task.pe), b.task.index);
}

}  // namespace

Result<std::shared_ptr<const FindHits>> FindQuestion::compute(Results& results, const Progress& progress) const
{
    constexpr std::size_t most = 8'000'000;
    const TraceStore& store = results.store();
    FindHits found;
    found.histogram.assign(bins, 0);
    const TimeRange run = store.info().range();
    const double perBin = std::max(1.0, static_cast<double>(run.length())
                                            / static_cast<double>(std::max<std::size_t>(1, bins)));
    for (const Processor& processor : store.processors()) {
        auto tasks = store.rows<TaskRow>(processor.track, TaskRow::Begin | TaskRow::Entry, {.progress = &progress});
        for (const TaskRow& task : tasks) {
            const std::size_t entry = index(task.entry());
            if (entry >= matching.size() || !matching[entry]) continue;
            ++found.count;
            if (bins > 0) {
                const double at = static_cast<double>(task.begin() - run.begin) / perBin;
                ++found.histogram[static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(bins - 1)))];
            }
            if (found.hits.size() < most) found.hits.push_back({task.begin(), {processor.pe, task.index()}});
        }
        if (const Result<> read = tasks.result(); !read) return read.error();
    }
    std::sort(found.hits.begin(), found.hits.end(), isEarlier);
    return std::make_shared<const FindHits>(std::move(found));
}

std::int64_t FindQuestion::bytes(const FindHits& found) { return bytesOf(found.hits) + bytesOf(found.histogram); }

std::size_t nextHit(const std::vector<FindHit>& hits, const FindHit& from, bool forward)
{
    if (forward) {
        const auto after = std::upper_bound(hits.begin(), hits.end(), from, isEarlier);
        return after == hits.end() ? 0 : static_cast<std::size_t>(after - hits.begin());
    }
    const auto at = std::lower_bound(hits.begin(), hits.end(), from, isEarlier);
    return at == hits.begin() ? hits.size() - 1 : static_cast<std::size_t>(at - hits.begin()) - 1;
}

}  // namespace longpole
