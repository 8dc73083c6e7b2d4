// SPDX-License-Identifier: GPL-3.0-or-later
// What MPI calls waited for and what pieces of code depend on: every pattern drawn, and the numbers of
// docs/algorithms.md 7.1 and 7.2.
#include "importers/mpi/waitedrun.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QRegularExpression>
#include <QTest>

#include <numeric>

using namespace longpole;

namespace {

QString flagsOf(std::uint16_t flags)
{
    static constexpr char letters[] = "CNSDUIGWR";
    QString text;
    for (int i = 0; letters[i] != 0; ++i)
        if (flags & (1 << i)) text += QLatin1Char(letters[i]);
    return text;
}

// "before/execution/after pattern severity <culprit.call flags": "5/2/0 LS5<0.0 W".
QString waitText(const MpiWait& wait, const MpiCall& call)
{
    static const char* const patterns[] = {"", "LS", "LR", "WB", "NN", "ER", "LB", "ES"};
    const TimeNs execution = call.end - call.begin - wait.before - wait.after;
    QString text = QStringLiteral("%1/%2/%3").arg(wait.before).arg(execution).arg(wait.after);
    if (wait.pattern != WaitPattern::None)
        text += QStringLiteral(" %1%2").arg(QLatin1String(patterns[static_cast<int>(wait.pattern)])).arg(wait.severity);
    if (wait.culprit >= 0) text += QStringLiteral("<%1.%2").arg(wait.culprit).arg(wait.culpritCall);
    const QString flags = flagsOf(wait.flags);
    return flags.isEmpty() ? text : text + u' ' + flags;
}

QString edgeText(const MpiEdge& edge)
{
    const QString text =
        QStringLiteral("%1<%2.%3@%4").arg(edge.piece).arg(edge.sourceRank).arg(edge.source).arg(edge.left);
    return edge.message < 0 ? text : text + QStringLiteral("#%1").arg(edge.message);
}

}  // namespace

