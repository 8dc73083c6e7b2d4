// SPDX-License-Identifier: GPL-3.0-or-later
// SIGTERM at any time ends every slow command at once, as that signal does, and leaves no file behind; nor does one
// that takes more CPU time than it may.
#include "app/program.h"
#include "core/base/memory.h"

#include "support/synthetic.h"
#include "support/testmain.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include <unistd.h>

using namespace longpole::test;

class TestCancel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void slowCommands_data();
    void slowCommands();
    void wantOfTime_data();
    void wantOfTime();

private:
    QStringList argumentsOf(const QString& words, const QDir& out) const;  // with the letters' files

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

namespace {

constexpr qint64 mostMilliseconds = 200;
constexpr std::int64_t records = 2'000'000;
constexpr int events = 500'000;
constexpr int tableRows = 1'000'000;
constexpr int merged = 4'000'000;

// R: a raw run, T: the same imported, A: an OTF2 archive, M: a recording, O: a folder for what is written. E, F: a raw
// run that is nearly all names, and imported. C: a table of calls of one rank. B: a raw run that is nearly all merges.
constexpr const char* slow[] = {"import R -o O/x.longpole",
                                "import E -o O/e.longpole",
                                "info F",
                                "import M -o O/x.longpole",
                                "import C -o O/x.longpole",
                                "import B -o O/x.longpole",
                                "analyze B --processes 2 --scratch O/",
#ifdef LONGPOLE_MAKE_OTF2
                                "import A -o O/x.longpole",
#endif
                                "analyze M --processes 2 --scratch O/",
                                "algorithms M --only dijkstra --splits none",
                                "algorithms M --only parallel-delta --splits none",
                                "profile T --by object",
                                "critical-path T --json",
                                "critical-path T --mode elapsed",
                                "critical-path T --mode sweep",
                                "critical-path T --edges merges",
                                "critical-path T --streaming",
                                "zeroing T",
                                "slack T",
                                "near-critical T",
                                "parallelism T",
                                "project T --attribute idle",
                                "histogram T",
                                "comm-matrix T",
                                "tree T",
                                "advise T",
                                "replay T",
                                "replay T -o O/r.longpole",
                                "phases T",
                                "fold T -o O/f.longpole",
                                "compare T T",
                                "check T --baseline T",
                                "report T -o O/r.html",
                                "render T -o O/r.svg",
                                "graph T -o O/g.dot",
                                "reduce R --keep critical -o O/reduced"};

// Of these, those that compute longer than a second.
constexpr const char* computing[] = {"import M -o O/x.longpole", "report T -o O/r.html",
                                     "analyze M --processes 2 --scratch O/", "replay T -o O/r.longpole"};

// That a process has used, ms; 0 when it has gone.
qint64 cpuOf(qint64 process)
{
    QFile file(QStringLiteral("/proc/%1/stat").arg(process));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    const QByteArray line = file.readAll();
    const QList<QByteArray> fields = line.mid(line.lastIndexOf(')') + 2).split(' ');
    return fields.size() < 13 ? 0 : (fields[11].toLongLong() + fields[12].toLongLong()) * 1000 / ::sysconf(_SC_CLK_TCK);
}

// A small run with very many user events, which take their time when it is read and when the import opens again.
bool writeNames(const QString& folder)
{
    if (!QDir().mkpath(folder)) return false;
    const QString symbols = longpole::writeSynthetic(folder, {.processors = 1, .records = 1000});
    QFile file(symbols);
    if (symbols.isEmpty() || !file.open(QIODevice::ReadWrite)) return false;
    QByteArray lines;
    for (int i = 0; i < events; ++i)
        lines += "EVENT " + QByteArray::number(i) + " event" + QByteArray::number(i) + '\n';
    QByteArray text = file.readAll();
    const QByteArray claim = "TOTAL_EVENTS " + QByteArray::number(events) + '\n';
    text.replace(QByteArrayLiteral("TOTAL_EVENTS 0\n"), QByteArray(claim + lines));
    return file.seek(0) && file.write(text) == text.size();
}

// A small run with very many recorded merges, of messages that nobody sent.
bool writeMerges(const QString& folder)
{
    if (!QDir().mkpath(folder)) return false;
    QString file = longpole::writeSynthetic(folder, {.processors = 2, .records = 1000});
    file.replace(QStringLiteral(".sts"), QStringLiteral(".merges"));
    QFile merges(file);
    QByteArray lines;
    for (int i = merged; i > 0; --i)
        lines += "MERGE 0 " + QByteArray::number(i % 9973) + " 1 " + QByteArray::number(i) + '\n';
    return merges.open(QIODevice::WriteOnly) && merges.write(lines) == lines.size();
}

// A rank that starts many requests, latest first, and completes them.
bool writeTable(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return false;
    QByteArray text("rank,seq,call,start_ns,end_ns,comm,peer,tag,wait_before,execution,wait_after,imbalance\n");
    for (int i = tableRows; i > 0; --i) {
        const QByteArray begin = QByteArray::number(2 * i), end = QByteArray::number(2 * i + 1);
        const QByteArray tag = QByteArray::number(i / 2);
        text += "0,0," + QByteArray(i % 2 == 0 ? "MPI_Isend," : "MPI_Wait,") + begin + ',' + end
                + (i % 2 == 0 ? ",MPI_COMM_WORLD,0," : ",-,>0,") + tag + ",-,-,-,-\n";
    }
    return file.write(text) == text.size();
}

}  // namespace

