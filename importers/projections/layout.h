// SPDX-License-Identifier: GPL-3.0-or-later
// The table of records: which fields each type has, in their order, where a record keeps them and how wide binary logs
// store them. The decoder of text, the decoder of binary logs and the writer of lines walk over it.
#pragma once

#include "importers/projections/records.h"

#include <cstdint>
#include <type_traits>

namespace longpole {

enum class LogField : std::uint8_t {
    // clang-format off
    MessageType, Entry, Time, EndTime, Event, Pe,
    Bytes, SendDuration, Received, ObjectIndex, Cpu, Papi,  // not in all versions
    SingleDestination,                  // stored nowhere: a plain creation has one
    Destinations, DestinationPes,       // of a broadcast or multicast; a multicast's PEs
    QueuedEntry, QueuedBytes,           // of a message that came in: not in all text logs
    Number, NoteNumber, NestedId,       // of a user event, statistic, function, phase or note
    UserNumber, Memory, UserTime, Statistic, Text,
    OwnEvent, OwnPe,                    // repeat what the log's name says; text is not read for them
    NoTime,                             // stored nowhere: the record has no time
    // clang-format on
};

// What a field is in the record; only for those that are one number.
template <LogField field, typename Record>
constexpr auto& valueOf(Record& record)
{
    using enum LogField;
    if constexpr (field == MessageType) return record.messageType;
    else if constexpr (field == Entry || field == QueuedEntry || field == Number || field == NoteNumber)
        return record.entry;
    else if constexpr (field == Time) return record.time;
    else if constexpr (field == EndTime) return record.endTime;
    else if constexpr (field == Event || field == OwnEvent) return record.event;
    else if constexpr (field == Pe || field == OwnPe) return record.pe;
    else if constexpr (field == Bytes || field == QueuedBytes) return record.bytes;
    else if constexpr (field == SendDuration) return record.sendDuration;
    else if constexpr (field == Received) return record.received;
    else if constexpr (field == Cpu) return record.cpu;
    else if constexpr (field == UserTime) return record.userTime;
    else if constexpr (field == Statistic) return record.number;
    else return record.value;
}

constexpr bool isTime(LogField field)
{
    using enum LogField;
    return field == Time || field == EndTime || field == SendDuration || field == Received || field == Cpu;
}

// How binary logs store it.
template <LogField field>
using StoredAs = std::conditional_t<
    isTime(field), std::uint64_t,
    std::conditional_t<field == LogField::MessageType || field == LogField::Entry || field == LogField::QueuedEntry
                           || field == LogField::Number,
                       std::uint16_t,
                       std::conditional_t<field == LogField::UserTime || field == LogField::Statistic, double,
                                          std::conditional_t<field == LogField::Memory, std::int64_t, std::int32_t>>>>;

// Whether the version's records have it.
constexpr bool hasField(LogField field, const RecordLayout& layout)
{
    switch (field) {
    case LogField::Bytes: return layout.hasBytes;
    case LogField::SendDuration: return layout.hasSendDuration;
    case LogField::Received:
    case LogField::ObjectIndex: return layout.hasIndex;
    case LogField::Cpu: return layout.hasCpu;
    default: return true;
    }
}

template <LogField... fields, typename Walk>
bool walkFields(Walk& walk)
{
    return (walk.template field<fields>() && ...);
}

// Calls walk.field<f>() for each field of a record of this type until one returns false, which it then returns too.
template <typename Walk>
bool walkRecord(RecordType type, Walk& walk)
{
    using enum LogField;
    switch (type) {
    case RecordType::Creation:
        return walkFields<MessageType, Entry, Time, Event, Pe, Bytes, SendDuration, SingleDestination>(walk);
    case RecordType::CreationBroadcast:
        return walkFields<MessageType, Entry, Time, Event, Pe, Bytes, SendDuration, Destinations>(walk);
    case RecordType::CreationMulticast:
        return walkFields<MessageType, Entry, Time, Event, Pe, Bytes, SendDuration, Destinations, DestinationPes>(walk);
    case RecordType::BeginProcessing:
        return walkFields<MessageType, Entry, Time, Event, Pe, Bytes, Received, ObjectIndex, Cpu, Papi>(walk);
    case RecordType::EndProcessing: return walkFields<MessageType, Entry, Time, Event, Pe, Bytes, Cpu, Papi>(walk);
    case RecordType::Enqueue:
    case RecordType::Dequeue: return walkFields<MessageType, Time, Event, Pe>(walk);
    case RecordType::MessageReceive: return walkFields<MessageType, QueuedEntry, Time, Event, Pe, QueuedBytes>(walk);
    case RecordType::UserEvent:
    case RecordType::BeginUserEventPair:
    case RecordType::EndUserEventPair:
    case RecordType::UserEventPair: return walkFields<Number, Time, Event, Pe, NestedId>(walk);
    case RecordType::UserStat: return walkFields<Time, UserTime, Statistic, Pe, Number>(walk);
    case RecordType::UserSupplied: return walkFields<UserNumber, Time>(walk);
    case RecordType::MemoryUsage: return walkFields<Memory, Time>(walk);
    case RecordType::UserSuppliedNote: return walkFields<Time, Text>(walk);
    case RecordType::BracketedNote: return walkFields<Time, EndTime, NoteNumber, Text>(walk);
    case RecordType::EndPhase: return walkFields<Number, Time>(walk);
    case RecordType::BeginFunction:
    case RecordType::EndFunction: return walkFields<Time, Number>(walk);
    case RecordType::BeginInterrupt:
    case RecordType::EndInterrupt: return walkFields<Time, OwnEvent, OwnPe>(walk);
    case RecordType::BeginComputation:
    case RecordType::EndComputation:
    case RecordType::BeginTrace:
    case RecordType::EndTrace: return walkFields<Time>(walk);
    case RecordType::BeginIdle:
    case RecordType::EndIdle:
    case RecordType::BeginPack:
    case RecordType::EndPack:
    case RecordType::BeginUnpack:
    case RecordType::EndUnpack: return walkFields<Time, OwnPe>(walk);
    case RecordType::MemoryMalloc:
    case RecordType::MemoryFree:
    case RecordType::SurrogateBlock: return walkFields<NoTime>(walk);
    }
    return false;
}

}  // namespace longpole
