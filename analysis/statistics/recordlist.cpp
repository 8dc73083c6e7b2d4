// SPDX-License-Identifier: GPL-3.0-or-later
// Selection in three rounds: by whole chunks, by parts of those chunks that straddle the place, by rows.
#include "analysis/statistics/recordlist.h"

#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/sql/tracetables.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace longpole {

namespace {

constexpr std::uint32_t partRows = 256;
constexpr std::size_t fewChunks = 8;  // not worth a thread

// No record before position `from` of the spans begins after `end`, none from it on before `begin`: the largest and
// smallest such times for the positions [from, to). O(spans log spans).
TimeRange narrowed(std::vector<RecordSpan>& spans, std::int64_t from, std::int64_t to)
{
    TimeRange range{minTime, maxTime};
    std::sort(spans.begin(), spans.end(), [](const RecordSpan& a, const RecordSpan& b) { return a.first < b.first; });
    std::int64_t rows = 0;
    for (const RecordSpan& span : spans)
        if ((rows += span.listed) > from) {
            range.begin = span.first;
            break;
        }
    std::sort(spans.begin(), spans.end(), [](const RecordSpan& a, const RecordSpan& b) { return a.last < b.last; });
    rows = 0;
    for (const RecordSpan& span : spans)
        if ((rows += span.listed) >= to) {
            range.end = saturatingAdd(span.last, 1);
            break;
        }
    return range;
}

// Takes away the spans that lie outside; returns how many rows lie before.
std::int64_t keepOverlapping(std::vector<RecordSpan>& spans, TimeRange range)
{
    std::int64_t before = 0;
    for (const RecordSpan& span : spans)
        if (span.last < range.begin) before += span.listed;
    std::erase_if(spans,
                  [range](const RecordSpan& span) { return span.last < range.begin || span.first >= range.end; });
    return before;
}

// Runs work(i) on all cores; the first error wins.
template <typename Work>
Result<> eachOf(std::size_t count, const Progress& progress, const Work& work)
{
    std::mutex lock;
    std::optional<Error> error;
    std::atomic<bool> stop = false;
    parallelFor(
        count,
        [&](std::size_t i) {
            if (stop || progress.isCancelled()) return;
            const Result<> done = work(i);
            if (done.ok()) return;
            const std::lock_guard guard(lock);
            if (!error) error = done.error();
            stop = true;
        },
        count < fewChunks ? 1 : 0);
    if (progress.isCancelled()) return cancelledError();
    if (error) return *error;
    return Unit{};
}

}  // namespace

RecordList::RecordList(std::shared_ptr<const TraceStore> store, RecordChoice choice)
    : m_store(std::move(store)), m_choice(std::move(choice))
{
    std::sort(m_choice.pes.begin(), m_choice.pes.end());
}

Result<std::shared_ptr<const RecordList>> RecordList::make(std::shared_ptr<const TraceStore> store, RecordChoice choice,
                                                           const Progress& progress)
{
    std::shared_ptr<RecordList> list(new RecordList(std::move(store), std::move(choice)));
    if (const Result<> collected = list->collect(progress); !collected) return collected.error();
    return std::shared_ptr<const RecordList>(std::move(list));
}

std::uint32_t RecordList::neededOf(ChunkKind kind) const
{
    std::uint32_t fields = AnyRow::timeField(kind);
    if (m_choice.entries && kind == ChunkKind::Task) fields |= TaskRow::Entry;
    if (m_choice.entries && kind == ChunkKind::Message) fields |= MessageRow::Entry;
    return fields;
}

bool RecordList::isListed(const AnyRow& row) const
{
    if (m_choice.range && !m_choice.range->contains(row.time())) return false;
    if (!m_choice.entries) return true;
    const bool isTask = row.kind() == ChunkKind::Task;
    const std::uint32_t entry = index(isTask ? row.as<TaskRow>().entry() : row.as<MessageRow>().entry());
    return entry < m_choice.entries->size() && (*m_choice.entries)[entry];
}

Result<> RecordList::count(RecordBlock& block) const
{
    block.listed = 0;
    return visit(block, 0, [&block](const AnyRow&) { ++block.listed; });
}

Result<> RecordList::collect(const Progress& progress)
{
    const TrackKeys keys(*m_store);
    std::vector<std::size_t> open;  // blocks whose rows have to be looked at
    for (const ChunkKind kind : recordKinds) {
        const auto& kinds = m_choice.kinds;
        if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) continue;
        if (m_choice.entries && kind != ChunkKind::Task && kind != ChunkKind::Message) continue;
        for (const ChunkRef& ref : m_store->chunks(kind)) {
            const std::optional<std::int64_t> pe = keys.pe(ref.track);
            if (!m_choice.pes.empty()
                && (!pe
                    || !std::binary_search(m_choice.pes.begin(), m_choice.pes.end(), static_cast<ProcessorId>(*pe))))
                continue;
            RecordBlock block{.ref = &ref, .listed = ref.rows, .first = ref.firstBegin, .last = ref.lastBegin};
            const TimeRange range = m_choice.range.value_or(TimeRange{minTime, maxTime});
            if (m_choice.range && (block.last < range.begin || block.first >= range.end)) continue;
            const bool isCut = m_choice.range && (block.first < range.begin || block.last >= range.end);
            if (isCut || m_choice.entries) open.push_back(m_blocks.size());
            block.first = std::max(block.first, range.begin);
            block.last = std::min(block.last, m_choice.range ? range.end - 1 : maxTime);
            m_blocks.push_back(block);
        }
    }
    std::atomic<std::size_t> done = 0;
    const Result<> counted = eachOf(open.size(), progress, [&](std::size_t i) {
        progress.report(static_cast<double>(++done) / static_cast<double>(open.size()));
        return count(m_blocks[open[i]]);
    });
    if (!counted) return counted;
    std::erase_if(m_blocks, [](const RecordBlock& block) { return block.listed == 0; });
    std::sort(m_blocks.begin(), m_blocks.end(),
              [](const RecordBlock& a, const RecordBlock& b) { return a.first < b.first; });
    for (const RecordBlock& block : m_blocks) m_count += block.listed;
    m_parts.resize(m_blocks.size());
    return Unit{};
}

