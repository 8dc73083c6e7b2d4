#include "analysis/replayarrivals.h"

#include "analysis/elapseddelays.h"
#include "analysis/replayexpedited.h"
#include "analysis/replaylatencies.h"
#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace longpole {

namespace {

using Trait = ReplayModel::Trait;

bool isLogged(const ActivityGraph& graph, std::uint32_t task)
{
    return (graph.flags[task] & ActivityGraph::HasReceived) != 0 && (graph.flags[task] & ActivityGraph::Estimated) == 0;
}

// A place in the order of a queue: when it was entered, and of messages that the scheduler found at one look, when they
// arrived; those from the same processor come first.
struct Place {
    TimeNs entered = minTime;
    TimeNs arrived = minTime;
    friend auto operator<=>(const Place&, const Place&) = default;
};

// The bounds of one processor's arrivals, in the order of its record.
class ProcessorArrivals {
public:
    ProcessorArrivals(ReplayModel& model, const LatencyClasses& latencies, std::size_t pe)
        : m_model(model), m_graph(*model.graph), m_latencies(latencies), m_tasks(m_graph.byProcessor[pe]),
          m_usualGap(model.usualGap[pe])
    {
        m_low.resize(m_tasks.size());
        m_high.resize(m_tasks.size());
    }

    void find()
    {
        for (std::size_t k = 0; k < m_tasks.size(); ++k) start(k);
        raise();
        lower();
        for (const ArrivalReading reading : {ArrivalReading::Early, ArrivalReading::Likely, ArrivalReading::Late})
            store(reading);
    }

    std::int64_t ordered = 0;
    std::int64_t outOfOrder = 0;

private:
    bool isHeld(std::size_t k) const { return m_model.is(m_tasks[k], Trait::Held); }
    bool isLocal(std::size_t k) const
    {
        const std::uint32_t source = m_graph.source[m_tasks[k]];
        return source != noTask && m_graph.pe[source] == m_graph.pe[m_tasks[k]];
    }
    // Whether it waited in the queue of equals.
    bool isOrdered(std::size_t k) const { return !m_model.is(m_tasks[k], Trait::Expedited) && !isGlued(k); }
    bool isGlued(std::size_t k) const { return m_model.is(m_tasks[k], Trait::Glued); }
    // When its scheduler took it, at the latest.
    TimeNs takenAt(std::size_t k) const
    {
        const TimeNs begin = m_graph.begin[m_tasks[k]];
        if (isHeld(k)) return begin;
        return std::min(begin, saturatingAdd(k == 0 ? m_graph.run.begin : m_graph.end(m_tasks[k - 1]), m_usualGap));
    }

    // What the task's own times allow.
    void start(std::size_t k)
    {
        const std::uint32_t task = m_tasks[k];
        const TimeNs last = takenAt(k);
        const Arrival arrival = arrivalOf(m_graph, task);
        m_high[k] = last;
        if (isHeld(k) || isGlued(k)) m_low[k] = last;
        else if (!arrival.known) m_low[k] = m_graph.run.begin;
        else if (isLocal(k)) m_low[k] = m_high[k] = std::min(arrival.sent, last);
        else if (isLogged(m_graph, task)) m_low[k] = m_high[k] = std::min(arrival.received, last);
        else m_low[k] = std::min(arrival.sent + m_latencies.of(m_graph, task, ArrivalReading::Early), last);
    }

    // How many tasks of the first k had begun before a time.
    std::size_t begunBefore(TimeNs time, std::size_t k) const
    {
        std::size_t step = 1;
        std::size_t low = k;
        while (low > 0 && m_graph.begin[m_tasks[low - 1]] >= time) {
            low -= std::min(low, step);
            step *= 2;
        }
        const auto last = m_tasks.begin() + static_cast<std::ptrdiff_t>(k);
        return static_cast<std::size_t>(std::partition_point(m_tasks.begin() + static_cast<std::ptrdiff_t>(low), last,
                                            [&](std::uint32_t task) { return m_graph.begin[task] < time; })
                                        - m_tasks.begin());
    }

