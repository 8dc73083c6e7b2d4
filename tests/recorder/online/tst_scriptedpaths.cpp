// SPDX-License-Identifier: GPL-3.0-or-later
// record --online of programs whose paths are known beforehand, since time passes for the recorder only where they say
// so: what both carriers find is that length to the nanosecond. And of a program in which the recorder gets no memory,
// or has no room on the disk, when the test says so.
#include "../recordedrun.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <array>
#include <map>

using namespace longpole::test;

class TestScriptedPaths : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void papersExample_data();
    void papersExample();
    void lengths_data();
    void lengths();
    void memoryRunsOut_data();
    void memoryRunsOut();
    void fullDisk_data();
    void fullDisk();

private:
    RecordedRuns m_runs;

    QJsonObject last(const char* name) const
    {
        QFile file(m_runs.path(name) + QStringLiteral("/online.jsonl"));
        if (!file.open(QIODevice::ReadOnly)) return {};
        return QJsonDocument::fromJson(file.readAll().trimmed().split('\n').last()).object();
    }
    static qint64 number(const QJsonObject& object, const char* key) { return object[QLatin1String(key)].toInteger(); }
};

void TestScriptedPaths::papersExample_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QString>("how");
    for (const char* mpi : {"openmpi", "mpich"})
        for (const char* how : {"meet", "carry", "both"})
            QTest::addRow("%s, %s", mpi, how) << QString::fromUtf8(mpi) << QString::fromUtf8(how);
}

// The example H1: the longest path has 12 units, 6 of f and 6 of g; without f it has 9, without g 11, without h 12.
void TestScriptedPaths::papersExample()
{
    constexpr qint64 unit = 1000;
    QFETCH(QString, mpi);
    QFETCH(QString, how);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const bool isTraced = how == QLatin1String("both");
    // The script's clocks are right as they are; those of hosts would be found to drift by what ranks wait.
    QStringList options{QStringLiteral("--online=") + how, QStringLiteral("--zeroing"), QStringLiteral("--procedures"),
                        QStringLiteral("f,g,h"),           QStringLiteral("--clock"),   QStringLiteral("none")};
    if (!isTraced) options << QStringLiteral("--no-trace");
    const Said said = m_runs.record("h1.lprec", 3, {RecordedRuns::program("scripted", mpi), QStringLiteral("h1")},
                                    options, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QJsonObject sample = last("h1.lprec");
    QCOMPARE(number(sample, "length_ns"), 12 * unit);
    std::map<QString, std::array<qint64, 3>> found;
    for (const auto value : sample[QStringLiteral("procedures")].toArray()) {
        const QJsonObject row = value.toObject();
        found[row[QStringLiteral("name")].toString()] = {number(row, "share_ns"), number(row, "net_ns"),
                                                         number(row, "cpu_ns")};
    }
    const std::map<QString, std::array<qint64, 3>> expected{{QStringLiteral("f"), {6 * unit, 9 * unit, 9 * unit}},
                                                            {QStringLiteral("g"), {6 * unit, 11 * unit, 10 * unit}},
                                                            {QStringLiteral("h"), {0, 12 * unit, 9 * unit}}};
    QCOMPARE(found, expected);
    if (!isTraced) return;
    for (const char* compared : {"compared", "compared_shares"}) QCOMPARE(number(sample, compared), 1);
    const Said path = m_runs({QStringLiteral("critical-path"), m_runs.path("h1.lprec"), QStringLiteral("--edges"),
                              QStringLiteral("data"), QStringLiteral("--json")});
    QCOMPARE(number(QJsonDocument::fromJson(path.out.toUtf8()).object(), "length_ns"), 12 * unit);
}

void TestScriptedPaths::lengths_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QStringList>("program");
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("meetings");  // beside MPI_Init and MPI_Finalize
    QTest::addColumn<int>("ambiguous");
    for (const char* mpi : {"openmpi", "mpich"}) {
        const auto row = [mpi](const char* program, int ranks, int meetings, int ambiguous = 0) {
            QTest::addRow("%s, %s on %d", mpi, program, ranks)
                << QString::fromUtf8(mpi) << QString::fromUtf8(program).split(QLatin1Char(' ')) << ranks << meetings
                << ambiguous;
        };
        row("given", 2, 0);
        row("any", 2, 0);
        row("given-reverse", 2, 0);
        row("any-reverse", 2, 0, 1);  // the earlier receive could have taken that message, too
        row("freed 240", 2, 240);
        row("freed-any", 2, 0, 2);  // for each carrier
        row("freed-behind", 2, 0, 1);
        row("paused 100", 2, 0);
        row("crossing 300", 2, 179);
        row("open", 2, 75);
        row("channels 5000", 2, 5);
        row("largest-tag", 2, 10);
        row("communicators 300", 2, 300);
        row("slow 2", 2, 2);
        row("alone", 1, 0);
        row("alone", 2, 0);
    }
}

