// SPDX-License-Identifier: GPL-3.0-or-later
// Programs with known call paths under the recorder: the call tree names them, with and without debug information and
// frame pointers, in C, C++ and Fortran.
#include "recorder/wrappers/stackruns.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cstdlib>

using namespace longpole::test;

class TestCallStacks : public QObject, private StackRuns {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void treeOfKnownPaths_data();
    void treeOfKnownPaths();
    void costDoesNotGrow_data() { addMpis(); }
    void costDoesNotGrow();
    void stacksOfThePrograms_data() { addMpis(); }
    void stacksOfThePrograms();
    void treeWithoutDebugInformation_data() { addMpis(); }
    void treeWithoutDebugInformation();
    void treeWithoutSymbols_data() { addMpis(); }
    void treeWithoutSymbols();
    void fortran_data();
    void fortran();
    void cPlusPlus_data() { addMpis(); }
    void cPlusPlus();
    void depthAndNone();
};

void TestCallStacks::treeOfKnownPaths_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QString>("program");
    for (const char* mpi : {"openmpi", "mpich"})
        for (const char* program : {"stacks", "stacks-framepointer"})
            QTest::addRow("%s, %s", mpi, program) << QString::fromUtf8(mpi) << QString::fromUtf8(program);
}

// Each stack of the source is there with all its calls, and nothing else.
void TestCallStacks::treeOfKnownPaths()
{
    QFETCH(QString, mpi);
    QFETCH(QString, program);
    SKIP_WITHOUT(mpi);
    QVERIFY(record("stacks.lprec", program.toUtf8().constData(), mpi));
    const auto found = tree("stacks.lprec");
    const char* const c = "stacks.c";
    const QString main = QStringLiteral("main > ");
    const QString solve = main + frame("solve", c, "solve") + QStringLiteral(" > ");
    const QString setup = main + frame("setup", c, "setup") + QStringLiteral(" > ");
    const QString inSolve = solve + frame("halo_exchange", c, "solve calls") + QStringLiteral(" > ");
    const QString inSetup = setup + frame("halo_exchange", c, "setup calls") + QStringLiteral(" > ");
    std::map<QString, qint64> expected{
        {main + frame("MPI_Init", c, "init"), 3},
        {main + frame("MPI_Finalize", c, "finalize"), 3},
        {solve + frame("norm", c, "norm") + QStringLiteral(" > ") + frame("MPI_Allreduce", c, "allreduce"), 30},
    };
    for (const auto& [call, mark] : {std::pair("MPI_Irecv", "irecv"), {"MPI_Send", "send"}, {"MPI_Wait", "wait"}}) {
        expected[inSolve + frame(call, c, mark)] = 30;
        expected[inSetup + frame(call, c, mark)] = 3;
    }
    QString descend = setup + frame("descend", c, "descend");
    for (int depth = 0; depth < 3; ++depth) {
        expected[descend + QStringLiteral(" > ") + frame("MPI_Barrier", c, "barrier")] = 3;
        descend += QStringLiteral(" > ") + frame("descend", c, "again");
    }
    std::map<QString, qint64> calls;
    for (const auto& [path, row] : found)
        if (row[QLatin1String("frame")].toString().startsWith(QLatin1String("MPI_")))
            calls[path] = number(row, "count");
    for (const auto& [path, count] : expected) {
        QVERIFY2(calls.count(path) == 1, qPrintable(path + QStringLiteral(" is missing")));
        QCOMPARE(calls[path], count);
    }
    QCOMPARE(calls.size(), expected.size());
    // Of 10 steps of 2 + 1 + 1 ms the first lies between calls from setup and from solve, so that it counts to main.
    QVERIFY(number(found.at(solve.chopped(3)), "exclusive_ns") >= 36'000'000);
    QVERIFY(number(found.at(main.chopped(3)), "exclusive_ns") >= 4'000'000);
    QVERIFY(number(found.at(main.chopped(3)), "inclusive_ns") >= number(found.at(solve.chopped(3)), "inclusive_ns"));
}

