// SPDX-License-Identifier: GPL-3.0-or-later
// One record of a Projections log, and the decoders that read it from a line of text or from raw binary.
#pragma once

#include "core/base/timerange.h"
#include "importers/projections/sts.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace longpole {

// Record types as Charm++ numbers them (PROJECTIONS log, first field).
enum class RecordType : std::uint8_t {
    // clang-format off
    Creation = 1, BeginProcessing = 2, EndProcessing = 3, Enqueue = 4, Dequeue = 5,
    BeginComputation = 6, EndComputation = 7, BeginInterrupt = 8, EndInterrupt = 9, MessageReceive = 10,
    BeginTrace = 11, EndTrace = 12, UserEvent = 13, BeginIdle = 14, EndIdle = 15,
    BeginPack = 16, EndPack = 17, BeginUnpack = 18, EndUnpack = 19, CreationBroadcast = 20,
    CreationMulticast = 21, BeginFunction = 22, EndFunction = 23, MemoryMalloc = 24, MemoryFree = 25,
    UserSupplied = 26, MemoryUsage = 27, UserSuppliedNote = 28, BracketedNote = 29, EndPhase = 30,
    SurrogateBlock = 31, UserStat = 32,
    BeginUserEventPair = 98, EndUserEventPair = 99, UserEventPair = 100,
    // clang-format on
};
constexpr std::size_t recordTypes = 101;

// "creation", "begin_processing" ...; null for numbers that are no record type.
const char* recordName(std::uint8_t type);

constexpr std::int64_t maxMicroseconds = (std::int64_t{1} << 62) / 1000;
constexpr TimeNs noTime = -2;  // the time of records that have none

// Fields that a type does not have keep no meaning. Times are ns; `time` is -1 if the log's number is impossible.
struct LogRecord {
    RecordType type{};
    std::uint16_t messageType = 0;
    std::uint8_t indices = 0;
    std::uint8_t papiValues = 0;
    std::uint32_t entry = 0;  // also the number of a user event, statistic, function or phase
    std::int32_t event = 0;
    std::int32_t pe = 0;  // creator of an execution; otherwise as logged
    TimeNs time = 0;
    TimeNs endTime = 0;  // of a bracketed note
    std::int64_t bytes = 0;
    TimeNs sendDuration = 0;
    TimeNs received = 0;     // 0: unknown
    TimeNs cpu = -1;         // -1: none
    std::int64_t value = 0;  // bytes of memory, user-supplied number, PEs of a broadcast, nestedID
    double number = 0;       // of a user statistic
    double userTime = 0;
    std::array<std::int32_t, 6> index{};              // the first `indices` are set
    std::string_view text;                            // of a note; valid until the next record
    std::array<std::int64_t, mostPapiCounters> papi;  // the first papiValues are set
};

// What a log's records look like, from the .sts.
struct RecordLayout {
    double version = 11.0;
    std::uint32_t papiCounters = 0;  // as many as a record holds, at most; indices likewise
    bool hasBytes = true;
    bool hasIndex = true;  // also tells whether there is a receive time
    bool hasSendDuration = true;
    bool hasCpu = true;
    std::uint8_t fixedIndices = 0;  // how many integers an index has; 0: as many as the chare's dimensions
    // By entry: how many integers the index of its objects has (4 for those without dimensions); 0: not known.
    std::vector<std::uint8_t> indices;
    std::vector<bool> isShortIndex;  // by entry: an array of four or more dimensions, 16 bits each in binary logs

    static RecordLayout of(const ProjectionsSymbols& symbols);
};

enum class Decoded : std::uint8_t {
    Record,
    Malformed,  // skip it
    Unknown,    // a type that does not exist
    EntryOutOfRange,
    NumberOutOfRange,
    More,  // binary only: the bytes end before the record does
};

// `line` begins at the type and is followed by a line feed or a null (line.data()[line.size()]).
Decoded decodeText(std::string_view line, const RecordLayout& layout, LogRecord& record);
// Sets `used` to the record's length with its line feed. Malformed: no such record stands there.
Decoded decodeBinary(std::span<const char> bytes, const RecordLayout& layout, LogRecord& record, std::size_t& used);

// The table of records: which fields each type has, in their order, where a record keeps them and how wide binary logs
// store them. The decoder of text, the decoder of binary logs and the writer of lines walk over it.
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

// The member of the record that holds a field; only for fields of one number.
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

// The type as which binary logs store a field.
template <LogField field>
using StoredAs = std::conditional_t<
    isTime(field), std::uint64_t,
    std::conditional_t<field == LogField::MessageType || field == LogField::Entry || field == LogField::QueuedEntry
                           || field == LogField::Number,
                       std::uint16_t,
                       std::conditional_t<field == LogField::UserTime || field == LogField::Statistic, double,
                                          std::conditional_t<field == LogField::Memory, std::int64_t, std::int32_t>>>>;

// Whether the records of this version have the field.
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

// Reads a time of a record, of text as of binary logs; sets it to what stands for none where this version's records do
// not have it. False: the record has no such field any more.
template <LogField field, typename Fields>
bool readTime(Fields& fields, const RecordLayout& layout, LogRecord& record)
{
    TimeNs& value = valueOf<field>(record);
    if (!hasField(field, layout)) {
        value = field == LogField::Cpu ? -1 : 0;
        return true;
    }
    if (!fields.nextTime(value)) return false;
    if ((field == LogField::SendDuration || field == LogField::Received) && value < 0) value = 0;
    return true;
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
