// SPDX-License-Identifier: GPL-3.0-or-later
// Decoding a line of a text log: decimal integers separated by blanks, read straight from the inflated buffer.
#include "importers/projections/records.h"

#include <charconv>
#include <limits>

namespace longpole {
namespace {

// Walks over a line that ends with a character that is neither blank nor digit, so no bound is checked per character.
class Fields {
public:
    Fields(const char* position, const char* end) : m_position(position), m_end(end) {}

    // The next integer; numbers beyond 64 bits saturate. False at the line's end or when something else stands there.
    bool next(std::int64_t& value)
    {
        const char* p = m_position;
        while (*p == ' ') ++p;
        const bool isNegative = *p == '-';
        if (isNegative) ++p;
        const char* const digits = p;
        std::uint64_t number = 0;
        while (static_cast<unsigned char>(*p - '0') < 10) number = number * 10 + static_cast<unsigned char>(*p++ - '0');
        if (p == digits || !isBoundary(*p)) return false;
        if (p - digits > 18) number = careful(digits, p);
        m_position = p;
        value = static_cast<std::int64_t>(isNegative ? 0 - number : number);
        return true;
    }

    // As next(), and within [least, most].
    bool next(std::int64_t& value, std::int64_t least, std::int64_t most)
    {
        return next(value) && value >= least && value <= most;
    }

    bool next(std::uint16_t& value)
    {
        std::int64_t number = 0;
        if (!next(number, 0, 0xffff)) return false;
        value = static_cast<std::uint16_t>(number);
        return true;
    }
    bool next(std::int32_t& value)
    {
        std::int64_t number = 0;
        if (!next(number, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()))
            return false;
        value = static_cast<std::int32_t>(number);
        return true;
    }

    // Microseconds to ns; an impossible number gives -1.
    bool nextTime(TimeNs& time)
    {
        std::int64_t number = 0;
        if (!next(number)) return false;
        time = number >= 0 && number < maxMicroseconds ? number * 1000 : -1;
        return true;
    }

    // A floating-point number as printf writes it: exponents, nan, inf.
    bool next(double& value)
    {
        while (*m_position == ' ') ++m_position;
        const auto [end, error] = std::from_chars(m_position, m_end, value);
        if (end == m_position || (error != std::errc() && error != std::errc::result_out_of_range)) return false;
        m_position = end;
        return true;
    }

    // Integers left on the line.
    int count() const
    {
        int fields = 0;
        for (const char* p = m_position; p < m_end;) {
            while (p < m_end && *p == ' ') ++p;
            if (p == m_end || *p == '\r') break;
            ++fields;
            while (p < m_end && *p != ' ') ++p;
        }
        return fields;
    }

