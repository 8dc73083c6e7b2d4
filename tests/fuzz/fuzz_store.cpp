// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes the reader of .longpole files: the bytes say how a sound store is changed; its checksums are right.
#include "core/sql/sqlsession.h"
#include "core/store/rows.h"
#include "fuzz/storemutation.h"

using namespace longpole;

namespace {

void require(bool holds)
{
    if (!holds) std::abort();
}

// What definitions promise once a store is open.
void checkDefinitions(const TraceStore& store)
{
    for (const Processor& processor : store.processors()) {
        require(index(processor.pe) < mostIds);
        require(store.track(processor.track) != nullptr);
    }
    for (const Track& track : store.tracks()) {
        require(track.parent == noTrack || store.track(track.parent) != nullptr);
        require(!track.pe || store.processor(*track.pe) != nullptr);
    }
    for (const ProfileRow& row : store.profile()) require(store.processor(row.pe) != nullptr);
    require(store.info().processors >= 0);
    require(store.info().processors <= static_cast<std::int64_t>(store.processors().size()));
}

void readChunks(const TraceStore& store)
{
    for (const ChunkSpec& spec : chunkSpecs())
        for (const ChunkRef& ref : store.chunks(spec.kind)) {
            static_cast<void>(store.read(ref, 1));
            static_cast<void>(store.read(ref));
        }
    for (const Processor& processor : store.processors()) {
        for (const int level : store.tileLevels(processor.track))
            static_cast<void>(store.tiles(processor.track, level, {0, 10'000}));
        static_cast<void>(store.entryBins(processor.track));
        static_cast<void>(store.leastLatencies(processor.pe));
        for (std::uint32_t row = 0; row < 4; ++row) {
            static_cast<void>(store.task({processor.pe, row}));
            static_cast<void>(store.messagesOf({processor.pe, row}));
        }
    }
    static_cast<void>(store.overview());
}

void ask(const std::shared_ptr<const TraceStore>& store)
{
    const auto session = SqlSession::open(store);
    if (!session) return;
    for (const char* table : {"task", "message", "idle", "overhead", "interval", "counter", "mark", "hop", "mpi_call",
                              "merge", "thread_wait", "entry", "track"}) {
        int rows = 0;
        static_cast<void>((*session)->run(
            QStringLiteral("SELECT * FROM ") + QLatin1String(table), [](const QStringList&) {},
            [&rows](std::span<const QVariant>) { return ++rows < 100; }, Progress()));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto opened = TraceStore::open(mutatedStore(data, size));
    if (!opened) return 0;
    checkDefinitions(**opened);
    readChunks(**opened);
    ask(*opened);
    return 0;
}
