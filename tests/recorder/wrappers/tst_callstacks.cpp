// SPDX-License-Identifier: GPL-3.0-or-later
// Programs with known call paths under the recorder: the call tree and the table of places name them, with and without
// debug information and frame pointers, in C, C++ and Fortran, and their sums are those of the other commands.
#include "app/jsonschema.h"
#include "app/processes/answers.h"
#include "recorder/recordedrun.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cstdlib>

using namespace longpole::test;

namespace {

// The line of a program's source that bears the mark.
int lineOf(const char* source, const char* mark)
{
    QFile file(QStringLiteral(LONGPOLE_PROGRAM_SOURCES "/") + QString::fromUtf8(source));
    if (!file.open(QIODevice::ReadOnly)) return -1;
    const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
    const QRegularExpression wanted(QStringLiteral("mark: %1$").arg(QString::fromUtf8(mark)));
    for (int i = 0; i < lines.size(); ++i)
        if (wanted.match(lines[i]).hasMatch()) return i + 1;
    return -1;
}

// "solve (stacks.c:59)".
QString frame(const char* function, const char* source, const char* mark)
{
    return QStringLiteral("%1 (%2:%3)")
        .arg(QString::fromUtf8(function), QString::fromUtf8(source))
        .arg(lineOf(source, mark));
}

QString pathOf(const QJsonObject& row)
{
    QStringList frames;
    const QJsonArray path = row[QLatin1String("path")].toArray();
    for (const auto& one : path) frames << one.toString();
    return frames.join(QStringLiteral(" > "));
}

qint64 number(const QJsonObject& row, const char* key) { return row[QLatin1String(key)].toInteger(-1); }

}  // namespace

class TestCallStacks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void mpis_data();
    void treeOfKnownPaths_data();
    void treeOfKnownPaths();
    void costDoesNotGrow_data() { mpis_data(); }
    void costDoesNotGrow();
    void stacksOfThePrograms_data() { mpis_data(); }
    void stacksOfThePrograms();
    void treeWithoutDebugInformation_data() { mpis_data(); }
    void treeWithoutDebugInformation();
    void treeWithoutSymbols_data() { mpis_data(); }
    void treeWithoutSymbols();
    void fortran_data();
    void fortran();
    void cPlusPlus_data() { mpis_data(); }
    void cPlusPlus();
    void sumsAreTheRuns_data() { mpis_data(); }
    void sumsAreTheRuns();
    void placesAreNamed();
    void severalProcessesNameThem_data() { mpis_data(); }
    void severalProcessesNameThem();
    void depthAndNone();
    void environmentIsTheUsers_data() { mpis_data(); }
    void environmentIsTheUsers();
    void refusingLauncherIsNotExplained();

private:
    // Rows by path; empty after a failure.
    std::map<QString, QJsonObject> tree(const char* name) const
    {
        std::map<QString, QJsonObject> rows;
        for (const auto& value : answer({"profile", name, "--by", "callpath", "--json"}))
            rows[pathOf(value.toObject())] = value.toObject();
        return rows;
    }
    QJsonArray answer(const QList<const char*>& words) const
    {
        QStringList arguments;
        for (const char* word : words)
            arguments << (QByteArray(word).endsWith(".lprec") ? m_runs.path(word) : QString::fromUtf8(word));
        const Said said = m_runs(arguments);
        if (said.code != 0) qWarning("%s", qPrintable(said.error));
        return QJsonDocument::fromJson(said.out.toUtf8()).array();
    }
    bool record(const char* name, const char* program, const QString& mpi, int ranks = 3,
                const QStringList& options = {})
    {
        const Said said = m_runs.record(name, ranks, {RecordedRuns::program(program, mpi)}, options, mpi);
        if (said.code != 0) qWarning("%s", qPrintable(said.error));
        return said.code == 0;
    }

    RecordedRuns m_runs;
};

