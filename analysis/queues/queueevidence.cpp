// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/queues/queueevidence.h"

#include "analysis/queues/queue.h"
#include "analysis/queues/queueplaces.h"
#include "core/base/drawnhash.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace longpole {

namespace {

// A message that waits, ordered by its place in the queue; NewestByPlace orders them the other way.
struct WaitingByPlace {
    QueuePlace place;
    std::uint32_t k;
    bool operator<(const WaitingByPlace& other) const
    {
        return place != other.place ? place < other.place : k < other.k;
    }
};
struct NewestByPlace {
    QueuePlace place;
    std::uint32_t k;
    bool operator<(const NewestByPlace& other) const
    {
        return place != other.place ? other.place < place : k < other.k;
    }
};

// The messages of one entry method that wait. Tasks that have begun are dropped when they come to the top.
struct WaitingLine {
    std::uint32_t entry = 0;
    FlatHeap<WaitingByPlace> oldest{};      // ordered by the latest place that each can have had
    FlatHeap<NewestByPlace> newest{};       // ordered by the earliest place
    std::vector<QueueMeetings> meetings{};  // of its tasks that began, by the line whose messages waited

    // Whether any are left that begin after the k-th task.
    bool advance(std::size_t k)
    {
        while (!oldest.isEmpty() && oldest.top().k <= k) oldest.pop();
        while (!newest.isEmpty() && newest.top().k <= k) newest.pop();
        return !oldest.isEmpty();
    }
};

// Each task that begins is compared with the lines of all entry methods that wait, so only so many entry methods are
// looked at: those with the most tasks.
constexpr std::size_t mostEntries = 256;
constexpr std::size_t looksPerReport = std::size_t{1} << 14;

// By entry: whether it is among the mostEntries with the most tasks.
std::vector<bool> entriesWithMostTasks(ProcessorRecords& records, std::size_t known)
{
    if (known > 0 && known <= mostEntries) return std::vector<bool>(known, true);
    std::vector<std::pair<std::int64_t, std::uint32_t>> entries;  // negated tasks, entry
    records.each([&](std::size_t, const ProcessorRecord& record) {
        for (const std::uint32_t entry : record.entry) {
            if (entry >= mostIds) continue;
            for (std::size_t next = entries.size(); next <= entry; ++next)
                entries.emplace_back(0, static_cast<std::uint32_t>(next));
            --entries[entry].first;
        }
        return true;
    });
    std::vector<bool> isLookedAt(entries.size(), entries.size() <= mostEntries);
    if (entries.size() <= mostEntries) return isLookedAt;
    std::partial_sort(entries.begin(), entries.begin() + mostEntries, entries.end());
    for (std::size_t i = 0; i < mostEntries; ++i) isLookedAt[entries[i].second] = true;
    return isLookedAt;
}

class EvidenceOfProcessor {
public:
    EvidenceOfProcessor(const ProcessorRecord& record, const ReplayFacts& facts, const LatencyClasses& latencies,
                        const std::vector<bool>& isLookedAt, const ProcessorRecords& all, QueueEvidence& evidence)
        : m_record(record), m_facts(facts), m_latencies(latencies), m_isLookedAt(isLookedAt), m_all(all),
          m_places(record), m_evidence(evidence)
    {
    }

