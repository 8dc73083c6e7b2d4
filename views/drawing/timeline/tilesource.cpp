// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/tilesource.h"

#include "core/base/drawnhash.h"
#include "core/base/timerange.h"
#include "core/store/addedbins.h"
#include "core/store/blocktiles.h"
#include "core/store/rows.h"
#include "views/drawing/timeline/rowcalls.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <unordered_map>

namespace longpole {

namespace {

constexpr std::size_t detailChunks = 64;  // about half a million overheads, intervals or marks

std::vector<const ChunkRef*> chunksIn(std::span<const ChunkRef> refs, TimeRange range)
{
    std::vector<const ChunkRef*> found;
    for (const ChunkRef& ref : refs)
        if (ref.firstBegin < range.end && ref.maxEnd >= range.begin) found.push_back(&ref);
    return found;
}

// Adds a track's tiles to `sum`, whose bins are as wide as theirs or wider.
Result<> addTiles(TileLevel& sum, const TraceStore& store, TrackId track, TimeRange range)
{
    const std::vector<int> levels = store.tileLevels(track);
    const int own = tileLevelFor(levels, std::ldexp(1.0, sum.level));
    if (own < 0) return Unit{};
    const Result<TileLevel> tiles = store.tiles(track, own, range);
    if (!tiles) return tiles.error();
    for (std::size_t i = 0; i < tiles->bins.size(); ++i) {
        const std::int64_t at = ((tiles->firstBin + static_cast<std::int64_t>(i)) >> (sum.level - own)) - sum.firstBin;
        if (at < 0 || at >= static_cast<std::int64_t>(sum.bins.size())) continue;
        addBin(sum.bins[static_cast<std::size_t>(at)], tiles->bins[i]);
    }
    return Unit{};
}

class RowReader {
public:
    RowReader(const TraceStore& store, const RowRequest& request)
        : m_store(store), m_request(request),
          m_tasks(store, request.track, TaskRow::Begin | TaskRow::Entry, Coverage::Kept)
    {
        m_data.range = request.range;
        m_data.resolution = request.resolution;
        m_data.isKept = isKept();
        if (!m_data.isKept) findLacking();
        m_data.hasCalls = hasCalls();
    }

    RowData load()
    {
        if (!m_request.members.empty()) loadGroup();
        else if (const std::optional<int> level = tileLevel()) loadTiles(*level);
        else if (m_data.isKept) loadEvents();
        else m_data.exact = false;  // a thread, of which there are no tiles
        loadDetails();
        return std::move(m_data);
    }

private:
    struct Owner {
        EntryId entry = noEntry;
        TimeNs begin = minTime;
    };
    // Boxes of equal depth lie beside each other; where more than four of them lie over each other (deeper than there
    // are lanes, or made to be slow), nobody can tell them apart.
    struct Lane {
        std::int64_t newest = -1;  // index in m_data.intervals; -1: none
        std::array<TimeNs, 4> ends{minTime, minTime, minTime, minTime};
    };
    static constexpr std::int64_t mostLanes = 16;

    std::optional<int> tileLevel() const
    {
        const std::vector<int> levels = m_store.tileLevels(m_request.track);
        if (levels.empty()) return {};
        const int level = tileLevelFor(levels, m_request.resolution);
        if (level >= 0) return level;
        if (m_request.tilesOnly || m_store.info().isSummary() || !m_data.isKept) return levels.front();
        return {};
    }

    // Whether all events of the row in the range are there; of a group it is not asked.
    bool isKept() const
    {
        if (!m_store.info().isPart() || !m_request.members.empty()) return true;
        const Track* const track = m_store.track(m_request.track);
        const TimeRange range = intersection(m_request.range, m_store.info().range());
        return track != nullptr && track->pe && m_store.isKept(*track->pe, range);
    }

