// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings of runs that went wrong, and of clocks that differ: what was recorded is there, what is missing is said.
#include "recorder/recordedrun.h"

#include "support/testmain.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cstdlib>
#include <ctime>

using namespace longpole::test;

namespace {

constexpr qint64 hour = 3'600'000'000'000;

qint64 now(clockid_t clock)
{
    timespec time{};
    clock_gettime(clock, &time);
    return qint64(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

QString faketime()
{
    for (const char* place : {"/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
                              "/usr/lib/faketime/libfaketime.so.1", "/usr/lib64/faketime/libfaketime.so.1"})
        if (QFile::exists(QString::fromUtf8(place))) return QString::fromUtf8(place);
    return {};
}

QString openMpiMissing() { return RecordedRuns::missing(QStringLiteral("openmpi")); }

}  // namespace

class TestRecordedTrouble : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void clockAnHourAhead_data();
    void clockAnHourAhead();
    void endings_data();
    void endings();
    void missingRank();
    void missingIndex();
    void exitCodeIsTheProgrammes();
    void nothingRecorded();
    void staticProgram();
    void otherMpisLauncher();
    void anotherToolIsSaid();
    void preloadByHand();
    void secondRunHasItsOwnFolder_data();
    void secondRunHasItsOwnFolder();
    void foldersAreTheUsers();
    void noLinkIsFollowed();
    void cutFileIsNotTheJobsEnd_data();
    void cutFileIsNotTheJobsEnd();
    void descriptorsAreTheProgrammes_data();
    void descriptorsAreTheProgrammes();
    void clonedChildIsNotTheRecordingsEnd();
    void limitOfFilesIsNotTheJobsEnd();

private:
    Said recordShell(const char* name, const QString& script, const QStringList& options = {}) const;
    QFile::Permissions rightsOf(const char* name) const { return QFileInfo(m_runs.path(name)).permissions(); }

    RecordedRuns m_runs;
};

void TestRecordedTrouble::clockAnHourAhead_data()
{
    QTest::addColumn<QString>("method");
    QTest::addColumn<bool>("isAligned");
    QTest::newRow("rtt") << QStringLiteral("rtt") << true;
    QTest::newRow("barrier") << QStringLiteral("barrier") << true;
    QTest::newRow("auto") << QStringLiteral("auto") << true;  // the host is one, the exchanges contradict
    QTest::newRow("none") << QStringLiteral("none") << false;
}

// Section 5.4's own test. libfaketime makes CLOCK_MONOTONIC the time of day, and an hour more.
void TestRecordedTrouble::clockAnHourAhead()
{
    QFETCH(QString, method);
    QFETCH(bool, isAligned);
    if (const QString missing = openMpiMissing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    if (faketime().isEmpty()) QSKIP("libfaketime is not installed");
    m_runs.set("SHIFTED_RANK", QStringLiteral("2"));
    m_runs.set("FAKETIME_LIBRARY", faketime());
    const Said said = m_runs.record("shifted.lprec", 3,
                                    {QStringLiteral(LONGPOLE_SHIFTED), RecordedRuns::program("collective")},
                                    {QStringLiteral("--clock"), method});
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const lp_header shifted = m_runs.header("shifted.lprec", 2);
    const lp_header straight = m_runs.header("shifted.lprec", 1);
    QVERIFY(shifted.start > straight.start + hour);
    const auto calls = m_runs.calls(m_runs.path("shifted.lprec"));
    qint64 latest = 0;
    qint64 earliest = std::numeric_limits<qint64>::max();
    for (const Call& call : calls) {
        if (call.name != QLatin1String("MPI_Barrier")) continue;
        latest = std::max(latest, call.begin);
        earliest = std::min(earliest, call.end);
    }
    if (!isAligned) {
        QVERIFY(latest - earliest > hour / 2);
        return;
    }
    // Where ranks share processors they do not leave a barrier together; round trips have no such part.
    const qint64 unevenness = method == QLatin1String("barrier") ? 10'000'000 : 0;
    const qint64 expected = -(now(CLOCK_REALTIME) - now(CLOCK_MONOTONIC) + hour);
    for (const lp_clock_point& point : shifted.clock) {
        qInfo("offset is wrong by %lld ns, error bound %lld ns", static_cast<long long>(point.offset - expected),
              static_cast<long long>(point.error));
        QVERIFY(point.error < 1'000'000'000);
        QVERIFY(std::llabs(point.offset - expected) <= point.error + unevenness + 20'000);
    }
    QVERIFY(std::llabs(straight.clock[0].offset) <= straight.clock[0].error);
    // The same waits as without: everybody is in the barrier when the last comes, and that one is late by 60 ms.
    const qint64 doubt = 2 * (std::max(shifted.clock[0].error, shifted.clock[1].error) + unevenness);
    QVERIFY(latest - earliest <= doubt);
    const auto waited = std::max_element(calls.begin(), calls.end(),
                                         [](const Call& a, const Call& b) { return a.before < b.before; });
    QVERIFY(waited->before > 40'000'000 && waited->before < 60'000'000'000);
}

void TestRecordedTrouble::endings_data()
{
    QTest::addColumn<QString>("ending");
    QTest::addColumn<int>("code");  // -1: any but 0
    QTest::newRow("kill -9") << QStringLiteral("kill") << -1;
    QTest::newRow("MPI_Abort") << QStringLiteral("abort") << 9;
    QTest::newRow("exit without MPI_Finalize") << QStringLiteral("exit") << -1;
}

void TestRecordedTrouble::endings()
{
    QFETCH(QString, ending);
    QFETCH(int, code);
    if (const QString missing = openMpiMissing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("ending.lprec", 3, {RecordedRuns::program("ending"), ending});
    QVERIFY2(code < 0 ? said.code > 0 : said.code == code, qPrintable(said.error));
    QVERIFY2(said.error.contains(QLatin1String("did not come to MPI_Finalize")), qPrintable(said.error));
    const auto calls = m_runs.calls(m_runs.path("ending.lprec"));
    int barriers[3] = {};
    for (const Call& call : calls)
        if (call.name == QLatin1String("MPI_Barrier")) ++barriers[call.rank];
    for (const int count : barriers) QVERIFY2(count >= 40, qPrintable(QString::number(count)));
    QVERIFY(!m_runs.issues(m_runs.path("ending.lprec")).empty());
}

void TestRecordedTrouble::missingRank()
{
    if (const QString missing = openMpiMissing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    QCOMPARE(m_runs
                 .record("hole.lprec", 3, {RecordedRuns::program("ending"), QStringLiteral("finalize")},
                         {QStringLiteral("--no-import")})
                 .code,
             0);
    QVERIFY(QFile::remove(m_runs.path("hole.lprec/rank-000001.lprank")));
    const auto issues = m_runs.issues(m_runs.path("hole.lprec"));
    QCOMPARE(issues.at(QStringLiteral("missing_log")), 1);
    const QJsonArray ranks = m_runs.sql(m_runs.path("hole.lprec"), "SELECT pe FROM processor");
    QCOMPARE(ranks.size(), 3);
}

void TestRecordedTrouble::missingIndex()
{
    if (const QString missing = openMpiMissing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    QCOMPARE(m_runs
                 .record("noindex.lprec", 3, {RecordedRuns::program("ending"), QStringLiteral("finalize")},
                         {QStringLiteral("--no-import")})
                 .code,
             0);
    const QString trace = m_runs.path("noindex.lprec");
    QVERIFY(QFile::remove(trace + QStringLiteral("/index.lpindex")));
    QCOMPARE(m_runs.calls(trace).size(), std::size_t(3 * 42));
}

void TestRecordedTrouble::exitCodeIsTheProgrammes()
{
    if (const QString missing = openMpiMissing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("code.lprec", 2,
                                    {RecordedRuns::program("ending"), QStringLiteral("finalize"), QStringLiteral("5")});
    QCOMPARE(said.code, 5);
    QVERIFY2(said.error.contains(QLatin1String("recorded 2 ranks")), qPrintable(said.error));
}

void TestRecordedTrouble::nothingRecorded()
{
    if (const QString missing = openMpiMissing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("nothing.lprec", 2, {QStringLiteral("true")});
    QCOMPARE(said.code, 3);
    QVERIFY2(said.error.contains(QLatin1String("called no MPI_Init")), qPrintable(said.error));
    QVERIFY(!QFile::exists(m_runs.path("nothing.lprec")));
}

void TestRecordedTrouble::staticProgram()
{
    if (const QString missing = openMpiMissing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    if (!QFile::exists(QStringLiteral(LONGPOLE_MPI_PROGRAMS "/static"))) QSKIP("no static program could be linked");
    const Said said = m_runs.record("static.lprec", 2, {QStringLiteral(LONGPOLE_MPI_PROGRAMS "/static")});
    QCOMPARE(said.code, 3);
    QVERIFY2(said.error.contains(QLatin1String("linked statically")), qPrintable(said.error));
}

void TestRecordedTrouble::otherMpisLauncher()
{
    for (const char* mpi : {"openmpi", "mpich"})
        if (const QString missing = RecordedRuns::missing(QString::fromUtf8(mpi)); !missing.isEmpty())
            QSKIP(qPrintable(missing));
    const Said said = m_runs.record("other.lprec", 2, {RecordedRuns::program("ring", QStringLiteral("mpich"))});
    QCOMPARE(said.code, 3);
    QVERIFY2(said.error.contains(QLatin1String("Use mpirun.mpich")), qPrintable(said.error));
}

// Both count: the tool's barriers are all there, and so are ours.
void TestRecordedTrouble::anotherToolIsSaid()
{
    if (const QString missing = openMpiMissing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("tool.lprec", 2,
                                    {QStringLiteral("-x"), QStringLiteral("X=1"), RecordedRuns::program("tooled"),
                                     QStringLiteral("finalize")});
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QVERIFY2(said.error.contains(QLatin1String("longpole: ")) && said.error.contains(QLatin1String("tool")),
             qPrintable(said.error));
    QCOMPARE(said.out.count(QLatin1String("40 barriers")), 2);
    QCOMPARE(m_runs.calls(m_runs.path("tool.lprec")).size(), std::size_t(2 * 42));
}

// README's way without the command.
void TestRecordedTrouble::preloadByHand()
{
    if (const QString missing = openMpiMissing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                             "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"})
        environment.insert(QString::fromUtf8(name), QStringLiteral("1"));
    process.setProcessEnvironment(environment);
    process.start(RecordedRuns::launcher(QStringLiteral("openmpi")),
                  {QStringLiteral("-np"), QStringLiteral("2"), QStringLiteral("-x"),
                   QStringLiteral("LD_PRELOAD=" LONGPOLE_RECORDER "/liblongpole-openmpi.so"), QStringLiteral("-x"),
                   QStringLiteral("LONGPOLE_OUTPUT=") + m_runs.path("byhand.lprec"), RecordedRuns::program("ring")});
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitCode(), 0);
    QCOMPARE(m_runs.calls(m_runs.path("byhand.lprec")).size(), std::size_t(2 * 17));
}

// longpole record of a script, with $RING as a program of one rank.
Said TestRecordedTrouble::recordShell(const char* name, const QString& script, const QStringList& options) const
{
    return m_runs(QStringList{QStringLiteral("record"), QStringLiteral("-o"), m_runs.path(name)} + options
                  + QStringList{QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"),
                                QString(script)
                                    .replace(QLatin1String("$RING"), RecordedRuns::program("ring"))
                                    .replace(QLatin1String("$MPIRUN"),
                                             RecordedRuns::launcher(QStringLiteral("openmpi")))});
}

void TestRecordedTrouble::secondRunHasItsOwnFolder_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("script");
    QTest::addColumn<int>("runs");
    QTest::newRow("one after the other") << QStringLiteral("two.lprec") << QStringLiteral("$MPIRUN -np 2 $RING; $RING")
                                         << 2;
    QTest::newRow("at once") << QStringLiteral("once.lprec") << QStringLiteral("$RING & $RING & $RING & wait") << 3;
    QTest::newRow("a name with two points") << QStringLiteral("a.b") << QStringLiteral("$RING; $RING") << 2;
    QTest::newRow("a name without") << QStringLiteral("plain") << QStringLiteral("$RING; $RING") << 2;
}

void TestRecordedTrouble::secondRunHasItsOwnFolder()
{
    QFETCH(QString, name);
    QFETCH(QString, script);
    QFETCH(int, runs);
    if (const QString missing = openMpiMissing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const QByteArray typed = name.toUtf8();
    const QString table = m_runs.path(QByteArray(typed + ".calls.csv").constData());
    const Said said = recordShell(typed.constData(), script, {QStringLiteral("--calls"), table});
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QCOMPARE(said.error.count(QLatin1String("has a recording already")), runs - 1);
    for (int run = 1; run <= runs; ++run) {
        const auto numbered = [run](const QString& path) {
            const qsizetype end = QFileInfo(path).suffix().isEmpty() ? path.size() : path.lastIndexOf(QLatin1Char('.'));
            return run == 1 ? path : QString(path.left(end) + QStringLiteral("-%1").arg(run) + path.mid(end));
        };
        const QString folder = numbered(m_runs.path(typed.constData()));
        QVERIFY2(said.error.contains(QStringLiteral("longpole %1'").arg(folder)), qPrintable(said.error));
        const auto calls = m_runs.calls(folder);
        QCOMPARE(calls.size() % 17, std::size_t(0));
        QFile rows(numbered(table));
        QVERIFY2(rows.open(QIODevice::ReadOnly), qPrintable(rows.fileName()));
        QCOMPARE(std::size_t(rows.readAll().count('\n')), calls.size() + 1);
    }
    // One that is there stays, and is not counted to the next command.
    QCOMPARE(recordShell(typed.constData(), script).code, 3);
    const Said again = recordShell(typed.constData(), QStringLiteral("$RING"), {QStringLiteral("--force")});
    QVERIFY2(again.code == 0, qPrintable(again.error));
    QCOMPARE(again.error.count(QLatin1String("recorded 1 rank")), 1);
}

void TestRecordedTrouble::foldersAreTheUsers()
{
    if (const QString missing = openMpiMissing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    constexpr QFile::Permissions others = QFile::ReadGroup | QFile::WriteGroup | QFile::ExeGroup | QFile::ReadOther
                                          | QFile::WriteOther | QFile::ExeOther;
    QCOMPARE(recordShell("own.lprec", QStringLiteral("$RING; $RING")).code, 0);
    QVERIFY(!(rightsOf("own.lprec") & others));
    QVERIFY(!(rightsOf("own-2.lprec") & others));
    QVERIFY(QDir().mkdir(m_runs.path("shared.lprec")));
    QVERIFY(QFile::setPermissions(m_runs.path("shared.lprec"), QFile::Permissions(0x7755)));
    QCOMPARE(recordShell("shared.lprec", QStringLiteral("$RING")).code, 0);
    QVERIFY(rightsOf("shared.lprec") & QFile::ReadOther);
}

void TestRecordedTrouble::noLinkIsFollowed()
{
    if (const QString missing = openMpiMissing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    QVERIFY(QDir().mkdir(m_runs.path("elsewhere")));
    QVERIFY(QFile::link(m_runs.path("elsewhere"), m_runs.path("link.lprec")));
    QVERIFY(QFile::link(m_runs.path("elsewhere"), m_runs.path("next-2.lprec")));
    QVERIFY(QFile::link(m_runs.path("elsewhere/table"), m_runs.path("table.csv")));
    const Said named = recordShell("link.lprec", QStringLiteral("$RING"));
    QCOMPARE(named.code, 3);
    QVERIFY2(named.error.contains(QLatin1String("This is a link; it is left as it is")), qPrintable(named.error));
    // Without the command, and the recorder's own number.
    for (const char* script : {"LONGPOLE_OUTPUT=%1/link.lprec $RING", "$RING; $RING"}) {
        const Said said = recordShell("next.lprec",
                                      QString::fromUtf8(script).replace(QLatin1String("%1"), m_runs.path("")),
                                      {QStringLiteral("--force"), QStringLiteral("--no-import")});
        QVERIFY2(said.error.contains(QLatin1String("nothing is recorded, the program goes on")),
                 qPrintable(said.error));
    }
    QCOMPARE(recordShell("tabled.lprec", QStringLiteral("LONGPOLE_CALLS=%1/table.csv $RING")
                                             .replace(QLatin1String("%1"), m_runs.path("")))
                 .code,
             0);
    QVERIFY(QDir(m_runs.path("elsewhere")).isEmpty());
    QVERIFY(!QFileInfo(m_runs.path("table.csv")).isSymLink());
}

void TestRecordedTrouble::cutFileIsNotTheJobsEnd_data()
{
    QTest::addColumn<QString>("bytes");
    QTest::addColumn<QString>("compression");
    for (const char* bytes : {"0", "4096", "70000", "-1"})  // -1: the file is removed, as by record --force
        for (const char* compression : {"off", "min"})
            QTest::addRow("%s %s", bytes, compression) << QString::fromUtf8(bytes) << QString::fromUtf8(compression);
}

// Without the guard: SIGBUS.
void TestRecordedTrouble::cutFileIsNotTheJobsEnd()
{
    QFETCH(QString, bytes);
    QFETCH(QString, compression);
    if (const QString missing = openMpiMissing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("cut.lprec", 2,
                                    {RecordedRuns::program("cut"), m_runs.path("cut.lprec/rank-000000.lprank"), bytes},
                                    {QStringLiteral("--no-import"), QStringLiteral("--compression"), compression});
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QVERIFY2(said.error.contains(QLatin1String("the file was cut or replaced; recording of rank 0 ends here")),
             qPrintable(said.error));
    QVERIFY2(!said.error.contains(QLatin1String("recording of rank 1")), qPrintable(said.error));
}

void TestRecordedTrouble::descriptorsAreTheProgrammes_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::newRow("Open MPI") << QStringLiteral("openmpi");
    QTest::newRow("MPICH") << QStringLiteral("mpich");
}

// The program closes all files of the recorder and has its own under their numbers: the recording, online.jsonl and the
// log that is spilled to disk go on elsewhere, the calls that were kept are lost, and nothing is in the program's file.
void TestRecordedTrouble::descriptorsAreTheProgrammes()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    RecordedRuns runs;
    runs.set("LONGPOLE_ONLINE_MEMORY", QStringLiteral("64K"));
    runs.set("LONGPOLE_SAMPLE", QStringLiteral("1ms"));
    const QString trace = runs.path("closed.lprec");
    const Said said = runs.record("closed.lprec", 2,
                                  {RecordedRuns::program("descriptors", mpi), QStringLiteral("/closed.lprec/"),
                                   runs.path("result")},
                                  {QStringLiteral("--online"), QStringLiteral("--calls"), runs.path("calls.csv")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    // Also calls, steps and receives, which have no names; and the samples of rank 0.
    QVERIFY2(said.out.contains(QLatin1String("rank 0 closed 5")), qPrintable(said.out));
    QVERIFY2(said.out.contains(QLatin1String("rank 1 closed 4")), qPrintable(said.out));
    for (int rank = 0; rank < 2; ++rank) {
        QFile result(runs.path("result") + QString::number(rank));
        QVERIFY(result.open(QIODevice::ReadOnly));
        QCOMPARE(result.readAll(), "result of rank " + QByteArray::number(rank) + "\n");
    }
    QCOMPARE(runs.sql(trace, "SELECT count(*) AS n FROM mpi_call").first().toObject()[QLatin1String("n")].toInt(),
             2 * (3 * 20'000 + 200 + 2));
    QCOMPARE(runs.issues(trace), (std::map<QString, qint64>{}));
    QFile samples(trace + QStringLiteral("/online.jsonl"));
    QVERIFY(samples.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = samples.readAll().trimmed().split('\n');
    for (const QByteArray& line : lines) QVERIFY2(!QJsonDocument::fromJson(line).isNull(), line.constData());
    const QJsonObject last = QJsonDocument::fromJson(lines.last()).object();
    QVERIFY(last[QLatin1String("final")].toBool());
    QCOMPARE(last[QLatin1String("lost_ns")].toInteger(-1), 0);
    QVERIFY2(said.error.contains(QLatin1String("keep its calls for the summary: the program closed their file")),
             qPrintable(said.error));
    QVERIFY(!QFile::exists(runs.path("calls.csv")));
    QCOMPARE(QDir(trace).entryList({QStringLiteral("path-*"), QStringLiteral("summary-*")}), QStringList());
}

// A child that no handler of pthread_atfork() has heard of exits: what the parent does after it is recorded.
void TestRecordedTrouble::clonedChildIsNotTheRecordingsEnd()
{
    if (const QString missing = openMpiMissing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("cloned.lprec", 2, {RecordedRuns::program("ends"), QStringLiteral("clone")});
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QVERIFY2(!said.error.contains(QLatin1String("the file was cut or replaced")), qPrintable(said.error));
    QCOMPARE(m_runs.issues(m_runs.path("cloned.lprec")), (std::map<QString, qint64>{}));
    const auto calls = m_runs.calls(m_runs.path("cloned.lprec"));
    const auto isBarrier = [](const Call& call) { return call.name == QLatin1String("MPI_Barrier"); };
    QCOMPARE(std::count_if(calls.begin(), calls.end(), isBarrier), 2 * 41);
}

// Files of calls and of the table of them end at a limit of the batch system's; SIGXFSZ would end the job.
void TestRecordedTrouble::limitOfFilesIsNotTheJobsEnd()
{
    if (const QString missing = openMpiMissing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("limit.lprec", 1, {RecordedRuns::program("ends"), QStringLiteral("limit")},
                                    {QStringLiteral("--no-import"), QStringLiteral("--calls"),
                                     m_runs.path("limit.csv")});
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QVERIFY2(said.error.contains(QLatin1String("keep its calls for the summary: File too large")),
             qPrintable(said.error));
    QVERIFY(!QFile::exists(m_runs.path("limit.csv")));
}

LONGPOLE_TEST(TestRecordedTrouble)
#include "tst_recordedtrouble.moc"
