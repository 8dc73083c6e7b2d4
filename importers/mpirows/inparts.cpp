// SPDX-License-Identifier: GPL-3.0-or-later
// One part after the other: reading, matching, and the rows of each rank, ranks in parallel in each step.
#include "importers/mpirows/inparts.h"

#include "core/base/freedmemory.h"
#include "core/base/parallel.h"
#include "core/base/translate.h"
#include "importers/mpi/partners.h"
#include "importers/mpirows/definitions.h"
#include "importers/mpirows/growth.h"
#include "importers/mpirows/importstop.h"
#include "importers/mpirows/latertiles.h"
#include "importers/mpirows/namecount.h"
#include "importers/mpirows/settledplace.h"
#include "importers/mpirows/trace.h"

#include <QElapsedTimer>
#include <QFileInfo>

#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

namespace longpole {
namespace {

constexpr std::size_t callsOfAllInPart = std::size_t{1} << 18;
constexpr std::size_t fewestCallsInPart = 2048;
// A rank whose rows are open takes as much memory as so many calls, where they rest, and where they do not.
constexpr std::int64_t fewestCallsOfRank = std::int64_t{1} << 14, mostCallsOfRank = std::int64_t{1} << 16;
// As few calls of all ranks fit into memory.
constexpr std::int64_t fewCalls = std::int64_t{1} << 20;
// Rows of more ranks rest while those of others are read or written.
constexpr std::size_t fewRanks = 16;
constexpr std::size_t spilledFrom = std::size_t{64} << 20;
// Of the work, for the progress: when all has been read, matched, and written.
constexpr double readUntil = 0.9;
constexpr double matchedUntil = 0.93;
constexpr double writtenUntil = 0.98;

// The rows of a rank that only matching knows, as writeRankRows() writes those of a rank at once: kind after kind.
std::vector<std::vector<ChunkKind>> rowsByTurns()
{
    return {{ChunkKind::MpiCall, ChunkKind::Idle},
            {ChunkKind::TaskSource, ChunkKind::Merge, ChunkKind::Latency},
            {ChunkKind::Message, ChunkKind::MessageExecutions},
            {ChunkKind::Delivery}};
}

class ImportInParts {
public:
    ImportInParts(MpiSource& source, const QString& target, const ImportOptions& options, const Progress& progress,
                  std::size_t callsInPart)
        : m_source(source), m_target(target), m_threads(options.threads), m_progress(progress),
          m_callsInPart(callsInPart), m_layout(source.names()), m_spill(QFileInfo(target).absolutePath(), spilledFrom),
          m_stop(m_spill, QFileInfo(target).absolutePath()), m_ranks(m_layout.ranks()), m_results(m_layout.ranks()),
          m_calls(m_layout.ranks()), m_begins(m_layout.ranks()), m_edges(m_layout.ranks()),
          m_rankLogs(m_layout.ranks()), m_totals(m_layout.ranks()), m_callsWanted(callsInPart)
    {
    }

    Result<ImportReport> run()
    {
        QElapsedTimer timer;
        timer.start();
        if (const Result<> plausible = checkNames(m_source.names()); !plausible) return plausible.error();
        Result<std::unique_ptr<TraceWriter>> created = TraceWriter::create(m_target);
        if (!created) return created.error();
        m_writer = std::move(*created);
        for (std::uint32_t rank = 0; rank < m_ranks.size(); ++rank) open(rank);
        while (true) {
            if (const Result<> read = readPart(); !read) return read.error();
            if (isAtEnd()) break;
            if (const Result<> written = writeIfSettled(); !written) return written.error();
        }
        ImportLog log;
        if (const Result<> written = writeLast(log); !written) return written.error();
        return finish(log, timer);
    }

private:
    struct Rank {
        ImportLog log;
        std::unique_ptr<RowSink> located;  // gets its location's rows
        std::unique_ptr<MpiLocationRows> rows;
        std::unique_ptr<MpiReading> reading;  // null: at its end
        std::unique_ptr<RowSink> matched;     // gets those that only matching knows
        LaterTiles tiles;
        std::vector<bool> sendsFrom;  // by region
        Progress own;                 // is cancelled by whatever stops the import
    };

