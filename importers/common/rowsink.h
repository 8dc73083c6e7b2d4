// SPDX-License-Identifier: GPL-3.0-or-later
// Where an importer's event rows go: the stream of a trace being written, or a test that looks at them.
#pragma once

#include "core/store/tracewriter.h"

#include <memory>
#include <span>
#include <utility>

namespace longpole {

class RowSink {
public:
    virtual ~RowSink() = default;
    virtual void append(ChunkKind kind, TrackId track, std::span<const std::int64_t> row) = 0;
    virtual void append(TrackId track, const TilePyramid& pyramid) = 0;
    virtual void append(TrackId track, const EntryBins& bins) = 0;
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

private:
    std::unique_ptr<EventStream> m_stream;
};

}  // namespace longpole