    void findLacking()
    {
        const Track* const track = m_store.track(m_request.track);
        const TimeRange range = intersection(m_request.range, m_store.info().range());
        const ProcessorId pe = track != nullptr && track->pe ? *track->pe : ProcessorId{0xffffffffu};
        const auto end = std::ranges::upper_bound(m_store.kept(), pe, {}, &KeptRange::pe);
        const auto first = std::lower_bound(std::ranges::lower_bound(m_store.kept(), pe, {}, &KeptRange::pe), end,
                                            range.begin,
                                            [](const KeptRange& kept, TimeNs time) { return kept.end < time; });
        TimeNs from = range.begin;
        const auto lacksUntil = [&](TimeNs until) {
            if (from < until) m_data.lacking.push_back({from, until});
        };
        for (auto kept = first; kept != end && kept->begin < range.end; ++kept) {
            if (static_cast<double>(saturatingSubtract(kept->end, kept->begin)) < m_request.resolution)
                continue;  // less than a pixel
            lacksUntil(kept->begin);
            from = kept->end;
        }
        lacksUntil(range.end);
    }

    // Of a rank of which nothing is kept it is not known; a rank has calls as a rule.
    bool hasCalls() const
    {
        if (!chunks(ChunkKind::MpiCall).empty()) return true;
        const Track* const track = m_store.info().isPart() ? m_store.track(m_request.track) : nullptr;
        return track != nullptr && track->kind == TrackKind::Rank;
    }

    // Only what is kept is looked at, where all of it is (isKept()).
    std::span<const ChunkRef> chunks(ChunkKind kind) const { return m_store.keptChunks(kind, m_request.track); }

    void loadTiles(int level)
    {
        m_data.exact = false;
        Result<TileLevel> tiles = m_store.tiles(m_request.track, level, m_request.range);
        if (tiles) m_data.bins = std::move(*tiles);
        else damaged(tiles.error());
    }

    void loadGroup()
    {
        m_data.exact = false;
        m_data.members = static_cast<int>(m_request.members.size());
        const TimeRange range = intersection(m_request.range, m_store.info().range());
        Result<TileLevel> sum = summedTiles(m_store, m_request.members, range, m_request.resolution);
        if (sum) m_data.bins = std::move(*sum);
        else damaged(sum.error());
    }

    void loadEvents()
    {
        std::vector<RowSegment> pieces = taskPieces();
        addContinuedPieces(pieces);
        m_data.segments = exclusiveSegments(std::move(pieces));
        for (const ChunkRef* ref : chunksIn(chunks(ChunkKind::Idle), m_request.range))
            for (const IdleRow& gap : read<IdleRow>(*ref, IdleRow::All))
                if (gap.range().overlaps(m_request.range)) addIdle(gap.range());
        CallsOfRow found = callsOfRow(m_store, m_request.track, m_request.range, m_request.resolution);
        m_data.calls = std::move(found.calls);
        m_data.thinned = m_data.thinned || found.thinned;
        if (found.damage) damaged(*found.damage);
        reduceToBins();
    }

    // A PE idles once at a time; gaps that overlap would each be spread over all of the picture.
    void addIdle(TimeRange gap)
    {
        if (!m_data.idle.empty()) gap.begin = std::max(gap.begin, m_data.idle.back().end);
        if (!gap.isEmpty()) m_data.idle.push_back(gap);
    }

    std::vector<RowSegment> taskPieces()
    {
        std::vector<RowSegment> pieces;
        constexpr std::uint32_t fields = TaskRow::Range | TaskRow::Entry | TaskRow::Pieces;
        for (const ChunkRef* ref : chunksIn(chunks(ChunkKind::Task), m_request.range))
            for (const TaskRow& task : read<TaskRow>(*ref, fields)) {
                if (task.hasPieces()) m_owners.emplace(task.index(), Owner{task.entry(), task.begin()});
                else if (task.range().overlaps(m_request.range))
                    pieces.push_back({task.range(), task.entry(), task.index(), true});
            }
        return pieces;
    }

    void addContinuedPieces(std::vector<RowSegment>& pieces)
    {
        for (const ChunkRef* ref : chunksIn(chunks(ChunkKind::Piece), m_request.range))
            for (const PieceRow& piece : read<PieceRow>(*ref, PieceRow::All)) {
                if (!piece.range().overlaps(m_request.range)) continue;
                const auto task = static_cast<std::uint32_t>(piece.task());
                const Owner& owner = ownerOf(task);
                pieces.push_back({piece.range(), owner.entry, task, piece.begin() == owner.begin});
            }
    }

