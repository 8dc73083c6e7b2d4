// SPDX-License-Identifier: GPL-3.0-or-later
// Scans the rows of many processors: chunk by chunk, only the columns that are needed, on several threads.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/rows.h"
#include "core/store/tracestore.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

// The processors in `pes`, in the store's order; all if it is empty, but communication threads only `withCommThreads`.
std::vector<const Processor*> processorsToScan(const TraceStore& store, std::span<const ProcessorId> pes,
                                               bool withCommThreads);

struct ScanRequest {
    std::uint32_t fields = 0;         // the columns to read
    TimeRange range{};                // rows whose time lies in it; empty: all
    std::uint32_t alignedFields = 0;  // the columns to read of aligned rows
};

// A chunk of rows, of which those that counts() says lie in the range. Aligned rows are those of another kind that have
// the same numbers: the sources of tasks, for instance.
template <typename Row, typename Aligned = Row>
struct ScannedRows {
    RowBlock<Row> rows;
    RowBlock<Aligned> aligned;  // empty if they were not asked for or the track has none
    TimeRange range{};
    bool isCut = false;  // some rows lie outside the range

    bool counts(const Row& row) const { return !isCut || range.contains(row.time()); }
};

using ChunkVisit =
    std::function<void(std::shared_ptr<const Chunk> rows, std::shared_ptr<const Chunk> aligned, bool isCut)>;
Result<> scanChunks(const TraceStore& store, TrackId track, ChunkKind kind, std::optional<ChunkKind> aligned,
                    const ScanRequest& request, const Progress& progress, const ChunkVisit& visit);

// Calls visit(ScannedRows) for the chunks of a track that may have rows in the range, in their order, until it is
// cancelled. Errors: damaged chunks, among them aligned ones that do not fit.
template <typename Row, typename Visit>
Result<> scanRows(const TraceStore& store, TrackId track, const ScanRequest& request, const Progress& progress,
                  const Visit& visit)
{
    return scanChunks(store, track, Row::kind, {}, request, progress, [&](auto rows, auto, bool isCut) {
        visit(ScannedRows<Row>{RowBlock<Row>(std::move(rows)), {}, request.range, isCut});
    });
}
template <typename Row, typename Aligned, typename Visit>
Result<> scanAligned(const TraceStore& store, TrackId track, const ScanRequest& request, const Progress& progress,
                     const Visit& visit)
{
    return scanChunks(store, track, Row::kind, Aligned::kind, request, progress,
                      [&](auto rows, auto aligned, bool isCut) {
                          visit(ScannedRows<Row, Aligned>{RowBlock<Row>(std::move(rows)),
                                                          RowBlock<Aligned>(std::move(aligned)), request.range, isCut});
                      });
}

// How many threads scan so many processors.
std::size_t scanWorkers(std::size_t processors);

// Calls work(worker, processor) once for each, no two at a time with the same worker < scanWorkers(). Errors: the first
// that work returns; cancelled. Reports progress.
Result<> scanProcessors(std::span<const Processor* const> processors, const Progress& progress,
                        const std::function<Result<>(std::size_t worker, const Processor& processor)>& work);

}  // namespace longpole
