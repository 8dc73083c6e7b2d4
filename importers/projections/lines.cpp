// SPDX-License-Identifier: GPL-3.0-or-later
// Writing lines of a text log field by field.
#include "importers/projections/lines.h"

#include "importers/common/bytereader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace longpole {
namespace {

class Line {
public:
    explicit Line(RecordType type) { m_text = std::to_string(static_cast<int>(type)); }

    Line& number(std::int64_t value)
    {
        m_text += ' ';
        m_text += std::to_string(value);
        return *this;
    }
    // Nanoseconds, as whole microseconds. Impossible ones as the writer prints a time below zero.
    Line& time(TimeNs value)
    {
        if (value >= 0) return number(value / 1000);
        m_text += ' ';
        m_text += std::to_string(std::numeric_limits<std::uint64_t>::max());
        return *this;
    }
    // The shortest digits that give the same number again, without an exponent, which the Java reader cannot read.
    Line& real(double value)
    {
        std::array<char, 1200> digits;
        const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                                std::chars_format::fixed);
        m_text += ' ';
        m_text.append(digits.data(), error == std::errc() ? end : digits.data());
        return *this;
    }
    Line& text(std::string_view value)
    {
        const std::size_t begin = m_text.size() + 1;
        m_text += ' ';
        m_text += value;
        std::replace(m_text.begin() + static_cast<std::ptrdiff_t>(begin), m_text.end(), '\n', ' ');
        return *this;
    }
    std::string end()
    {
        m_text += '\n';
        return std::move(m_text);
    }

private:
    std::string m_text;
};

void papi(Line& line, const LogRecord& record, const RecordLayout& layout)
{
    for (std::uint32_t i = 0; i < layout.papiCounters; ++i) line.number(i < record.papiValues ? record.papi[i] : 0);
}

// The PEs of a multicast end its bytes; before them, from 7.0 on, their number stands a second time.
void multicastPes(Line& line, const LogRecord& record, const RecordLayout& layout, std::span<const char> raw)
{
    const std::size_t list = static_cast<std::size_t>(record.value) * sizeof(std::int32_t);
    const std::size_t head = 1 + 2 + 2 + 8 + 4 + 4 + (layout.hasBytes ? 4 : 0) + (layout.hasSendDuration ? 8 : 0) + 4;
    if (record.value < 0 || raw.size() < head + list + 1) return;
    if (raw.size() >= head + sizeof(std::uint64_t) + list + 1) line.number(record.value);
    ByteReader reader(raw.subspan(raw.size() - 1 - list, list));
    std::int32_t pe = 0;
    while (reader.read(pe)) line.number(pe);
}

void creation(Line& line, const LogRecord& record, const RecordLayout& layout, std::span<const char> raw)
{
    line.number(record.messageType).number(record.entry).time(record.time).number(record.event).number(record.pe);
    if (layout.hasBytes) line.number(record.bytes);
    if (layout.hasSendDuration) line.time(record.sendDuration);
    if (record.type == RecordType::Creation) return;
    line.number(record.value);
    if (record.type == RecordType::CreationMulticast) multicastPes(line, record, layout, raw);
}

void beginProcessing(Line& line, const LogRecord& record, const RecordLayout& layout)
{
    line.number(record.messageType).number(record.entry).time(record.time).number(record.event).number(record.pe);
    if (layout.hasBytes) line.number(record.bytes);
    if (layout.hasIndex) {
        line.time(record.received);
        for (std::size_t i = 0; i < record.indices; ++i) line.number(record.index[i]);
    }
    if (layout.hasCpu) line.time(record.cpu);
    papi(line, record, layout);
}

void endProcessing(Line& line, const LogRecord& record, const RecordLayout& layout)
{
    line.number(record.messageType).number(record.entry).time(record.time).number(record.event).number(record.pe);
    if (layout.hasBytes) line.number(record.bytes);
    if (layout.hasCpu) line.time(record.cpu);
    papi(line, record, layout);
}

// The field of a line, counted from 0 for the type, that holds its time; 0: it has none.
int timeField(RecordType type, std::string_view line)
{
    switch (type) {
    case RecordType::Creation:
    case RecordType::BeginProcessing:
    case RecordType::EndProcessing:
    case RecordType::CreationBroadcast:
    case RecordType::CreationMulticast: return 3;
    case RecordType::MessageReceive:
        return std::count(line.begin(), line.end(), ' ') >= 6 ? 3 : 2;  // with or without an entry
    case RecordType::Enqueue:
    case RecordType::Dequeue:
    case RecordType::UserEvent:
    case RecordType::BeginUserEventPair:
    case RecordType::EndUserEventPair:
    case RecordType::UserEventPair:
    case RecordType::UserSupplied:
    case RecordType::MemoryUsage:
    case RecordType::EndPhase: return 2;
    case RecordType::MemoryMalloc:
    case RecordType::MemoryFree:
    case RecordType::SurrogateBlock: return 0;
    default: return 1;
    }
}

