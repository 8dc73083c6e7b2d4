// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/chunksink.h"

#include "core/base/partfile.h"
#include "core/base/release.h"
#include "core/base/translate.h"

#include <cerrno>

#include <unistd.h>

namespace longpole {
namespace {

constexpr std::size_t maxKeptBytes = std::size_t{64} << 20;

}  // namespace

Result<> ChunkTable::write(std::int64_t id, std::span<const char> bytes)
{
    if (!m_insert) {
        Result<Statement> prepared = m_database.prepare("INSERT INTO chunk_data(id, data) VALUES(?, ?)");
        if (!prepared) return prepared.error();
        m_insert = std::move(prepared).value();
    }
    m_insert->bind(1, id);
    m_insert->bind(2, bytes);
    return m_insert->run();
}

Result<std::vector<char>> ChunkTable::read(std::int64_t id)
{
    Result<Statement> select = m_database.prepare("SELECT data FROM chunk_data WHERE id = ?");
    if (!select) return select.error();
    select->bind(1, id);
    const Result<bool> row = select->step();
    if (!row) return row.error();
    const std::span<const char> bytes = *row ? select->blob(0) : std::span<const char>();
    return std::vector<char>(bytes.begin(), bytes.end());
}

bool writeAt(int descriptor, std::span<const char> bytes, std::int64_t offset)
{
    while (!bytes.empty()) {
        const ssize_t wrote = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(wrote));
        offset += wrote;
    }
    return true;
}

bool readAt(int descriptor, std::span<char> bytes, std::int64_t offset)
{
    while (!bytes.empty()) {
        const ssize_t got = ::pread(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(got));
        offset += got;
    }
    return true;
}

ChunkSink::~ChunkSink()
{
    if (m_scratch >= 0) ::close(m_scratch);
}

void ChunkSink::setError(const Error& error)
{
    if (!m_error) m_error = error;
    m_failed.store(true, std::memory_order_relaxed);
}

void ChunkSink::fail(const Error& error)
{
    const std::lock_guard lock(m_mutex);
    setError(error);
}

void ChunkSink::open(std::uint32_t ordinal)
{
    const std::lock_guard lock(m_mutex);
    if (ordinal < m_turn || !m_streams.try_emplace(ordinal).second)
        setError({.what = tr("Stream %1 was opened twice.").arg(ordinal), .where = m_target, .hint = {}});
}

void ChunkSink::submit(std::uint32_t ordinal, EncodedChunk chunk)
{
    const std::lock_guard lock(m_mutex);
    const auto stream = m_streams.find(ordinal);
    if (m_error || stream == m_streams.end()) return;
    if (ordinal == m_turn) store(std::move(chunk));
    else keep(stream->second, std::move(chunk));
}

void ChunkSink::close(std::uint32_t ordinal)
{
    const std::lock_guard lock(m_mutex);
    const auto stream = m_streams.find(ordinal);
    if (stream == m_streams.end()) return;
    stream->second.closed = true;
    for (auto next = m_streams.find(m_turn); next != m_streams.end(); next = m_streams.find(m_turn)) {
        drain(next->second);
        if (!next->second.closed) return;
        m_streams.erase(next);
        m_streamEnds.push_back(static_cast<std::int64_t>(m_directory.size()));
        ++m_turn;
    }
}

std::vector<std::int64_t> ChunkSink::streamEnds()
{
    const std::lock_guard lock(m_mutex);
    return m_streamEnds;
}

// Of the next chunk. Tracks have small ids: a table is much faster than a search for each of a million chunks.
std::int64_t& ChunkSink::nextRow(ChunkKind kind, TrackId track)
{
    constexpr std::uint32_t nearIds = 1u << 22;
    if (index(track) >= nearIds) return m_nextRowFarAway[{kind, track}];
    std::vector<std::int64_t>& rows = m_nextRow[static_cast<std::size_t>(kind)];
    if (index(track) >= rows.size()) rows.resize(std::size_t{index(track)} + 1, 0);
    return rows[index(track)];
}

void ChunkSink::store(EncodedChunk chunk)
{
    if (m_error) return;
    ChunkRef& ref = chunk.ref;
    ref.id = static_cast<std::int64_t>(m_directory.size()) + 1;
    if (ref.kind != ChunkKind::Tile) {
        std::int64_t& next = nextRow(ref.kind, ref.track);
        if (!chunk.isNumbered) ref.firstRow = next;
        if (ref.firstRow < next)
            return setError({.what = tr("Rows were written twice."), .where = m_target, .hint = {}});
        next = ref.firstRow + ref.rows;
    }
    if (const Result<> stored = m_place->write(ref.id, chunk.bytes); !stored) return setError(stored.error());
    m_directory.push_back(ref);
}

void ChunkSink::keep(Stream& stream, EncodedChunk chunk)
{
    Waiting waiting{.chunk = std::move(chunk), .offset = -1, .size = 0};
    std::vector<char>& bytes = waiting.chunk.bytes;
    waiting.size = bytes.size();
    if (m_keptBytes + bytes.size() <= maxKeptBytes) {
        m_keptBytes += bytes.size();
    } else {
        if (m_scratch < 0) m_scratch = openScratchFile(m_target);
        if (m_scratch < 0 || !writeAt(m_scratch, bytes, m_scratchEnd)) {
            const QString reason = qt_error_string(errno);
            return setError({.what = tr("A temporary file could not be written: %1.").arg(reason),
                             .where = m_target,
                             .hint = tr("Free some space and try again.")});
        }
        waiting.offset = m_scratchEnd;
        m_scratchEnd += static_cast<std::int64_t>(bytes.size());
        m_scratchLive += static_cast<std::int64_t>(bytes.size());
        release(bytes);
    }
    stream.waiting.push_back(std::move(waiting));
}

void ChunkSink::drain(Stream& stream)
{
    for (Waiting& waiting : stream.waiting) {
        if (waiting.offset < 0) {
            m_keptBytes -= waiting.size;
        } else {
            waiting.chunk.bytes.resize(waiting.size);
            if (!readAt(m_scratch, waiting.chunk.bytes, waiting.offset))
                setError({.what = tr("A temporary file could not be read back."), .where = m_target, .hint = {}});
            m_scratchLive -= static_cast<std::int64_t>(waiting.size);
        }
        store(std::move(waiting.chunk));
        waiting.chunk.bytes = {};
    }
    stream.waiting.clear();
    if (m_scratchLive == 0 && m_scratchEnd > 0) {
        m_scratchEnd = 0;
        // Only gives space back early; what stays is overwritten or goes away with the descriptor.
        if (::ftruncate(m_scratch, 0) != 0) errno = 0;
    }
}

Result<> ChunkSink::finish()
{
    const std::lock_guard lock(m_mutex);
    if (!m_error && !m_streams.empty())
        setError({.what = tr("Stream %1 was not opened and closed.").arg(m_turn), .where = m_target, .hint = {}});
    if (m_error) return *m_error;
    return Unit{};
}

void ChunkSink::detach()
{
    const std::lock_guard lock(m_mutex);
    m_place.reset();
}

void ChunkSink::append(EncodedChunk chunk)
{
    const std::lock_guard lock(m_mutex);
    store(std::move(chunk));
}

}  // namespace longpole
