// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/arrivals.h"

#include "analysis/paths/elapseddelays.h"
#include "analysis/queues/discipline.h"
#include "analysis/queues/expedited.h"
#include "analysis/queues/latencies.h"
#include "analysis/queues/queueplaces.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace longpole {

namespace {

using Record = ProcessorRecord;
using Place = QueuePlace;

// The bounds of one processor's arrivals, in the order of its record.
class ProcessorArrivals {
public:
    ProcessorArrivals(const Record& record, const LatencyClasses& latencies, TimeNs usualGap,
                      const QueueDiscipline& discipline)
        : m_record(record), m_latencies(latencies), m_usualGap(usualGap), m_discipline(discipline), m_places(record),
          m_low(record.size()), m_high(record.size())
    {
        findLines();
        for (std::size_t k = 0; k < record.size(); ++k) start(k);
        relax();
        raise();
        lower();
    }

    // When they arrived under a reading, in the order of the record.
    std::vector<TimeNs> arrivals(ArrivalReading reading) const
    {
        std::vector<TimeNs> arrived = m_low;
        std::vector<TimeNs> latest(m_isLifo.size(), minTime);
        for (std::size_t k = 0; k < m_record.size(); ++k) {
            const bool isKnown = m_record.is(k, Record::Known);
            if ((reading == ArrivalReading::Early && isKnown) || m_low[k] >= m_high[k]) continue;
            const TimeNs guess = m_record.sent[k] + m_latencies.of(m_record, k, reading);
            arrived[k] = isKnown ? std::clamp(guess, m_low[k], m_high[k]) : m_high[k];
            if (!isOrdered(k)) continue;
            TimeNs& most = latest[lineOf(k)];
            most = arrived[k] = std::clamp(std::max(arrived[k], most), m_low[k], m_high[k]);
        }
        return arrived;
    }

    // When the k-th task's message would arrive if nothing but the network decided: the recorded order of tasks is not
    // used.
    TimeNs freeArrival(std::size_t k) const
    {
        if (!m_record.is(k, Record::Known) || m_record.is(k, Record::Glued)) return m_high[k];
        if (m_record.is(k, Record::Local)) return m_record.sent[k];
        if (m_record.is(k, Record::Logged)) return m_record.sent[k] + TimeNs{m_record.latency[k]};
        return m_record.sent[k] + m_latencies.of(m_record, k, ArrivalReading::Likely);
    }

    std::int64_t ordered = 0;
    std::int64_t outOfOrder = 0;

private:
    // Whether the k-th task's message waited in a queue; and whether those of its priority left that queue first in,
    // first out.
    bool isQueued(std::size_t k) const { return !m_record.is(k, Record::Expedited | Record::Glued); }
    bool isOrdered(std::size_t k) const { return isQueued(k) && !m_isLifo[lineOf(k)]; }

    // The queue of its priority; the smallest number runs first.
    std::size_t lineOf(std::size_t k) const
    {
        const std::uint32_t entry = m_record.entry[k];
        return entry < m_lineOf.size() ? m_lineOf[entry] : m_usualLine;
    }

    void findLines()
    {
        std::vector<std::int32_t> ranks = m_discipline.rankOf;
        ranks.push_back(m_discipline.usual);
        std::sort(ranks.begin(), ranks.end());
        ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
        const auto lineOfRank = [&](std::int32_t rank) {
            return static_cast<std::uint32_t>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
        };
        for (const std::int32_t rank : m_discipline.rankOf) m_lineOf.push_back(lineOfRank(rank));
        m_usualLine = lineOfRank(m_discipline.usual);
        for (const std::int32_t rank : ranks) m_isLifo.push_back(QueueDiscipline::isLifo(rank));
    }

    // The latest time at which the scheduler can have taken the k-th task's message.
    TimeNs takenAt(std::size_t k) const
    {
        if (m_record.is(k, Record::Held)) return m_record.begin[k];
        return std::min(m_record.begin[k], saturatingAdd(m_record.freeBefore(k), m_usualGap));
    }

