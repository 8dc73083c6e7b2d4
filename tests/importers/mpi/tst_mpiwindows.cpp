// SPDX-License-Identifier: GPL-3.0-or-later
// What one-sided calls waited for: every case of docs/algorithms.md 7.2 drawn, and random programs that were played
// with exact times, so that their waits are known.
#include "importers/mpi/waits.h"
#include "support/mpi/mpiedges.h"
#include "support/mpi/mpiranks.h"
#include "support/mpi/windowprogram.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>

using namespace longpole;

namespace {

// A drawn call: "Start>1,2 5-6" of window 1 to ranks 1 and 2; "Lock>0x" exclusive; "Put>1", "Fence", "Lock" of all.
MpiRun drawnWindows(const QStringList& lines)
{
    static const QRegularExpression word(QStringLiteral("([A-Z][a-z_]+)(?:>([\\d,]+))?(x?)(?:@(\\d+))? (\\d+)-(\\d+)"));
    static const std::map<QString, std::pair<const char*, WindowStep>> steps{
        {QStringLiteral("Fence"), {"MPI_Win_fence", WindowStep::Fence}},
        {QStringLiteral("Post"), {"MPI_Win_post", WindowStep::Post}},
        {QStringLiteral("Start"), {"MPI_Win_start", WindowStep::Start}},
        {QStringLiteral("Complete"), {"MPI_Win_complete", WindowStep::Complete}},
        {QStringLiteral("Wait"), {"MPI_Win_wait", WindowStep::Wait}},
        {QStringLiteral("Lock"), {"MPI_Win_lock", WindowStep::Lock}},
        {QStringLiteral("Unlock"), {"MPI_Win_unlock", WindowStep::Unlock}},
        {QStringLiteral("Flush"), {"MPI_Win_flush", WindowStep::Access}},
        {QStringLiteral("Put"), {"MPI_Put", WindowStep::Access}}};
    MpiRun run;
    run.ranks.resize(static_cast<std::size_t>(lines.size()));
    std::vector<std::uint32_t> all(run.ranks.size());
    std::iota(all.begin(), all.end(), 0u);
    run.addCommunicator(QStringLiteral("world"), all);
    for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
        for (auto i = word.globalMatch(lines[static_cast<qsizetype>(rank)]); i.hasNext();) {
            const QRegularExpressionMatch match = i.next();
            if (match.captured(1) == QLatin1String("Loop")) {  // of failed tests
                const std::uint32_t loop = run.addCall(rank, QStringLiteral("MPI_Win_test"),
                                                       match.captured(5).toLongLong(), match.captured(6).toLongLong());
                run.ranks[rank].calls[loop].isPolling = true;
                continue;
            }
            const auto& [name, step] = steps.at(match.captured(1));
            const std::uint32_t call = run.addCall(rank, QLatin1String(name), match.captured(5).toLongLong(),
                                                   match.captured(6).toLongLong());
            const std::int32_t window = match.captured(4).isEmpty() ? 1 : match.captured(4).toInt();
            QStringList peers = match.captured(2).split(u',', Qt::SkipEmptyParts);
            if (peers.isEmpty()) peers << QStringLiteral("-1");
            for (const QString& peer : peers)
                run.ranks[rank].windowSteps.push_back({call, 0, window, step, peer.toInt(),
                                                       !match.captured(3).isEmpty()});
        }
    }
    return run;
}

struct WindowWaits {
    MpiMatches matches;
    std::vector<std::vector<MpiWait>> waits;
    std::vector<std::vector<MpiEdge>> edges;
};

WindowWaits windowWaits(const MpiRun& run, unsigned threads = 1)
{
    ImportLog log;
    WindowWaits result;
    result.matches = *matchMpi(run.ranks, run.names, threads, log, Progress{});
    result.waits = mpiWaits(run.ranks, run.names, result.matches, threads);
    std::vector<ImportLog> logs(run.ranks.size());
    result.edges = mpiEdges(run.ranks, result.matches, logs, threads);
    return result;
}

