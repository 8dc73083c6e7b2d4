// SPDX-License-Identifier: GPL-3.0-or-later
// Turns a chunk's columns back into records: the inverse of recorder/storage/columns.c. Nothing in the bytes is
// trusted.
#include "core/file/codec.h"
#include "importers/recording/file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace longpole {
namespace {

using Counts = std::array<std::size_t, LP_COLUMNS>;

// Values of one column, decoded when it is met.
struct Column {
    std::vector<std::uint64_t> values;
    std::size_t next = 0;

    std::uint64_t take() { return values[next++]; }
};

std::int64_t unzigzag(std::uint64_t code) { return static_cast<std::int64_t>((code >> 1) ^ (0 - (code & 1))); }
std::int32_t unzigzag32(std::uint64_t code) { return static_cast<std::int32_t>(unzigzag(code)); }

// How many values each column has, by the records' types; nothing if a type is unknown or the records are not
// `rawLength` bytes long.
std::optional<Counts> countValues(std::span<const std::uint8_t> types, const RecordedChunk& chunk)
{
    std::array<std::size_t, 256> of{};
    for (const std::uint8_t type : types) ++of[type];
    std::uint64_t length = 0;
    for (unsigned type = 0; type < 256; ++type) {
        if (of[type] == 0) continue;
        if (lp_record_size(type) == 0) return std::nullopt;
        length += of[type] * lp_record_size(type);
    }
    if (length != chunk.rawLength) return std::nullopt;
    const std::size_t first = of[LP_CALL_RECORD] + of[LP_CALL2_RECORD];
    const std::size_t joined = of[LP_JOINED_RECORD] + of[LP_JOINED2_RECORD];
    const std::size_t regions = of[LP_ENTER_RECORD] + of[LP_LEAVE_RECORD] + of[LP_SWITCH_RECORD];
    std::size_t completions = 0;
    std::size_t carrying = 0;
    for (unsigned type = LP_FIRST_COMPLETION; type < LP_RECORD_TYPES; ++type) {
        completions += of[type];
        if (lp_carries_message(type)) carrying += of[type];
    }
    Counts counts{};
    const std::size_t own = of[LP_OWN_RECORD] + of[LP_POLLING_RECORD];  // with a begin and an end
    const std::size_t machine = of[LP_MACHINE_RECORD];
    counts[LP_TIME] = first + (chunk.hasJoinedTimes ? joined : 0) + regions + of[LP_POLLS_RECORD] + own + machine;
    counts[LP_DURATION] = first + joined + own;
    counts[LP_CALL_ID] = first + joined + own + of[LP_POLLS_RECORD] + machine;
    counts[LP_CORE_TIMES] = counts[LP_CORE_SWITCHES] = 2 * machine;
    for (const unsigned column : {LP_COMM_OF, LP_PEER, LP_TAG, LP_BYTES, LP_REQUEST}) counts[column] = first + joined;
    counts[LP_STACK_OF] = first + joined + of[LP_POLLING_RECORD];
    for (const unsigned column : {LP_PEER2, LP_TAG2, LP_BYTES2})
        counts[column] = of[LP_CALL2_RECORD] + of[LP_JOINED2_RECORD];
    counts[LP_DONE_REQUEST] = completions;
    for (const unsigned column : {LP_DONE_COMM, LP_DONE_PEER, LP_DONE_TAG, LP_DONE_BYTES}) counts[column] = carrying;
    counts[LP_REGION_OF] = regions + of[LP_POLLING_RECORD];
    counts[LP_VALUE] = of[LP_POLLS_RECORD] + of[LP_POLLING_RECORD];
    return counts;
}

template <unsigned width>
void joinPlanes(const std::uint8_t* planes, std::size_t count, std::uint64_t* out)
{
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t value = 0;
        for (unsigned plane = 0; plane < width; ++plane)
            value |= static_cast<std::uint64_t>(planes[plane * count + i]) << (8 * plane);
        out[i] = value;
    }
}

void joinPlanes(unsigned width, const std::uint8_t* planes, std::size_t count, std::uint64_t* out)
{
    switch (width) {
    case 1: return joinPlanes<1>(planes, count, out);
    case 2: return joinPlanes<2>(planes, count, out);
    case 3: return joinPlanes<3>(planes, count, out);
    case 4: return joinPlanes<4>(planes, count, out);
    case 5: return joinPlanes<5>(planes, count, out);
    case 6: return joinPlanes<6>(planes, count, out);
    case 7: return joinPlanes<7>(planes, count, out);
    case 8: return joinPlanes<8>(planes, count, out);
    default: std::fill_n(out, count, 0);
    }
}

