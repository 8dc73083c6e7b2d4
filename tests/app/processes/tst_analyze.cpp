// SPDX-License-Identifier: GPL-3.0-or-later
// longpole analyze says of a recording, byte for byte, what the other commands say of its import, whatever the number
// of processes, and writes the trace that import writes; simulate finds what is planted; and what is wrong with a call
// or a folder.
#include "app/program.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole::test;
using longpole::contentOf;

class TestAnalyze : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase()
    {
        QProcess process;
        const Said made = m_program.run(process, QStringLiteral(LONGPOLE_MAKE_RECORDING),
                                        {recording(), QStringLiteral("7"), QStringLiteral("3000")});
        QCOMPARE(made.code, 0);
    }

    void saysWhatCommandsSay_data()
    {
        QTest::addColumn<int>("processes");
        QTest::addColumn<bool>("lacksOne");
        for (const int processes : {1, 2, 3, 4, 9})
            for (const bool lacksOne : {false, true})
                QTest::addRow("%d processes%s", processes, lacksOne ? ", without a rank's file" : "")
                    << processes << lacksOne;
    }
    void saysWhatCommandsSay()
    {
        QFETCH(int, processes);
        QFETCH(bool, lacksOne);
        const QString hidden = m_folder.filePath(QStringLiteral("hidden"));
        const QString rank = recording() + QStringLiteral("/rank-000004.lprank");
        if (lacksOne) QVERIFY(QFile::rename(rank, hidden));
        const QString answers = m_folder.filePath(QStringLiteral("answers"));
        const QString trace = m_folder.filePath(QStringLiteral("together.longpole"));
        const Said said = m_program({QStringLiteral("analyze"), recording(), QStringLiteral("--processes"),
                                     QString::number(processes), QStringLiteral("--answers"), answers,
                                     QStringLiteral("-o"), trace});
        const QString imported = m_folder.filePath(QStringLiteral("imported.longpole"));
        QCOMPARE(m_program({QStringLiteral("import"), recording(), QStringLiteral("-o"), imported}).code, 0);
        QVERIFY(contentOf(trace) == contentOf(imported));
        for (const char* command : {"info", "waits", "efficiency", "critical-path", "zeroing", "slack"}) {
            const QString name = QString::fromUtf8(command);
            QStringList call{name, recording(), QStringLiteral("--json")};
            if (name == QLatin1String("slack")) call << QStringLiteral("--limit") << QStringLiteral("10000");
            Said wanted = m_program(call);
            QCOMPARE(wanted.code, 0);
            wanted.out.replace(interruptions(), QStringLiteral("\"interrupted_ns\": null"));
            QFile file(answers + QLatin1Char('/') + name + QStringLiteral(".json"));
            QVERIFY(file.open(QIODevice::ReadOnly));
            QCOMPARE(QString::fromUtf8(file.readAll()), wanted.out);
        }
        if (lacksOne) QVERIFY(QFile::rename(hidden, rank));
        QCOMPARE(said.error, QString());
        QCOMPARE(said.code, 0);
        QCOMPARE(said.out.contains(QStringLiteral("nothing was skipped")), !lacksOne);
        QCOMPARE(said.out.contains(QStringLiteral("Wait at N x N")), !lacksOne);
    }

    void refuses_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("error");
        const QString processes = QStringLiteral("--processes");
        QTest::newRow("nothing there") << QStringList{m_folder.path(), processes, QStringLiteral("3")} << 3
                                       << QStringLiteral("There is no recording here");
        QTest::newRow("another trace") << QStringList{QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4")} << 3
                                       << QStringLiteral("There is no recording here");
        QTest::newRow("no folder for parts")
            << QStringList{recording(), QStringLiteral("--scratch"), m_folder.filePath(QStringLiteral("none"))} << 2
            << QStringLiteral("--scratch: there is no folder");
        QTest::newRow("answers in a file") << QStringList{recording(), QStringLiteral("--answers"),
                                                          recording() + QStringLiteral("/rank-000000.lprank/x")}
                                           << 3 << QStringLiteral("The folder cannot be made");
        QTest::newRow("a trace of another ending")
            << QStringList{recording(), QStringLiteral("-o"), m_folder.filePath(QStringLiteral("x.csv"))} << 2
            << QStringLiteral("-o takes a file that ends in .longpole");
        QTest::newRow("a trace in no folder")
            << QStringList{recording(), processes, QStringLiteral("2"), QStringLiteral("-o"),
                           m_folder.filePath(QStringLiteral("none/x.longpole"))}
            << 3 << QStringLiteral("x.longpole");
    }
    void refuses()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QFETCH(QString, error);
        const Said said = m_program(QStringList{QStringLiteral("analyze")} + arguments);
        QVERIFY2(said.error.contains(error), qPrintable(said.error));
        QCOMPARE(said.error.count(QLatin1Char('\n')), 1);
        QCOMPARE(said.code, code);
    }

    // As -o does, they follow no link: a folder of answers may have come with the recording.
    void answersFollowNoLink()
    {
        const QString precious = m_folder.filePath(QStringLiteral("precious"));
        QVERIFY(QFile::copy(recording() + QStringLiteral("/index.lpindex"), precious));
        const qint64 bytes = QFileInfo(precious).size();
        const QString answers = m_folder.filePath(QStringLiteral("linked"));
        QVERIFY(QDir().mkpath(answers));
        QVERIFY(QFile::link(precious, answers + QStringLiteral("/slack.json")));
        const Said said = m_program({QStringLiteral("analyze"), recording(), QStringLiteral("--answers"), answers});
        QCOMPARE(said.code, 3);
        QVERIFY2(said.error.contains(QStringLiteral("This is a link; it is left as it is")), qPrintable(said.error));
        QCOMPARE(QDir(answers).entryList(QDir::Files | QDir::System), QStringList{QStringLiteral("slack.json")});
        QCOMPARE(QFileInfo(precious).size(), bytes);
        // Nor the folder's own, which a shell completes with a slash.
        const QString real = m_folder.filePath(QStringLiteral("real"));
        const QString link = m_folder.filePath(QStringLiteral("toreal"));
        QVERIFY(QDir().mkpath(real) && QFile::link(real, link));
        for (const char* behind : {"", "/", "//."}) {
            const QString named = link + QLatin1String(behind);
            QCOMPARE(m_program({QStringLiteral("analyze"), recording(), QStringLiteral("--answers"), named}).code, 3);
            QVERIFY(QDir(real).isEmpty());
        }
    }

    // A made run says what is planted in it, for any number of processes, and its trace opens.
    void simulates_data()
    {
        QTest::addColumn<QString>("pattern");
        for (const char* pattern : {"halo2d", "cg", "fft", "wavefront", "master"})
            QTest::newRow(pattern) << QString::fromUtf8(pattern);
    }
    void simulates()
    {
        QFETCH(QString, pattern);
        const QString trace = m_folder.filePath(QStringLiteral("made.longpole"));
        const QStringList call{QStringLiteral("simulate"),    QStringLiteral("--pattern"), pattern,
                               QStringLiteral("--ranks"),     QStringLiteral("30"),        QStringLiteral("--steps"),
                               QStringLiteral("11"),          QStringLiteral("--seed"),    QStringLiteral("3"),
                               QStringLiteral("--processes"), QStringLiteral("3")};
        const Said said = m_program(call + QStringList{QStringLiteral("-o"), trace});
        QVERIFY2(said.code == 0, qPrintable(said.out + said.error));
        QCOMPARE(said.out.count(QStringLiteral("as planted")), 5);
        const Said path = m_program({QStringLiteral("critical-path"), trace, QStringLiteral("--json")});
        QCOMPARE(path.code, 0);
        const Said csv = m_program(call + QStringList{QStringLiteral("--csv")});
        QCOMPARE(csv.code, 0);
        QVERIFY(csv.out.startsWith(QStringLiteral("pattern,ranks,steps,processes,calls,part,wall_ns,cpu_ns,")));
        QCOMPARE(csv.out.count(pattern + QStringLiteral(",30,11,3,")), 6);
    }
    void simulateRefuses()
    {
        for (const QStringList& options :
             {QStringList{QStringLiteral("--ranks"), QStringLiteral("1")},
              {QStringLiteral("--pattern"), QStringLiteral("mesh")},
              {QStringLiteral("--pattern"), QStringLiteral("master"), QStringLiteral("--ranks"), QStringLiteral("3")},
              {QStringLiteral("--steps"), QStringLiteral("0")},
              {QStringLiteral("--ranks"), QStringLiteral("99999999999")}}) {
            const Said said = m_program(QStringList{QStringLiteral("simulate")} + options);
            QCOMPARE(said.code, 2);
            QCOMPARE(said.error.count(QLatin1Char('\n')), 1);
        }
    }

private:
    // Which analyze does not look for.
    static QRegularExpression interruptions() { return QRegularExpression(QStringLiteral("\"interrupted_ns\": \\d+")); }
    QString recording() const { return m_folder.filePath(QStringLiteral("run.lprec")); }

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestAnalyze)
#include "tst_analyze.moc"