#define SKIP_WITHOUT(mpi) \
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing))

void TestCallStacks::mpis_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::newRow("Open MPI") << QStringLiteral("openmpi");
    QTest::newRow("MPICH") << QStringLiteral("mpich");
}

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

void TestCallStacks::sumsAreTheRuns()
{
    QFETCH(QString, mpi);
    SKIP_WITHOUT(mpi);
    QVERIFY(record("sums.lprec", "stacks", mpi));
    const auto one = [&](const char* query) {
        return number(m_runs.sql(m_runs.path("sums.lprec"), query).first().toObject(), "n");
    };
    qint64 computed = 0, inCalls = 0, calls = 0, bytes = 0, waited = 0;
    for (const auto& [path, row] : tree("sums.lprec")) {
        if (!row[QLatin1String("frame")].toString().startsWith(QLatin1String("MPI_"))) {
            computed += number(row, "exclusive_ns");
            continue;
        }
        inCalls += number(row, "exclusive_ns");
        calls += number(row, "count");
        bytes += number(row, "bytes");
        waited += number(row, "wait_ns");
    }
    QCOMPARE(computed, one("SELECT value AS n FROM meta WHERE key = 'busy_ns'"));
    QCOMPARE(calls, one("SELECT count(*) AS n FROM mpi_call"));
    QCOMPARE(bytes, one("SELECT sum(bytes) AS n FROM mpi_call"));
    QCOMPARE(waited, one("SELECT sum(wait_before_ns + wait_after_ns) AS n FROM mpi_call"));
    QCOMPARE(one("SELECT count(*) AS n FROM mpi_call WHERE call_path IS NULL"), qint64(0));
    const QJsonObject root = tree("sums.lprec").at(QStringLiteral("main"));
    QCOMPARE(number(root, "inclusive_ns"), computed + inCalls);
    const Said path = m_runs({QStringLiteral("critical-path"), m_runs.path("sums.lprec"), QStringLiteral("--json")});
    QCOMPARE(number(root, "path_ns"), number(QJsonDocument::fromJson(path.out.toUtf8()).object(), "length_ns"));
    const Said causes = m_runs({QStringLiteral("waits"), m_runs.path("sums.lprec"), QStringLiteral("--causes"),
                                QStringLiteral("--json")});
    const QJsonObject all = QJsonDocument::fromJson(causes.out.toUtf8()).object();
    // What a culprit did in excess is judged by functions here and by pieces between calls there, where the pieces of
    // one function do not outweigh each other: the sums are near each other, and none is above the waits.
    const qint64 caused = number(root, "cause_ns");
    const qint64 explained = number(all, "total_ns") - number(all, "unexplained_ns");
    const QByteArray sums = QByteArray::number(caused) + " here, " + QByteArray::number(explained) + " there";
    QVERIFY2(caused <= number(all, "total_ns") && std::abs(caused - explained) <= explained / 5, sums.constData());
    // The table of places has the same sums, listed whole or cut.
    for (const QList<const char*>& words : {QList<const char*>{"mpi-calls", "sums.lprec", "--json"},
                                            {"mpi-calls", "sums.lprec", "--json", "--top", "2"},
                                            {"mpi-calls", "sums.lprec", "--json", "--by", "rank"},
                                            {"mpi-calls", "sums.lprec", "--json", "--by", "call"}}) {
        qint64 time = 0, count = 0, sent = 0, wait = 0;
        for (const auto& value : answer(words)) {
            time += number(value.toObject(), "time_ns");
            count += number(value.toObject(), "count");
            sent += number(value.toObject(), "bytes");
            wait += number(value.toObject(), "wait_ns");
        }
        QCOMPARE(time, inCalls);
        QCOMPARE(count, calls);
        QCOMPARE(sent, bytes);
        QCOMPARE(wait, waited);
    }
    for (const auto& [call, schema] : {std::pair("profile --by callpath", "callpaths"),
                                       {"mpi-calls", "mpi-calls"},
                                       {"mpi-calls --by rank", "mpi-calls"},
                                       {"mpi-calls --by call", "mpi-calls"},
                                       {"critical-path", "critical-path"},
                                       {"waits", "waits"}}) {
        QStringList words = QString::fromUtf8(call).split(QLatin1Char(' '));
        words.insert(1, m_runs.path("sums.lprec"));
        const Said said = m_runs(words << QStringLiteral("--json"));
        const std::string wrong = violation(said.out.toStdString(), schema);
        QVERIFY2(wrong.empty(), (std::string(call) + ": " + wrong).c_str());
    }
}

