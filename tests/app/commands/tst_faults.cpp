// SPDX-License-Identifier: GPL-3.0-or-later
// Disks that are full, files that cannot be opened, memory that is not there, crashes: at many places of an import, of
// an upgrade and of a report, one at a time (tests/support/faults.c). LONGPOLE_FAULTS=N tries N places of each kind
// instead of a few.
#include "app/program.h"
#include "app/unpacked.h"

#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <set>

using namespace longpole::test;

class TestFaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyPlace_data();
    void everyPlace();
    void queriesWithoutMemory();
    void crashes();
    void signalsWhereFilesHaveNames();

private:
    Program programWithFault(const QString& fault) const;
    Said runWithFault(const QStringList& words, const QString& fault) const;
    std::set<int> places(const QStringList& words, const QString& kind) const;
    bool makeOut() const;
    QStringList left() const
    {
        return m_out.entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
    }
    QByteArray content(const QString& name) const
    {
        QFile file(m_out.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir m_folder;
    QDir m_out{m_folder.filePath(QStringLiteral("out"))};
    QString m_trace = m_folder.filePath(QStringLiteral("t.longpole"));
    QString m_older = m_folder.filePath(QStringLiteral("older.longpole"));
    QByteArray m_whole;
};

namespace {

const QString raw = QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4");
const QByteArray old("what was there before");
const QStringList expected{QStringLiteral("r.html"), QStringLiteral("r.md"), QStringLiteral("x.longpole")};

}  // namespace

// In out, which is all that writes and opens count in.
Program TestFaults::programWithFault(const QString& fault) const
{
    Program program(m_out.filePath(QStringLiteral("cache")));
    program.set(QStringLiteral("LD_PRELOAD"), QStringLiteral(LONGPOLE_FAULTS_LIBRARY));
    program.set(QStringLiteral("LONGPOLE_FAULT"), fault);
    program.set(QStringLiteral("LONGPOLE_FAULT_FOLDER"), m_folder.path());
    program.set(QStringLiteral("LONGPOLE_FAULT_COUNT"), m_folder.filePath(QStringLiteral("count")));
    return program;
}

Said TestFaults::runWithFault(const QStringList& words, const QString& fault) const
{
    QProcess process;
    programWithFault(fault).start(process, words);
    const bool ended = process.waitForFinished(60'000);
    const bool isNormal = ended && process.exitStatus() == QProcess::NormalExit;
    return {isNormal ? process.exitCode() : -process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

// The first and last places, and some between.
std::set<int> TestFaults::places(const QStringList& words, const QString& kind) const
{
    if (!makeOut()) return {};
    QFile counted(m_folder.filePath(QStringLiteral("count")));
    counted.remove();
    static_cast<void>(runWithFault(words, kind + QStringLiteral(" 0")));
    const int count = counted.open(QIODevice::ReadOnly) ? counted.readAll().toInt() : 0;
    const int wanted = std::max(8, qEnvironmentVariableIntValue("LONGPOLE_FAULTS"));
    std::set<int> chosen;
    for (int i = 0; i < wanted && count > 0; ++i) chosen.insert(1 + i * (count - 1) / (wanted - 1));
    return chosen;
}

bool TestFaults::makeOut() const
{
    QDir out(m_out);
    QFile file(m_out.filePath(QStringLiteral("x.longpole")));
    return out.removeRecursively() && out.mkpath(QStringLiteral(".")) && file.open(QIODevice::WriteOnly)
           && file.write(old) == old.size() && file.copy(m_out.filePath(QStringLiteral("r.html")))
           && file.copy(m_out.filePath(QStringLiteral("r.md")));
}

void TestFaults::initTestCase()
{
    const Program program(m_folder.filePath(QStringLiteral("cache")));
    QCOMPARE(program({QStringLiteral("import"), raw, QStringLiteral("-o"), m_trace}).code, 0);
    QVERIFY(unpack(QStringLiteral(LONGPOLE_TEST_DATA "/../older/kept13.longpole.gz"), m_older));
    QFile file(m_trace);
    QVERIFY(file.open(QIODevice::ReadOnly));
    m_whole = file.readAll();
}

void TestFaults::everyPlace_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("command");
    for (const char* kind : {"write", "open", "rename", "sync", "truncate", "memory"})
        for (const char* command : {"import", "report", "advise", "upgrade"}) {
            // Libraries that draw do not survive without memory (docs/security.md); a report in Markdown has no
            // pictures.
            QTest::addRow("%s: %s", command, kind) << QString::fromUtf8(kind) << QString::fromUtf8(command);
        }
}

void TestFaults::everyPlace()
{
    QFETCH(QString, kind);
    QFETCH(QString, command);
    const bool isImport = command == QLatin1String("import"), isUpgrade = command == QLatin1String("upgrade");
    const QString report = QLatin1String(kind == QLatin1String("memory") ? "r.md" : "r.html");
    const QString target = isImport || isUpgrade ? QStringLiteral("x.longpole") : report;
    QStringList words{command,
                      isImport    ? raw
                      : isUpgrade ? m_older
                                  : m_trace,
                      QStringLiteral("-o"), m_out.filePath(target)};
    if (command == QLatin1String("advise")) words << QStringLiteral("--json");
    const std::set<int> all = places(words, kind);
    const QByteArray whole = content(target);
    for (const int place : all) {
        QVERIFY(makeOut());
        const Said said = runWithFault(words, QStringLiteral("%1 %2").arg(kind).arg(place));
        const QByteArray where = QStringLiteral("%1 %2: code %3, %4, %5")
                                     .arg(kind)
                                     .arg(place)
                                     .arg(said.code)
                                     .arg(said.error, left().join(QLatin1Char(' ')))
                                     .toUtf8();
        QVERIFY2(said.code == 0 || said.code == 3, where.constData());
        QVERIFY2(said.code == 0 || said.error.startsWith(QLatin1String("longpole: ")), where.constData());
        // A file that has its name already is whole, whatever fails afterwards: the folder's sync, room for a sentence.
        const QByteArray after = content(target);
        QVERIFY2(said.code != 3 || after == old || after.size() == whole.size(), where.constData());
        QVERIFY2(said.code != 0 || content(target) != old, where.constData());
        QStringList others = left();
        others.removeAll(QStringLiteral("cache"));
        QVERIFY2(others == expected, where.constData());
    }
}

// SQLite calls the tables of a trace without memory: the query fails, and nothing flies through SQLite.
void TestFaults::queriesWithoutMemory()
{
    const QString query = QStringLiteral(
        "SELECT t.entry, c.cause, count(*), max(m.bytes) FROM task t JOIN message m ON m.message = t.message"
        " JOIN idle_cause c ON c.task = t.task GROUP BY 1, 2 ORDER BY 3");
    const QStringList words{QStringLiteral("sql"), m_trace, query};
    const Said whole = runWithFault(words, QStringLiteral("none 0"));
    QVERIFY2(whole.code == 0, qPrintable(whole.error));
    const std::set<int> all = places(words, QStringLiteral("memory"));
    QVERIFY(all.size() >= 8);
    for (const int place : all) {
        const Said said = runWithFault(words, QStringLiteral("memory %1").arg(place));
        QVERIFY2(said.code == 0 || said.code == 3, qPrintable(QStringLiteral("%1: %2").arg(place).arg(said.code)));
        if (said.code == 0) QCOMPARE(said.out, whole.out);
        else QVERIFY2(said.error.startsWith(QLatin1String("longpole: ")), qPrintable(said.error));
    }
}

// Dies in the middle of a write: what was there is there still, or the new file is whole; the next import is not
// disturbed by what is left, and removes it. The last write makes the file whole; without a name yet, it stays.
void TestFaults::crashes()
{
    const QStringList words{QStringLiteral("import"), raw, QStringLiteral("-o"),
                            m_out.filePath(QStringLiteral("x.longpole"))};
    const std::set<int> all = places(words, QStringLiteral("crash"));
    QVERIFY(all.size() >= 8);
    for (const int place : all) {
        QVERIFY(makeOut());
        const Said said = runWithFault(words, QStringLiteral("crash %1").arg(place));
        QCOMPARE(said.code, -SIGKILL);
        const QByteArray after = content(QStringLiteral("x.longpole"));
        QVERIFY2(after == old || after.size() == m_whole.size(), qPrintable(QString::number(place)));
        const Program program(m_folder.filePath(QStringLiteral("cache")));
        QCOMPARE(program(words).code, 0);
        QStringList others = left();
        if (place == *all.rbegin())
            others.removeIf([](const QString& name) { return name.contains(QLatin1String(".part-")); });
        QCOMPARE(others, expected);
        QCOMPARE(program({QStringLiteral("info"), words.last()}).code, 0);
    }
}

// What -o writes lies beside its target until it is whole.
void TestFaults::signalsWhereFilesHaveNames()
{
    QVERIFY(QDir(m_out).removeRecursively() && m_out.mkpath(QStringLiteral(".")));
    const QString endless = QStringLiteral(
        "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r");
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        QProcess process;
        programWithFault(QStringLiteral("unnamed 1"))
            .start(process, {QStringLiteral("sql"), m_trace, endless, QStringLiteral("-o"),
                             m_out.filePath(QStringLiteral("x.csv"))});
        QTRY_COMPARE(left().size(), 1);
        QVERIFY(left().front().startsWith(QStringLiteral("x.csv.")));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), signal), 0);
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitStatus(), QProcess::CrashExit);
        QCOMPARE(process.exitCode(), signal);
        QCOMPARE(left(), QStringList());
    }
}

LONGPOLE_TEST(TestFaults)
#include "tst_faults.moc"
