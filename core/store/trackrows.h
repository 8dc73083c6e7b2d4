// SPDX-License-Identifier: GPL-3.0-or-later
// What a track has besides executions, as rows: idle time, overheads, nested intervals, samples, marks.
#pragma once

#include "core/store/rowblock.h"

#include <bit>
#include <cstdint>

namespace longpole {

// A part of an idle interval outside executions; disjoint, in begin order.
class IdleRow : public RowView {
public:
    static constexpr ChunkKind kind = ChunkKind::Idle;
    enum Field : std::uint32_t { All = (1u << IdleColumn::Count) - 1 };

    TimeNs begin() const { return at(IdleColumn::Begin); }
    TimeNs time() const { return begin(); }  // by which ranges choose rows
    TimeNs duration() const { return at(IdleColumn::Duration); }
    TimeNs end() const { return saturatingAdd(begin(), duration()); }
    TimeRange range() const { return rangeOf(IdleColumn::Begin, IdleColumn::Duration); }
};

// Packing, unpacking, flushing of the log, time without tracing.
class OverheadRow : public RowView {
public:
    static constexpr ChunkKind kind = ChunkKind::Overhead;
    enum Field : std::uint32_t { Kind = bit(OverheadColumn::Kind), All = (1u << OverheadColumn::Count) - 1 };

    TimeNs begin() const { return at(OverheadColumn::Begin); }
    TimeNs duration() const { return at(OverheadColumn::Duration); }
    TimeNs end() const { return saturatingAdd(begin(), duration()); }
    TimeRange range() const { return rangeOf(OverheadColumn::Begin, OverheadColumn::Duration); }
    std::int64_t overheadKind() const { return at(OverheadColumn::Kind); }  // an OverheadKind, unless damaged
};

// What a thread waited in a barrier of its team or for a device, on its own track.
class ThreadWaitRow : public RowView {
public:
    static constexpr ChunkKind kind = ChunkKind::ThreadWait;
    enum Field : std::uint32_t { All = (1u << ThreadWaitColumn::Count) - 1 };

    TimeNs begin() const { return at(ThreadWaitColumn::Begin); }
    TimeNs duration() const { return at(ThreadWaitColumn::Duration); }
    TimeNs end() const { return saturatingAdd(begin(), duration()); }
    TimeRange range() const { return rangeOf(ThreadWaitColumn::Begin, ThreadWaitColumn::Duration); }
    RegionId region() const { return id<RegionId>(ThreadWaitColumn::Region); }
    TimeNs waited() const { return at(ThreadWaitColumn::Wait); }
    TimeRange wait() const { return {begin(), saturatingAdd(begin(), waited())}; }
    WaitPattern pattern() const
    {
        const std::int64_t stored = at(ThreadWaitColumn::Pattern);
        const bool isKnown = stored > 0 && stored < static_cast<std::int64_t>(waitPatterns);
        return isKnown ? static_cast<WaitPattern>(stored) : WaitPattern::None;
    }
    std::optional<std::int64_t> instance() const { return known(ThreadWaitColumn::Instance); }
    std::optional<std::int64_t> culprit() const { return known(ThreadWaitColumn::Culprit); }  // a track
};

// A nested interval: a user's bracket, an AMPI call, a function.
class IntervalRow : public RowView {
public:
    static constexpr ChunkKind kind = ChunkKind::Interval;
    enum Field : std::uint32_t {
        Begin = bit(IntervalColumn::Begin),
        Region = bit(IntervalColumn::Region),
        Value = bit(IntervalColumn::Value),
        All = (1u << IntervalColumn::Count) - 1,
    };

    TimeNs begin() const { return at(IntervalColumn::Begin); }
    TimeNs duration() const { return at(IntervalColumn::Duration); }
    TimeNs end() const { return saturatingAdd(begin(), duration()); }
    TimeRange range() const { return rangeOf(IntervalColumn::Begin, IntervalColumn::Duration); }
    std::int64_t depth() const { return at(IntervalColumn::Depth); }
    RegionId region() const { return id<RegionId>(IntervalColumn::Region); }
    std::int64_t value() const { return at(IntervalColumn::Value); }
};

// A sample of a counter or statistic.
class CounterRow : public RowView {
public:
    static constexpr ChunkKind kind = ChunkKind::Counter;
    enum Field : std::uint32_t {
        Time = bit(CounterColumn::Time),
        Region = bit(CounterColumn::Region),
        Value = bit(CounterColumn::Value),
        All = (1u << CounterColumn::Count) - 1,
    };

    TimeNs time() const { return at(CounterColumn::Time); }
    RegionId region() const { return id<RegionId>(CounterColumn::Region); }
    double value() const { return std::bit_cast<double>(at(CounterColumn::Value)); }
    double userTime() const { return std::bit_cast<double>(at(CounterColumn::UserTime)); }
};

// A point, or a span, with a name and maybe a text.
class MarkRow : public RowView {
public:
    static constexpr ChunkKind kind = ChunkKind::Mark;
    enum Field : std::uint32_t {
        Time = bit(MarkColumn::Time),
        Region = bit(MarkColumn::Region),
        Value = bit(MarkColumn::Value),
        Text = bit(MarkColumn::Text),
        All = (1u << MarkColumn::Count) - 1,
    };

    TimeNs time() const { return at(MarkColumn::Time); }
    TimeNs duration() const { return at(MarkColumn::Duration); }
    RegionId region() const { return id<RegionId>(MarkColumn::Region); }
    std::int64_t value() const { return at(MarkColumn::Value); }
    std::int64_t text() const { return at(MarkColumn::Text); }  // of TraceStore::text(); -1: none
};

}  // namespace longpole
