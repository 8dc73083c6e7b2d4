// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/advice/hostednoise.h"

#include "distributed/advice/gathered.h"

#include <algorithm>
#include <map>
#include <utility>

namespace longpole {

namespace {

NoiseRequest requestOfAll()
{
    constexpr std::size_t most = 1'000'000;
    return {.worst = most};
}

void packDurations(Packer& packer, const Distribution& durations)
{
    packer.put(durations.isRounded);
    packer.put(static_cast<std::uint64_t>(durations.entries.size()));
    for (const EntryDistribution& entry : durations.entries) {
        packer.put(index(entry.entry));
        packer.put(entry.count);
        packer.put(entry.sum);
        packer.putTable(entry.values, &ValueCount::value, &ValueCount::count);
    }
}

bool areCounts(const std::vector<ValueCount>& values, std::int64_t count)
{
    std::int64_t all = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].count <= 0 || (i > 0 && values[i].value <= values[i - 1].value)) return false;
        all = saturatingAdd(all, values[i].count);
    }
    return all == count && count > 0;
}

// Durations of the whole run, put together one process after the other.
class AllDurations {
public:
    void take(Unpacker& unpacker)
    {
        m_isRounded = unpacker.value<bool>() || m_isRounded;
        for (std::size_t left = unpacker.count(1); left > 0 && unpacker.isWhole(); --left) {
            const EntryId entry{unpacker.value<std::uint32_t>()};
            const auto count = unpacker.value<std::int64_t>();
            const auto sum = unpacker.value<std::int64_t>();
            const auto values = unpacker.table<ValueCount>(&ValueCount::value, &ValueCount::count);
            if (!areCounts(values, count)) return unpacker.refuse();
            EntryDistribution& all = m_entries[entry];
            all.entry = entry;
            all.values = merged(all.values, values);
            all.count += count;
            all.sum = saturatingAdd(all.sum, sum);
        }
    }

    Distribution all()
    {
        Distribution found;
        std::size_t different = 0;
        for (auto& [id, entry] : m_entries) {
            different += entry.values.size();
            found.sum = saturatingAdd(found.sum, entry.sum);
            found.entries.push_back(std::move(entry));
        }
        if (m_isRounded || different > DistributionRequest{}.mostValues)
            for (EntryDistribution& entry : found.entries) {
                for (ValueCount& value : entry.values) value.value = roundedValue(value.value);
                entry.values = merged(entry.values, {});
            }
        return found;
    }

private:
    std::map<EntryId, EntryDistribution> m_entries;
    bool m_isRounded = false;
};

struct EntrySums {
    EntryId entry = noEntry;
    StretchedSums sums;
};

}  // namespace

Result<HostedNoise> hostedNoise(Transport& transport, const TraceStore& store, const Progress& progress)
{
    const NoiseRequest request = requestOfAll();
    Packer own;
    packDurations(own, orFail(transport, distribution(store, {.of = DistributedQuantity::TaskDuration}, progress)));
    AllDurations durations;
    eachGathered(transport, own, [&](Unpacker& unpacker) { durations.take(unpacker); });
    Distribution all = durations.all();
    std::vector<EntryNoise> entries = noisyEntries(all, request);
    Packer packer;
    packer.put(stretchThresholds(entries));
    const Payload told = transport.broadcast(packer.take());
    if (transport.failed()) return transport.failure();
    const auto thresholds = Unpacker(told).values<StretchThreshold>();
    HostedNoise found{.here = orFail(transport, findStretched(store, request, ProcessorTime{}, thresholds, progress))};
    std::vector<EntrySums> sums;
    for (const auto& [entry, sum] : found.here.entries) sums.push_back({entry, sum});
    Packer here;
    here.put(sums);
    NoiseFound everywhere;
    eachGathered(transport, here, [&](Unpacker& unpacker) {
        for (const EntrySums& one : unpacker.values<EntrySums>()) everywhere.entries[one.entry].add(one.sums);
    });
    if (transport.failed()) return transport.failure();
    if (transport.isRoot()) found.noise = noiseOf(store.info(), all.sum, std::move(entries), std::move(everywhere));
    return found;
}

std::vector<StretchedTask> hostedInterruptions(Transport& transport, const HostedNoise& noise)
{
    std::vector<EntryId> interrupted;
    for (const EntryNoise& entry : noise.noise.entries)
        if (entry.interrupted > 0) interrupted.push_back(entry.entry);
    std::sort(interrupted.begin(), interrupted.end());
    Packer packer;
    packer.put(interrupted);
    const Payload told = transport.broadcast(packer.take());
    interrupted = Unpacker(told).values<EntryId>();
    std::vector<StretchedTask> own;
    for (const NoiseCandidate& one : noise.here.worst) {
        const bool isOne = one.isStretched
                           && std::binary_search(interrupted.begin(), interrupted.end(), one.task.entry);
        if (!isOne) continue;
        own.push_back(one.task);
        own.back().isInterrupted = true;
    }
    Packer here;
    here.put(own);
    std::vector<StretchedTask> all;
    eachGathered(transport, here, [&](Unpacker& unpacker) {
        const auto tasks = unpacker.values<StretchedTask>();
        all.insert(all.end(), tasks.begin(), tasks.end());
    });
    std::sort(all.begin(), all.end(), [](const StretchedTask& a, const StretchedTask& b) {
        return a.lost != b.lost ? a.lost > b.lost : a.task < b.task;
    });
    if (all.size() > requestOfAll().worst) all.resize(requestOfAll().worst);
    return all;
}

}  // namespace longpole
