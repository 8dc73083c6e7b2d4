// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/tracewriter.h"

#include "core/base/limits.h"
#include "core/base/memory.h"
#include "core/base/partfile.h"
#include "core/base/translate.h"
#include "core/file/chunksink.h"
#include "core/file/definitions.h"
#include "core/file/heldtrace.h"
#include "core/file/schema.h"
#include "core/file/storedfields.h"
#include "core/file/verification.h"
#include "core/store/blocktiles.h"
#include "core/store/levelchunks.h"
#include "core/store/rowbuffer.h"
#include "core/trace/format.h"

#include <QFileInfo>
#include <QHash>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <map>
#include <new>
#include <optional>

namespace longpole {
namespace {

constexpr std::size_t overviewBins = 2048;

// A track's finest level that has at most overviewBins bins; it always lies in one chunk. Null if the track has no
// tiles.
const ChunkRef* overviewPart(const std::map<TrackId, std::vector<ChunkRef>>& tiles, TrackId track)
{
    const auto found = tiles.find(track);
    if (found == tiles.end()) return nullptr;
    const ChunkRef* finest = nullptr;
    for (const ChunkRef& ref : found->second)
        if (ref.rows <= overviewBins && (!finest || ref.level < finest->level)) finest = &ref;
    return finest;
}

}  // namespace

class TraceWriter::Private {
public:
    Private(PartFile file, Database bulk, const QString& target)
        : part(std::move(file)), database(std::move(bulk)),
          sink(std::make_shared<ChunkSink>(std::make_shared<ChunkTable>(*database), target))
    {
    }
    Private(const std::shared_ptr<ChunkFile>& file, Packing howPacked)
        : chunks(file), packing(howPacked), sink(std::make_shared<ChunkSink>(file, file->path()))
    {
    }

    // The sum of all PEs' or ranks' pyramids, as tiles that belong to no track.
    Result<> storeOverview(const Progress& progress)
    {
        std::map<TrackId, std::vector<ChunkRef>> tiles;
        std::map<std::pair<TrackId, int>, int> chunksOfLevel;
        for (const ChunkRef& ref : sink->directory())
            if (ref.kind == ChunkKind::Tile) ++chunksOfLevel[{ref.track, ref.level}];
        for (const ChunkRef& ref : sink->directory())
            if (ref.kind == ChunkKind::Tile && chunksOfLevel[{ref.track, ref.level}] == 1)
                tiles[ref.track].push_back(ref);
        TilePyramid sum;
        for (const Processor& processor : definitions.processors) {
            if (progress.isCancelled()) return cancelled();
            const ChunkRef* ref = processor.kind == TrackKind::CommThread ? nullptr
                                                                          : overviewPart(tiles, processor.track);
            if (!ref) continue;
            TileLevel level{ref->level, ref->firstRow, {}};
            if (const Result<> read = appendBins(level, *sink, *ref); !read) return read;
            addInto(sum, {.levels = {std::move(level)}}, overviewBins);
        }
        if (!sum.levels.empty())
            encodeLevel(noTrack, sum.levels.front(), [this](EncodedChunk chunk) { sink->append(std::move(chunk)); });
        return sink->finish();
    }

    // The sums of blocks of processors, if these are many.
    Result<> storeBlocks(const Progress& progress)
    {
        const std::vector<ChunkRef> parts = sink->directory();
        const Result<> stored = encodeBlockTiles(
            definitions.processors, parts, [this](std::int64_t id) { return sink->read(id); },
            [this](EncodedChunk chunk) { sink->append(std::move(chunk)); }, progress);
        return stored ? sink->finish() : stored;
    }

