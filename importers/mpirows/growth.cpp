// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpirows/growth.h"

#include "core/base/parallel.h"
#include "core/base/translate.h"
#include "importers/mpi/partners.h"
#include "importers/mpirows/definitions.h"
#include "importers/mpirows/importstop.h"
#include "importers/mpirows/namecount.h"
#include "importers/mpirows/settledplace.h"

#include <QElapsedTimer>
#include <QFileInfo>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <tuple>

namespace longpole {
namespace {

// Of the work, for the progress: when all has been read, matched, and written.
constexpr double untilRead = 0.6;
constexpr double untilMatched = 0.75;
constexpr double untilWritten = 0.98;
constexpr std::size_t mostSpillMemory = std::size_t{256} << 20;
constexpr std::array locationKinds = {ChunkKind::Task, ChunkKind::Overhead, ChunkKind::Counter};

// What a rank's state takes at most: its bins, those of idle time and messages beside them, and those of its entries.
std::int64_t mostBytesOf(const MpiLocationState& state, TimeNs runBegin)
{
    constexpr std::int64_t mostTileBins = 65536;
    constexpr std::int64_t mostEntryRows = std::int64_t{1} << 18;
    constexpr std::int64_t entryRow = 32;
    const std::int64_t tasks = state.pieces.m_result.tasks;
    const std::int64_t most = mostTileBins + tasks / 32;
    int level = 8;
    while ((state.standing.now >> level) - (runBegin >> level) >= most) level += 2;
    const std::int64_t bins = std::max<std::int64_t>(0, (state.standing.now >> level) - (runBegin >> level)) + 1;
    const auto entries = static_cast<std::int64_t>(state.pieces.m_result.profile.size());
    const std::int64_t rows = std::min({2 * tasks, 4 * mostEntryBins * entries, mostEntryRows});
    return 2 * bins * static_cast<std::int64_t>(sizeof(TileBin)) + rows * entryRow;
}

class GrowthImport {
public:
    GrowthImport(MpiSource& source, const MpiGrowth* from, const QString& target, const ImportOptions& options,
                 const Progress& progress)
        : m_source(source), m_from(from), m_target(target), m_threads(options.threads), m_progress(progress),
          m_layout(source.names()), m_spill(QFileInfo(target).absolutePath(), mostSpillMemory),
          m_stop(m_spill, QFileInfo(target).absolutePath()), m_results(m_layout.ranks()), m_ranks(m_layout.ranks()),
          m_begins(m_layout.ranks()), m_rankLogs(m_layout.ranks()), m_totals(m_layout.ranks())
    {
        for (std::uint32_t rank = 0; rank < m_layout.ranks(); ++rank)
            m_logs.push_back(from ? from->ranks[rank].log : ImportLog(QStringLiteral("rank %1").arg(rank)));
        for (Place& place : m_places) place.ranks.resize(m_layout.ranks());
        m_tiles = from ? from->tiles
                       : std::vector(m_layout.ranks(), LaterTiles(m_layout.names().info.begin, m_layout.spareBins()));
    }

    Result<GrownImport> run()
    {
        QElapsedTimer timer;
        timer.start();
        if (m_from) {
            Result<std::shared_ptr<const TraceStore>> earlier = TraceStore::open(m_from->file);
            if (!earlier) return earlier.error();
            if ((*earlier)->stamp() != m_from->stamp)
                return Error{tr("The trace that was read before was replaced."), m_from->file, {}};
            m_earlier = std::move(*earlier);
        }
        if (const Result<> plausible = checkNames(m_source.names()); !plausible) return plausible.error();
        Result<std::unique_ptr<TraceWriter>> created = TraceWriter::create(m_target);
        if (!created) return created.error();
        TraceWriter& writer = **created;
        if (const Result<> done = read(writer); !done) return done.error();
        ImportLog log;
        const MpiBefore nothing;
        const MpiBefore& before = m_from ? m_from->before : nothing;
        const Result<MpiMatches> matched = matchMpi(m_ranks, m_layout.names(), m_threads, log, m_progress, before);
        if (!matched) return matched.error();
        m_progress.report(untilMatched);
        choosePlace(*matched);
        if (const Result<> done = write(writer, *matched); !done) return done.error();

        log.merge(m_source.log());
        for (const ImportLog& one : m_logs) log.merge(one);
        for (const ImportLog& one : m_rankLogs) log.merge(one);
        const MpiRunResults results{m_layout, m_results, m_totals, sendsFrom(all()), log};
        if (const Result<> added = addDefinitions(writer, results); !added) return added.error();
        writer.setInfo(traceInfo(results));
        if (const Result<> finished = writer.finish(m_progress); !finished) return finished.error();

        GrownImport grown;
        grown.report.file = m_target;
        for (const MpiLocationResult& result : m_results) grown.report.records += result.records;
        grown.report.issues = log.issues();
        grown.report.seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
        keep(*matched, before, grown);
        return grown;
    }

private:
    struct Place {
        std::vector<std::optional<MpiGrowth::Rank>> ranks;
    };

