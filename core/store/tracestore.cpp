// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/tracestore.h"

#include "core/base/hash.h"
#include "core/base/translate.h"
#include "core/file/chunkcache.h"
#include "core/file/chunksink.h"
#include "core/file/codec.h"
#include "core/file/columnlimits.h"
#include "core/file/definitions.h"
#include "core/file/heldtrace.h"
#include "core/file/schema.h"
#include "core/store/tilecolumns.h"

#include <algorithm>
#include <mutex>
#include <tuple>

namespace longpole {
namespace {

// What a screen of rows decodes is a few megabytes; passes over the whole trace read each chunk once anyway.
constexpr std::size_t cacheBytes = std::size_t{16} << 20;

// Passes over a held trace look at each chunk once or twice: a small one is decoded again sooner than it is found
// again.
constexpr std::uint32_t rowsNotWorthKeeping = 1024;

// The sorted rows whose key is `value`.
template <typename T, typename Value, typename Key>
std::span<const T> rowsWith(const std::vector<T>& rows, const Value& value, Key key)
{
    return {std::ranges::lower_bound(rows, value, {}, key), std::ranges::upper_bound(rows, value, {}, key)};
}

template <typename T, typename Id>
const T* findById(const std::vector<T>& rows, Id id, Id T::*key)
{
    const auto found = std::ranges::lower_bound(rows, id, {}, key);
    return found != rows.end() && (*found).*key == id ? &*found : nullptr;
}

// The columns that a summary's tiles know.
std::uint32_t summaryColumns(const std::vector<ChunkRef>& directory)
{
    constexpr std::uint32_t always = 1u << TileColumn::Busy | 1u << TileColumn::Idle;
    constexpr std::uint32_t detailed = 1u << TileColumn::Tasks | 1u << TileColumn::Entry | 1u << TileColumn::EntryTime;
    return rowsWith(directory, ChunkKind::EntryBin, &ChunkRef::kind).empty() ? always : always | detailed;
}

// Stands for the chunks of a kind of events of which a trace has parts only. It touches any time.
std::span<const ChunkRef> unreadable(ChunkKind kind)
{
    static const std::vector<ChunkRef> all = [] {
        std::vector<ChunkRef> refs;
        for (const ChunkSpec& spec : chunkSpecs()) {
            ChunkRef ref;
            ref.id = -1;
            ref.kind = spec.kind;
            ref.track = noTrack;
            ref.rows = 1;
            ref.firstBegin = minTime;
            ref.lastBegin = maxTime;
            ref.maxEnd = maxTime;
            refs.push_back(ref);
        }
        return refs;
    }();
    return std::span(all).subspan(static_cast<std::size_t>(kind) - 1, 1);
}

}  // namespace

class TraceStore::Private {
public:
    // A connection with its prepared query, used by one thread at a time.
    struct Reader {
        Database database;
        Statement select;
    };

    QString path;
    std::shared_ptr<const StoreFile> file;
    std::shared_ptr<const ChunkFile> held;  // instead, of a held trace
    Definitions definitions;
    ColumnLimits limits;
    std::vector<std::uint64_t> places;                        // of the directory's chunks, by which they are looked up
    std::vector<std::pair<ProcessorId, TrackId>> tracksOfPe;  // sorted
    std::uint32_t tileColumns = allTileColumns;

    void takeOver(Definitions read)
    {
        definitions = std::move(read);
        limits = ColumnLimits(definitions, held != nullptr);
        places.reserve(definitions.directory.size());
        for (const ChunkRef& ref : definitions.directory)
            places.push_back(placeInDirectory(ref.kind, ref.track, ref.level));
        for (const Track& track : definitions.tracks)
            if (track.pe) tracksOfPe.emplace_back(*track.pe, track.id);
        std::ranges::sort(tracksOfPe);
        if (definitions.info.isSummary()) tileColumns &= summaryColumns(definitions.directory);
    }

    Result<std::unique_ptr<Reader>> takeReader() const
    {
        {
            const std::lock_guard lock(m_mutex);
            if (!m_readers.empty()) {
                std::unique_ptr<Reader> reader = std::move(m_readers.back());
                m_readers.pop_back();
                return reader;
            }
        }
        return openReader(file);
    }

    void giveBack(std::unique_ptr<Reader> reader) const
    {
        reader->select.reset();
        const std::lock_guard lock(m_mutex);
        m_readers.push_back(std::move(reader));
    }

