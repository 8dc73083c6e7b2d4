// SPDX-License-Identifier: GPL-3.0-or-later
// record --online of programs whose paths are known beforehand, since time passes for the recorder only where they say
// so: what both carriers find is that length to the nanosecond. And of a program in which the recorder gets no memory,
// or has no room on the disk, when the test says so.
#include "app/jsonschema.h"
#include "recorder/online/onlineruns.h"

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
    void nothingIsLeft_data();
    void nothingIsLeft();
    void samplesBetweenMeetings_data();
    void samplesBetweenMeetings();
    void partsThatAreLost_data();
    void partsThatAreLost();
    void memoryRunsOut_data();
    void memoryRunsOut();
    void fullDisk_data();
    void fullDisk();

private:
    OnlineRuns m_runs;
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
    const QJsonObject sample = m_runs.last("h1.lprec");
    QCOMPARE(figure(sample, "length_ns"), 12 * unit);
    std::map<QString, std::array<qint64, 3>> found;
    for (const auto value : sample[QStringLiteral("procedures")].toArray()) {
        const QJsonObject row = value.toObject();
        found[row[QStringLiteral("name")].toString()] = {figure(row, "share_ns"), figure(row, "net_ns"),
                                                         figure(row, "cpu_ns")};
    }
    const std::map<QString, std::array<qint64, 3>> expected{{QStringLiteral("f"), {6 * unit, 9 * unit, 9 * unit}},
                                                            {QStringLiteral("g"), {6 * unit, 11 * unit, 10 * unit}},
                                                            {QStringLiteral("h"), {0, 12 * unit, 9 * unit}}};
    QCOMPARE(found, expected);
    if (!isTraced) return;
    for (const char* compared : {"compared", "compared_shares"}) QCOMPARE(figure(sample, compared), 1);
    const Said path = m_runs({QStringLiteral("critical-path"), m_runs.path("h1.lprec"), QStringLiteral("--edges"),
                              QStringLiteral("data"), QStringLiteral("--json")});
    QCOMPARE(figure(QJsonDocument::fromJson(path.out.toUtf8()).object(), "length_ns"), 12 * unit);
}

void TestScriptedPaths::lengths_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QStringList>("program");
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("meetings");  // beside MPI_Init and MPI_Finalize
    QTest::addColumn<int>("ambiguous");
    QTest::addColumn<int>("cancelled");  // receives that were cancelled or freed; -1: nothing is recorded
    QTest::addColumn<int>("unfinished");
    for (const char* mpi : {"openmpi", "mpich"}) {
        const auto row = [mpi](const char* program, int ranks, int meetings, int cancelled = 0, int ambiguous = 0,
                               int unfinished = 0) {
            QTest::addRow("%s, %s on %d", mpi, program, ranks)
                << QString::fromUtf8(mpi) << QString::fromUtf8(program).split(QLatin1Char(' ')) << ranks << meetings
                << ambiguous << cancelled << unfinished;
        };
        row("given", 2, 0);
        row("any", 2, 0);
        row("given-reverse", 2, 0);
        row("any-reverse", 2, 0);  // the earlier receive could have taken that message, too: MPI knows
        row("freed 240", 2, 240, 240);
        row("freed-any", 2, 0, 1, 2);  // for each carrier
        row("freed-known", 2, 1, 1);
        row("freed-behind", 2, 0, 1);
        row("cancelled 120", 2, 240, 120);
        row("unfinished 120", 2, 40, 0, 0, 120);
        row("unreceived 120", 2, 12);
        row("seen 120", 2, 24);
        row("paused 100", 2, 0, -1);
        row("crossing 300", 2, 179);
        row("open", 2, 75, 2);
        row("channels 5000", 2, 5);
        row("largest-tag", 2, 10);
        row("communicators 300", 2, 300);
        row("slow 2", 2, 2, -1);
        row("alone", 1, 0);
        row("alone", 2, 0);
    }
}

