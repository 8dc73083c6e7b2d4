// SPDX-License-Identifier: GPL-3.0-or-later
// Where encoded chunks go: many streams hand them in, in any order, and they are stored in the order of the streams'
// ordinals, so that the file does not depend on which thread was faster.
#pragma once

#include "core/base/result.h"
#include "core/file/sqlite.h"
#include "core/trace/columns.h"

#include <QString>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace longpole {

struct EncodedChunk {
    ChunkRef ref;  // id and, except for tiles, firstRow are set when it is stored
    std::vector<char> bytes;
    bool isNumbered = false;  // firstRow is set already: rows before it may lack
};

// Where chunks lie at last, by id.
class ChunkPlace {
public:
    virtual ~ChunkPlace() = default;
    virtual Result<> write(std::int64_t id, std::span<const char> bytes) = 0;
    virtual Result<std::vector<char>> read(std::int64_t id) = 0;
};

// In the table of a trace's file; `database` must outlive it.
class ChunkTable final : public ChunkPlace {
public:
    explicit ChunkTable(Database& database) : m_database(database) {}
    Result<> write(std::int64_t id, std::span<const char> bytes) override;
    Result<std::vector<char>> read(std::int64_t id) override;

private:
    Database& m_database;
    std::optional<Statement> m_insert;
};

class ChunkSink {
public:
    // Chunks that do not fit in memory wait in a file in the folder of `target`.
    ChunkSink(std::shared_ptr<ChunkPlace> place, QString target)
        : m_place(std::move(place)), m_target(std::move(target))
    {
    }
    ~ChunkSink();

    // All thread-safe. Stores the chunk at once if it is its stream's turn, else keeps it.
    void open(std::uint32_t ordinal);
    void submit(std::uint32_t ordinal, EncodedChunk chunk);
    void close(std::uint32_t ordinal);  // the next stream's turn comes

    bool hasFailed() const { return m_failed.load(std::memory_order_relaxed); }
    void fail(const Error& error);
    // The first error; it is one if a stream was never opened or never closed. Call when all streams are done.
    Result<> finish();

    const std::vector<ChunkRef>& directory() const { return m_directory; }  // in the order of ids, after finish()
    // By ordinal: the id of the last chunk that was stored until its stream had ended. Thread-safe.
    std::vector<std::int64_t> streamEnds();
    Result<std::vector<char>> read(std::int64_t id) { return m_place->read(id); }
    // Stores a chunk after all streams.
    void append(EncodedChunk chunk);
    // Lets go of the place; nothing may be stored afterwards.
    void detach();

private:
    struct Waiting {
        EncodedChunk chunk;  // bytes empty: they are in the scratch file
        std::int64_t offset = -1;
        std::size_t size = 0;
    };
    struct Stream {
        bool closed = false;
        std::deque<Waiting> waiting;
    };
    static constexpr std::size_t kindsOfChunks = 256;  // as many as the type has values
    std::int64_t& nextRow(ChunkKind kind, TrackId track);
    void store(EncodedChunk chunk);
    void keep(Stream& stream, EncodedChunk chunk);
    void drain(Stream& stream);
    void setError(const Error& error);

    std::shared_ptr<ChunkPlace> m_place;
    QString m_target;
    std::mutex m_mutex;                         // everything below, and m_place
    std::map<std::uint32_t, Stream> m_streams;  // opened, not yet stored completely
    std::uint32_t m_turn = 0;
    std::array<std::vector<std::int64_t>, kindsOfChunks> m_nextRow;          // by kind and track
    std::map<std::pair<ChunkKind, TrackId>, std::int64_t> m_nextRowFarAway;  // of tracks with huge ids
    std::vector<ChunkRef> m_directory;
    std::vector<std::int64_t> m_streamEnds;
    std::size_t m_keptBytes = 0;  // waiting in memory
    int m_scratch = -1;
    std::int64_t m_scratchEnd = 0;
    std::int64_t m_scratchLive = 0;  // bytes still waiting there
    std::optional<Error> m_error;
    std::atomic<bool> m_failed{false};
};

// All bytes from there on, over interruptions; false: the disk failed, as errno says, or the file ends before.
bool writeAt(int descriptor, std::span<const char> bytes, std::int64_t offset);
bool readAt(int descriptor, std::span<char> bytes, std::int64_t offset);

}  // namespace longpole