    // Hands the chunk's bytes, which fit its hash, to `take`.
    template <typename Take>
    Result<> withBytes(const ChunkRef& ref, Take take) const
    {
        if (held) {
            const std::span<const char> bytes = held->bytes(ref.id);
            if (!isWhole(ref, bytes)) return damagedFile(path, tr("chunk %1 does not fit its hash").arg(ref.id));
            take(bytes);
            return Unit{};
        }
        Result<std::unique_ptr<Reader>> taken = takeReader();
        if (!taken) return taken.error();
        std::unique_ptr<Reader> reader = std::move(taken).value();
        reader->select.bind(1, ref.id);
        reader->select.bind(2, static_cast<std::int64_t>(mostStored(ref.kind, ref.rows)));
        const Result<bool> row = reader->select.step();
        if (!row) return row.error();
        const std::span<const char> bytes = *row ? reader->select.blob(0) : std::span<const char>();
        if (!isWhole(ref, bytes)) return damagedFile(path, tr("chunk %1 does not fit its hash").arg(ref.id));
        take(bytes);
        giveBack(std::move(reader));
        return Unit{};
    }

    // The chunk's columns from the file, verified.
    Result<Chunk> decode(const ChunkRef& ref, std::uint32_t columns) const
    {
        std::optional<Chunk> chunk;
        const Result<> read = withBytes(ref, [&](std::span<const char> bytes) {
            chunk = decodeChunk(bytes, ref.kind, ref.track, ref.rows, columns);
        });
        if (!read) return read.error();
        if (!chunk) return damagedFile(path, tr("chunk %1 cannot be decoded").arg(ref.id));
        chunk->firstRow = ref.firstRow;
        if (!limits.allow(ref, *chunk, definitions.directory))
            return damagedFile(path, tr("chunk %1 holds numbers that no trace has").arg(ref.id));
        return std::move(*chunk);
    }

    ChunkCache& cache() const { return m_cache; }
    std::span<const ChunkRef> chunks(ChunkKind kind, TrackId track, int level) const;

private:
    static bool isWhole(const ChunkRef& ref, std::span<const char> bytes)
    {
        return !bytes.empty() && hashBytes(bytes) == ref.hash;
    }
    static Result<std::unique_ptr<Reader>> openReader(std::shared_ptr<const StoreFile> file)
    {
        Result<Database> database = Database::openImmutable(std::move(file));
        if (!database) return database.error();
        // The pages of what is longer than its rows can be are not read: many chunks may share them.
        Result<Statement> select = database->prepare(
            "SELECT CASE WHEN length(data) <= ?2 THEN data END FROM chunk_data WHERE id = ?1");
        if (!select) return select.error();
        database->setInterrupt([] { return false; });  // looks a row up by its id, in as many steps each time
        return std::make_unique<Reader>(Reader{std::move(database).value(), std::move(select).value()});
    }

