// SPDX-License-Identifier: GPL-3.0-or-later
// One to four processes put the waits of drawn programs and real archives down to the same code as one that sees the
// whole trace, whichever waits are asked about and however many causes they may have.
#include "analysis/mpi/delaycosts.h"
#include "analysis/mpi/threadcosts.h"
#include "core/base/limits.h"
#include "core/store/tracewriter.h"
#include "distributed/answers/causemeetings.h"
#include "distributed/answers/causereplay.h"
#include "distributed/answers/hostedcauses.h"
#include "distributed/archives.h"
#include "distributed/transport/threadwire.h"
#include "importers/common/importer.h"

#include "core/smalltrace.h"
#include "distributed/algorithms/randomprogram.h"
#include "distributed/answers/hostedanswers.h"
#include "support/mpi/unrulywire.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <mutex>
#include <random>

using namespace longpole;
using namespace longpole::tests;

namespace {

constexpr int blamedPrograms = 300;
constexpr std::uint32_t drawnSets = 400;

// Some programs are asked about some of their waits only.
WaitOptions optionsOf(const TraceStore& store, std::uint32_t seed)
{
    WaitOptions options{.mostWorst = 1, .withCauses = true};
    if (seed % 5 == 1) options.rank = seed % std::max(1u, rankCount(store));
    if (seed % 7 == 2) options.kind = WaitStateKind::WaitAtNxN;
    const TimeRange run = store.info().range();
    if (seed % 6 == 3) options.range = TimeRange{run.begin, run.begin + run.length() / 2};
    return options;
}

// Mostly as many causes as there are.
Limit limitOf(std::uint32_t seed)
{
    Limit limit = limits::waitCauses;
    if (seed % 4 != 0) return limit;
    limit.free = seed % 100;
    limit.per = 0;
    return limit;
}

QStringList expectedCauses(const TraceStore& store, std::uint32_t seed)
{
    const WaitOptions options = optionsOf(store, seed);
    const WaitChoice choice(options, store.info().range());
    const Limit limit = limitOf(seed);
    auto costs = delayCosts(store, choice, Progress{}, limit);
    if (!costs || !addThreadCosts(store, choice, *costs, Progress{}, limit)) return {QStringLiteral("no causes")};
    QStringList lines = costLines(costs->byEntry) + costLines(costs->byRank);
    // Without a limit the costs and what has no cause are what was waited.
    if (seed % 4 != 0) {
        const auto waits = waitStates(store, options, Progress{});
        if (!waits || waits->unexplained < 0) return {QStringLiteral("no waits")};
        lines << QStringLiteral("without a cause %1").arg(waits->unexplained - waits->total);
    }
    return lines;
}

QStringList hostedCauses(const std::shared_ptr<const TraceStore>& store, const Hosting& hosting, std::uint32_t seed,
                         bool isUnruly)
{
    QStringList lines;
    std::mutex mutex;
    const auto body = [&](Transport& transport) {
        WaitStates waits;
        const Result<> found = findHostedCauses(transport, hosted(store, hosting), optionsOf(*store, seed), waits,
                                                Progress{}, limitOf(seed));
        if (!found || !transport.isRoot()) return;
        const std::lock_guard lock(mutex);
        lines = costLines(waits.causes) + costLines(waits.causesByRank);
        if (seed % 4 != 0) lines << QStringLiteral("without a cause %1").arg(waits.unexplained);
    };
    const Result<> ran = isUnruly ? runUnruly(hosting.processes(), seed, body, 100)
                                  : runOnThreads(hosting.processes(), body);
    return ran ? lines : QStringList{toText(ran.error())};
}

// Ranks that meet in a few communicators, or come late; some of their calls waited for another rank's.
WaitRecords drawnRecords(std::mt19937& random)
{
    const auto below = [&random](std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); };
    WaitRecords records;
    records.ranks.resize(2 + below(4));
    const auto ranks = static_cast<std::uint32_t>(records.ranks.size());
    const std::uint32_t calls = 20 + below(150);
    const std::uint32_t comms = 1 + below(4);
    const std::uint32_t patience = 1 + below(6);
    for (WaitRank& rank : records.ranks) {
        rank.calls.resize(calls);
        TimeNs now = 0;
        for (std::uint32_t call = 0; call < calls; ++call) {
            now += below(9);
            rank.calls.set(call, now, below(6));
        }
        rank.calls.close();
        for (std::uint32_t call = 0; call + 1 < calls; ++call)
            rank.activity.add(1 + below(4), {rank.calls.wait(call).end, rank.calls.begin(call + 1)}, below(2));
        rank.activity.close();
    }
    for (std::uint32_t message = below(calls); message > 0; --message) {
        const std::uint32_t a = below(ranks), b = below(ranks), own = below(calls), theirs = below(calls);
        records.ranks[a].messages.push_back({b, own, theirs});
        records.ranks[b].messages.push_back({a, theirs, own});
    }
    for (WaitRank& rank : records.ranks)
        std::stable_sort(rank.messages.begin(), rank.messages.end(),
                         [](const WaitMessage& a, const WaitMessage& b) { return a.own < b.own; });
    for (std::uint32_t call = 0; call < calls; ++call) {
        const auto comm = static_cast<std::int32_t>(below(comms));
        const std::int32_t root = below(3) == 0 ? static_cast<std::int32_t>(below(ranks)) : -1;
        // Now and then numbers fall back, as those of calls of several threads may.
        const auto instance = static_cast<std::int32_t>(below(20) == 0 ? call / 2 : call);
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            if (below(patience) != 0 || patience == 1)
                records.ranks[rank].collectives.push_back({instance, comm, root, call});
        const std::uint32_t waiter = below(ranks);
        if (below(3) != 0)
            records.ranks[waiter].waits.push_back({.call = call,
                                                   .culprit = static_cast<std::int32_t>(below(ranks + 1)) - 1,
                                                   .culpritCall = call > 0 ? call - below(std::min(call, 5u)) : 0,
                                                   .pattern = WaitPattern::LateSender});
    }
    return records;
}