    // The task of a piece. Its row may lie in a chunk outside the range, which is read then.
    const Owner& ownerOf(std::uint32_t task)
    {
        const auto known = m_owners.find(task);
        if (known != m_owners.end()) return known->second;
        Owner owner;
        const Result<const TaskRow*> found = m_tasks.find(task);
        if (!found) damaged(found.error());
        else if (*found != nullptr) owner = {(*found)->entry(), (*found)->begin()};
        return m_owners.emplace(task, owner).first->second;
    }

    // More than four segments a pixel are replaced by their sums in bins of at most a pixel.
    void reduceToBins()
    {
        const double pixels = static_cast<double>(m_request.range.length()) / m_request.resolution;
        if (m_data.segments.empty() && m_data.idle.empty()) return;  // bins would say nothing
        const auto count = static_cast<double>(m_data.segments.size()
                                               + std::max(m_data.idle.size(), m_data.calls.size()));
        if (m_request.resolution < 4 || count < 4 * pixels) return;
        const int level = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(m_request.resolution))) - 1;
        const TimeRange range = intersection(m_request.range, m_store.info().range());
        m_data.bins = binsOf(m_data.segments, m_data.idle, level, range);
        m_data.exact = false;
        m_data.segments.clear();
        m_data.idle.clear();
        m_data.calls.clear();
    }

    void loadDetails()
    {
        if (m_request.tilesOnly || !m_request.members.empty() || !m_data.isKept) return;
        loadOverheads();
        loadIntervals();
        loadMarks();
    }

    // The chunks in the range, or if there are too many detailChunks of them, evenly spread.
    std::vector<const ChunkRef*> detailRefs(ChunkKind kind)
    {
        std::vector<const ChunkRef*> refs = chunksIn(chunks(kind), m_request.range);
        if (refs.size() <= detailChunks) return refs;
        m_data.thinned = true;
        std::vector<const ChunkRef*> some;
        for (std::size_t i = 0; i < detailChunks; ++i) some.push_back(refs[i * refs.size() / detailChunks]);
        return some;
    }

    // Whether a chunk holds time that tracing itself took: flushes, or periods in which it was off.
    bool hasLostTime(const ChunkRef& ref)
    {
        bool isThere = false;
        for (const OverheadRow& lost : read<OverheadRow>(ref, OverheadRow::Kind))
            isThere = isThere || lost.overheadKind() > static_cast<std::int64_t>(OverheadKind::Unpack);
        return isThere;
    }

    // Where there is very much packing only a sample of it shows. Flushes and periods without tracing always show.
    void loadOverheads()
    {
        const std::vector<const ChunkRef*> refs = chunksIn(chunks(ChunkKind::Overhead), m_request.range);
        const std::size_t every = (refs.size() + detailChunks - 1) / detailChunks;
        if (every > 1) m_data.thinned = true;
        for (std::size_t i = 0; i < refs.size(); ++i) {
            const bool sampled = every <= 1 || i % every == 0;
            if (sampled || hasLostTime(*refs[i])) addOverheads(*refs[i], sampled);
        }
    }

    void addOverheads(const ChunkRef& ref, bool withPacking)
    {
        const auto nearby = static_cast<TimeNs>(m_request.resolution / 3);
        for (const OverheadRow& overhead : read<OverheadRow>(ref, OverheadRow::All)) {
            const TimeRange range = overhead.range();
            const std::int64_t kind = overhead.overheadKind();
            if (!range.overlaps(m_request.range) || kind < 0 || kind > 3) continue;
            const auto packing = static_cast<OverheadKind>(kind) <= OverheadKind::Unpack;
            if (packing && !withPacking) continue;
            if (packing && 2 * static_cast<double>(range.length()) < m_request.resolution) {
                m_data.thinned = true;  // left out: merged, they would look longer than they were
                continue;
            }
            std::int64_t& newest = m_lastOfKind[static_cast<std::size_t>(kind)];
            if (newest >= 0) {
                TimeRange& before = m_data.overheads[static_cast<std::size_t>(newest)].range;
                const bool isOver = range.begin < before.end;  // as in no run: the time that both took is one
                if (isOver || (range.begin - before.end <= nearby && range.length() <= nearby)) {
                    m_data.thinned = m_data.thinned || !isOver;
                    before.end = std::max(before.end, range.end);
                    continue;
                }
            }
            newest = static_cast<std::int64_t>(m_data.overheads.size());
            m_data.overheads.push_back({range, static_cast<OverheadKind>(kind)});
        }
    }

