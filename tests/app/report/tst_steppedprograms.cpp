// SPDX-License-Identifier: GPL-3.0-or-later
// What reports say of MPI programs whose truth is known: each step all ranks compute for as long as the test says and
// then meet in a call. Sentences that a change of the program would have denied are not said.
#include "analysis/base/json.h"
#include "app/program.h"
#include "core/hostilestore.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <functional>
#include <vector>

using namespace longpole::test;

namespace {

constexpr qint64 ms = 1'000'000;

// Each step ends in the call for all ranks 10 us after the last has come to it, or after `callTime`.
class SteppedProgram {
public:
    explicit SteppedProgram(int ranks) : m_now(std::size_t(ranks), 0), m_rows(std::size_t(ranks))
    {
        for (std::size_t rank = 0; rank < m_now.size(); ++rank) row(rank, "MPI_Init", 100 * ms);
    }

    using Work = std::function<qint64(int rank, int step)>;  // ns
    void steps(int count, const char* call, const Work& work, qint64 callTime = 10'000)
    {
        for (int step = 0; step < count; ++step) {
            std::vector<qint64> begins;
            for (std::size_t rank = 0; rank < m_now.size(); ++rank)
                begins.push_back(m_now[rank] += work(int(rank), step));
            const qint64 end = *std::max_element(begins.begin(), begins.end()) + callTime;
            for (std::size_t rank = 0; rank < m_now.size(); ++rank) row(rank, call, end - begins[rank]);
        }
    }

    // One computes and sends, the other computes and receives, until it is there.
    void message(std::size_t from, std::size_t to, qint64 before, qint64 meanwhile)
    {
        m_now[from] += before;
        m_now[to] += meanwhile;
        const qint64 end = std::max(m_now[from], m_now[to]) + 10'000;
        for (const std::size_t rank : {from, to}) {
            const QString peer = QString::number(rank == from ? to : from);
            add(rank, rank == from ? "MPI_Send" : "MPI_Recv", m_now[rank], end, peer + QStringLiteral(",1"));
            m_now[rank] = end;
        }
    }

    void alone(std::size_t rank, const char* call, qint64 length) { row(rank, call, length); }

    // A call beside the others, as another thread of the rank makes it.
    void besides(std::size_t rank, const char* call, qint64 begin, qint64 length)
    {
        add(rank, call, begin, begin + length);
    }

    qint64 now() const { return m_now.front(); }

    bool write(const QString& name, const Work& last, qint64 lastCall = 10'000)
    {
        steps(1, "MPI_Finalize", last, lastCall);
        QFile file(name);
        if (!file.open(QIODevice::WriteOnly)) return false;
        file.write("rank,seq,call,start_ns,end_ns,comm,peer,tag\n");
        for (const QByteArray& rows : m_rows) file.write(rows);
        return true;
    }

private:
    void row(std::size_t rank, const char* call, qint64 length)
    {
        const qint64 end = m_now[rank] + length;
        add(rank, call, m_now[rank], end);
        m_now[rank] = end;
    }
    void add(std::size_t rank, const char* call, qint64 begin, qint64 end,
             const QString& peerAndTag = QStringLiteral("-,-"))
    {
        const auto number = m_rows[rank].count('\n');
        m_rows[rank] += QStringLiteral("%1,%2,%3,%4,%5,MPI_COMM_WORLD,%6\n")
                            .arg(rank)
                            .arg(number)
                            .arg(QLatin1String(call))
                            .arg(begin)
                            .arg(end)
                            .arg(peerAndTag)
                            .toUtf8();
    }

    std::vector<qint64> m_now;
    std::vector<QByteArray> m_rows;
};

}  // namespace

class TestSteppedPrograms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // To take work off one of several that are equally late saves nothing.
    void severalAreAsLate()
    {
        SteppedProgram program(8);
        program.steps(30, "MPI_Allreduce", [](int rank, int) { return rank < 4 ? 6 * ms : 3 * ms; });
        const QString said = reportOf(program);
        says(said, "Give ranks 0-3 less work");
        says(said,
             "Ranks 0-3 have up to 33.3 % more work than the mean. The load is uneven like this throughout the run.");
        saysNot(said, "Take work off rank");
        saysNot(said, "Give rank 0 less");
    }

    // Three ranks wait for the one that reads the input: 600 ms of rank-time, as an even load would have it.
    void oneWorksAloneAtFirst()
    {
        SteppedProgram program(4);
        program.steps(1, "MPI_Bcast", [](int rank, int) { return rank == 0 ? 200 * ms : 1000; });
        program.steps(50, "MPI_Allreduce", [](int, int) { return 4 * ms; });
        const QString said = reportOf(program);
        says(said,
             "Rank 0 has 60.0 % more work than the mean. The load is uneven like this in 5 of ten tenths of the run.");
        saysNot(said, "throughout the run");
        saysNot(said, "No rank holds the others up: the busiest, rank 0, is busy 100");
    }