void TestCancel::initTestCase()
{
    QVERIFY(writeTable(m_folder.filePath(QStringLiteral("table.csv"))));
    QVERIFY(writeNames(m_folder.filePath(QStringLiteral("names"))));
    QVERIFY(writeMerges(m_folder.filePath(QStringLiteral("merges"))));
    QCOMPARE(m_program({QStringLiteral("import"), m_folder.filePath(QStringLiteral("names")), QStringLiteral("-o"),
                        m_folder.filePath(QStringLiteral("f.longpole"))})
                 .code,
             0);
    QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("raw")));
    QVERIFY(!longpole::writeSynthetic(m_folder.filePath(QStringLiteral("raw")), {.processors = 4, .records = records})
                 .isEmpty());
    QCOMPARE(m_program({QStringLiteral("import"), m_folder.filePath(QStringLiteral("raw")), QStringLiteral("-o"),
                        m_folder.filePath(QStringLiteral("t.longpole"))})
                 .code,
             0);
    QCOMPARE(QProcess::execute(QStringLiteral(LONGPOLE_MAKE_RECORDING),
                               {m_folder.filePath(QStringLiteral("recording")), QStringLiteral("2"),
                                QString::number(records)}),
             0);
    QCOMPARE(m_program({QStringLiteral("info"), m_folder.filePath(QStringLiteral("recording"))}).code, 0);  // caches it
#ifdef LONGPOLE_MAKE_OTF2
    QCOMPARE(QProcess::execute(QStringLiteral(LONGPOLE_MAKE_OTF2), {m_folder.filePath(QStringLiteral("archive")),
                                                                    QString::number(2 * records), QStringLiteral("2")}),
             0);
#endif
}

QStringList TestCancel::argumentsOf(const QString& words, const QDir& out) const
{
    QStringList arguments;
    for (QString word : words.split(QLatin1Char(' '))) {
        if (word == QLatin1String("R")) word = m_folder.filePath(QStringLiteral("raw"));
        else if (word == QLatin1String("A")) word = m_folder.filePath(QStringLiteral("archive"));
        else if (word == QLatin1String("M")) word = m_folder.filePath(QStringLiteral("recording"));
        else if (word == QLatin1String("B")) word = m_folder.filePath(QStringLiteral("merges"));
        else if (word == QLatin1String("C")) word = m_folder.filePath(QStringLiteral("table.csv"));
        else if (word == QLatin1String("E")) word = m_folder.filePath(QStringLiteral("names"));
        else if (word == QLatin1String("F")) word = m_folder.filePath(QStringLiteral("f.longpole"));
        else if (word == QLatin1String("T")) word = m_folder.filePath(QStringLiteral("t.longpole"));
        else if (word.startsWith(QLatin1String("O/"))) word = out.filePath(word.mid(2));
        arguments << word;
    }
    return arguments;
}