// What a process has of them: of the messages those in which the peer was not behind.
CauseRecords hostedPart(const WaitRecords& all, const Hosting& hosting, int process)
{
    CauseRecords own{hosting.first(process), {}, {}};
    for (const WaitRank& rank : all.ranks) own.calls.push_back(static_cast<std::uint32_t>(rank.calls.size()));
    for (std::uint32_t rank = own.first; rank < hosting.last(process); ++rank) {
        WaitRank& part = own.ranks.emplace_back(all.ranks[rank]);
        std::erase_if(part.messages, [&](const WaitMessage& message) {
            return all.ranks[message.peer].calls.wait(message.theirs).end > part.calls.wait(message.own).end;
        });
    }
    return own;
}

// Ranks whose own threads wait for another thread of theirs, which is in ever more regions meanwhile.
std::shared_ptr<const TraceStore> threadedRun(const QString& path, std::uint32_t ranks)
{
    constexpr TimeNs each = 10;
    auto writer = TraceWriter::create(path);
    if (!writer) return nullptr;
    TraceInfo info;
    info.format = recordingFormat;
    info.vocabulary = ProgramKind::Mpi;
    info.processors = ranks;
    (*writer)->add(Track{.id = TrackId{1}, .kind = TrackKind::Root, .name = QStringLiteral("run"), .pe = {}});
    for (std::uint32_t region = 0; region < 9; ++region)
        (*writer)->add(Region{RegionId{region}, RegionKind::Function, 0, QStringLiteral("region %1").arg(region)});
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const ProcessorId pe{rank};
        const TrackId own{100 + 2 * rank}, other{101 + 2 * rank};
        const QString name = QStringLiteral("rank %1").arg(rank);
        (*writer)->add(Track{.id = own, .parent = TrackId{1}, .kind = TrackKind::Rank, .name = name, .pe = pe});
        (*writer)->add(Track{.id = other, .parent = own, .kind = TrackKind::Thread, .name = name, .pe = pe});
        (*writer)->add(Processor{.pe = pe, .track = own, .kind = TrackKind::Rank, .name = name});
        const auto stream = (*writer)->stream(rank);
        for (TimeNs i = 0; i < 9; ++i) stream->append(ChunkKind::Interval, other, Row{each * i, each, 0, 0, i, -1});
        for (TimeNs i = 0; i < 9; ++i)
            stream->append(ChunkKind::ThreadWait, own,
                           Row{0, each * (1 + (i * 5 + rank) % 9), 1, each * (1 + (i * 5 + rank) % 9),
                               std::int64_t(WaitPattern::OmpBarrier), -1, index(other)});
        stream->close();
        info.end = each * 9;
    }
    (*writer)->setInfo(info);
    const auto finished = (*writer)->finish(Progress{});
    const auto store = finished ? TraceStore::open(path) : Result<std::shared_ptr<const TraceStore>>(finished.error());
    return store ? *store : nullptr;
}

}  // namespace

