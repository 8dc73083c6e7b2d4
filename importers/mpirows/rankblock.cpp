// SPDX-License-Identifier: GPL-3.0-or-later
// Reading a block of ranks in two passes: locations, a location at a time on each thread, then the threads of each rank
// as one.
#include "importers/mpirows/rankblock.h"

#include "core/base/parallel.h"
#include "core/base/release.h"

#include <algorithm>
#include <atomic>

namespace longpole {

MpiRankBlock::MpiRankBlock(const MpiLayout& layout, std::uint32_t first, std::uint32_t last, const QString& folder,
                           unsigned threads)
    : m_layout(layout), m_first(first), m_last(last), m_threads(threads), m_spill(folder, intervalMemory),
      m_stop(m_spill, folder)
{
    const std::vector<MpiLocation>& all = layout.names().locations;
    m_locationsOf.resize(size());
    m_ownLocation.resize(size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].rank < first || all[i].rank >= last) continue;
        m_locationsOf[all[i].rank - first].push_back(m_locations.size());
        if (all[i].kind == TrackKind::Rank) m_ownLocation[all[i].rank - first] = m_locations.size();
        m_locations.push_back(i);
        m_logs.emplace_back(all[i].kind == TrackKind::Rank
                                ? QStringLiteral("rank %1").arg(all[i].rank)
                                : QStringLiteral("rank %1, %2").arg(all[i].rank).arg(all[i].name));
    }
    m_results.resize(m_locations.size());
}

Result<> MpiRankBlock::read(MpiSource& source, TraceWriter& writer, const Progress& progress, double share)
{
    const Reading reading{source, writer, progress, share};
    parallelFor(
        m_locations.size(), [&](std::size_t location) { readLocation(reading, location); }, m_threads);
    if (const std::optional<Error> reason = stopReason(progress)) return *reason;
    m_ranks.resize(size());
    m_begins.resize(size());
    m_rankLogs.resize(size());
    m_active.assign(size(), TimeRange{minTime, maxTime});
    m_threadWaits.resize(size());
    parallelFor(
        size(),
        [&](std::size_t rank) {
            if (!progress.isCancelled()) joinRank(static_cast<std::uint32_t>(rank));
        },
        m_threads);
    if (const std::optional<Error> reason = stopReason(progress)) return *reason;
    return Unit{};
}

void MpiRankBlock::reportRead(const Reading& reading, double done)
{
    const std::lock_guard lock(m_mutex);
    m_read += done;
    reading.progress.report(reading.share * m_read / static_cast<double>(m_locations.size()));
}

void MpiRankBlock::readLocation(const Reading& reading, std::size_t location)
{
    StreamSink sink(reading.writer.stream(static_cast<std::uint32_t>(location)));
    const MpiLocation& names = m_layout.names().locations[m_locations[location]];
    if (m_stop.isStopped() || reading.progress.isCancelled() || reading.writer.hasFailed()) return;
    // The source reports the progress of one location only; it stops for whatever stops the import.
    const Progress own;
    double reported = 0;
    const auto everyNow = [&] {
        if (m_stop.isStopped() || reading.progress.isCancelled() || reading.writer.hasFailed()) own.cancel();
        const double now = std::clamp(own.fraction(), reported, 1.0);
        reportRead(reading, now - reported);
        reported = now;
    };
    const bool hasThreads = m_locationsOf[names.rank - m_first].size() > 1;
    MpiLocationRows rows(m_layout, m_locations[location], sink, m_spill, m_logs[location], hasThreads, everyNow);
    const Result<> read = reading.source.read(m_locations[location], rows, m_logs[location], own);
    if (!read && !own.isCancelled()) m_stop.stop(read.error());
    if (read) m_results[location] = rows.finish();
    reportRead(reading, 1.0 - reported);
}