    Place placeOf(std::size_t k, TimeNs arrived) const
    {
        if (isLocal(k) || isHeld(k)) return {arrived, minTime};
        const std::size_t begun = begunBefore(arrived, k);
        return {begun == 0 ? arrived : std::max(arrived, m_graph.end(m_tasks[begun - 1])), arrived};
    }

    // The earliest arrival of the k-th task at that place or behind it.
    TimeNs earliestAt(const Place& place, std::size_t k) const
    {
        if (place.arrived != minTime) return place.arrived;
        const std::size_t begun = begunBefore(place.entered, k);
        if (begun == 0 || m_graph.end(m_tasks[begun - 1]) < place.entered) return place.entered;
        return std::min(m_graph.begin[m_tasks[begun - 1]] + 1, place.entered);
    }

    // The latest arrival of the k-th task at that place or before it.
    TimeNs latestAt(const Place& place, std::size_t k) const
    {
        if (place.arrived != minTime) return place.arrived;
        const std::size_t begun = begunBefore(place.entered, k);
        return begun == 0 ? place.entered : takenAt(begun - 1);
    }

    void raise()
    {
        Place most;
        for (std::size_t k = 0; k < m_tasks.size(); ++k) {
            // Its processor had idled, so its queue was empty.
            if ((m_graph.flags[m_tasks[k]] & ActivityGraph::AfterIdle) != 0) most = std::max(most, Place{m_graph.begin[m_tasks[k]], minTime});
            if (!isOrdered(k)) continue;
            ++ordered;
            const Place place = placeOf(k, m_low[k]);
            if (place >= most) {
                most = place;
                continue;
            }
            const TimeNs raised = earliestAt(most, k);
            if (isLocal(k) || raised > m_high[k]) {
                ++outOfOrder;
                continue;
            }
            m_low[k] = std::max(m_low[k], raised);
            most = std::max(most, placeOf(k, m_low[k]));
        }
    }

    void lower()
    {
        Place least{maxTime, maxTime};
        for (std::size_t k = m_tasks.size(); k-- > 0;) {
            if (!isOrdered(k)) continue;
            if (m_low[k] < m_high[k] && placeOf(k, m_high[k]) > least)
                m_high[k] = std::clamp(latestAt(least, k), m_low[k], m_high[k]);
            least = std::min(least, placeOf(k, m_high[k]));
        }
    }

    void store(ArrivalReading reading)
    {
        CompactTimes& delay = m_model.delay[static_cast<std::size_t>(reading)];
        TimeNs most = minTime;
        for (std::size_t k = 0; k < m_tasks.size(); ++k) {
            const std::uint32_t task = m_tasks[k];
            TimeNs arrived = m_low[k];
            const Arrival arrival = arrivalOf(m_graph, task);
            if ((reading != ArrivalReading::Early || !arrival.known) && m_low[k] < m_high[k]) {
                const TimeNs guess = arrival.sent + m_latencies.of(m_graph, task, reading);
                arrived = arrival.known ? std::clamp(guess, m_low[k], m_high[k]) : m_high[k];
                if (isOrdered(k)) most = arrived = std::clamp(std::max(arrived, most), m_low[k], m_high[k]);
            }
            if (isGlued(k)) arrived = arrival.left;
            const TimeNs left = m_model.is(task, Trait::Fixed) ? m_graph.run.begin : arrival.left;
            delay.set(task, std::max<TimeNs>(0, arrived - left));
        }
    }

