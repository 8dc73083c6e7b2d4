// SPDX-License-Identifier: GPL-3.0-or-later
// Reading a location: the chunks of a thread, one after the other.
#include "importers/recording/source.h"

#include "core/base/parallel.h"
#include "core/base/translate.h"
#include "importers/recording/meetings.h"

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
            if (call.call == LP_Init || call.call == LP_Init_thread || call.call == LP_Session_init) {
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

// Of types and times: what else a record has may look another way in a chunk than in the area that it was.
std::uint64_t timesChecksum(std::span<const char> records)
{
    std::uint64_t sum = 0;
    while (!records.empty()) {
        const auto type = static_cast<std::uint8_t>(records[0]);
        const std::uint32_t size = lp_record_size(type);
        if (size == 0 || size > records.size()) break;
        std::uint64_t words[] = {type, 0};
        if (type < LP_FIRST_COMPLETION) std::memcpy(&words[1], records.data() + 8, sizeof words[1]);
        sum = lp_checksum(words, sizeof words, sum);
        records = records.subspan(size);
    }
    return sum;
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

// Hands over the records of a thread, and stops at each place.
class RecordingSource::Reading {
public:
    Reading(RecordingSource& source, std::uint32_t rank, RecordingEvents& decoder, MpiEvents& events,
            const ImportLog& log)
        : m_source(source), m_rank(rank), m_decoder(decoder), m_events(events), m_log(log)
    {
        if (!source.m_chosen.empty()) m_chosen = source.m_chosen[rank];
    }

    // Records of a chunk, from `begin` on.
    void take(const RecordedChunk& chunk, std::span<const char> records, std::size_t begin, const Progress& progress)
    {
        while (!m_chosen.empty() && m_chosen.front().seq == chunk.seq) {
            const Chosen& chosen = m_chosen.front();
            m_chosen = m_chosen.subspan(1);
            if (chosen.offset < begin || chosen.offset > records.size()) continue;
            m_decoder.take(records.subspan(begin, chosen.offset - begin), progress);
            begin = chosen.offset;
            RecordingPlace place{.seq = chunk.seq, .offset = begin, .events = m_decoder.endCall(), .log = m_log};
            place.before = checksumBefore(*m_source.m_run.ranks[m_rank], chunk.seq);
            place.inside = timesChecksum(records.first(begin));
            m_source.m_places[chosen.place][m_rank] = std::move(place);
            m_events.between(chosen.place);
        }
        m_decoder.take(records.subspan(begin), progress);
    }

    static std::uint64_t checksumBefore(const RecordedRank& rank, std::uint32_t seq)
    {
        std::uint64_t sum = 0;
        for (const RecordedChunk& chunk : chunksOf(rank, 0)) {
            if (chunk.seq >= seq) break;
            const std::uint64_t one[] = {chunk.seq, chunk.rawLength};
            sum = lp_checksum(one, sizeof one, sum);
        }
        return sum;
    }

private:
    RecordingSource& m_source;
    const std::uint32_t m_rank;
    RecordingEvents& m_decoder;
    MpiEvents& m_events;
    const ImportLog& m_log;
    std::span<const Chosen> m_chosen;
};

Result<> RecordingSource::read(std::size_t location, MpiEvents& events, ImportLog& log, const Progress& progress)
{
    const std::uint32_t number = m_run.names.locations[location].rank;
    if (!m_run.ranks[number]) return Unit{};
    const RecordedRank& rank = *m_run.ranks[number];
    const Result<RecordingBytes> bytes = RecordingBytes::open(rank.path);
    if (!bytes) return bytes.error();
    const RecordingPlace* const from = m_from.empty() ? nullptr : &m_from[number];
    ImportLog own = from ? from->log : ImportLog(QFileInfo(rank.path).fileName());
    RecordingEvents decoder(m_run.numbers[number], m_run.regions, m_run.clocks[number], events, own,
                            {number, &m_run.names.communicators}, from ? from->events : RecordingEventsState{});
    Reading reading(*this, number, decoder, events, own);
    std::vector<char> records;
    const RecordedChunk* last = nullptr;
    for (const RecordedChunk& chunk : chunksOf(rank, m_run.threadOf[location])) {
        if (progress.isCancelled()) return cancelledError();
        last = &chunk;
        if (from && chunk.seq < from->seq) continue;
        const std::size_t begin = from && chunk.seq == from->seq ? from->offset : 0;
        if (readRecords(*bytes, chunk, records)) reading.take(chunk, records, begin, progress);
        else own.add(IssueKind::DamagedRecording);
    }
    decoder.finish();
    if (last && last->openCall != 0) decoder.takeOpenCall(last->openCall - 1, last->openBegin);
    log.merge(own);
    return Unit{};
}

bool RecordingSource::goOnFrom(const std::vector<RecordingPlace>& places)
{
    std::vector<char> records;
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
        if (rank >= m_run.ranks.size() || !m_run.ranks[rank]) return false;
        const RecordingPlace& place = places[rank];
        const RecordedRank& recorded = *m_run.ranks[rank];
        const std::span<const RecordedChunk> chunks = chunksOf(recorded, 0);
        const auto chunk = std::find_if(chunks.begin(), chunks.end(),
                                        [&](const RecordedChunk& one) { return one.seq == place.seq; });
        const Result<RecordingBytes> bytes = RecordingBytes::open(recorded.path);
        if (chunk == chunks.end() || !bytes || !readRecords(*bytes, *chunk, records)) return false;
        if (records.size() < place.offset || timesChecksum(std::span(records).first(place.offset)) != place.inside
            || Reading::checksumBefore(recorded, place.seq) != place.before)
            return false;
    }
    m_from = places;
    return true;
}

void RecordingSource::choosePlaces(unsigned threads, const Progress& progress)
{
    constexpr std::size_t most = 2;
    std::vector<RecordBehind> from;
    for (const RecordingPlace& place : m_from) from.push_back({place.seq, place.offset});
    const std::vector<std::vector<RecordBehind>> meetings = lastMeetings(m_run, from, most, threads, progress);
    m_chosen.assign(m_run.ranks.size(), {});
    m_places.assign(meetings.size(), std::vector<std::optional<RecordingPlace>>(m_run.ranks.size()));
    for (std::size_t place = 0; place < meetings.size(); ++place)
        for (std::size_t rank = 0; rank < m_run.ranks.size(); ++rank)
            m_chosen[rank].push_back({place, meetings[place][rank].seq, meetings[place][rank].offset});
}

std::vector<RecordingPlace> RecordingSource::takePlaces(std::size_t place)
{
    std::vector<RecordingPlace> taken;
    for (std::optional<RecordingPlace>& one : m_places[place]) taken.push_back(std::move(*one));
    return taken;
}

}  // namespace longpole
