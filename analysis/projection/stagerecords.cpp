// SPDX-License-Identifier: GPL-3.0-or-later
// The rest of one processor's records into stages: idle time, creations, user events, samples (stagecounter.h).
#include "analysis/projection/stagecounter.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace longpole {

namespace {

constexpr std::uint32_t bit(std::size_t column) { return 1u << column; }

}  // namespace

Result<> StageCounter::countIdle()
{
    ChunkCursor row(m_context.store, ChunkKind::Idle, m_processor.track, m_stages.whole());
    for (;;) {
        const Result<bool> isThere = row.next();
        if (!isThere) return isThere.error();
        if (!*isThere) return Unit{};
        const TimeNs begin = row[IdleColumn::Begin];
        spread(m_context.plan.of(StageQuantity::Idle), begin, saturatingAdd(begin, row[IdleColumn::Duration]));
    }
}

Result<> StageCounter::countMessages()
{
    using enum StageQuantity;
    const StagePlan& plan = m_context.plan;
    const TrackId track = m_processor.track;
    ChunkCursor row(m_context.store, ChunkKind::Message, track, m_context.counted,
                    bit(MessageColumn::Sent) | bit(MessageColumn::Entry) | bit(MessageColumn::Bytes));
    AlignedRows executions(m_context.store, ChunkKind::MessageExecutions, track);
    for (;;) {
        const Result<bool> isThere = row.next();
        if (!isThere) return isThere.error();
        if (!*isThere) return Unit{};
        const std::optional<std::size_t> stage = stageOf(row[MessageColumn::Sent]);
        if (!stage) continue;
        const EntryId entry{static_cast<std::uint32_t>(row[MessageColumn::Entry])};
        add(plan.of(Created, entry), *stage, 1);
        add(plan.of(CreatedBytes, entry), *stage, row[MessageColumn::Bytes]);
        if (!plan.wants(TasksCreated)) continue;
        const Result<bool> isKnown = executions.seek(row.number());
        if (!isKnown) return isKnown.error();
        if (*isKnown) add(plan.of(TasksCreated, entry), *stage, executions[MessageExecutionsColumn::Executions]);
    }
}

Result<> StageCounter::countIntervals(TrackId track)
{
    const StagePlan& plan = m_context.plan;
    ChunkCursor row(m_context.store, ChunkKind::Interval, track, m_context.counted);
    for (;;) {
        const Result<bool> isThere = row.next();
        if (!isThere) return isThere.error();
        if (!*isThere) return Unit{};
        const TimeNs begin = row[IntervalColumn::Begin];
        const RegionId region{static_cast<std::uint32_t>(row[IntervalColumn::Region])};
        spreadOverlapping(plan.of(StageQuantity::EventTime, region), begin,
                          saturatingAdd(begin, row[IntervalColumn::Duration]));
        if (const auto stage = stageOf(begin)) add(plan.of(StageQuantity::Events, region), *stage, 1);
    }
}

Result<> StageCounter::countMarks(TrackId track)
{
    const StagePlan& plan = m_context.plan;
    ChunkCursor row(m_context.store, ChunkKind::Mark, track, m_context.counted);
    for (;;) {
        const Result<bool> isThere = row.next();
        if (!isThere) return isThere.error();
        if (!*isThere) return Unit{};
        const TimeNs time = row[MarkColumn::Time];
        const RegionId region{static_cast<std::uint32_t>(row[MarkColumn::Region])};
        spreadOverlapping(plan.of(StageQuantity::EventTime, region), time,
                          saturatingAdd(time, row[MarkColumn::Duration]));
        if (const auto stage = stageOf(time)) add(plan.of(StageQuantity::Events, region), *stage, 1);
    }
}

Result<> StageCounter::countSamples(TrackId track)
{
    const StagePlan& plan = m_context.plan;
    ChunkCursor row(m_context.store, ChunkKind::Counter, track, m_context.counted);
    for (;;) {
        const Result<bool> isThere = row.next();
        if (!isThere) return isThere.error();
        if (!*isThere) return Unit{};
        const auto stage = stageOf(row[CounterColumn::Time]);
        if (!stage) continue;
        const RegionId region{static_cast<std::uint32_t>(row[CounterColumn::Region])};
        const auto value = std::bit_cast<double>(row[CounterColumn::Value]);
        add(plan.of(StageQuantity::Samples, region), *stage, 1);
        for (const std::uint32_t m : plan.of(StageQuantity::SampleSum, region)) m_sums.reals[m][*stage] += value;
        for (const std::uint32_t m : plan.of(StageQuantity::LargestSample, region))
            m_sums.reals[m][*stage] = largest(m_sums.reals[m][*stage], value);
    }
}

// Memory stays in use between samples: a stage without one has what the last one before it said.
Result<> StageCounter::countMemory(TrackId track)
{
    const std::span<const std::uint32_t> measures = m_context.plan.of(StageQuantity::Memory);
    ChunkCursor row(m_context.store, ChunkKind::Counter, track, {minTime, m_context.counted.end});
    double last = std::nan("");
    std::size_t next = 0;  // stages below have their value
    std::vector<double> values(m_stages.count(), last);
    for (;;) {
        const Result<bool> isThere = row.next();
        if (!isThere) return isThere.error();
        if (!*isThere) break;
        const Region* region = m_context.store.region(RegionId{static_cast<std::uint32_t>(row[CounterColumn::Region])});
        if (!region || region->kind != RegionKind::Memory) continue;
        const TimeNs time = row[CounterColumn::Time];
        const auto value = std::bit_cast<double>(row[CounterColumn::Value]);
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
    for (; next < values.size(); ++next)
        if (std::isnan(values[next])) values[next] = last;
    for (const std::uint32_t m : measures)
        for (std::size_t stage = 0; stage < values.size(); ++stage)
            if (!std::isnan(values[stage])) m_sums.reals[m][stage] = largest(m_sums.reals[m][stage], values[stage]);
    return Unit{};
}

}  // namespace longpole