// Puts a chunk's records together again.
class Unpacking {
public:
    bool readColumns(std::span<const std::uint8_t> bytes, const RecordedChunk& chunk)
    {
        if (chunk.records > bytes.size()) return false;
        m_types = bytes.first(chunk.records);
        m_hasJoinedTimes = chunk.hasJoinedTimes;
        bytes = bytes.subspan(chunk.records);
        const std::optional<Counts> counts = countValues(m_types, chunk);
        if (!counts) return false;
        for (std::size_t c = 0; c < chunk.columns; ++c) {
            const std::size_t count = (*counts)[c];
            if (bytes.empty() || bytes[0] > 8) return false;
            const unsigned width = bytes[0];
            bytes = bytes.subspan(1);
            if (width > 0 && bytes.size() / width < count) return false;
            Column& column = m_columns[c];
            column.next = 0;
            if (column.values.size() < count) column.values.resize(count);
            joinPlanes(width, bytes.data(), count, column.values.data());
            bytes = bytes.subspan(width * count);
        }
        for (std::size_t c = chunk.columns; c < LP_COLUMNS; ++c) {  // of a version that did not have them
            m_columns[c].next = 0;
            m_columns[c].values.assign((*counts)[c], 0);
        }
        return bytes.empty();
    }

    void write(char* out)
    {
        m_time = 0;
        m_started = 0;
        m_done = 0;
        m_polls = 0;
        for (const std::uint8_t type : m_types) {
            writeRecord(type, out);
            out += lp_record_size(type);
        }
    }

private:
    template <typename Record>
    static void put(char* out, const Record& record)
    {
        std::memcpy(out, &record, sizeof record);
    }