    ReplayModel& m_model;
    const ActivityGraph& m_graph;
    const LatencyClasses& m_latencies;
    const std::vector<std::uint32_t>& m_tasks;
    TimeNs m_usualGap;
    std::vector<TimeNs> m_low;
    std::vector<TimeNs> m_high;
};

void findKinds(ReplayModel& model)
{
    const ActivityGraph& graph = *model.graph;
    for (std::uint32_t task = 0; task < graph.size(); ++task) {
        if (graph.source[task] == noTask) model.traits[task] |= ReplayModel::Fixed;
        else if ((graph.flags[task] & ActivityGraph::BlockEdge) != 0) model.traits[task] |= ReplayModel::Glued;
    }
}

// What began when it arrived, since its processor had idled or, with latencies, since it was free by then.
void findHeld(ReplayModel& model, const LatencyClasses* latencies)
{
    const ActivityGraph& graph = *model.graph;
    for (const std::vector<std::uint32_t>& tasks : graph.byProcessor) {
        TimeNs free = graph.run.begin;
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            const std::uint32_t task = tasks[k];
            const TimeNs freeBefore = std::exchange(free, graph.end(task));
            if (model.is(task, ReplayModel::Glued)) continue;
            if (k == 0 || (graph.flags[task] & ActivityGraph::AfterIdle) != 0) {
                model.traits[task] |= ReplayModel::Held;
                continue;
            }
            const Arrival arrival = arrivalOf(graph, task);
            if (latencies == nullptr || !arrival.known || graph.begin[task] == freeBefore) continue;
            const bool isLocal = graph.source[task] != noTask && graph.pe[graph.source[task]] == graph.pe[task];
            const bool isLate = isLocal                  ? arrival.sent > freeBefore
                                : isLogged(graph, task) ? arrival.received >= freeBefore
                                : arrival.sent + latencies->of(graph, task, ArrivalReading::Early) >= freeBefore;
            if (isLate) model.traits[task] |= ReplayModel::Held;
        }
    }
}

// Recorded where a task waited, else what is usual on its processor.
void findGaps(ReplayModel& model)
{
    const ActivityGraph& graph = *model.graph;
    model.usualGap.resize(graph.byProcessor.size(), 0);
    parallelFor(graph.byProcessor.size(), [&](std::size_t pe) {
        const std::vector<std::uint32_t>& tasks = graph.byProcessor[pe];
        const auto gapBefore = [&](std::size_t k) {
            const TimeNs free = k == 0 ? graph.run.begin : graph.end(tasks[k - 1]);
            return std::max<TimeNs>(0, graph.begin[tasks[k]] - free);
        };
        std::vector<TimeNs> gaps;
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            if (model.is(tasks[k], ReplayModel::Held)) continue;
            model.gap.set(tasks[k], gapBefore(k));
            gaps.push_back(gapBefore(k));
        }
        TimeNs& usual = model.usualGap[pe];
        if (!gaps.empty()) {
            const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
            std::nth_element(gaps.begin(), middle, gaps.end());
            usual = *middle;
        }
        for (std::size_t k = 0; k < tasks.size(); ++k)
            if (model.is(tasks[k], ReplayModel::Held)) model.gap.set(tasks[k], std::min(gapBefore(k), usual));
    });
}

}  // namespace

void findArrivals(ReplayModel& model, const ReplayFacts& facts)
{
    const ActivityGraph& graph = *model.graph;
    for (CompactTimes& delay : model.delay) delay.resize(graph.size());
    model.gap.resize(graph.size());
    model.traits.resize(graph.size());
    findKinds(model);
    findHeld(model, nullptr);
    const LatencyClasses latencies(model, facts);
    findHeld(model, &latencies);
    for (const ArrivalReading reading : {ArrivalReading::Early, ArrivalReading::Likely, ArrivalReading::Late})
        model.usualLatency[static_cast<std::size_t>(reading)] = latencies.ofAny(reading);
    findGaps(model);
    findExpedited(model, facts, latencies);
    std::atomic<std::int64_t> ordered{0};
    std::atomic<std::int64_t> outOfOrder{0};
    parallelFor(graph.byProcessor.size(), [&](std::size_t pe) {
        ProcessorArrivals arrivals(model, latencies, pe);
        arrivals.find();
        ordered += arrivals.ordered;
        outOfOrder += arrivals.outOfOrder;
    });
    model.ordered = ordered;
    model.outOfOrder = outOfOrder;
}

}  // namespace longpole