// Symbols name the functions, addresses the places; what was inlined is part of its caller.
// A stack is known again whatever stands in the frame pointer's register; it was unwound anew at each call, which took
// the longer the more of them there were.
void TestCallStacks::costDoesNotGrow()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const QString program = RecordedRuns::program("registers", mpi);
    if (!QFile::exists(program)) QSKIP("there is no such register on this machine");
    constexpr int calls = 50'000;
    qint64 times[2] = {};  // ns, with stacks and without
    for (const char* depth : {"0", "32"}) {
        const Said said = m_runs.record("registers.lprec", 1, {program, QString::number(calls)},
                                        {QStringLiteral("--stack"), QString::fromUtf8(depth)}, mpi);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        times[depth[0] == '0'] = said.out.trimmed().toLongLong();
    }
    constexpr qint64 disturbance = 100'000'000;  // ns, of another program; it was more than a second
    QVERIFY2(times[0] < 3 * times[1] + disturbance, qPrintable(QString::number(times[0])));
    // All from one place.
    int places = 0;
    for (const auto value : answer({"mpi-calls", "registers.lprec", "--json"})) {
        const QJsonObject row = value.toObject();
        if (row[QStringLiteral("call")].toString() != QLatin1String("MPI_Barrier")) continue;
        ++places;
        QCOMPARE(number(row, "count"), calls);
    }
    QCOMPARE(places, 1);
}

// Where a return address stood is not looked at again when that stack may be gone.
void TestCallStacks::stacksOfThePrograms()
{
    QFETCH(QString, mpi);
    SKIP_WITHOUT(mpi);
    QVERIFY(record("fibers.lprec", "fibers", mpi, 1));
    qint64 barriers = 0;
    for (const auto& [path, row] : tree("fibers.lprec"))
        if (row[QLatin1String("frame")].toString().startsWith(QLatin1String("MPI_Barrier")))
            barriers += number(row, "count");
    QCOMPARE(barriers, qint64(3));
}

void TestCallStacks::treeWithoutDebugInformation()
{
    QFETCH(QString, mpi);
    SKIP_WITHOUT(mpi);
    QVERIFY(record("plain.lprec", "stacks-plain", mpi));
    std::map<QString, qint64> calls;
    static const QRegularExpression place(QStringLiteral(" \\(stacks-plain-[a-z]+\\+0x[0-9a-f]+\\)"));
    for (const auto& [path, row] : tree("plain.lprec"))
        if (row[QLatin1String("frame")].toString().startsWith(QLatin1String("MPI_")))
            calls[QString(path).remove(place)] += number(row, "count");
    const std::map<QString, qint64> expected{
        {QStringLiteral("main > MPI_Init"), 3},
        {QStringLiteral("main > MPI_Finalize"), 3},
        {QStringLiteral("main > solve > MPI_Allreduce"), 30},
        {QStringLiteral("main > solve > halo_exchange > MPI_Send"), 30},
        {QStringLiteral("main > setup > halo_exchange > MPI_Send"), 3},
        {QStringLiteral("main > setup > descend > descend > descend > MPI_Barrier"), 3},
    };
    for (const auto& [path, count] : expected) {
        QVERIFY2(calls.count(path) == 1, qPrintable(path + QStringLiteral(" is missing")));
        QCOMPARE(calls[path], count);
    }
}

// The tree begins with main, whatever it was called.
void TestCallStacks::treeWithoutSymbols()
{
    QFETCH(QString, mpi);
    SKIP_WITHOUT(mpi);
    QVERIFY(record("stripped.lprec", "stacks-stripped", mpi));
    const QString app = QStringLiteral("[stacks-stripped-%1]").arg(mpi);
    static const QRegularExpression place(QStringLiteral(" \\(stacks-stripped-[a-z]+\\+0x[0-9a-f]+\\)"));
    std::map<QString, qint64> calls;
    for (const auto& [path, row] : tree("stripped.lprec"))
        if (row[QLatin1String("frame")].toString().startsWith(QLatin1String("MPI_")))
            calls[QString(path).remove(place)] += number(row, "count");
    QCOMPARE(calls[app + QStringLiteral(" > MPI_Init")], qint64(3));
    QCOMPARE(calls[app % u" > " % app % u" > MPI_Allreduce"], qint64(30));
    QCOMPARE(calls[app % u" > " % app % u" > " % app % u" > MPI_Send"], qint64(33));
    QCOMPARE(calls.size(), std::size_t{9});  // messages take three calls, three barriers come from three depths
}

