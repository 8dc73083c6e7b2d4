// The profile by entry method, with the distribution of its durations.
#include "analysis/entrytable.h"

#include "analysis/distribution.h"
#include "analysis/profile.h"

#include <map>

namespace longpole {

Result<std::vector<EntryFigures>> entryTable(const TraceStore& store, const Progress& progress)
{
    const auto lines = profile(store, ProfileBy::Entry, progress);
    if (!lines) return lines.error();
    const auto durations = distribution(store, {.of = Quantity::TaskDuration}, progress);
    if (!durations) return durations.error();
    std::map<EntryId, const EntryDistribution*> ofEntry;
    for (const EntryDistribution& entry : durations->entries) ofEntry[entry.entry] = &entry;
    std::vector<EntryFigures> table;
    for (const ProfileLine& line : *lines) {
        EntryFigures figures{.entry = line.key.entry, .count = line.count, .time = line.time,
                             .exclusive = line.exclusive, .share = line.share};
        figures.messages = line.messages;
        figures.bytes = line.bytes;
        if (const auto known = ofEntry.find(line.key.entry); known != ofEntry.end()) {
            const std::vector<ValueCount>& values = known->second->values;
            const ValueSummary summary = summarize(values);
            figures.meanGrain = summary.mean;
            figures.mostGrain = summary.most;
            figures.medianGrain = quantile(values, 0.5);
            figures.grain95 = quantile(values, 0.95);
        }
        table.push_back(figures);
    }
    return table;
}

}  // namespace longpole
