// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpirows/settledrows.h"

#include "core/base/translate.h"
#include "core/store/chunksink.h"
#include "core/trace/columns.h"

#include <algorithm>

namespace longpole {

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
        const bool isReplaced = std::any_of(replaced.begin(), replaced.end(), [&ref](const Replaced& row) {
            return row.number >= ref.firstRow && row.number < ref.firstRow + ref.rows;
        });
        if (!isWhole(ref) || isReplaced) {
            if (!take(ref, replaced)) return;
            continue;
        }
        Result<EncodedChunk> chunk = m_earlier->encoded(ref);
        if (chunk) m_stream->append(std::move(*chunk));
        else m_failure = chunk.error();
    }
}

// Row by row: a chunk that lacks rows, or has some that are known better now.
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
        const auto known = std::find_if(replaced.begin(), replaced.end(),
                                        [number](const Replaced& one) { return one.number == number; });
        const auto at = static_cast<std::size_t>(number - ref.firstRow);
        for (std::size_t column = 0; column < row.size(); ++column) row[column] = (*chunk)->columns[column][at];
        m_stream->append(ref.kind, m_track, known != replaced.end() ? known->row : row);
    }
    return true;
}

}  // namespace longpole