    Result<> stopReason() const
    {
        if (const std::optional<Error> reason = m_stop.reason(m_progress)) return *reason;
        return Unit{};
    }

    Result<> read(TraceWriter& writer)
    {
        parallelFor(
            m_layout.ranks(), [&](std::size_t rank) { readRank(writer, rank); }, m_threads);
        if (const Result<> goes = stopReason(); !goes || !writer.hasFailed()) return goes;
        return writer.finish(m_progress);  // says why it failed
    }

    void readRank(TraceWriter& writer, std::size_t rank)
    {
        const MpiGrowth::Rank* const from = m_from ? &m_from->ranks[rank] : nullptr;
        SettledSink sink(writer.stream(static_cast<std::uint32_t>(rank)), m_layout.track(rank), m_earlier.get(),
                         from ? from->rows : RowCounts{});
        if (m_stop.isStopped() || m_progress.isCancelled() || writer.hasFailed()) return;
        sink.settled(locationKinds);
        const Progress own;  // of this rank only
        double reported = 0;
        const auto report = [&](double now) {
            const std::lock_guard lock(m_mutex);
            m_read += now - reported;
            reported = now;
            m_progress.report(untilRead * m_read / static_cast<double>(m_layout.ranks()));
        };
        const auto everyNow = [&] {
            if (m_stop.isStopped() || m_progress.isCancelled() || writer.hasFailed()) own.cancel();
            report(std::clamp(own.fraction(), reported, 1.0));
        };
        MpiLocationRows rows(m_layout, rank, sink, m_spill, m_logs[rank], false, everyNow,
                             from ? &from->reading : nullptr);
        rows.atPlaces([&](std::size_t place) { notePlace(rank, place, rows, sink); });
        const Result<> done = m_source.read(rank, rows, m_logs[rank], own);
        if (!done && !own.isCancelled()) return m_stop.stop(done.error());
        if (!done) return;
        m_results[rank] = rows.finish();
        if (sink.failure()) return m_stop.stop(*sink.failure());
        std::vector<MpiCalls> threads;
        threads.push_back(std::move(m_results[rank].calls));
        m_rankLogs[rank] = ImportLog(QStringLiteral("rank %1").arg(rank));
        m_ranks[rank] = joinThreads(std::move(threads), m_rankLogs[rank]);
        m_begins[rank] = std::move(m_results[rank].pieces->begins);
        report(1.0);
    }

    void notePlace(std::size_t rank, std::size_t place, const MpiLocationRows& rows, const SettledSink& sink)
    {
        if (place >= m_places.size() || m_keptBytes > mostKeptBytes) return;
        MpiLocationState state = rows.state();
        m_keptBytes += mostBytesOf(state, m_layout.names().info.begin);
        RowCounts counts = sink.counts();
        rowsOf(counts, ChunkKind::Interval) = static_cast<std::int64_t>(state.intervals.entered);
        m_places[place].ranks[rank].emplace(MpiGrowth::Rank{std::move(state), m_logs[rank], counts});
    }

    // The last one that is settled.
    void choosePlace(const MpiMatches& matches)
    {
        if (m_keptBytes > mostKeptBytes) return;
        for (std::size_t place = m_places.size(); place-- > 0 && !m_place;) {
            std::vector<MpiStanding> standings;
            for (const auto& rank : m_places[place].ranks)
                if (rank && rank->reading.standing.tasks >= LaterTiles::fewestTasks)
                    standings.push_back(rank->reading.standing);
            if (standings.size() != m_ranks.size()) continue;
            m_settled = settledUntil(m_ranks, matches, standings);
            if (m_settled) m_place = place;
        }
        if (m_place) m_reached.resize(m_ranks.size());
    }