    std::string_view rest() const { return {m_position, static_cast<std::size_t>(m_end - m_position)}; }

private:
    static bool isBoundary(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\0'; }
    static std::uint64_t careful(const char* begin, const char* end)
    {
        std::uint64_t number = 0;
        const auto [last, error] = std::from_chars(begin, end, number);
        return error == std::errc() ? number : static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    }

    const char* m_position;
    const char* m_end;
};

bool creation(Fields& fields, const RecordLayout& layout, LogRecord& record)
{
    std::int64_t entry = 0;
    if (!(fields.next(record.messageType) && fields.next(entry) && fields.nextTime(record.time)
          && fields.next(record.event) && fields.next(record.pe))) {
        return false;
    }
    record.entry = entry < 0 || entry > 0xffff ? 0xffffffffu : static_cast<std::uint32_t>(entry);
    record.bytes = 0;
    record.sendDuration = 0;
    record.value = 1;
    if (layout.hasBytes && !fields.next(record.bytes)) return false;
    if (layout.hasSendDuration && !fields.nextTime(record.sendDuration)) return false;
    if (record.sendDuration < 0) record.sendDuration = 0;
    return record.type == RecordType::Creation || fields.next(record.value);
}

bool papi(Fields& fields, const RecordLayout& layout, LogRecord& record)
{
    record.papiValues = 0;
    for (std::uint32_t i = 0; i < layout.papiCounters; ++i) {
        if (!fields.next(record.papi[i])) return false;
        ++record.papiValues;
    }
    return true;
}

// Integers of the object index at this place of the line: by version, else by the chare; if that is not known, what the
// line has before the CPU time.
int indicesOf(const Fields& fields, const RecordLayout& layout, std::uint32_t entry)
{
    if (layout.fixedIndices != 0) return layout.fixedIndices;
    if (entry < layout.indices.size() && layout.indices[entry] != 0) return layout.indices[entry];
    return fields.count() - 1 - static_cast<int>(layout.papiCounters);
}

bool beginProcessing(Fields& fields, const RecordLayout& layout, LogRecord& record)
{
    std::int64_t entry = 0;
    if (!(fields.next(record.messageType) && fields.next(entry) && fields.nextTime(record.time)
          && fields.next(record.event) && fields.next(record.pe))) {
        return false;
    }
    record.entry = entry < 0 || entry > 0xffff ? 0xffffffffu : static_cast<std::uint32_t>(entry);
    record.bytes = 0;
    record.received = 0;
    record.cpu = -1;
    record.indices = 0;
    if (layout.hasBytes && !fields.next(record.bytes)) return false;
    if (layout.hasIndex) {
        if (!fields.nextTime(record.received)) return false;
        if (record.received < 0) record.received = 0;
        const int indices = indicesOf(fields, layout, record.entry);
        if (indices < 0 || indices > 6) return false;
        for (int i = 0; i < indices; ++i) {
            if (!fields.next(record.index[static_cast<std::size_t>(i)])) return false;
        }
        record.indices = static_cast<std::uint8_t>(indices);
    }
    if (layout.hasCpu && !fields.nextTime(record.cpu)) return false;
    return papi(fields, layout, record);
}

bool endProcessing(Fields& fields, const RecordLayout& layout, LogRecord& record)
{
    std::int64_t entry = 0;
    if (!(fields.next(record.messageType) && fields.next(entry) && fields.nextTime(record.time)
          && fields.next(record.event) && fields.next(record.pe))) {
        return false;
    }
    record.entry = entry < 0 || entry > 0xffff ? 0xffffffffu : static_cast<std::uint32_t>(entry);
    record.cpu = -1;
    if (layout.hasBytes && !fields.next(record.bytes)) return false;
    if (layout.hasCpu && !fields.nextTime(record.cpu)) return false;
    return papi(fields, layout, record);
}

// A number of a user event, statistic, function or phase; 28 bits are kept.
bool numbered(Fields& fields, LogRecord& record)
{
    std::int64_t number = 0;
    if (!fields.next(number)) return false;
    record.entry = number < 0 || number > 0xfffffff ? 0xffffffffu : static_cast<std::uint32_t>(number);
    return true;
}

bool userEvent(Fields& fields, LogRecord& record)
{
    if (!(numbered(fields, record) && fields.nextTime(record.time) && fields.next(record.event)
          && fields.next(record.pe))) {
        return false;
    }
    if (!fields.next(record.value)) record.value = 0;  // nestedID: not in 6.7 and before
    return true;
}

// Length and text with a blank between (6.x) or without (7.x on): the longest run of digits that fits the rest exactly.
bool note(std::string_view rest, std::string_view& text)
{
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
    std::size_t digits = 0;
    while (digits < rest.size() && digits < 9 && rest[digits] >= '0' && rest[digits] <= '9') ++digits;
    for (std::size_t n = digits; n > 0; --n) {
        std::size_t length = 0;
        std::from_chars(rest.data(), rest.data() + n, length);
        const std::size_t after = rest.size() - n;
        if (after == length || (after == length + 1 && rest[n] == ' ')) {
            text = rest.substr(rest.size() - length);
            return true;
        }
    }
    return false;
}

bool hop(Fields& fields, LogRecord& record)
{
    if (!fields.next(record.messageType)) return false;
    if (record.type == RecordType::MessageReceive && fields.count() >= 5) {
        std::int64_t entry = 0;
        if (!fields.next(entry)) return false;
    }
    return fields.nextTime(record.time) && fields.next(record.event) && fields.next(record.pe);
}

bool statistic(Fields& fields, LogRecord& record)
{
    return fields.nextTime(record.time) && fields.next(record.userTime) && fields.next(record.number)
           && fields.next(record.pe) && numbered(fields, record);
}

bool bracketedNote(Fields& fields, LogRecord& record)
{
    return fields.nextTime(record.time) && fields.nextTime(record.endTime) && numbered(fields, record)
           && note(fields.rest(), record.text);
}

Decoded checked(const LogRecord& record, bool isRead, Decoded outOfRange)
{
    if (!isRead) return Decoded::Malformed;
    return record.entry == 0xffffffffu ? outOfRange : Decoded::Record;
}

}  // namespace

Decoded decodeText(std::string_view line, const RecordLayout& layout, LogRecord& record)
{
    Fields fields(line.data(), line.data() + line.size());
    std::int64_t type = 0;
    if (!fields.next(type)) return Decoded::Malformed;
    if (type < 0 || type >= static_cast<std::int64_t>(recordTypes)) return Decoded::Unknown;
    record.type = static_cast<RecordType>(type);
    const auto plain = [](bool isRead) { return isRead ? Decoded::Record : Decoded::Malformed; };

    switch (record.type) {
    case RecordType::Creation:
    case RecordType::CreationBroadcast:
    case RecordType::CreationMulticast:
        return checked(record, creation(fields, layout, record), Decoded::EntryOutOfRange);
    case RecordType::BeginProcessing:
        return checked(record, beginProcessing(fields, layout, record), Decoded::EntryOutOfRange);
    case RecordType::EndProcessing:
        return checked(record, endProcessing(fields, layout, record), Decoded::EntryOutOfRange);
    case RecordType::UserEvent:
    case RecordType::BeginUserEventPair:
    case RecordType::EndUserEventPair:
    case RecordType::UserEventPair: return checked(record, userEvent(fields, record), Decoded::NumberOutOfRange);
    case RecordType::UserStat: return checked(record, statistic(fields, record), Decoded::NumberOutOfRange);
    case RecordType::BracketedNote: return checked(record, bracketedNote(fields, record), Decoded::NumberOutOfRange);
    case RecordType::EndPhase:
        return checked(record, numbered(fields, record) && fields.nextTime(record.time), Decoded::NumberOutOfRange);
    case RecordType::BeginFunction:
    case RecordType::EndFunction:
        return checked(record, fields.nextTime(record.time) && numbered(fields, record), Decoded::NumberOutOfRange);
    case RecordType::UserSuppliedNote: return plain(fields.nextTime(record.time) && note(fields.rest(), record.text));
    case RecordType::UserSupplied:
    case RecordType::MemoryUsage: return plain(fields.next(record.value) && fields.nextTime(record.time));
    case RecordType::Enqueue:
    case RecordType::Dequeue:
    case RecordType::MessageReceive: return plain(hop(fields, record));
    case RecordType::BeginComputation:
    case RecordType::EndComputation:
    case RecordType::BeginInterrupt:
    case RecordType::EndInterrupt:
    case RecordType::BeginTrace:
    case RecordType::EndTrace:
    case RecordType::BeginIdle:
    case RecordType::EndIdle:
    case RecordType::BeginPack:
    case RecordType::EndPack:
    case RecordType::BeginUnpack:
    case RecordType::EndUnpack: return plain(fields.nextTime(record.time));
    case RecordType::MemoryMalloc:
    case RecordType::MemoryFree:
    case RecordType::SurrogateBlock: record.time = noTime; return Decoded::Record;
    }
    return Decoded::Unknown;
}

}  // namespace longpole
