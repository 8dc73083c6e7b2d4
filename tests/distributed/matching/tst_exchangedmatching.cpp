// SPDX-License-Identifier: GPL-3.0-or-later
// Processes that each host some ranks find the partners, waits and dependencies that one finds that has them all.
#include "distributed/exchange/pack.h"
#include "distributed/matching/matching.h"
#include "distributed/transport/errortext.h"
#include "distributed/transport/threadwire.h"
#include "importers/mpi/matching.h"
#include "importers/mpi/waits.h"

#include "support/mpi/mpiranks.h"
#include "support/mpi/unrulywire.h"
#include "support/mpi/windowprogram.h"
#include "support/testmain.h"

#include <QTest>

#include <array>
#include <mutex>
#include <random>

using namespace longpole;
using namespace longpole::tests;

namespace {

// When the pieces and hubs of the run's calls begin.
std::vector<TaskBegins> beginsOf(const MpiRun& run)
{
    std::vector<TaskBegins> begins;
    for (const MpiRank& rank : run.ranks) {
        TaskBegins& own = begins.emplace_back();
        TimeNs before = -7;
        for (const MpiCall& call : rank.calls) {
            own.add(call.piece, before);
            if (call.hub != noPiece) own.add(call.hub, call.begin);
            own.add(call.after, call.end);
            before = call.end;
        }
    }
    return begins;
}

// Everything that is known of one rank after matching, as text.
QString told(std::uint32_t rank, const MpiRank& self, const MpiRunNames& names, const MpiPartners& partners,
             ImportLog& log)
{
    QString text;
    const auto add = [&text](auto... values) {
        ((text += QString::number(static_cast<qint64>(values)) + u' '), ...);
        text += u'\n';
    };
    for (const MpiWait& wait : mpiWaitsOf(rank, self, mpiCompletions(names), partners, Progress{}))
        add(wait.before, wait.after, wait.severity, static_cast<int>(wait.pattern), wait.culprit, wait.culpritCall,
            wait.flags);
    for (const MpiEdge& edge : mpiEdgesOf(rank, self, partners, log, Progress{}))
        add(edge.piece, edge.sourceRank, edge.source, edge.left, edge.sourceBegin, edge.message,
            static_cast<int>(edge.link));
    for (std::uint32_t row = 0; row < self.receives.size(); ++row) {
        const MpiPartner from = partners.senderOf(rank, row);
        add(from.rank, from.row, from.call, from.bytes);
    }
    for (std::uint32_t row = 0; row < self.sends.size(); ++row) {
        const MpiPartner to = partners.receiverOf(rank, row);
        add(to.rank, to.row, to.call, to.bytes);
    }
    for (std::uint32_t row = 0; row < self.collectives.size(); ++row) {
        add(partners.instanceNumber(rank, row));
        if (const MpiInstance* const instance = partners.instanceOf(rank, row))
            add(static_cast<int>(instance->kind), instance->root, instance->memberCount, instance->latestBegin,
                instance->earliestEnd, instance->latestRank, instance->latestCall, instance->giverCount,
                instance->isComplete, instance->isSynchronizing, instance->isGlobal, partners.positionOf(rank, row));
    }
    return text;
}

QStringList issuesOf(const ImportLog& log)
{
    QStringList issues;
    for (const Issue& issue : log.issues())
        issues << QStringLiteral("%1 %2 %3").arg(issue.kind).arg(issue.count).arg(issue.place);
    return issues;
}

struct Found {
    std::vector<QString> ranks;
    QStringList issues;
    friend bool operator==(const Found&, const Found&) = default;
};

Found inMemory(const MpiRun& run)
{
    Found found;
    ImportLog log;
    const std::vector<TaskBegins> begins = beginsOf(run);
    const auto matches = matchMpi(run.ranks, run.names, 1, log, Progress{});
    const auto partners = partnersInMemory(run.ranks, *matches, begins);
    for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank)
        found.ranks.push_back(told(rank, run.ranks[rank], run.names, *partners, log));
    found.issues = issuesOf(log);
    return found;
}

