// SPDX-License-Identifier: GPL-3.0-or-later
// longpole-mpi analyze, started by the mpirun of each MPI, says byte for byte what longpole says of the import; and
// what happens when files, folders or processes are lost.
#include "app/processes/answers.h"
#include "app/program.h"
#include "distributed/mpirun.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <vector>

#include <unistd.h>

using namespace longpole::test;
using namespace longpole::tests;
using longpole::contentOf;

class TestMpiAnalyze : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // `harm`: what was done to rank 1's file before.
    void saysWhatCommandsSay_data()
    {
        QTest::addColumn<QString>("mpi");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("processes");
        QTest::addColumn<QString>("harm");
        const struct {
            int ranks;
            int processes;
            const char* harm;
        } runs[] = {{7, 1, ""}, {7, 2, ""}, {7, 3, ""}, {7, 4, ""}, {2, 4, ""}, {7, 3, "lost"}, {7, 2, "cut"}};
        for (const QString& mpi : MpiRuns::mpis())
            for (const auto& [ranks, processes, harm] : runs)
                QTest::addRow("%s, %d ranks, %d processes%s%s", qPrintable(mpi), ranks, processes,
                              *harm ? ", one file " : "", harm)
                    << mpi << ranks << processes << QString::fromUtf8(harm);
    }
    void saysWhatCommandsSay()
    {
        QFETCH(QString, mpi);
        QFETCH(int, ranks);
        QFETCH(int, processes);
        QFETCH(QString, harm);
        if (const QString missing = MpiRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
        const QTemporaryDir folder;
        const QString run = m_folder.filePath(QStringLiteral("%1%2.lprec").arg(ranks).arg(harm));
        if (!QFile::exists(run)) {
            QVERIFY(make(run, ranks, 2000));
            QFile file(run + QStringLiteral("/rank-000001.lprank"));
            if (harm == QLatin1String("lost")) QVERIFY(file.remove());
            if (harm == QLatin1String("cut")) QVERIFY(file.resize(file.size() * 2 / 3));
        }

        const QString answers = folder.filePath(QStringLiteral("answers"));
        const QString scratch = folder.filePath(QStringLiteral("scratch"));
        const QString trace = folder.filePath(QStringLiteral("run.longpole"));
        QVERIFY(QDir().mkpath(scratch));
        const MpiSaid said = MpiRuns::run(mpi, processes,
                                          {QStringLiteral("analyze"), run, QStringLiteral("--answers"), answers,
                                           QStringLiteral("-o"), trace, QStringLiteral("--scratch"), scratch});
        QVERIFY2(said.code == 0, qPrintable(said.out + said.error));
        QCOMPARE(said.out.count(QLatin1String("Work path")), 1);
        QCOMPARE(said.out.contains(QLatin1String("nothing was skipped")), harm.isEmpty());
        QVERIFY(QDir(scratch).isEmpty());
        compare(run, answerFiles(), answers, trace);
    }

    // A folder of Charm++ logs.
    void saysOfLogs_data()
    {
        QTest::addColumn<QString>("mpi");
        QTest::addColumn<QString>("run");
        QTest::addColumn<int>("processes");
        for (const QString& mpi : MpiRuns::mpis()) {
            QTest::addRow("%s, wrong keys", qPrintable(mpi)) << mpi << QStringLiteral("jacobi2d_sdag_p4") << 3;
            QTest::addRow("%s, a killed run", qPrintable(mpi)) << mpi << QStringLiteral("wave2d_killed_p3") << 4;
        }
    }
    void saysOfLogs()
    {
        QFETCH(QString, mpi);
        QFETCH(QString, run);
        QFETCH(int, processes);
        if (const QString missing = MpiRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
        const QTemporaryDir folder;
        const QString logs = QStringLiteral(LONGPOLE_TEST_DATA "/") + run;
        const QString answers = folder.filePath(QStringLiteral("answers"));
        const QString trace = folder.filePath(QStringLiteral("run.longpole"));
        const MpiSaid said = MpiRuns::run(mpi, processes,
                                          {QStringLiteral("analyze"), logs, QStringLiteral("--answers"), answers,
                                           QStringLiteral("-o"), trace});
        QVERIFY2(said.code == 0, qPrintable(said.out + said.error));
        compare(logs, folderAnswerFiles(), answers, trace);
    }

    // One error, by one process, and the end of all.
    void refuses_data()
    {
        QTest::addColumn<QString>("mpi");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("error");
        const QStringList noFolder{QStringLiteral(LONGPOLE_TEST_DATA "/stencil3d_summary_p4")};
        for (const QString& mpi : MpiRuns::mpis()) {
            QTest::addRow("%s, no recording", qPrintable(mpi))
                << mpi << noFolder << QStringLiteral("There is no recording here");
            QTest::addRow("%s, no place for parts", qPrintable(mpi))
                << mpi << QStringList{m_run, QStringLiteral("--scratch"), QStringLiteral("/nowhere/scratch")}
                << QStringLiteral("A temporary file could not be made");
            QTest::addRow("%s, no place for answers", qPrintable(mpi))
                << mpi << QStringList{m_run, QStringLiteral("--answers"), QStringLiteral("/dev/null/answers")}
                << QStringLiteral("The folder cannot be made");
            QTest::addRow("%s, an option of threads", qPrintable(mpi))
                << mpi << QStringList{m_run, QStringLiteral("--processes"), QStringLiteral("4")}
                << QStringLiteral("mpirun says how many processes");
            QTest::addRow("%s, no run", qPrintable(mpi))
                << mpi << QStringList() << QStringLiteral("analyze needs a trace");
        }
    }
    void refuses()
    {
        QFETCH(QString, mpi);
        QFETCH(QStringList, arguments);
        QFETCH(QString, error);
        if (const QString missing = MpiRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
        if (arguments.value(0) == m_run) QVERIFY(make(m_run, 4, 500));
        const MpiSaid said = MpiRuns::run(mpi, 3, QStringList{QStringLiteral("analyze")} + arguments);
        QVERIFY(said.code > 0);
        QVERIFY2(said.error.contains(error), qPrintable(said.error));
        QCOMPARE(said.error.count(QLatin1String("longpole-mpi: "))
                     + said.error.count(QLatin1String("longpole-mpi analyze: ")),
                 1);
        QCOMPARE(said.out.count(QLatin1String("Work path")), 0);
    }

    // In the middle of its work: the others end within seconds, and nothing says that it went well.
    void killedProcess_data()
    {
        QTest::addColumn<QString>("mpi");
        QTest::addColumn<int>("victim");
        for (const QString& mpi : MpiRuns::mpis())
            for (const int victim : {0, 2}) QTest::addRow("%s, %d", qPrintable(mpi), victim) << mpi << victim;
    }
    void killedProcess()
    {
        QFETCH(QString, mpi);
        QFETCH(int, victim);
        if (const QString missing = MpiRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
        const QTemporaryDir folder;
        const QString run = folder.filePath(QStringLiteral("run.lprec"));
        QVERIFY(make(run, 4, 100'000));
        QProcess process;
        const QList<qint64> children = startedInTheMiddle(process, mpi, run, folder);
        QCOMPARE(children.size(), 3);
        QCOMPARE(::kill(static_cast<pid_t>(children[victim]), SIGKILL), 0);
        QElapsedTimer timer;
        timer.start();
        const MpiSaid said = MpiRuns::finish(process, 60'000);
        QVERIFY(said.code > 0);
        QVERIFY2(timer.elapsed() < 20'000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(said.out.count(QLatin1String("Work path")), 0);
        QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("answers/waits.json"))));
        QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("run.longpole"))));
        QTRY_VERIFY(MpiRuns::children(process.processId()).isEmpty());
    }

    // One process is told to end, or the launcher: all of them do within seconds, and leave nothing behind.
    void endedProcess_data()
    {
        QTest::addColumn<QString>("mpi");
        QTest::addColumn<int>("victim");
        for (const QString& mpi : MpiRuns::mpis()) {
            for (const int victim : {0, 2}) QTest::addRow("%s, %d", qPrintable(mpi), victim) << mpi << victim;
            QTest::addRow("%s, all", qPrintable(mpi)) << mpi << -1;
        }
    }
    void endedProcess()
    {
        QFETCH(QString, mpi);
        QFETCH(int, victim);
        if (const QString missing = MpiRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
        const QTemporaryDir folder;
        const QString run = folder.filePath(QStringLiteral("run.lprec"));
        QVERIFY(make(run, 4, 100'000));
        QProcess process;
        const QList<qint64> children = startedInTheMiddle(process, mpi, run, folder);
        QCOMPARE(children.size(), 3);
        for (int i = 0; i < 3; ++i)
            if (victim < 0 || victim == i) QCOMPARE(::kill(static_cast<pid_t>(children[i]), SIGTERM), 0);
        QElapsedTimer timer;
        timer.start();
        const MpiSaid said = MpiRuns::finish(process, 60'000);
        QVERIFY2(timer.elapsed() < 30'000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(said.code, 128 + SIGTERM);
        QCOMPARE(said.error.count(QLatin1String("interrupted")), 1);
        QCOMPARE(said.out.count(QLatin1String("Work path")), 0);
        QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("answers/waits.json"))));
        QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("run.longpole"))));
        QCOMPARE(partsIn(folder), 0);
        QTRY_VERIFY(MpiRuns::children(process.processId()).isEmpty());
    }

    // What is too much for one process, four can.
    void memory_data()
    {
        QTest::addColumn<QString>("mpi");
        for (const QString& mpi : MpiRuns::mpis()) QTest::addRow("%s", qPrintable(mpi)) << mpi;
    }
    void memory()
    {
        QFETCH(QString, mpi);
        if (const QString missing = MpiRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("sanitizers have no limit of memory");
#endif
        const QTemporaryDir folder;
        const QString run = folder.filePath(QStringLiteral("run.lprec"));
        QVERIFY(make(run, 8, 50'000));
        const QStringList call{QStringLiteral("analyze"),   run,
                               QStringLiteral("--scratch"), folder.path(),
                               QStringLiteral("--memory"),  QStringLiteral("130M")};
        const MpiSaid refused = MpiRuns::run(mpi, 1, call);
        QCOMPARE(refused.code, 3);
        QVERIFY2(refused.error.contains(QLatin1String("more memory")), qPrintable(refused.error));
        QCOMPARE(partsIn(folder), 0);
        const MpiSaid said = MpiRuns::run(mpi, 4, call);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        QCOMPARE(said.out.count(QLatin1String("Work path")), 1);
    }

private:
    // What the commands say of a run, asked once however many processes analyze it, and its import.
    struct Known {
        QString imported;
        std::vector<Said> said;  // of each answer's command
    };

    void compare(const QString& run, const std::vector<AnswerFile>& files, const QString& answers, const QString& trace)
    {
        Known& known = m_known[run];
        if (known.imported.isEmpty()) {
            const Program program(m_folder.filePath(QStringLiteral("cache")));
            known.imported = m_folder.filePath(QStringLiteral("%1.longpole").arg(m_known.size()));
            QCOMPARE(program({QStringLiteral("import"), run, QStringLiteral("-o"), known.imported}).code, 0);
            for (const AnswerFile& answer : files) known.said.push_back(program(answer.call(run)));
        }
        QVERIFY(contentOf(trace) == contentOf(known.imported));
        for (std::size_t i = 0; i < files.size(); ++i) {
            QCOMPARE(known.said[i].code, 0);
            QFile written(answers + QLatin1Char('/') + files[i].name);
            QVERIFY(written.open(QIODevice::ReadOnly));
            QCOMPARE(difference(QString::fromUtf8(written.readAll()), withoutInterruptions(known.said[i].out)),
                     QString());
        }
    }

    static qsizetype partsIn(const QTemporaryDir& folder)
    {
        return QDir(folder.path())
            .entryList({QStringLiteral("longpole-*"), QStringLiteral(".longpole-*")}, QDir::AllEntries | QDir::Hidden)
            .size();
    }

    // Whether the process has a file open in the folder that has no name there.
    static bool hasPart(qint64 process, const QTemporaryDir& folder)
    {
        const QDir open(QStringLiteral("/proc/%1/fd").arg(process));
        for (const QString& descriptor : open.entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot)) {
            std::array<char, 4096> target{};
            const QByteArray link = QFile::encodeName(open.filePath(descriptor));
            const ssize_t size = ::readlink(link.constData(), target.data(), target.size());
            const QString file = QFile::decodeName(QByteArray(target.data(), std::max<ssize_t>(size, 0)));
            if (file.startsWith(folder.path()) && file.endsWith(QLatin1String(" (deleted)"))) return true;
        }
        return false;
    }

    // Starts three processes that analyze, with their parts and answers in the folder; their ids in order when each has
    // made the file of its part: it does once it knows its ranks, and from there on reads and talks.
    static QList<qint64> startedInTheMiddle(QProcess& process, const QString& mpi, const QString& run,
                                            const QTemporaryDir& folder)
    {
        MpiRuns::start(process, mpi, 3,
                       {QStringLiteral("analyze"), run, QStringLiteral("--answers"),
                        folder.filePath(QStringLiteral("answers")), QStringLiteral("-o"),
                        folder.filePath(QStringLiteral("run.longpole")), QStringLiteral("--scratch"), folder.path()});
        if (!process.waitForStarted()) return {};
        QElapsedTimer timer;
        timer.start();
        QList<qint64> children;
        const auto areInTheMiddle = [&] {
            children = MpiRuns::children(process.processId());
            return children.size() == 3 && std::all_of(children.begin(), children.end(), [&](qint64 child) {
                       return hasPart(child, folder);
                   });
        };
        while (!areInTheMiddle() && process.state() == QProcess::Running && timer.elapsed() < 60'000) QTest::qWait(10);
        std::sort(children.begin(), children.end());
        return children;
    }

    // Ranks that exchange halos and meet.
    static bool make(const QString& folder, int ranks, int steps)
    {
        return QFile::exists(folder)
               || QProcess::execute(QStringLiteral(LONGPOLE_MAKE_RECORDING),
                                    {folder, QString::number(ranks), QString::number(steps)})
                      == 0;
    }

    QTemporaryDir m_folder;
    std::map<QString, Known> m_known;
    QString m_run = m_folder.filePath(QStringLiteral("run.lprec"));
};

LONGPOLE_TEST(TestMpiAnalyze)
#include "tst_mpianalyze.moc"