    Result<> finish(const Progress& progress)
    {
        if (const Result<> complete = sink->finish(); !complete) return complete;
        shortened.clear();
        normalize(definitions);
        definitions.directory = sink->directory();
        if (!timesAreNear(definitions)) return endlessRun();
        if (const Result<> stored = storeOverview(progress); !stored) return stored;
        if (const Result<> stored = storeBlocks(progress); !stored) return stored;
        database->setInterrupt([&progress] { return progress.isCancelled(); });
        if (progress.isCancelled()) return cancelled();
        definitions.directory = sink->directory();
        if (const Result<QString> stamp = writeDefinitions(*database, definitions); !stamp) return stamp.error();
        if (progress.isCancelled()) return cancelled();
        sink->detach();
        if (const Result<> done = database->execute("COMMIT"); !done) return done;
        if (const Result<> done = fitsItsBytes(); !done) return done;
        if (const Result<> done = part->sync(); !done) return done;
        // Last, when all else is on disk: a file whose writing was cut off is known by the mark of unfinished ones.
        if (const Result<> done = markFinished(*database); !done) return done;
        if (const Result<> done = database->close(); !done) return done;
        if (const Result<> done = part->publish(); !done) return done;
        progress.report(1.0);
        return Unit{};
    }

    // Leaves no file behind; streams that are still open store nothing any more.
    void discard()
    {
        sink->fail(cancelled());
        sink->detach();
        part.reset();
    }

    // The rows of some processors, which others may have, too: sums over all are made where the whole trace is.
    Result<> finishHeld(const Progress& progress)
    {
        if (const Result<> complete = sink->finish(); !complete) return complete;
        normalize(definitions);
        definitions.directory = sink->directory();
        if (!timesAreNear(definitions)) return endlessRun();
        sink->detach();
        sortDirectory(definitions);
        constexpr std::int64_t anyBytes = std::numeric_limits<std::int64_t>::max();
        if (const QString wrong = contradictionIn(definitions, anyBytes); !wrong.isEmpty())
            return damagedFile(chunks->path(), wrong);
        if (const Result<> done = chunks->finish(); !done) return done;
        if (progress.isCancelled()) return cancelled();
        const QString name = chunks->path();
        leaveHeld(name, {std::move(definitions), std::move(chunks)});
        progress.report(1.0);
        return Unit{};
    }

    // Of a file, else of a held trace.
    std::optional<PartFile> part;  // first: must outlive the connection to it
    std::optional<Database> database;
    std::shared_ptr<ChunkFile> chunks;
    Packing packing = Packing::Compressed;
    std::shared_ptr<ChunkSink> sink;
    Definitions definitions;
    QHash<QString, QString> shortened;  // names that were too long

private:
    Error cancelled() const { return cancelledError(database ? database->path() : QString()); }
    // Rows that are all alike need next to no bytes: such a file would not open.
    Result<> fitsItsBytes() const
    {
        const std::int64_t rows = rowsIn(definitions), bytes = QFileInfo(part->path()).size();
        if (rows <= limits::storeRows.of(bytes)) return Unit{};
        return Error{.what = tr("The imported trace has %1 rows in %2 bytes, which cannot be: a file of that size has "
                                "at most %3.")
                                 .arg(formatCount(rows), formatCount(bytes), formatCount(limits::storeRows.of(bytes))),
                     .where = {},
                     .hint = tr("Records that are so much alike are damaged, or nobody's run.")};
    }
    Error endlessRun() const
    {
        const TraceInfo& info = definitions.info;
        return {.what = tr("The times of this trace are beyond what a run can last: from %1 ns to %2 ns.")
                            .arg(info.begin)
                            .arg(info.end),
                .where = {},
                .hint = tr("Times within 73 years of the trace's zero are shown; a record, or the resolution of the "
                           "clock, is damaged.")};
    }
};

class EventStream::Private {
public:
    Private(std::shared_ptr<ChunkSink> to, std::uint32_t first, std::span<const std::vector<ChunkKind>> turns,
            Packing howPacked)
        : sink(std::move(to)), ordinal(first + static_cast<std::uint32_t>(turns.size())), m_first(first),
          m_packing(howPacked)
    {
        for (std::uint32_t one = first; one <= ordinal; ++one) sink->open(one);
        for (Last& last : m_last) last.ordinal = ordinal;
        for (std::uint32_t turn = 0; turn < turns.size(); ++turn)
            for (const ChunkKind kind : turns[turn]) m_last[static_cast<std::size_t>(kind)].ordinal = first + turn;
    }

    RowBuffer& buffer(ChunkKind kind, TrackId track)
    {
        Last& last = m_last[static_cast<std::size_t>(kind)];
        if (!last.buffer || last.track != track) {
            const auto found = m_buffers.try_emplace({kind, track}, chunkSpec(kind).columns.size()).first;
            last.track = track;
            last.buffer = &found->second;
        }
        return *last.buffer;
    }

