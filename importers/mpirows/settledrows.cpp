// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpirows/settledrows.h"

#include "core/base/translate.h"
#include "core/file/chunksink.h"
#include "core/trace/columns.h"

#include <algorithm>

namespace longpole {

namespace {

// The first one from that row on: a stack may be open in which tens of thousands of regions are.
auto firstFrom(std::span<const RowSink::Replaced> replaced, std::int64_t number)
{
    return std::lower_bound(replaced.begin(), replaced.end(), number,
                            [](const RowSink::Replaced& row, std::int64_t wanted) { return row.number < wanted; });
}

}  // namespace

std::int64_t& rowsOf(RowCounts& counts, ChunkKind kind) { return counts.at(static_cast<std::size_t>(kind)); }
std::int64_t rowsOf(const RowCounts& counts, ChunkKind kind) { return counts.at(static_cast<std::size_t>(kind)); }

void SettledSink::append(ChunkKind kind, TrackId track, std::span<const std::int64_t> row)
{
    ++rowsOf(m_counts, kind);
    m_stream->append(kind, track, row);
}

// A new import would write the chunks of several kinds as each of them is full: in the order in which they lie there.
void SettledSink::settled(std::span<const ChunkKind> kinds, std::span<const Replaced> replaced)
{
    if (!m_earlier || m_failure) return;
    std::vector<ChunkRef> chunks;
    for (const ChunkKind kind : kinds) {
        std::int64_t rows = 0;
        for (const ChunkRef& ref : m_earlier->chunks(kind, m_track)) {
            if (ref.firstRow >= rowsOf(m_settled, kind)) break;
            const bool isLast = ref.firstRow + ref.rows >= rowsOf(m_settled, kind);
            if (ref.firstRow != rows || (!isLast && ref.rows != chunkRows)) break;
            rows += ref.rows;
            chunks.push_back(ref);
        }
        if (rows < rowsOf(m_settled, kind))
            m_failure = Error{tr("The trace that was read before lacks rows."), m_earlier->path(), {}};
    }
    std::sort(chunks.begin(), chunks.end(), [](const ChunkRef& a, const ChunkRef& b) { return a.id < b.id; });
    // Full ones first: those of a kind of which some rows wait come in rows.
    const auto isWhole = [this](const ChunkRef& ref) {
        return ref.rows == chunkRows && ref.firstRow + ref.rows <= rowsOf(m_settled, ref.kind);
    };
    std::stable_partition(chunks.begin(), chunks.end(), isWhole);
    for (const ChunkRef& ref : chunks) {
        if (m_failure) return;
        const auto first = firstFrom(replaced, ref.firstRow), last = firstFrom(replaced, ref.firstRow + ref.rows);
        if (!isWhole(ref) || first != last) {
            if (!take(ref, {first, last})) return;
            continue;
        }
        Result<EncodedChunk> chunk = m_earlier->encoded(ref);
        if (chunk) m_stream->append(std::move(*chunk));
        else m_failure = chunk.error();
    }
}

// Row by row: a chunk that lacks rows, or has some that are known better now, which are `replaced`.
bool SettledSink::take(const ChunkRef& ref, std::span<const Replaced> replaced)
{
    const Result<std::shared_ptr<const Chunk>> chunk = m_earlier->read(ref);
    if (!chunk) {
        m_failure = chunk.error();
        return false;
    }
    const std::int64_t end = std::min(ref.firstRow + ref.rows, rowsOf(m_settled, ref.kind));
    std::vector<std::int64_t> row(chunkSpec(ref.kind).columns.size());
    for (std::int64_t number = ref.firstRow; number < end; ++number) {
        if (!replaced.empty() && replaced.front().number == number) {
            m_stream->append(ref.kind, m_track, replaced.front().row);
            replaced = replaced.subspan(1);
            continue;
        }
        const auto at = static_cast<std::size_t>(number - ref.firstRow);
        for (std::size_t column = 0; column < row.size(); ++column) row[column] = (*chunk)->columns[column][at];
        m_stream->append(ref.kind, m_track, row);
    }
    return true;
}

}  // namespace longpole