class TestMpiWaits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void patterns_data()
    {
        QTest::addColumn<QStringList>("lines");
        QTest::addColumn<QStringList>("waits");
        const auto row = [](const char* name, std::initializer_list<const char*> lines,
                            std::initializer_list<const char*> waits) {
            QTest::newRow(name) << linesOf(lines) << linesOf(waits);
        };
        // docs/algorithms.md 7.2
        row("late sender", {"Send>1 7-8", "Recv<0 2-9"}, {"0/1/0", "5/2/0 LS5<0.0"});
        row("late sender, left before it", {"Send>1 20-21", "Recv<0 2-9"}, {"0/1/0", "7/0/0 LS7<0.0"});
        row("late sender in its Wait", {"Send>1 7-8", "Irecv<0=a 0-1 Wait:a 3-9"}, {"0/1/0", "0/1/0; 4/2/0 LS4<0.0 W"});
        row("none in Test", {"Send>1 7-8", "Irecv<0=a 0-1 Test:a 3-9"}, {"0/1/0", "0/1/0; 0/6/0 W"});
        row("a loop of polls", {"Send>1 7-8", "Irecv<0=a 0-1 Test:a~ 3-9"}, {"0/1/0", "0/1/0; 4/2/0 LS4<0.0 W"});
        row("a loop of polls that computation ended", {"Send>1 9-10", "Irecv<0=a 0-1 Test~ 2-4 Test~ 6-8 Test:a 11-12"},
            {"0/1/0", "0/1/0; 2/0/0 LS2<0.0 W; 2/0/0 LS2<0.0 W; 0/1/0 W"});
        row("a loop of polls and a call that brings nothing", {"Send>1 7-8", "Test~ 0-2 Irecv<0=a 3-4 Wait:a 5-9"},
            {"0/1/0", "0/2/0 W; 0/1/0; 2/2/0 LS2<0.0 W"});
        row("a loop that brought something else", {"Send>1 9-10", "Isend>1=a 0-1 Test:a~ 2-4 Recv<0 5-10"},
            {"0/1/0", "0/1/0 U; 0/2/0 W; 4/1/0 LS4<0.0"});
        row("a loop for a collective call", {"Ibarrier=a 0-1 Test:a~ 3-9", "Ibarrier=a 7-8 Wait:a 8-9"},
            {"0/1/0 CN; 4/2/0 WB4<1.0 W", "0/1/0 CN; 0/1/0 W"});
        row("probe", {"Send>1 7-8", "Probe<0 2-9 Recv<0 10-11"}, {"0/1/0", "5/2/0 LS5<0.0; 0/1/0"});
        row("the first message that is left",
            {"Send>1 1-2 Send>1 7-8", "Irecv<0=a 0-1 Probe<0 3-9 Recv<0 9-10 Wait:a 11-12"},
            {"0/1/0; 0/1/0", "0/1/0; 4/2/0 LS4<0.1; 0/1/0; 0/1/0 W"});
        row("taken by a probe", {"Send>1 1-2 Send>1 7-8", "Mprobe<0 0-3 Probe<0 4-9 Mrecv<0 9-10 Recv<0 10-11"},
            {"0/1/0; 0/1/0", "1/2/0 LS1<0.0; 3/2/0 LS3<0.1; 0/1/0; 0/1/0"});
        row("a probe that returned at once", {"Send>1 7-8", "Iprobe<0 2-9 Recv<0 10-11"}, {"0/1/0", "0/7/0; 0/1/0"});
        row("a loop of probes", {"Send>1 7-8", "Iprobe<0~ 2-9 Recv<0 10-11"}, {"0/1/0", "5/2/0 LS5<0.0; 0/1/0"});
        row("the worst of a Waitall", {"Send>2 5-6", "Send>2 8-9", "Irecv<0=a 0-1 Irecv<1=b 1-2 Waitall:a,b 3-10"},
            {"0/1/0", "0/1/0", "0/1/0; 0/1/0; 5/2/0 LS5<1.0 W"});
        row("late receiver", {"Send>1 2-9", "Recv<0 7-10"}, {"5/2/0 LR5<1.0 R", "0/3/0"});
        row("late receiver, left before it", {"Send>1 2-6", "Recv<0 7-10"}, {"0/4/0", "0/3/0"});
        row("late receiver in its Wait", {"Isend>1=a 0-1 Wait:a 2-9", "Irecv<0=a 7-8 Wait:a 8-9"},
            {"0/1/0; 5/2/0 LR5<1.0 WR", "0/1/0; 0/1/0 W"});
        row("receiver ready", {"Send>1 2-9", "Irecv<0=a 1-2 Wait:a 3-9"}, {"0/7/0", "0/1/0; 0/6/0 W"});
        row("sender first in one Waitall",
            {"Isend>1=a 0-1 Irecv<1=b 1-2 Waitall:a,b 3-20", "Irecv<0=c 12-13 Isend>0=d 5-6 Waitall:c,d 14-20"},
            {"0/1/0; 0/1/0; 2/15/0 LS2<1.1 WR", "0/1/0; 0/1/0; 0/6/0 W"});
        row("wrong order, same source", {"Isend>1#1=a 4-5 Send>1#2 8-9 Wait:a 9-10", "Recv<0#2 0-9 Recv<0#1 10-11"},
            {"0/1/0; 0/1/0; 0/1/0 W", "8/1/0 LS8<0.1 S; 0/1/0"});
        row("wrong order, another source", {"Send>1 8-9", "Recv<0 0-9 Recv<2 10-11", "Send>1 4-5"},
            {"0/1/0", "8/1/0 LS8<0.0 D; 0/1/0", "0/1/0"});
        row("right order", {"Send>1 8-9", "Recv<0 0-9 Recv<2 10-13", "Send>1 12-13"},
            {"0/1/0", "8/1/0 LS8<0.0; 2/1/0 LS2<2.0", "0/1/0"});
        row("no partner", {"Send>1 2-9", "Recv<0#3 7-10"}, {"0/7/0 U", "0/3/0 U"});
        // docs/algorithms.md 7.1
        row("the paper's parts", {"Barrier 0-11", "Barrier 4-12", "Barrier 10-11", "Barrier 6-13"},
            {"10/1/0 WB10<2.0 CG", "6/1/1 WB6<2.0 CG", "0/1/0 CG", "4/1/2 WB4<2.0 CG"});
        row("not synchronizing", {"Barrier 0-3", "Barrier 4-12"}, {"3/0/0 WB3<1.0 CN", "0/0/8 CN"});
        row("N x N", {"Allreduce 0-9", "Allreduce 5-8"}, {"5/3/1 NN5<1.0 CG", "0/3/0 CG"});
        row("N x N, completion", {"Allreduce 0-4", "Allreduce 5-8", "Allreduce 1-7"},
            {"4/0/0 NN4<1.0 CN", "0/0/3 CN", "4/0/2 NN4<1.0 CN"});
        row("early reduce", {"Reduce^0 0-9", "Reduce^0 5-6", "Reduce^0 7-8"},
            {"7/2/0 ER7<2.0 CN", "0/1/0 CN", "0/1/0 CN"});
        row("early reduce, synchronizing", {"Reduce^0 0-9", "Reduce^0 4-8", "Reduce^0 2-9"},
            {"4/4/1 ER4<1.0 C", "0/4/0 C", "2/4/1<1.0 C"});
        row("late root of a reduce", {"Reduce^0 5-9", "Reduce^0 4-5", "Reduce^0 2-3"},
            {"0/4/0 CN", "0/1/0 CN", "0/1/0 CN"});
        row("late broadcast", {"Bcast^0 5-6", "Bcast^0 2-9", "Bcast^0 8-9"},
            {"0/1/0 CN", "3/4/0 LB3<0.0 CN", "0/1/0 CN"});
        row("late broadcast, synchronizing", {"Bcast^1 6-9", "Bcast^1 4-9", "Bcast^1 1-8"},
            {"0/2/1 C", "2/2/1<0.0 C", "5/2/0 LB3<1.0 C"});
        row("no root known", {"Bcast 5-6", "Bcast 2-9", "Bcast 8-9"}, {"0/1/0 CN", "0/7/0 CN", "0/1/0 CN"});
        row("early scan", {"Scan 3-4", "Scan 0-9", "Scan 5-9"}, {"0/1/0 CN", "3/6/0 ES3<0.0 CN", "0/4/0 CN"});
        row("early scan, synchronizing", {"Scan 3-9", "Scan 0-9", "Scan 5-9"},
            {"2/4/0<2.0 C", "5/4/0 ES3<0.0 C", "0/4/0 C"});
        row("Finalize as barrier", {"Finalize 0-9", "Finalize 5-9"}, {"5/4/0 WB5<1.0 CG", "0/4/0 CG"});
        row("Finalize alone", {"Finalize 0-3", "Finalize 5-9"}, {"0/3/0 CN", "0/4/0 CN"});
        row("no dependencies", {"Comm_free 0-9", "Comm_free 5-9"}, {"0/9/0 CN", "0/4/0 CN"});
        row("non-blocking barrier", {"Ibarrier=a 0-1 Wait:a 3-9", "Ibarrier=a 7-8 Wait:a 8-9"},
            {"0/1/0 CN; 4/2/0 WB4<1.0 W", "0/1/0 CN; 0/1/0 W"});
        row("members differ", {"Barrier 0-9", "Allreduce 5-9"}, {"0/9/0 CN", "0/4/0 CN"});
        row("a member is missing", {"Barrier 0-9", "Barrier 5-9", ""}, {"0/9/0 CN", "0/4/0 CN", ""});
        row("cut", {"Barrier 0-?", "Send>0 5-9"}, {"0/1000/0 CNI", "0/4/0 U"});
    }
    void patterns()
    {
        QFETCH(QStringList, lines);
        const MpiRun run = drawnRun(lines);
        const Waited found = waited(run);
        QStringList texts;
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            QStringList calls;
            for (std::size_t call = 0; call < run.ranks[rank].calls.size(); ++call)
                calls += waitText(found.waits[rank][call], run.ranks[rank].calls[call]);
            texts += calls.join(QStringLiteral("; "));
        }
        QTEST(texts, "waits");
    }

    // Rank 0 receives from rank 1 only, rank 2 from both others, rank 1 from nobody.
    void waitsForNeighboursOnly()
    {
        MpiRun run = drawnRun(linesOf({"Neighbor_alltoall 0-9", "Neighbor_alltoall 3-4", "Neighbor_alltoall 1-8"}));
        run.names.communicators[0].sources = {{0, {1}}, {1, {}}, {2, {0, 1}}};
        const Waited found = waited(run);
        QCOMPARE(waitText(found.waits[0][0], run.ranks[0].calls[0]), QStringLiteral("3/6/0 NN3<1.0 CN"));
        QCOMPARE(waitText(found.waits[1][0], run.ranks[1].calls[0]), QStringLiteral("0/1/0 CN"));
        QCOMPARE(waitText(found.waits[2][0], run.ranks[2].calls[0]), QStringLiteral("2/5/0 NN2<1.0 CN"));
        QStringList edges;
        for (const auto& ofRank : found.edges)
            for (const MpiEdge& edge : ofRank) edges += edgeText(edge);
        QCOMPARE(edges, linesOf({"1<1.0@3", "1<1.0@3", "1<0.0@0"}));
        QCOMPARE(found.negative(), 0);
        run.names.communicators[0].sources.clear();  // an archive's
        QVERIFY(waited(run).edges[0].empty());
    }

    // Rank 1 gives the root nothing, and receives nothing of what all give to all.
    void whatMovesNothingIsNotWaitedFor()
    {
        MpiRun run = drawnRun(linesOf({"Reduce^0 0-5 Allreduce 10-19", "Reduce^0 7-8 Allreduce 10-11",
                                       "Reduce^0 3-4 Allreduce 15-18"}));
        for (MpiCollectivePart& part : run.ranks[1].collectives) part.moved = {};
        const Waited found = waited(run);
        QCOMPARE(waitText(found.waits[0][0], run.ranks[0].calls[0]), QStringLiteral("3/2/0 ER3<2.0 CN"));
        QCOMPARE(found.waits[1][1].severity, 0);
        QCOMPARE(found.waits[0][1].severity, 5);
        QCOMPARE(found.edges[0].size(), 2u);
        QCOMPARE(edgeText(found.edges[0][0]), QStringLiteral("1<2.0@3"));
        QVERIFY(found.edges[1].empty());
        QCOMPARE(found.negative(), 0);
    }

    // Rank 0 leaves before rank 2 comes, which gives nothing (as counts for each allow): it waited for rank 1.
    void whoGivesNothingIsNotWaitedFor()
    {
        MpiRun run = drawnRun(linesOf({"Allreduce 0-5", "Allreduce 1-3", "Allreduce 8-12"}));
        for (const int rank : {0, 2}) run.ranks[static_cast<std::size_t>(rank)].collectives[0].moved = {0, 9};
        run.ranks[1].collectives[0].moved = {27, 9};
        const Waited found = waited(run);
        QCOMPARE(waitText(found.waits[0][0], run.ranks[0].calls[0]), QStringLiteral("1/4/0 NN1<1.0 CN"));
        QCOMPARE(found.edges[0].size(), 1u);
        QCOMPARE(edgeText(found.edges[0][0]), QStringLiteral("2<1.0@1"));
        QVERIFY(found.edges[1].empty());
        QCOMPARE(found.edges[2].size(), 1u);
        QCOMPARE(found.negative(), 0);
    }

    // What two threads receive has no order.
    void threadsHaveNoWrongOrder()
    {
        MpiRun run = drawnRun(linesOf({"Send>1 8-9", "Recv<0 0-9 Recv<2 10-11", "Send>1 4-5"}));
        QCOMPARE(waited(run).waits[1][0].flags, int(MpiCallFlag::WrongOrderDifferentSource));
        run.ranks[1].calls[1].location = 3;
        QCOMPARE(waited(run).waits[1][0].flags, 0);
    }

    // Only the last hundred late senders of a rank are remembered.
    void wrongOrderLimit()
    {
        for (const int between : {99, 100}) {
            MpiRun run;
            run.ranks.resize(2);
            run.addCommunicator(QStringLiteral("MPI_COMM_WORLD"), {0, 1});
            const auto message = [&](TimeNs sent, TimeNs received, int tag) {
                run.addCall(0, QStringLiteral("MPI_Send"), sent, sent);
                const auto call = static_cast<std::uint32_t>(run.ranks[0].calls.size() - 1);
                run.ranks[0].sends.push_back({call, call, 0, 1, tag, false, false, 0});
                run.addCall(1, QStringLiteral("MPI_Recv"), received, received + 5);
                run.ranks[1].receives.push_back({call, call, 0, 0, tag, false, 0});
            };
            message(11, 10, 0);  // waits 1
            for (int i = 1; i <= between; ++i) message(10 * i + 11, 10 * i + 10, 0);
            message(5, 10 * between + 30, 1);  // the send's call stands last, its time first
            const Waited found = waited(run);
            const auto isWrong = [&](std::size_t call) {
                return (found.waits[1][call].flags & MpiCallFlag::WrongOrderSameSource) != 0;
            };
            QCOMPARE(found.waits[1][0].severity, 1);
            QCOMPARE(isWrong(0), between == 99);
            QVERIFY(isWrong(1));
            QVERIFY(isWrong(static_cast<std::size_t>(between)));
        }
    }

    void edges_data()
    {
        QTest::addColumn<QStringList>("lines");
        QTest::addColumn<QStringList>("edges");
        QTest::addColumn<qint64>("negative");
        const auto row = [](const char* name, std::initializer_list<const char*> lines,
                            std::initializer_list<const char*> edges, int negative = 0) {
            QTest::newRow(name) << linesOf(lines) << linesOf(edges) << qint64(negative);
        };
        row("data", {"Send>1 7-8", "Recv<0 2-9"}, {"", "1<0.0@7#0"});
        row("to the Wait", {"Isend>1=a 1-2 Send>1 3-4", "Irecv<0=a 0-1 Recv<0 2-5 Wait:a 6-8"},
            {"", "2<0.1@3#1 3<0.0@1#0"});
        row("to the probe, too", {"Send>1 7-8", "Probe<0 2-9 Recv<0 10-11"}, {"", "1<0.0@7#0 2<0.0@7#0"});
        row("back", {"Send>1 2-9", "Recv<0 7-10"}, {"1<1.0@7", "1<0.0@2#0"});
        row("not back: it was ready", {"Send>1 2-9", "Recv<0 2-10"}, {"", "1<0.0@2#0"});
        row("synchronous: always back", {"Ssend>1 2-9", "Recv<0 1-10"}, {"1<1.0@1", "1<0.0@2#0"});
        row("against time", {"Send>1 7-8", "Recv<0 2-6"}, {"", ""}, 1);
        row("barrier", {"Barrier 0-11", "Barrier 4-12", "Barrier 10-11", "Barrier 6-13"},
            {"2<2.1@10", "2<2.1@10", "1<3.0@6 1<1.0@4 1<0.0@0", "2<2.1@10"});
        row("one left early", {"Barrier 0-3", "Barrier 4-12"}, {"", "1<0.0@0"}, 1);
        row("from the root", {"Bcast^1 0-9", "Bcast^1 3-9", "Bcast^1 1-2"}, {"1<1.0@3", "", ""}, 1);
        row("to the root", {"Reduce^0 0-9", "Reduce^0 3-4", "Reduce^0 5-6"}, {"1<2.0@5 1<1.0@3", "", ""});
        row("prefix", {"Scan 0-9", "Scan 3-9", "Scan 1-9"}, {"", "1<0.0@0", "1<1.0@3 1<0.0@0"});
        row("non-blocking", {"Ibarrier=a 0-1 Wait:a 5-9", "Ibarrier=a 3-4 Wait:a 5-6"}, {"3<1.1@3", "1<0.0@0"});
        row("a member is missing", {"Barrier 0-9", "Barrier 5-9", ""}, {"2<1.1@5", "1<0.0@0", ""});
        row("members differ", {"Barrier 0-9", "Allreduce 5-9"}, {"", ""});
        row("start-up apart", {"Init 0-2", "Init 5-9"}, {"", ""});
        row("ties: the lowest rank first", {"Reduce^0 0-9", "Reduce^0 3-4", "Reduce^0 3-6"},
            {"1<1.0@3 1<2.0@3", "", ""});
    }
    void edges()
    {
        QFETCH(QStringList, lines);
        const MpiRun run = drawnRun(lines);
        const Waited found = waited(run);
        QStringList texts;
        for (const auto& ofRank : found.edges) {
            QStringList edges;
            for (const MpiEdge& edge : ofRank) edges += edgeText(edge);
            texts += edges.join(u' ');
        }
        QTEST(texts, "edges");
        QTEST(qint64(found.negative()), "negative");
    }

    // A clock that is off: the rank that most comes from, and the median.
    void againstTime()
    {
        const Waited found = waited(drawnRun(linesOf({"Send>1 7-8 Send>1 19-20 Send>1 29-30",
                                                      "Recv<0 2-6 Recv<2 8-9 Recv<0 11-12 Recv<0 22-24",
                                                      "Send>1 50-51"})));
        const std::vector<Issue> issues = found.logs[1].issues();
        QCOMPARE(issues.size(), std::size_t(1));
        QCOMPARE(issues[0].kind, QStringLiteral("negative_latency"));
        QCOMPARE(issues[0].count, 4);
        QCOMPARE(issues[0].place, QStringLiteral("3 from rank 0 to rank 1, by 5 ns at the median"));
    }

    // More members than are linked in pairs, and calls without a hub: from the last to arrive.
    void manyMembers()
    {
        constexpr std::uint32_t ranks = mostPairedMembers + 6;
        MpiRun run = worldOf(ranks);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            const TimeNs begin = rank == 7 ? 90 : rank;
            for (const char* name : {"MPI_Scan", "MPI_Barrier"}) {
                const TimeNs shift = run.ranks[rank].calls.empty() ? 0 : 100;
                const std::uint32_t call = run.addCall(rank, QString::fromLatin1(name), begin + shift, shift + 95);
                run.ranks[rank].calls[call].hub = noPiece;
                run.ranks[rank].collectives.push_back(
                    {call, call, 0, kindOf(QString::fromLatin1(name)), noRank, {8, 0}});
            }
        }
        const Waited found = waited(run);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            QStringList texts, expected;
            for (const MpiEdge& edge : found.edges[rank]) texts += edgeText(edge);
            if (rank > 7) expected += QStringLiteral("1<7.0@90");  // below 7 each is the last among those before
            if (rank != 7) expected += QStringLiteral("3<7.1@190");
            QCOMPARE(texts, expected);
        }
    }

    // Each rank receives from all 64: so many pairs of the run have edges of their own (limits::memberPairs), in the
    // calls behind them only the last to arrive; what each call waited for is found in all.
    void manyPairs()
    {
        constexpr std::uint32_t ranks = 64, calls = 600;
        const Waited found = waited(denseRun(ranks, calls));
        constexpr std::uint32_t paired = ((1u << 20) + 32 * ranks * calls) / (ranks * ranks);
        static_assert(paired > 500 && paired < calls);
        for (const std::uint32_t rank : {0u, 7u, ranks - 1}) {
            const bool isLast = rank == ranks - 1;
            QCOMPARE(found.edges[rank].size(), std::size_t{paired * (ranks - 1) + (isLast ? 0 : calls - paired)});
            for (const MpiWait& wait : found.waits[rank]) QCOMPARE(wait.severity, TimeNs{ranks - 1 - rank});
        }
    }

    // 256 sources of each of 256 ranks: those of more calls than limits::neighbours allows are not looked at.
    void manySources()
    {
        constexpr std::uint32_t ranks = 256, calls = 30;
        const Waited found = waited(denseRun(ranks, calls));
        constexpr std::uint32_t looked = ((1u << 20) + 64 * ranks * calls) / (ranks * ranks);
        static_assert(looked > 20 && looked < calls);
        QCOMPARE(found.edges[0].size(), std::size_t{looked});
        for (std::uint32_t call = 0; call < calls; ++call)
            QCOMPARE(found.waits[0][call].severity, TimeNs{call < looked ? ranks - 1 : 0});
    }

