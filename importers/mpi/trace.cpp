// SPDX-License-Identifier: GPL-3.0-or-later
// An MPI run to a .longpole file: locations, matching, ranks. Every row lands in the same place whatever the number of
// threads.
#include "importers/mpi/trace.h"

#include "core/base/parallel.h"
#include "core/base/translate.h"
#include "importers/mpi/definitions.h"

#include <QElapsedTimer>
#include <QFileInfo>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

namespace longpole {
namespace {

constexpr double readShare = 0.6;    // of the work, for the progress
constexpr double matchShare = 0.75;  // until matching is done
constexpr std::size_t intervalMemory = std::size_t{256} << 20;

class Run {
public:
    Run(MpiSource& source, const QString& target, const ImportOptions& options, const Progress& progress)
        : m_source(source), m_target(target), m_options(options), m_progress(progress), m_layout(source.names()),
          m_spill(QFileInfo(target).absolutePath(), intervalMemory)
    {
    }

    Result<ImportReport> import();

private:
    std::size_t locationCount() const { return m_layout.names().locations.size(); }
    void prepareLocations();
    Result<> readLocations();
    void readLocation(std::size_t location);
    void reportRead(double done);
    Result<> joinRanks();
    void joinRank(std::uint32_t rank);
    void hangThreads(std::uint32_t rank);
    Result<> match();
    Result<> writeRanks(const MpiMatches& matches);
    Result<> finish();
    std::optional<Error> stopReason() const;
    void stop(const Error& error);

