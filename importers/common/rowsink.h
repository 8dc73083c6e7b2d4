// SPDX-License-Identifier: GPL-3.0-or-later
// Where an importer's event rows go: the stream of a trace being written, or a test that looks at them.
#pragma once

#include "core/store/tracewriter.h"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

class RowSink {
public:
    virtual ~RowSink() = default;
    virtual void append(ChunkKind kind, TrackId track, std::span<const std::int64_t> row) = 0;
    virtual void append(TrackId track, const TilePyramid& pyramid) = 0;
    virtual void append(TrackId track, const EntryBins& bins) = 0;
    // Before the first rows of these kinds: those that an earlier import of a run that grows has written for good come
    // here, but for the rows that it could not know to their end.
    struct Replaced {
        std::int64_t number = 0;  // of the row, from 0
        std::vector<std::int64_t> row;
    };
    virtual void settled(std::span<const ChunkKind> /*kinds*/, std::span<const Replaced> /*replaced*/ = {}) {}
    // No row comes for a while.
    virtual void rest() {}
};

class StreamSink final : public RowSink {
public:
    explicit StreamSink(std::unique_ptr<EventStream> stream) : m_stream(std::move(stream)) {}
    void append(ChunkKind kind, TrackId track, std::span<const std::int64_t> row) override
    {
        m_stream->append(kind, track, row);
    }
    void append(TrackId track, const TilePyramid& pyramid) override { m_stream->append(track, pyramid); }
    void append(TrackId track, const EntryBins& bins) override { m_stream->append(track, bins); }
    void rest() override { m_stream->rest(); }

private:
    std::unique_ptr<EventStream> m_stream;
};

}  // namespace longpole