// Of each call that waited or is not judged: "1.2 late_post 5<0.3", "?": not judged, "!": a late complete.
QString windowText(const MpiRun& run, const WindowWaits& found)
{
    QStringList texts;
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
        for (std::size_t call = 0; call < found.waits[rank].size(); ++call) {
            const MpiWait& wait = found.waits[rank][call];
            const bool isJudged = (wait.flags & MpiCallFlag::Judged) != 0;
            QString text = QStringLiteral("%1.%2%3").arg(rank).arg(call).arg(QLatin1String(isJudged ? "" : "?"));
            if (wait.pattern == WaitPattern::None) {
                if (!isJudged) texts << text;
                continue;
            }
            static const std::map<WaitPattern, const char*> names{{WaitPattern::LatePost, "post"},
                                                                  {WaitPattern::EarlyWait, "wait"},
                                                                  {WaitPattern::LockCompetition, "lock"}};
            texts << text
                         + QStringLiteral(" %1 %2<%3.%4")
                               .arg(QLatin1String(names.at(wait.pattern)))
                               .arg(wait.severity)
                               .arg(wait.culprit)
                               .arg(wait.culpritCall)
                         + QLatin1String((wait.flags & MpiCallFlag::LateComplete) != 0 ? "!" : "");
        }
    }
    return texts.join(QStringLiteral(", "));
}

}  // namespace