    MpiSource& m_source;
    QString m_target;
    const ImportOptions& m_options;
    const Progress& m_progress;
    const MpiLayout m_layout;
    Spill m_spill;
    std::unique_ptr<TraceWriter> m_writer;
    std::vector<ImportLog> m_logs;                          // by location
    std::vector<MpiLocationResult> m_results;               // by location
    std::vector<std::vector<std::size_t>> m_locationsOf;    // by rank
    std::vector<std::optional<std::size_t>> m_ownLocation;  // by rank: with its tasks
    std::vector<MpiRank> m_ranks;
    std::vector<TaskBegins> m_begins;                       // by rank
    std::vector<TimeRange> m_active;                        // by rank
    std::vector<std::vector<MpiThreadWait>> m_threadWaits;  // by rank
    std::vector<ImportLog> m_rankLogs;
    std::vector<MpiRankTotals> m_totals;
    ImportLog m_log;
    std::mutex m_mutex;  // m_read
    double m_read = 0;   // locations
    std::atomic<bool> m_stopped{false};
    mutable std::mutex m_errorMutex;  // m_error
    std::optional<Error> m_error;
};

void Run::stop(const Error& error)
{
    const std::lock_guard lock(m_errorMutex);
    if (!m_error) m_error = error;
    m_stopped = true;
}

std::optional<Error> Run::stopReason() const
{
    if (m_progress.isCancelled()) return cancelledError();
    const std::lock_guard lock(m_errorMutex);
    if (m_error) return m_error;
    if (m_spill.hasFailed()) {
        return Error{.what = tr("The import's temporary file could not be written."),
                     .where = QFileInfo(m_target).absolutePath(),
                     .hint = tr("The disk may be full; free some space or import to another folder.")};
    }
    return std::nullopt;
}

void Run::prepareLocations()
{
    m_results.resize(locationCount());
    m_locationsOf.resize(m_layout.ranks());
    m_ownLocation.resize(m_layout.ranks());
    for (std::size_t i = 0; i < locationCount(); ++i) {
        const MpiLocation& location = m_layout.names().locations[i];
        m_locationsOf[location.rank].push_back(i);
        if (location.kind == TrackKind::Rank) m_ownLocation[location.rank] = i;
        m_logs.emplace_back(location.kind == TrackKind::Rank
                                ? QStringLiteral("rank %1").arg(location.rank)
                                : QStringLiteral("rank %1, %2").arg(location.rank).arg(location.name));
    }
}

void Run::reportRead(double done)
{
    const std::lock_guard lock(m_mutex);
    m_read += done;
    m_progress.report(readShare * m_read / static_cast<double>(locationCount()));
}

// Pass 1, a location at a time on each thread.
Result<> Run::readLocations()
{
    parallelFor(
        locationCount(), [this](std::size_t location) { readLocation(location); }, m_options.threads);
    if (const std::optional<Error> reason = stopReason()) return *reason;
    return Unit{};
}

void Run::readLocation(std::size_t location)
{
    StreamSink sink(m_writer->stream(static_cast<std::uint32_t>(location)));
    const MpiLocation& names = m_layout.names().locations[location];
    if (m_stopped || m_progress.isCancelled() || m_writer->hasFailed()) return;
    // The source reports the progress of one location only; it stops for whatever stops the import.
    const Progress own;
    double reported = 0;
    const auto everyNow = [&] {
        if (m_stopped || m_progress.isCancelled() || m_writer->hasFailed() || m_spill.hasFailed()) own.cancel();
        const double now = std::clamp(own.fraction(), reported, 1.0);
        reportRead(now - reported);
        reported = now;
    };
    const bool hasThreads = m_locationsOf[names.rank].size() > 1;
    MpiLocationRows rows(m_layout, location, sink, m_spill, m_logs[location], hasThreads, everyNow);
    const Result<> read = m_source.read(location, rows, m_logs[location], own);
    if (!read && !own.isCancelled()) stop(read.error());
    if (read) m_results[location] = rows.finish();
    reportRead(1.0 - reported);
}

Result<> Run::joinRanks()
{
    m_ranks.resize(m_layout.ranks());
    m_begins.resize(m_layout.ranks());
    m_rankLogs.resize(m_layout.ranks());
    m_active.assign(m_layout.ranks(), TimeRange{minTime, maxTime});
    m_threadWaits.resize(m_layout.ranks());
    parallelFor(
        m_layout.ranks(), [this](std::size_t rank) { joinRank(static_cast<std::uint32_t>(rank)); }, m_options.threads);
    if (const std::optional<Error> reason = stopReason()) return *reason;
    return Unit{};
}

void Run::joinRank(std::uint32_t rank)
{
    if (m_progress.isCancelled()) return;
    std::vector<MpiCalls> threads;
    std::vector<MpiSync> syncs;
    std::vector<MpiDeviceWork> work;
    for (const std::size_t location : m_locationsOf[rank]) {
        MpiLocationResult& result = m_results[location];
        threads.push_back(std::move(result.calls));
        syncs.insert(syncs.end(), result.syncs.begin(), result.syncs.end());
        work.insert(work.end(), result.work.begin(), result.work.end());
        result.syncs = {};
        result.work = {};
    }
    m_threadWaits[rank] = threadWaits(std::move(syncs), std::move(work));
    m_rankLogs[rank] = ImportLog(QStringLiteral("rank %1").arg(rank));
    m_ranks[rank] = joinThreads(std::move(threads), m_rankLogs[rank]);
    const std::optional<std::size_t> own = m_ownLocation[rank];
    if (!own || !m_results[*own].pieces) return;
    m_begins[rank] = std::move(m_results[*own].pieces->begins);
    m_active[rank] = {m_results[*own].pieces->started, m_results[*own].pieces->stopping};
    if (m_locationsOf[rank].size() > 1) hangThreads(rank);
}

// Ties the calls of a rank's other threads to its tasks: a call depends on the task that runs when it begins, to which
// its messages count, and what it receives is needed by the task that begins next.
void Run::hangThreads(std::uint32_t rank)
{
    const std::size_t own = *m_ownLocation[rank];
    MpiPiecesResult& pieces = *m_results[own].pieces;
    if (pieces.tasks == 0) return;
    std::vector<MpiCall>& calls = m_ranks[rank].calls;
    std::vector<TimeRange> busy;  // inside the rank's own calls, in order
    for (const MpiCall& call : calls)
        if (call.location == own) busy.push_back({call.begin, call.end});
    const auto taskAt = [&](TimeNs time) {
        const auto next = std::upper_bound(busy.begin(), busy.end(), time,
                                           [](TimeNs at, const TimeRange& range) { return at < range.begin; });
        const bool isInCall = next != busy.begin() && std::prev(next)->contains(time);
        if (isInCall || time > pieces.end) return noPiece;
        return m_begins[rank].lastBefore(time);
    };
    for (MpiCall& call : calls) {
        if (call.location == own) continue;
        call.piece = taskAt(call.begin);
        call.after = m_begins[rank].firstFrom(call.end);
    }
    for (const MpiSend& send : m_ranks[rank].sends) {
        const MpiCall& call = calls[send.call];
        if (call.location == own || call.piece == noPiece) continue;
        const EntryId entry = pieces.entryOf[call.piece];
        const auto row = std::lower_bound(pieces.profile.begin(), pieces.profile.end(), entry,
                                          [](const ProfileRow& a, EntryId id) { return a.entry < id; });
        ++row->messages;
        row->bytes = saturatingAdd(row->bytes, std::max<std::int64_t>(send.bytes, 0));
    }
    pieces.entryOf = {};
}

Result<> Run::match()
{
    Result<MpiMatches> matched = matchMpi(m_ranks, m_layout.names(), m_options.threads, m_log, m_progress);
    if (!matched) return matched.error();
    m_progress.report(matchShare);
    if (const std::optional<Error> reason = stopReason()) return *reason;
    return writeRanks(*matched);
}

// Pass 3: the rows of each rank that only matching knows.
Result<> Run::writeRanks(const MpiMatches& matches)
{
    m_totals.resize(m_layout.ranks());
    const MatchedRun run{m_layout, m_ranks, matches, m_begins, m_active, m_threadWaits, m_progress};
    std::atomic<std::uint32_t> done{0};
    parallelFor(
        m_layout.ranks(),
        [&](std::size_t rank) {
            StreamSink sink(m_writer->stream(static_cast<std::uint32_t>(locationCount() + rank)));
            if (m_progress.isCancelled() || m_writer->hasFailed()) return;
            const std::optional<std::size_t> own = m_ownLocation[rank];
            MpiPiecesResult none;
            MpiPiecesResult& pieces = own && m_results[*own].pieces ? *m_results[*own].pieces : none;
            m_totals[rank] = writeRankRows(run, static_cast<std::uint32_t>(rank), pieces.tasks, std::move(pieces.tiles),
                                           sink, m_rankLogs[rank]);
            m_progress.report(matchShare + (0.98 - matchShare) * ++done / m_layout.ranks());
        },
        m_options.threads);
    if (const std::optional<Error> reason = stopReason()) return *reason;
    return finish();
}

Result<> Run::finish()
{
    m_log.merge(m_source.log());
    for (const ImportLog& log : m_logs) m_log.merge(log);
    for (const ImportLog& log : m_rankLogs) m_log.merge(log);
    std::vector<bool> sendsFrom(m_layout.names().regions.size());
    for (const MpiRank& rank : m_ranks)
        for (const MpiSend& send : rank.sends) sendsFrom[rank.calls[send.call].region] = true;
    const MpiRunResults results{m_layout, m_results, m_totals, std::move(sendsFrom), m_log};
    addDefinitions(*m_writer, results);
    m_writer->setInfo(traceInfo(results));
    return m_writer->finish(m_progress);
}

Result<ImportReport> Run::import()
{
    QElapsedTimer timer;
    timer.start();
    Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::create(m_target);
    if (!writer) return writer.error();
    m_writer = std::move(*writer);
    prepareLocations();
    if (Result<> read = readLocations(); !read) return read.error();
    if (Result<> joined = joinRanks(); !joined) return joined.error();
    if (Result<> matched = match(); !matched) return matched.error();

    ImportReport report;
    report.file = m_target;
    for (const MpiLocationResult& result : m_results) report.records += result.records;
    report.issues = m_log.issues();
    report.seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
    return report;
}

}  // namespace

Result<ImportReport> importMpiRun(MpiSource& source, const QString& target, const ImportOptions& options,
                                  const Progress& progress)
{
    return Run(source, target, options, progress).import();
}

}  // namespace longpole
