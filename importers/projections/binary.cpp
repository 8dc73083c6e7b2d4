// SPDX-License-Identifier: GPL-3.0-or-later
// Decoding a record of a +binary-trace log: the text's fields in the writer's native sizes, a line feed after each.
#include "importers/common/bytereader.h"
#include "importers/projections/records.h"

#include <limits>

namespace longpole {
namespace {

class BinaryFields {
public:
    explicit BinaryFields(std::span<const char> bytes) : m_reader(bytes) {}

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
    // Reads a length, in any of the widths that writers have used, then the text.
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

// Skips the PEs of a multicast, which follow their number. From 7.0 on a second count, 8 bytes wide, stands before
// them; the line feed after them tells the two forms apart. False if the bytes end too early to know.
bool multicastPes(BinaryFields& fields, const LogRecord& record)
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

// Reads a record's fields from its bytes.
class BinaryWalk {
public:
    BinaryWalk(BinaryFields& fields, const RecordLayout& layout, LogRecord& record)
        : m_fields(fields), m_layout(layout), m_record(record)
    {
    }

    template <LogField kind>
    bool field()
    {
        using enum LogField;
        if constexpr (isTime(kind)) return readTime<kind>(m_fields, m_layout, m_record);
        else if constexpr (kind == ObjectIndex) return !m_layout.hasIndex || objectIndex();
        else if constexpr (kind == Papi) return papi();
        else if constexpr (kind == Text) return m_fields.nextText(m_record.text);
        else if constexpr (kind == DestinationPes) return multicastPes(m_fields, m_record);
        else if constexpr (kind == SingleDestination) m_record.value = 1;
        else if constexpr (kind == NestedId) {
            m_record.value = 0;
            const bool isThere = m_record.type != RecordType::UserEvent && m_layout.version >= 8.0;
            return !isThere || m_fields.next<std::int32_t>(m_record.value);
        } else if constexpr (kind != NoTime) {
            if (hasField(kind, m_layout)) return m_fields.next<StoredAs<kind>>(valueOf<kind>(m_record));
            valueOf<kind>(m_record) = 0;
        }
        return true;
    }

private:
    bool papi()
    {
        m_record.papiValues = 0;
        for (std::uint32_t i = 0; i < m_layout.papiCounters; ++i) {
            if (!m_fields.next<std::int64_t>(m_record.papi[i])) return false;
            ++m_record.papiValues;
        }
        return true;
    }

    bool objectIndex()
    {
        std::uint8_t indices = m_layout.fixedIndices;
        const bool isKnown = m_record.entry < m_layout.indices.size();
        if (indices == 0 && isKnown) indices = m_layout.indices[m_record.entry];
        if (indices == 0) indices = 4;
        // Arrays of four and more dimensions keep 16 bits of each; objects without dimensions have four full integers.
        const bool isShort = m_layout.fixedIndices == 0 && indices >= 4 && isKnown
                             && m_layout.isShortIndex[m_record.entry];
        m_record.index = {};
        for (std::size_t i = 0; i < indices; ++i) {
            const bool isRead = isShort ? m_fields.next<std::int16_t>(m_record.index[i])
                                        : m_fields.next<std::int32_t>(m_record.index[i]);
            if (!isRead) return false;
        }
        m_record.indices = indices;
        return true;
    }

    BinaryFields& m_fields;
    const RecordLayout& m_layout;
    LogRecord& m_record;
};

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
    BinaryFields fields(bytes);
    std::uint8_t type = 0;
    if (!fields.next<std::uint8_t>(type)) return Decoded::More;
    if (!isWritten(type)) return Decoded::Malformed;
    record.type = static_cast<RecordType>(type);
    char lineFeed = 0;
    BinaryWalk walk(fields, layout, record);
    if (!walkRecord(record.type, walk) || !fields.next<char>(lineFeed)) return Decoded::More;
    if (lineFeed != '\n') return Decoded::Malformed;
    used = fields.reader().position();
    return record.type == RecordType::BracketedNote && record.entry > 0xfffffff ? Decoded::NumberOutOfRange
                                                                                : Decoded::Record;
}

}  // namespace longpole