// Where field number `field` lies in `line`; empty at the end of a line that has fewer.
std::string_view fieldOf(std::string_view line, int field)
{
    const auto isBlank = [](char c) { return c == ' ' || c == '\n' || c == '\r'; };
    std::size_t begin = 0;
    while (true) {
        while (begin < line.size() && line[begin] == ' ') ++begin;
        std::size_t end = begin;
        while (end < line.size() && !isBlank(line[end])) ++end;
        if (field-- == 0 || end == begin) return line.substr(begin, end - begin);
        begin = end;
    }
}

std::string withField(std::string_view line, int field, std::int64_t value)
{
    const std::string_view old = fieldOf(line, field);
    const auto begin = static_cast<std::size_t>(old.data() - line.data());
    std::string changed(line.substr(0, begin));
    changed += std::to_string(value);
    changed += line.substr(begin + old.size());
    return changed;
}

}  // namespace

std::string lineOf(const LogRecord& record, const RecordLayout& layout, std::span<const char> raw)
{
    Line line(record.type);
    switch (record.type) {
    case RecordType::Creation:
    case RecordType::CreationBroadcast:
    case RecordType::CreationMulticast: creation(line, record, layout, raw); break;
    case RecordType::BeginProcessing: beginProcessing(line, record, layout); break;
    case RecordType::EndProcessing: endProcessing(line, record, layout); break;
    case RecordType::Enqueue:
    case RecordType::Dequeue:
        line.number(record.messageType).time(record.time).number(record.event).number(record.pe);
        break;
    case RecordType::MessageReceive:
        line.number(record.messageType).number(record.entry).time(record.time).number(record.event).number(record.pe);
        line.number(record.bytes);
        break;
    case RecordType::UserEvent:
    case RecordType::BeginUserEventPair:
    case RecordType::EndUserEventPair:
    case RecordType::UserEventPair:
        line.number(record.entry).time(record.time).number(record.event).number(record.pe);
        if (record.type != RecordType::UserEvent) line.number(record.value);
        break;
    case RecordType::UserSupplied:
    case RecordType::MemoryUsage: line.number(record.value).time(record.time); break;
    case RecordType::UserSuppliedNote:
        line.time(record.time).number(static_cast<std::int64_t>(record.text.size())).text(record.text);
        break;
    case RecordType::BracketedNote:
        line.time(record.time).time(record.endTime).number(record.entry);
        line.number(static_cast<std::int64_t>(record.text.size())).text(record.text);
        break;
    case RecordType::EndPhase: line.number(record.entry).time(record.time); break;
    case RecordType::UserStat:
        line.time(record.time).real(record.userTime).real(record.number).number(record.pe).number(record.entry);
        break;
    case RecordType::BeginInterrupt:
    case RecordType::EndInterrupt: line.time(record.time).number(record.event).number(record.pe); break;
    case RecordType::BeginComputation:
    case RecordType::EndComputation:
    case RecordType::BeginTrace:
    case RecordType::EndTrace: line.time(record.time); break;
    default: line.time(record.time).number(record.pe);
    }
    return line.end();
}

std::string withTime(std::string_view line, RecordType type, std::int64_t time)
{
    const int field = timeField(type, line);
    return field == 0 ? std::string(line) : withField(line, field, time);
}

std::string withTimes(std::string_view line, std::int64_t begin, std::int64_t end)
{
    return withField(withField(line, 1, begin), 2, end);
}

bool isBegin(RecordType type)
{
    switch (type) {
    case RecordType::BeginProcessing:
    case RecordType::BeginInterrupt:
    case RecordType::EndTrace:
    case RecordType::BeginIdle:
    case RecordType::BeginPack:
    case RecordType::BeginUnpack:
    case RecordType::BeginFunction:
    case RecordType::BeginUserEventPair: return true;
    default: return false;
    }
}

RecordType endOf(RecordType begin)
{
    if (begin == RecordType::EndTrace) return RecordType::BeginTrace;
    return static_cast<RecordType>(static_cast<int>(begin) + 1);
}

std::string endLine(std::string_view line, RecordType begin, const RecordLayout& layout, std::int64_t time)
{
    if (begin == RecordType::BeginProcessing) {
        LogRecord record;
        if (decodeText(line.substr(0, line.size() - 1), layout, record) != Decoded::Record) return {};
        record.type = RecordType::EndProcessing;
        record.time = time * 1000;
        record.messageType = 0;
        record.bytes = 0;
        Line end(record.type);
        endProcessing(end, record, layout);
        return end.end();
    }
    if (begin == RecordType::BeginFunction) {
        Line end(endOf(begin));
        std::int64_t function = 0;
        const std::string_view number = fieldOf(line, 2);
        std::from_chars(number.data(), number.data() + number.size(), function);
        return end.number(time).number(function).end();
    }
    return withField(withTime(line, begin, time), 0, static_cast<std::int64_t>(endOf(begin)));
}

std::string pairLines(const PairLines& pair, std::int64_t begin, std::int64_t end)
{
    std::string lines;
    for (const std::int64_t time : {begin, end}) {
        Line line(RecordType::UserEventPair);
        line.number(pair.userEvent).number(time).number(pair.event).number(pair.pe).number(pair.nestedId);
        lines += line.end();
    }
    return lines;
}

}  // namespace longpole