    // What a rank does before MPI_Finalize is no part of what is judged, but not nothing either.
    void oneWorksAloneAtLast()
    {
        SteppedProgram program(4);
        program.steps(20, "MPI_Allreduce", [](int, int) { return 4 * ms; });
        const QString said = reportOf(program, [](int rank, int) { return rank == 1 ? 80 * ms : 0; });
        saysNot(said, "nothing to look for");
        says(said, "They waited in MPI_Finalize for rank 1, for 240 ms in all");
    }

    // Each step another one has most: none of them is what the waiting mostly goes back to.
    void theLateOneChanges()
    {
        SteppedProgram program(4);
        program.steps(40, "MPI_Allreduce", [](int rank, int step) { return rank == step % 4 ? 8 * ms : 3 * ms; });
        const QString said = reportOf(program);
        saysNot(said, "mostly rank");
        says(said, "took longer on late ranks: on rank ");
    }

    void barriersMoveNothing()
    {
        SteppedProgram program(8);
        program.steps(
            200, "MPI_Barrier", [](int, int) { return ms / 10; }, 60'000);
        const QString said = reportOf(program);
        says(said, "Call MPI_Barrier less often");
        saysNot(said, "Move less with");
        saysNot(said, "Send less");
    }

    // A trace that says of each of its ranks that nothing is known of it, though it waited.
    void nobodyHasALog()
    {
        SteppedProgram program(4);
        program.steps(30, "MPI_Allreduce", [](int rank, int) { return rank == 0 ? 6 * ms : ms; });
        const QString table = m_folder.filePath(QStringLiteral("nobody.csv"));
        const QString trace = m_folder.filePath(QStringLiteral("nobody.longpole"));
        QVERIFY(program.write(table, nothing));
        QCOMPARE(m_program({QStringLiteral("import"), table, QStringLiteral("-o"), trace}).code, 0);
        QVERIFY(longpole::editStore(trace, "UPDATE processor SET has_log = 0").ok());
        for (const char* command : {"tree", "advise", "waits", "efficiency"})
            QVERIFY2(m_program({QLatin1String(command), trace}).code >= 0, command);
        const QString report = m_folder.filePath(QStringLiteral("nobody.json"));
        QVERIFY(m_program({QStringLiteral("report"), trace, QStringLiteral("-o"), report}).code >= 0);
    }

    // One long piece of work among others, of which no CPU time says what it was.
    void aLongPieceIsNoInterruption()
    {
        SteppedProgram program(8);
        program.steps(60, "MPI_Alltoall",
                      [](int rank, int step) { return rank == 2 && step == 30 ? 60 * ms : 3 * ms; });
        saysNot(reportOf(program), "Interruptions of");
    }

    // Ranks compute unevenly, and then one of them alone: both are named, as either saves as much.
    void anotherCauseIsNamed()
    {
        SteppedProgram program(4);
        for (int step = 0; step < 40; ++step) {
            program.steps(1, "MPI_Allreduce", [](int rank, int) { return (2 + 2 * rank) * ms; });
            program.steps(1, "MPI_Barrier", [](int rank, int) { return rank == 0 ? 3 * ms : 1000; });
        }
        const QString said = reportOf(program);
        says(said, "Balance the work before MPI_Allreduce and MPI_Barrier, or overlap it with other work.");
        says(said, "traces back to the code from MPI_Allreduce to MPI_Barrier, mostly on rank 0.");
        saysNot(said, "wait at n x n");
    }

    // Ranks are late by turns, each time in the same code: no rank has too much to do, but that code comes too early.
    void messagesAreLateInOneCode()
    {
        SteppedProgram program(2);
        for (int step = 0; step < 40; ++step) {
            const auto from = std::size_t(step % 2);
            program.message(from, 1 - from, 5 * ms, ms);
        }
        const QString said = reportOf(program);
        says(said, "Let late ranks do less in the code from MPI_Recv to MPI_Send, send before it, or receive later.");
        saysNot(said, "Give rank");
    }

    // Each of two phases has a late rank of its own: the load does not move.
    void eachPhaseHasItsLateRank()
    {
        SteppedProgram program(4);
        program.steps(20, "MPI_Allreduce", [](int rank, int) { return rank == 1 ? 8 * ms : 3 * ms; });
        program.steps(20, "MPI_Alltoall", [](int rank, int) { return rank == 3 ? 9 * ms : 3 * ms; });
        const QString said = reportOf(program);
        says(said, "Balance the work in each part of the code by itself");
        says(said,
             "Rank 3 takes longest in the code from MPI_Alltoall to MPI_Alltoall, rank 1 in the code from "
             "MPI_Allreduce to MPI_Allreduce.");
        saysNot(said, "Load moves between ranks");
    }

    // A rank that is late for an MPI call has no work there that it could give away.
    void whoIsLateInMpiHasNoWorkThere()
    {
        SteppedProgram program(4);
        program.steps(20, "MPI_Allreduce", [](int rank, int) { return rank == 1 ? 8 * ms : 3 * ms; });
        for (int step = 0; step < 20; ++step) {
            program.alone(3, "MPI_File_write", 6 * ms);
            program.steps(1, "MPI_Alltoall", [](int, int) { return 3 * ms; });
        }
        const QString said = reportOf(program);
        saysNot(said, "in each part of the code by itself");
        saysNot(said, "takes longest in MPI_File_write");
        says(said, "traces back to MPI_File_write, mostly on rank 3.");
    }

    // A program that comes to two barriers in each step has no slow iterations.
    void twoBarriersAreOneIteration()
    {
        SteppedProgram program(4);
        for (int step = 0; step < 60; ++step) {
            program.steps(
                1, "MPI_Barrier", [](int, int) { return ms / 5; }, 60'000);
            program.steps(
                1, "MPI_Barrier", [](int, int) { return 1000; }, 60'000);
        }
        const QString said = reportOf(program);
        says(said, "60 iterations, 321 us each at the median; none is slow.");
    }

    // The stretch that is shown first is that of the longest step, however long MPI_Finalize takes.
    void theWorstStretchIsTheProgramsOwn()
    {
        SteppedProgram program(4);
        const auto step = [&program](qint64 alone) {
            program.steps(1, "MPI_Gather", [](int, int) { return 4 * ms; });
            program.steps(1, "MPI_Bcast", [alone](int rank, int) { return rank > 0 ? 1000 : alone; });
        };
        for (int number = 0; number < 15; ++number) step(6 * ms);
        const qint64 begin = program.now();
        step(60 * ms);
        const qint64 end = program.now();
        for (int number = 0; number < 15; ++number) step(6 * ms);
        const QString table = m_folder.filePath(QStringLiteral("worst.csv"));
        QVERIFY(program.write(table, nothing, 6 * ms));
        const Said said = m_program({QStringLiteral("advise"), table, QStringLiteral("--json")});
        QCOMPARE(said.code, 0);
        const auto json = longpole::parseJson(said.out.toUtf8());
        QVERIFY(json && !(*json)["advice"].empty());
        const auto& first = (*json)["advice"][0];
        QCOMPARE(first["id"].get<std::string>(), std::string("bottleneck"));
        QVERIFY(first["begin_ns"].get<qint64>() < end && first["end_ns"].get<qint64>() > begin);
    }

    // Which of several threads made which call is not in the table, nor how much any call moved.
    void whatATableDoesNotSay()
    {
        SteppedProgram program(4);
        program.steps(30, "MPI_Allreduce", [](int rank, int) { return rank == 0 ? 6 * ms : 3 * ms; });
        program.besides(1, "MPI_Recv", 120 * ms, 50 * ms);
        const QString said = reportOf(program);
        says(said, "Which thread of a rank made which of 33 calls is guessed");
        says(said, "whether every rank had a core is not known");
        saysNot(said, "Totals and paths are exact");
        saysNot(said, " 0 B");
        const QString table = m_folder.filePath(QStringLiteral("whatATableDoesNotSay.csv"));
        for (const char* command : {"mpi-calls", "comm-matrix", "profile"})
            QVERIFY2(!m_program({QLatin1String(command), table}).out.contains(QLatin1String("0 B")), command);
        const Said checked = m_program({QStringLiteral("check"), table, QStringLiteral("--baseline"), table,
                                        QStringLiteral("--max-bytes"), QStringLiteral("+1%")});
        QCOMPARE(checked.code, 3);
    }

private:
    static qint64 nothing(int /*rank*/, int /*step*/) { return 0; }
    QString reportOf(SteppedProgram& program, const SteppedProgram::Work& last = nothing)
    {
        const QString name = m_folder.filePath(QLatin1String(QTest::currentTestFunction()));
        const QString table = name + QStringLiteral(".csv"), report = name + QStringLiteral(".json");
        if (!program.write(table, last)) return {};
        const Said said = m_program({QStringLiteral("report"), table, QStringLiteral("-o"), report});
        return said.code == 0 ? QString::fromUtf8(longpole::contentOf(report)) : QString();
    }
    static void says(const QString& report, const char* text)
    {
        QVERIFY2(report.contains(QLatin1String(text)), qPrintable(QLatin1String(text) + QLatin1String("\n") + report));
    }
    static void saysNot(const QString& report, const char* text)
    {
        QVERIFY(!report.isEmpty());
        QVERIFY2(!report.contains(QLatin1String(text)), qPrintable(QLatin1String(text) + QLatin1String("\n") + report));
    }

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestSteppedPrograms)
#include "tst_steppedprograms.moc"
