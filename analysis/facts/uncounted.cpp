// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/facts/uncounted.h"

#include "analysis/base/cells.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/format.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

struct NamedTime {
    TimeNs sum = 0;
    std::map<std::uint32_t, TimeNs> byCode{};

    void add(std::uint32_t code, TimeNs time)
    {
        sum = saturatingAdd(sum, time);
        byCode[code] = saturatingAdd(byCode[code], time);
    }
    EntryId most() const
    {
        const auto largest = std::max_element(byCode.begin(), byCode.end(),
                                              [](const auto& a, const auto& b) { return a.second < b.second; });
        return largest == byCode.end() ? noEntry : EntryId{largest->first};
    }
};

NamedTime runtimeCalls(const TraceStore& store)
{
    NamedTime calls;
    for (const ProfileRow& row : store.profile()) {
        const Entry* const entry = store.entry(row.entry);
        const Region* const region = store.region(RegionId{index(row.entry)});
        const bool isCall = entry != nullptr && entry->kind == EntryKind::System && region != nullptr
                            && region->kind == RegionKind::Function;
        if (isCall) calls.add(index(row.entry), row.exclusive);
    }
    return calls;
}

// Barriers whose team is not known and synchronizations with devices that recorded nothing, on the ranks' own threads.
NamedTime unknownWaits(const TraceStore& store)
{
    NamedTime waits;
    for (const Processor& processor : store.processors()) {
        auto rows = store.rows<ThreadWaitRow>(processor.track, ThreadWaitRow::All);
        for (const ThreadWaitRow& row : rows)
            if (!row.instance()) waits.add(index(row.region()), row.duration());
    }
    return waits;
}

double timeOfRanks(const TraceInfo& info) { return double(info.duration()) * double(info.processors); }

}  // namespace

double shareThatMayWait(const TraceStore& store)
{
    const double all = store.info().hasRanks() ? timeOfRanks(store.info()) : 0;
    return all > 0 ? double(runtimeCalls(store).sum) / all : 0;
}

QStringList uncountedSentences(const TraceStore& store)
{
    const TraceInfo& info = store.info();
    QStringList sentences;
    if (!info.hasRanks()) return sentences;
    const auto isWorthIt = [&info](TimeNs time) { return time > 0 && double(time) >= 0.001 * timeOfRanks(info); };
    if (const NamedTime calls = runtimeCalls(store); isWorthIt(calls.sum))
        sentences
            << tr("%1 in calls of threads and devices, mostly %2, counts as busy: whether they waited is not known.")
                   .arg(formatTime(calls.sum), nameOfCode(store, calls.most()));
    if (const NamedTime waits = unknownWaits(store); isWorthIt(waits.sum))
        sentences << tr("%1 in waits such as %2 counts as overhead: the trace does not say for whom.")
                         .arg(formatTime(waits.sum), nameOfCode(store, waits.most()));
    return sentences;
}

}  // namespace longpole
