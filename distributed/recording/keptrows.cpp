// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/recording/keptrows.h"

#include "core/base/translate.h"
#include "distributed/recording/chunkcut.h"

#include <algorithm>

namespace longpole {
namespace {

constexpr std::int64_t chunkCost = 200;    // of its row in the directory, and of what its bytes begin with
constexpr std::uint32_t bridgedRows = 32;  // that nobody wishes for are cheaper than another chunk
constexpr std::uint32_t everyColumn = 0xffffffffu;

std::optional<ChunkKind> owners(ChunkKind kind)
{
    if (kind == ChunkKind::TaskSource || kind == ChunkKind::Merge) return ChunkKind::Task;
    if (kind == ChunkKind::MessageExecutions) return ChunkKind::Message;
    return {};
}

}  // namespace

KeptRows::KeptRows(const TraceStore& store, std::span<const KeptWish> wishes, std::uint32_t first, std::uint32_t last)
    : m_store(store), m_wishes(wishes), m_first(first), m_numbers(last - first)
{
    for (std::uint32_t number = 0; number < wishes.size(); ++number)
        if (wishes[number].rank >= first && wishes[number].rank < last)
            m_numbers[wishes[number].rank - first].push_back(number);
}

// Null: nothing is wished of what the track belongs to.
const FirstWish* KeptRows::wishesAbout(TrackId track)
{
    const Track* const found = m_store.track(track);
    if (found == nullptr || !found->pe) return nullptr;
    const std::uint32_t rank = index(*found->pe);
    if (rank < m_first || rank - m_first >= m_numbers.size()) return nullptr;
    if (rank != m_rank) {
        m_rank = rank;
        m_wanted.clear();
        m_firstWish.emplace(m_wishes, m_numbers[rank - m_first]);
    }
    return &*m_firstWish;
}

Result<const std::vector<std::uint32_t>*> KeptRows::wantedRows(ChunkKind kind, TrackId track)
{
    if (const auto known = m_wanted.find({kind, track}); known != m_wanted.end()) return &known->second;
    std::vector<std::uint32_t> wanted;
    for (const ChunkRef& ref : m_store.chunks(kind, track)) {
        const auto chunk = m_store.read(ref, everyColumn);
        if (!chunk) return chunk.error();
        const Result<std::vector<std::uint32_t>> rows = wantedBy(**chunk);
        if (!rows) return rows.error();
        wanted.insert(wanted.end(), rows->begin(), rows->end());
    }
    return &(m_wanted[{kind, track}] = std::move(wanted));
}

Result<std::vector<std::uint32_t>> KeptRows::wantedBy(const Chunk& chunk)
{
    std::vector<std::uint32_t> wanted(chunk.rows, FirstWish::none);
    const FirstWish* const wishes = wishesAbout(chunk.track);
    if (wishes == nullptr) return wanted;
    const ChunkSpec& spec = chunkSpec(chunk.kind);
    if (const std::optional<ChunkKind> owner = owners(chunk.kind)) {
        const Result<const std::vector<std::uint32_t>*> rows = wantedRows(*owner, chunk.track);
        if (!rows) return rows.error();
        for (std::uint32_t row = 0; row < chunk.rows; ++row) {
            const std::int64_t number = chunk.kind == ChunkKind::Merge ? chunk.at(MergeColumn::Task, row)
                                                                       : chunk.firstRow + row;
            if (number >= 0 && number < std::ssize(**rows)) wanted[row] = (**rows)[static_cast<std::size_t>(number)];
        }
        return wanted;
    }
    if (spec.timeColumn < 0) return wanted;
    for (std::uint32_t row = 0; row < chunk.rows; ++row) {
        const TimeNs begin = chunk.at(static_cast<std::size_t>(spec.timeColumn), row);
        const TimeNs end = spec.durationColumn < 0
                               ? begin
                               : saturatingAdd(begin, chunk.at(static_cast<std::size_t>(spec.durationColumn), row));
        wanted[row] = wishes->of(begin, end);
    }
    return wanted;
}

Result<std::vector<std::int64_t>> KeptRows::costs(const Progress& progress)
{
    std::vector<std::int64_t> costs(m_wishes.size(), 0);
    std::map<std::uint32_t, std::int64_t> rowsOf;  // of one chunk, by wish
    for (std::uint32_t i = 0; i < m_numbers.size(); ++i) {
        if (m_numbers[i].empty()) continue;
        for (const auto& [pe, track] : m_store.tracksOf(ProcessorId{m_first + i})) {
            for (const ChunkSpec& spec : chunkSpecs()) {
                if (isSum(spec.kind)) continue;
                for (const ChunkRef& ref : m_store.chunks(spec.kind, track)) {
                    if (progress.isCancelled()) return cancelledError();
                    const auto chunk = m_store.read(ref, everyColumn);
                    if (!chunk) return chunk.error();
                    const auto wanted = wantedBy(**chunk);
                    if (!wanted) return wanted.error();
                    rowsOf.clear();
                    for (const std::uint32_t wish : *wanted)
                        if (wish != FirstWish::none) ++rowsOf[wish];
                    if (rowsOf.empty()) continue;
                    const Result<EncodedChunk> encoded = m_store.encoded(ref);
                    if (!encoded) return encoded.error();
                    const std::int64_t bytes = std::ssize(encoded->bytes);
                    for (const auto& [wish, rows] : rowsOf)
                        costs[wish] += chunkCost + (bytes * rows + ref.rows - 1) / ref.rows;
                }
            }
        }
    }
    return costs;
}

Result<std::vector<EncodedChunk>> KeptRows::cut(const ChunkRef& ref)
{
    std::vector<EncodedChunk> cuts;
    const auto keepWhole = [&]() -> Result<> {
        Result<EncodedChunk> whole = m_store.encoded(ref);
        if (!whole) return whole.error();
        whole->isNumbered = true;
        cuts.push_back(std::move(*whole));
        return Unit{};
    };
    if (isSum(ref.kind)) {
        if (const Result<> kept = keepWhole(); !kept) return kept.error();
        return cuts;
    }
    const auto chunk = m_store.read(ref, everyColumn);
    if (!chunk) return chunk.error();
    const auto wanted = wantedBy(**chunk);
    if (!wanted) return wanted.error();
    std::uint32_t from = 0, to = 0;  // what is wanted so far, and not cut yet
    const auto cutRows = [&]() -> Result<> {
        if (from == to) return Unit{};
        if (from == 0 && to == ref.rows) return keepWhole();
        cuts.push_back(cutChunk(**chunk, from, to));
        return Unit{};
    };
    for (std::uint32_t row = 0; row < ref.rows; ++row) {
        if ((*wanted)[row] == FirstWish::none) continue;
        if (from == to || row - to > bridgedRows) {
            if (const Result<> done = cutRows(); !done) return done.error();
            from = row;
        }
        to = row + 1;
    }
    if (const Result<> done = cutRows(); !done) return done.error();
    return cuts;
}

}  // namespace longpole
