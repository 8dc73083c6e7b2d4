// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/columnlimits.h"

#include "core/base/timelimits.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <tuple>

namespace longpole {
namespace {

constexpr std::int64_t largestId = 0xffffffff;  // "none" where a column has no -1 for it
constexpr std::int64_t largestRank = 0x7fffffff;

enum class Bound : std::uint8_t { Number, OwnTasks, AnyTasks, OwnRows, RowsAbove, TimeOrNone };

// A column whose values lie in [least, most], where `most` may be a number of rows.
struct ColumnLimit {
    std::uint8_t column;
    std::int64_t least;
    std::int64_t most;
    Bound bound = Bound::Number;
};

std::initializer_list<ColumnLimit> limitsOf(ChunkKind kind)
{
    static constexpr std::int64_t unbounded = maxTime;
    // Of a column of differences that may be negative.
    static constexpr auto difference = [](std::uint8_t column, Bound bound = Bound::Number) {
        return ColumnLimit{column, -longestTime, longestTime, bound};
    };
    static constexpr std::initializer_list<ColumnLimit> task = {{TaskColumn::Nested, 0, unbounded},
                                                                {TaskColumn::Entry, 0, largestId},
                                                                {TaskColumn::Outer, 0, 0, Bound::RowsAbove},
                                                                difference(TaskColumn::Received, Bound::TimeOrNone),
                                                                difference(TaskColumn::Cpu)};
    static constexpr std::initializer_list<ColumnLimit> source = {{TaskSourceColumn::Link, 0,
                                                                   std::int64_t(Link::Rendezvous)},
                                                                  {TaskSourceColumn::SourcePe, -1, largestId},
                                                                  {TaskSourceColumn::SourceIndex, -1, largestId},
                                                                  {TaskSourceColumn::MessageIndex, -1, largestId},
                                                                  {TaskSourceColumn::CreatorPe, -1, largestId},
                                                                  difference(TaskSourceColumn::Offset),
                                                                  difference(TaskSourceColumn::Latency)};
    static constexpr std::initializer_list<ColumnLimit> piece = {{PieceColumn::Task, 0, -1, Bound::OwnTasks}};
    static constexpr std::initializer_list<ColumnLimit> message = {{MessageColumn::Task, -1, -1, Bound::OwnTasks},
                                                                   {MessageColumn::Entry, 0, largestId},
                                                                   {MessageColumn::Kind, 0,
                                                                    std::int64_t(MessageKind::Multicast)},
                                                                   difference(MessageColumn::Offset),
                                                                   difference(MessageColumn::Duration)};
    static constexpr std::initializer_list<ColumnLimit> interval = {{IntervalColumn::Depth, 0, 0, Bound::OwnRows},
                                                                    {IntervalColumn::Region, 0, largestId},
                                                                    difference(IntervalColumn::Nested)};
    static constexpr std::initializer_list<ColumnLimit> counter = {{CounterColumn::Region, 0, largestId}};
    static constexpr std::initializer_list<ColumnLimit> mark = {{MarkColumn::Region, 0, largestId}};
    static constexpr std::initializer_list<ColumnLimit> latency = {{LatencyColumn::SourcePe, 0, largestId},
                                                                   difference(LatencyColumn::Least)};
    static constexpr std::initializer_list<ColumnLimit> tile = {
        {TileColumn::Busy, 0, unbounded},     {TileColumn::Idle, 0, unbounded},   {TileColumn::Tasks, 0, unbounded},
        {TileColumn::Messages, 0, unbounded}, {TileColumn::Entry, -1, largestId}, {TileColumn::EntryTime, 0, unbounded},
        {TileColumn::Pack, 0, unbounded}};
    static constexpr std::initializer_list<ColumnLimit> call = {{MpiCallColumn::Region, 0, largestId},
                                                                {MpiCallColumn::Seq, -1, unbounded},
                                                                {MpiCallColumn::Comm, -1, largestId},
                                                                {MpiCallColumn::Peer, -1, largestRank},
                                                                {MpiCallColumn::WaitBefore, 0, unbounded},
                                                                {MpiCallColumn::Execution, 0, unbounded},
                                                                {MpiCallColumn::WaitAfter, 0, unbounded},
                                                                {MpiCallColumn::Severity, 0, unbounded},
                                                                {MpiCallColumn::Pattern, 0,
                                                                 std::int64_t(waitPatterns) - 1},
                                                                {MpiCallColumn::Culprit, -1, largestRank},
                                                                {MpiCallColumn::CulpritSeq, -1, unbounded},
                                                                {MpiCallColumn::Instance, -1, largestRank},
                                                                {MpiCallColumn::Task, -1, 0, Bound::AnyTasks},
                                                                {MpiCallColumn::Flags, 0, 0xffff},
                                                                {MpiCallColumn::Path, 0, largestId}};
    static constexpr std::initializer_list<ColumnLimit> merge = {{MergeColumn::Task, 0, -1, Bound::OwnTasks},
                                                                 {MergeColumn::SourcePe, 0, largestId},
                                                                 {MergeColumn::SourceIndex, -1, largestId},
                                                                 {MergeColumn::MessageIndex, -1, largestId},
                                                                 {MergeColumn::Link, 1, std::int64_t(Link::Rendezvous)},
                                                                 difference(MergeColumn::Offset)};
    static constexpr std::initializer_list<ColumnLimit> bin = {{EntryBinColumn::Entry, 0, largestId},
                                                               {EntryBinColumn::Time, 0, unbounded},
                                                               {EntryBinColumn::Tasks, 0, unbounded}};
    static constexpr std::initializer_list<ColumnLimit> delivery = {{DeliveryColumn::Task, -1, -1, Bound::OwnTasks},
                                                                    {DeliveryColumn::CreatorPe, 0, largestId},
                                                                    {DeliveryColumn::MessageIndex, -1, largestId},
                                                                    {DeliveryColumn::SourceIndex, -1, largestId},
                                                                    difference(DeliveryColumn::Latency)};
    static constexpr std::initializer_list<ColumnLimit> wait = {{ThreadWaitColumn::Region, 0, largestId},
                                                                {ThreadWaitColumn::Wait, 0, unbounded},
                                                                {ThreadWaitColumn::Pattern, 0,
                                                                 std::int64_t(waitPatterns) - 1},
                                                                {ThreadWaitColumn::Culprit, -1, largestId}};
    switch (kind) {
    case ChunkKind::Task: return task;
    case ChunkKind::TaskSource: return source;
    case ChunkKind::Piece: return piece;
    case ChunkKind::Message: return message;
    case ChunkKind::Interval: return interval;
    case ChunkKind::Counter: return counter;
    case ChunkKind::Mark: return mark;
    case ChunkKind::Latency: return latency;
    case ChunkKind::Tile: return tile;
    case ChunkKind::MpiCall: return call;
    case ChunkKind::Merge: return merge;
    case ChunkKind::EntryBin: return bin;
    case ChunkKind::Delivery: return delivery;
    case ChunkKind::ThreadWait: return wait;
    default: return {};
    }
}

#ifdef __x86_64__
template <typename Loop>
[[gnu::target("avx2")]] bool holdsWide(const Loop& loop)
{
    return loop();
}
#endif

// Whether the loop says so. The instructions that each x86-64 has cannot compare 64-bit numbers side by side.
template <typename Loop>
bool holds(const Loop& loop)
{
#ifdef __x86_64__
    static const bool isWide = __builtin_cpu_supports("avx2") != 0;
    if (isWide) return holdsWide(loop);
#endif
    return loop();
}

// By their signs alone, which are compared several at once.
bool areNotNegative(std::span<const std::int64_t> values)
{
    std::int64_t signs = 0;
    for (const std::int64_t value : values) signs |= value;
    return signs >= 0;
}

bool lieIn(std::span<const std::int64_t> values, std::int64_t least, std::int64_t most)
{
    if (least == 0 && most == maxTime) return areNotNegative(values);
    return holds([=]() __attribute__((always_inline)) {
        bool inside = true;
        for (const std::int64_t value : values) inside &= value >= least && value <= most;
        return inside;
    });
}

// minTime stands for "not known".
bool lieInOrAreNone(std::span<const std::int64_t> values, std::int64_t least, std::int64_t most)
{
    return holds([=]() __attribute__((always_inline)) {
        bool inside = true;
        for (const std::int64_t value : values) inside &= value == minTime || (value >= least && value <= most);
        return inside;
    });
}

// Rows back to another row: there is none before the first.
bool pointUp(const Chunk& chunk, std::size_t column)
{
    return holds([ values = std::span<const std::int64_t>(chunk.columns[column]), first = chunk.firstRow ]()
                     __attribute__((always_inline)) {
                         bool inside = true;
                         std::int64_t number = first;
                         for (const std::int64_t back : values) {
                             inside &= back >= 0 && back <= number;
                             ++number;
                         }
                         return inside;
                     });
}

// Directory and rows tell the same times: a range is answered from the directory alone. Nothing ends before it begins.
bool timesFit(const ChunkRef& ref, const Chunk& chunk)
{
    const ChunkSpec& spec = chunkSpec(ref.kind);
    if (spec.timeColumn < 0) return true;
    const auto& begins = chunk.columns[static_cast<std::size_t>(spec.timeColumn)];
    if (!lieIn(begins, ref.firstBegin, ref.lastBegin)) return false;
    if (spec.durationColumn < 0) return true;
    const auto& durations = chunk.columns[static_cast<std::size_t>(spec.durationColumn)];
    if (!lieIn(durations, 0, maxTime)) return false;
    if (begins.empty()) return true;
    return holds([ begin = begins.data(), duration = durations.data(), rows = durations.size(), last = ref.maxEnd ]()
                     __attribute__((always_inline)) {
                         bool inside = true;
                         for (std::size_t row = 0; row < rows; ++row) {
                             // A sum that is too large comes out below its parts.
                             const auto end = static_cast<TimeNs>(static_cast<std::uint64_t>(begin[row])
                                                                  + static_cast<std::uint64_t>(duration[row]));
                             inside &= end >= begin[row] && end <= last;
                         }
                         return inside;
                     });
}

// What a row spent on one thing is part of its duration. Of columns that are not negative.
bool arePartsOf(const Chunk& chunk, std::size_t duration, std::initializer_list<std::uint8_t> parts)
{
    const StoredColumn& durations = chunk.columns[duration];
    std::int64_t signs = 0;
    for (const std::uint8_t part : parts) {
        const StoredColumn& times = chunk.columns[part];
        const std::size_t rows = std::min(durations.size(), times.size());
        for (std::size_t row = 0; row < rows; ++row) signs |= durations[row] - times[row];
    }
    return signs >= 0;
}

bool partsFit(const Chunk& chunk)
{
    switch (chunk.kind) {
    case ChunkKind::Task: return arePartsOf(chunk, TaskColumn::Duration, {TaskColumn::Nested});
    case ChunkKind::MpiCall:
        return arePartsOf(chunk, MpiCallColumn::Duration,
                          {MpiCallColumn::WaitBefore, MpiCallColumn::Execution, MpiCallColumn::WaitAfter,
                           MpiCallColumn::Severity});
    case ChunkKind::ThreadWait: return arePartsOf(chunk, ThreadWaitColumn::Duration, {ThreadWaitColumn::Wait});
    default: return true;
    }
}

}  // namespace

// Columns that point to a row of another processor.
struct ColumnLimits::Reference {
    std::uint8_t pe;
    std::uint8_t row;
    std::int64_t Rows::*rows;
    int link = -1;  // the reference counts only where this column says that there is a source
};

std::int64_t rowsOn(const std::vector<ChunkRef>& directory, ChunkKind kind, TrackId track)
{
    const auto key = [](const ChunkRef& ref) { return std::tuple(ref.kind, ref.track); };
    const auto after = std::ranges::upper_bound(directory, std::tuple(kind, track), {}, key);
    if (after == directory.begin() || key(*(after - 1)) != std::tuple(kind, track)) return 0;
    return (after - 1)->firstRow + (after - 1)->rows;
}

template <typename Row, typename Id>
ColumnLimits::DefinedIds::DefinedIds(const std::vector<Row>& rows, Id Row::*id)
{
    m_ids.reserve(rows.size());
    for (const Row& row : rows) m_ids.push_back(static_cast<std::int64_t>(row.*id));
    m_areInARow = m_ids.empty() || m_ids.back() - m_ids.front() == std::ssize(m_ids) - 1;
    if (m_areInARow && m_ids.size() > 2) m_ids = {m_ids.front(), m_ids.back()};
}

bool ColumnLimits::DefinedIds::holdAll(std::span<const std::int64_t> values, std::int64_t none) const
{
    if (m_areInARow) {
        const std::int64_t least = m_ids.empty() ? none : m_ids.front(), most = m_ids.empty() ? none : m_ids.back();
        return holds([=]() __attribute__((always_inline)) {
            bool inside = true;
            for (const std::int64_t value : values) inside &= value == none || (value >= least && value <= most);
            return inside;
        });
    }
    std::int64_t known = none;
    for (const std::int64_t value : values) {
        if (value == known || value == none) continue;
        if (!std::binary_search(m_ids.begin(), m_ids.end(), value)) return false;
        known = value;
    }
    return true;
}

ColumnLimits::ColumnLimits(const Definitions& definitions, bool isHeld)
    : m_entries(definitions.entries, &Entry::id), m_regions(definitions.regions, &Region::id),
      m_callPaths(definitions.callPaths, &CallPath::id), m_mayLack(definitions.info.isPart())
{
    for (const Processor& processor : definitions.processors) {
        Rows rows{.tasks = rowsOn(definitions.directory, ChunkKind::Task, processor.track),
                  .messages = rowsOn(definitions.directory, ChunkKind::Message, processor.track)};
        if (isHeld || definitions.info.isPart())
            rows = {std::max(rows.tasks, processor.tasks), std::max(rows.messages, processor.messages)};
        const std::size_t pe = index(processor.pe);
        if (pe >= m_rowsOf.size()) m_rowsOf.resize(pe + 1);
        m_rowsOf[pe] = rows;
        m_most = {.tasks = std::max(m_most.tasks, rows.tasks), .messages = std::max(m_most.messages, rows.messages)};
    }
}

bool ColumnLimits::allow(const ChunkRef& ref, const Chunk& chunk, const std::vector<ChunkRef>& directory) const
{
    for (const ColumnLimit& limit : limitsOf(ref.kind)) {
        std::int64_t most = limit.most;
        if (limit.bound == Bound::RowsAbove && !pointUp(chunk, limit.column)) return false;
        if (limit.bound == Bound::RowsAbove) continue;
        const StoredColumn& values = chunk.columns[limit.column];
        if (limit.bound == Bound::TimeOrNone && !lieInOrAreNone(values, limit.least, most)) return false;
        if (limit.bound == Bound::TimeOrNone) continue;
        if (limit.bound == Bound::OwnTasks)
            most += m_mayLack ? m_most.tasks : rowsOn(directory, ChunkKind::Task, ref.track);
        if (limit.bound == Bound::OwnRows) most += rowsOn(directory, ref.kind, ref.track);
        if (limit.bound == Bound::AnyTasks) most += m_most.tasks;
        if (!lieIn(values, limit.least, most)) return false;
    }
    return timesFit(ref, chunk) && partsFit(chunk) && nameDefinitions(chunk) && pointToRows(chunk);
}

bool ColumnLimits::nameDefinitions(const Chunk& chunk) const
{
    const auto areEntries = [&](std::uint8_t column) { return m_entries.holdAll(chunk.columns[column], largestId); };
    const auto areRegions = [&](std::uint8_t column) { return m_regions.holdAll(chunk.columns[column], largestId); };
    switch (chunk.kind) {
    case ChunkKind::Task: return areEntries(TaskColumn::Entry);
    case ChunkKind::Message: return areEntries(MessageColumn::Entry);
    case ChunkKind::EntryBin: return areEntries(EntryBinColumn::Entry);
    case ChunkKind::Interval: return areRegions(IntervalColumn::Region);
    case ChunkKind::Counter: return areRegions(CounterColumn::Region);
    case ChunkKind::Mark: return areRegions(MarkColumn::Region);
    case ChunkKind::ThreadWait: return areRegions(ThreadWaitColumn::Region);
    case ChunkKind::MpiCall:
        return areRegions(MpiCallColumn::Region) && m_callPaths.holdAll(chunk.columns[MpiCallColumn::Path], noCallPath);
    default: return true;
    }
}

bool ColumnLimits::pointsToRow(const Chunk& chunk, const Reference& reference) const
{
    const auto& rows = chunk.columns[reference.row];
    const auto& pes = chunk.columns[reference.pe];
    if (rows.empty()) return true;
    if (pes.empty()) return lieIn(rows, -1, std::max<std::int64_t>(0, m_most.*reference.rows));
    const StoredColumn* links = reference.link < 0 ? nullptr : &chunk.columns[static_cast<std::size_t>(reference.link)];
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] < 0) continue;
        if (links && !links->empty() && !hasSource(static_cast<Link>((*links)[i]))) continue;
        if (links && links->empty() && rows[i] == 0) continue;  // what rows without a source may hold
        const bool isThere = pes[i] >= 0 && pes[i] < static_cast<std::int64_t>(m_rowsOf.size())
                             && rows[i] < m_rowsOf[static_cast<std::size_t>(pes[i])].*reference.rows;
        if (!isThere) return false;
    }
    return true;
}

bool ColumnLimits::pointToRows(const Chunk& chunk) const
{
    switch (chunk.kind) {
    case ChunkKind::TaskSource:
        return pointsToRow(chunk, {TaskSourceColumn::SourcePe, TaskSourceColumn::SourceIndex, &Rows::tasks,
                                   TaskSourceColumn::Link})
               && pointsToRow(chunk, {TaskSourceColumn::CreatorPe, TaskSourceColumn::MessageIndex, &Rows::messages});
    case ChunkKind::Merge:
        return pointsToRow(chunk, {MergeColumn::SourcePe, MergeColumn::SourceIndex, &Rows::tasks})
               && pointsToRow(chunk, {MergeColumn::SourcePe, MergeColumn::MessageIndex, &Rows::messages});
    case ChunkKind::Delivery:
        return pointsToRow(chunk, {DeliveryColumn::CreatorPe, DeliveryColumn::SourceIndex, &Rows::tasks})
               && pointsToRow(chunk, {DeliveryColumn::CreatorPe, DeliveryColumn::MessageIndex, &Rows::messages});
    default: return true;
    }
}

}  // namespace longpole