    // Rows of many tracks must not wait in memory until each has a chunk full of them.
    void append(ChunkKind kind, TrackId track, RowBuffer& rows, std::span<const std::int64_t> row)
    {
        constexpr std::size_t mostBytes = std::size_t{64} << 20;
        m_bytes += rows.append(row);
        if (rows.rows() == chunkRows) flush(m_last[static_cast<std::size_t>(kind)].ordinal, kind, track, rows);
        if (m_bytes > mostBytes) flushAll();
    }

    void rest()
    {
        for (auto& [key, rows] : m_buffers) rows.rest(key.first, key.second);
    }

    void close()
    {
        if (m_closed) return;
        m_closed = true;
        flushAll();
        for (std::uint32_t one = m_first; one <= ordinal; ++one) sink->close(one);
    }

    std::shared_ptr<ChunkSink> sink;
    std::uint32_t ordinal;  // of all but full chunks of some kinds

private:
    void flush(std::uint32_t to, ChunkKind kind, TrackId track, RowBuffer& buffer)
    {
        buffer.wake(kind, track);
        if (buffer.rows() > 0 && !sink->hasFailed()) sink->submit(to, encodeRows(kind, track, buffer, m_packing));
        buffer.clear();
    }
    void flushAll()
    {
        for (auto& [key, rows] : m_buffers) flush(ordinal, key.first, key.second, rows);
        m_buffers.clear();
        for (Last& last : m_last) last.buffer = nullptr;
        m_bytes = 0;
    }

    struct Last {
        TrackId track{};
        RowBuffer* buffer = nullptr;
        std::uint32_t ordinal = 0;  // of full chunks of this kind
    };
    const std::uint32_t m_first;
    const Packing m_packing;
    std::map<std::pair<ChunkKind, TrackId>, RowBuffer> m_buffers;
    std::array<Last, 32> m_last;  // by kind: a row mostly goes where the row before went
    std::size_t m_bytes = 0;      // of all buffers
    bool m_closed = false;
};

TraceWriter::TraceWriter(std::unique_ptr<Private> content) : d(std::move(content)) {}
TraceWriter::~TraceWriter() { d->discard(); }

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const QString& path)
{
    Result<PartFile> part = PartFile::create(path);
    if (!part) return part.error();
    Result<Database> database = Database::createForBulk(part->descriptor(), part->path());
    if (!database) return database.error();
    if (const Result<> begun = database->execute("BEGIN"); !begun) return begun.error();
    if (const Result<> created = createSchema(*database); !created) return created.error();
    return std::unique_ptr<TraceWriter>(new TraceWriter(std::make_unique<Private>(std::move(part).value(),
                                                                                  std::move(database).value(), path)));
}

Result<std::unique_ptr<TraceWriter>> TraceWriter::createHeld(const QString& path, HeldFor use)
{
    const Result<std::shared_ptr<ChunkFile>> file = ChunkFile::create(path);
    if (!file) return file.error();
    const Packing packing = use == HeldFor::Answers ? Packing::Quick : Packing::Compressed;
    return std::unique_ptr<TraceWriter>(new TraceWriter(std::make_unique<Private>(*file, packing)));
}

std::unique_ptr<EventStream> TraceWriter::stream(std::uint32_t ordinal) { return stream(ordinal, {}); }

std::unique_ptr<EventStream> TraceWriter::stream(std::uint32_t ordinal, std::span<const std::vector<ChunkKind>> kinds)
{
    return std::unique_ptr<EventStream>(new EventStream(std::make_unique<EventStream::Private>(d->sink, ordinal, kinds,
                                                                                               d->packing)));
}

namespace {

// Row with names that are no longer than limits::nameLength: they are repeated wherever what they name occurs. A name
// that many rows have stays one text, also if it is shortened: `known` has those that were.
template <typename Row>
Row shortened(Row row, std::initializer_list<QString Row::*> names, QHash<QString, QString>& known)
{
    constexpr qsizetype most = limits::nameLength.free;
    for (QString Row::*const name : names) {
        QString& text = row.*name;
        if (text.size() <= most) continue;
        QString& shorter = known[text];
        if (shorter.isEmpty()) {
            shorter = text.left(most - 1);
            if (shorter.back().isHighSurrogate()) shorter.chop(1);
            shorter += QChar(0x2026);
        }
        text = shorter;
    }
    return row;
}

}  // namespace

