// SPDX-License-Identifier: GPL-3.0-or-later
// Intervals as columns of variable-length numbers, which zstd makes smaller.
#include "distributed/algorithms/intervals.h"

#include "core/file/codec.h"

#include <algorithm>
#include <cstring>
#include <queue>
#include <tuple>
#include <utility>

namespace longpole {

namespace {

constexpr std::size_t mostDecoded = std::size_t{1} << 33;

class ColumnWriter {
public:
    void number(std::uint64_t value)
    {
        for (; value >= 128; value >>= 7u) m_bytes.push_back(static_cast<char>(value | 128u));
        m_bytes.push_back(static_cast<char>(value));
    }
    void difference(std::int64_t value)
    {
        number((static_cast<std::uint64_t>(value) << 1u) ^ static_cast<std::uint64_t>(value >> 63));
    }
    // Values that repeat: each with how often.
    template <typename Of>
    void runs(const std::vector<CodeInterval>& intervals, Of of)
    {
        for (std::size_t i = 0; i < intervals.size();) {
            std::size_t last = i + 1;
            while (last < intervals.size() && of(intervals[last]) == of(intervals[i])) ++last;
            number(of(intervals[i]));
            number(last - i);
            i = last;
        }
    }
    const std::vector<char>& bytes() const { return m_bytes; }

private:
    std::vector<char> m_bytes;
};

class ColumnReader {
public:
    explicit ColumnReader(std::span<const std::uint8_t> bytes) : m_bytes(bytes) {}
    std::uint64_t number()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (m_at == m_bytes.size()) break;
            const std::uint8_t byte = m_bytes[m_at++];
            value |= static_cast<std::uint64_t>(byte & 127u) << shift;
            if (byte < 128) return value;
        }
        m_isRight = false;
        return 0;
    }
    std::int64_t difference()
    {
        const std::uint64_t value = number();
        return static_cast<std::int64_t>((value >> 1u) ^ (~(value & 1u) + 1));
    }
    template <typename Set>
    void runs(std::vector<CodeInterval>& intervals, Set set)
    {
        for (std::size_t i = 0; i < intervals.size() && m_isRight;) {
            const std::uint64_t value = number();
            const std::uint64_t length = number();
            if (length == 0 || length > intervals.size() - i) m_isRight = false;
            for (std::uint64_t k = 0; k < length && m_isRight; ++k) set(intervals[i++], value);
        }
    }
    bool isRight() const { return m_isRight; }
    bool isAtEnd() const { return m_isRight && m_at == m_bytes.size(); }

private:
    std::span<const std::uint8_t> m_bytes;
    std::size_t m_at = 0;
    bool m_isRight = true;
};

std::optional<std::vector<CodeInterval>> fromColumns(std::span<const std::uint8_t> bytes)
{
    ColumnReader reader(bytes);
    const std::uint64_t count = reader.number();
    if (count > bytes.size()) return {};  // each has more than a byte
    std::vector<CodeInterval> intervals(count);
    reader.runs(intervals,
                [](CodeInterval& one, std::uint64_t value) { one.rank = static_cast<std::uint32_t>(value); });
    reader.runs(intervals,
                [](CodeInterval& one, std::uint64_t value) { one.call = static_cast<std::uint32_t>(value); });
    std::uint64_t begin = 0;
    std::uint64_t number = 0;
    for (CodeInterval& one : intervals) {
        one.begin = static_cast<TimeNs>(begin += static_cast<std::uint64_t>(reader.difference()));
        one.length = static_cast<TimeNs>(reader.number());
        one.number = static_cast<std::uint32_t>(number += static_cast<std::uint64_t>(reader.difference()));
    }
    return reader.isAtEnd() ? std::optional(std::move(intervals)) : std::nullopt;
}

}  // namespace

bool isBefore(const CodeInterval& a, const CodeInterval& b)
{
    return std::tie(a.begin, a.rank, a.number) < std::tie(b.begin, b.rank, b.number);
}

const CodeInterval& longerOf(const CodeInterval& a, const CodeInterval& b)
{
    if (a.length != b.length) return a.length > b.length ? a : b;
    return isBefore(b, a) ? b : a;
}

std::vector<CodeInterval> intervalsOf(const LossGraph& graph, TimeNs threshold)
{
    std::vector<CodeInterval> intervals;
    for (std::size_t node = 0; node < graph.size(); ++node)
        if (graph.work[node] > 0 && graph.work[node] >= threshold)
            intervals.push_back({.begin = graph.begin[node],
                                 .length = graph.work[node],
                                 .rank = rankOf(graph.id[node]),
                                 .number = numberOf(graph.id[node]),
                                 .call = graph.call[node]});
    std::sort(intervals.begin(), intervals.end(), isBefore);
    return intervals;
}

Payload encodeIntervals(const std::vector<CodeInterval>& intervals, Compression compression)
{
    const auto asBytes = [](const void* data, std::size_t size) {
        Payload bytes(size);
        if (size > 0) std::memcpy(bytes.data(), data, size);
        return bytes;
    };
    if (compression == Compression::Off) return asBytes(intervals.data(), intervals.size() * sizeof(CodeInterval));
    ColumnWriter writer;
    writer.number(intervals.size());
    writer.runs(intervals, [](const CodeInterval& one) { return one.rank; });
    writer.runs(intervals, [](const CodeInterval& one) { return one.call; });
    std::uint64_t begin = 0;
    std::uint64_t number = 0;
    for (const CodeInterval& one : intervals) {
        writer.difference(static_cast<std::int64_t>(static_cast<std::uint64_t>(one.begin) - begin));
        writer.number(static_cast<std::uint64_t>(one.length));
        writer.difference(static_cast<std::int64_t>(one.number - number));
        begin = static_cast<std::uint64_t>(one.begin);
        number = one.number;
    }
    const std::vector<char> packed = compress(writer.bytes(), compression == Compression::Least ? 1 : 19);
    return asBytes(packed.data(), packed.size());
}

std::optional<std::vector<CodeInterval>> decodeIntervals(const Payload& bytes, Compression compression)
{
    if (compression != Compression::Off) {
        const std::span<const char> packed(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        const std::span<const std::uint8_t> columns = decompress(packed, mostDecoded);
        return columns.empty() ? std::nullopt : fromColumns(columns);
    }
    if (bytes.size() % sizeof(CodeInterval) != 0) return {};
    std::vector<CodeInterval> intervals(bytes.size() / sizeof(CodeInterval));
    if (!bytes.empty()) std::memcpy(intervals.data(), bytes.data(), bytes.size());
    return intervals;
}

std::vector<CodeInterval> mergeIntervals(const std::vector<std::vector<CodeInterval>>& lists)
{
    struct Head {
        const CodeInterval* first;
        const CodeInterval* last;
    };
    const auto comesLater = [](const Head& a, const Head& b) { return isBefore(*b.first, *a.first); };
    std::priority_queue<Head, std::vector<Head>, decltype(comesLater)> heads(comesLater);
    std::size_t all = 0;
    for (const std::vector<CodeInterval>& list : lists) {
        all += list.size();
        if (!list.empty()) heads.push({list.data(), list.data() + list.size()});
    }
    std::vector<CodeInterval> merged;
    merged.reserve(all);
    while (!heads.empty()) {
        Head head = heads.top();
        heads.pop();
        merged.push_back(*head.first++);
        if (head.first != head.last) heads.push(head);
    }
    return merged;
}

}  // namespace longpole