// Two receives of one channel, one from anywhere, completed in either order; messages received many meetings after they
// were sent; receives that are freed; recording that pauses; a receive that stays open; thousands of channels; the
// largest tag; communicators that come and go; nobody else, and no meeting.
void TestScriptedPaths::lengths()
{
    QFETCH(QString, mpi);
    QFETCH(QStringList, program);
    QFETCH(int, ranks);
    QFETCH(int, meetings);
    QFETCH(int, ambiguous);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("scripted.lprec", ranks,
                                    QStringList{RecordedRuns::program("scripted", mpi)} + program,
                                    {QStringLiteral("--online=both"), QStringLiteral("--no-trace")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    static const QRegularExpression known(QStringLiteral("path (\\d+)\n"));
    const QRegularExpressionMatch length = known.match(said.out);
    QVERIFY2(length.hasMatch(), qPrintable(said.out));
    const QJsonObject sample = last("scripted.lprec");
    QCOMPARE(number(sample, "length_ns"), length.captured(1).toLongLong());
    QVERIFY(number(sample, "length_ns") > 0);
    QCOMPARE(number(sample, "meetings"), meetings + 1);
    for (const char* doubt : {"ahead", "lost_ns", "differences"}) QCOMPARE(number(sample, doubt), 0);
    QCOMPARE(number(sample, "ambiguous"), ambiguous);
    QCOMPARE(number(sample, "not_compared") > 0, ambiguous > 0);
    QCOMPARE(number(sample, "compared") > 0, ambiguous == 0);
    if (ambiguous == 0) return;
    // What was carried is found in time, or late: the length is the same.
    const Said carried = m_runs.record("scripted.lprec", ranks,
                                       QStringList{RecordedRuns::program("scripted", mpi)} + program,
                                       {QStringLiteral("--online=carry"), QStringLiteral("--no-trace")}, mpi);
    QVERIFY2(carried.code == 0, qPrintable(carried.error));
    QCOMPARE(number(last("scripted.lprec"), "length_ns"), length.captured(1).toLongLong());
}

void TestScriptedPaths::memoryRunsOut_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QString>("how");
    QTest::addColumn<QString>("times");
    for (const char* mpi : {"openmpi", "mpich"})
        for (const char* how : {"meet", "carry", "both"})
            for (const char* times : {"1", "1000000"})
                QTest::addRow("%s, %s, %s times", mpi, how, times)
                    << QString::fromUtf8(mpi) << QString::fromUtf8(how) << QString::fromUtf8(times);
}

// On one rank, once or for the rest of the run: the program goes on, and what is missing in the path is said.
void TestScriptedPaths::memoryRunsOut()
{
    QFETCH(QString, mpi);
    QFETCH(QString, how);
    QFETCH(QString, times);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    RecordedRuns runs;
    runs.set("FAILING_RANK", QStringLiteral("1"));
    // The block in which the first batch is replayed, of 64 KB and its head, which is kept for others; values that are
    // carried are asked for one by one.
    const bool isReplayed = how != QLatin1String("carry");
    runs.set("FAILING_FROM", isReplayed ? QStringLiteral("1") : QStringLiteral("150"));
    runs.set("FAILING_LEAST", isReplayed ? QStringLiteral("65537") : QStringLiteral("0"));
    runs.set("FAILING_MOST", isReplayed ? QStringLiteral("65600") : QStringLiteral("1000000000"));
    runs.set("FAILING_COUNT", times);
    const Said said = runs.record("failing.lprec", 2, {RecordedRuns::program("failing", mpi), QStringLiteral("400")},
                                  {QStringLiteral("--online=") + how, QStringLiteral("--no-trace")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QFile file(runs.path("failing.lprec/online.jsonl"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonObject sample = QJsonDocument::fromJson(file.readAll().trimmed().split('\n').last()).object();
    QVERIFY(sample[QStringLiteral("final")].toBool());
    QCOMPARE(number(sample, "meetings"), 402);
    QVERIFY(number(sample, "lost_ns") + number(sample, "late") > 0);
    QCOMPARE(number(sample, "ahead"), 0);
    QVERIFY2(said.error.contains(QStringLiteral("memory for the path")), qPrintable(said.error));
}

void TestScriptedPaths::fullDisk_data()
{
    QTest::addColumn<QString>("how");
    for (const char* how : {"meet", "carry"}) QTest::newRow(how) << QString::fromUtf8(how);
}

// Samples that have no room are left out, and said; those before them stay whole.
void TestScriptedPaths::fullDisk()
{
    QFETCH(QString, how);
    if (const QString missing = RecordedRuns::missing(QStringLiteral("openmpi")); !missing.isEmpty())
        QSKIP(qPrintable(missing));
    RecordedRuns runs;
    runs.set("FAILING_BYTES", QStringLiteral("3000"));
    const Said said = runs.record("full.lprec", 2, {RecordedRuns::program("failing"), QStringLiteral("5000")},
                                  {QStringLiteral("--online=") + how, QStringLiteral("--no-trace"),
                                   QStringLiteral("--no-import"), QStringLiteral("--sample"), QStringLiteral("1ns")});
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QVERIFY2(said.error.contains(QStringLiteral("a sample of the path could not be written")), qPrintable(said.error));
    QVERIFY(said.error.contains(QStringLiteral("the critical path is ")));
    const Said read = runs({QStringLiteral("online"), runs.path("full.lprec"), QStringLiteral("--json")});
    QVERIFY2(read.code == 0, qPrintable(read.error));
    const QJsonArray samples = QJsonDocument::fromJson(read.out.toUtf8())[QStringLiteral("samples")].toArray();
    for (const auto sample : samples) QVERIFY(!sample.toObject()[QStringLiteral("final")].toBool());
}

LONGPOLE_TEST(TestScriptedPaths)
#include "tst_scriptedpaths.moc"