    // Sets the bounds that follow from the k-th task's own times, without regard to other tasks.
    void start(std::size_t k)
    {
        const TimeNs last = takenAt(k);
        m_high[k] = last;
        if (m_record.is(k, Record::Held | Record::Glued)) m_low[k] = last;
        else if (!m_record.is(k, Record::Known)) m_low[k] = m_record.runBegin;
        else if (m_record.is(k, Record::Local)) m_low[k] = m_high[k] = std::min(m_record.sent[k], last);
        else if (m_record.is(k, Record::Logged))
            m_low[k] = m_high[k] = std::min(m_record.sent[k] + m_record.latency[k], last);
        else m_low[k] = std::min(m_record.sent[k] + m_latencies.of(m_record, k, ArrivalReading::Early), last);
    }

    // The earliest arrival of the k-th task at that place or behind it.
    TimeNs earliestAt(const Place& place, std::size_t k) const
    {
        if (place.arrived != minTime) return place.arrived;
        const std::size_t begun = m_places.begunBefore(place.entered, k);
        if (begun == 0 || m_places.stepEnd(begun - 1) < place.entered) return place.entered;
        return std::min(m_record.begin[m_places.stepOf(begun - 1)] + 1, place.entered);
    }

    // The latest arrival of the k-th task at that place or before it.
    TimeNs latestAt(const Place& place, std::size_t k) const
    {
        if (place.arrived != minTime) return place.arrived;
        const std::size_t begun = m_places.begunBefore(place.entered, k);
        return begun == 0 ? place.entered : takenAt(m_places.stepOf(begun - 1));
    }

    // The least latency is that of all but a few messages. Lowers the bound of those few: each ran before a message
    // that its processor had already sent to itself, so it was in the queue before that one.
    void relax()
    {
        std::vector<Place> earliest(m_isLifo.size(), {maxTime, maxTime, 0});  // of the local messages that ran later
        for (std::size_t k = m_record.size(); k-- > 0;) {
            if (!isOrdered(k)) continue;
            Place& least = earliest[lineOf(k)];
            if (m_record.is(k, Record::Local)) {
                if (!m_record.is(k, Record::Held)) least = std::min(least, m_places.placeOf(k, m_low[k]));
            } else if (m_low[k] > m_record.sent[k] && m_low[k] < m_high[k] && m_places.placeOf(k, m_low[k]) > least) {
                const TimeNs latest = latestAt(least, k);
                if (latest >= m_record.sent[k]) m_low[k] = std::min(m_low[k], latest);
            }
        }
    }

    void raise()
    {
        std::vector<Place> latest(m_isLifo.size());
        // by line: when the scheduler last took something less urgent, so that this line was empty
        std::vector<TimeNs> looked(m_isLifo.size(), minTime);
        for (std::size_t k = 0; k < m_record.size(); ++k) {
            // The processor had idled, so everything that begins later arrived from now on.
            if (m_record.is(k, Record::AfterIdle))
                for (Place& most : latest) most = std::max(most, Place{m_record.begin[k], minTime, 0});
            if (!isQueued(k)) continue;
            const std::size_t line = lineOf(k);
            ++ordered;
            outOfOrder += !raise(k, looked[line], m_isLifo[line] ? nullptr : &latest[line]);
            for (std::size_t before = 0; before < line; ++before) looked[before] = takenAt(k);
        }
    }

    // Raises the lower bound of the k-th task: its message was not in the queue yet at `looked`, when the scheduler
    // took something less urgent, and came behind `most`, the last place of its line so far (null: the line is newest
    // first). Returns whether the recorded times allow that.
    bool raise(std::size_t k, TimeNs looked, Place* most)
    {
        const bool isExact = m_record.is(k, Record::Local);
        bool fits = m_low[k] > looked || !isExact;
        if (!isExact && m_low[k] < m_high[k]) m_low[k] = std::clamp(saturatingAdd(looked, 1), m_low[k], m_high[k]);
        if (most == nullptr) return fits;
        const Place place = m_places.placeOf(k, m_low[k]);
        if (place >= *most) {
            *most = place;
            return fits;
        }
        const TimeNs raised = earliestAt(*most, k);
        if (isExact || raised > m_high[k]) return false;
        m_low[k] = std::max(m_low[k], raised);
        *most = std::max(*most, m_places.placeOf(k, m_low[k]));
        return fits;
    }

