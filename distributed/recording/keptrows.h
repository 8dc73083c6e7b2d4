// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of hosted ranks that a list of wishes keeps: what each wish costs, and the chunks without the other rows.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/file/chunksink.h"
#include "core/store/tracestore.h"
#include "distributed/recording/keptchoice.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

class KeptRows {
public:
    // Of the ranks [first, last), whose events the store has.
    KeptRows(const TraceStore& store, std::span<const KeptWish> wishes, std::uint32_t first, std::uint32_t last);

    // By wish, how many bytes more than those before it need: a chunk's bytes by their part of its rows, and what a
    // chunk costs by itself. O(rows). Errors: damaged chunks, cancelled.
    Result<std::vector<std::int64_t>> costs(const Progress& progress);

    // The chunk's rows that are wished for, in as many chunks as there are gaps between them; sums stay whole.
    Result<std::vector<EncodedChunk>> cut(const ChunkRef& ref);

private:
    // By row of its chunk the first wish that wants it. Tasks and messages have rows beside them of the same number,
    // tasks also such as name them: these are wanted with them.
    Result<std::vector<std::uint32_t>> wantedBy(const Chunk& chunk);
    Result<const std::vector<std::uint32_t>*> wantedRows(ChunkKind kind, TrackId track);
    const FirstWish* wishesAbout(TrackId track);

    const TraceStore& m_store;
    std::span<const KeptWish> m_wishes;
    std::uint32_t m_first;
    std::vector<std::vector<std::uint32_t>> m_numbers;  // of the wishes about each hosted rank
    // Of the rank that was asked for last.
    std::uint32_t m_rank = 0xffffffffu;
    std::optional<FirstWish> m_firstWish;
    std::map<std::pair<ChunkKind, TrackId>, std::vector<std::uint32_t>> m_wanted;  // by row
};

// Sums over the run, which a trace has whole whatever events it has.
constexpr bool isSum(ChunkKind kind)
{
    return kind == ChunkKind::Tile || kind == ChunkKind::EntryBin || kind == ChunkKind::Latency;
}

}  // namespace longpole
