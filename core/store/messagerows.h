// SPDX-License-Identifier: GPL-3.0-or-later
// Creations as rows, how often each was executed, and the queue records of old logs.
#pragma once

#include "core/store/rowblock.h"

#include <cstdint>
#include <optional>

namespace longpole {

// A creation; rows are in log order and numbered as MessageId::index.
class MessageRow : public RowView {
public:
    static constexpr ChunkKind kind = ChunkKind::Message;
    enum Field : std::uint32_t {
        Sent = bit(MessageColumn::Sent),
        Task = bit(MessageColumn::Task),
        Offset = bit(MessageColumn::Offset),
        Entry = bit(MessageColumn::Entry),
        Bytes = bit(MessageColumn::Bytes),
        Kind = bit(MessageColumn::Kind),
        Destinations = bit(MessageColumn::Destinations),
        Duration = bit(MessageColumn::Duration),
        Event = bit(MessageColumn::Event),
        MessageType = bit(MessageColumn::MessageType),
        All = (1u << MessageColumn::Count) - 1,
    };

    TimeNs sent() const { return at(MessageColumn::Sent); }
    TimeNs time() const { return sent(); }                                           // by which ranges choose rows
    std::optional<std::int64_t> task() const { return known(MessageColumn::Task); }  // row of the creating execution
    TimeNs offset() const
    {
        return at(MessageColumn::Offset);
    }  // from that execution's begin; its duration if the message belongs to its end
    EntryId entry() const { return id<EntryId>(MessageColumn::Entry); }
    std::int64_t bytes() const { return at(MessageColumn::Bytes); }
    MessageKind messageKind() const { return static_cast<MessageKind>(at(MessageColumn::Kind)); }
    std::int64_t destinations() const { return at(MessageColumn::Destinations); }  // PEs of a broadcast or multicast
    TimeNs duration() const { return at(MessageColumn::Duration); }                // of the call that sent it
    std::int64_t event() const { return at(MessageColumn::Event); }                // number in the log
    std::int64_t messageType() const { return at(MessageColumn::MessageType); }
};

// How often a creation was executed: row n belongs to MessageRow n.
class ExecutionsRow : public RowView {
public:
    static constexpr ChunkKind kind = ChunkKind::MessageExecutions;
    enum Field : std::uint32_t { Executions = bit(MessageExecutionsColumn::Executions) };

    std::int64_t executions() const { return at(MessageExecutionsColumn::Executions); }
};

// A message that an MPI rank received, in time order.
class DeliveryRow : public RowView {
public:
    static constexpr ChunkKind kind = ChunkKind::Delivery;
    enum Field : std::uint32_t {
        Time = bit(DeliveryColumn::Time),
        Task = bit(DeliveryColumn::Task),
        Creator = bit(DeliveryColumn::CreatorPe),
        Message = bit(DeliveryColumn::MessageIndex),
        Source = bit(DeliveryColumn::SourceIndex),
        Latency = bit(DeliveryColumn::Latency),
        Bytes = bit(DeliveryColumn::Bytes),
        All = (1u << DeliveryColumn::Count) - 1,
    };

    TimeNs time() const { return at(DeliveryColumn::Time); }                          // by which ranges choose rows
    std::optional<std::int64_t> task() const { return known(DeliveryColumn::Task); }  // row of what needed it, here
    ProcessorId creator() const { return id<ProcessorId>(DeliveryColumn::CreatorPe); }
    std::int64_t messageNumber() const { return at(DeliveryColumn::MessageIndex); }                  // row of it there
    std::optional<std::int64_t> sourceNumber() const { return known(DeliveryColumn::SourceIndex); }  // who sent, there
    TimeNs latency() const { return at(DeliveryColumn::Latency); }
    std::int64_t bytes() const { return at(DeliveryColumn::Bytes); }
};

// A message enters or leaves a queue, or comes in: records of old logs.
class HopRow : public RowView {
public:
    static constexpr ChunkKind kind = ChunkKind::Hop;
    enum Field : std::uint32_t {
        Time = bit(HopColumn::Time),
        Kind = bit(HopColumn::Kind),
        Creator = bit(HopColumn::CreatorPe),
        Event = bit(HopColumn::Event),
        All = (1u << HopColumn::Count) - 1,
    };

    TimeNs time() const { return at(HopColumn::Time); }
    std::int64_t hopKind() const { return at(HopColumn::Kind); }  // a HopKind, unless the log is damaged
    ProcessorId creator() const { return id<ProcessorId>(HopColumn::CreatorPe); }
    std::int64_t event() const { return at(HopColumn::Event); }
};

}  // namespace longpole
