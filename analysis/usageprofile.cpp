// Adds up the profile table per processor.
#include "analysis/usageprofile.h"

#include "analysis/chunkscan.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

std::vector<EntryUsage> mostFirst(std::vector<EntryUsage> entries)
{
    std::sort(entries.begin(), entries.end(), [](const EntryUsage& a, const EntryUsage& b) {
        return a.time != b.time ? a.time > b.time : a.entry < b.entry;
    });
    return entries;
}

std::vector<EntryUsage> entriesOf(const TraceStore& store, ProcessorId pe)
{
    std::vector<EntryUsage> entries;
    const auto rows = store.profile();
    for (auto row = std::ranges::lower_bound(rows, pe, {}, &ProfileRow::pe); row != rows.end() && row->pe == pe; ++row)
        if (row->exclusive != 0) entries.push_back({row->entry, row->exclusive});
    return mostFirst(std::move(entries));
}

void add(TimeNs& sum, TimeNs part) { sum = saturatingAdd(sum, part); }

}  // namespace

UsageProfile usageProfile(const TraceStore& store, std::span<const ProcessorId> pes)
{
    UsageProfile profile;
    profile.range = store.info().range();
    std::map<EntryId, TimeNs> sums;
    for (const Processor* const processor : processorsToScan(store, pes, false)) {
        ProcessorUsage one{.pe = processor->pe, .usage = {}, .entries = entriesOf(store, processor->pe)};
        one.usage = {processor->busy, processor->idle,
                     saturatingSubtract(saturatingSubtract(profile.range.length(), processor->busy), processor->idle)};
        one.pack = processor->pack;
        one.flush = processor->flush;
        one.untraced = processor->untraced;
        for (const EntryUsage& entry : one.entries) add(sums[entry.entry], entry.time);
        ProcessorUsage& total = profile.total;
        add(total.usage.user, one.usage.user);
        add(total.usage.idle, one.usage.idle);
        add(total.usage.overhead, one.usage.overhead);
        add(total.pack, one.pack);
        add(total.flush, one.flush);
        add(total.untraced, one.untraced);
        profile.processors.push_back(std::move(one));
    }
    std::vector<EntryUsage> entries;
    for (const auto& [entry, time] : sums) entries.push_back({entry, time});
    profile.total.entries = mostFirst(std::move(entries));
    return profile;
}

}  // namespace longpole
