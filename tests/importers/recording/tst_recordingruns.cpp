// SPDX-License-Identifier: GPL-3.0-or-later
// Which files are a recording's: runs that lack some, files of others, times that run backwards, settings. And the
// whole import of a made program.
#include "core/store/tracestore.h"
#include "importers/common/importer.h"
#include "importers/recording/recordedranks.h"
#include "importers/recording/source.h"
#include "recorder/format/format.h"
#include "recorder/storage/config.h"
#include "support/mpi/haloexchange.h"
#include "support/mpi/recorded.h"
#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

class TestRecordingRuns : public QObject, private RecordedRanks {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void readsRunsThatLackFiles();
    void leavesOutFilesOfOtherRuns();
    void overwritesNone();
    void repairsTimesThatRunBackwards();
    void findsTheRecordingByAnyOfItsFiles();
    void importsAProgram();
    void readsSettings_data();
    void readsSettings();
};

void TestRecordingRuns::init()
{
    QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
    begin();
}

void TestRecordingRuns::readsRunsThatLackFiles()
{
    record(3, [](int) { putCall(madeCall(LP_Barrier, 1, 2)); });
    QVERIFY(QFile::remove(rankPath(folder(), 0)));
    QVERIFY(QFile::remove(folder() + QStringLiteral("/index.lpindex")));
    Opened opened(folder());
    QVERIFY(opened.source);
    QCOMPARE(opened.issues(), (QStringList{QStringLiteral("missing_index"), QStringLiteral("missing_log")}));
    QCOMPARE(opened.source->names().ranks, 3u);
    QVERIFY(!opened.source->names().locations[0].hasEvents);
    QCOMPARE(opened.events(0), QStringList());
    QCOMPARE(opened.events(2).size(), 2);
    QDir(folder()).removeRecursively();
    QCOMPARE(Opened(folder()).error.what, QStringLiteral("There is no recording here."));
}

void TestRecordingRuns::leavesOutFilesOfOtherRuns()
{
    record(3, [](int) { putCall(madeCall(LP_Barrier, 1, 2)); });
    patchHeader(rankPath(folder(), 1), [](lp_header& header) { header.run = 78; });
    Opened opened(folder());
    QCOMPARE(opened.issues(), (QStringList{QStringLiteral("foreign_log"), QStringLiteral("missing_log")}));
    patchHeader(rankPath(folder(), 1), [](lp_header& header) { header.run = 77, header.rank = 3; });
    QCOMPARE(Opened(folder()).issues(), (QStringList{QStringLiteral("foreign_log"), QStringLiteral("missing_log")}));
    patchHeader(rankPath(folder(), 1), [](lp_header& header) { header.version = 200; });
    QCOMPARE(Opened(folder()).issues(), (QStringList{QStringLiteral("missing_log"), QStringLiteral("unreadable_log")}));
}

void TestRecordingRuns::overwritesNone()
{
    record(3, [](int) { putCall(madeCall(LP_Barrier, 1, 2)); });
    QFile kept(rankPath(folder(), 1));
    QVERIFY(kept.open(QIODevice::ReadOnly));
    const QByteArray before = kept.readAll();
    QVERIFY(QFile::remove(rankPath(folder(), 0)));  // a part of one counts, too
    runRecorded(folder(), {}, [] {
        if (lp_open(0, 2, 0) != 2) _exit(1);
        lp_close(false);
    });
    runRecorded(folder(), {}, [] { lp_open(1, 2, 1); });
    QVERIFY(kept.seek(0));
    QVERIFY(kept.readAll() == before);
    QVERIFY(!QFile::exists(rankPath(folder(), 0)));
    QVERIFY(QFile::exists(rankPath(m_folder->filePath(QStringLiteral("run-2.lprec")), 0)));
}

void TestRecordingRuns::repairsTimesThatRunBackwards()
{
    record(1, [](int) {
        putCall(madeCall(LP_Barrier, 10, 20));
        putCall(madeCall(LP_Barrier, 15, 12));
        putCall(madeCall(LP_Barrier, std::numeric_limits<std::int64_t>::max(), 30));
    });
    Opened opened(folder());
    QCOMPARE(opened.events(),
             (QStringList{QStringLiteral("10 MPI_Barrier"), QStringLiteral("20 end"), QStringLiteral("20 MPI_Barrier"),
                          QStringLiteral("20 end"), QStringLiteral("20 MPI_Barrier"), QStringLiteral("30 end")}));
    QCOMPARE(opened.issues(), (QStringList{QStringLiteral("time_backwards"), QStringLiteral("time_out_of_range")}));
}