std::int64_t RecordList::bytes() const
{
    std::size_t sum = m_blocks.size() * (sizeof(RecordBlock) + sizeof(std::vector<RecordSpan>));
    for (const RecordBlock& block : m_blocks) sum += (block.ref->rows + partRows - 1) / partRows * sizeof(RecordSpan);
    return static_cast<std::int64_t>(sum);
}

Result<std::vector<RecordSpan>> RecordList::partsOf(std::size_t block) const
{
    {
        const std::lock_guard guard(m_lock);
        if (!m_parts[block].empty()) return m_parts[block];
    }
    std::vector<RecordSpan> parts((m_blocks[block].ref->rows + partRows - 1) / partRows);
    const Result<> read = visit(m_blocks[block], 0, [&](const AnyRow& row) {
        const TimeNs time = row.time();
        const auto place = static_cast<std::uint32_t>(row.number() - m_blocks[block].ref->firstRow) / partRows;
        RecordSpan& part = parts[place];
        part = {std::min(part.first, time), std::max(part.last, time), part.listed + 1, block, place};
    });
    if (!read) return read.error();
    std::erase_if(parts, [](const RecordSpan& part) { return part.listed == 0; });
    const std::lock_guard guard(m_lock);
    return m_parts[block] = std::move(parts);
}

// Parts of the blocks that `spans` name.
Result<std::vector<RecordSpan>> RecordList::partsOf(std::span<const RecordSpan> spans, const Progress& progress) const
{
    std::vector<std::vector<RecordSpan>> parts(spans.size());
    const Result<> read = eachOf(spans.size(), progress, [&](std::size_t i) -> Result<> {
        Result<std::vector<RecordSpan>> some = partsOf(spans[i].block);
        if (!some) return some.error();
        parts[i] = std::move(*some);
        return Unit{};
    });
    if (!read) return read.error();
    std::vector<RecordSpan> all;
    for (const std::vector<RecordSpan>& some : parts) all.insert(all.end(), some.begin(), some.end());
    return all;
}

Result<std::vector<RecordRef>> RecordList::records(std::int64_t first, std::int64_t count,
                                                   const Progress& progress) const
{
    first = std::clamp<std::int64_t>(first, 0, m_count);
    const std::int64_t end = first + std::clamp<std::int64_t>(count, 0, m_count - first);
    if (first == end) return std::vector<RecordRef>();

    std::vector<RecordSpan> spans;
    for (std::size_t i = 0; i < m_blocks.size(); ++i)
        spans.push_back({m_blocks[i].first, m_blocks[i].last, m_blocks[i].listed, i, 0});
    std::int64_t before = keepOverlapping(spans, narrowed(spans, first, end));
    Result<std::vector<RecordSpan>> parts = partsOf(spans, progress);
    if (!parts) return parts.error();
    const TimeRange range = narrowed(*parts, first - before, end - before);
    before += keepOverlapping(*parts, range);

    std::vector<RecordRef> rows;
    for (const RecordSpan& part : *parts) {
        const auto collect = [&](const AnyRow& row) {
            if (row.time() < range.begin) ++before;
            else if (row.time() < range.end) rows.push_back(refOf(row));
        };
        const Result<> read = visit(m_blocks[part.block], 0, collect, part.part * partRows, (part.part + 1) * partRows);
        if (!read) return read.error();
    }
    const auto from = rows.begin() + (first - before);
    const auto to = rows.begin() + (end - before);
    std::nth_element(rows.begin(), from, rows.end());
    if (to != rows.end()) std::nth_element(from, to, rows.end());
    std::sort(from, to);
    return std::vector<RecordRef>(from, to);
}

Result<std::int64_t> RecordList::position(const RecordRef& ref, const Progress& progress) const
{
    std::atomic<std::int64_t> before = 0;
    std::vector<std::size_t> straddling;
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        if (m_blocks[i].last < ref.time) before += m_blocks[i].listed;
        else if (m_blocks[i].first <= ref.time) straddling.push_back(i);
    }
    const Result<> read = eachOf(straddling.size(), progress, [&](std::size_t i) {
        std::int64_t some = 0;
        const Result<> visited = visit(m_blocks[straddling[i]], 0, [&](const AnyRow& row) {
            if (refOf(row) < ref) ++some;
        });
        before += some;
        return visited;
    });
    if (!read) return read.error();
    return before.load();
}

Result<std::optional<RecordRef>> RecordList::find(ChunkKind kind, TrackId track, std::int64_t row) const
{
    std::optional<RecordRef> found;
    for (const RecordBlock& block : m_blocks) {
        const ChunkRef& ref = *block.ref;
        if (ref.kind != kind || ref.track != track || row < ref.firstRow || row - ref.firstRow >= ref.rows) continue;
        const Result<> visited = visit(block, 0, [&](const AnyRow& at) {
            if (at.number() == row) found = refOf(at);
        });
        if (!visited) return visited.error();
    }
    return found;
}

}  // namespace longpole