void TestCallStacks::fortran_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QString>("program");
    for (const char* mpi : {"openmpi", "mpich"})
        for (const char* program : {"stacksf", "stacksf08"})
            QTest::addRow("%s, %s", mpi, program) << QString::fromUtf8(mpi) << QString::fromUtf8(program);
}

void TestCallStacks::fortran()
{
    QFETCH(QString, mpi);
    QFETCH(QString, program);
    SKIP_WITHOUT(mpi);
    if (!QFile::exists(RecordedRuns::program(program.toUtf8().constData(), mpi))) QSKIP("there is no Fortran compiler");
    QVERIFY(record("fortran.lprec", program.toUtf8().constData(), mpi, 2));
    const auto found = tree("fortran.lprec");
    const char* const f = "stacks.F90";
    const QString begin = QStringLiteral("main > ") + QStringLiteral("stacks (");
    const auto count = [&](const QString& end) {
        for (const auto& [path, row] : found)
            if (path.startsWith(begin) && path.endsWith(end)) return number(row, "count");
        return qint64(-1);
    };
    qint64 waits = 0;  // gfortran says another line of these
    for (const auto& [path, row] : found)
        if (path.section(QStringLiteral(" > "), -1).startsWith(QLatin1String("MPI_Wait")))
            waits += number(row, "count");
    QCOMPARE(waits, qint64(12));
    for (const auto& [name, mark] :
         {std::pair("MPI_Allreduce", "allreduce"), std::pair("MPI_Iallreduce", "iallreduce")}) {
        const QString call = QStringLiteral(" > ") + frame(name, f, mark);
        QCOMPARE(count(frame("share", f, "main calls") + call), qint64(2));
        QCOMPARE(count(frame("iterate", f, "iterate") + QStringLiteral(" > ") + frame("share", f, "iterate calls")
                       + call),
                 qint64(10));
    }
}

void TestCallStacks::cPlusPlus()
{
    QFETCH(QString, mpi);
    SKIP_WITHOUT(mpi);
    QVERIFY(record("template.lprec", "stackscpp", mpi, 2));
    const auto found = tree("template.lprec");
    const QString path = QStringLiteral("main > ") + frame("grid::Halo<double>::sum", "stacks.cpp", "sum")
                         + QStringLiteral(" > ") + frame("MPI_Allreduce", "stacks.cpp", "allreduce");
    QVERIFY2(found.count(path) == 1, qPrintable(path));
    QCOMPARE(number(found.at(path), "count"), qint64(8));
}

void TestCallStacks::depthAndNone()
{
    const QString mpi = QStringLiteral("openmpi");
    SKIP_WITHOUT(mpi);
    QVERIFY(record("two.lprec", "stacks-plain", mpi, 2, {QStringLiteral("--stack"), QStringLiteral("2")}));
    bool hasShort = false;
    for (const auto& [path, row] : tree("two.lprec")) {
        QVERIFY2(path.count(QStringLiteral(" > ")) <= 2, qPrintable(path));
        hasShort = hasShort || path.startsWith(QLatin1String("solve > halo_exchange ("));
    }
    QVERIFY(hasShort);
    QVERIFY(record("none.lprec", "stacks", mpi, 2, {QStringLiteral("--stack"), QStringLiteral("0")}));
    const Said refused = m_runs({QStringLiteral("profile"), m_runs.path("none.lprec"), QStringLiteral("--by"),
                                 QStringLiteral("callpath")});
    QCOMPARE(refused.code, 3);
    QVERIFY2(refused.error.contains(QLatin1String("no call stacks")), qPrintable(refused.error));
    const Said table = m_runs({QStringLiteral("mpi-calls"), m_runs.path("none.lprec")});
    QCOMPARE(table.code, 0);
    QVERIFY2(table.out.contains(QLatin1String("MPI_Allreduce")), qPrintable(table.out));
    const Said wrong = m_runs.record("none.lprec", 2, {RecordedRuns::program("stacks", mpi)},
                                     {QStringLiteral("--stack"), QStringLiteral("deep")});
    QCOMPARE(wrong.code, 2);
}

LONGPOLE_TEST(TestCallStacks)
#include "tst_callstacks.moc"