    mutable ChunkCache m_cache{cacheBytes};
    mutable std::mutex m_mutex;
    mutable std::vector<std::unique_ptr<Reader>> m_readers;
};

TraceStore::TraceStore(std::unique_ptr<Private> content) : d(std::move(content)) {}
TraceStore::~TraceStore() = default;

Result<std::shared_ptr<const TraceStore>> TraceStore::open(const QString& path)
{
    Result<Database> database = Database::openImmutable(path);
    if (!database) return database.error();
    // Nobody can cancel this: what was stopped took too many steps.
    const auto endless = [&path](const Error& error) {
        return wasCancelled(error) ? damagedFile(path, tr("reading it has no end")) : error;
    };
    const Result<std::span<const TableSpec>> readable = checkSchema(*database);
    if (!readable) return endless(readable.error());
    Result<Definitions> definitions = readDefinitions(*database, *readable);
    if (!definitions) return endless(definitions.error());
    auto content = std::make_unique<Private>();
    content->path = path;
    content->file = database->file();
    content->takeOver(std::move(definitions).value());
    return std::shared_ptr<const TraceStore>(new TraceStore(std::move(content)));
}

Result<std::shared_ptr<const TraceStore>> TraceStore::openHeld(const QString& path)
{
    std::optional<HeldTrace> held = takeHeld(path);
    if (!held) return Error{.what = tr("This process holds no such trace."), .where = path, .hint = {}};
    auto content = std::make_unique<Private>();
    content->path = path;
    content->held = std::move(held->chunks);
    content->takeOver(std::move(held->definitions));
    return std::shared_ptr<const TraceStore>(new TraceStore(std::move(content)));
}

const std::shared_ptr<const StoreFile>& TraceStore::file() const { return d->file; }
const QString& TraceStore::path() const { return d->path; }
const QString& TraceStore::stamp() const { return d->definitions.stamp; }
const TraceInfo& TraceStore::info() const { return d->definitions.info; }
std::span<const Processor> TraceStore::processors() const { return d->definitions.processors; }
std::span<const Track> TraceStore::tracks() const { return d->definitions.tracks; }
std::span<const Chare> TraceStore::chares() const { return d->definitions.chares; }
std::span<const Entry> TraceStore::entries() const { return d->definitions.entries; }
std::span<const Region> TraceStore::regions() const { return d->definitions.regions; }
std::span<const CallPath> TraceStore::callPaths() const { return d->definitions.callPaths; }
std::span<const Issue> TraceStore::issues() const { return d->definitions.issues; }
std::span<const RecordCount> TraceStore::counts() const { return d->definitions.counts; }
std::span<const ProfileRow> TraceStore::profile() const { return d->definitions.profile; }
const Entry* TraceStore::entry(EntryId id) const { return findById(d->definitions.entries, id, &Entry::id); }
const Region* TraceStore::region(RegionId id) const { return findById(d->definitions.regions, id, &Region::id); }
const CallPath* TraceStore::callPath(std::uint32_t id) const
{
    const std::vector<CallPath>& paths = d->definitions.callPaths;
    const auto found = std::ranges::lower_bound(paths, id, {}, &CallPath::id);
    return found != paths.end() && found->id == id ? &*found : nullptr;
}

const Track* TraceStore::track(TrackId id) const { return findById(d->definitions.tracks, id, &Track::id); }

std::span<const std::pair<ProcessorId, TrackId>> TraceStore::tracksOf(ProcessorId pe) const
{
    return rowsWith(d->tracksOfPe, pe, &std::pair<ProcessorId, TrackId>::first);
}

const Processor* TraceStore::processor(ProcessorId pe) const
{
    return findById(d->definitions.processors, pe, &Processor::pe);
}

std::span<const std::pair<std::int64_t, QString>> TraceStore::texts() const { return d->definitions.texts; }

QString TraceStore::text(std::int64_t id) const
{
    const auto& texts = d->definitions.texts;
    const auto found = std::ranges::lower_bound(texts, id, {}, &std::pair<std::int64_t, QString>::first);
    return found != texts.end() && found->first == id ? found->second : QString();
}

std::span<const KeptRange> TraceStore::kept() const { return d->definitions.kept; }

bool TraceStore::isKept(ProcessorId pe, TimeRange range) const
{
    if (!info().isPart()) return true;
    // The last that begins at or before the range: they are disjoint, and what touches is one.
    const std::vector<KeptRange>& kept = d->definitions.kept;
    const auto beginsBefore = [](const std::pair<ProcessorId, TimeNs>& wanted, const KeptRange& one) {
        return wanted < std::pair(one.pe, one.begin);
    };
    const auto after = std::upper_bound(kept.begin(), kept.end(), std::pair(pe, range.begin), beginsBefore);
    return after != kept.begin() && (after - 1)->pe == pe && (after - 1)->end >= range.end;
}

const StoredAnswers& TraceStore::answers() const { return d->definitions.answers; }

std::span<const ChunkRef> TraceStore::chunks(ChunkKind kind, TrackId track, int level) const
{
    if (!requireRows(*this, kind, Coverage::Whole)) return unreadable(kind);
    return d->chunks(kind, track, level);
}

std::span<const ChunkRef> TraceStore::keptChunks(ChunkKind kind, TrackId track) const
{
    return d->chunks(kind, track, 0);
}

std::span<const ChunkRef> TraceStore::Private::chunks(ChunkKind kind, TrackId track, int level) const
{
    if (level < 0 || level > 62) return {};
    const auto [first, last] = std::equal_range(places.begin(), places.end(), placeInDirectory(kind, track, level));
    return std::span(definitions.directory)
        .subspan(static_cast<std::size_t>(first - places.begin()), static_cast<std::size_t>(last - first));
}

std::span<const ChunkRef> TraceStore::chunks(ChunkKind kind) const
{
    if (!requireRows(*this, kind, Coverage::Whole)) return unreadable(kind);
    return rowsWith(d->definitions.directory, kind, &ChunkRef::kind);
}

Result<std::shared_ptr<const Chunk>> TraceStore::read(const ChunkRef& ref, std::uint32_t columns,
                                                      Coverage coverage) const
{
    if (const Result<> there = requireRows(*this, ref.kind, coverage); !there) return there.error();
    columns &= (1u << chunkSpec(ref.kind).columns.size()) - 1;
    if (d->held && ref.rows <= rowsNotWorthKeeping) {
        Result<Chunk> decoded = d->decode(ref, columns);
        if (!decoded) return decoded.error();
        return std::make_shared<const Chunk>(std::move(decoded).value());
    }
    if (auto cached = d->cache().find(ref.id, columns)) return cached;
    const std::uint32_t wanted = columns | d->cache().columnsOf(ref.id);
    Result<Chunk> decoded = d->decode(ref, wanted);
    if (!decoded) return decoded.error();
    auto chunk = std::make_shared<const Chunk>(std::move(decoded).value());
    d->cache().insert(ref.id, wanted, chunk);
    return chunk;
}

Result<EncodedChunk> TraceStore::encoded(const ChunkRef& ref) const
{
    EncodedChunk chunk{.ref = ref, .bytes = {}};
    const Result<> read = d->withBytes(ref, [&](std::span<const char> bytes) {
        chunk.bytes.assign(bytes.begin(), bytes.end());
    });
    if (!read) return read.error();
    return chunk;
}

std::int64_t TraceStore::cachedBytes() const { return static_cast<std::int64_t>(d->cache().bytes()); }

std::vector<int> TraceStore::tileLevels(TrackId track) const
{
    std::vector<int> levels;
    const auto key = [](const ChunkRef& ref) { return std::tuple(ref.kind, ref.track); };
    for (const ChunkRef& ref : rowsWith(d->definitions.directory, std::tuple(ChunkKind::Tile, track), key))
        if (levels.empty() || levels.back() != ref.level) levels.push_back(ref.level);
    return levels;
}

std::uint32_t TraceStore::tileColumns() const { return d->tileColumns; }

Result<TileLevel> TraceStore::tiles(TrackId track, int level, TimeRange range, std::uint32_t columns) const
{
    TileLevel tiles{level, 0, {}};
    if (range.isEmpty() || level < 0 || level > 62) return tiles;
    const std::int64_t first = range.begin >> level;
    const std::int64_t last = (range.end - 1) >> level;
    for (const ChunkRef& ref : chunks(ChunkKind::Tile, track, level)) {
        const std::int64_t from = std::max(first, ref.firstRow);
        const std::int64_t to = std::min(last, ref.firstRow + ref.rows - 1);
        if (from > to) continue;
        const Result<std::shared_ptr<const Chunk>> chunk = read(ref, columns);
        if (!chunk) return chunk.error();
        if (tiles.bins.empty()) tiles.firstBin = from;
        tiles.bins.resize(static_cast<std::size_t>(to + 1 - tiles.firstBin));  // chunks lie side by side
        setTileColumns(std::span(tiles.bins).last(static_cast<std::size_t>(to + 1 - from)), **chunk,
                       from - ref.firstRow, columns);
    }
    return tiles;
}

Result<TileLevel> TraceStore::overview() const
{
    const std::vector<int> levels = tileLevels(noTrack);
    if (levels.empty()) return TileLevel{};
    return tiles(noTrack, levels.front(), {minTime, maxTime});
}

// Row by row into the answer; bins are counted from the first row's.
Result<EntryBins> TraceStore::entryBins(TrackId track) const
{
    EntryBins bins;
    const auto key = [](const ChunkRef& ref) { return std::tuple(ref.kind, ref.track); };
    for (const ChunkRef& ref : rowsWith(d->definitions.directory, std::tuple(ChunkKind::EntryBin, track), key)) {
        Result<Chunk> chunk = d->decode(ref, 0xffffffffu);  // wanted once: not worth a place in the cache
        if (!chunk) return chunk.error();
        if (bins.rows() == 0) bins.firstBin = chunk->at(EntryBinColumn::Bin, 0);
        if (bins.rows() == 0) bins.level = ref.level;
        for (std::uint32_t row = 0; row < ref.rows; ++row) {
            const std::int64_t bin = saturatingSubtract(chunk->at(EntryBinColumn::Bin, row), bins.firstBin);
            const std::int64_t before = bins.rows() == 0 ? 0 : std::int64_t{bins.bin.back()};
            if (ref.level != bins.level || ref.level < 0 || ref.level > 62 || bin < before || bin >= mostEntryBins)
                return damagedFile(path(), tr("chunk %1 cannot be decoded").arg(ref.id));
            bins.add(static_cast<std::uint32_t>(bin),
                     EntryId{static_cast<std::uint32_t>(chunk->at(EntryBinColumn::Entry, row))},
                     chunk->at(EntryBinColumn::Time, row), chunk->at(EntryBinColumn::Tasks, row));
        }
    }
    return bins;
}

}  // namespace longpole