    void addInterval(const RowInterval& interval)
    {
        // One box stands for neighbours on the same lane that share a pixel.
        const auto nearby = static_cast<TimeNs>(m_request.resolution / 3);
        m_data.lanes = std::max(m_data.lanes, interval.depth + 1);
        Lane& lane = m_laneOf[static_cast<std::size_t>(interval.depth)];
        if (lane.newest >= 0) {
            TimeRange& before = m_data.intervals[static_cast<std::size_t>(lane.newest)].range;
            if (saturatingSubtract(interval.range.begin, before.end) <= nearby && interval.range.length() <= nearby
                && before.length() <= 2 * nearby) {
                m_data.thinned = true;
                before.end = std::max(before.end, interval.range.end);
                return;
            }
        }
        TimeNs* const free = std::ranges::find_if(lane.ends, [&](TimeNs end) { return end <= interval.range.begin; });
        if (free == lane.ends.end() || m_data.intervals.size() >= mostIntervals()) {
            m_data.thinned = true;
            return;
        }
        *free = interval.range.end;
        lane.newest = static_cast<std::int64_t>(m_data.intervals.size());
        m_data.intervals.push_back(interval);
    }

    // What rows that are shown together may take for them is shared.
    std::size_t mostIntervals() const
    {
        constexpr std::size_t all = 1 << 20, least = 1 << 10;
        return std::max(least, all / std::max<std::size_t>(m_request.beside, 1));
    }

    void loadIntervals()
    {
        for (const ChunkRef* ref : detailRefs(ChunkKind::Interval))
            for (const IntervalRow& interval : read<IntervalRow>(*ref, IntervalRow::All)) {
                const TimeRange range = interval.range();
                if (range.begin >= m_request.range.end || range.end < m_request.range.begin) continue;
                const auto depth = std::clamp<std::int64_t>(interval.depth(), 0, mostLanes - 1);
                addInterval({range, interval.region(), static_cast<int>(depth)});
            }
    }

    void loadMarks()
    {
        for (const ChunkRef* ref : detailRefs(ChunkKind::Mark))
            for (const MarkRow& mark : read<MarkRow>(*ref, MarkRow::All)) {
                const TimeRange range{mark.time(), saturatingAdd(mark.time(), std::max<TimeNs>(0, mark.duration()))};
                if (range.begin >= m_request.range.end || range.end < m_request.range.begin) continue;
                addInterval({range, mark.region(), 0});
            }
    }

    // The rows of a chunk; none if it is damaged, which the row's data says.
    template <typename Row>
    RowBlock<Row> read(const ChunkRef& ref, std::uint32_t fields)
    {
        Result<RowBlock<Row>> rows = m_store.block<Row>(ref, fields, Coverage::Kept);
        if (rows) return std::move(*rows);
        damaged(rows.error());
        return {};
    }

    void damaged(const Error& error)
    {
        if (!m_data.damaged) m_data.damage = error;
        m_data.damaged = true;
    }

    const TraceStore& m_store;
    const RowRequest& m_request;
    RowData m_data;
    RowSeeker<TaskRow> m_tasks;                                    // pieces of many may lie side by side
    std::unordered_map<std::uint32_t, Owner, DrawnHash> m_owners;  // tasks with several pieces
    std::array<Lane, mostLanes> m_laneOf;                          // by depth
    std::array<std::int64_t, 4> m_lastOfKind{-1, -1, -1, -1};      // index of each kind's newest in m_data.overheads
};

// A row that is counted until the last one who draws it has gone.
struct HeldRow {
    HeldRow(RowData row, std::shared_ptr<Holding> counted) : data(std::move(row)), holding(std::move(counted))
    {
        holding->add(data.bytes());
    }
    ~HeldRow() { holding->add(-data.bytes()); }
    HeldRow(const HeldRow&) = delete;
    HeldRow& operator=(const HeldRow&) = delete;

    const RowData data;
    const std::shared_ptr<Holding> holding;
};

}  // namespace

