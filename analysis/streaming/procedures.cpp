// SPDX-License-Identifier: GPL-3.0-or-later
// Which procedures the streaming algorithm should follow: those with most CPU time, or those that a search finds.
#include "analysis/streaming/bucketsearch.h"
#include "analysis/streaming/storedtrace.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

// All entry methods that ran, most exclusive time first, then by id.
std::vector<EntryId> byTime(const TraceStore& store)
{
    std::map<EntryId, TimeNs> times;
    for (const ProfileRow& row : store.profile()) {
        TimeNs& time = times[row.entry];
        time = saturatingAdd(time, row.exclusive);
    }
    std::vector<EntryId> entries;
    for (const auto& [entry, time] : times)
        if (time > 0) entries.push_back(entry);
    std::stable_sort(entries.begin(), entries.end(), [&](EntryId a, EntryId b) { return times[a] > times[b]; });
    return entries;
}

}  // namespace

std::vector<EntryId> busiestEntries(const TraceStore& store, std::size_t most)
{
    std::vector<EntryId> entries = byTime(store);
    entries.resize(std::min(entries.size(), most));
    return entries;
}

Result<TopShares> entriesAbove(const TraceStore& store, std::uint32_t parts, TimeRange range, const Progress& progress)
{
    const std::vector<EntryId> entries = byTime(store);
    std::map<std::uint32_t, TimeNs> shares;  // of single items, from the last round
    const auto measure = [&](const Buckets& buckets) -> Result<BucketShares> {
        StreamingRequest request{.range = range};
        for (const std::vector<std::uint32_t>& bucket : buckets) {
            request.procedures.emplace_back();
            for (const std::uint32_t item : bucket) request.procedures.back().push_back(entries[item]);
        }
        Result<StreamingResult> result = streamingPath(store, request, progress);
        if (!result) return result.error();
        for (std::size_t b = 0; b < buckets.size(); ++b) shares[buckets[b].front()] = result->shares[b];
        return BucketShares{std::move(result->shares), result->length};
    };
    Result<BucketSearch> search = itemsAbove(static_cast<std::uint32_t>(entries.size()), parts, measure);
    if (!search) return search.error();
    std::stable_sort(search->found.begin(), search->found.end(),
                     [&shares](std::uint32_t a, std::uint32_t b) { return shares[a] > shares[b]; });
    TopShares top{.rounds = search->rounds};
    for (const std::uint32_t item : search->found) top.entries.push_back(entries[item]);
    return top;
}

}  // namespace longpole
