// SPDX-License-Identifier: GPL-3.0-or-later
// Streams of rows stand in the trace in the order of their ordinals. Consecutive ones of one process are a turn of that
// process: process 0 asks for the next batch while it stores the one before.
#include "distributed/recording/passedrows.h"

#include "core/base/translate.h"
#include "core/file/chunksink.h"
#include "core/file/codec.h"
#include "core/file/verification.h"
#include "core/trace/columns.h"
#include "distributed/exchange/pack.h"
#include "distributed/recording/hostedrun.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace longpole {
namespace {

constexpr std::size_t batchBytes = std::size_t{8} << 20;

// Whether rows that another process sent are of a kind that there is, as many as a chunk may have, and in time.
bool isChunk(const ChunkRef& ref)
{
    const auto isOfKind = [&ref](const ChunkSpec& spec) { return spec.kind == ref.kind; };
    return std::ranges::any_of(chunkSpecs(), isOfKind) && ref.rows >= 1 && ref.rows <= maxStoredRows
           && ref.firstRow >= minTime + maxStoredRows && ref.firstRow <= maxTime - maxStoredRows && ref.level >= 0
           && ref.level <= 62 && (ref.kind != ChunkKind::Tile || binsHaveTimes(ref));
}

// The chunks of a process' own part, in the order in which it wrote them.
class PartRows {
public:
    // `kept`: of a trace that has parts of the events; else null.
    PartRows(const HostedTrace& trace, KeptRows* kept) : m_trace(trace), m_kept(kept)
    {
        // Beyond the last stream lies what a writer adds up itself.
        const std::int64_t last = trace.streamEnds.empty() ? 0 : trace.streamEnds.back();
        for (const ChunkSpec& spec : chunkSpecs())
            for (const ChunkRef& ref : trace.store->chunks(spec.kind))
                if (ref.id <= last) m_chunks.push_back(ref);
        std::sort(m_chunks.begin(), m_chunks.end(), [](const ChunkRef& a, const ChunkRef& b) { return a.id < b.id; });
    }

    bool isAtEnd() const { return m_stream == m_trace.streams.size(); }

    // Whether the turn ends with it, and chunks, each after the ordinal of its stream. Not at the end.
    Result<Payload> nextBatch()
    {
        Packer chunks;
        std::uint64_t count = 0;
        std::size_t bytes = 0;
        bool endsTurn = false;
        while (!endsTurn && bytes < batchBytes) {
            if (m_chunk < m_chunks.size() && m_chunks[m_chunk].id <= m_trace.streamEnds[m_stream]) {
                const Result<std::vector<EncodedChunk>> rows = rowsOf(m_chunks[m_chunk++]);
                if (!rows) return rows.error();
                for (const EncodedChunk& chunk : *rows) {
                    chunks.put(m_trace.streams[m_stream]);
                    chunks.put(chunk.ref);
                    chunks.put(chunk.bytes);
                    bytes += chunk.bytes.size();
                    ++count;
                }
                continue;
            }
            ++m_stream;
            endsTurn = isAtEnd() || m_trace.streams[m_stream] != m_trace.streams[m_stream - 1] + 1;
        }
        Packer batch;
        batch.put(endsTurn);
        batch.put(count);
        batch.put(chunks.take());
        return batch.take();
    }

private:
    Result<std::vector<EncodedChunk>> rowsOf(const ChunkRef& ref) const
    {
        if (m_kept != nullptr) return m_kept->cut(ref);
        Result<EncodedChunk> whole = m_trace.store->encoded(ref);
        if (!whole) return whole.error();
        std::vector<EncodedChunk> rows;
        rows.push_back(std::move(*whole));
        return rows;
    }

    const HostedTrace& m_trace;
    KeptRows* m_kept;
    std::vector<ChunkRef> m_chunks;
    std::size_t m_chunk = 0;   // the next
    std::size_t m_stream = 0;  // that it may belong to
};

// Process 0: takes the parts' rows in turn and writes them.
class Assembly {
public:
    Assembly(Transport& transport, PartRows& own, TraceWriter& writer, bool isPart, const Progress& progress)
        : m_transport(transport), m_own(own), m_writer(writer), m_isPart(isPart), m_progress(progress)
    {
    }

    // `owners`: by ordinal the process that has the stream. False after a failure, which all know of.
    bool takeAll(const std::vector<int>& owners)
    {
        m_streams = owners.size();
        for (std::size_t from = 0; from < owners.size();) {
            std::size_t to = from + 1;
            while (to < owners.size() && owners[to] == owners[from]) ++to;
            if (!takeTurn(owners[from], to)) return false;
            from = to;
        }
        return true;
    }

private:
    // Streams from the one that is open next up to `to`, which are all of that process.
    bool takeTurn(int process, std::size_t to)
    {
        const bool isOwn = process == m_transport.process();
        if (!isOwn) m_transport.send(process, AskForRows, Payload(1));
        for (bool endsTurn = false; !endsTurn;) {
            if (m_progress.isCancelled()) m_transport.fail(cancelledError());
            std::optional<Payload> bytes = isOwn ? ownBatch() : batchOf(process);
            if (!bytes) return false;
            Unpacker batch(*bytes);
            endsTurn = batch.value<bool>();
            if (!endsTurn && !isOwn) m_transport.send(process, AskForRows, Payload(1));
            if (!storeBatch(batch, to)) return false;
        }
        while (m_next < to) closeNext();
        m_progress.report(static_cast<double>(to) / static_cast<double>(m_streams));
        return true;
    }