    void open(std::uint32_t number)
    {
        Rank& rank = m_ranks[number];
        rank.log = ImportLog(QStringLiteral("rank %1").arg(number));
        rank.located = std::make_unique<StreamSink>(m_writer->stream(number));
        const std::vector<std::vector<ChunkKind>> turns = rowsByTurns();
        const auto streams = static_cast<std::uint32_t>(turns.size()) + 1;
        rank.matched = std::make_unique<StreamSink>(m_writer->stream(m_layout.ranks() + streams * number, turns));
        rank.rows = std::make_unique<MpiLocationRows>(m_layout, number, *rank.located, m_spill, rank.log, false,
                                                      [this, &rank] { look(rank); });
        rank.reading = m_source.begin(number, *rank.rows, rank.log);
        rank.tiles = LaterTiles(m_layout.names().info.begin, m_layout.spareBins());
        rank.sendsFrom.resize(m_layout.names().regions.size());
    }

    bool isStopped() const { return m_stop.isStopped() || m_progress.isCancelled() || m_writer->hasFailed(); }
    Result<> stopReason()
    {
        if (const std::optional<Error> reason = m_stop.reason(m_progress)) return *reason;
        if (!m_writer->hasFailed()) return Unit{};
        closeAll();
        return m_writer->finish(m_progress);  // says why
    }
    void closeAll()
    {
        for (Rank& rank : m_ranks) {
            rank.reading.reset();
            rank.rows.reset();
            rank.located.reset();
            rank.matched.reset();
        }
    }
    // By whoever reads the rank, every few thousand events.
    void look(const Rank& rank)
    {
        if (isStopped()) rank.own.cancel();
        const std::lock_guard lock(m_mutex);
        double read = 0;
        for (const Rank& one : m_ranks) read += one.own.fraction();
        m_progress.report(readUntil * read / static_cast<double>(m_ranks.size()));
    }
    template <typename OfRank>
    void forRanks(const OfRank& of)
    {
        parallelFor(
            m_ranks.size(),
            [&](std::size_t rank) {
                if (!isStopped()) of(static_cast<std::uint32_t>(rank));
            },
            m_threads);
    }
    bool isAtEnd() const
    {
        return std::all_of(m_ranks.begin(), m_ranks.end(), [](const Rank& rank) { return !rank.reading; });
    }

    // To a meeting before which all ranks have as many calls as wanted, or to the end: first each rank by itself, then
    // all to the last of the meetings that they have come to.
    Result<> readPart()
    {
        forRanks([&](std::uint32_t rank) {
            readRank(m_ranks[rank], {.calls = m_callsWanted});
            rest(*m_ranks[rank].located);
        });
        std::uint64_t meeting = 0;
        for (const Rank& rank : m_ranks) {
            constexpr std::uint64_t behindAll = ~std::uint64_t{0};
            meeting = std::max(meeting, rank.reading ? rank.rows->meetings() : behindAll);
        }
        forRanks([&](std::uint32_t rank) {
            if (m_ranks[rank].rows->meetings() >= meeting) return;
            readRank(m_ranks[rank], {.meeting = meeting});
            rest(*m_ranks[rank].located);
        });
        return stopReason();
    }
    void rest(RowSink& rows) const
    {
        if (m_ranks.size() > fewRanks) rows.rest();
    }
    void readRank(Rank& rank, const MpiLocationRows::PauseAt& until)
    {
        if (!rank.reading) return;
        rank.rows->pauseAt(until);
        const Result<bool> goesOn = rank.reading->readOn(rank.own);
        if (goesOn && !*goesOn) rank.reading.reset();
        if (!goesOn && !rank.own.isCancelled()) m_stop.stop(goesOn.error());
    }

