// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/base/chunkscan.h"

#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/base/translate.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace longpole {

namespace {

const ChunkRef* alignedRef(std::span<const ChunkRef> refs, const ChunkRef& to)
{
    const auto found = std::ranges::lower_bound(refs, to.firstRow, {}, &ChunkRef::firstRow);
    return found != refs.end() && found->firstRow == to.firstRow && found->rows == to.rows ? &*found : nullptr;
}

}  // namespace

std::vector<const Processor*> processorsToScan(const TraceStore& store, std::span<const ProcessorId> pes,
                                               bool withCommThreads)
{
    std::vector<const Processor*> found;
    for (const Processor& processor : store.processors()) {
        const bool isWanted = pes.empty() ? withCommThreads || processor.kind != TrackKind::CommThread
                                          : std::ranges::find(pes, processor.pe) != pes.end();
        if (isWanted) found.push_back(&processor);
    }
    return found;
}

Result<> scanChunks(const TraceStore& store, TrackId track, ChunkKind kind, std::optional<ChunkKind> aligned,
                    const ScanRequest& request, const Progress& progress, const ChunkVisit& visit)
{
    const std::span<const ChunkRef> others = aligned ? store.chunks(*aligned, track) : std::span<const ChunkRef>();
    const std::uint32_t timeField = AnyRow::timeField(kind);
    const bool hasRange = !request.range.isEmpty() && timeField != 0;
    for (const ChunkRef& ref : store.chunks(kind, track)) {
        if (progress.isCancelled()) return Unit{};
        if (hasRange && (ref.lastBegin < request.range.begin || ref.firstBegin >= request.range.end)) continue;
        const bool isCut = hasRange && (ref.firstBegin < request.range.begin || ref.lastBegin >= request.range.end);
        const auto read = store.read(ref, request.fields | (isCut ? timeField : 0u));
        if (!read) return read.error();
        std::shared_ptr<const Chunk> alignedRows;
        if (!others.empty()) {
            const ChunkRef* const other = alignedRef(others, ref);
            if (other == nullptr)
                return Error{tr("The file is damaged: what tasks came from does not fit the tasks."), store.path(),
                             tr("Import the trace again.")};
            auto readOther = store.read(*other, request.alignedFields);
            if (!readOther) return readOther.error();
            alignedRows = *readOther;
        }
        visit(*read, std::move(alignedRows), isCut);
    }
    return Unit{};
}

std::size_t scanWorkers(std::size_t processors) { return std::clamp<std::size_t>(processors, 1, defaultThreads()); }

Result<> scanProcessors(std::span<const Processor* const> processors, const Progress& progress,
                        const std::function<Result<>(std::size_t worker, const Processor& processor)>& work)
{
    const std::size_t workers = scanWorkers(processors.size());
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> done{0};
    std::atomic<bool> failed{false};
    std::optional<Error> error;
    std::mutex mutex;
    parallelFor(
        workers,
        [&](std::size_t worker) {
            for (std::size_t i = next++; i < processors.size() && !failed && !progress.isCancelled(); i = next++) {
                if (const Result<> result = work(worker, *processors[i]); !result) {
                    failed = true;
                    const std::lock_guard lock(mutex);
                    if (!error) error = result.error();
                }
                progress.report(static_cast<double>(++done) / static_cast<double>(processors.size()));
            }
        },
        static_cast<unsigned>(workers));
    if (error) return *error;
    if (progress.isCancelled()) return cancelledError();
    return Unit{};
}

}  // namespace longpole