// Waits, steps of the path and advice say where in the source they are.
void TestCallStacks::placesAreNamed()
{
    const QString mpi = QStringLiteral("openmpi");
    SKIP_WITHOUT(mpi);
    QVERIFY(record("places.lprec", "stacks", mpi));
    const QString norm = QStringLiteral("norm at stacks.c:%1, in solve at stacks.c:%2")
                             .arg(lineOf("stacks.c", "allreduce"))
                             .arg(lineOf("stacks.c", "norm"));
    const QString solve = QStringLiteral("solve, in main at stacks.c:%1").arg(lineOf("stacks.c", "solve"));
    const Said waits = m_runs({QStringLiteral("waits"), m_runs.path("places.lprec")});
    QVERIFY2(waits.out.contains(norm), qPrintable(waits.out));
    QVERIFY2(waits.out.contains(solve), qPrintable(waits.out));
    const Said causes = m_runs({QStringLiteral("waits"), m_runs.path("places.lprec"), QStringLiteral("--causes"),
                                QStringLiteral("--json")});
    const QJsonArray found = QJsonDocument::fromJson(causes.out.toUtf8())[QLatin1String("causes")].toArray();
    QString where;
    for (const auto& cause : found)
        if (cause[QLatin1String("entry")][QLatin1String("name")] == QLatin1String("MPI_Allreduce to MPI_Irecv"))
            where = cause[QLatin1String("where")].toString();
    QVERIFY2(where == solve, qPrintable(causes.out));
    const Said path = m_runs({QStringLiteral("critical-path"), m_runs.path("places.lprec"), QStringLiteral("--csv")});
    QVERIFY2(path.out.contains(solve), qPrintable(path.out));
    // As on a host with a core for each rank, without which nothing is said of their code.
    for (const int rank : {0, 1, 2}) {
        QFile file(m_runs.path("places.lprec") + QStringLiteral("/rank-00000%1.lprank").arg(rank));
        lp_header header;
        QVERIFY(file.open(QIODevice::ReadWrite));
        QCOMPARE(file.read(reinterpret_cast<char*>(&header), sizeof header), qint64(sizeof header));
        header.cores = 3;
        header.own_cores = 0;
        header.flags = 0;
        QVERIFY(file.seek(0));
        QCOMPARE(file.write(reinterpret_cast<const char*>(&header), sizeof header), qint64(sizeof header));
    }
    const Said advice = m_runs({QStringLiteral("advise"), m_runs.path("places.lprec")});
    QVERIFY2(advice.out.contains(QStringLiteral("Where: ")), qPrintable(advice.out));
}