    // Where something is pending more has to be read before any of it can be written.
    Result<> writeIfSettled()
    {
        m_callsWanted *= 2;
        std::vector<MpiStanding> standings;
        for (const Rank& rank : m_ranks) {
            if (!maySettle(rank.rows->calls().rank)) {
                giveUp();
                return Unit{};
            }
            const MpiStanding standing = rank.rows->standing();
            if (!rank.reading || !standing.isSettled || standing.tasks < LaterTiles::fewestTasks) return Unit{};
            standings.push_back(standing);
        }
        exchangeCalls();
        const Result<bool> written = writePart(standings);
        if (!written) return written.error();
        if (!*written) {
            exchangeCalls();
            return Unit{};
        }
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
            clear(m_calls[rank]);
            m_begins[rank].clear();
        }
        exchangeCalls();                                                // with their memory
        if (m_callsInPart >= fewestCallsInPart) giveFreedMemoryBack();  // pieces of all sizes, again and again
        m_callsWanted = m_callsInPart;
        ++m_parts;
        return Unit{};
    }
    // The rest is one part.
    void giveUp() { m_callsWanted = ~std::size_t{0}; }
    // Between the ranks that are being read and the matching.
    void exchangeCalls()
    {
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
            std::swap(m_calls[rank], m_ranks[rank].rows->calls().rank);
            std::swap(m_begins[rank], m_ranks[rank].rows->pieces().begins);
        }
    }
    static void clear(MpiRank& rank)
    {
        rank.calls.clear();
        rank.sends.clear();
        rank.receives.clear();
        rank.probes.clear();
        rank.transfers.clear();
        rank.windowSteps.clear();
        rank.collectives.clear();
    }

    // False: it is not settled. Where clocks contradict each other all of the run has to be looked at at once.
    Result<bool> writePart(const std::vector<MpiStanding>& standings)
    {
        ImportLog log;
        const Result<MpiMatches> matches = matchMpi(m_calls, m_layout.names(), m_threads, log, m_progress, m_before);
        if (!matches) return matches.error();
        const std::optional<SettledPart> settled = settledUntil(m_calls, *matches, standings);
        if (!settled || !log.issues().empty()) return false;
        const std::unique_ptr<MpiPartners> partners = partnersInMemory(m_calls, *matches, m_begins);
        std::vector<ImportLog> logs(m_ranks.size());
        forRanks([&](std::uint32_t rank) {
            m_edges[rank] = mpiEdgesOf(rank, m_calls[rank], *partners, logs[rank], m_progress);
        });
        if (const Result<> goesOn = stopReason(); !goesOn) return goesOn.error();
        if (std::any_of(logs.begin(), logs.end(), [](const ImportLog& one) { return !one.issues().empty(); })) {
            giveUp();
            return false;
        }
        std::vector<RankSoFar> reached(m_ranks.size());
        forRanks([&](std::uint32_t rank) {
            GrowingRank growing = growingRank(rank);
            growing.calls = static_cast<std::uint32_t>(standings[rank].counts.calls);
            growing.sends = static_cast<std::uint32_t>(standings[rank].counts.sends);
            growing.tasks = standings[rank].tasks;
            growing.reached = &reached[rank];
            growing.isLast = false;
            growing.edges = &m_edges[rank];
            writeRank(rank, m_ranks[rank].rows->pieces(), *partners, growing);
            rest(*m_ranks[rank].matched);
        });
        m_soFar = std::move(reached);
        m_instances += settled->instances;
        m_before.hasCalls.assign(m_ranks.size(), true);
        for (const MpiStanding& standing : standings)
            m_before.calls += static_cast<std::int64_t>(standing.counts.calls);
        addSettled(*settled, *matches, m_layout.names().communicators.size(), m_before);
        if (const Result<> goesOn = stopReason(); !goesOn) return goesOn.error();
        return true;
    }

    GrowingRank growingRank(std::uint32_t rank)
    {
        GrowingRank growing;
        growing.before = m_soFar;
        growing.instances = m_instances;
        growing.tiles = &m_ranks[rank].tiles;
        return growing;
    }
    void writeRank(std::uint32_t rank, MpiPiecesResult& pieces, const MpiPartners& partners, const GrowingRank& growing)
    {
        static const std::vector<MpiThreadWait> none;
        const MpiRank& self = m_calls[rank];
        const MatchedRank matched{rank, self, m_begins[rank], {pieces.started, pieces.stopping}, none, pieces.tasks};
        m_totals[rank] = writeRankRows(m_layout, matched, partners, std::move(pieces.tiles), *m_ranks[rank].matched,
                                       m_rankLogs[rank], m_progress, growing);
        for (const MpiSend& send : self.sends) m_ranks[rank].sendsFrom[self.calls[send.call].region] = true;
    }

