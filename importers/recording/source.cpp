// SPDX-License-Identifier: GPL-3.0-or-later
// Reading a location: the chunks of a thread, one after the other.
#include "importers/recording/source.h"

#include "core/base/parallel.h"
#include "core/base/release.h"
#include "core/base/translate.h"
#include "importers/recording/meetings.h"

#include <QFileInfo>

#include <algorithm>
#include <cstring>
#include <utility>

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

// Hands over the records of a thread, and stops at each place, and where the events pause.
class RecordingSource::Reading final : public MpiReading {
public:
    Reading(RecordingSource& source, std::size_t location, const RecordedRank& rank, MpiEvents& events, ImportLog& log)
        : m_source(source), m_number(source.m_run.names.locations[location].rank), m_rank(rank), m_events(events),
          m_from(source.m_from.empty() ? nullptr : &source.m_from[m_number]), m_log(log),
          m_own(m_from ? m_from->log : ImportLog(QFileInfo(rank.path).fileName())),
          m_decoder(source.m_run.numbers[m_number], source.m_run.regions, source.m_run.clocks[m_number], events, m_own,
                    {m_number, &source.m_run.names.communicators}, m_from ? m_from->events : RecordingEventsState{}),
          m_chunks(chunksOf(rank, source.m_run.threadOf[location]))
    {
        if (!source.m_chosen.empty()) m_chosen = source.m_chosen[m_number];
    }

    Result<bool> readOn(const Progress& progress) override
    {
        const Result<RecordingBytes> bytes = RecordingBytes::open(m_rank.path);
        if (!bytes) return bytes.error();
        for (; m_next < m_chunks.size(); ++m_next, m_isOpen = false) {
            if (progress.isCancelled()) return cancelledError();
            progress.report(static_cast<double>(m_next) / static_cast<double>(m_chunks.size()));
            if (!m_isOpen && !open(*bytes, m_chunks[m_next])) continue;
            if (take(m_chunks[m_next], progress)) continue;
            if (m_records.size() > mostWaiting) close();
            return true;
        }
        m_decoder.finish();
        if (!m_chunks.empty() && m_chunks.back().openCall != 0)
            m_decoder.takeOpenCall(m_chunks.back().openCall - 1, m_chunks.back().openBegin);
        m_log.merge(m_own);
        return false;
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
    // Records of a chunk that is open while others are read: there may be as many of them as ranks.
    static constexpr std::size_t mostWaiting = std::size_t{1} << 20;

    // False: there is nothing to take.
    bool open(const RecordingBytes& bytes, const RecordedChunk& chunk)
    {
        if (m_from && chunk.seq < m_from->seq) return false;
        m_at = std::exchange(m_goesOnAt, 0);
        if (m_at == 0 && m_from && chunk.seq == m_from->seq) m_at = m_from->offset;
        m_isOpen = readRecords(bytes, chunk, m_records);
        if (!m_isOpen) m_own.add(IssueKind::DamagedRecording);
        else m_at = std::min(m_at, m_records.size());
        return m_isOpen;
    }

    // To be opened again.
    void close()
    {
        m_goesOnAt = m_at;
        m_isOpen = false;
        release(m_records);
    }

    // The records of the chunk that is open, from m_at on. False: the events pause.
    bool take(const RecordedChunk& chunk, const Progress& progress)
    {
        while (!m_chosen.empty() && m_chosen.front().seq == chunk.seq) {
            const Chosen& chosen = m_chosen.front();
            if (chosen.offset >= m_at && chosen.offset <= m_records.size()) {
                if (!takeUntil(chosen.offset, progress)) return false;
                RecordingPlace place{.seq = chunk.seq, .offset = m_at, .events = m_decoder.endCall(), .log = m_own};
                place.before = checksumBefore(m_rank, chunk.seq);
                place.inside = timesChecksum(std::span(m_records).first(m_at));
                m_source.m_places[chosen.place][m_number] = std::move(place);
                m_events.between(chosen.place);
            }
            m_chosen = m_chosen.subspan(1);
        }
        return takeUntil(m_records.size(), progress);
    }
    bool takeUntil(std::size_t end, const Progress& progress)
    {
        m_at += m_decoder.take(std::span(m_records).subspan(m_at, end - m_at), progress);
        return m_at == end;
    }

    RecordingSource& m_source;
    const std::uint32_t m_number;
    const RecordedRank& m_rank;
    MpiEvents& m_events;
    const RecordingPlace* const m_from;
    ImportLog& m_log;
    ImportLog m_own;
    RecordingEvents m_decoder;
    std::span<const RecordedChunk> m_chunks;
    std::span<const Chosen> m_chosen;
    std::vector<char> m_records;  // of the chunk that is open
    std::size_t m_next = 0;       // of the chunks
    std::size_t m_at = 0;         // in the records
    std::size_t m_goesOnAt = 0;   // in those of the chunk that is opened next, if it was open before
    bool m_isOpen = false;
};

std::unique_ptr<MpiReading> RecordingSource::begin(std::size_t location, MpiEvents& events, ImportLog& log)
{
    const std::optional<RecordedRank>& rank = m_run.ranks[m_run.names.locations[location].rank];
    return rank ? std::make_unique<Reading>(*this, location, *rank, events, log) : nullptr;
}

Result<> RecordingSource::read(std::size_t location, MpiEvents& events, ImportLog& log, const Progress& progress)
{
    const std::unique_ptr<MpiReading> reading = begin(location, events, log);
    if (!reading) return Unit{};
    const Result<bool> read = reading->readOn(progress);
    if (!read) return read.error();
    return Unit{};
}

// Most records are calls.
std::int64_t RecordingSource::expectedCalls() const
{
    std::int64_t records = 0;
    for (const std::optional<RecordedRank>& rank : m_run.ranks)
        if (rank)
            for (const RecordedChunk& chunk : rank->chunks) records += chunk.records;
    return records;
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