    void lower()
    {
        std::vector<Place> earliest(m_isLifo.size(), {maxTime, maxTime, 0});
        for (std::size_t k = m_record.size(); k-- > 0;) {
            if (!isOrdered(k)) continue;
            Place& least = earliest[lineOf(k)];
            if (m_low[k] < m_high[k] && m_places.placeOf(k, m_high[k]) > least)
                m_high[k] = std::clamp(latestAt(least, k), m_low[k], m_high[k]);
            least = std::min(least, m_places.placeOf(k, m_high[k]));
        }
    }

    const Record& m_record;
    const LatencyClasses& m_latencies;
    TimeNs m_usualGap;
    const QueueDiscipline& m_discipline;
    QueuePlaces m_places;
    std::vector<std::uint32_t> m_lineOf;  // by entry
    std::uint32_t m_usualLine = 0;
    std::vector<bool> m_isLifo;  // by line
    std::vector<TimeNs> m_low;
    std::vector<TimeNs> m_high;
};

// Marks the tasks whose messages did not wait: the processor had idled, or was free when the message arrived.
void findHeld(Record& record, const LatencyClasses& latencies)
{
    for (std::size_t k = 0; k < record.size(); ++k) {
        if (record.is(k, Record::Glued)) continue;
        const TimeNs free = record.freeBefore(k);
        const bool isLocal = record.is(k, Record::Local);
        const TimeNs latency = isLocal                        ? 0
                               : record.is(k, Record::Logged) ? TimeNs{record.latency[k]}
                                                              : latencies.of(record, k, ArrivalReading::Early);
        const bool isLate = record.is(k, Record::Known) && record.begin[k] > free
                            && (isLocal ? record.sent[k] > free : record.sent[k] + latency >= free);
        if (isLate || record.is(k, Record::AfterIdle)) record.kind[k] |= Record::Held;
    }
}

// What the processor needs between a task and the one before it: as recorded where the task waited, else what is usual,
// which is the result.
TimeNs findGaps(ReplayModel& model, std::size_t pe, const Record& record)
{
    const auto gapBefore = [&record](std::size_t k) {
        return std::max<TimeNs>(0, record.begin[k] - record.freeBefore(k));
    };
    std::vector<TimeNs> waited;
    for (std::size_t k = 0; k < record.size(); ++k)
        if (!record.is(k, Record::Held | Record::Glued)) waited.push_back(gapBefore(k));
    if (waited.empty()) waited.push_back(0);
    const auto middle = waited.begin() + static_cast<std::ptrdiff_t>(waited.size() / 2);
    std::nth_element(waited.begin(), middle, waited.end());
    const std::span<const std::uint32_t> tasks = model.graph->byProcessor[pe];
    for (std::size_t k = 0; k < record.size(); ++k)
        model.gap.set(tasks[k], record.is(k, Record::Held) ? std::min(gapBefore(k), *middle) : gapBefore(k));
    return *middle;
}

std::uint8_t traitsOf(std::uint8_t kind)
{
    std::uint8_t traits = 0;
    if ((kind & Record::Glued) != 0) traits |= ReplayModel::Glued;
    if ((kind & Record::Fixed) != 0) traits |= ReplayModel::Fixed;
    if ((kind & Record::Held) != 0) traits |= ReplayModel::Held;
    if ((kind & Record::Expedited) != 0) traits |= ReplayModel::Expedited;
    return traits;
}

// How long the message of the k-th task was under way: from when it left its sender to when it arrived.
TimeNs delayOf(const ActivityGraph& graph, std::uint32_t task, const Record& record, std::size_t k, TimeNs arrived)
{
    if (record.is(k, Record::Glued)) return 0;
    TimeNs left = record.is(k, Record::Fixed) ? record.runBegin : record.sent[k];
    if (!record.is(k, Record::Fixed) && (graph.flags[task] & ActivityGraph::SentApart) != 0)
        left = arrivalOf(graph, task).left;
    return std::max<TimeNs>(0, arrived - left);
}

// By reading: the tasks of one processor whose delays differ from the likely ones.
using DifferentDelays = std::array<std::vector<ReadingDelays::Different>, arrivalReadings>;

// Stores the traits and delays of one processor's tasks in the model. The readings are made one after the other, since
// each takes memory.
DifferentDelays store(ReplayModel& model, std::size_t pe, const Record& record, const ProcessorArrivals& arrivals)
{
    const ActivityGraph& graph = *model.graph;
    const std::span<const std::uint32_t> tasks = graph.byProcessor[pe];
    for (std::size_t k = 0; k < tasks.size(); ++k) model.traits[tasks[k]] = traitsOf(record.kind[k]);
    const std::vector<TimeNs> likely = arrivals.arrivals(ArrivalReading::Likely);
    for (std::size_t k = 0; k < tasks.size(); ++k)
        model.delay.setLikely(tasks[k], delayOf(graph, tasks[k], record, k, likely[k]));
    DifferentDelays different;
    const auto compare = [&](ArrivalReading reading, auto arrivedAt) {
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            const TimeNs arrived = arrivedAt(k);
            if (arrived == likely[k]) continue;
            const TimeNs delay = delayOf(graph, tasks[k], record, k, arrived);
            if (delay != model.delay.likely(tasks[k]))
                different[static_cast<std::size_t>(reading)].emplace_back(tasks[k], delay);
        }
    };
    for (const ArrivalReading reading : {ArrivalReading::Early, ArrivalReading::Late}) {
        const std::vector<TimeNs> arrived = arrivals.arrivals(reading);
        compare(reading, [&](std::size_t k) { return arrived[k]; });
    }
    compare(ArrivalReading::Free, [&](std::size_t k) { return arrivals.freeArrival(k); });
    return different;
}