void TraceWriter::add(const Track& track)
{
    d->definitions.tracks.push_back(shortened(track, {&Track::name}, d->shortened));
}
void TraceWriter::add(const Processor& processor)
{
    d->definitions.processors.push_back(shortened(processor, {&Processor::name}, d->shortened));
}
void TraceWriter::add(const Chare& chare)
{
    d->definitions.chares.push_back(shortened(chare, {&Chare::name}, d->shortened));
}
void TraceWriter::add(const Entry& entry)
{
    d->definitions.entries.push_back(shortened(entry, {&Entry::name, &Entry::chare}, d->shortened));
}
void TraceWriter::add(const Region& region)
{
    d->definitions.regions.push_back(shortened(region, {&Region::name}, d->shortened));
}
void TraceWriter::add(const CallPath& path)
{
    d->definitions.callPaths.push_back(shortened(path, {&CallPath::function, &CallPath::file, &CallPath::module},
                                                 d->shortened));
}
void TraceWriter::add(const Issue& issue)
{
    d->definitions.issues.push_back(shortened(issue, {&Issue::kind, &Issue::place}, d->shortened));
}
void TraceWriter::add(const RecordCount& count) { d->definitions.counts.push_back(count); }
void TraceWriter::add(const ProfileRow& row) { d->definitions.profile.push_back(row); }
void TraceWriter::addText(std::int64_t id, const QString& text) { d->definitions.texts.emplace_back(id, text); }
void TraceWriter::setKept(std::vector<KeptRange> kept) { d->definitions.kept = std::move(kept); }
void TraceWriter::setAnswers(StoredAnswers answers) { d->definitions.answers = std::move(answers); }
void TraceWriter::setInfo(const TraceInfo& info)
{
    d->definitions.info = info;
    for (const TextField& field : textFields) (d->definitions.info.*field.field).truncate(mostOfText);
}

std::vector<std::int64_t> TraceWriter::streamEnds() const { return d->sink->streamEnds(); }

bool TraceWriter::hasFailed() const { return d->sink->hasFailed(); }

Result<> TraceWriter::finish(const Progress& progress)
{
    const Result<> finished = d->chunks ? d->finishHeld(progress) : d->finish(progress);
    if (!finished) d->discard();
    return finished;
}

EventStream::EventStream(std::unique_ptr<Private> content) : d(std::move(content)) {}

EventStream::~EventStream()
{
    try {
        d->close();
    } catch (const std::bad_alloc&) {  // rows are lost: the trace must not be finished
        d->sink->fail(outOfMemory());
    }
}

void EventStream::append(ChunkKind kind, TrackId track, std::span<const std::int64_t> row)
{
    RowBuffer& buffer = d->buffer(kind, track);
    if (row.size() != chunkSpec(kind).columns.size()) {  // an importer's fault, which must not read beyond the row
        d->sink->fail(Error{.what = tr("A row of '%1' has %2 columns.")
                                        .arg(QLatin1String(chunkSpec(kind).name), QString::number(row.size())),
                            .where = {},
                            .hint = {}});
        return;
    }
    d->append(kind, track, buffer, row);
}

void EventStream::append(TrackId track, const TilePyramid& pyramid)
{
    for (const TileLevel& level : pyramid.levels)
        encodeLevel(track, level, [this](EncodedChunk chunk) { d->sink->submit(d->ordinal, std::move(chunk)); });
}

void EventStream::append(TrackId track, const EntryBins& bins)
{
    if (d->sink->hasFailed()) return;
    encodeEntryBins(track, bins, [this](EncodedChunk chunk) { d->sink->submit(d->ordinal, std::move(chunk)); });
}

void EventStream::append(EncodedChunk chunk)
{
    if (!d->sink->hasFailed()) d->sink->submit(d->ordinal, std::move(chunk));
}

void EventStream::rest() { d->rest(); }

void EventStream::close() { d->close(); }

}  // namespace longpole
