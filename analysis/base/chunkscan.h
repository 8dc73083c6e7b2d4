// SPDX-License-Identifier: GPL-3.0-or-later
// One pass over the rows of many processors: chunk by chunk, only the columns that are needed, on several threads.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

// Those named, by pe; all PEs if none is. Comm threads are no PEs: only `withCommThreads` brings them among "all".
std::vector<const Processor*> processorsToScan(const TraceStore& store, std::span<const ProcessorId> pes,
                                               bool withCommThreads);

struct ScanRequest {
    ChunkKind kind = ChunkKind::Task;
    std::uint32_t columns = 0;           // a bit each
    TimeRange range{};                   // rows whose time lies in it; empty: all
    std::optional<ChunkKind> aligned{};  // rows of another kind that belong to these by their number
    std::uint32_t alignedColumns = 0;
};

// A chunk with the rows that count. `times` is null where all do.
struct ScannedChunk {
    const Chunk& rows;
    const Chunk* aligned = nullptr;  // null where none was asked for or the track has none
    const std::int64_t* times = nullptr;
    TimeRange range{};

    bool counts(std::uint32_t row) const { return times == nullptr || range.contains(times[row]); }
};

// Calls visit for the chunks of a track that may have rows in the range, in their order, until it is cancelled.
// Errors: damaged chunks, among them aligned ones that do not fit.
Result<> scanChunks(const TraceStore& store, TrackId track, const ScanRequest& request, const Progress& progress,
                    const std::function<void(const ScannedChunk&)>& visit);

// Threads that scan so many processors.
std::size_t scanWorkers(std::size_t processors);

// Calls work(worker, processor) once for each, no two at a time with the same worker < scanWorkers(). Errors: the first
// that work returns; cancelled. Reports progress.
Result<> scanProcessors(std::span<const Processor* const> processors, const Progress& progress,
                        const std::function<Result<>(std::size_t worker, const Processor& processor)>& work);

}  // namespace longpole