// Two receives of one channel, one from anywhere, completed in either order; messages received many meetings after they
// were sent; receives that are freed, cancelled, never completed, or asked for before they are; messages that nobody
// receives; recording that pauses; a receive that stays open; thousands of channels; the largest tag; communicators
// that come and go; nobody else, and no meeting. What a receive took of which nobody hears is nobody's message in the
// recording, too; no later one is taken for it, and one that was cancelled took none.
void TestScriptedPaths::lengths()
{
    QFETCH(QString, mpi);
    QFETCH(QStringList, program);
    QFETCH(int, ranks);
    QFETCH(int, meetings);
    QFETCH(int, ambiguous);
    QFETCH(int, cancelled);
    QFETCH(int, unfinished);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const bool isRecorded = cancelled >= 0;
    QStringList options{QStringLiteral("--online=both"), QStringLiteral("--clock"), QStringLiteral("none")};
    if (!isRecorded) options << QStringLiteral("--no-trace");
    const QStringList command = QStringList{RecordedRuns::program("scripted", mpi)} + program;
    const Said said = m_runs.record("scripted.lprec", ranks, command, options, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    static const QRegularExpression known(QStringLiteral("^path (\\d+)\n$"));
    const QRegularExpressionMatch match = known.match(said.out);
    QVERIFY2(match.hasMatch(), qPrintable(said.out));
    const qint64 length = match.captured(1).toLongLong();
    const QJsonObject sample = m_runs.last("scripted.lprec");
    QCOMPARE(figure(sample, "length_ns"), length);
    QVERIFY(length > 0);
    QCOMPARE(figure(sample, "meetings"), meetings + 1);
    for (const char* doubt : {"ahead", "lost_ns", "differences"}) QCOMPARE(figure(sample, doubt), 0);
    QCOMPARE(figure(sample, "ambiguous"), ambiguous);
    QCOMPARE(figure(sample, "not_compared") > 0, ambiguous > 0);
    QCOMPARE(figure(sample, "compared") > 0, ambiguous == 0);
    if (isRecorded) {
        const Said path = m_runs({QStringLiteral("critical-path"), m_runs.path("scripted.lprec"),
                                  QStringLiteral("--edges"), QStringLiteral("data"), QStringLiteral("--json")});
        QCOMPARE(figure(QJsonDocument::fromJson(path.out.toUtf8()).object(), "length_ns"), length);
        auto issues = m_runs.issues(m_runs.path("scripted.lprec"));
        QCOMPARE(issues[QStringLiteral("cancelled_request")], cancelled);
        QCOMPARE(issues[QStringLiteral("unfinished_request")], unfinished);
        QCOMPARE(issues[QStringLiteral("negative_latency")], 0);
        QCOMPARE(issues[QStringLiteral("unmatched_receive")], 0);
    }
    if (ambiguous == 0) return;
    // What was carried is found in time, or late: the length is the same.
    const Said carried = m_runs.record("scripted.lprec", ranks, command,
                                       {QStringLiteral("--online=carry"), QStringLiteral("--no-trace")}, mpi);
    QVERIFY2(carried.code == 0, qPrintable(carried.error));
    QCOMPARE(figure(m_runs.last("scripted.lprec"), "length_ns"), length);
}

void TestScriptedPaths::nothingIsLeft_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QString>("how");
    QTest::addColumn<QStringList>("program");
    for (const char* mpi : {"openmpi", "mpich"})
        for (const char* how : {"meet", "carry", "both"})
            for (const char* program : {"unreceived 100", "freed 40", "cancelled 40", "unfinished 40", "open", "alone"})
                QTest::addRow("%s, %s, %s", mpi, how, program) << QString::fromUtf8(mpi) << QString::fromUtf8(how)
                                                               << QString::fromUtf8(program).split(QLatin1Char(' '));
}