// With the ranks dealt out by `borders`.
Result<Found> exchanged(const MpiRun& run, const std::vector<std::uint32_t>& borders, std::uint32_t unruly)
{
    Found found;
    found.ranks.resize(run.ranks.size());
    const std::vector<TaskBegins> begins = beginsOf(run);
    const Hosting hosting(borders);
    const auto processes = static_cast<std::size_t>(hosting.processes());
    std::vector<MatchingLogs> logs(processes);
    std::vector<ImportLog> own(processes);
    const auto body = [&](Transport& transport) {
        const auto process = static_cast<std::size_t>(transport.process());
        const std::uint32_t first = hosting.first(transport.process());
        const std::uint32_t size = hosting.size(transport.process());
        const HostedRanks hosted{run.names, hosting, std::span(run.ranks).subspan(first, size),
                                 std::span(begins).subspan(first, size)};
        const auto partners = exchangePartners(transport, hosted, logs[process]);
        if (!partners) return transport.fail(partners.error());
        for (std::uint32_t rank = first; rank < first + size; ++rank)
            found.ranks[rank] = told(rank, run.ranks[rank], run.names, **partners, own[process]);
    };
    const Result<> ran = unruly > 0 ? runUnruly(hosting.processes(), unruly, body, 20)
                                    : runOnThreads(hosting.processes(), body);
    if (!ran) return ran.error();
    ImportLog log;
    log.merge(logs[0].collectives);
    for (const MatchingLogs& one : logs) log.merge(one.strangers);
    for (const MatchingLogs& one : logs) log.merge(one.leftovers);
    for (const ImportLog& one : own) log.merge(one);
    found.issues = issuesOf(log);
    return found;
}

// Borders of so many blocks, some of them empty.
std::vector<std::uint32_t> drawnBorders(std::uint32_t ranks, int processes, std::uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<std::uint32_t> borders{0};
    for (int i = 1; i < processes; ++i) borders.push_back(static_cast<std::uint32_t>(random() % (ranks + 1)));
    borders.push_back(ranks);
    std::sort(borders.begin(), borders.end());
    return borders;
}

// Rank 1 waits behind its last call for an epoch that rank 0 completes between two barriers.
void crossBarriers(MpiRun& run)
{
    const auto call = [&run](std::uint32_t rank, const char* name, TimeNs end, WindowStep step, std::int32_t peer) {
        const std::uint32_t number = run.addCall(rank, QLatin1String(name), run.ranks[rank].calls.back().end + 1, end);
        run.ranks[rank].windowSteps.push_back({number, 0, 3, step, peer, false});
    };
    call(0, "MPI_Win_start", 1'000'000'100, WindowStep::Start, 1);
    call(0, "MPI_Win_complete", 1'000'000'200, WindowStep::Complete, noRank);
    call(1, "MPI_Win_post", 1'000'000'100, WindowStep::Post, 0);
    for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
        const std::uint32_t barrier = run.addCall(rank, QStringLiteral("MPI_Barrier"), 1'000'000'300, 1'000'000'400);
        run.ranks[rank].collectives.push_back({barrier, barrier, 0, CollectiveKind::Barrier, noRank, {}});
    }
    call(1, "MPI_Win_wait", 1'000'000'500, WindowStep::Wait, noRank);
}

MpiRun ranksOfOneWorld(std::uint32_t ranks)
{
    MpiRun run;
    run.ranks.resize(ranks);
    std::vector<std::uint32_t> world;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) world.push_back(rank);
    run.addCommunicator(QStringLiteral("MPI_COMM_WORLD"), world);
    return run;
}

// So many calls of all ranks, without hubs; rank r comes r ns late.
void addCalls(MpiRun& run, const char* name, CollectiveKind kind, std::uint32_t count, bool isCompleted)
{
    for (std::uint32_t i = 0; i < count; ++i) {
        const TimeNs begin = run.ranks[0].calls.empty() ? 0 : run.ranks[0].calls.back().end + 100;
        for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
            const std::uint32_t call = run.addCall(rank, QString::fromLatin1(name), begin + rank, begin + 900);
            run.ranks[rank].calls[call].hub = noPiece;
            run.ranks[rank].collectives.push_back({call, isCompleted ? call : noCall, 0, kind, noRank, {8, 8}});
        }
    }
}

void compare(const MpiRun& run, const Found& wanted, const std::vector<std::uint32_t>& borders, std::uint32_t unruly)
{
    const Result<Found> found = exchanged(run, borders, unruly);
    QVERIFY2(found.ok(), found.ok() ? "" : qPrintable(toText(found.error())));
    QCOMPARE(found->issues, wanted.issues);
    for (std::size_t rank = 0; rank < wanted.ranks.size(); ++rank) QCOMPARE(found->ranks[rank], wanted.ranks[rank]);
}

struct ExchangedRow {
    std::int64_t big = 0;
    std::uint32_t number = 0;
    bool isSet = false;
    friend bool operator==(const ExchangedRow&, const ExchangedRow&) = default;
};

}  // namespace

