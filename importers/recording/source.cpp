// SPDX-License-Identifier: GPL-3.0-or-later
// Reading a location: the chunks of a thread, one after the other.
#include "importers/recording/source.h"

#include "core/base/parallel.h"
#include "core/base/translate.h"

#include <QFileInfo>

#include <algorithm>
#include <cstring>

namespace longpole {
namespace {

struct ByThread {
    bool operator()(const RecordedChunk& chunk, std::uint32_t thread) const { return chunk.thread < thread; }
    bool operator()(std::uint32_t thread, const RecordedChunk& chunk) const { return thread < chunk.thread; }
};

std::span<const RecordedChunk> chunksOf(const RecordedRank& rank, std::uint32_t thread)
{
    const auto [first, last] = std::equal_range(rank.chunks.begin(), rank.chunks.end(), thread, ByThread{});
    return {first, last};
}

// The first time in a chunk's records, and the end of its first MPI_Init.
struct FirstTimes {
    std::optional<std::int64_t> record;
    std::optional<std::int64_t> init;
};

FirstTimes firstTimes(std::span<const char> records)
{
    FirstTimes times;
    while (!records.empty()) {
        const auto type = static_cast<std::uint8_t>(records[0]);
        const std::uint32_t size = lp_record_size(type);
        if (size == 0 || size > records.size()) break;
        if (type == LP_CALL_RECORD) {
            lp_call_record call;
            std::memcpy(&call, records.data(), sizeof call);
            if (!times.record) times.record = call.begin;
            if (call.call == LP_Init || call.call == LP_Init_thread) {
                times.init = call.end;
                break;
            }
        } else if (!times.record && type < LP_FIRST_COMPLETION) {
            std::int64_t time;  // the other records have it there
            std::memcpy(&time, records.data() + 8, sizeof time);
            times.record = time;
        }
        records = records.subspan(size);
    }
    return times;
}

}  // namespace

EarliestTimes earliestTimes(const RecordingRun& run, unsigned threads, const Progress& progress)
{
    std::vector<TimeNs> inits(run.ranks.size(), maxTime);
    std::vector<TimeNs> records(run.ranks.size(), maxTime);
    parallelFor(
        run.ranks.size(),
        [&](std::size_t rank) {
            if (!run.ranks[rank] || progress.isCancelled()) return;
            const std::span<const RecordedChunk> chunks = chunksOf(*run.ranks[rank], 0);
            const Result<RecordingBytes> bytes = RecordingBytes::open(run.ranks[rank]->path);
            std::vector<char> raw;
            if (chunks.empty() || !bytes || !readRecords(*bytes, chunks.front(), raw)) return;
            const FirstTimes times = firstTimes(raw);
            if (times.init) inits[rank] = run.clocks[rank](*times.init);
            if (times.record) records[rank] = run.clocks[rank](*times.record);
        },
        threads);
    return {*std::min_element(inits.begin(), inits.end()), *std::min_element(records.begin(), records.end())};
}

Result<std::unique_ptr<RecordingSource>> RecordingSource::open(const QString& path, unsigned threads,
                                                               const Progress& progress)
{
    const Result<RecordingFiles> files = findRecording(path);
    if (!files) return files.error();
    Result<RecordingRun> run = openRecording(*files, threads, progress);
    if (!run) return run.error();
    return std::make_unique<RecordingSource>(std::move(*run));
}

Result<> RecordingSource::read(std::size_t location, MpiEvents& events, ImportLog& log, const Progress& progress)
{
    const std::uint32_t number = m_run.names.locations[location].rank;
    if (!m_run.ranks[number]) return Unit{};
    const RecordedRank& rank = *m_run.ranks[number];
    const Result<RecordingBytes> bytes = RecordingBytes::open(rank.path);
    if (!bytes) return bytes.error();
    ImportLog own(QFileInfo(rank.path).fileName());
    RecordingEvents decoder(m_run.numbers[number], m_run.regions, m_run.clocks[number], events, own,
                            {number, &m_run.names.communicators});
    std::vector<char> records;
    const RecordedChunk* last = nullptr;
    for (const RecordedChunk& chunk : chunksOf(rank, m_run.threadOf[location])) {
        if (progress.isCancelled()) return cancelledError();
        if (readRecords(*bytes, chunk, records)) decoder.take(records, progress);
        else own.add(IssueKind::DamagedRecording);
        last = &chunk;
    }
    decoder.finish();
    if (last && last->openCall != 0) decoder.takeOpenCall(last->openCall - 1, last->openBegin);
    log.merge(own);
    return Unit{};
}

}  // namespace longpole
