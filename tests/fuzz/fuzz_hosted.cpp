// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes recordings that several processes read: they refuse what the import refuses, keep the rows that it keeps, and
// find the same waits, causes and elapsed path. A trace that keeps parts of the events opens, and they can be read.
#include "analysis/paths/criticalpath.h"
#include "distributed/answers/hostedcauses.h"
#include "distributed/answers/hostedelapsed.h"
#include "distributed/answers/hostedpath.h"
#include "distributed/answers/hostedwaits.h"
#include "distributed/answers/hostedwork.h"
#include "distributed/answers/keptwishes.h"
#include "distributed/recording/hostedtrace.h"
#include "distributed/transport/threadwire.h"
#include "fuzz/drawnrecording.h"
#include "fuzz/importedtrace.h"
#include "fuzz/require.h"
#include "importers/recording/import.h"

#include <atomic>

using namespace longpole;

namespace {

// The chunks of the rank with this track, one after another: what is stored of it, down to the byte.
std::vector<std::uint64_t> rowsOf(const TraceStore& store, TrackId track)
{
    std::vector<std::uint64_t> hashes;
    for (const ChunkSpec& spec : chunkSpecs())
        for (const ChunkRef& ref : store.chunks(spec.kind))
            if (ref.track == track) hashes.push_back(ref.hash);
    return hashes;
}

Result<CriticalPath> elapsedPathOf(const TraceStore& store)
{
    const auto graph = loadActivityGraph(store, Progress());
    return graph ? elapsedPath(**graph) : Result<CriticalPath>(graph.error());
}

// What is kept of it are rows of the whole trace.
void readKept(const QString& file, const TraceStore& whole)
{
    const auto opened = TraceStore::open(file);
    requireOk(opened ? nullptr : &opened.error(), "a trace of parts opens");
    const TraceStore& part = **opened;
    for (const Track& track : part.tracks())
        for (const ChunkSpec& spec : chunkSpecs())
            for (const ChunkRef& ref : part.keptChunks(spec.kind, track.id)) {
                const auto kept = part.read(ref, 0xffffffffu, Coverage::Kept);
                requireOk(kept ? nullptr : &kept.error(), "its chunks can be read");
                if (spec.kind == ChunkKind::Tile || spec.kind == ChunkKind::EntryBin) continue;
                const ChunkRef* const there = chunkOf(whole.chunks(spec.kind, track.id), ref.firstRow);
                require(there != nullptr && ref.firstRow + ref.rows <= there->firstRow + there->rows,
                        "the whole trace has these rows");
                const auto all = whole.read(*there);
                require(all.ok(), "the whole trace can be read");
                const auto from = static_cast<std::ptrdiff_t>(ref.firstRow - there->firstRow);
                for (std::size_t column = 0; column < (*kept)->columns.size(); ++column)
                    require(std::equal((*kept)->columns[column].begin(), (*kept)->columns[column].end(),
                                       (*all)->columns[column].begin() + from),
                            "kept rows are as they were");
            }
    QFile::remove(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Choices choices(data, size);
    const int processes = 1 + static_cast<int>(choices.below(3));
    const QString folder = drawnrecording::write(choices);
    const QString target = fuzzFile("imported.longpole");
    const Result<ImportReport> report = importRecording(folder, target, {.symbols = {}, .threads = 1}, Progress());
    const auto whole = report ? TraceStore::open(target) : Result<std::shared_ptr<const TraceStore>>(report.error());
    const WaitOptions options{.mostWorst = 5, .withCauses = false};
    auto waits = whole ? waitStates(**whole, options, Progress()) : Result<WaitStates>(whole.error());
    if (waits && !findCauses(**whole, options, *waits, Progress())) waits = Error{};
    const auto elapsed = whole ? elapsedPathOf(**whole) : Result<CriticalPath>(whole.error());
    std::atomic<int> hosted = 0;
    std::atomic<bool> isKept = false;
    const QString part = fuzzFile("part.longpole");
    const auto bytes = static_cast<std::int64_t>(size % 8 * 400);  // of events that are kept
    const Result<> ran = runOnThreads(processes, [&](Transport& transport) {
        const Result<HostedTrace> trace = hostRecording(transport, folder, {.scratch = fuzzFile("")}, Progress());
        if (!trace) return transport.fail(trace.error());
        ++hosted;
        if (!whole) return;
        for (const Processor& rank : (*whole)->processors())
            if (trace->hosting.hosts(transport.process(), index(rank.pe)))
                require(rowsOf(*trace->store, rank.track) == rowsOf(**whole, rank.track), "all keep the same rows");
        Result<WaitStates> found = hostedWaitStates(transport, *trace, options, Progress());
        const bool isCaused = found && findHostedCauses(transport, *trace, options, *found, Progress());
        if (transport.isRoot() && waits && isCaused) {
            require(found->total == waits->total, "waits are the same");
            require(found->causes == waits->causes && found->causesByRank == waits->causesByRank,
                    "causes are the same");
        }
        const TimeRange run = (*whole)->info().range();
        const Progress progress;
        WorkPass pass(transport, *trace, run, progress);
        if (!pass.prepare()) return;
        const Result<HostedPath> path = hostedElapsedPath(pass, *trace->store, Progress());
        require(!path || !transport.isRoot() || !elapsed || path->path.steps == elapsed->steps,
                "elapsed paths are the same");
        const Result<HostedPath> work = hostedWorkPath(pass, *trace->store, Progress());
        if (!work || !found) return;
        static_cast<void>(hostedEfficiency(pass, *trace, Progress()));
        KeptTrace kept;
        if (transport.isRoot()) kept = keptWishes({.bytes = bytes}, *trace->store, work->path, *found);
        if (writeKeptTrace(transport, *trace, kept, part, Progress()) && transport.isRoot()) isKept = true;
    });
    if (isKept) readKept(part, **whole);
    require((hosted != 0) == whole.ok(), "all refuse the same recordings");
    require(!ran || hosted == processes, "all processes read it, or none");
    QFile::remove(target);
    return 0;
}