void TestCancel::slowCommands_data()
{
    QTest::addColumn<QString>("words");
    for (const char* words : slow) QTest::newRow(words) << QString::fromUtf8(words);
}

void TestCancel::slowCommands()
{
    QFETCH(QString, words);
    const QDir out(m_folder.filePath(QStringLiteral("out")));
    QVERIFY(QDir(out).removeRecursively() && out.mkpath(QStringLiteral(".")));
    const QStringList arguments = argumentsOf(words, out);
    // A table is read for a second before its rows are put in order.
    const unsigned most = words.contains(QStringLiteral(" C ")) ? 1800 : 600;
    const unsigned long delay = 30 + QRandomGenerator::global()->bounded(most);
    QProcess process;
    m_program.start(process, arguments);
    QVERIFY(process.waitForStarted());
    QTest::qSleep(static_cast<int>(delay));
    const qint64 before = cpuOf(process.processId());
    qint64 after = before;
    QElapsedTimer timer;
    timer.start();
    process.terminate();
    while (process.state() != QProcess::NotRunning && timer.elapsed() < 30'000) {
        after = std::max(after, cpuOf(process.processId()));
        process.waitForFinished(5);
    }
    const qint64 took = timer.elapsed();
    if (process.exitStatus() == QProcess::NormalExit) {
        QCOMPARE(process.exitCode(), words.startsWith(QLatin1String("fold")) ? process.exitCode() : 0);
        return;  // it was faster
    }
    QCOMPARE(process.exitCode(), SIGTERM);
    // Other programs on the same processors take time, but not this one's.
    QVERIFY2(took <= mostMilliseconds || after - before <= mostMilliseconds,
             qPrintable(QStringLiteral("%1 ms, %2 ms of CPU, after %3 ms").arg(took).arg(after - before).arg(delay)));
    // Nothing half done: the file itself is there only if it was whole when the signal came, and then right at the end.
    QStringList left = out.entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
    if (took < mostMilliseconds && words.startsWith(QLatin1String("graph"))) left.removeOne(QStringLiteral("g.dot"));
    const QString imported = QStringLiteral("x.longpole");
    if (words.startsWith(QLatin1String("import")) && left.removeOne(imported))
        QCOMPARE(m_program({QStringLiteral("info"), out.filePath(imported)}).code, 0);
    QCOMPARE(left, QStringList());
}

void TestCancel::wantOfTime_data()
{
    QTest::addColumn<QString>("words");
    for (const char* words : computing) QTest::newRow(words) << QString::fromUtf8(words);
}

void TestCancel::wantOfTime()
{
    if (longpole::hasSanitizer()) QSKIP("sanitizers take time of their own: no limit");
    QFETCH(QString, words);
    const QDir out(m_folder.filePath(QStringLiteral("out")));
    QVERIFY(QDir(out).removeRecursively() && out.mkpath(QStringLiteral(".")));
    QProcess process;
    m_program.start(process, argumentsOf(words, out) << QStringLiteral("--cpu-time") << QStringLiteral("1s"));
    qint64 took = 0;
    while (process.state() != QProcess::NotRunning) {
        took = std::max(took, cpuOf(process.processId()));
        process.waitForFinished(5);
    }
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    const QString error = QString::fromUtf8(process.readAllStandardError());
    QVERIFY2(process.exitCode() == 3, qPrintable(error));
    QVERIFY2(error.contains(QStringLiteral("the 1 s of CPU time")) && error.count(QLatin1Char('\n')) == 1,
             qPrintable(error));
    QVERIFY2(took <= 1000 + mostMilliseconds, qPrintable(QString::number(took)));
    QCOMPARE(out.entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot), QStringList());
}

LONGPOLE_TEST(TestCancel)
#include "tst_cancel.moc"