    std::optional<Payload> ownBatch()
    {
        if (m_own.isAtEnd()) return broken();
        Result<Payload> batch = m_own.nextBatch();
        if (batch && !m_transport.failed()) return std::move(*batch);
        if (!batch) m_transport.fail(batch.error());
        return std::nullopt;
    }

    std::optional<Payload> batchOf(int process)
    {
        std::optional<Incoming> come = m_transport.receive(GiveRows, Wait::Yes);
        if (!come) return std::nullopt;
        if (come->from != process) return broken();
        return std::move(come->bytes);
    }

    // False after a failure.
    bool storeBatch(Unpacker& batch, std::size_t to)
    {
        const auto count = batch.value<std::uint64_t>();
        const Payload rows = batch.values<std::byte>();
        Unpacker chunks(rows);
        for (std::uint64_t i = 0; i < count && chunks.isWhole(); ++i) {
            const auto ordinal = chunks.value<std::uint32_t>();
            EncodedChunk chunk{.ref = chunks.value<ChunkRef>(), .bytes = chunks.values<char>(), .isNumbered = m_isPart};
            const bool isOpen = m_stream != nullptr && ordinal + std::size_t{1} == m_next;
            if (!chunks.isWhole() || ordinal >= to || (ordinal < m_next && !isOpen)) break;
            if (!isChunk(chunk.ref)) return broken().has_value();
            while (m_next <= ordinal) openNext();
            m_stream->append(std::move(chunk));
        }
        if (!batch.isWhole() || !chunks.isWhole() || !chunks.isAtEnd()) return broken().has_value();
        return !m_transport.failed();
    }

    void openNext()
    {
        m_stream.reset();
        m_stream = m_writer.stream(static_cast<std::uint32_t>(m_next++));
    }
    void closeNext()
    {
        openNext();
        m_stream.reset();
    }

    std::optional<Payload> broken()
    {
        tellBrokenRows(m_transport);
        return std::nullopt;
    }

    Transport& m_transport;
    PartRows& m_own;
    TraceWriter& m_writer;
    bool m_isPart;
    const Progress& m_progress;
    std::unique_ptr<EventStream> m_stream;  // of ordinal m_next - 1, if it is open
    std::size_t m_next = 0;
    std::size_t m_streams = 0;
};

// The other processes: a batch whenever process 0 asks.
void giveRows(Transport& transport, PartRows& own)
{
    while (!own.isAtEnd()) {
        if (!transport.receive(AskForRows, Wait::Yes)) return;
        Result<Payload> batch = own.nextBatch();
        if (!batch) return transport.fail(batch.error());
        transport.send(0, GiveRows, std::move(*batch));
    }
}

// By ordinal who has the stream; nothing after a failure: some have none, or two.
std::vector<int> ownersOf(Transport& transport, const std::vector<Payload>& streams)
{
    std::vector<int> owners;
    std::vector<std::vector<std::uint32_t>> lists;
    std::size_t count = 0;
    for (const Payload& bytes : streams) count += lists.emplace_back(Unpacker(bytes).values<std::uint32_t>()).size();
    owners.assign(count, -1);
    std::size_t placed = 0;
    for (std::size_t process = 0; process < lists.size(); ++process) {
        for (const std::uint32_t ordinal : lists[process]) {
            if (ordinal >= count || owners[ordinal] >= 0) continue;
            owners[ordinal] = static_cast<int>(process);
            ++placed;
        }
    }
    if (placed == count) return owners;
    tellBrokenRows(transport);
    return {};
}

}  // namespace

void tellBrokenRows(Transport& transport)
{
    transport.fail(Error{tr("The rows of another process did not arrive whole."), QString(), QString()});
}

Result<> passRows(Transport& transport, const HostedTrace& trace, KeptRows* kept, TraceWriter* writer,
                  const std::function<Result<>()>& finish, const Progress& progress)
{
    Packer packer;
    packer.put(trace.streams);
    const std::vector<Payload> streams = transport.gather(packer.take());
    if (transport.failed()) return transport.failure();
    PartRows own(trace, kept);
    if (!transport.isRoot()) {
        giveRows(transport, own);
    } else if (const std::vector<int> owners = ownersOf(transport, streams);
               !transport.failed() && Assembly(transport, own, *writer, kept != nullptr, progress).takeAll(owners)) {
        if (const Result<> finished = finish(); !finished) transport.fail(finished.error());
    }
    transport.quiet(AskForRows, [](int, const Payload&) {});
    transport.quiet(GiveRows, [](int, const Payload&) {});
    return transport.failed() ? Result<>(transport.failure()) : Result<>(Unit{});
}

}  // namespace longpole