    void count()
    {
        std::vector<Arriving> arriving;  // by the latest time at which each can have arrived
        for (std::size_t k = 0; k < m_record.size(); ++k)
            if (isSeen(k)) arriving.push_back({latest(k), static_cast<std::uint32_t>(k)});
        std::sort(arriving.begin(), arriving.end());
        auto next = arriving.begin();
        for (std::size_t k = 0; k < m_record.size(); ++k) {
            if (k % looksPerReport == 0 && m_all.isCancelled()) return;
            if (!isSeen(k)) continue;
            const TimeNs decides = m_record.freeBefore(k);
            for (; next != arriving.end() && next->time <= decides; ++next)
                if (next->task > k) wait(next->task, next->time);
            meet(k);
        }
        for (const WaitingLine& began : m_lines)
            for (std::size_t waiting = 0; waiting < began.meetings.size(); ++waiting)
                if (began.meetings[waiting].all > 0)
                    m_evidence[{began.entry, m_lines[waiting].entry}].add(began.meetings[waiting]);
    }

private:
    bool isSeen(std::size_t k) const
    {
        const std::uint32_t entry = m_record.entry[k];
        constexpr int apart = ProcessorRecord::Held | ProcessorRecord::Glued | ProcessorRecord::Fixed
                              | ProcessorRecord::Expedited;
        const bool isSystem = entry < m_facts.isSystem.size() && m_facts.isSystem[entry] != 0;
        return m_record.is(k, ProcessorRecord::Known) && !m_record.is(k, apart) && !isSystem
               && entry < m_isLookedAt.size() && m_isLookedAt[entry];
    }
    TimeNs at(std::size_t k, ArrivalReading reading) const
    {
        if (m_record.is(k, ProcessorRecord::Local)) return m_record.sent[k];
        if (m_record.is(k, ProcessorRecord::Logged)) return m_record.sent[k] + TimeNs{m_record.latency[k]};
        return m_record.sent[k] + m_latencies.of(m_record, k, reading);
    }
    // One message in ten is later than the late reading; only one in fifty is later by as much again, which is the
    // bound here.
    TimeNs latest(std::size_t k) const
    {
        const TimeNs late = at(k, ArrivalReading::Late);
        return std::min(late + (late - at(k, ArrivalReading::Likely)), m_record.begin[k]);
    }
    TimeNs earliest(std::size_t k) const { return std::min(at(k, ArrivalReading::Early), m_record.begin[k]); }

    void wait(std::uint32_t k, TimeNs latestTime)
    {
        const std::uint32_t entry = m_record.entry[k];
        const std::size_t number = lineOf(entry);
        WaitingLine& line = m_lines[number];
        if (line.oldest.isEmpty()) m_active.push_back(number);
        line.oldest.push({m_places.lastPlaceOf(k, latestTime), k});
        line.newest.push({m_places.placeOf(k, earliest(k)), k});
    }

    std::size_t lineOf(std::uint32_t entry)
    {
        const auto [found, isNew] = m_lineOf.try_emplace(entry, m_lines.size());
        if (isNew) m_lines.push_back({.entry = entry});
        return found->second;
    }

    // Compares the k-th task, which begins, with all messages that wait.
    void meet(std::size_t k)
    {
        bool knowsPlaces = false;
        QueuePlace first, last;
        if (m_active.empty()) return;
        std::vector<QueueMeetings>& meetings = m_lines[lineOf(m_record.entry[k])].meetings;
        if (meetings.size() < m_lines.size()) meetings.resize(m_lines.size());
        for (std::size_t i = 0; i < m_active.size();) {
            const std::size_t number = m_active[i];
            WaitingLine& line = m_lines[number];
            if (!line.advance(k)) {
                m_active[i] = m_active.back();
                m_active.pop_back();
                continue;
            }
            ++i;
            if (!knowsPlaces) {
                first = m_places.placeOf(k, earliest(k));
                last = m_places.lastPlaceOf(k, latest(k));
                knowsPlaces = true;
            }
            QueueMeetings& met = meetings[number];
            ++met.all;
            met.overtook += line.oldest.top().place < first;
            met.keptNewer += !line.newest.isEmpty() && line.newest.top().place > last;
        }
    }

    const ProcessorRecord& m_record;
    const ReplayFacts& m_facts;
    const LatencyClasses& m_latencies;
    const std::vector<bool>& m_isLookedAt;
    const ProcessorRecords& m_all;
    QueuePlaces m_places;
    QueueEvidence& m_evidence;
    std::unordered_map<std::uint32_t, std::size_t, DrawnHash> m_lineOf;  // by entry
    std::vector<WaitingLine> m_lines;
    std::vector<std::size_t> m_active;
};

}  // namespace

QueueEvidence queueEvidence(ProcessorRecords& records, const ReplayFacts& facts, const LatencyClasses& latencies)
{
    // The first processors of a longer run are evidence enough.
    constexpr std::size_t mostTasks = 8'000'000;
    const std::vector<bool> isLookedAt = entriesWithMostTasks(records, facts.isSystem.size());
    QueueEvidence evidence;
    std::mutex adds;
    records.eachAtOnce(
        [&](std::size_t, const ProcessorRecord& record) {
            QueueEvidence own;
            EvidenceOfProcessor(record, facts, latencies, isLookedAt, records, own).count();
            const std::lock_guard lock(adds);
            for (const auto& [pair, met] : own) evidence[pair].add(met);
        },
        records.firstWithMoreThan(mostTasks));
    return evidence;
}

}  // namespace longpole