class TestMpiWindows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void cases_data()
    {
        QTest::addColumn<QStringList>("lines");
        QTest::addColumn<QString>("waits");
        const auto row = [](const char* name, std::initializer_list<const char*> lines, const char* waits) {
            QStringList drawn;
            for (const char* const line : lines) drawn << QLatin1String(line);
            QTest::newRow(name) << drawn << QString::fromLatin1(waits);
        };
        row("late post: the start waits", {"Start>1 2-11 Put>1 11-12 Complete 12-13", "Post>0 10-11 Wait 12-14"},
            "0.0 post 8<1.0");
        row("late post: the access waits", {"Start>1 2-3 Put>1 4-12 Complete 12-13", "Post>0 10-11 Wait 12-14"},
            "0.1 post 6<1.0");
        row("late post: the complete waits", {"Start>1 2-3 Put>1 4-5 Complete 6-12", "Post>0 10-11 Wait 11-14"},
            "0.2 post 4<1.0");
        row("no late post: all calls returned before it",
            {"Start>1 2-3 Put>1 4-5 Complete 6-7", "Post>0 10-11 Wait 11-14"}, "");
        row("late post of the last of three",
            {"Start>1,2 2-20 Complete 21-22", "Post>0 10-11 Wait 22-23", "Post>0 15-16 Wait 22-23"}, "0.0 post 13<2.0");
        row("an access waits for its own target",
            {"Start>1,2 2-3 Put>1 4-12 Put>2 13-14 Complete 21-22", "Post>0 10-11 Wait 22-23", "Post>0 5-6 Wait 22-23"},
            "0.1 post 6<1.0");
        row("early wait, for accesses", {"Start>1 2-3 Put>1 18-19 Complete 20-21", "Post>0 1-2 Wait 10-22"},
            "1.1 wait 10<0.2");
        row("early wait, for a late complete", {"Start>1 2-3 Put>1 4-5 Complete 20-21", "Post>0 1-2 Wait 10-22"},
            "1.1 wait 10<0.2!");
        row("early wait for the last of two origins",
            {"Start>2 2-3 Put>2 11-12 Complete 13-14", "Start>2 2-3 Put>2 18-19 Complete 20-21",
             "Post>0,1 1-2 Wait 10-22"},
            "2.1 wait 10<1.2");
        row("early wait in a loop of tests, for a late complete",
            {"Start>1 2-3 Put>1 4-5 Complete 20-21", "Post>0 1-2 Loop 10-19 Wait 21-22"}, "1.1? wait 9<0.2!");
        row("no early wait: the complete came before", {"Start>1 2-3 Complete 4-5", "Post>0 1-2 Wait 10-12"}, "");
        row("the second epoch belongs to the second post",
            {"Start>1 2-3 Complete 4-5 Start>1 6-31 Complete 32-33", "Post>0 1-2 Wait 10-12 Post>0 30-31 Wait 32-34"},
            "0.2 post 24<1.2");
        row("windows are told apart", {"Start>1@2 2-21 Complete@2 22-23", "Post>0@1 1-2 Post>0@2 20-21 Wait@2 22-24"},
            "0.0 post 18<1.1");
        row("a start whose post is missing cannot be judged", {"Start>1 2-3 Put>1 4-5 Complete 6-7", ""},
            "0.0?, 0.1?, 0.2?");
        row("a wait whose complete is missing cannot be judged", {"Start>1 2-3", "Post>0 1-2 Wait 5-9"}, "1.1?");
        row("lock competition", {"Lock>0x 1-2 Put>0 3-4 Unlock>0 20-21", "Lock>0x 5-22 Put>0 23-24 Unlock>0 30-31"},
            "0.0?, 0.1?, 0.2?, 1.0? lock 15<0.2, 1.1?, 1.2?");
        row("lock competition met in the first access",
            {"Lock>0x 1-2 Put>0 3-4 Unlock>0 20-21", "Lock>0x 5-6 Put>0 8-24 Unlock>0 30-31"},
            "0.0?, 0.1?, 0.2?, 1.0?, 1.1? lock 12<0.2, 1.2?");
        row("locks of other targets do not exclude each other",
            {"Lock>0x 1-2 Unlock>0 20-21", "Lock>1x 5-22 Unlock>1 30-31"}, "0.0?, 0.1?, 1.0?, 1.1?");
        row("shared locks do not exclude each other", {"Lock>0 1-2 Unlock>0 20-21", "Lock>0 5-22 Unlock>0 30-31"},
            "0.0?, 0.1?, 1.0?, 1.1?");
        row("an exclusive lock waits for the last of those who share it",
            {"Lock>0 1-2 Unlock>0 12-13", "Lock>0 2-3 Unlock>0 20-21", "Lock>0x 5-22 Unlock>0 30-31"},
            "0.0?, 0.1?, 1.0?, 1.1?, 2.0? lock 15<1.1, 2.1?");
        row("a shared lock waits for the exclusive one",
            {"Lock>0x 1-2 Unlock>0 12-13", "Lock>0 2-14 Unlock>0 20-21", "Lock>0 5-15 Unlock>0 30-31"},
            "0.0?, 0.1?, 1.0? lock 10<0.1, 1.1?, 2.0? lock 7<0.1, 2.1?");
        row("three in a row: each waits for the one before it",
            {"Lock>0x 1-2 Unlock>0 10-11", "Lock>0x 2-11 Unlock>0 20-21", "Lock>0x 3-21 Unlock>0 30-31"},
            "0.0?, 0.1?, 1.0? lock 8<0.1, 1.1?, 2.0? lock 17<1.1, 2.1?");
        row("who asks after the one that waits is not waited for from its begin",
            {"Lock>0x 6-7 Unlock>0 10-11", "Lock>0x 2-11 Unlock>0 20-21"}, "0.0?, 0.1?, 1.0? lock 4<0.1, 1.1?");
        row("a lock of all is shared", {"Lock 1-2 Put>1 3-4 Unlock 20-21", "Lock>1x 5-22 Unlock>1 30-31"},
            "0.0?, 0.1?, 0.2?, 1.0? lock 15<0.2, 1.1?");
        row("a flush of another target does not wait for this one",
            {"Lock>1x 1-2 Unlock>1 20-21", "Lock 3-4 Flush>0 5-25 Flush>1 26-27 Unlock 30-31"},
            "0.0?, 0.1?, 1.0?, 1.1?, 1.2?, 1.3?");
        row("accesses between fences", {"Put>1 1-2 Fence 2-3 Put>1 4-5", ""}, "0.0?, 0.1?");
    }

    void cases()
    {
        QFETCH(QStringList, lines);
        QFETCH(QString, waits);
        const MpiRun run = drawnWindows(lines);
        QCOMPARE(windowText(run, windowWaits(run)), waits);
        // Where what was asked for is meant, not whom ranks are called.
        std::vector<std::uint32_t> order(run.ranks.size());
        std::iota(order.rbegin(), order.rend(), 0u);
        const WindowWaits other = windowWaits(permuted(run, order), 3);
        const WindowWaits own = windowWaits(run);
        for (std::size_t rank = 0; rank < order.size(); ++rank)
            for (std::size_t call = 0; call < run.ranks[rank].calls.size(); ++call) {
                QCOMPARE(other.waits[order[rank]][call].severity, own.waits[rank][call].severity);
                QCOMPARE(other.waits[order[rank]][call].flags, own.waits[rank][call].flags);
            }
    }

    // What follows a wait depends on the completes; what follows a call that waited, on the post or the unlock.
    void edges()
    {
        const MpiRun run = drawnWindows(
            {QStringLiteral("Start>1 2-11 Put>1 11-12 Complete 12-13 Lock>0x 20-21 Unlock>0 40-41"),
             QStringLiteral("Post>0 10-11 Wait 13-14 Lock>0x 30-42 Unlock>0 50-51")});
        const WindowWaits found = windowWaits(run);
        QCOMPARE(found.edges[0].size(), 1u);
        QCOMPARE(found.edges[0][0].sourceRank, 1u);
        QCOMPARE(found.edges[0][0].left, 10);
        QVERIFY(found.edges[0][0].link == Link::Rendezvous);
        QCOMPARE(found.edges[1].size(), 2u);
        QCOMPARE(found.edges[1][0].left, 12);
        QVERIFY(found.edges[1][0].link == Link::Collective);
        QCOMPARE(found.edges[1][1].left, 40);
        QVERIFY(found.edges[1][1].link == Link::Rendezvous);
    }

    void playedPrograms()
    {
        std::map<WaitPattern, int> seen;
        int lateCompletes = 0;
        for (std::uint32_t seed = 1; seed <= 400; ++seed) {
            const WindowProgram program(seed);
            const WindowWaits found = windowWaits(program.run, 1 + seed % 3);
            for (std::size_t rank = 0; rank < program.truth.size(); ++rank) {
                for (std::size_t call = 0; call < program.truth[rank].size(); ++call) {
                    const WindowProgram::Truth& truth = program.truth[rank][call];
                    const MpiWait& wait = found.waits[rank][call];
                    const QByteArray place = QStringLiteral("seed %1, rank %2, call %3: %4 %5 instead of %6 %7")
                                                 .arg(seed)
                                                 .arg(rank)
                                                 .arg(call)
                                                 .arg(int(wait.pattern))
                                                 .arg(wait.severity)
                                                 .arg(int(truth.pattern))
                                                 .arg(truth.severity)
                                                 .toUtf8();
                    QVERIFY2(wait.pattern == truth.pattern, place.constData());
                    QVERIFY2(wait.severity == truth.severity, place.constData());
                    QVERIFY2(wait.culprit == truth.culprit && wait.culpritCall == truth.culpritCall, place.constData());
                    QVERIFY2(((wait.flags & MpiCallFlag::LateComplete) != 0) == truth.isLateComplete,
                             place.constData());
                    ++seen[truth.pattern];
                    lateCompletes += truth.isLateComplete ? 1 : 0;
                }
            }
        }
        for (const WaitPattern pattern : {WaitPattern::LatePost, WaitPattern::EarlyWait, WaitPattern::LockCompetition})
            QVERIFY2(seen[pattern] > 500, qPrintable(QString::number(seen[pattern])));
        QVERIFY(lateCompletes > 100);
    }

    // A meeting that crosses a barrier: the run does not split there.
    void crossesBarriers()
    {
        MpiRun run = drawnWindows({QStringLiteral("Start>1 2-3 Complete 4-5"), QStringLiteral("Post>0 1-2")});
        for (std::uint32_t rank = 0; rank < 2; ++rank) {
            const std::uint32_t barrier = run.addCall(rank, QStringLiteral("MPI_Barrier"), 10 + rank, 12);
            run.ranks[rank].collectives.push_back({barrier, barrier, 0, CollectiveKind::Barrier, noRank, {}});
        }
        QVERIFY(windowWaits(run).matches.instances.at(0).isGlobal);
        const std::uint32_t wait = run.addCall(1, QStringLiteral("MPI_Win_wait"), 20, 22);
        run.ranks[1].windowSteps.push_back({wait, 0, 1, WindowStep::Wait, noRank, false});
        QVERIFY(!windowWaits(run).matches.instances.at(0).isGlobal);
    }
};

LONGPOLE_TEST(TestMpiWindows)
#include "tst_mpiwindows.moc"