// Several processes name the places that commands name of the import, byte for byte, also those of ranks that another
// process hosts; and so does a trace without any events, for it keeps them.
void TestCallStacks::severalProcessesNameThem()
{
    QFETCH(QString, mpi);
    SKIP_WITHOUT(mpi);
    QVERIFY(record("shared.lprec", "stacks", mpi, 4));
    const QString run = m_runs.path("shared.lprec");
    const QString trace = m_runs.path("shared.longpole");
    std::map<QString, QString> wanted;
    for (const AnswerFile& answer : answerFiles()) {
        const Said said = m_runs(answer.call(run));
        QCOMPARE(said.code, 0);
        wanted[answer.name] = withoutInterruptions(said.out);
    }
    static const QRegularExpression place(QStringLiteral("\"culprit_where\": \"solve, in main at stacks.c"));
    QVERIFY2(wanted[QStringLiteral("waits.json")].contains(place), qPrintable(wanted[QStringLiteral("waits.json")]));
    for (int processes = 1; processes <= 4; ++processes) {
        const Said said = m_runs({QStringLiteral("analyze"), run, QStringLiteral("--processes"),
                                  QString::number(processes), QStringLiteral("--answers"), m_runs.path("shared"),
                                  QStringLiteral("-o"), trace, QStringLiteral("--keep"), QStringLiteral("0")});
        QCOMPARE(said.error, QString());
        QCOMPARE(said.code, 0);
        for (const AnswerFile& answer : answerFiles()) {
            QFile written(m_runs.path("shared") + QLatin1Char('/') + answer.name);
            QVERIFY(written.open(QIODevice::ReadOnly));
            QCOMPARE(QString::fromUtf8(written.readAll()), wanted[answer.name]);
            if (answer.name == QLatin1String("info.json")) continue;  // which says how much of the run is there
            const Said kept = m_runs(answer.call(trace));
            QCOMPARE(kept.error, QString());
            QCOMPARE(kept.out, wanted[answer.name]);
        }
    }
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

// The program finds the variables that it would have without the recorder, but for the recorder's own and those that
// the launcher makes anew for each run.
void TestCallStacks::environmentIsTheUsers()
{
    QFETCH(QString, mpi);
    SKIP_WITHOUT(mpi);
    const auto variables = [](const QString& text) {
        QStringList kept;
        static const QRegularExpression own(
            QStringLiteral("^(LD_PRELOAD|LONGPOLE_|OMPI_|PMIX_|PMI_|PRTE_|HYDRA_|HYDI_|"
                           "MPI|HFI_|PSM|_=|MPIR_|GFORTRAN|OPAL_|SHLVL)"));
        for (const QString& line : text.split(QLatin1Char('\n')))
            if (line.contains(QLatin1Char('=')) && !own.match(line).hasMatch()) kept << line;
        kept.sort();
        return kept;
    };
    m_runs.set("RECORDED_TEST_MARK", QString::fromUtf8("t\xc3\xa4glich"));
    const QString name = QFileInfo(RecordedRuns::launcher(mpi)).fileName();
    const auto run = [&](const QStringList& before, const QString& file) {
        return m_runs.shell(before
                            + QStringList{name, QStringLiteral("-np"), QStringLiteral("1"), QStringLiteral("sh"),
                                          QStringLiteral("-c"), QStringLiteral("env > ") + file});
    };
    const QString plain = m_runs.path("plain.txt");
    const QString recorded = m_runs.path("recorded.txt");
    run({}, plain);
    run({QStringLiteral(LONGPOLE_PROGRAM), QStringLiteral("record"), QStringLiteral("--force"), QStringLiteral("-o"),
         m_runs.path("env.lprec"), QStringLiteral("--")},
        recorded);
    const auto read = [](const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    };
    QVERIFY(!variables(read(plain)).isEmpty());
    QCOMPARE(variables(read(recorded)), variables(read(plain)));
}

void TestCallStacks::refusingLauncherIsNotExplained()
{
    const QString mpi = QStringLiteral("openmpi");
    SKIP_WITHOUT(mpi);
    const Said said = m_runs.record("refused.lprec", 2, {RecordedRuns::program("stacks", mpi)}, {}, mpi,
                                    {QStringLiteral("--no-such-option-of-mpirun")});
    QVERIFY(said.code != 0);
    QVERIFY2(!said.error.contains(QLatin1String("folder must be")), qPrintable(said.error));
}

LONGPOLE_TEST(TestCallStacks)
#include "tst_callstacks.moc"