    Result<> write(TraceWriter& writer, const MpiMatches& matches)
    {
        const std::unique_ptr<MpiPartners> partners = partnersInMemory(m_ranks, matches, m_begins);
        std::atomic<std::uint32_t> done{0};
        parallelFor(
            m_ranks.size(),
            [&](std::size_t rank) {
                writeRank(writer, static_cast<std::uint32_t>(rank), *partners);
                m_progress.report(untilMatched
                                  + (untilWritten - untilMatched) * ++done / static_cast<double>(m_ranks.size()));
            },
            m_threads);
        return stopReason();
    }

    void writeRank(TraceWriter& writer, std::uint32_t rank, const MpiPartners& partners)
    {
        RowCounts settled{};
        GrowingRank growing;
        if (m_from) {
            growing.before = m_from->soFar;
            growing.instances = m_from->instances;
            settled = rankRowsOf(m_from->soFar[rank]);
        }
        SettledSink sink(writer.stream(m_layout.ranks() + rank), m_layout.rankTrack(rank), m_earlier.get(), settled);
        if (m_progress.isCancelled() || writer.hasFailed()) return;
        if (m_place) {
            const MpiStanding& standing = m_places[*m_place].ranks[rank]->reading.standing;
            growing.calls = static_cast<std::uint32_t>(standing.counts.calls);
            growing.sends = static_cast<std::uint32_t>(standing.counts.sends);
            growing.tasks = standing.tasks;
            growing.reached = &m_reached[rank];
        }
        growing.tiles = &m_tiles[rank];
        MpiPiecesResult& pieces = *m_results[rank].pieces;
        static const std::vector<MpiThreadWait> none;
        const MatchedRank matched{rank, m_ranks[rank], m_begins[rank], {pieces.started, pieces.stopping},
                                  none, pieces.tasks};
        m_totals[rank] = writeRankRows(m_layout, matched, partners, std::move(pieces.tiles), sink, m_rankLogs[rank],
                                       m_progress, growing);
        if (sink.failure()) m_stop.stop(*sink.failure());
        else if (m_totals[rank].isBroken)
            m_stop.stop({tr("The trace that was read before does not fit."), m_target, {}});
    }

    static RowCounts rankRowsOf(const RankSoFar& soFar)
    {
        RowCounts counts{};
        rowsOf(counts, ChunkKind::MpiCall) = soFar.calls;
        rowsOf(counts, ChunkKind::Idle) = soFar.idleRows;
        rowsOf(counts, ChunkKind::TaskSource) = soFar.tasks;
        rowsOf(counts, ChunkKind::Merge) = soFar.mergeRows;
        rowsOf(counts, ChunkKind::Message) = soFar.sends;
        rowsOf(counts, ChunkKind::MessageExecutions) = soFar.sends;
        rowsOf(counts, ChunkKind::Delivery) = soFar.deliveries;
        return counts;
    }

    std::vector<std::size_t> all() const
    {
        std::vector<std::size_t> counts;
        for (const MpiRank& rank : m_ranks) counts.push_back(rank.sends.size());
        return counts;
    }
    // By region: a message is named after this call. `counts`: of each rank's sends, the first so many.
    std::vector<bool> sendsFrom(const std::vector<std::size_t>& counts) const
    {
        std::vector<bool> sends = m_from ? m_from->sendsFrom : std::vector<bool>(m_layout.names().regions.size());
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank)
            for (std::size_t i = 0; i < counts[rank]; ++i)
                sends[m_ranks[rank].calls[m_ranks[rank].sends[i].call].region] = true;
        return sends;
    }

