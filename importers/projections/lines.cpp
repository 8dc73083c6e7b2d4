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

// Counts the bytes of a binary multicast before its last field, which is the PEs that it went to.
class BytesBeforePes {
public:
    explicit BytesBeforePes(const RecordLayout& layout) : m_layout(layout) {}
    std::size_t bytes() const { return m_bytes; }

    template <LogField kind>
    bool field()
    {
        if (kind != LogField::DestinationPes && hasField(kind, m_layout)) m_bytes += sizeof(StoredAs<kind>);
        return kind != LogField::DestinationPes;
    }

private:
    const RecordLayout& m_layout;
    std::size_t m_bytes = 1;  // the type's
};

// Writes a record's fields.
class LineWalk {
public:
    // `raw`: the record's bytes in a binary log.
    LineWalk(Line& line, const LogRecord& record, const RecordLayout& layout, std::span<const char> raw)
        : m_line(line), m_record(record), m_layout(layout), m_raw(raw)
    {
    }

    template <LogField kind>
    bool field()
    {
        using enum LogField;
        if (!hasField(kind, m_layout)) return true;
        if constexpr (isTime(kind)) m_line.time(valueOf<kind>(m_record));
        else if constexpr (kind == ObjectIndex) {
            for (std::size_t i = 0; i < m_record.indices; ++i) m_line.number(m_record.index[i]);
        } else if constexpr (kind == Papi) {
            for (std::uint32_t i = 0; i < m_layout.papiCounters; ++i)
                m_line.number(i < m_record.papiValues ? m_record.papi[i] : 0);
        } else if constexpr (kind == UserTime || kind == Statistic) m_line.real(valueOf<kind>(m_record));
        else if constexpr (kind == Text)
            m_line.number(static_cast<std::int64_t>(m_record.text.size())).text(m_record.text);
        else if constexpr (kind == DestinationPes) multicastPes();
        else if constexpr (kind == NestedId) {
            if (m_record.type != RecordType::UserEvent) m_line.number(m_record.value);
        } else if constexpr (kind != SingleDestination && kind != NoTime) m_line.number(valueOf<kind>(m_record));
        return true;
    }

private:
    // The PEs are the last bytes; from 7.0 on their number stands before them a second time.
    void multicastPes()
    {
        BytesBeforePes head(m_layout);
        walkRecord(m_record.type, head);
        const std::size_t list = static_cast<std::size_t>(m_record.value) * sizeof(std::int32_t);
        if (m_record.value < 0 || m_raw.size() < head.bytes() + list + 1) return;
        if (m_raw.size() >= head.bytes() + sizeof(std::uint64_t) + list + 1) m_line.number(m_record.value);
        ByteReader reader(m_raw.subspan(m_raw.size() - 1 - list, list));
        std::int32_t pe = 0;
        while (reader.read(pe)) m_line.number(pe);
    }

    Line& m_line;
    const LogRecord& m_record;
    const RecordLayout& m_layout;
    std::span<const char> m_raw;
};

std::string written(const LogRecord& record, const RecordLayout& layout, std::span<const char> raw)
{
    Line line(record.type);
    LineWalk walk(line, record, layout, raw);
    walkRecord(record.type, walk);
    return line.end();
}

// Counts the fields of a line up to its time.
class PlaceOfTime {
public:
    explicit PlaceOfTime(bool hasQueuedEntry) : m_hasQueuedEntry(hasQueuedEntry) {}
    int place() const { return m_place; }

    template <LogField kind>
    bool field()
    {
        if (kind == LogField::NoTime) return false;
        if (kind != LogField::QueuedEntry || m_hasQueuedEntry) ++m_place;
        return kind != LogField::Time;
    }

private:
    bool m_hasQueuedEntry;
    int m_place = 0;
};

// The field of a line that holds its time, counted from the type, which is 0; 0 if it has none.
int timeField(RecordType type, std::string_view line)
{
    PlaceOfTime time(std::count(line.begin(), line.end(), ' ') >= 6);
    walkRecord(type, time);
    return time.place();
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
    return written(record, layout, raw);
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
        return written(record, layout, {});
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
