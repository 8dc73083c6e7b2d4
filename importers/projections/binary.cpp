// SPDX-License-Identifier: GPL-3.0-or-later
// Decoding a record of a +binary-trace log: the text's fields in the writer's native sizes, a line feed after each.
#include "importers/common/bytereader.h"
#include "importers/projections/records.h"

#include <limits>

namespace longpole {
namespace {

class Fields {
public:
    explicit Fields(std::span<const char> bytes) : m_reader(bytes) {}

    template <typename Stored, typename Value>
    bool next(Value& value)
    {
        Stored stored{};
        if (!m_reader.read(stored)) return false;
        value = static_cast<Value>(stored);
        return true;
    }
    bool nextTime(TimeNs& time)
    {
        std::uint64_t number = 0;
        if (!m_reader.read(number)) return false;
        time = number < static_cast<std::uint64_t>(maxMicroseconds) ? static_cast<TimeNs>(number) * 1000 : -1;
        return true;
    }
    // A length of any of the widths the writers used, then the text.
    bool nextText(std::string_view& text)
    {
        std::uint64_t length = 0;
        if (!m_reader.read(length)) return false;
        if (length > m_reader.remaining()) return false;
        const std::span<const char> taken = m_reader.take(length);
        text = {taken.data(), taken.size()};
        return true;
    }
    ByteReader& reader() { return m_reader; }

private:
    ByteReader m_reader;
};

bool creation(Fields& fields, const RecordLayout& layout, LogRecord& record)
{
    record.bytes = 0;
    record.sendDuration = 0;
    record.value = 1;
    if (!(fields.next<std::uint16_t>(record.messageType) && fields.next<std::uint16_t>(record.entry)
          && fields.nextTime(record.time) && fields.next<std::int32_t>(record.event)
          && fields.next<std::int32_t>(record.pe))) {
        return false;
    }
    if (layout.hasBytes && !fields.next<std::int32_t>(record.bytes)) return false;
    if (layout.hasSendDuration && !fields.nextTime(record.sendDuration)) return false;
    if (record.sendDuration < 0) record.sendDuration = 0;
    return record.type == RecordType::Creation || fields.next<std::int32_t>(record.value);
}

// The PEs of a multicast, after their number: from 7.0 on a second count stands before them, 8 bytes wide. The line
// feed behind them tells the two forms apart. False if the bytes end too early to know.
bool multicastPes(Fields& fields, const LogRecord& record)
{
    if (record.value < 0) return false;
    const std::size_t pes = static_cast<std::size_t>(record.value) * sizeof(std::int32_t);
    const auto endsAfter = [pes](ByteReader reader, char& end) { return reader.skip(pes) && reader.read(end); };
    char end = 0;
    ByteReader twice = fields.reader();
    std::uint64_t again = 0;
    if (twice.read(again) && again == static_cast<std::uint64_t>(record.value)) {
        if (!endsAfter(twice, end)) return false;
        if (end == '\n') fields.reader() = twice;
        return fields.reader().skip(pes);
    }
    if (!endsAfter(fields.reader(), end)) return false;
    const bool isKnown = end == '\n' || fields.reader().remaining() >= sizeof again;
    return isKnown && fields.reader().skip(pes);
}

bool papi(Fields& fields, const RecordLayout& layout, LogRecord& record)
{
    record.papiValues = 0;
    for (std::uint32_t i = 0; i < layout.papiCounters; ++i) {
        if (!fields.next<std::int64_t>(record.papi[i])) return false;
        ++record.papiValues;
    }
    return true;
}

bool objectIndex(Fields& fields, const RecordLayout& layout, LogRecord& record)
{
    std::uint8_t indices = layout.fixedIndices;
    if (indices == 0 && record.entry < layout.indices.size()) indices = layout.indices[record.entry];
    if (indices == 0) indices = 4;
    // Arrays of four and more dimensions keep 16 bits of each; objects without dimensions have four full integers.
    const bool isShort = layout.fixedIndices == 0 && indices >= 4 && record.entry < layout.indices.size()
                         && layout.isShortIndex[record.entry];
    record.index = {};
    for (std::size_t i = 0; i < indices; ++i) {
        const bool isRead = isShort ? fields.next<std::int16_t>(record.index[i])
                                    : fields.next<std::int32_t>(record.index[i]);
        if (!isRead) return false;
    }
    record.indices = indices;
    return true;
}

bool beginProcessing(Fields& fields, const RecordLayout& layout, LogRecord& record)
{
    record.bytes = 0;
    record.received = 0;
    record.cpu = -1;
    if (!(fields.next<std::uint16_t>(record.messageType) && fields.next<std::uint16_t>(record.entry)
          && fields.nextTime(record.time) && fields.next<std::int32_t>(record.event)
          && fields.next<std::int32_t>(record.pe))) {
        return false;
    }
    if (layout.hasBytes && !fields.next<std::int32_t>(record.bytes)) return false;
    if (layout.hasIndex) {
        if (!fields.nextTime(record.received)) return false;
        if (record.received < 0) record.received = 0;
        if (!objectIndex(fields, layout, record)) return false;
    }
    if (layout.hasCpu && !fields.nextTime(record.cpu)) return false;
    return papi(fields, layout, record);
}

bool endProcessing(Fields& fields, const RecordLayout& layout, LogRecord& record)
{
    record.cpu = -1;
    if (!(fields.next<std::uint16_t>(record.messageType) && fields.next<std::uint16_t>(record.entry)
          && fields.nextTime(record.time) && fields.next<std::int32_t>(record.event)
          && fields.next<std::int32_t>(record.pe))) {
        return false;
    }
    if (layout.hasBytes && !fields.next<std::int32_t>(record.bytes)) return false;
    if (layout.hasCpu && !fields.nextTime(record.cpu)) return false;
    return papi(fields, layout, record);
}

bool userEvent(Fields& fields, const RecordLayout& layout, LogRecord& record)
{
    record.value = 0;
    if (!(fields.next<std::uint16_t>(record.entry) && fields.nextTime(record.time)
          && fields.next<std::int32_t>(record.event) && fields.next<std::int32_t>(record.pe))) {
        return false;
    }
    const bool hasNestedId = record.type == RecordType::UserEvent ? false : layout.version >= 8.0;
    return !hasNestedId || fields.next<std::int32_t>(record.value);
}

bool statistic(Fields& fields, LogRecord& record)
{
    return fields.nextTime(record.time) && fields.next<double>(record.userTime) && fields.next<double>(record.number)
           && fields.next<std::int32_t>(record.pe) && fields.next<std::uint16_t>(record.entry);
}

bool point(Fields& fields, LogRecord& record)
{
    switch (record.type) {
    case RecordType::BeginInterrupt:
    case RecordType::EndInterrupt:
        return fields.nextTime(record.time) && fields.next<std::int32_t>(record.event)
               && fields.next<std::int32_t>(record.pe);
    case RecordType::BeginComputation:
    case RecordType::EndComputation:
    case RecordType::BeginTrace:
    case RecordType::EndTrace: return fields.nextTime(record.time);
    default: return fields.nextTime(record.time) && fields.next<std::int32_t>(record.pe);
    }
}

bool fieldsOf(Fields& fields, const RecordLayout& layout, LogRecord& record)
{
    switch (record.type) {
    case RecordType::Creation:
    case RecordType::CreationBroadcast: return creation(fields, layout, record);
    case RecordType::CreationMulticast: return creation(fields, layout, record) && multicastPes(fields, record);
    case RecordType::BeginProcessing: return beginProcessing(fields, layout, record);
    case RecordType::EndProcessing: return endProcessing(fields, layout, record);
    case RecordType::Enqueue:
    case RecordType::Dequeue:
        return fields.next<std::uint16_t>(record.messageType) && fields.nextTime(record.time)
               && fields.next<std::int32_t>(record.event) && fields.next<std::int32_t>(record.pe);
    case RecordType::MessageReceive:
        return fields.next<std::uint16_t>(record.messageType) && fields.next<std::uint16_t>(record.entry)
               && fields.nextTime(record.time) && fields.next<std::int32_t>(record.event)
               && fields.next<std::int32_t>(record.pe) && fields.next<std::int32_t>(record.bytes);
    case RecordType::UserEvent:
    case RecordType::BeginUserEventPair:
    case RecordType::EndUserEventPair:
    case RecordType::UserEventPair: return userEvent(fields, layout, record);
    case RecordType::UserSupplied: return fields.next<std::int32_t>(record.value) && fields.nextTime(record.time);
    case RecordType::MemoryUsage: return fields.next<std::int64_t>(record.value) && fields.nextTime(record.time);
    case RecordType::UserSuppliedNote: return fields.nextTime(record.time) && fields.nextText(record.text);
    case RecordType::BracketedNote:
        return fields.nextTime(record.time) && fields.nextTime(record.endTime)
               && fields.next<std::int32_t>(record.entry) && fields.nextText(record.text);
    case RecordType::EndPhase: return fields.next<std::uint16_t>(record.entry) && fields.nextTime(record.time);
    case RecordType::UserStat: return statistic(fields, record);
    default: return point(fields, record);
    }
}

bool isWritten(std::uint8_t type)
{
    // Functions and memory calls have no layout that any writer of binary logs used.
    const bool isOld = type >= static_cast<std::uint8_t>(RecordType::BeginFunction)
                       && type <= static_cast<std::uint8_t>(RecordType::MemoryFree);
    return recordName(type) != nullptr && !isOld && type != static_cast<std::uint8_t>(RecordType::SurrogateBlock);
}

}  // namespace

Decoded decodeBinary(std::span<const char> bytes, const RecordLayout& layout, LogRecord& record, std::size_t& used)
{
    Fields fields(bytes);
    std::uint8_t type = 0;
    if (!fields.next<std::uint8_t>(type)) return Decoded::More;
    if (!isWritten(type)) return Decoded::Malformed;
    record.type = static_cast<RecordType>(type);
    char lineFeed = 0;
    if (!fieldsOf(fields, layout, record) || !fields.next<char>(lineFeed)) return Decoded::More;
    if (lineFeed != '\n') return Decoded::Malformed;
    used = fields.reader().position();
    return record.type == RecordType::BracketedNote && record.entry > 0xfffffff ? Decoded::NumberOutOfRange
                                                                                : Decoded::Record;
}

}  // namespace longpole
