// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/queues/expedited.h"

#include <algorithm>
#include <vector>

namespace longpole {

namespace {

// A user's entry method with fewer overtakings is not looked at: it may look expedited by chance.
constexpr std::int64_t fewestOvertakings = 3;

struct Conduct {
    std::int64_t overtook = 0;
    std::int64_t waited = 0;
};

class ConductCount {
public:
    ConductCount(ProcessorRecords& records, const ReplayFacts& facts, const LatencyClasses& latencies)
        : m_facts(facts), m_latencies(latencies)
    {
        records.each([this](std::size_t, const ProcessorRecord& record) {
            countOvertakings(record);
            return true;
        });
        records.each([this](std::size_t, const ProcessorRecord& record) {
            countWaits(record);
            return true;
        });
    }

    bool isExpedited(std::uint32_t entry) const
    {
        const Conduct conduct = entry < m_conduct.size() ? m_conduct[entry] : Conduct{};
        const bool isKnown = entry < m_facts.isExpedited.size() && m_facts.isExpedited[entry] != 0;
        if (conduct.overtook == 0 && conduct.waited == 0) return isKnown;
        return (isSystem(entry) || isKnown) && conduct.overtook > conduct.waited;
    }

private:
    bool isSystem(std::uint32_t entry) const { return entry < m_facts.isSystem.size() && m_facts.isSystem[entry] != 0; }
    bool mayBeExpedited(std::uint32_t entry) const
    {
        return isSystem(entry) || (entry < m_conduct.size() && m_conduct[entry].overtook >= fewestOvertakings);
    }
    static bool isQueued(const ProcessorRecord& record, std::size_t k)
    {
        return !record.is(k, ProcessorRecord::Held | ProcessorRecord::Glued | ProcessorRecord::Fixed);
    }
    Conduct& conductOf(std::uint32_t entry)
    {
        entry = std::min(entry, mostIds);  // all ids above share one row
        if (entry >= m_conduct.size()) m_conduct.resize(entry + std::size_t{1});
        return m_conduct[entry];
    }

    void countOvertakings(const ProcessorRecord& record)
    {
        TimeNs earliest = maxTime;  // the earliest send time of the user's local messages that ran later
        for (std::size_t k = record.size(); k-- > 0;) {
            if (!isQueued(record, k)) continue;
            if (record.sent[k] > earliest) ++conductOf(record.entry[k]).overtook;
            if (record.is(k, ProcessorRecord::Local) && !isSystem(record.entry[k]))
                earliest = std::min(earliest, record.sent[k]);
        }
    }

    void countWaits(const ProcessorRecord& record)
    {
        TimeNs begin = minTime;  // begin of the last task before it that is surely not expedited
        for (std::size_t k = 0; k < record.size(); ++k) {
            if (isQueued(record, k)) {
                const bool isLocal = record.is(k, ProcessorRecord::Local);
                const TimeNs latency = isLocal ? 0 : m_latencies.of(record, k, ArrivalReading::Late);
                if (record.sent[k] + latency < begin) ++conductOf(record.entry[k]).waited;
            }
            if (!record.is(k, ProcessorRecord::Glued) && !mayBeExpedited(record.entry[k])) begin = record.begin[k];
        }
    }

    const ReplayFacts& m_facts;
    const LatencyClasses& m_latencies;
    std::vector<Conduct> m_conduct;  // by entry
};

}  // namespace

void findExpedited(ProcessorRecords& records, const ReplayFacts& facts, const LatencyClasses& latencies)
{
    const ConductCount conduct(records, facts, latencies);
    std::vector<std::int8_t> known;  // by entry: not asked yet, no, yes
    records.each([&](std::size_t, ProcessorRecord& record) {
        for (std::size_t k = 0; k < record.size(); ++k) {
            const std::uint32_t entry = record.entry[k];
            if (record.is(k, ProcessorRecord::Glued) || entry >= mostIds) continue;
            if (entry >= known.size()) known.resize(entry + std::size_t{1}, -1);
            if (known[entry] < 0) known[entry] = conduct.isExpedited(entry) ? 1 : 0;
            if (known[entry] > 0) record.kind[k] |= ProcessorRecord::Expedited;
        }
        return true;
    });
}

}  // namespace longpole