void TestRecordingRuns::findsTheRecordingByAnyOfItsFiles()
{
    record(2, [](int) { putCall(madeCall(LP_Barrier, 1, 2)); });
    const QStringList paths{folder(), rankPath(folder(), 1), folder() + QStringLiteral("/index.lpindex")};
    for (const QString& path : paths) {
        const Importer* const importer = importerFor(path);
        QVERIFY(importer);
        QCOMPARE(importer->id, "recording");
        Opened opened(path);
        QVERIFY(opened.source);
        QCOMPARE(opened.source->names().ranks, 2u);
        QCOMPARE(*importer->fingerprint(path, FingerprintOf::Content), opened.source->names().info.fingerprint);
    }
    const Opened opened(folder());
    const TraceInfo& info = opened.source->names().info;
    QCOMPARE(info.format, QString(recordingFormat));
    QCOMPARE(info.program, QFileInfo(QFile::symLinkTarget(QStringLiteral("/proc/self/exe"))).fileName());
    QVERIFY(info.commandline.contains(QStringLiteral("tst_recordingruns")));
    QVERIFY(!info.hostname.isEmpty());
    QVERIFY(info.sourceBytes > 8192);
}

void TestRecordingRuns::importsAProgram()
{
    constexpr int steps = 700;
    constexpr int ranks = 6;
    record(ranks,
           [](int rank) {
               putCall(madeCall(LP_Init, -2000, -1000));
               HaloExchange program(rank, ranks);
               for (int i = 0; i < steps; ++i) program.step();
               putCall(madeCall(LP_Finalize, steps * stepLength, steps * stepLength + 1000));
           },
           {{"BUFFER", "64K"}});
    const QString target = m_folder->filePath(QStringLiteral("run.longpole"));
    const Importer* const importer = importerFor(folder());
    QVERIFY(importer);
    const Result<ImportReport> report = importer->import(folder(), target, {}, Progress{});
    QVERIFY2(report.ok(), report.ok() ? "" : qPrintable(toText(report.error())));
    QVERIFY2(report->issues.empty(), report->issues.empty() ? "" : qPrintable(report->issues[0].kind));
    const auto trace = TraceStore::open(target);
    QVERIFY(trace.ok());
    const TraceInfo& info = (*trace)->info();
    QCOMPARE(info.processors, std::int64_t{ranks});
    QCOMPARE(info.messages, std::int64_t{4 * steps * ranks});
    QCOMPARE(info.messagesMatched, info.messages);
    QCOMPARE(info.begin, TimeNs{-1000});
}

void TestRecordingRuns::readsSettings_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("variable");
    QTest::addColumn<QByteArray>("settings");  // threshold compression clock summary buffer stack output calls
    QTest::addColumn<QStringList>("complaints");
    const QByteArray usual = "0 1 0 0 262144 32  ";
    QTest::newRow("nothing") << QByteArray() << QByteArray("PATH=/bin") << usual << QStringList();
    QTest::newRow("file") << QByteArray(
        "# all\n threshold = 1.5 us # short\ncompression=max\r\n\nclock = barrier\n"
        "summary = on\nbuffer=1M\nstack = 8\noutput = a b.lprec\ncalls = c.csv\n")
                          << QByteArray("A=b") << QByteArray("1500 2 2 1 1048576 8 a b.lprec c.csv") << QStringList();
    QTest::newRow("the variable wins") << QByteArray("threshold = 1ms\n") << QByteArray("LONGPOLE_THRESHOLD=2s")
                                       << QByteArray("2000000000 1 0 0 262144 32  ") << QStringList();
    QTest::newRow("unknown key")
        << QByteArray("treshold = 1ms\n") << QByteArray("LONGPOLE_CONFIG=x") << usual
        << QStringList{QStringLiteral("LONGPOLE_CONFIG, line 1: there is no setting \"treshold\"; ignored")};
    QTest::newRow("stacks too deep")
        << QByteArray() << QByteArray("LONGPOLE_STACK=129") << usual
        << QStringList{QStringLiteral("LONGPOLE_STACK: stack = 129 is not a number of frames from 0 to 128; ignored")};
    QTest::newRow("bad value")
        << QByteArray("\nclock = sundial") << QByteArray("LONGPOLE_BUFFER=3") << usual
        << QStringList{QStringLiteral("LONGPOLE_CONFIG, line 2: clock = sundial is not auto, rtt, barrier or "
                                      "none; ignored"),
                       QStringLiteral("LONGPOLE_BUFFER: buffer = 3 is not a size from 64K to "
                                      "64M; ignored")};
}

static QStringList* heard = nullptr;

void TestRecordingRuns::readsSettings()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, variable);
    QFETCH(QByteArray, settings);
    QStringList said;
    heard = &said;
    struct lp_config config;
    const char* const variables[] = {variable.constData(), nullptr};
    lp_parse_config(&config, file.constData(), variables, [](const char* line) { *heard << QString::fromUtf8(line); });
    QByteArray text = QByteArray::number(qlonglong(config.threshold));
    for (const qint64 value : {qint64(config.compression), qint64(config.clock), qint64(config.summary),
                               qint64(config.buffer), qint64(config.stack)})
        text += ' ' + QByteArray::number(value);
    text += " " + QByteArray(config.output) + " " + QByteArray(config.calls);
    QCOMPARE(text, settings);
    QFETCH(QStringList, complaints);
    QCOMPARE(said, complaints);
}

LONGPOLE_TEST(TestRecordingRuns)
#include "tst_recordingruns.moc"
