// SPDX-License-Identifier: GPL-3.0-or-later
// The profile by entry method, with the distribution of its durations.
#include "analysis/statistics/entrytable.h"

#include "analysis/statistics/distribution.h"
#include "analysis/statistics/profile.h"

#include <map>

namespace longpole {

Result<std::vector<EntryFigures>> entryTable(const TraceStore& store, const Progress& progress)
{
    const auto lines = profile(store, ProfileBy::Entry, progress);
    if (!lines) return lines.error();
    // Of a summary no single duration is known.
    const auto durations = !store.info().isSummary()
                               ? distribution(store, {.of = DistributedQuantity::TaskDuration}, progress)
                               : Result<Distribution>(Distribution{});
    if (!durations) return durations.error();
    std::map<EntryId, const EntryDistribution*> ofEntry;
    for (const EntryDistribution& entry : durations->entries) ofEntry[entry.entry] = &entry;
    std::vector<EntryFigures> table;
    for (const ProfileLine& line : *lines) {
        EntryFigures figures{.entry = line.key.entry,
                             .name = line.name,
                             .count = line.count,
                             .time = line.time,
                             .exclusive = line.exclusive,
                             .inMpi = line.inMpi,
                             .share = line.share};
        figures.messages = line.messages;
        figures.bytes = line.bytes;
        const bool isCall = line.inMpi > 0
                            && line.inMpi == line.exclusive;  // its tasks are no more than where ranks meet
        if (const auto known = ofEntry.find(line.key.entry); known != ofEntry.end() && !isCall) {
            const std::vector<ValueCount>& values = known->second->values;
            const ValueSummary summary = summarize(values);
            figures.hasGrain = true;
            figures.meanGrain = summary.mean;
            figures.mostGrain = summary.most;
            figures.medianGrain = quantile(values, 0.5);
            figures.grain95 = quantile(values, 0.95);
        }
        if (store.info().isSummary() && line.count > 0) {
            figures.hasGrain = true;
            figures.meanGrain = static_cast<double>(line.exclusive) / static_cast<double>(line.count);
        }
        table.push_back(figures);
    }
    return table;
}

}  // namespace longpole