class TestExchangedMatching : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void randomRuns_data()
    {
        QTest::addColumn<int>("processes");
        for (const int processes : {1, 2, 3, 4, 7}) QTest::addRow("%d processes", processes) << processes;
    }
    void randomRuns()
    {
        QFETCH(int, processes);
        for (std::uint32_t seed = 1; seed <= (processes <= 4 ? 200u : 40u); ++seed) {
            const MpiRun run = randomRun(seed);
            const auto ranks = static_cast<std::uint32_t>(run.ranks.size());
            compare(run, inMemory(run), drawnBorders(ranks, processes, seed), seed % 10 == 0 ? seed : 0);
            if (QTest::currentTestFailed()) {
                qInfo("seed %u", seed);
                return;
            }
        }
    }

    void windows()
    {
        for (std::uint32_t seed = 1; seed <= 60; ++seed) {
            MpiRun run = WindowProgram(seed).run;
            const auto ranks = static_cast<std::uint32_t>(run.ranks.size());
            // A barrier behind it all, which nothing crosses.
            for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                const TimeNs end = run.ranks[rank].calls.empty() ? 0 : run.ranks[rank].calls.back().end;
                const std::uint32_t call = run.addCall(rank, QStringLiteral("MPI_Barrier"), end + 1, 1'000'000'000);
                run.ranks[rank].collectives.push_back({call, call, 0, CollectiveKind::Barrier, noRank, {}});
            }
            if (seed % 2 == 0) crossBarriers(run);
            compare(run, inMemory(run), drawnBorders(ranks, 1 + static_cast<int>(seed % 5), seed),
                    seed % 10 == 0 ? seed : 0);
            if (QTest::currentTestFailed()) {
                qInfo("seed %u", seed);
                return;
            }
        }
    }

    void drawnRuns_data()
    {
        QTest::addColumn<QStringList>("lines");
        const auto add = [](const char* name, const QStringList& lines) { QTest::newRow(name) << lines; };
        add("probes, mprobe, tests", {QStringLiteral("Send>1#3 2-4 Send>1#3 8-9"),
                                      QStringLiteral("Probe<0#3 1-3 Recv<0#3 3-4 Irecv<0#3=a 5-6 Test:a~ 7-10")});
        add("rooted calls", {QStringLiteral("Bcast^2 2-6 Reduce^0 8-20 Scan 22-23"),
                             QStringLiteral("Bcast^2 1-7 Reduce^0 9-10 Scan 21-30"),
                             QStringLiteral("Bcast^2 5-6 Reduce^0 12-13 Scan 25-31")});
        add("a member is missing", {QStringLiteral("Barrier@1 2-9 Barrier 10-12"), QStringLiteral("Barrier 10-12"),
                                    QStringLiteral("Barrier 11-12 Barrier@1 20-21")});
        add("they call different things",
            {QStringLiteral("Bcast^0 2-3 Barrier 5-9"), QStringLiteral("Barrier 1-3 Bcast^1 5-6")});
        add("pending across a barrier", {QStringLiteral("Isend>1=a 1-2 Barrier 3-6 Wait:a 8-9 Barrier 10-12"),
                                         QStringLiteral("Barrier 4-6 Recv<0 7-8 Barrier 11-12")});
        add("synchronous, cancelled, open",
            {QStringLiteral("Ssend>1 1-9 Isend>1=a 10-11 Wait:a!a 12-13"), QStringLiteral("Recv<0 7-9 Recv<0 14-?")});
        add("self",
            {QStringLiteral("Barrier@2 1-2 Barrier@2 3-4 Send>0 5-6 Recv<0 7-8"), QStringLiteral("Barrier@2 1-3")});
        add("nothing at all", {QString(), QString()});
    }
    void drawnRuns()
    {
        QFETCH(QStringList, lines);
        const MpiRun run = drawnRun(lines);
        const auto ranks = static_cast<std::uint32_t>(run.ranks.size());
        const Found wanted = inMemory(run);
        for (int processes = 1; processes <= 5; ++processes)
            for (std::uint32_t seed = 1; seed <= 4; ++seed)
                compare(run, wanted, drawnBorders(ranks, processes, seed), seed == 4 ? seed : 0);
    }

    // More pairs of members than limits::memberPairs allows, or more sources than limits::neighbours does: all
    // processes leave out those of the same calls.
    void manyPairs()
    {
        MpiRun pairs = ranksOfOneWorld(64);
        for (std::uint32_t rank = 0; rank < 64; ++rank) pairs.names.communicators[0].sources[rank] = {rank / 2, 5};
        // Nothing comes of those that nobody completes, but their pairs count.
        addCalls(pairs, "MPI_Iallreduce", CollectiveKind::NToN, 600, false);
        addCalls(pairs, "MPI_Allreduce", CollectiveKind::NToN, 3, true);
        addCalls(pairs, "MPI_Scan", CollectiveKind::Prefix, 3, true);
        addCalls(pairs, "MPI_Neighbor_alltoall", CollectiveKind::Neighbours, 3, true);
        MpiRun sources = ranksOfOneWorld(64);
        for (std::uint32_t rank = 0; rank < 64; ++rank)
            sources.names.communicators[0].sources[rank].assign(rank % 2 == 0 ? 3'000 : 3, rank / 2);
        addCalls(sources, "MPI_Neighbor_alltoall", CollectiveKind::Neighbours, 13, true);
        for (const MpiRun& run : {pairs, sources}) {
            const Found wanted = inMemory(run);
            for (int processes = 1; processes <= 3; ++processes)
                compare(run, wanted, drawnBorders(64, processes, static_cast<std::uint32_t>(processes)), 0);
        }
    }

    // Blocks by bytes: in order, nothing left out, and none much larger than its share.
    void hosting()
    {
        std::mt19937 random(5);
        for (int processes = 1; processes <= 9; ++processes) {
            for (std::size_t ranks : {1u, 2u, 5u, 64u, 1000u}) {
                std::vector<std::uint64_t> bytes(ranks);
                for (std::uint64_t& own : bytes) own = random() % 100'000;
                const Hosting hosting = Hosting::balanced(bytes, processes);
                QCOMPARE(hosting.processes(), processes);
                QCOMPARE(hosting.first(0), 0u);
                QCOMPARE(hosting.ranks(), static_cast<std::uint32_t>(ranks));
                std::uint64_t all = 0, most = 0, largest = 0;
                for (const std::uint64_t own : bytes) {
                    all += own + 4096;
                    largest = std::max(largest, own + 4096);
                }
                for (int process = 0; process < processes; ++process) {
                    QVERIFY(hosting.first(process) <= hosting.last(process));
                    std::uint64_t mine = 0;
                    for (std::uint32_t rank = hosting.first(process); rank < hosting.last(process); ++rank) {
                        QCOMPARE(hosting.hostOf(rank), process);
                        mine += bytes[rank] + 4096;
                    }
                    most = std::max(most, mine);
                }
                QVERIFY(most <= all / static_cast<std::uint64_t>(processes) + largest);
            }
        }
    }

    // Tables come back as they went, and whatever else comes is refused without reading past its end.
    void tables()
    {
        std::mt19937_64 random(3);
        std::vector<ExchangedRow> rows{{maxTime, 0xffffffffu, true}, {minTime, 0, false}, {-1, 1, true}};
        for (int i = 0; i < 1000; ++i)
            rows.push_back({static_cast<std::int64_t>(random() >> (random() % 64)),
                            static_cast<std::uint32_t>(random()), random() % 2 == 0});
        Packer packer;
        packer.putTable(rows, &ExchangedRow::big, &ExchangedRow::number, &ExchangedRow::isSet);
        const Payload bytes = packer.take();
        Unpacker whole(bytes);
        QVERIFY(whole.table<ExchangedRow>(&ExchangedRow::big, &ExchangedRow::number, &ExchangedRow::isSet) == rows);
        QVERIFY(whole.isWhole() && whole.isAtEnd());
        for (std::size_t length = 0; length < bytes.size(); length += 7) {
            Unpacker cut{std::span(bytes).first(length)};
            cut.table<ExchangedRow>(&ExchangedRow::big, &ExchangedRow::number, &ExchangedRow::isSet);
            QVERIFY(!cut.isWhole());
        }
    }
};

LONGPOLE_TEST(TestExchangedMatching)
#include "tst_exchangedmatching.moc"
