// SPDX-License-Identifier: GPL-3.0-or-later
// longpole simulate says what is planted in the run that it makes, and refuses runs that cannot be.
#include "app/program.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole::test;

class TestSimulate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

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
        QCOMPARE(csv.out.count(pattern + QStringLiteral(",30,11,3,")), 12);
        for (const char* part : {"made", "read", "waits", "causes", "path", "elapsed path", "slack",
                                 "near-critical paths", "what-if", "advice", "profile", "efficiency"})
            QCOMPARE(csv.out.count(QStringLiteral(",%1,").arg(QLatin1String(part))), 1);
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
    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestSimulate)
#include "tst_simulate.moc"