Result<TileLevel> summedTiles(const TraceStore& store, std::span<const TrackId> tracks, TimeRange range,
                              double resolution)
{
    int level = std::max(0, static_cast<int>(std::floor(std::log2(std::max(1.0, resolution)))));
    std::vector<TrackId> parts;
    for (bool isFound = false; !isFound;) {  // else once more: at a coarser level blocks may be larger
        parts = tracksWithBlocks(store, tracks, level);
        isFound = true;
        for (const TrackId part : parts) {
            const std::vector<int> levels = store.tileLevels(part);
            if (levels.empty() || levels.front() <= level) continue;
            level = levels.front();
            isFound = false;
        }
    }
    TileLevel sum = binsOf({}, {}, level, range);
    for (const TrackId track : parts)
        if (const Result<> added = addTiles(sum, store, track, range); !added) return added.error();
    return sum;
}

Result<TileLevel> overviewTiles(const TraceStore& store, double pixels)
{
    constexpr std::size_t few = 64;
    constexpr std::int64_t fewTasks = 50'000;
    Result<TileLevel> overview = store.overview();
    if (!overview || static_cast<double>(overview->bins.size()) >= pixels || store.processors().size() > few)
        return overview;
    std::vector<TrackId> tracks;
    for (const Processor& processor : store.processors())
        if (processor.kind != TrackKind::CommThread) tracks.push_back(processor.track);
    const TimeRange run = store.info().range();
    const double resolution = std::max(1.0, static_cast<double>(run.length()) / pixels);
    if (store.info().tasks > fewTasks || !store.hasEvents()) return summedTiles(store, tracks, run, resolution);
    // The tiles of a short run are wider than a pixel, and its events are soon counted.
    const int level = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(resolution))) - 1;
    TileLevel sum = binsOf({}, {}, level, run);
    for (const TrackId track : tracks) {
        const RowData row = loadRow(store, {.track = track, .range = run, .resolution = 1});
        if (row.damaged) return row.damage;
        const TileLevel bins = binsOf(row.segments, row.idle, level, run);
        for (std::size_t i = 0; i < bins.bins.size(); ++i) {
            addSaturating(sum.bins[i].busy, bins.bins[i].busy);
            addSaturating(sum.bins[i].idle, bins.bins[i].idle);
            addSaturating(sum.bins[i].tasks, bins.bins[i].tasks);
        }
    }
    return sum;
}

RowData loadRow(const TraceStore& store, const RowRequest& request)
{
    RowData data = withSlack(RowReader(store, request).load(), store, request.track, request.members, request.slack);
    return withFilter(std::move(data), store, request.track, request.members, request.filter);
}

int tileLevelFor(std::span<const int> levels, double resolution)
{
    int best = -1;
    for (const int level : levels)
        if (std::ldexp(1.0, level) <= resolution) best = std::max(best, level);
    return best;
}

TileSource::TileSource(Results& results, std::size_t rows, std::int64_t bytes)
    : m_store(results.sharedStore()), m_holding(results.hold("rows of the timeline")), m_most(rows), m_mostBytes(bytes)
{
}

std::shared_ptr<const RowData> TileSource::row(const RowRequest& request)
{
    const Key key{request.track,
                  request.key,
                  request.range,
                  static_cast<int>(std::lround(std::log2(request.resolution) * 64)),
                  request.tilesOnly,
                  request.slack.version,
                  request.filter ? request.filter->grain : TimeRange{}};
    {
        const std::lock_guard lock(m_lock);
        const auto known = m_index.find(key);
        if (known != m_index.end()) {
            m_entries.splice(m_entries.begin(), m_entries, known->second);
            return m_entries.front().data;
        }
    }
    const auto held = std::make_shared<const HeldRow>(loadRow(*m_store, request), m_holding);
    const std::shared_ptr<const RowData> data(held, &held->data);
    const std::lock_guard lock(m_lock);
    if (m_index.contains(key)) return data;
    m_entries.push_front({key, data});
    m_index.emplace(key, m_entries.begin());
    m_bytes += data->bytes();
    while (m_entries.size() > m_most || (m_bytes > m_mostBytes && m_entries.size() > 1)) {
        m_bytes -= m_entries.back().data->bytes();
        m_index.erase(m_entries.back().key);
        m_entries.pop_back();
    }
    return data;
}

}  // namespace longpole