// Stores how much of each message's latency comes from its size.
void storeSizes(ReplayModel& model, std::size_t pe, const Record& record, const ReplayFacts& facts,
                const LatencyClasses& latencies)
{
    const std::span<const std::uint32_t> tasks = model.graph->byProcessor[pe];
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        const double bytes = tasks[k] < facts.bytes.size() ? facts.bytes[tasks[k]] : 0;
        const double time = bytes * latencies.perByte(LatencyClasses::distanceOf(record.latencyClass[k]));
        model.bySize[tasks[k]] = static_cast<std::uint32_t>(std::min(time, 4e9));
    }
}

}  // namespace

void findArrivals(ReplayModel& model, const ReplayFacts& facts, const Progress& progress)
{
    const ActivityGraph& graph = *model.graph;
    ProcessorRecords records(graph, facts, progress);
    const LatencyClasses latencies(records);
    for (const ArrivalReading reading :
         {ArrivalReading::Early, ArrivalReading::Likely, ArrivalReading::Late, ArrivalReading::Free})
        model.usualLatency[static_cast<std::size_t>(reading)] = latencies.ofAny(reading);
    records.eachAtOnce([&](std::size_t, Record& record) { findHeld(record, latencies); });
    findExpedited(records, facts, latencies);
    model.discipline = findDiscipline(records, facts, latencies);
    if (progress.isCancelled()) return;
    model.delay.resize(graph.size());
    model.gap.resize(graph.size());
    model.traits.resize(graph.size());
    model.usualGap.resize(records.size());
    if (latencies.perByte(0) > 0 || latencies.perByte(1) > 0) model.bySize.resize(graph.size());
    std::atomic<std::int64_t> ordered{0};
    std::atomic<std::int64_t> outOfOrder{0};
    std::array<std::vector<std::vector<ReadingDelays::Different>>, arrivalReadings> different;  // by processor
    for (auto& ofReading : different) ofReading.resize(records.size());
    records.eachAtOnce([&](std::size_t pe, const Record& record) {
        model.usualGap[pe] = findGaps(model, pe, record);
        const ProcessorArrivals arrivals(record, latencies, model.usualGap[pe], model.discipline);
        DifferentDelays found = store(model, pe, record, arrivals);
        for (std::size_t reading = 0; reading < arrivalReadings; ++reading)
            different[reading][pe] = std::move(found[reading]);
        if (!model.bySize.empty()) storeSizes(model, pe, record, facts, latencies);
        ordered += arrivals.ordered;
        outOfOrder += arrivals.outOfOrder;
    });
    if (progress.isCancelled()) return;
    for (const ArrivalReading reading : {ArrivalReading::Early, ArrivalReading::Late, ArrivalReading::Free})
        model.delay.setDifferent(reading, std::exchange(different[static_cast<std::size_t>(reading)], {}));
    model.ordered = ordered;
    model.outOfOrder = outOfOrder;
}

}  // namespace longpole
