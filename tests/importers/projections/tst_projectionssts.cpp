// SPDX-License-Identifier: GPL-3.0-or-later
// The .sts of every version, names that make parsing hard, cuts and nonsense.
#include "importers/projections/sts.h"
#include "importers/smallrun.h"

#include "support/testmain.h"

#include <QRegularExpression>

using namespace longpole;

namespace {

ProjectionsSymbols parse(const QByteArray& text, ImportLog* log = nullptr)
{
    ImportLog own;
    return parseSymbols(text, log ? *log : own);
}

}  // namespace

class TestProjectionsSts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void entryAndChare_data()
    {
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<QByteArray>("chare");
        QTest::addColumn<QByteArray>("entry");
        QTest::addColumn<QString>("chareName");
        QTest::addColumn<int>("dimensions");
        QTest::addColumn<QString>("entryName");
        const auto row = [](const char* name, const char* version, const char* chare, const char* entry,
                            const char* chareName, int dimensions, const char* entryName) {
            QTest::newRow(name) << QByteArray(version) << QByteArray(chare) << QByteArray(entry)
                                << QString::fromUtf8(chareName) << dimensions << QString::fromUtf8(entryName);
        };
        row("3.0", "3.0", "CHARE 4 Main", "ENTRY CHARE 9 go 4 -1", "Main", -1, "go");
        row("6.5", "6.5", "CHARE 4 Line", "ENTRY CHARE 9 go(int n, char* s) 4 12", "Line", -1, "go(int n, char* s)");
        row("8.0 blank in chare", "8.0", "CHARE 4 Line<unsigned int>", "ENTRY CHARE 9 go(int) 4 0",
            "Line<unsigned int>", -1, "go(int)");
        row("9.0", "9.0", "CHARE 4 Line 1", "ENTRY CHARE 9 go(int n) 4 0", "Line", 1, "go(int n)");
        row("10.0", "10.0", "CHARE 4 \"Line\" 2", "ENTRY CHARE 9 \"go(int n)\" 4 -1", "Line", 2, "go(int n)");
        row("11.0 template", "11.0", "CHARE 4 \"TArr<double,3>\" 6",
            "ENTRY CHARE 9 \"go(const A<B, 3> &a, double *d)\" 4 0", "TArr<double,3>", 6,
            "go(const A<B, 3> &a, double *d)");
        row("11.0 quotes", "11.0", "CHARE 4 \"Odd \"name\"\" -1", "ENTRY CHARE 9 \"say(\"hi\" 7)\" 4 0", "Odd \"name\"",
            -1, "say(\"hi\" 7)");
        row("11.0 UTF-8", "11.0", "CHARE 4 \"Größe\" -1", "ENTRY CHARE 9 \"λ(int x)\" 4 0", "Größe", -1, "λ(int x)");
        row("11.0 carriage return", "11.0", "CHARE 4 \"Line\" 1\r", "ENTRY CHARE 9 \"go()\" 4 0\r", "Line", 1, "go()");
    }
    void entryAndChare()
    {
        QFETCH(QByteArray, version);
        QFETCH(QByteArray, chare);
        QFETCH(QByteArray, entry);
        ImportLog log;
        const ProjectionsSymbols symbols = parse("VERSION " + version + "\n\n" + chare + "\n" + entry
                                                     + "\nWHATEVER 5\nEND\n",
                                                 &log);
        QCOMPARE(log.issues().size(), 0u);
        QTEST(symbols.chares.at(4).name, "chareName");
        QTEST(symbols.chares.at(4).dimensions, "dimensions");
        QTEST(symbols.entries.at(9).name, "entryName");
        QCOMPARE(symbols.entries.at(9).chare, 4);
    }

    void values()
    {
        const ProjectionsSymbols symbols = parse(
            "PROJECTIONS_ID \nVERSION 11.0\nTOTAL_PAPI_EVENTS 2\nPAPI_EVENT 0 PAPI_TOT_CYC\nMACHINE \"mpi-linux\"\n"
            "PROCESSORS 12\nSMPMODE 5 2\nHOSTNAME \"node 1\"\nCOMMANDLINE \"./a \"b c\" d\"\nTIMESTAMP "
            "2026-11-20T09:26:43Z\n"
            "CHARMVERSION v8.0.0\nEVENT 4242 Nested <region> \"quoted\"\nSTAT 7 residual norm\nEND\nCHARE 0 \"late\" "
            "1\n");
        QCOMPARE(symbols.version, QStringLiteral("11.0"));
        QCOMPARE(symbols.papiCounters, 2u);
        QCOMPARE(symbols.counters.at(0), QStringLiteral("PAPI_TOT_CYC"));
        QCOMPARE(symbols.machine, QStringLiteral("mpi-linux"));
        QCOMPARE(symbols.processors, 12);
        QCOMPARE(symbols.pesPerProcess.value(), 5);
        QCOMPARE(symbols.processes.value(), 2);
        QCOMPARE(symbols.hostname, QStringLiteral("node 1"));
        QCOMPARE(symbols.commandline, QStringLiteral("./a \"b c\" d"));
        QCOMPARE(symbols.timestamp, QStringLiteral("2026-11-20T09:26:43Z"));
        QCOMPARE(symbols.charmVersion, QStringLiteral("v8.0.0"));
        QCOMPARE(symbols.events.at(4242), QStringLiteral("Nested <region> \"quoted\""));
        QCOMPARE(symbols.statistics.at(7), QStringLiteral("residual norm"));
        QVERIFY(symbols.chares.empty());  // what follows END does not count
    }

    void badLines_data()
    {
        QTest::addColumn<QByteArray>("line");
        for (const char* line :
             {"CHARE x \"A\" 1", "CHARE 70000 \"A\" 1", "CHARE 1 \"A\" 9", "CHARE 1 \"A\"", "ENTRY CHARE",
              "ENTRY CHARE 99999999999 \"a\" 0 0", "ENTRY CHARE 1 \"a\" -3 0", "EVENT -1 x", "PROCESSORS -4",
              "PROCESSORS many", "SMPMODE 0 0", "VERSION nan", "VERSION eleven", "TOTAL_PAPI_EVENTS 4000000000"}) {
            QTest::newRow(line) << QByteArray(line);
        }
    }
    void badLines()
    {
        QFETCH(QByteArray, line);
        ImportLog log(QStringLiteral("p.sts"));
        parse("VERSION 11.0\n" + line + "\nEND\n", &log);
        QCOMPARE(log.issues(),
                 (std::vector<Issue>{{QStringLiteral("malformed_symbol"), 1, QStringLiteral("p.sts, line 2")}}));
    }

    void cutAtEveryByte()
    {
        const QByteArray text = smallSymbols(3, "EVENT 4 four\n");
        for (qsizetype size = 0; size <= text.size(); ++size) {
            ImportLog log;
            const ProjectionsSymbols symbols = parse(text.first(size), &log);
            QVERIFY(symbols.entries.size() <= 5);
            QCOMPARE(log.count(IssueKind::EmptySymbols), size == 0 ? 1 : 0);
            const bool isWhole = size >= text.size() - 1;  // the last line feed does not matter
            QCOMPARE(log.count(IssueKind::CutSymbols), size == 0 || isWhole ? 0 : 1);
        }
    }

    // A file of the kernel's may have no end.
    void notAFile()
    {
        const SmallRun run;
        QVERIFY(QFile::link(QStringLiteral("/proc/version"), run.path(QStringLiteral("p.sts"))));
        for (const QString& path : {run.path(QStringLiteral("p.sts")), run.folder(), QStringLiteral("/dev/zero")}) {
            const Result<QByteArray> text = readSymbolsFile(path);
            QVERIFY2(!text, qPrintable(path));
            QCOMPARE(text.error().what, QStringLiteral("The .sts is no ordinary file."));
        }
    }

    void ampi()
    {
        QVERIFY(parse("VERSION 11.0\nCHARE 0 \"AMPI\" -1\nENTRY CHARE 0 \"rank\" 0 0\n").isAmpi());
        QVERIFY(!parse(smallSymbols(1)).isAmpi());
    }
};

LONGPOLE_TEST(TestProjectionsSts)
#include "tst_projectionssts.moc"
