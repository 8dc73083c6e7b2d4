// SPDX-License-Identifier: GPL-3.0-or-later
// One open trace at a time: loading, cancelling, replacing and failing, and the path that is asked for last.
#include "app/gui/session/session.h"

#include "app/smalltrace.h"

#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

namespace {

// A Projections run of one PE whose import takes long enough to be interrupted.
void writeLongRun(const QString& folder)
{
    QFile sts(folder + QStringLiteral("/long.sts"));
    QVERIFY(sts.open(QIODevice::WriteOnly));
    sts.write(
        "PROJECTIONS_ID \nVERSION 11.0\nTOTAL_PHASES 1\nMACHINE \"test\"\nPROCESSORS 1\nSMPMODE 1 1\n"
        "USERNAME \"user\"\nHOSTNAME \"host\"\nCOMMANDLINE \"./long\"\nTIMESTAMP 2026-11-20T10:00:00Z\n"
        "CHARMVERSION v8\nTOTAL_CHARES 1\nTOTAL_EPS 1\nTOTAL_MSGS 0\nTOTAL_PSEUDOS 0\nTOTAL_EVENTS 0\n"
        "CHARE 0 \"Main\" -1\nENTRY CHARE 0 \"run()\" 0 0\nTOTAL_STATS 0\nEND\n");
    QFile log(folder + QStringLiteral("/long.0.log"));
    QVERIFY(log.open(QIODevice::WriteOnly));
    log.write("PROJECTIONS-RECORD 0\n6 0\n");
    QByteArray block;
    qint64 time = 100;
    for (int i = 0; i < 400'000; ++i) {
        const QByteArray event = QByteArray::number(i);
        block += "2 18 0 " + QByteArray::number(time) + ' ' + event + " 0 80 0 0 0 0 0 0\n";
        block += "3 18 0 " + QByteArray::number(time + 4) + ' ' + event + " 0 80 0\n";
        time += 5;
        if (block.size() > 1'000'000) {
            log.write(block);
            block.clear();
        }
    }
    log.write(block + "7 " + QByteArray::number(time) + "\n");
}

}  // namespace

class SessionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        m_small = m_folder.filePath(QStringLiteral("small.longpole"));
        QVERIFY(writeHostileTrace(m_small).ok());
        QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("long")));
        m_long = m_folder.filePath(QStringLiteral("long"));
        writeLongRun(m_long);
    }
    void init()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        // Every test imports anew.
        m_cache = std::make_unique<QTemporaryDir>();
        qputenv("XDG_CACHE_HOME", m_cache->path().toLocal8Bit());
        qputenv("XDG_DATA_HOME", m_cache->path().toLocal8Bit() + "/data");
    }

    void opensAndFindsThePath()
    {
        Session session;
        bool frameBeforePath = false;
        connect(&session, &Session::opened, &session,
                [&] { frameBeforePath = !session.view()->path() && !session.isLoadingGraph(); });
        session.open(m_small);
        QTRY_VERIFY(session.view());
        QVERIFY(frameBeforePath);
        QTRY_VERIFY(session.view()->path());
        QCOMPARE(session.view()->path()->length, 8 * us);
        QCOMPARE(session.view()->path()->mode, PathMode::Work);
    }

    void modesAndEdges_data()
    {
        QTest::addColumn<int>("mode");
        QTest::addColumn<int>("edges");
        QTest::addColumn<bool>("toTask");
        QTest::addColumn<qlonglong>("length");
        // smalltrace.h draws the run: 2 us of 0:0 and 6 us of 1:0; 0:1 follows the whole of 0:0 on its PE.
        QTest::newRow("work, messages") << int(PathMode::Work) << int(EdgeLevel::Messages) << false << 8'000ll;
        QTest::newRow("work, merges") << int(PathMode::Work) << int(EdgeLevel::Merges) << false << 8'000ll;
        QTest::newRow("work, order") << int(PathMode::Work) << int(EdgeLevel::Order) << false << 8'000ll;
        QTest::newRow("elapsed is the duration")
            << int(PathMode::Elapsed) << int(EdgeLevel::Order) << false << 10'000ll;
        QTest::newRow("to 0:1, messages") << int(PathMode::Work) << int(EdgeLevel::Messages) << true << 3'000ll;
        QTest::newRow("to 0:1, order") << int(PathMode::Work) << int(EdgeLevel::Order) << true << 7'000ll;
    }
    void modesAndEdges()
    {
        QFETCH(int, mode);
        QFETCH(int, edges);
        QFETCH(bool, toTask);
        Session session;
        session.open(m_small);
        QTRY_VERIFY(session.view() && session.view()->path());
        session.setMode(static_cast<PathMode>(mode));
        session.setEdges(static_cast<EdgeLevel>(edges));
        if (toTask) session.setTarget(TaskId{ProcessorId{0}, 1});
        QTRY_VERIFY(!session.isComputingPath());
        QTEST(qlonglong(session.view()->path()->length), "length");
    }

    void whatWasAskedBeforeIsThereAtOnce()
    {
        Session session;
        session.open(m_small);
        QTRY_VERIFY(session.view() && session.view()->path());
        const auto order = session.view()->path();
        QCOMPARE(session.countedPath()->path, order);
        QCOMPARE(session.countedPath()->tasks, std::int64_t{2});
        QCOMPARE(session.countedPath()->processors, std::int64_t{2});
        session.setEdges(EdgeLevel::Messages);
        QTRY_VERIFY(!session.isComputingPath());
        session.setEdges(EdgeLevel::Order);
        QVERIFY(!session.isComputingPath());
        QCOMPARE(session.view()->path(), order);
        const Results& results = *session.view()->results();
        QCOMPARE(results.computed<GraphQuestion>(), 1);
        QCOMPARE(results.computed<HeadsQuestion>(), 1);  // of order; a whole path at another level keeps none
        session.close();
        QVERIFY(!session.countedPath());
    }

    void newestRequestWins()
    {
        Session session;
        session.open(m_small);
        QTRY_VERIFY(session.view() && session.view()->path());
        QSignalSpy changed(session.view(), &ViewState::pathChanged);
        for (int i = 0; i < 20; ++i) {
            session.setTarget(TaskId{ProcessorId{0}, 1});
            session.setTarget(TaskId{ProcessorId{1}, 0});
        }
        session.setTarget(TaskId{ProcessorId{0}, 0});
        QTRY_VERIFY(!session.isComputingPath());
        QCOMPARE(session.view()->path()->to, (TaskId{ProcessorId{0}, 0}));
        QCOMPARE(session.view()->path()->length, 4 * us);
        QVERIFY(changed.size() < 5);  // stale ones were dropped
    }

    void pathOfARange()
    {
        Session session;
        session.open(m_small);
        QTRY_VERIFY(session.view() && session.view()->path());
        // Marking asks for nothing.
        const TimeRange middle{smallZero + 1 * us, smallZero + 7 * us};
        session.view()->setMarked(middle);
        QTest::qWait(200);
        QVERIFY(session.question().range.isEmpty());
        // From 1 to 2 us in 0:0, and of 1:0 what lies before 7 us.
        session.setRange(middle);
        QTRY_VERIFY(!session.isComputingPath());
        QCOMPARE(session.view()->path()->length, 5 * us);
        QCOMPARE(session.view()->path()->duration, 6 * us);
        // From then on it follows the mark; a mark that goes leaves it.
        session.view()->setMarked({smallZero + 4 * us, smallZero + 7 * us});
        QTRY_COMPARE(session.view()->path()->duration, 3 * us);
        QCOMPARE(session.view()->path()->length, 3 * us);
        session.view()->setMarked({});
        QTest::qWait(200);
        QCOMPARE(session.view()->path()->duration, 3 * us);
        // The elapsed path of a range is as long as the range.
        session.setMode(PathMode::Elapsed);
        QTRY_COMPARE(session.view()->path()->length, 3 * us);
        session.askWholeRun();
        QTRY_COMPARE(session.view()->path()->length, 10 * us);
    }

    void aTaskOutsideTheRangeMeansTheWholePath()
    {
        Session session;
        session.open(m_small);
        QTRY_VERIFY(session.view() && session.view()->path());
        const TimeRange end{smallZero + 5 * us, smallZero + 10 * us};
        session.setRange(end);
        session.setTarget(TaskId{ProcessorId{1}, 0});
        QCOMPARE(session.question().range, end);
        QTRY_VERIFY(!session.isComputingPath());
        QCOMPARE(session.view()->path()->length, 4 * us);
        session.setTarget(TaskId{ProcessorId{0}, 0});  // ends before the range begins
        QVERIFY(session.question().range.isEmpty());
        QTRY_COMPARE(session.view()->path()->to, (TaskId{ProcessorId{0}, 0}));
        QCOMPARE(session.view()->path()->length, 4 * us);
        QCOMPARE(session.view()->path()->duration, 10 * us);
    }

    void closeWhileThePathOfARangeIsComputed()
    {
        Session session;
        session.open(m_small);
        QTRY_VERIFY(session.view() && session.view()->path());
        session.view()->setMarked({smallZero, smallZero + 5 * us});
        session.setRange({smallZero, smallZero + 5 * us});
        session.close();
        QVERIFY(session.question().range.isEmpty());
        QTest::qWait(200);
        QVERIFY(!session.view());
    }

    void clickAsksForThePathAJumpDoesNot()
    {
        Session session;
        session.open(m_small);
        QTRY_VERIFY(session.view() && session.view()->path());
        session.view()->reveal(Selection{.task = TaskId{ProcessorId{0}, 1}, .message = {}});
        QCoreApplication::processEvents();
        QVERIFY(!session.question().to);
        session.view()->select(Selection{.task = TaskId{ProcessorId{1}, 0}, .message = {}});
        QTRY_VERIFY(session.question().to.has_value());
        QCOMPARE(*session.question().to, (TaskId{ProcessorId{1}, 0}));
    }

    void brokenFiles_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("empty") << QStringLiteral("broken.longpole") << QByteArray();
        QTest::newRow("no database") << QStringLiteral("broken.longpole") << QByteArray(5000, 'x');
        QTest::newRow("unknown kind") << QStringLiteral("broken.xyz") << QByteArray("hello");
        QTest::newRow("missing") << QString() << QByteArray();
    }
    void brokenFiles()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        const QTemporaryDir folder;
        const QString path = folder.filePath(name.isEmpty() ? QStringLiteral("missing.longpole") : name);
        if (!name.isEmpty()) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(content);
        }
        Session session;
        session.open(m_small);
        QTRY_VERIFY(session.view());
        const ViewState* before = session.view();
        QSignalSpy failed(&session, &Session::openingFailed);
        session.open(path);
        QTRY_COMPARE(failed.size(), 1);
        const auto error = failed[0][0].value<Error>();
        QVERIFY(!error.what.isEmpty());
        // The file is named once: in the sentence, or as the place.
        const QString said = error.what % u' ' % error.where;
        QVERIFY2(said.contains(QFileInfo(path).fileName()), qPrintable(said));
        QCOMPARE(session.view(), before);  // the trace that was open stays
        QVERIFY(!session.isOpening());
    }

    void secondFileWhileTheFirstLoads()
    {
        Session session;
        QSignalSpy opened(&session, &Session::opened);
        QSignalSpy failed(&session, &Session::openingFailed);
        session.open(m_long);
        session.open(m_small);
        QCOMPARE(session.openingPath(), m_small);
        QTRY_COMPARE(opened.size(), 1);
        QCOMPARE(session.path(), m_small);
        QCOMPARE(session.view()->store().path(), m_small);
        QTRY_VERIFY(session.view()->path());
        QCOMPARE(opened.size(), 1);
        QCOMPARE(failed.size(), 0);
    }

    void cancelWhileLoading()
    {
        Session session;
        QSignalSpy opened(&session, &Session::opened);
        QSignalSpy ended(&session, &Session::openingEnded);
        session.open(m_long);
        QTRY_VERIFY(session.openingFraction() > 0.0);
        session.cancelOpening();
        QCOMPARE(ended.size(), 1);
        QVERIFY(!session.isOpening());
        session.open(m_small);  // works at once again
        QTRY_COMPARE(opened.size(), 1);
        QCOMPARE(session.path(), m_small);
        QVERIFY(noTraces());
    }

    void closeWhileLoading()
    {
        QElapsedTimer clock;
        {
            Session session;
            session.open(m_long);
            QTRY_VERIFY(session.openingFraction() > 0.0);
            clock.start();
        }
        QVERIFY2(clock.elapsed() < 2000, qPrintable(QString::number(clock.elapsed())));
        QVERIFY(noTraces());
    }

    void closeWhileThePathIsComputed()
    {
        Session session;
        QSignalSpy opened(&session, &Session::opened);
        session.open(m_small);
        QTRY_COMPARE(opened.size(), 1);
        session.close();
        QVERIFY(!session.view());
        QTest::qWait(50);
        QVERIFY(!session.view());
    }

private:
    // Nothing finished and nothing half-written lies in the cache.
    bool noTraces() const
    {
        return QDir(m_cache->path() + QStringLiteral("/longpole"))
            .entryList({QStringLiteral("*.longpole"), QStringLiteral("*.part-*")}, QDir::Files)
            .isEmpty();
    }

    QTemporaryDir m_folder;
    std::unique_ptr<QTemporaryDir> m_cache;
    QString m_small;
    QString m_long;
};

LONGPOLE_GUI_TEST(SessionTest)
#include "tst_gui_session.moc"
