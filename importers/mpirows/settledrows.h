// SPDX-License-Identifier: GPL-3.0-or-later
// The rows that an earlier import of a run that grows has written for good: they come into the new trace as they lie in
// the old one, compressed, but for the last ones of each kind, which do not fill a chunk.
#pragma once

#include "core/store/tracestore.h"
#include "importers/common/rowsink.h"

#include <array>
#include <memory>
#include <optional>

namespace longpole {

// How many rows of each kind, by its number, a track has for good.
using RowCounts = std::array<std::int64_t, 32>;
std::int64_t& rowsOf(RowCounts& counts, ChunkKind kind);
std::int64_t rowsOf(const RowCounts& counts, ChunkKind kind);

// Where the rows of one track go, all others behind the settled ones.
class SettledSink final : public RowSink {
public:
    // `earlier`: the trace that has the settled rows, which must outlive it; null: there are none.
    SettledSink(std::unique_ptr<EventStream> stream, TrackId track, const TraceStore* earlier, const RowCounts& settled)
        : m_stream(std::move(stream)), m_track(track), m_earlier(earlier), m_settled(settled), m_counts(settled)
    {
    }

    void append(ChunkKind kind, TrackId track, std::span<const std::int64_t> row) override;
    void append(TrackId track, const TilePyramid& pyramid) override { m_stream->append(track, pyramid); }
    void append(TrackId track, const EntryBins& bins) override { m_stream->append(track, bins); }
    // `replaced`: by number.
    void settled(std::span<const ChunkKind> kinds, std::span<const Replaced> replaced = {}) override;

    // Those settled and those that have come, of kinds that settled() was called for.
    const RowCounts& counts() const { return m_counts; }
    // Why settled rows are missing, if they are.
    const std::optional<Error>& failure() const { return m_failure; }

private:
    bool take(const ChunkRef& ref, std::span<const Replaced> replaced);

    std::unique_ptr<EventStream> m_stream;
    const TrackId m_track;
    const TraceStore* m_earlier;
    const RowCounts m_settled;
    RowCounts m_counts;
    std::optional<Error> m_failure;
};

}  // namespace longpole
