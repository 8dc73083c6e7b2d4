// SPDX-License-Identifier: GPL-3.0-or-later
// The expert on MPI runs: its own questions with their answers, what it does not ask, and profiles by the calls around
// the code.
#include "analysis/asked.h"
#include "analysis/expert/expertquestions.h"
#include "analysis/mpi/callpairs.h"
#include "analysis/paths/parallelism.h"
#include "analysis/paths/runpaths.h"
#include "analysis/replay/replayquestions.h"
#include "analysis/statistics/profile.h"
#include "core/sql/sqlsession.h"
#include "support/mpi/mpiprogram.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <numeric>

using namespace longpole;

class TestMpiExpert : public QObject {
    Q_OBJECT

private:
    using Store = std::shared_ptr<const TraceStore>;
    Store imported(ScriptedMpi& program) { return importedProgram(program, m_folder.path()); }
    static std::shared_ptr<const Expert> expertOf(const Store& store)
    {
        const auto found = asked(store, ExpertQuestion{});
        return found ? *found : nullptr;
    }
    // Two ranks take turns at being slow, so that neither has more to do; the fast one waits 800 ns each time.
    static constexpr int rounds = 100;
    static ScriptedMpi lateMessages()
    {
        ScriptedMpi program(2);
        for (std::uint32_t i = 0; i < rounds; ++i) {
            const std::uint32_t slow = i % 2, fast = 1 - slow;
            program.rank(slow).enter("solve").compute(900).leave("solve").send(fast, 1, 64, 10);
            program.rank(fast).enter("solve").compute(100).leave("solve").recv(slow, 1, 64, 810);
        }
        return program;
    }
    static ScriptedMpi lateAtBarriers()
    {
        ScriptedMpi program(2);
        for (std::uint32_t i = 0; i < rounds; ++i) {
            program.rank(i % 2).enter("solve").compute(900).leave("solve").barrier(10);
            program.rank(1 - i % 2).enter("solve").compute(100).leave("solve").barrier(810);
        }
        return program;
    }
    static ScriptedMpi slowBarriers()
    {
        ScriptedMpi program(2);
        for (int i = 0; i < rounds; ++i)
            for (std::uint32_t rank = 0; rank < 2; ++rank)
                program.rank(rank).enter("solve").compute(100).leave("solve").barrier(900);
        return program;
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void questions_data()
    {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("advice");
        QTest::addColumn<qlonglong>("severity");
        // 100 waits of 800 ns; the barriers' own 900 ns, twice.
        QTest::newRow("late messages") << 0 << "late_messages"
                                       << "Send before solve, or receive later" << 80'000LL;
        QTest::newRow("barriers") << 1 << "synchronization"
                                  << "Balance what comes before MPI_Barrier, or overlap it" << 80'000LL;
        QTest::newRow("MPI itself") << 2 << "mpi_time"
                                    << "Call MPI_Barrier less often" << 180'000LL;
    }
    void questions()
    {
        QFETCH(int, which);
        QFETCH(QString, node);
        QFETCH(QString, advice);
        QFETCH(qlonglong, severity);
        ScriptedMpi program = which == 0 ? lateMessages() : which == 1 ? lateAtBarriers() : slowBarriers();
        const Store store = imported(program);
        QVERIFY(store);
        const auto found = expertOf(store);
        QVERIFY(found);
        for (const TreeNode& judged : found->tree.nodes) {
            const bool isOther = judged.id == QLatin1String("late_messages")
                                 || judged.id == QLatin1String("synchronization")
                                 || judged.id == QLatin1String("mpi_time");
            if (judged.id == node) QCOMPARE(judged.verdict, Verdict::Fired);
            else if (isOther) QVERIFY2(judged.verdict != Verdict::Fired, qPrintable(judged.id));
        }
        QCOMPARE(found->tree.find(node)->severity, severity);
        QVERIFY(!found->advice.empty());
        QCOMPARE(found->advice.front().title, advice);
        for (const Advice& one : found->advice) QCOMPARE(one.node, node);  // no other cause was planted
        QCOMPARE(found->tree.path.back(), node);
    }

    // Rank 0 waits for the message that is sent last, while the first is there.
    void ordersThatAreWrongAreNamed()
    {
        ScriptedMpi program(2);
        for (int i = 0; i < rounds; ++i) {
            program.rank(1).send(0, 1, 64, 10).enter("solve").compute(500).leave("solve").send(0, 2, 64, 10);
            program.rank(0).enter("norm").compute(20).leave("norm").recv(1, 2, 64, 500).recv(1, 1, 64, 5);
            program.rank(0).enter("solve").compute(960).leave("solve").barrier(10);
            program.rank(1).enter("norm").compute(480).leave("norm").barrier(485);
        }
        const Store store = imported(program);
        QVERIFY(store);
        const auto found = expertOf(store);
        QVERIFY(found);
        const auto late = std::ranges::find(found->advice, QStringLiteral("late_messages"), &Advice::node);
        QVERIFY(late != found->advice.end());
        QCOMPARE(late->title, QStringLiteral("Send earlier, or receive in another order"));
        QVERIFY2(late->meaning.contains(QStringLiteral("another message that was sent earlier could be taken")),
                 qPrintable(late->meaning));
    }

    // Ranks wait for messages and in barriers, for longer in barriers: there, once, it is said what that goes back to.
    void causesAreSaidOnce()
    {
        ScriptedMpi program(2);
        for (std::uint32_t i = 0; i < rounds; ++i) {
            const std::uint32_t slow = i % 2, fast = 1 - slow;
            program.rank(slow).enter("solve").compute(500).leave("solve").send(fast, 1, 64, 10);
            program.rank(fast).enter("solve").compute(100).leave("solve").recv(slow, 1, 64, 410);
            program.rank(slow).enter("norm").compute(900).leave("norm").barrier(10);
            program.rank(fast).enter("norm").compute(100).leave("norm").barrier(810);
        }
        const Store store = imported(program);
        QVERIFY(store);
        const auto found = expertOf(store);
        QVERIFY(found);
        QStringList told;
        for (const char* node : {"late_messages", "synchronization"}) {
            const TreeNode* const judged = found->tree.find(QLatin1String(node));
            QCOMPARE(judged->verdict, Verdict::Fired);
            if (judged->why.contains(QLatin1String("of all waiting traces back to norm"))) told << judged->id;
        }
        QCOMPARE(told, QStringList{QStringLiteral("synchronization")});
    }

    // Rank 1 works when rank 0 has: neither has more to do than the other, so there is nothing to balance.
    void onePartAfterTheOther()
    {
        ScriptedMpi program(2);
        for (int i = 0; i < rounds; ++i) {
            program.rank(0).enter("solve").compute(900).leave("solve").send(1, 1, 64, 10).barrier(910);
            program.rank(1).recv(0, 1, 64, 910).enter("solve").compute(900).leave("solve").barrier(10);
        }
        const Store store = imported(program);
        QVERIFY(store);
        const auto found = expertOf(store);
        QVERIFY(found);
        const auto collective = std::find_if(found->advice.begin(), found->advice.end(), [](const Advice& one) {
            return one.node == QLatin1String("synchronization");
        });
        QVERIFY(collective != found->advice.end());
        QCOMPARE(collective->title, QStringLiteral("Let ranks work at the same time"));
        QVERIFY(found->tree.find(QStringLiteral("serial_chain"))->why.contains(QLatin1String("one after the other")));
    }

    // What is said of ranks without cores, before all else, by how many cores there were and how long ranks waited.
    void ranksWithoutCores_data()
    {
        QTest::addColumn<int>("cores");
        QTest::addColumn<qlonglong>("without");  // ns; -1: not measured
        QTest::addColumn<QString>("first");
        QTest::addColumn<qlonglong>("severity");
        QTest::addColumn<double>("confidence");  // of what is said of messages; 0: nothing is
        const QString late = QStringLiteral("Send before solve, or receive later");
        const QString fewer = QStringLiteral("Start no more ranks than cores");
        const QString others = QStringLiteral("Run where nothing else takes the cores");
        // The run takes 91 us, its ranks 182 us.
        QTest::newRow("not known") << 0 << -1LL << late << 80'000LL << 1.0;
        QTest::newRow("a core each") << 2 << 0LL << late << 80'000LL << 1.0;
        QTest::newRow("a core each, not measured") << 2 << -1LL << late << 80'000LL << 1.0;
        QTest::newRow("seldom without") << 2 << 9'000LL << late << 80'000LL << 1.0;
        QTest::newRow("now and then") << 2 << 18'000LL << late << 80'000LL << 0.85;
        QTest::newRow("often") << 2 << 20'000LL << others << 20'000LL << 0.85;
        QTest::newRow("mostly") << 2 << 40'000LL << others << 40'000LL << 0.0;
        QTest::newRow("too few") << 1 << 20'000LL << fewer << 20'000LL << 0.0;
        QTest::newRow("too few, not measured") << 1 << -1LL << fewer << 91'000LL << 0.0;
        QTest::newRow("too few, for ranks that sleep") << 1 << 1'000LL << late << 80'000LL << 0.85;
    }
    void ranksWithoutCores()
    {
        QFETCH(int, cores);
        QFETCH(qlonglong, without);
        QFETCH(QString, first);
        QFETCH(qlonglong, severity);
        QFETCH(double, confidence);
        ScriptedMpi program = lateMessages();
        program.info().cores = cores;
        program.info().withoutCore = without;
        program.info().withoutCoreMost = without > 0 ? 1 : -1;
        const Store store = imported(program);
        QVERIFY(store);
        QCOMPARE(store->info().duration(), 91'000);
        const auto found = expertOf(store);
        QVERIFY(found && !found->advice.empty());
        QCOMPARE(found->advice.front().title, first);
        QCOMPARE(found->advice.front().severity, severity);
        QCOMPARE(found->tree.path.back(), found->advice.front().node);
        QCOMPARE(found->tree.find(QStringLiteral("cores")) != nullptr, cores > 0);
        const TreeNode* const late = found->tree.find(QStringLiteral("late_messages"));
        QCOMPARE(late->verdict, confidence > 0 ? Verdict::Fired : Verdict::NotJudged);
        double said = 0;
        for (const Advice& advice : found->advice)
            if (advice.node == late->id) said = advice.confidence;
        QCOMPARE(said, confidence);
        if (found->advice.front().node != QLatin1String("cores")) return;
        QCOMPARE(found->advice.front().confidence, 1.0);
        const TreeNode* const shared = found->tree.find(QStringLiteral("cores"));
        QCOMPARE(shared->evidence.front().pe, ProcessorId(without > 0 ? 1 : 0));
        const auto session = SqlSession::open(store);
        QVERIFY(session.ok());
        qlonglong lost = -1;
        const Result<> ran = (*session)->run(
            found->advice.front().sql, [](const QStringList&) {},
            [&lost](std::span<const QVariant> row) {
                lost = row[0].toLongLong();
                return true;
            },
            Progress{});
        QVERIFY2(ran.ok(), ran ? "" : qPrintable(toText(ran.error())));
        QCOMPARE(lost, severity);
    }

    void unevenLoadShowsWhoWaited()
    {
        ScriptedMpi program(2);
        for (int i = 0; i < rounds; ++i) {
            const std::uint32_t slow = i < rounds / 2 ? 0 : 1;
            program.rank(slow).enter("solve").compute(900).leave("solve").barrier(10);
            program.rank(1 - slow).enter("solve").compute(100).leave("solve").barrier(810);
        }
        const auto found = expertOf(imported(program));
        QVERIFY(found);
        const TreeNode* node = found->tree.find(QStringLiteral("load_balance"));
        QCOMPARE(node->verdict, Verdict::Fired);
        QVERIFY(node->evidence.size() > 1);
        for (std::size_t i = 1; i < node->evidence.size(); ++i) {
            const QString other = QString::number(1 - index(node->evidence[i].pe));
            QCOMPARE(node->evidence[i].text,
                     QStringLiteral("MPI_Barrier waited 800 ns for rank %1, in solve").arg(other));
        }
    }

    void evidenceNamesRankAndCode()
    {
        ScriptedMpi program = lateMessages();
        const auto found = expertOf(imported(program));
        QVERIFY(found);
        const TreeNode* node = found->tree.find(QStringLiteral("late_messages"));
        QVERIFY(!node->evidence.empty());
        const Evidence& evidence = node->evidence.front();
        QCOMPARE(evidence.pe, ProcessorId{1});  // the first of equal waits
        QCOMPARE(evidence.range.length(), 800);
        QCOMPARE(evidence.text, QStringLiteral("MPI_Recv waited 800 ns for rank 0, in solve"));
        QCOMPARE(evidence.tasks.size(), 1u);
        QCOMPARE(evidence.tasks.front().pe, ProcessorId{0});
    }

    // No queues, no objects, no order to choose: nothing is asked of them, and nothing replayed.
    void whatIsNotAsked()
    {
        ScriptedMpi program = lateMessages();
        Results results(imported(program));
        const auto answer = results.ask(ExpertQuestion{}, Progress{});
        QVERIFY(answer.ok());
        const std::shared_ptr<const Expert>& found = *answer;
        for (const char* id :
             {"parallelism", "grainsize", "shared_variables", "locality", "scheduling", "latency", "speculative"})
            QVERIFY2(found->tree.find(QLatin1String(id)) == nullptr, id);
        QCOMPARE(results.computed<ReplayModelQuestion>(), 0);
        QVERIFY(!found->scheduling.notEvaluated.isEmpty());
        QVERIFY(found->scheduling.advice.empty());
    }

    void labelsAddUpToTheIdleTime()
    {
        for (const bool isLate : {true, false}) {
            ScriptedMpi program = isLate ? lateMessages() : lateAtBarriers();
            const Store store = imported(program);
            const auto found = expertOf(store);
            QVERIFY(found);
            QCOMPARE(store->info().idle, 80'000);
            QCOMPARE(found->tree.idle.sum(), store->info().idle);
            const IdleCause cause = isLate ? IdleCause::Imbalance : IdleCause::Synchronization;
            QCOMPARE(found->tree.idle.total[static_cast<std::size_t>(cause)], 80'000);
        }
    }

    void refusedWithAReason()
    {
        ScriptedMpi program = lateMessages();
        const Store store = imported(program);
        const auto paths = asked(store, RunPathsQuestion{});
        QVERIFY(paths);
        const auto graph = (*paths)->graph;
        const auto model = replayModel(*store, graph, MergeInference{}, Progress{});
        QVERIFY(!model);
        QVERIFY(model.error().what.contains(QStringLiteral("MPI program")));
        const auto exposing = exposingTasks(*graph, dependencies(*graph, EdgeLevel::Messages), 3, Progress{});
        QVERIFY(!exposing);
        QVERIFY(exposing.error().what.contains(QStringLiteral("rank")));
    }

    void profileByCalls()
    {
        ScriptedMpi program(2);
        program.rank(0).enter("app").compute(5).send(1, 1, 64, 2).compute(7).barrier(6).compute(3).leave("app");
        program.rank(1).enter("app").compute(4).recv(0, 1, 64, 4).compute(10).barrier(2).leave("app");
        const Store store = imported(program);
        QVERIFY(store);
        const auto lines = profile(*store, ProfileBy::Calls, Progress{});
        QVERIFY(lines);
        QStringList said;
        TimeNs sum = 0;
        for (const ProfileLine& line : *lines) {
            sum += line.exclusive;
            if (line.exclusive > 0) said << QStringLiteral("%1: %2").arg(line.name).arg(line.exclusive);
        }
        said.sort();
        QCOMPARE(said,
                 (QStringList{QStringLiteral("MPI_Barrier to end: 3"), QStringLiteral("MPI_Recv to MPI_Barrier: 10"),
                              QStringLiteral("MPI_Send to MPI_Barrier: 7"), QStringLiteral("begin to MPI_Recv: 4"),
                              QStringLiteral("begin to MPI_Send: 5")}));
        QCOMPARE(sum, store->info().busy);
    }

    // In whatever order tasks are asked about, over chunks' borders.
    void callPairsInAnyOrder()
    {
        ScriptedMpi program(1);
        const int calls = 2 * static_cast<int>(chunkRows) + 10;
        for (int i = 0; i < calls; ++i)
            program.rank(0).compute(1).call(i % 2 == 0 ? "MPI_Wtime" : "MPI_Initialized", 1);
        const Store store = imported(program);
        QVERIFY(store);
        const TrackId track = store->processors().front().track;
        std::vector<CallPair> ascending;
        CallPairs pairs(*store, track);
        for (int task = 0; task <= calls; ++task) ascending.push_back(*pairs.of(static_cast<std::uint32_t>(task)));
        QCOMPARE(ascending.front().before, noNeighbourCall);
        QCOMPARE(ascending.back().after, noNeighbourCall);
        for (int task = 1; task < calls; ++task) {
            const auto i = static_cast<std::size_t>(task);
            QVERIFY(ascending[i].before == ascending[i - 1].after && ascending[i].before != ascending[i].after);
        }
        for (int task = calls; task >= 0; task -= 997) {
            const Result<CallPair> again = pairs.of(static_cast<std::uint32_t>(task));
            const CallPair& first = ascending[static_cast<std::size_t>(task)];
            QVERIFY(again && again->before == first.before && again->after == first.after);
        }
    }

    // As of executions in a task and of the task itself: the calls are not gone through again for each.
    void callPairsInTurn()
    {
        ScriptedMpi program(1);
        const int calls = 20'000;
        for (int i = 0; i < calls; ++i) program.rank(0).compute(1).call("MPI_Wtime", 1);
        const Store store = imported(program);
        QVERIFY(store);
        const TrackId track = store->processors().front().track;
        QElapsedTimer time;
        time.start();
        for (int i = 0; i < 20; ++i) {
            CallPairs pairs(*store, track);
            for (std::uint32_t task = 0; task <= calls; ++task) QVERIFY(pairs.of(task));
        }
        const qint64 ascending = std::max<qint64>(time.restart(), 1);
        CallPairs pairs(*store, track);
        for (std::uint32_t task = 0; task < 200'000; ++task) QVERIFY(pairs.of(task % 2 == 0 ? 0 : calls));
        QVERIFY2(time.elapsed() < 20 * ascending, qPrintable(QString::number(time.elapsed())));
    }

private:
    QTemporaryDir m_folder;
};

LONGPOLE_TEST(TestMpiExpert)
#include "tst_mpiexpert.moc"
