// SPDX-License-Identifier: GPL-3.0-or-later
// The rest of one processor's records into stages: idle time, creations, user events, samples, MPI calls
// (stagecounter.h).
#include "analysis/projection/stagecounter.h"

#include "analysis/mpi/calls.h"
#include "analysis/mpi/threadcosts.h"

#include <algorithm>
#include <cmath>

namespace longpole {

Result<> StageCounter::countIdle()
{
    auto idle = m_context.store.rows<IdleRow>(m_processor.track, IdleRow::All, {.touching = m_stages.whole()});
    TimeNs until =
        minTime;  // idle times of a processor lie apart; each stage is gone through once, whatever a file says
    for (const IdleRow& gap : idle) {
        if (const TimeNs begin = std::max(gap.begin(), until); begin < gap.end())
            spread(m_context.plan.of(StageQuantity::Idle), begin, gap.end());
        until = std::max(until, gap.end());
    }
    return idle.result();
}

Result<> StageCounter::countMessages()
{
    using enum StageQuantity;
    const StagePlan& plan = m_context.plan;
    const TrackId track = m_processor.track;
    auto messages = m_context.store.rows<MessageRow>(track, MessageRow::Sent | MessageRow::Entry | MessageRow::Bytes,
                                                     {.touching = m_context.counted});
    RowSeeker<ExecutionsRow> executions(m_context.store, track, ExecutionsRow::Executions);
    for (const MessageRow& message : messages) {
        const std::optional<std::size_t> stage = stageOf(message.sent());
        if (!stage) continue;
        const EntryId entry = message.entry();
        add(plan.of(Created, entry), *stage, 1);
        add(plan.of(CreatedBytes, entry), *stage, message.bytes());
        if (!plan.wants(TasksCreated)) continue;
        const Result<const ExecutionsRow*> executed = executions.find(message.number());
        if (!executed) return executed.error();
        if (*executed != nullptr) add(plan.of(TasksCreated, entry), *stage, (*executed)->executions());
    }
    return messages.result();
}

// Messages that an MPI rank received; they count for the region of the task that needed them.
Result<> StageCounter::countDeliveries()
{
    using enum StageQuantity;
    const StagePlan& plan = m_context.plan;
    if (!plan.wantsAny(Processed, ReceivedBytes, ReceivedInNode, ReceivedBytesInNode, Latency, Latencies, Waiting,
                       QueueWait, QueueWaits))
        return Unit{};
    if (Result<> opened = openLatencies(); !opened) return opened;
    const std::optional<TimeRange>& grain = m_context.request.grain;
    RowSeeker<TaskRow> tasks(m_context.store, m_processor.track, TaskRow::Entry | TaskRow::Exclusive);
    auto deliveries = m_context.store.rows<DeliveryRow>(m_processor.track, DeliveryRow::All,
                                                        {.touching = m_context.counted});
    for (const DeliveryRow& delivery : deliveries) {
        const Result<const TaskRow*> task = tasks.find(delivery.task().value_or(-1));
        if (!task) return task.error();
        if (grain && (*task == nullptr || !grain->contains((*task)->exclusive()))) continue;
        const EntryId entry = *task != nullptr ? (*task)->entry() : noEntry;
        const std::optional<std::size_t> stage = stageOf(delivery.time());
        const TimeNs latency = delivery.latency();
        if (stage) countDelivery(entry, *stage, delivery.creator(), latency, delivery.bytes());
        const TimeNs sent = saturatingSubtract(delivery.time(), latency);
        const TimeNs least = (*m_latencies)(index(delivery.creator()));
        countWaiting(entry, estimatedReceive(sent, delivery.time(), least), delivery.time(), stage);
        m_sums.isEstimated = true;
    }
    return deliveries.result();
}

Result<> StageCounter::countIntervals(TrackId track)
{
    const StagePlan& plan = m_context.plan;
    auto intervals = m_context.store.rows<IntervalRow>(track, IntervalRow::All, {.touching = m_context.counted});
    for (const IntervalRow& interval : intervals) {
        const RegionId region = interval.region();
        spreadOverlapping(plan.of(StageQuantity::EventTime, region), interval.begin(), interval.end());
        if (const auto stage = stageOf(interval.begin())) add(plan.of(StageQuantity::Events, region), *stage, 1);
    }
    return intervals.result();
}

Result<> StageCounter::countMarks(TrackId track)
{
    const StagePlan& plan = m_context.plan;
    auto marks = m_context.store.rows<MarkRow>(track, MarkRow::All, {.touching = m_context.counted});
    for (const MarkRow& mark : marks) {
        const RegionId region = mark.region();
        spreadOverlapping(plan.of(StageQuantity::EventTime, region), mark.time(),
                          saturatingAdd(mark.time(), mark.duration()));
        if (const auto stage = stageOf(mark.time())) add(plan.of(StageQuantity::Events, region), *stage, 1);
    }
    return marks.result();
}

Result<> StageCounter::countSamples(TrackId track)
{
    const StagePlan& plan = m_context.plan;
    auto samples = m_context.store.rows<CounterRow>(track, CounterRow::All, {.touching = m_context.counted});
    for (const CounterRow& sample : samples) {
        const auto stage = stageOf(sample.time());
        if (!stage) continue;
        const RegionId region = sample.region();
        const double value = sample.value();
        add(plan.of(StageQuantity::Samples, region), *stage, 1);
        for (const std::uint32_t m : plan.of(StageQuantity::SampleSum, region)) m_sums.reals[m][*stage] += value;
        for (const std::uint32_t m : plan.of(StageQuantity::LargestSample, region))
            m_sums.reals[m][*stage] = largest(m_sums.reals[m][*stage], value);
    }
    return samples.result();
}

// Memory stays in use between samples: a stage without one has what the last one before it said.
Result<> StageCounter::countMemory(TrackId track)
{
    const std::span<const std::uint32_t> measures = m_context.plan.of(StageQuantity::Memory);
    auto samples = m_context.store.rows<CounterRow>(track, CounterRow::All,
                                                    {.touching = {minTime, m_context.counted.end}});
    double last = std::nan("");
    std::size_t next = 0;  // stages below have their value
    std::vector<double> values(m_stages.count(), last);
    for (const CounterRow& sample : samples) {
        const Region* region = m_context.store.region(sample.region());
        if (!region || region->kind != RegionKind::Memory) continue;
        const TimeNs time = sample.time();
        const double value = sample.value();
        if (time >= m_stages.whole().begin) {
            const std::optional<std::size_t> stage = m_context.stageOf(time);
            if (!stage) break;
            while (next < *stage) {
                if (std::isnan(values[next])) values[next] = last;
                ++next;
            }
            values[*stage] = largest(values[*stage], value);
        }
        last = value;
    }
    if (Result<> read = samples.result(); !read) return read;
    for (; next < values.size(); ++next)
        if (std::isnan(values[next])) values[next] = last;
    for (const std::uint32_t m : measures)
        for (std::size_t stage = 0; stage < values.size(); ++stage)
            if (!std::isnan(values[stage])) m_sums.reals[m][stage] = largest(m_sums.reals[m][stage], values[stage]);
    return Unit{};
}

// Calls of all threads of a rank.
Result<> StageCounter::countMpi(const Progress& progress)
{
    const auto rank = index(m_processor.pe);
    for (const TrackId track : mpiTracks(m_context.store, rank))
        if (Result<> counted = countCalls(track, progress); !counted) return counted;
    if (!m_context.plan.wants(StageQuantity::Waited)) return Unit{};
    for (const TrackId track : threadWaitTracks(m_context.store, rank))
        if (Result<> counted = countThreadWaits(track, progress); !counted) return counted;
    return Unit{};
}

Result<> StageCounter::countCalls(TrackId track, const Progress& progress)
{
    using enum StageQuantity;
    const StagePlan& plan = m_context.plan;
    constexpr std::uint32_t plain = MpiRow::Range | MpiRow::Region | MpiRow::Bytes | MpiRow::Sent | MpiRow::Instance
                                    | MpiRow::Flags;
    auto calls = m_context.store.rows<MpiRow>(track, m_context.waits ? plain | CallWaits::fields : plain,
                                              {.touching = m_context.counted, .progress = &progress});
    for (const MpiRow& call : calls) {
        const RegionId region = call.region();
        spreadOverlapping(plan.of(MpiTime, region), call.begin(), call.end());
        if (m_context.waits)
            m_context.waits->of(call, index(m_processor.pe), [&](WaitStateKind kind, const WaitInstance& instance) {
                spreadOverlapping(plan.of(Waited, kind), instance.wait.begin, instance.wait.end);
            });
        const std::optional<std::size_t> stage = stageOf(call.begin());
        if (!stage) continue;
        add(plan.of(MpiCalls, region), *stage, 1);
        const std::int64_t received = saturatingSubtract(call.bytes(), call.sent());
        add(plan.of(MpiSent, region), *stage, call.sent());
        add(plan.of(MpiReceived, region), *stage, received);
        if (!call.instance() || (call.flags() & MpiCallFlag::Completes) != 0) continue;
        add(plan.of(CollectiveSent, region), *stage, call.sent());
        add(plan.of(CollectiveReceived, region), *stage, received);
    }
    return calls.result();
}

Result<> StageCounter::countThreadWaits(TrackId track, const Progress& progress)
{
    auto rows = m_context.store.rows<ThreadWaitRow>(track, ThreadWaitRow::All,
                                                    {.touching = m_context.counted, .progress = &progress});
    for (const ThreadWaitRow& row : rows)
        if (const auto wait = CallWaits::ofThread(row, index(m_processor.pe), track))
            spreadOverlapping(m_context.plan.of(StageQuantity::Waited, wait->first), wait->second.wait.begin,
                              wait->second.wait.end);
    return rows.result();
}

}  // namespace longpole
