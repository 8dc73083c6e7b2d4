// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/blocktiles.h"

#include "core/base/translate.h"
#include "core/file/codec.h"
#include "core/store/tilecolumns.h"
#include "core/trace/processorblocks.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace longpole {
namespace {

// Of each processor its finest level that lies in one chunk; null: it has none, or does not count.
std::vector<const ChunkRef*> partsOf(const std::vector<Processor>& processors, const std::vector<ChunkRef>& directory)
{
    std::unordered_map<std::uint32_t, std::size_t> places;
    for (std::size_t place = 0; place < processors.size(); ++place)
        if (processors[place].kind != TrackKind::CommThread) places.emplace(index(processors[place].track), place);
    std::unordered_map<std::uint64_t, int> chunksOfLevel;
    for (const ChunkRef& ref : directory)
        if (ref.kind == ChunkKind::Tile) ++chunksOfLevel[placeInDirectory(ref.kind, ref.track, ref.level)];
    std::vector<const ChunkRef*> parts(processors.size(), nullptr);
    for (const ChunkRef& ref : directory) {
        if (ref.kind != ChunkKind::Tile || chunksOfLevel[placeInDirectory(ref.kind, ref.track, ref.level)] > 1)
            continue;
        const auto place = places.find(index(ref.track));
        if (place == places.end()) continue;
        const ChunkRef*& part = parts[place->second];
        if (part == nullptr || ref.level < part->level) part = &ref;
    }
    return parts;
}

class BlockSums {
public:
    BlockSums(const std::vector<Processor>& processors, const std::vector<ChunkRef>& directory,
              const ReadChunkBytes& read, const TakeChunk& take, const Progress& progress)
        : m_parts(partsOf(processors, directory)), m_read(read), m_take(take), m_progress(progress)
    {
    }

    // Hands on the tiles of the block and of those in it, which come first, and returns its own.
    Result<TilePyramid> of(ProcessorBlock block)
    {
        TilePyramid sum;
        const std::size_t most = mostBins(block);
        if (block.size == 0) {
            for (std::size_t place = block.first(); place < block.end(m_parts.size()); ++place) {
                if (m_progress.isCancelled()) return cancelledError();
                if (m_parts[place] == nullptr) continue;
                Result<TileLevel> level = levelOf(*m_parts[place]);
                if (!level) return level.error();
                addInto(sum, {.levels = {std::move(*level)}}, most);
            }
        } else {
            for (ProcessorBlock inner{block.size - 1, block.number * std::uint32_t{blockMembers}};
                 inner.first() < block.end(m_parts.size()); ++inner.number) {
                const Result<TilePyramid> part = of(inner);
                if (!part) return part.error();
                addInto(sum, *part, most);
            }
        }
        for (const TileLevel& level : sum.levels) encodeLevel(trackOf(block), level, m_take);
        return sum;
    }

private:
    std::size_t mostBins(ProcessorBlock block) const
    {
        std::size_t largest = 1;
        for (std::size_t place = block.first(); place < block.end(m_parts.size()); ++place)
            if (m_parts[place] != nullptr) largest = std::max<std::size_t>(largest, m_parts[place]->rows);
        return std::min<std::size_t>(4 * largest, chunkRows);
    }

    Result<TileLevel> levelOf(const ChunkRef& ref) const
    {
        const Result<std::vector<char>> bytes = m_read(ref.id);
        if (!bytes) return bytes.error();
        const auto chunk = decodeChunk(*bytes, ref.kind, ref.track, ref.rows);
        if (!chunk) return Error{.what = tr("What was just written cannot be read back."), .where = {}, .hint = {}};
        TileLevel level{ref.level, ref.firstRow, std::vector<TileBin>(chunk->rows)};
        setTileColumns(level.bins, *chunk, 0, allTileColumns);
        return level;
    }

    const std::vector<const ChunkRef*> m_parts;
    const ReadChunkBytes& m_read;
    const TakeChunk& m_take;
    const Progress& m_progress;
};

// Finds blocks whose processors follow each other in a list of tracks.
class BlockFinder {
public:
    BlockFinder(const TraceStore& store, std::span<const TrackId> tracks, int level)
        : m_store(store), m_processors(store.processors()), m_tracks(tracks), m_level(level)
    {
    }

    std::vector<TrackId> found()
    {
        std::vector<TrackId> all;
        for (std::size_t at = 0; at < m_tracks.size();) {
            const auto [track, members] = largestAt(at);
            all.push_back(track);
            at += members;
        }
        return all;
    }

private:
    // The largest block that begins with a track, and how many it stands for; else that track.
    std::pair<TrackId, std::size_t> largestAt(std::size_t at) const
    {
        const std::optional<std::size_t> place = placeOf(m_tracks[at]);
        for (int size = place ? blockSizes(m_processors.size()) - 1 : -1; size >= 0; --size) {
            const ProcessorBlock block{size, static_cast<std::uint32_t>(*place / ProcessorBlock{size}.length())};
            if (const std::size_t members = membersAt(at, block); members > 0 && hasLevel(trackOf(block)))
                return {trackOf(block), members};
        }
        return {m_tracks[at], 1};
    }

    std::optional<std::size_t> placeOf(TrackId track) const
    {
        const Track* const found = m_store.track(track);
        if (found == nullptr || !found->pe) return {};
        const auto processor = std::ranges::lower_bound(m_processors, *found->pe, {}, &Processor::pe);
        if (processor == m_processors.end() || processor->track != track) return {};
        return static_cast<std::size_t>(processor - m_processors.begin());
    }

    // How many tracks from there on are all those of the block that count; 0: others are among them, or some lack.
    std::size_t membersAt(std::size_t at, ProcessorBlock block) const
    {
        std::size_t members = 0;
        for (std::size_t place = block.first(); place < block.end(m_processors.size()); ++place) {
            if (m_processors[place].kind == TrackKind::CommThread) continue;
            if (at + members >= m_tracks.size() || m_tracks[at + members] != m_processors[place].track) return 0;
            ++members;
        }
        return members;
    }

    bool hasLevel(TrackId track) const
    {
        const std::vector<int> levels = m_store.tileLevels(track);
        return !levels.empty() && levels.front() <= m_level;
    }

    const TraceStore& m_store;
    std::span<const Processor> m_processors;
    std::span<const TrackId> m_tracks;
    int m_level;
};

}  // namespace

Result<> encodeBlockTiles(const std::vector<Processor>& processors, const std::vector<ChunkRef>& directory,
                          const ReadChunkBytes& read, const TakeChunk& take, const Progress& progress)
{
    const int sizes = blockSizes(processors.size());
    if (sizes == 0) return Unit{};
    BlockSums sums(processors, directory, read, take, progress);
    for (ProcessorBlock block{sizes - 1, 0}; block.first() < processors.size(); ++block.number)
        if (const Result<TilePyramid> done = sums.of(block); !done) return done.error();
    return Unit{};
}

std::vector<TrackId> tracksWithBlocks(const TraceStore& store, std::span<const TrackId> tracks, int level)
{
    if (blockSizes(store.processors().size()) == 0) return {tracks.begin(), tracks.end()};
    return BlockFinder(store, tracks, level).found();
}

}  // namespace longpole