    std::uint64_t take(lp_column column) { return m_columns[column].take(); }
    std::int64_t takeSigned(lp_column column) { return unzigzag(take(column)); }
    std::int32_t takeRank(lp_column column)
    {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(take(column)) - 1);
    }
    std::int64_t advance(lp_column column)
    {
        m_time = static_cast<std::int64_t>(static_cast<std::uint64_t>(m_time)
                                           + static_cast<std::uint64_t>(takeSigned(column)));
        return m_time;
    }

    lp_call_record call(std::uint8_t type)
    {
        lp_call_record record{};
        record.type = type;
        const bool isJoined = type == LP_JOINED_RECORD || type == LP_JOINED2_RECORD;
        record.begin = isJoined && !m_hasJoinedTimes ? m_time : advance(LP_TIME);
        record.end = advance(LP_DURATION);
        record.call = static_cast<std::uint16_t>(take(LP_CALL_ID));
        record.comm = static_cast<std::uint32_t>(take(LP_COMM_OF)) - 1;
        record.peer = takeRank(LP_PEER);
        record.tag = unzigzag32(take(LP_TAG));
        record.bytes = takeSigned(LP_BYTES);
        record.stack = static_cast<std::uint32_t>(take(LP_STACK_OF));
        const std::uint64_t request = take(LP_REQUEST);
        if (request != 0) record.request = m_started += static_cast<std::uint32_t>(unzigzag32(request - 1));
        return record;
    }

    lp_completion_record completion(std::uint8_t type)
    {
        lp_completion_record record{};
        record.type = type;
        m_done += static_cast<std::uint64_t>(takeSigned(LP_DONE_REQUEST));
        record.request = static_cast<std::uint32_t>(m_done);
        record.comm = 0xffffffffu;
        record.peer = -1;
        if (lp_carries_message(type)) {
            record.comm = static_cast<std::uint32_t>(take(LP_DONE_COMM)) - 1;
            record.peer = takeRank(LP_DONE_PEER);
            record.tag = unzigzag32(take(LP_DONE_TAG));
            record.bytes = takeSigned(LP_DONE_BYTES);
        }
        return record;
    }

    void writeRecord(std::uint8_t type, char* out)
    {
        if (type >= LP_FIRST_COMPLETION) return put(out, completion(type));
        switch (type) {
        case LP_CALL_RECORD:
        case LP_JOINED_RECORD: return put(out, call(type));
        case LP_CALL2_RECORD:
        case LP_JOINED2_RECORD: {
            lp_call2_record record{};
            record.call = call(type);
            record.peer2 = takeRank(LP_PEER2);
            record.tag2 = unzigzag32(take(LP_TAG2));
            record.bytes2 = takeSigned(LP_BYTES2);
            return put(out, record);
        }
        case LP_POLLS_RECORD: return put(out, polls());
        case LP_POLLING_RECORD: return put(out, polling());
        case LP_OWN_RECORD: return put(out, own());
        case LP_MACHINE_RECORD: return put(out, machine());
        default: {
            lp_region_record record{};
            record.type = type;
            record.time = advance(LP_TIME);
            record.region = static_cast<std::uint32_t>(take(LP_REGION_OF));
            return put(out, record);
        }
        }
    }

    lp_polls_record polls()
    {
        lp_polls_record record{};
        record.type = LP_POLLS_RECORD;
        record.time = advance(LP_TIME);
        record.call = static_cast<std::uint16_t>(take(LP_CALL_ID));
        m_polls += static_cast<std::uint64_t>(takeSigned(LP_VALUE));
        record.count = static_cast<std::int64_t>(m_polls);
        return record;
    }

    lp_polling_record polling()
    {
        lp_polling_record record{};
        record.type = LP_POLLING_RECORD;
        record.begin = advance(LP_TIME);
        record.end = advance(LP_DURATION);
        record.call = static_cast<std::uint16_t>(take(LP_CALL_ID));
        record.is_ended = static_cast<std::uint8_t>(take(LP_REGION_OF));
        m_polls += static_cast<std::uint64_t>(takeSigned(LP_VALUE));
        record.count = static_cast<std::uint32_t>(m_polls);
        record.stack = static_cast<std::uint32_t>(take(LP_STACK_OF));
        return record;
    }

    lp_own_record own()
    {
        lp_own_record record{};
        record.type = LP_OWN_RECORD;
        record.begin = advance(LP_TIME);
        record.end = advance(LP_DURATION);
        record.work = static_cast<std::uint16_t>(take(LP_CALL_ID));
        return record;
    }

    lp_machine_record machine()
    {
        lp_machine_record record{};
        record.type = LP_MACHINE_RECORD;
        record.time = advance(LP_TIME);
        record.core = static_cast<std::uint16_t>(take(LP_CALL_ID));
        record.cpu = takeSigned(LP_CORE_TIMES);
        record.without = takeSigned(LP_CORE_TIMES);
        record.taken = static_cast<std::uint32_t>(take(LP_CORE_SWITCHES));
        record.given = static_cast<std::uint32_t>(take(LP_CORE_SWITCHES));
        return record;
    }

    std::span<const std::uint8_t> m_types;
    std::array<Column, LP_COLUMNS> m_columns;
    bool m_hasJoinedTimes = true;
    std::int64_t m_time = 0;
    std::uint32_t m_started = 0;
    std::uint64_t m_done = 0;
    std::uint64_t m_polls = 0;
};

}  // namespace

bool readRecords(const RecordingBytes& bytes, const RecordedChunk& chunk, std::vector<char>& records)
{
    constexpr std::uint64_t mostOfHeads = LP_COLUMNS;
    constexpr std::uint64_t mostRaw = 16 << 20;  // of a chunk, and more only if its bytes are many too
    constexpr std::uint64_t mostRatio = 200;
    if (chunk.length > LP_LARGEST_BUFFER + mostOfHeads) return false;
    thread_local std::vector<char> stored;
    std::vector<char>& target = chunk.coding == LP_CODING_RAW ? records : stored;
    target.resize(chunk.length);
    if (!bytes.read(chunk.offset, target)) return false;
    if (chunk.coding == LP_CODING_RAW) return chunk.length == chunk.rawLength;
    std::span<const std::uint8_t> columns(reinterpret_cast<const std::uint8_t*>(stored.data()), stored.size());
    if (chunk.rawLength > mostRaw + mostRatio * chunk.length) return false;
    if (chunk.coding == LP_CODING_ZSTD) columns = decompress(stored, chunk.rawLength + mostOfHeads);
    thread_local Unpacking unpacking;
    if (!unpacking.readColumns(columns, chunk)) return false;
    records.resize(chunk.rawLength);
    unpacking.write(records.data());
    return true;
}

}  // namespace longpole
