// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of one processor of a trace, decoded: executions, pieces, sources, creations.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "core/trace/columns.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace longpole {

class ReplayedRows {
public:
    // Nothing for a processor without a track. Errors: damaged chunks.
    static Result<ReplayedRows> of(const TraceStore& store, std::uint32_t pe);

    std::int64_t task(std::uint32_t row, std::size_t column) const { return at(m_tasks, row, column); }
    std::int64_t source(std::uint32_t row, std::size_t column) const { return at(m_sources, row, column); }
    std::int64_t message(std::uint32_t row, std::size_t column) const { return at(m_messages, row, column); }
    std::int64_t executions(std::uint32_t message) const
    {
        return message < m_executions ? at(m_executionCounts, message, MessageExecutionsColumn::Executions) : 0;
    }
    std::int64_t size() const { return m_size; }  // rows of all kinds
    bool hasSource(std::uint32_t row) const { return row < m_sourceRows; }

    struct Piece {
        std::uint32_t row;
        TimeNs begin, end;
    };
    // Of an execution with more than one, by begin.
    std::span<const Piece> pieces(std::uint32_t row) const;

private:
    using Chunks = std::vector<std::shared_ptr<const Chunk>>;
    static std::int64_t at(const Chunks& chunks, std::uint32_t row, std::size_t column);

    Chunks m_tasks, m_sources, m_messages, m_executionCounts;
    std::int64_t m_sourceRows = 0;
    std::int64_t m_executions = 0;
    std::int64_t m_size = 0;
    std::vector<Piece> m_pieces;  // by row, begin
};

}  // namespace longpole