private:
    // So many ranks in one communicator.
    static MpiRun worldOf(std::uint32_t ranks)
    {
        MpiRun run;
        run.ranks.resize(ranks);
        std::vector<std::uint32_t> world(ranks);
        std::iota(world.begin(), world.end(), 0u);
        run.addCommunicator(QStringLiteral("MPI_COMM_WORLD"), world);
        return run;
    }

    // Neighbourhood calls in which each rank receives from all, one after the other; rank r comes r ns late.
    static MpiRun denseRun(std::uint32_t ranks, std::uint32_t calls)
    {
        MpiRun run = worldOf(ranks);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            run.names.communicators[0].sources[rank] = run.names.communicators[0].members;
            for (std::uint32_t i = 0; i < calls; ++i) {
                const TimeNs begin = TimeNs{1000} * i;
                const std::uint32_t call = run.addCall(rank, QStringLiteral("MPI_Neighbor_alltoall"), begin + rank,
                                                       begin + 900);
                run.ranks[rank].calls[call].hub = noPiece;
                run.ranks[rank].collectives.push_back({call, call, 0, CollectiveKind::Neighbours, noRank, {8, 8}});
            }
        }
        return run;
    }
};

LONGPOLE_TEST(TestMpiWaits)
#include "tst_mpiwaits.moc"