// Each message of the recorder's own is received before MPI_Finalize goes on, whatever became of the program's.
void TestScriptedPaths::nothingIsLeft()
{
    QFETCH(QString, mpi);
    QFETCH(QString, how);
    QFETCH(QStringList, program);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("left.lprec", 2, QStringList{RecordedRuns::program("leftovers", mpi)} + program,
                                    {QStringLiteral("--online=") + how, QStringLiteral("--no-trace"),
                                     QStringLiteral("--sample"), QStringLiteral("1us")},
                                    mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    static const QRegularExpression known(QStringLiteral("sent (\\d+) received (\\d+)"));
    qint64 sent = 0, received = 0;
    for (auto each = known.globalMatch(said.out); each.hasNext();) {
        const QRegularExpressionMatch counts = each.next();
        sent += counts.captured(1).toLongLong();
        received += counts.captured(2).toLongLong();
    }
    QVERIFY2(sent > 0, qPrintable(said.out));
    QCOMPARE(received, sent);
}

void TestScriptedPaths::samplesBetweenMeetings_data()
{
    QTest::addColumn<QString>("mpi");
    for (const char* mpi : {"openmpi", "mpich"}) QTest::newRow(mpi) << QString::fromUtf8(mpi);
}

// Where nobody meets, ranks tell of what was carried to them: the path grows up to the last sample, and so do its
// parts.
void TestScriptedPaths::samplesBetweenMeetings()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("between.lprec", 2,
                                    {RecordedRuns::program("scripted", mpi), QStringLiteral("alone")},
                                    {QStringLiteral("--online=carry"), QStringLiteral("--no-trace"),
                                     QStringLiteral("--sample"), QStringLiteral("100us"), QStringLiteral("--zeroing"),
                                     QStringLiteral("--procedures"),
                                     QStringLiteral("MPI_Send to MPI_Send,MPI_Recv to MPI_Recv")},
                                    mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const Said read = m_runs({QStringLiteral("online"), m_runs.path("between.lprec"), QStringLiteral("--json")});
    const std::string wrong = violation(read.out.toStdString(), "online");
    QVERIFY2(wrong.empty(), wrong.c_str());
    const QJsonArray samples = QJsonDocument::fromJson(read.out.toUtf8())[QStringLiteral("samples")].toArray();
    QVERIFY2(samples.size() > 10, qPrintable(QString::number(samples.size())));
    QJsonObject before;
    for (qsizetype i = 0; i < samples.size(); ++i) {
        const QJsonObject sample = samples[i].toObject();
        const bool isLast = i + 1 == samples.size();
        QCOMPARE(sample[QStringLiteral("between")].toBool(), !isLast);
        QCOMPARE(sample[QStringLiteral("final")].toBool(), isLast);
        for (const char* key : {"time_ns", "length_ns", "messages"})
            QVERIFY2(figure(sample, key) >= figure(before, key), key);
        qint64 parts = figure(sample, "rest_ns");
        for (const auto value : sample[QStringLiteral("procedures")].toArray()) {
            const QJsonObject row = value.toObject();
            parts += figure(row, "share_ns");
            QVERIFY(figure(row, "net_ns") <= figure(sample, "length_ns"));
        }
        QCOMPARE(parts, figure(sample, "length_ns"));
        before = sample;
    }
    QVERIFY(figure(samples.first().toObject(), "length_ns") < figure(before, "length_ns"));
    QCOMPARE(QStringLiteral("path %1\n").arg(figure(before, "length_ns")), said.out);
}

void TestScriptedPaths::partsThatAreLost_data()
{
    QTest::addColumn<QString>("bytes");
    QTest::newRow("of the way back") << QStringLiteral("524288");
}

// Where a rank has no memory for the way back, the length is right and the parts are not, which is said.
void TestScriptedPaths::partsThatAreLost()
{
    QFETCH(QString, bytes);
    if (const QString missing = RecordedRuns::missing(QStringLiteral("openmpi")); !missing.isEmpty())
        QSKIP(qPrintable(missing));
    OnlineRuns runs;
    runs.set("FAILING_FROM", QStringLiteral("1"));
    runs.set("FAILING_LEAST", bytes);
    runs.set("FAILING_MOST", bytes);
    runs.set("FAILING_COUNT", QStringLiteral("1"));
    const Said said = runs.record("parts.lprec", 2, {RecordedRuns::program("failing"), QStringLiteral("400")},
                                  {QStringLiteral("--online"), QStringLiteral("--no-trace")});
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QJsonObject sample = runs.last("parts.lprec");
    QVERIFY(figure(sample, "mistraced") > 0);
    QCOMPARE(figure(sample, "lost_ns"), 0);
    QVERIFY2(said.error.contains(QStringLiteral("the parts of the path did not add up to it")), qPrintable(said.error));
    const Said read = runs({QStringLiteral("online"), runs.path("parts.lprec")});
    QVERIFY2(read.error.contains(QStringLiteral("did not add up"))
                 || read.out.contains(QStringLiteral("did not add up")),
             qPrintable(read.error + read.out));
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
    OnlineRuns runs;
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
    const QJsonObject sample = runs.last("failing.lprec");
    QVERIFY(sample[QStringLiteral("final")].toBool());
    QCOMPARE(figure(sample, "meetings"), 402);
    QVERIFY(figure(sample, "lost_ns") + figure(sample, "late") > 0);
    QCOMPARE(figure(sample, "ahead"), 0);
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
    const Said said = runs.record("full.lprec", 2, {RecordedRuns::program("failing"), QStringLiteral("500")},
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
