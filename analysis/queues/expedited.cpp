// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/queues/expedited.h"

#include "core/base/drawnhash.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace longpole {

namespace {

// A user's entry method with fewer overtakings is not looked at: it may look expedited by chance.
constexpr std::int64_t fewestOvertakings = 3;

// How often, by entry; all ids from mostIds on share one number. Takes no more than there is to count: each of many
// processors has such counts, and ids may be large.
class CountByEntry {
public:
    std::int64_t of(std::uint32_t entry) const
    {
        const auto found = m_counts.find(entry);
        return found != m_counts.end() ? found->second : 0;
    }
    void add(std::uint32_t entry, std::int64_t count = 1) { m_counts[std::min(entry, mostIds)] += count; }
    void add(const CountByEntry& other)
    {
        for (const auto& [entry, count] : other.m_counts) add(entry, count);
    }

private:
    std::unordered_map<std::uint32_t, std::int64_t, DrawnHash> m_counts;
};

class ConductCount {
public:
    ConductCount(ProcessorRecords& records, const ReplayFacts& facts, const LatencyClasses& latencies)
        : m_facts(facts), m_latencies(latencies)
    {
        m_overtook = addedUp(records, [this](const ProcessorRecord& record) { return overtakings(record); });
        m_waited = addedUp(records, [this](const ProcessorRecord& record) { return waits(record); });
    }

    bool isExpedited(std::uint32_t entry) const
    {
        const std::int64_t overtook = m_overtook.of(entry), waited = m_waited.of(entry);
        const bool isKnown = entry < m_facts.isExpedited.size() && m_facts.isExpedited[entry] != 0;
        if (overtook == 0 && waited == 0) return isKnown;
        return (isSystem(entry) || isKnown) && overtook > waited;
    }

private:
    bool isSystem(std::uint32_t entry) const { return entry < m_facts.isSystem.size() && m_facts.isSystem[entry] != 0; }
    bool mayBeExpedited(std::uint32_t entry) const
    {
        return isSystem(entry) || m_overtook.of(entry) >= fewestOvertakings;
    }
    static bool isQueued(const ProcessorRecord& record, std::size_t k)
    {
        return !record.is(k, ProcessorRecord::Held | ProcessorRecord::Glued | ProcessorRecord::Fixed);
    }
    static CountByEntry addedUp(ProcessorRecords& records,
                                const std::function<CountByEntry(const ProcessorRecord&)>& count)
    {
        CountByEntry all;
        std::mutex adds;
        records.eachAtOnce([&](std::size_t, const ProcessorRecord& record) {
            const CountByEntry own = count(record);
            const std::lock_guard lock(adds);
            all.add(own);
        });
        return all;
    }

    CountByEntry overtakings(const ProcessorRecord& record) const
    {
        CountByEntry overtook;
        TimeNs earliest = maxTime;  // the earliest send time of the user's local messages that ran later
        for (std::size_t k = record.size(); k-- > 0;) {
            if (!isQueued(record, k)) continue;
            if (record.sent[k] > earliest) overtook.add(record.entry[k]);
            if (record.is(k, ProcessorRecord::Local) && !isSystem(record.entry[k]))
                earliest = std::min(earliest, record.sent[k]);
        }
        return overtook;
    }

    CountByEntry waits(const ProcessorRecord& record) const
    {
        CountByEntry waited;
        TimeNs begin = minTime;  // begin of the last task before it that is surely not expedited
        for (std::size_t k = 0; k < record.size(); ++k) {
            if (isQueued(record, k)) {
                const bool isLocal = record.is(k, ProcessorRecord::Local);
                const TimeNs latency = isLocal ? 0 : m_latencies.of(record, k, ArrivalReading::Late);
                if (record.sent[k] + latency < begin) waited.add(record.entry[k]);
            }
            if (!record.is(k, ProcessorRecord::Glued) && !mayBeExpedited(record.entry[k])) begin = record.begin[k];
        }
        return waited;
    }

    const ReplayFacts& m_facts;
    const LatencyClasses& m_latencies;
    CountByEntry m_overtook, m_waited;
};

}  // namespace

void findExpedited(ProcessorRecords& records, const ReplayFacts& facts, const LatencyClasses& latencies)
{
    const ConductCount conduct(records, facts, latencies);
    // Entry methods of which nothing is known are not expedited.
    std::vector<std::uint8_t> isExpedited(std::max(facts.isSystem.size(), facts.isExpedited.size()));
    for (std::uint32_t entry = 0; entry < isExpedited.size(); ++entry)
        isExpedited[entry] = conduct.isExpedited(entry) ? 1 : 0;
    records.eachAtOnce([&](std::size_t, ProcessorRecord& record) {
        for (std::size_t k = 0; k < record.size(); ++k) {
            const std::uint32_t entry = record.entry[k];
            if (record.is(k, ProcessorRecord::Glued) || entry >= isExpedited.size()) continue;
            if (isExpedited[entry] != 0) record.kind[k] |= ProcessorRecord::Expedited;
        }
    });
}

}  // namespace longpole
