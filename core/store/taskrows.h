// SPDX-License-Identifier: GPL-3.0-or-later
// Executions as rows: what ran when, what it came from, the pieces it ran in, what else it waited for.
#pragma once

#include "core/store/rowblock.h"

#include <array>
#include <cstdint>
#include <optional>

namespace longpole {

// An execution; rows are in begin order and numbered as TaskId::index.
class TaskRow : public RowView {
public:
    static constexpr ChunkKind kind = ChunkKind::Task;
    enum Field : std::uint32_t {
        Begin = bit(TaskColumn::Begin),
        Duration = bit(TaskColumn::Duration),
        Range = Begin | Duration,
        Exclusive = Duration | bit(TaskColumn::Nested),
        Entry = bit(TaskColumn::Entry),
        Outer = bit(TaskColumn::Outer),
        Pieces = bit(TaskColumn::Pieces),
        Bytes = bit(TaskColumn::Bytes),
        MessageType = bit(TaskColumn::MessageType),
        Received = Begin | bit(TaskColumn::Received),
        WaitedBefore = bit(TaskColumn::Received),
        Cpu = bit(TaskColumn::Cpu),
        Object = 0x3fu << TaskColumn::Index0,
    };

    TimeNs begin() const { return at(TaskColumn::Begin); }
    TimeNs time() const { return begin(); }  // by which ranges choose rows
    TimeNs duration() const { return at(TaskColumn::Duration); }
    TimeNs end() const { return saturatingAdd(begin(), duration()); }
    TimeRange range() const { return rangeOf(TaskColumn::Begin, TaskColumn::Duration); }
    TimeNs exclusive() const
    {
        return saturatingSubtract(duration(), at(TaskColumn::Nested));
    }  // without executions nested in it
    EntryId entry() const { return id<EntryId>(TaskColumn::Entry); }
    bool isOutermost() const { return at(TaskColumn::Outer) == 0; }
    std::int64_t outer() const { return number() - at(TaskColumn::Outer); }  // row of the outermost one around it
    bool hasPieces() const { return at(TaskColumn::Pieces) > 0; }            // more than one, which are PieceRows
    std::int64_t bytes() const { return at(TaskColumn::Bytes); }             // of the message that started it
    std::int64_t messageType() const { return at(TaskColumn::MessageType); }
    // When its message came, and how long that waited until the execution began; empty if the log does not say.
    std::optional<TimeNs> received() const
    {
        if (at(TaskColumn::Received) == minTime) return {};
        return saturatingAdd(begin(), at(TaskColumn::Received));
    }
    std::optional<TimeNs> waitedBefore() const
    {
        if (at(TaskColumn::Received) == minTime) return {};
        return -at(TaskColumn::Received);
    }
    std::optional<TimeNs> cpu() const { return known(TaskColumn::Cpu); }
    // The fields of the first `dimensions` indices of the object.
    static constexpr std::uint32_t objectFields(int dimensions)
    {
        return ((1u << dimensions) - 1) << TaskColumn::Index0 & Object;
    }
    // As logged; 0 in dimensions that the object does not have.
    std::int64_t objectIndex(std::size_t dimension) const { return at(TaskColumn::Index0 + dimension); }
    std::array<std::int64_t, 6> objectIndex() const
    {
        std::array<std::int64_t, 6> all{};
        for (std::size_t d = 0; d < all.size(); ++d) all[d] = objectIndex(d);
        return all;
    }
};

// What an execution came from: row n belongs to TaskRow n.
class TaskSourceRow : public RowView {
public:
    static constexpr ChunkKind kind = ChunkKind::TaskSource;
    enum Field : std::uint32_t {
        Link = bit(TaskSourceColumn::Link),
        Source = bit(TaskSourceColumn::SourcePe) | bit(TaskSourceColumn::SourceIndex),
        Offset = bit(TaskSourceColumn::Offset),
        Latency = bit(TaskSourceColumn::Latency),
        HasMessage = bit(TaskSourceColumn::MessageIndex),
        Creator = bit(TaskSourceColumn::CreatorPe),
        Message = HasMessage | Creator,
        Delivers = Link | HasMessage,
        All = (1u << TaskSourceColumn::Count) - 1,
    };

    longpole::Link link() const { return static_cast<longpole::Link>(at(TaskSourceColumn::Link)); }
    // The execution that it depends on; without meaning if hasSource(link()) is false.
    ProcessorId sourcePe() const { return id<ProcessorId>(TaskSourceColumn::SourcePe); }
    std::int64_t sourceNumber() const { return at(TaskSourceColumn::SourceIndex); }
    TimeNs offset() const { return at(TaskSourceColumn::Offset); }    // from that execution's begin to the send
    TimeNs latency() const { return at(TaskSourceColumn::Latency); }  // begin - send; 0 without a creation
    // The creation: its PE, and its row there if the trace holds it.
    ProcessorId creator() const { return id<ProcessorId>(TaskSourceColumn::CreatorPe); }
    bool hasMessage() const { return at(TaskSourceColumn::MessageIndex) >= 0; }
    // Whether that message was meant for this execution; else it only led to it.
    bool delivers() const { return hasMessage() && link() != longpole::Link::Forwarded; }
    std::optional<std::int64_t> messageNumber() const { return known(TaskSourceColumn::MessageIndex); }
};

// A piece of an execution that was suspended, in begin order.
class PieceRow : public RowView {
public:
    static constexpr ChunkKind kind = ChunkKind::Piece;
    enum Field : std::uint32_t { All = (1u << PieceColumn::Count) - 1 };

    TimeNs begin() const { return at(PieceColumn::Begin); }
    TimeNs duration() const { return at(PieceColumn::Duration); }
    TimeNs end() const { return saturatingAdd(begin(), duration()); }
    TimeRange range() const { return rangeOf(PieceColumn::Begin, PieceColumn::Duration); }
    std::int64_t task() const { return at(PieceColumn::Task); }  // row of its execution
};

// What an execution needed besides its message, as the program recorded it.
class MergeRow : public RowView {
public:
    static constexpr ChunkKind kind = ChunkKind::Merge;
    enum Field : std::uint32_t { All = (1u << MergeColumn::Count) - 1 };

    std::int64_t task() const { return at(MergeColumn::Task); }  // row on this PE
    ProcessorId sourcePe() const { return id<ProcessorId>(MergeColumn::SourcePe); }
    std::int64_t sourceNumber() const { return at(MergeColumn::SourceIndex); }  // row of that execution on its PE
    TimeNs offset() const { return at(MergeColumn::Offset); }                   // from its begin to the send
    std::optional<std::int64_t> messageNumber() const { return known(MergeColumn::MessageIndex); }
    longpole::Link link() const { return static_cast<longpole::Link>(at(MergeColumn::Link)); }
};

}  // namespace longpole
