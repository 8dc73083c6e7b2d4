// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands say about a summary trace: figures where it has them, and plainly that it holds no executions.
#include "app/program.h"

#include "support/testmain.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using longpole::test::Program;
using longpole::test::Said;

class TestSummary : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};

    QString path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    void write(const char* name, const QByteArray& bytes) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes), bytes.size());
    }

private Q_SLOTS:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        write("p.sum.sts",
              "PROCESSORS 1\nTOTAL_CHARES 1\nTOTAL_EPS 2\nCHARE 0 \"Main\" -1\n"
              "ENTRY CHARE 0 \"go()\" 0 0\nENTRY CHARE 1 \"step(int n)\" 0 0\nEND\n");
        write("p.0.sum",
              "ver:7.1 0/1 count:4 ep:2 interval:1.000000e-03 phases:0\n  50 100   0  25\nEPExeTime: 0 1750 \n"
              "EPCallTime: 0 3 \nMaxEPTime: 0 1000 \nNumMarks: 0 \nIdlePercent:   50   0 100   0\n");
        write("p.0.sumd",
              "ver:7.1 cpu:0/1 numIntervals:4 numEPs:2 intervalSize:1.000000e-03\n"
              "ExeTimePerEPperInterval 0+4 500 1000 0 249\nEPCallTimePerInterval 0+4 1+2 0 1\n");
    }

    void needsEvents_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const auto row = [](const QStringList& arguments) {
            QTest::newRow(qPrintable(arguments.join(u' '))) << arguments;
        };
        for (const char* command :
             {"critical-path", "zeroing", "slack", "near-critical", "efficiency", "parallelism", "phases"})
            row({QString::fromLatin1(command)});
        row({QStringLiteral("critical-path"), QStringLiteral("--streaming")});
        row({QStringLiteral("critical-path"), QStringLiteral("--mode"), QStringLiteral("elapsed")});
        row({QStringLiteral("graph"), QStringLiteral("-o"), path("g.svg")});
        row({QStringLiteral("activity-table"), QStringLiteral("--pe"), QStringLiteral("0")});
        row({QStringLiteral("reduce"), QStringLiteral("--pes"), QStringLiteral("0"), QStringLiteral("-o"), path("r")});
        row({QStringLiteral("profile"), QStringLiteral("--by"), QStringLiteral("object")});
        row({QStringLiteral("histogram")});
        row({QStringLiteral("comm-matrix")});
        row({QStringLiteral("render"), QStringLiteral("--path"), QStringLiteral("-o"), path("r.svg")});
    }
    void needsEvents()
    {
        QFETCH(QStringList, arguments);
        arguments.insert(1, path("p.sum.sts"));
        const Said said = m_program(arguments);
        QCOMPARE(said.code, 3);
        QCOMPARE(said.out, QString());
        QVERIFY2(said.error.contains(QStringLiteral("This trace is a summary: it holds sums over intervals of 1 ms"))
                     && said.error.contains(QStringLiteral("-tracemode projections")),
                 qPrintable(said.error));
    }

    void info()
    {
        const Said said = m_program({QStringLiteral("info"), path("p.0.sum")});
        QCOMPARE(said.code, 0);
        QCOMPARE(said.out,
                 QStringLiteral("Program        p\nFormat         projections-summary 7.1\nSource         %1\n"
                                "Duration       4 ms\nPEs            1\nEntry methods  2\n"
                                "Tasks          3\nIntervals      of 1 ms; a summary holds no messages\n"
                                "Records        4\nBusy           43.8 % (1.750 ms)\nIdle           37.5 % (1.500 ms)\n"
                                "Overhead       18.8 % (750 us)\n"
                                "Health         nothing was skipped or repaired\n")
                     .arg(path("p.sum.sts")));
    }

    // Stages of a summary are made of its bins: totals are those of info.
    void projections()
    {
        const Said user = m_program({QStringLiteral("project"), path("p.sum.sts"), QStringLiteral("--attribute"),
                                     QStringLiteral("user"), QStringLiteral("--stages"), QStringLiteral("3"),
                                     QStringLiteral("--json")});
        QVERIFY2(user.out.contains(QStringLiteral("[806950,712837,230213]")), qPrintable(user.out + user.error));
        const Said tasks = m_program({QStringLiteral("project"), path("p.sum.sts"), QStringLiteral("--attribute"),
                                      QStringLiteral("tasks"), QStringLiteral("--stages"), QStringLiteral("1"),
                                      QStringLiteral("--json")});
        QVERIFY2(tasks.out.contains(QStringLiteral("[3]")), qPrintable(tasks.out + tasks.error));
        const Said sent = m_program({QStringLiteral("project"), path("p.sum.sts"), QStringLiteral("--attribute"),
                                     QStringLiteral("bytes_sent")});
        QCOMPARE(sent.code, 3);
        QVERIFY2(sent.error.contains(QStringLiteral("This trace is a summary")), qPrintable(sent.error));
    }

    void theRestWorks()
    {
        const QString trace = path("p.0.sumd");
        const Said profile = m_program({QStringLiteral("profile"), trace, QStringLiteral("--csv")});
        QCOMPARE(profile.code, 0);
        QVERIFY2(profile.out.contains(QStringLiteral(",3,1750000,1750000,")), qPrintable(profile.out));
        const Said sql = m_program({QStringLiteral("sql"), trace, QStringLiteral("SELECT count(*) AS n FROM task"),
                                    QStringLiteral("--csv")});
        QCOMPARE(sql.code, 0);
        QCOMPARE(sql.out.simplified(), QStringLiteral("n 0"));
        QCOMPARE(m_program({QStringLiteral("render"), trace, QStringLiteral("-o"), path("t.svg")}).code, 0);
        const Said report = m_program({QStringLiteral("report"), trace, QStringLiteral("-o"), path("r.md")});
        QCOMPARE(report.code, 0);
        QFile file(path("r.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        QVERIFY(text.contains(QStringLiteral("This is a summary trace, in intervals of 1 ms")));
        QCOMPARE(text.count(QStringLiteral("Not evaluated: This trace is a summary")), 6);
    }
};

LONGPOLE_TEST(TestSummary)
#include "tst_summary.moc"