void MpiRankBlock::joinRank(std::uint32_t rank)
{
    std::vector<MpiCalls> threads;
    std::vector<MpiSync> syncs;
    std::vector<MpiDeviceWork> work;
    for (const std::size_t location : m_locationsOf[rank]) {
        MpiLocationResult& result = m_results[location];
        threads.push_back(std::move(result.calls));
        syncs.insert(syncs.end(), result.syncs.begin(), result.syncs.end());
        work.insert(work.end(), result.work.begin(), result.work.end());
        release(result.syncs);
        release(result.work);
    }
    m_threadWaits[rank] = threadWaits(std::move(syncs), std::move(work));
    m_rankLogs[rank] = ImportLog(QStringLiteral("rank %1").arg(m_first + rank));
    m_ranks[rank] = joinThreads(std::move(threads), m_rankLogs[rank]);
    const std::optional<std::size_t> own = m_ownLocation[rank];
    if (!own || !m_results[*own].pieces) return;
    m_begins[rank] = std::move(m_results[*own].pieces->begins);
    m_active[rank] = {m_results[*own].pieces->started, m_results[*own].pieces->stopping};
    if (m_locationsOf[rank].size() > 1) hangThreads(rank);
}

// Ties the calls of a rank's other threads to its tasks: a call depends on the task that runs when it begins, to which
// its messages count, and what it receives is needed by the task that begins next.
void MpiRankBlock::hangThreads(std::uint32_t rank)
{
    MpiPiecesResult& pieces = *m_results[*m_ownLocation[rank]].pieces;
    const std::size_t location = m_locations[*m_ownLocation[rank]];
    if (pieces.tasks == 0) return;
    std::vector<MpiCall>& calls = m_ranks[rank].calls;
    std::vector<TimeRange> busy;  // inside the rank's own calls, in order
    for (const MpiCall& call : calls)
        if (call.location == location) busy.push_back({call.begin, call.end});
    const auto taskAt = [&](TimeNs time) {
        const auto next = std::upper_bound(busy.begin(), busy.end(), time,
                                           [](TimeNs at, const TimeRange& range) { return at < range.begin; });
        const bool isInCall = next != busy.begin() && std::prev(next)->contains(time);
        if (isInCall || time > pieces.end) return noPiece;
        return m_begins[rank].lastBefore(time);
    };
    for (MpiCall& call : calls) {
        if (call.location == location) continue;
        call.piece = taskAt(call.begin);
        call.after = m_begins[rank].firstFrom(call.end);
    }
    for (const MpiSend& send : m_ranks[rank].sends) {
        const MpiCall& call = calls[send.call];
        if (call.location == location || call.piece == noPiece) continue;
        const EntryId entry = pieces.entryOf[call.piece];
        const auto row = std::lower_bound(pieces.profile.begin(), pieces.profile.end(), entry,
                                          [](const ProfileRow& a, EntryId id) { return a.entry < id; });
        ++row->messages;
        row->bytes = saturatingAdd(row->bytes, std::max<std::int64_t>(send.bytes, 0));
    }
    release(pieces.entryOf);
}

// The rows of each rank that only matching knows.
Result<> MpiRankBlock::writeRanks(const MpiPartners& partners, TraceWriter& writer, const Progress& progress,
                                  ProgressRange range)
{
    m_totals.resize(size());
    std::atomic<std::uint32_t> done{0};
    parallelFor(
        size(),
        [&](std::size_t rank) {
            StreamSink sink(writer.stream(static_cast<std::uint32_t>(m_locations.size() + rank)));
            if (progress.isCancelled() || writer.hasFailed()) return;
            const std::optional<std::size_t> own = m_ownLocation[rank];
            MpiPiecesResult none;
            MpiPiecesResult& pieces = own && m_results[*own].pieces ? *m_results[*own].pieces : none;
            const MatchedRank matched{m_first + static_cast<std::uint32_t>(rank),
                                      m_ranks[rank],
                                      m_begins[rank],
                                      m_active[rank],
                                      m_threadWaits[rank],
                                      pieces.tasks};
            m_totals[rank] = writeRankRows(m_layout, matched, partners, std::move(pieces.tiles), sink, m_rankLogs[rank],
                                           progress);
            progress.report(range.from + (range.to - range.from) * ++done / static_cast<double>(size()));
        },
        m_threads);
    if (const std::optional<Error> reason = stopReason(progress)) return *reason;
    return Unit{};
}

std::vector<bool> MpiRankBlock::sendsFrom() const
{
    std::vector<bool> sends(m_layout.names().regions.size());
    for (const MpiRank& rank : m_ranks)
        for (const MpiSend& send : rank.sends) sends[rank.calls[send.call].region] = true;
    return sends;
}

}  // namespace longpole
