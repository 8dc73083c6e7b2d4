// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/verification.h"

#include "core/base/limits.h"
#include "core/base/timelimits.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/file/codec.h"
#include "core/file/columnlimits.h"
#include "core/trace/processorblocks.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <vector>

namespace longpole {
namespace {

template <typename T, typename Key>
bool isAscending(const std::vector<T>& rows, Key key)
{
    return std::ranges::adjacent_find(rows, std::ranges::greater_equal(), key) == rows.end();
}

template <typename T, typename Id>
bool has(const std::vector<T>& rows, Id id, Id T::*key)
{
    return std::ranges::binary_search(rows, id, {}, key);
}

bool idsAscend(const Definitions& d)
{
    return isAscending(d.tracks, &Track::id) && isAscending(d.processors, &Processor::pe)
           && isAscending(d.chares, &Chare::id) && isAscending(d.entries, &Entry::id)
           && isAscending(d.regions, &Region::id) && isAscending(d.callPaths, &CallPath::id)
           && isAscending(d.texts, &std::pair<std::int64_t, QString>::first);
}

// Every track hangs below one without a parent: going up ends, and soon, as whoever shows them goes down by calling
// itself.
bool isForest(const std::vector<Track>& tracks)
{
    constexpr std::uint32_t deepest = limits::trackDepth.free;
    std::vector<std::uint32_t> depths(tracks.size(), 0);  // of those that are done
    enum class Seen : std::uint8_t { Not, OnWay, Done };
    std::vector<Seen> seen(tracks.size(), Seen::Not);
    std::vector<std::size_t> way;
    for (std::size_t start = 0; start < tracks.size(); ++start) {
        way.clear();
        std::uint32_t depth = 0;
        for (std::size_t at = start; seen[at] != Seen::Done;) {
            if (seen[at] == Seen::OnWay) return false;
            seen[at] = Seen::OnWay;
            way.push_back(at);
            if (tracks[at].parent == noTrack) break;
            const auto parent = std::ranges::lower_bound(tracks, tracks[at].parent, {}, &Track::id);
            if (parent == tracks.end() || parent->id != tracks[at].parent) return false;
            at = static_cast<std::size_t>(parent - tracks.begin());
            depth = depths[at];
        }
        for (; !way.empty(); way.pop_back()) {
            seen[way.back()] = Seen::Done;
            depths[way.back()] = ++depth;
        }
        if (depth > deepest) return false;
    }
    return true;
}

// Every call path lies below one that has a smaller id, and none in more functions than a stack may have: what is shown
// of a path has all of them.
bool callPathsAreTree(const Definitions& d)
{
    constexpr std::uint32_t deepest = 2 * limits::callPathDepth.free;  // a function, and the place in it
    std::vector<std::uint32_t> depths;
    depths.reserve(d.callPaths.size());
    for (const CallPath& path : d.callPaths) {
        std::uint32_t depth = 1;
        if (path.parent != noCallPath) {
            const auto parent = std::ranges::lower_bound(d.callPaths, path.parent, {}, &CallPath::id);
            if (path.parent >= path.id || parent == d.callPaths.end() || parent->id != path.parent) return false;
            depth += depths[static_cast<std::size_t>(parent - d.callPaths.begin())];
        }
        if (depth > deepest) return false;
        depths.push_back(depth);
    }
    return true;
}

bool namesAreShort(const Definitions& d)
{
    const auto isShort = [](const QString& name) { return name.size() <= limits::nameLength.free; };
    return std::ranges::all_of(d.processors, isShort, &Processor::name)
           && std::ranges::all_of(d.tracks, isShort, &Track::name)
           && std::ranges::all_of(d.chares, isShort, &Chare::name)
           && std::ranges::all_of(d.entries, isShort, &Entry::name)
           && std::ranges::all_of(d.entries, isShort, &Entry::chare)
           && std::ranges::all_of(d.regions, isShort, &Region::name)
           && std::ranges::all_of(d.callPaths, isShort, &CallPath::function)
           && std::ranges::all_of(d.callPaths, isShort, &CallPath::file)
           && std::ranges::all_of(d.callPaths, isShort, &CallPath::module);
}

// Processors and their rows of the timeline know each other, and no two share one.
bool processorsHaveTracks(const Definitions& d)
{
    // Analyses keep something for each number up to the largest.
    const std::int64_t numbers = std::min<std::int64_t>(mostIds, limits::storeIds.of(std::ssize(d.processors)));
    std::vector<TrackId> taken;
    for (const Processor& processor : d.processors) {
        if (index(processor.pe) >= numbers || !has(d.tracks, processor.track, &Track::id)) return false;
        taken.push_back(processor.track);
    }
    std::ranges::sort(taken);
    if (std::ranges::adjacent_find(taken) != taken.end()) return false;
    return std::ranges::all_of(d.tracks, [&d](const Track& track) {
        return !track.pe || has(d.processors, *track.pe, &Processor::pe);
    });
}

bool profileFits(const Definitions& d)
{
    return std::ranges::all_of(d.profile, [&d](const ProfileRow& row) {
        return has(d.processors, row.pe, &Processor::pe) && row.count >= 0 && row.messages >= 0;
    });
}

// Whether the rows of every kind and track are numbered without gaps, on tracks that there are; tiles from any row on,
// as a bin's number is its time. So an answer has no more bins than rows are stored. Of parts of a run there are gaps.
bool isGapless(const Definitions& d)
{
    const ChunkRef* above = nullptr;
    for (const ChunkRef& ref : d.directory) {
        const bool isTile = ref.kind == ChunkKind::Tile;
        const std::int64_t most = isTile ? maxTime : 0xffffffff;
        if (ref.firstRow > most - maxStoredRows || (isTile && !binsHaveTimes(ref))) return false;
        const bool same = above && above->kind == ref.kind && above->track == ref.track && above->level == ref.level;
        const std::int64_t expected = same ? above->firstRow + above->rows : isTile ? ref.firstRow : 0;
        const bool mayLack = d.info.isPart() && !isTile && ref.kind != ChunkKind::EntryBin;
        if (mayLack ? ref.firstRow < expected : ref.firstRow != expected) return false;
        if (ref.level != 0 && !isTile && ref.kind != ChunkKind::EntryBin) return false;
        const bool isSum = isTile && (ref.track == noTrack || blockOf(ref.track, d.processors.size()));
        if (!isSum && ref.track != noTrack && !has(d.tracks, ref.track, &Track::id)) return false;
        above = &ref;
    }
    return true;
}

// Whoever draws the whole run takes all bins of the finest level, of which an import writes one for 32 events, or few;
// of a block of processors what is in a chunk of its finest level, and a third more.
bool tilesAreFew(const Definitions& d, std::int64_t fileBytes)
{
    constexpr std::int64_t few = 2048, fewOfABlock = 2 * std::int64_t{chunkRows};
    std::int64_t many = 0, ofTrack = 0;
    TrackId track = noTrack;
    for (const ChunkRef& ref : d.directory) {
        if (ref.kind != ChunkKind::Tile) continue;
        if (ref.track != track) ofTrack = 0;
        track = ref.track;
        const std::int64_t spared = blockOf(track, d.processors.size()) ? fewOfABlock : few;
        const std::int64_t before = std::max(ofTrack, spared);
        ofTrack += ref.rows;
        many += std::max(ofTrack, spared) - before;
    }
    return many <= limits::storeTiles.of(fileBytes / 4);
}

// A writer numbers them without large gaps, so that marks of those that were seen take less time than sorting.
bool idsOfChunksDiffer(const Definitions& d)
{
    if (d.directory.empty()) return true;
    const auto [least, most] = std::ranges::minmax(d.directory, {}, &ChunkRef::id);
    const std::int64_t numbers = saturatingSubtract(most.id, least.id);
    if (numbers < std::ssize(d.directory) * 8) {
        std::vector<bool> seen(static_cast<std::size_t>(numbers) + 1, false);
        for (const ChunkRef& ref : d.directory) {
            const auto number = static_cast<std::size_t>(ref.id - least.id);
            if (seen[number]) return false;
            seen[number] = true;
        }
        return true;
    }
    std::vector<std::int64_t> ids;
    for (const ChunkRef& ref : d.directory) ids.push_back(ref.id);
    std::ranges::sort(ids);
    return std::ranges::adjacent_find(ids) == ids.end();
}

// Only a trace that has parts of the events says where these are, in order and apart, and what was computed.
bool partFits(const Definitions& d)
{
    if (d.info.part < 0 || d.info.part > 1 || (d.info.isSummary() && d.info.isPart())) return false;
    if (!d.info.isPart()) return d.kept.empty() && d.answers == StoredAnswers();
    const auto touch = [](const KeptRange& a, const KeptRange& b) {
        return a.pe > b.pe || (a.pe == b.pe && a.end >= b.begin);
    };
    if (std::ranges::adjacent_find(d.kept, touch) != d.kept.end()) return false;
    for (std::size_t i = 0; i < answerTables; ++i)
        if (d.answers.lacking[i] && !d.answers.values[i].empty()) return false;
    return d.answers.rows(AnswerTable::Run) <= 1 && std::ranges::all_of(d.kept, [&d](const KeptRange& range) {
               return range.begin <= range.end && has(d.processors, range.pe, &Processor::pe);
           });
}

// Totals by which readers reserve memory.
bool totalsFit(const Definitions& d)
{
    const TraceInfo& info = d.info;
    const std::int64_t counts[] = {info.tasks, info.messages, info.messagesMatched, info.executionsUnmatched};
    if (std::ranges::any_of(counts, [](std::int64_t count) { return count < 0; })) return false;
    return info.processors >= 0 && info.processors <= static_cast<std::int64_t>(d.processors.size());
}

}  // namespace

bool binsHaveTimes(const ChunkRef& tiles)
{
    return tiles.firstRow >= minTime >> tiles.level && tiles.firstRow + tiles.rows <= maxTime >> tiles.level;
}

std::int64_t rowsIn(const Definitions& definitions)
{
    std::int64_t rows = 0;
    for (const ChunkRef& ref : definitions.directory) rows += ref.rows;
    return rows;
}

bool timesAreNear(const Definitions& d)
{
    if (d.info.begin > d.info.end || !isNearZero(d.info.begin) || !isNearZero(d.info.end)) return false;
    if (d.info.busy < 0 || d.info.idle < 0) return false;  // of all processors, which may be more than any time
    const auto isNear = [](const Processor& p) {
        const bool hasStart = p.started != minTime, hasStop = p.stopping != maxTime;  // else it says neither
        return isNearZero(p.firstRecord) && isNearZero(p.lastRecord) && (!hasStart || isNearZero(p.started))
               && (!hasStop || isNearZero(p.stopping))
               && std::ranges::all_of(std::array{p.busy, p.idle, p.pack, p.flush, p.untraced},
                                      [](TimeNs time) { return time >= 0 && time <= longestTime; });
    };
    const auto isShort = [](const ProfileRow& row) { return isDifference(row.time) && isDifference(row.exclusive); };
    const auto isInTime = [](const ChunkRef& ref) {  // bins have numbers, which isGapless() looks at
        return chunkSpec(ref.kind).timeColumn < 0
               || (isNearZero(ref.firstBegin) && isNearZero(ref.lastBegin) && isNearZero(ref.maxEnd));
    };
    return std::ranges::all_of(d.processors, isNear) && std::ranges::all_of(d.profile, isShort)
           && std::ranges::all_of(d.directory, isInTime);
}

QString contradictionIn(const Definitions& d, std::int64_t fileBytes)
{
    if (!idsAscend(d)) return tr("its ids are not in order");
    if (!isForest(d.tracks)) return tr("its rows of the timeline are no tree");
    if (!callPathsAreTree(d)) return tr("its call paths are no tree");
    if (std::max(std::ssize(d.issues), std::ssize(d.counts)) > limits::storeIssues.free)
        return tr("it has more kinds of issues than any import finds");
    if (!namesAreShort(d)) return tr("a name is longer than any that an import writes");
    if (!processorsHaveTracks(d)) return tr("a PE or rank has no row of the timeline of its own");
    if (!profileFits(d)) return tr("its profile is one of other PEs or ranks");
    if (!partFits(d)) return tr("it does not say of which parts its events are");
    if (!isGapless(d) || !idsOfChunksDiffer(d)) return tr("rows are missing");
    if (rowsIn(d) > limits::storeRows.of(fileBytes)) return tr("it claims more rows than its bytes can hold");
    if (!tilesAreFew(d, fileBytes)) return tr("it claims more tiles than its bytes can hold");
    if (!totalsFit(d)) return tr("its totals are not those of its tables");
    if (!timesAreNear(d)) return tr("its times are beyond what a run can last");
    return {};
}

}  // namespace longpole
