// SPDX-License-Identifier: GPL-3.0-or-later
// Decoding a line of a text log: decimal integers separated by blanks, read straight from the inflated buffer.
#include "importers/projections/records.h"

#include <charconv>
#include <limits>

namespace longpole {
namespace {

// Walks over a line that ends with a character that is neither blank nor digit, so no bound is checked per character.
class TextFields {
public:
    TextFields(const char* position, const char* end) : m_position(position), m_end(end) {}

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

// Reads a line's fields into a record.
class TextWalk {
public:
    TextWalk(TextFields fields, const RecordLayout& layout, LogRecord& record)
        : m_fields(fields), m_layout(layout), m_record(record)
    {
    }

    template <LogField kind>
    bool field()
    {
        using enum LogField;
        if constexpr (kind == Entry) return number(0xffff, Decoded::EntryOutOfRange);
        else if constexpr (kind == Number || kind == NoteNumber) return number(0xfffffff, Decoded::NumberOutOfRange);
        else if constexpr (isTime(kind)) return readTime<kind>(m_fields, m_layout, m_record);
        else if constexpr (kind == ObjectIndex) return objectIndex();
        else if constexpr (kind == Papi) return papi();
        else if constexpr (kind == Text) return note(m_fields.rest(), m_record.text);
        else if constexpr (kind == QueuedEntry) return queuedEntry();
        else if constexpr (kind == DestinationPes || kind == QueuedBytes || kind == OwnEvent || kind == OwnPe)
            return true;
        else if constexpr (kind == SingleDestination) m_record.value = 1;
        else if constexpr (kind == NoTime) m_record.time = noTime;
        else if constexpr (kind == NestedId) {
            if (!m_fields.next(m_record.value)) m_record.value = 0;  // not in 6.7 and before
        } else {
            if (hasField(kind, m_layout)) return m_fields.next(valueOf<kind>(m_record));
            valueOf<kind>(m_record) = 0;
        }
        return true;
    }

    // Of a record that was read.
    Decoded outcome() const { return m_outcome; }

private:
    bool number(std::int64_t most, Decoded outOfRange)
    {
        std::int64_t value = 0;
        if (!m_fields.next(value)) return false;
        const bool isInRange = value >= 0 && value <= most;
        m_record.entry = isInRange ? static_cast<std::uint32_t>(value) : 0xffffffffu;
        if (!isInRange) m_outcome = outOfRange;
        return true;
    }

    // The number of integers is known by version, else by the chare; if it is not known, what the line has before the
    // CPU time.
    bool objectIndex()
    {
        m_record.indices = 0;
        if (!m_layout.hasIndex) return true;
        int indices = m_layout.fixedIndices;
        if (indices == 0 && m_record.entry < m_layout.indices.size()) indices = m_layout.indices[m_record.entry];
        if (indices == 0) indices = m_fields.count() - 1 - static_cast<int>(m_layout.papiCounters);
        if (indices < 0 || indices > 6) return false;
        for (int i = 0; i < indices; ++i) {
            if (!m_fields.next(m_record.index[static_cast<std::size_t>(i)])) return false;
        }
        m_record.indices = static_cast<std::uint8_t>(indices);
        return true;
    }

    bool papi()
    {
        m_record.papiValues = 0;
        for (std::uint32_t i = 0; i < m_layout.papiCounters; ++i) {
            if (!m_fields.next(m_record.papi[i])) return false;
            ++m_record.papiValues;
        }
        return true;
    }

    bool queuedEntry()
    {
        std::int64_t entry = 0;
        return m_fields.count() < 5 || m_fields.next(entry);
    }

    TextFields m_fields;
    const RecordLayout& m_layout;
    LogRecord& m_record;
    Decoded m_outcome = Decoded::Record;
};

}  // namespace

Decoded decodeText(std::string_view line, const RecordLayout& layout, LogRecord& record)
{
    TextFields fields(line.data(), line.data() + line.size());
    std::int64_t type = 0;
    if (!fields.next(type)) return Decoded::Malformed;
    if (type < 0 || type >= static_cast<std::int64_t>(recordTypes)) return Decoded::Unknown;
    if (recordName(static_cast<std::uint8_t>(type)) == nullptr) return Decoded::Unknown;
    record.type = static_cast<RecordType>(type);
    TextWalk walk(fields, layout, record);
    return walkRecord(record.type, walk) ? walk.outcome() : Decoded::Malformed;
}

}  // namespace longpole