    // What the next import needs. Where clocks contradict each other all of the run has to be looked at each time.
    void keep(const MpiMatches& matches, const MpiBefore& before, GrownImport& grown)
    {
        if (!m_place) return;
        for (const ImportLog& one : m_rankLogs)
            if (!one.issues().empty()) return;
        const Result<std::shared_ptr<const TraceStore>> written = TraceStore::open(m_target);
        if (!written) return;
        auto growth = std::make_unique<MpiGrowth>();
        growth->file = m_target;
        growth->stamp = (*written)->stamp();
        growth->names = m_layout.names();
        std::vector<std::size_t> sends;
        growth->before = before;
        growth->before.hasCalls.assign(m_ranks.size(), true);
        for (std::optional<MpiGrowth::Rank>& rank : m_places[*m_place].ranks) {
            sends.push_back(rank->reading.standing.counts.sends);
            growth->before.calls += static_cast<std::int64_t>(rank->reading.standing.counts.calls);
            growth->ranks.push_back(std::move(*rank));
        }
        growth->soFar = std::move(m_reached);
        growth->tiles = std::move(m_tiles);
        growth->sendsFrom = sendsFrom(sends);
        growth->instances = (m_from ? m_from->instances : 0) + m_settled->instances;
        addSettled(*m_settled, matches, m_layout.names().communicators.size(), growth->before);
        grown.place = m_place;
        grown.growth = std::move(growth);
    }

    MpiSource& m_source;
    const MpiGrowth* const m_from;
    const QString m_target;
    const unsigned m_threads;
    const Progress& m_progress;
    const MpiLayout m_layout;
    Spill m_spill;
    ImportStop m_stop;
    std::shared_ptr<const TraceStore> m_earlier;
    std::vector<ImportLog> m_logs;  // this and what follows by rank
    std::vector<MpiLocationResult> m_results;
    std::vector<MpiRank> m_ranks;
    std::vector<TaskBegins> m_begins;
    std::vector<ImportLog> m_rankLogs;
    std::vector<MpiRankTotals> m_totals;
    std::vector<RankSoFar> m_reached;  // empty without a place
    std::vector<LaterTiles> m_tiles;   // until there
    std::array<Place, mostPlaces> m_places;
    std::optional<std::size_t> m_place;
    std::optional<SettledPart> m_settled;
    std::atomic<std::int64_t> m_keptBytes{0};
    std::mutex m_mutex;  // m_read
    double m_read = 0;   // ranks
};

auto fieldsOf(const MpiRegion& region) { return std::tie(region.name, region.group, region.kind, region.sync); }
auto fieldsOf(const MpiCommunicator& comm) { return std::tie(comm.name, comm.members, comm.isSelf, comm.sources); }
auto fieldsOf(const MpiLocation& location)
{
    return std::tie(location.name, location.host, location.rank, location.kind, location.hasEvents);
}
auto fieldsOf(const CallPath& path)
{
    return std::tie(path.id, path.parent, path.isPlace, path.function, path.file, path.line, path.module);
}

// Whether the second list is the first one, or that and more.
template <typename Thing>
bool continues(const std::vector<Thing>& before, const std::vector<Thing>& now)
{
    const auto isSame = [](const Thing& a, const Thing& b) { return fieldsOf(a) == fieldsOf(b); };
    return before.size() <= now.size() && std::equal(before.begin(), before.end(), now.begin(), isSame);
}

}  // namespace

// Numbers of entry methods follow from those of all regions, communicators and counters; those of call paths do not.
bool goesOn(const MpiGrowth& growth, const MpiRunNames& names)
{
    const MpiRunNames& before = growth.names;
    return before.ranks == names.ranks && before.info.begin == names.info.begin && before.counters == names.counters
           && before.regions.size() == names.regions.size() && continues(before.regions, names.regions)
           && before.communicators.size() == names.communicators.size()
           && continues(before.communicators, names.communicators) && before.locations.size() == names.locations.size()
           && continues(before.locations, names.locations) && continues(before.callPaths, names.callPaths);
}

bool canGrow(const MpiRunNames& names)
{
    const auto isRank = [](const MpiLocation& location) {
        return location.kind == TrackKind::Rank && location.hasEvents;
    };
    return names.locations.size() == names.ranks && std::all_of(names.locations.begin(), names.locations.end(), isRank);
}

Result<GrownImport> importGrowingMpiRun(MpiSource& source, const MpiGrowth* from, const QString& target,
                                        const ImportOptions& options, const Progress& progress)
{
    return GrowthImport(source, from, target, options, progress).run();
}

}  // namespace longpole
