// SPDX-License-Identifier: GPL-3.0-or-later
// longpole analyze says of a folder of Charm++ logs, byte for byte, what the other commands say of its import, whatever
// the number of processes; its traces of the whole run and of parts of it; and what these answer.
#include "app/processes/answers.h"
#include "app/processes/keptrows.h"
#include "app/program.h"

#include "core/hostilestore.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <vector>

using namespace longpole;
using namespace longpole::test;

class TestAnalyzeFolder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // What is not given is not written: no folder has waits.
    void saysWhatCommandsSay_data()
    {
        QTest::addColumn<QString>("run");
        const QDir data(QStringLiteral(LONGPOLE_TEST_DATA));
        for (const QString& name : data.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            if (name == QLatin1String("otf2") || name.contains(QLatin1String("summary"))) continue;
            QTest::addRow("%s", qPrintable(name)) << data.filePath(name);
        }
    }
    void saysWhatCommandsSay()
    {
        QFETCH(QString, run);
        const QTemporaryDir folder;
        const QString imported = folder.filePath(QStringLiteral("imported.longpole"));
        QCOMPARE(m_program({QStringLiteral("import"), run, QStringLiteral("-o"), imported}).code, 0);
        std::vector<std::pair<QString, Said>> wanted;
        for (const AnswerFile& answer : folderAnswerFiles())
            wanted.emplace_back(answer.name, m_program(answer.call(run)));
        const QString text = m_program({QStringLiteral("advise"), run}).out;
        for (const int processes : {1, 2, 3, 4}) {
            const QString answers = folder.filePath(QStringLiteral("answers%1").arg(processes));
            const QString trace = folder.filePath(QStringLiteral("together.longpole"));
            const Said said = m_program({QStringLiteral("analyze"), run, QStringLiteral("--processes"),
                                         QString::number(processes), QStringLiteral("--answers"), answers,
                                         QStringLiteral("-o"), trace});
            QCOMPARE(said.error, QString());
            QCOMPARE(said.code, 0);
            QVERIFY(said.out.endsWith(text));
            QVERIFY(!said.out.contains(QRegularExpression(QStringLiteral("\\branks?\\b"))));
            QVERIFY(contentOf(trace) == contentOf(imported));
            QStringList written = QDir(answers).entryList(QDir::Files);
            QVERIFY(written.removeOne(QStringLiteral("answers.json")));
            for (const auto& [name, one] : wanted) {
                QCOMPARE(one.code, 0);
                QFile file(answers + QLatin1Char('/') + name);
                QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(name));
                QCOMPARE(QString::fromUtf8(file.readAll()), withoutInterruptions(one.out));
                written.removeOne(name);
            }
            QCOMPARE(written, QStringList());
        }
    }

    // A trace of parts: the same for any number of processes, with rows of the whole one, all where it says so.
    void keepsParts_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("options");
        QTest::newRow("near the path") << QStringLiteral("jacobi2d_sdag_p4")
                                       << QStringList{QStringLiteral("--keep"), QStringLiteral("60K")};
        QTest::newRow("nothing") << QStringLiteral("nqueen_p4")
                                 << QStringList{QStringLiteral("--keep"), QStringLiteral("0")};
        QTest::newRow("a PE") << QStringLiteral("features_p4")
                              << QStringList{QStringLiteral("--keep-ranks"), QStringLiteral("2"),
                                             QStringLiteral("--keep"), QStringLiteral("10K")};
        QTest::newRow("a range, with logs missing")
            << QStringLiteral("wave2d_killed_p3")
            << QStringList{QStringLiteral("--keep-range"), QStringLiteral("20ms..40ms"), QStringLiteral("--keep"),
                           QStringLiteral("60K")};
    }
    void keepsParts()
    {
        QFETCH(QString, name);
        QFETCH(QStringList, options);
        const QString run = QStringLiteral(LONGPOLE_TEST_DATA "/") + name;
        const QTemporaryDir folder;
        const QString trace = folder.filePath(QStringLiteral("kept.longpole"));
        QByteArray before;
        for (const int processes : {1, 2, 3, 4}) {
            const Said said = m_program(QStringList{QStringLiteral("analyze"), run, QStringLiteral("-o"), trace,
                                                    QStringLiteral("--processes"), QString::number(processes)}
                                        + options);
            QCOMPARE(said.error, QString());
            QCOMPARE(said.code, 0);
            if (processes > 1) QVERIFY(contentOf(trace) == before);
            before = contentOf(trace);
        }
        const QString imported = folder.filePath(QStringLiteral("imported.longpole"));
        QCOMPARE(m_program({QStringLiteral("import"), run, QStringLiteral("-o"), imported}).code, 0);
        const auto kept = TraceStore::open(trace);
        QVERIFY2(kept.ok(), kept ? "" : qPrintable(kept.error().what));
        const auto whole = TraceStore::open(imported);
        QVERIFY(whole.ok());
        QVERIFY((*kept)->info().isPart());
        compareRows(**kept, **whole);
    }

    // Whatever is asked of a trace of parts: the answer is that of the whole trace, or there is none.
    void partsAnswerAsTheWhole_data()
    {
        QTest::addColumn<QStringList>("call");
        QTest::addColumn<bool>("answers");
        const auto row = [](const char* call, bool answers) {
            QTest::newRow(call) << QString::fromUtf8(call).split(QLatin1Char(' ')) << answers;
        };
        for (const char* call :
             {"info --csv", "efficiency", "efficiency --json", "critical-path --json",
              "critical-path --edges merges --json", "critical-path --mode elapsed",
              "critical-path --mode elapsed --json", "zeroing", "zeroing --json", "slack --limit 100 --json",
              "near-critical", "near-critical --json", "phases", "phases --json", "phases --csv", "profile",
              "profile --json", "profile --by chare", "profile --by pe --csv"})
            row(call, true);
        for (const char* call :
             {"advise", "tree", "parallelism", "usage", "replay", "phases --edges order", "phases --k 3",
              "phases --keep-runs", "critical-path --edges messages", "critical-path --mode sweep",
              "profile --by object", "zeroing --edges merges", "comm-matrix", "graph"})
            row(call, false);
    }
    void partsAnswerAsTheWhole()
    {
        QFETCH(QStringList, call);
        QFETCH(bool, answers);
        call.insert(1, partly());
        const Said said = m_program(call);
        call[1] = whole();
        comparePartAndWhole(said, m_program(call), answers);
    }

    void pathOverMerges()
    {
        const auto said = [this](const QString& trace) {
            return m_program({QStringLiteral("critical-path"), trace, QStringLiteral("--edges"),
                              QStringLiteral("merges")});
        };
        comparePathsOverMerges(said(partly()), said(whole()));
    }

    // Answers with right checksums that no run can have.
    void hostileAnswersAreRefused_data()
    {
        QTest::addColumn<QByteArray>("sql");
        QTest::addColumn<QString>("command");
        const auto row = [](const char* sql, const char* command) {
            QTest::newRow(sql) << QByteArray(sql) << QString::fromUtf8(command);
        };
        row("UPDATE result_merged_step SET pe = 99 WHERE rowid = 1", "phases");
        row("UPDATE result_merged_step SET end_ns = end_ns + 1 WHERE rowid = 1", "phases");
        row("DELETE FROM result_merged_profile WHERE rowid = 1", "phases");
        row("UPDATE result_phase_round SET phase = 0", "phases");
        row("UPDATE result_phase_round SET phase = 77", "phases");
        row("UPDATE result_phase_round SET end_ns = begin_ns - 1 WHERE rowid = 1", "phases");
        row("UPDATE result_phase_round SET begin_ns = begin_ns + 1 WHERE rowid = 2", "phases");
        row("UPDATE result_phase_round SET mark = -1", "phases");
        row("INSERT INTO result_outside_tasks VALUES (0, 1000000, 1)", "profile");
    }
    void hostileAnswersAreRefused()
    {
        QFETCH(QByteArray, sql);
        QFETCH(QString, command);
        const QString trace = m_folder.filePath(QStringLiteral("hostile.longpole"));
        QFile::remove(trace);
        QVERIFY(QFile::copy(partly(), trace));
        QVERIFY(editStore(trace, sql).ok());
        const Said said = m_program({command, trace});
        QCOMPARE(said.code, 3);
        QVERIFY2(said.error.contains(QStringLiteral("The file is damaged")), qPrintable(said.error));
    }

private:
    static QString run() { return QStringLiteral(LONGPOLE_TEST_DATA "/jacobi2d_sdag_p4"); }
    QString whole()
    {
        const QString path = m_folder.filePath(QStringLiteral("whole.longpole"));
        if (!QFile::exists(path)) m_program({QStringLiteral("import"), run(), QStringLiteral("-o"), path});
        return path;
    }
    QString partly()
    {
        const QString path = m_folder.filePath(QStringLiteral("part.longpole"));
        if (!QFile::exists(path))
            m_program({QStringLiteral("analyze"), run(), QStringLiteral("--processes"), QStringLiteral("2"),
                       QStringLiteral("-o"), path, QStringLiteral("--keep"), QStringLiteral("60K")});
        return path;
    }

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestAnalyzeFolder)
#include "tst_analyzefolder.moc"