    Result<> writeLast(ImportLog& log)
    {
        forRanks([&](std::uint32_t rank) {
            m_results[rank] = m_ranks[rank].rows->finish();
            m_ranks[rank].located.reset();
            std::vector<MpiCalls> threads;
            threads.push_back(std::move(m_results[rank].calls));
            m_rankLogs[rank] = ImportLog(QStringLiteral("rank %1").arg(rank));
            m_calls[rank] = joinThreads(std::move(threads), m_rankLogs[rank]);
            m_begins[rank] = std::move(m_results[rank].pieces->begins);
        });
        if (const Result<> goesOn = stopReason(); !goesOn) return goesOn;
        const Result<MpiMatches> matches = matchMpi(m_calls, m_layout.names(), m_threads, log, m_progress, m_before);
        if (!matches) return matches.error();
        m_progress.report(matchedUntil);
        const std::unique_ptr<MpiPartners> partners = partnersInMemory(m_calls, *matches, m_begins);
        forRanks([&](std::uint32_t rank) {
            writeRank(rank, *m_results[rank].pieces, *partners, growingRank(rank));
            if (m_totals[rank].isBroken) m_stop.stop({tr("Two parts of the run do not fit."), m_target, {}});
        });
        m_progress.report(writtenUntil);
        return stopReason();
    }

    Result<ImportReport> finish(ImportLog& log, const QElapsedTimer& timer)
    {
        closeAll();
        log.merge(m_source.log());
        for (const Rank& rank : m_ranks) log.merge(rank.log);
        for (const ImportLog& one : m_rankLogs) log.merge(one);
        std::vector<bool> sendsFrom(m_layout.names().regions.size());
        for (const Rank& rank : m_ranks)
            for (std::size_t region = 0; region < sendsFrom.size(); ++region)
                if (rank.sendsFrom[region]) sendsFrom[region] = true;
        const MpiRunResults results{m_layout, m_results, m_totals, std::move(sendsFrom), log};
        if (const Result<> added = addDefinitions(*m_writer, results); !added) return added.error();
        m_writer->setInfo(traceInfo(results));
        if (const Result<> finished = m_writer->finish(m_progress); !finished) return finished.error();
        ImportReport report;
        report.file = m_target;
        for (const MpiLocationResult& result : m_results) report.records += result.records;
        report.parts = m_parts;
        report.issues = log.issues();
        report.seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
        return report;
    }

    MpiSource& m_source;
    const QString m_target;
    const unsigned m_threads;
    const Progress& m_progress;
    const std::size_t m_callsInPart;
    const MpiLayout m_layout;
    Spill m_spill;
    ImportStop m_stop;
    std::unique_ptr<TraceWriter> m_writer;
    std::vector<Rank> m_ranks;
    std::vector<MpiLocationResult> m_results;   // this and what follows by rank; at the end
    std::vector<MpiRank> m_calls;               // of the part
    std::vector<TaskBegins> m_begins;           // likewise
    std::vector<std::vector<MpiEdge>> m_edges;  // likewise
    std::vector<ImportLog> m_rankLogs;
    std::vector<MpiRankTotals> m_totals;
    std::vector<RankSoFar> m_soFar;  // empty: nothing is written
    std::int64_t m_parts = 1;
    std::uint32_t m_instances = 0;  // that are written
    MpiBefore m_before;
    std::size_t m_callsWanted;
    std::mutex m_mutex;  // of those who say how far they are
};

bool isBetterInParts(const MpiSource& source)
{
    const std::int64_t ranks = source.names().ranks;
    const std::int64_t ofRank = std::clamp(fewCalls / std::max<std::int64_t>(ranks, 1), fewestCallsOfRank,
                                           mostCallsOfRank);
    return canGrow(source.names()) && source.expectedCalls() >= ofRank * ranks;
}

// Calls of a rank that are read before a part may end: all ranks together have about a quarter of a million.
std::size_t callsInPart(std::uint32_t ranks) { return std::max(fewestCallsInPart, callsOfAllInPart / ranks); }

}  // namespace

Result<ImportReport> importMpiRunOfAnyLength(MpiSource& source, const QString& target, const ImportOptions& options,
                                             const Progress& progress)
{
    return isBetterInParts(source)
               ? importMpiRunInParts(source, target, options, progress, callsInPart(source.names().ranks))
               : importMpiRun(source, target, options, progress);
}

Result<ImportReport> importMpiRunInParts(MpiSource& source, const QString& target, const ImportOptions& options,
                                         const Progress& progress, std::size_t callsInPart)
{
    return ImportInParts(source, target, options, progress, callsInPart).run();
}

}  // namespace longpole