class TestHostedCauses : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void drawnRuns()
    {
        int blamed = 0;
        for (std::uint32_t seed = 1; seed <= blamedPrograms; ++seed) {
            const QTemporaryDir folder;
            RandomProgram program(seed);
            const auto store = importedProgram(program.program(), folder.path(), 1);
            QVERIFY(store);
            if (compare(store, seed) > 1) ++blamed;
            if (QTest::currentTestFailed()) {
                qInfo("seed %u", seed);
                return;
            }
        }
        QVERIFY2(blamed > blamedPrograms / 2, qPrintable(QString::number(blamed)));
    }

    // Archives of real programs.
    void archives_data() { longpole::test::addArchives(); }
    void archives()
    {
        QFETCH(QString, path);
        if (importerFor(path) == nullptr) QSKIP("built without the OTF2 library");
        const QTemporaryDir folder;
        const auto store = longpole::test::importedArchive(path, folder);
        QVERIFY(store);
        for (const std::uint32_t seed : {5u, 8u, 11u}) compare(store, seed);
    }

    // Processes count down in turn where there are more regions than waits may be divided among.
    void threads()
    {
        const QTemporaryDir folder;
        const auto store = threadedRun(folder.filePath(QStringLiteral("threads.longpole")), 5);
        QVERIFY(store);
        const Hosting hostings[] = {Hosting({0, 5}), Hosting({0, 2, 5}), Hosting({0, 1, 1, 3, 5})};
        QStringList before;
        for (std::int64_t most = 0; most < 240; ++most) {
            const Limit limit{"", most, 0, "", ""};
            const WaitChoice choice({}, store->info().range());
            DelayCosts costs;
            QVERIFY(addThreadCosts(*store, choice, costs, Progress{}, limit).ok());
            const QStringList wanted = costLines(costs.byEntry) + costLines(costs.byRank);
            for (const Hosting& hosting : hostings) {
                WaitStates waits;
                const Result<> ran = runOnThreads(hosting.processes(), [&](Transport& transport) {
                    WaitStates own;
                    const Result<> found = findHostedCauses(transport, hosted(store, hosting), {}, own, Progress{},
                                                            limit);
                    if (found && transport.isRoot()) waits = own;
                });
                QVERIFY(ran.ok());
                const QStringList found = costLines(waits.causes) + costLines(waits.causesByRank);
                QCOMPARE(difference("costs of threads", found, wanted), QString());
            }
            if (most == 0) before = wanted;
            if (most == 239) QVERIFY(wanted.size() > before.size());
        }
    }

    // The last few collective calls of the rank that waited say where both last met, or all of them do. Clocks disagree
    // as they like, so that waits hand time to each other in circles, and many end together.
    void drawnWaits()
    {
        for (std::uint32_t seed = 1; seed <= drawnSets; ++seed) {
            std::mt19937 random(seed);
            const WaitRecords records = drawnRecords(random);
            const auto ranks = static_cast<std::uint32_t>(records.ranks.size());
            std::vector<CollectiveCalls> collectives;
            for (const WaitRank& rank : records.ranks) collectives.emplace_back(rank);
            std::vector<std::vector<CommonSync>> meetings;
            for (std::uint32_t rank = 0; rank < ranks; ++rank)
                meetings.push_back(commonSyncs(records, collectives, rank, Progress{}));
            const WaitChoice choice({}, {0, maxTime});
            const Limit limit = limitOf(seed);
            const auto wanted = delayCosts(records, choice, Progress{}, limit);
            QVERIFY(wanted.ok());
            const int processes = 1 + static_cast<int>(seed % 4);
            std::vector<std::uint32_t> borders{0};
            for (int process = 1; process < processes; ++process)
                borders.push_back(std::min(ranks, borders.back() + static_cast<std::uint32_t>(random() % 3)));
            borders.push_back(ranks);
            const Hosting hosting(borders);
            std::vector<std::vector<CommonSync>> found(ranks);
            std::vector<CodeCost> costs;
            std::mutex mutex;
            const Result<> ran = runOnThreads(processes, [&](Transport& transport) {
                const CauseRecords own = hostedPart(records, hosting, transport.process());
                auto part = causeMeetings(transport, hosting, own, Progress{});
                if (!part) return;
                const auto ownCosts = hostedDelayCosts(transport, hosting, own, *part, choice, Progress{}, limit);
                if (!ownCosts) return;
                const std::lock_guard lock(mutex);
                costs.insert(costs.end(), ownCosts->begin(), ownCosts->end());
                for (std::size_t i = 0; i < part->size(); ++i) found[own.first + i] = std::move((*part)[i]);
            });
            QVERIFY(ran.ok());
            QVERIFY2(found == meetings, qPrintable(QStringLiteral("seed %1").arg(seed)));
            const DelayCosts sums = sumOfCosts(costs);
            QVERIFY2(sums.byEntry == wanted->byEntry && sums.byRank == wanted->byRank,
                     qPrintable(QStringLiteral("seed %1").arg(seed)));
        }
    }

    // Of messages that one call completes the last counts: what their sender did before it made nobody wait.
    void messagesOfOneCall()
    {
        ScriptedMpi program(2);
        MpiThread& sender = program.rank(0);
        MpiThread& receiver = program.rank(1);
        for (const std::int64_t request : {1, 2, 3}) receiver.irecv(request, {0, 1, 8, 0}, 1);
        for (int message = 0; message < 3; ++message) sender.compute(20).send(1, 1, 8, 2);
        receiver.waitall({1, 2, 3}, sender.now() + 1 - receiver.now());
        sender.compute(30);
        const TimeNs met = sender.now();
        sender.barrier(2);
        receiver.compute(5);
        receiver.barrier(met + 2 - receiver.now());
        program.info().end = met + 2;
        const QTemporaryDir folder;
        const auto store = importedProgram(program, folder.path(), 1);
        QVERIFY(store);
        QVERIFY(compare(store, 5) > 1);
    }

private:
    // The number of lines.
    static qsizetype compare(const std::shared_ptr<const TraceStore>& store, std::uint32_t seed)
    {
        const QStringList wanted = expectedCauses(*store, seed);
        for (int processes = 1; processes <= 4; ++processes) {
            const bool isUnruly = processes == 3 && seed % 10 == 0;
            const QStringList found = hostedCauses(store, drawnHosting(*store, processes, seed), seed, isUnruly);
            const QString what = difference("causes", found, wanted);
            if (!what.isEmpty())
                QTest::qFail(qPrintable(QStringLiteral("%1 processes, %2").arg(processes).arg(what)), __FILE__,
                             __LINE__);
            if (!what.isEmpty()) break;
        }
        return wanted.size();
    }
};

LONGPOLE_TEST(TestHostedCauses)
#include "tst_hostedcauses.moc"
