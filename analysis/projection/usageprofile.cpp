// SPDX-License-Identifier: GPL-3.0-or-later
// Adds up the profile table per processor.
#include "analysis/projection/usageprofile.h"

#include "analysis/base/chunkscan.h"
#include "analysis/projection/stagecells.h"

#include <algorithm>
#include <map>
#include <set>

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

// Adds what the processors did up.
void addTotal(UsageProfile& profile)
{
    std::map<EntryId, TimeNs> sums;
    ProcessorUsage& total = profile.total;
    for (const ProcessorUsage& one : profile.processors) {
        for (const EntryUsage& entry : one.entries) add(sums[entry.entry], entry.time);
        add(total.usage.user, one.usage.user);
        add(total.usage.idle, one.usage.idle);
        add(total.usage.overhead, one.usage.overhead);
        add(total.pack, one.pack);
        add(total.flush, one.flush);
        add(total.untraced, one.untraced);
    }
    std::vector<EntryUsage> entries;
    entries.reserve(sums.size());
    for (const auto& [entry, time] : sums) entries.push_back({entry, time});
    total.entries = mostFirst(std::move(entries));
}

TimeNs overheadOf(TimeNs length, TimeNs user, TimeNs idle)
{
    return saturatingSubtract(saturatingSubtract(length, user), idle);
}

// Entry methods that ran, by id.
std::vector<EntryId> executedEntries(const TraceStore& store)
{
    std::set<EntryId> entries;
    for (const ProfileRow& row : store.profile()) entries.insert(row.entry);
    return {entries.begin(), entries.end()};
}

}  // namespace

TimeNs missingTime(const TraceStore& store, std::span<const ProcessorUsage> processors)
{
    TimeNs time = 0;
    for (const ProcessorUsage& one : processors)
        if (lacksLog(store, one.pe)) addSaturating(time, one.usage.overhead);
    return time;
}

UsageProfile usageProfile(const TraceStore& store, std::span<const ProcessorId> pes)
{
    UsageProfile profile;
    profile.range = store.info().range();
    for (const Processor* const processor : processorsToScan(store, pes, false)) {
        ProcessorUsage one{.pe = processor->pe, .usage = {}, .entries = entriesOf(store, processor->pe)};
        one.usage = {processor->busy, processor->idle,
                     overheadOf(profile.range.length(), processor->busy, processor->idle)};
        one.pack = processor->pack;
        one.flush = processor->flush;
        one.untraced = processor->untraced;
        profile.processors.push_back(std::move(one));
    }
    addTotal(profile);
    return profile;
}

Result<UsageProfile> usageProfile(const TraceStore& store, TimeRange range, std::span<const ProcessorId> pes,
                                  const Progress& progress, std::size_t mostCells)
{
    enum : std::size_t { User, Idle, Pack, Flush, Untraced, FirstEntry };
    UsageProfile profile;
    profile.range = intersection(range, store.info().range());
    StageRequest request;
    request.stages.edges = {profile.range.begin, profile.range.end};
    for (const Processor* const processor : processorsToScan(store, pes, false)) {
        request.pes.push_back(processor->pe);
        profile.processors.push_back({.pe = processor->pe, .usage = {}, .entries = {}});
    }
    const std::vector<EntryId> all = executedEntries(store);
    const std::size_t atOnce = std::max<std::size_t>(1, mostCells / std::max<std::size_t>(1, request.pes.size()));
    for (std::size_t first = 0; first == 0 || first < all.size(); first += atOnce) {
        const auto entries = std::span(all).subspan(first, std::min(atOnce, all.size() - first));
        request.measures.clear();
        for (const StageQuantity quantity : {StageQuantity::User, StageQuantity::Idle, StageQuantity::Pack,
                                             StageQuantity::Flush, StageQuantity::Untraced})
            request.measures.push_back({quantity, {}});
        for (const EntryId entry : entries) request.measures.push_back({StageQuantity::User, subjectOf(entry)});
        const auto cells = stageCells(store, request, progress);
        if (!cells) return cells.error();
        for (std::size_t row = 0; row < (*cells)->rows(); ++row) {
            const auto time = [&](std::size_t measure) { return (*cells)->counts(measure, row).front(); };
            ProcessorUsage& one = profile.processors[row];
            one.usage = {time(User), time(Idle), overheadOf(profile.range.length(), time(User), time(Idle))};
            one.pack = time(Pack);
            one.flush = time(Flush);
            one.untraced = time(Untraced);
            for (std::size_t i = 0; i < entries.size(); ++i)
                if (time(FirstEntry + i) != 0) one.entries.push_back({entries[i], time(FirstEntry + i)});
        }
    }
    for (ProcessorUsage& one : profile.processors) one.entries = mostFirst(std::move(one.entries));
    addTotal(profile);
    return profile;
}

}  // namespace longpole
