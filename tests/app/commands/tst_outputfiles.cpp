// SPDX-License-Identifier: GPL-3.0-or-later
// Where commands write what they say: beside what is there until all is written, never through a link, never onto what
// they read, under any name; and what could not be written is said.
#include "app/commands/commandfolder.h"
#include "app/commands/commands.h"
#include "app/program.h"

#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTest>

#include <filesystem>

using namespace longpole;
using namespace longpole::test;

class TestOutputFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_folder.fill(); }
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void refusedOutputs_data();
    void refusedOutputs();
    void opensNamesThatAreNoUtf8();
    void everyCommandWritesBeside_data();
    void everyCommandWritesBeside();
    void addsTheEnding_data();
    void addsTheEnding();
    void writesToStreams();
    void failedWritesAreErrors_data();
    void failedWritesAreErrors();

private:
    CommandFolder m_folder;
};

void TestOutputFiles::refusedOutputs_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* words, const char* error) {
        QTest::newRow(words) << QString::fromUtf8(words) << QString::fromUtf8(error);
    };
    row("info T -o D/none/x.json", "The file cannot be written: there is no folder ");
    row("report T -o D/none/x.html", "The file cannot be written: there is no folder ");
    row("import D/gs.sts -o D/none/x", "The file cannot be written: there is no folder ");
    row("info T -o D/folder", "This is a folder (");
    row("info T -o /dev/full", "This is no ordinary file; it is left as it is (/dev/full).");
    row("info T -o D/link.json", "This is a link; it is left as it is (");
    row("report T -o D/link.json", "This is a link; it is left as it is (");
    row("render T -o D/link.svg", "This is a link; it is left as it is (");
    row("replay T -o T", "This file is read by the same command, so it is not written (");
    row("replay T -o D/hard.longpole", "This file is read by the same command, so it is not written (");
    row("fold T -o T", "This file is read by the same command, so it is not written (");
    row("fold T -o D/linked.longpole", "This file is read by the same command, so it is not written (");
    row("phases --text D/notes.txt -o D/notes.txt", "This file is read by the same command, so it is not written (");
    row("advise T --priorities D/link.json", "This is a link; it is left as it is (");
    row("info D/run/gs.sts --json -o D/run/gs.0.log.gz",
        "This file is read by the same command, so it is not written (");
    row("info D/run --json -o D/run/gs.0.log.gz", "This file is read by the same command, so it is not written (");
    for (const char* read : {"D/run/gs.merges", "D/run/gs.projrc", "D/below/gs.7.log.gz"})
        QTest::addRow("info, onto %s", read) << QStringLiteral("info D/run/gs.sts --csv -o ") + QLatin1String(read)
                                             << QStringLiteral("This file is read by the same command");
    row("info D/run/gs.0.log.gz --csv -o D/run/gs.sts",
        "This file is read by the same command, so it is not written (");
    row("info D/casita/traces --csv -o D/casita/traces.otf2",
        "This file is read by the same command, so it is not written (");
    row("info D/casita/traces/0.evt --csv -o D/casita/traces.def",
        "This file is read by the same command, so it is not written (");
    row("online D/. --csv -o D/online.jsonl", "This file is read by the same command, so it is not written (");
    row("import D/gs.sts -o /dev/stdout", "A .longpole file is not written into a stream (/dev/stdout).");
}

void TestOutputFiles::refusedOutputs()
{
    QFETCH(QString, words);
    QFETCH(QString, error);
    if (!QFileInfo(m_folder.file(QStringLiteral("link.svg"))).isSymLink()) {
        for (const char* ending : {"json", "svg"})
            QVERIFY(QFile::link(m_folder.file(QStringLiteral("target")),
                                m_folder.file(QStringLiteral("link.") + QLatin1String(ending))));
        QVERIFY(QFile::link(m_folder.file(QStringLiteral("small.longpole")),
                            m_folder.file(QStringLiteral("linked.longpole"))));
        const Said linked = m_folder.sayInShell(QStringLiteral("ln small.longpole hard.longpole"));
        QCOMPARE(linked.code, 0);
        QVERIFY(QFile::copy(gaussSeidelTrace, m_folder.file(QStringLiteral("gs.sts"))));
    }
    const QByteArray before = bytesOf(m_folder.file(QStringLiteral("small.longpole")));
    const Said said = m_folder.say(words);
    QVERIFY2(said.code == 3, qPrintable(QStringLiteral("%1: %2").arg(said.code).arg(said.error)));
    QVERIFY2(said.error.contains(error), qPrintable(said.error));
    isOneLine(said);
    QVERIFY(bytesOf(m_folder.file(QStringLiteral("small.longpole"))) == before);
    QCOMPARE(bytesOf(m_folder.file(QStringLiteral("notes.txt"))), QByteArray("hello world\n"));
    QVERIFY(!QFileInfo::exists(m_folder.file(QStringLiteral("target"))));
}

void TestOutputFiles::opensNamesThatAreNoUtf8()
{
    QCOMPARE(m_folder.sayInShell(QStringLiteral("cp -r run \"$(printf 'tr\\344ce')\"")).code, 0);
    const QString trace = QStringLiteral("T=$(printf 'tr\\344ce'); ");
    const auto run = [&](const char* script) { return m_folder.sayInShell(trace + QString::fromUtf8(script)); };
    const Said plain = m_folder.sayInShell(QStringLiteral("$0 info run --json"));
    const Said latin = run("$0 info \"$T\" --json");
    QCOMPARE(latin.error, QString());
    QCOMPARE(latin.out, plain.out);
    QCOMPARE(run("$0 profile \"$T/gs.sts\" -o \"$T/p.json\" && $0 import \"$T\" -o \"$T/t.longpole\" && "
                 "$0 info \"$T/t.longpole\" && test -s \"$T/p.json\" && mv \"$T/t.longpole\" \"$T.longpole\" && "
                 "$0 info \"$T.longpole\"")
                 .code,
             0);
    const Said refused = run("$0 info \"$T/gs.sts\" --json -o \"$T/gs.0.log.gz\"");
    QCOMPARE(refused.code, 3);
    QVERIFY2(refused.error.contains(QStringLiteral("read by the same command, so it is not written (tr\u00e4ce/gs.0")),
             qPrintable(refused.error));
    const Said none = run("$0 info \"$T/none\"");
    QVERIFY2(none.error.contains(QStringLiteral("There is no such file or folder (tr\u00e4ce/none)")),
             qPrintable(none.error));
    QVERIFY(
        run("$0 info \"$T-none\"").error.contains(QStringLiteral("can be opened through a link with another name")));
}

// All commands that write files, with all their endings: never through a link, never onto what they read, and beside
// what is there until all is written: the file that was there, which has a second name here, stays as it was.
void TestOutputFiles::everyCommandWritesBeside_data()
{
    QTest::addColumn<QStringList>("call");
    QTest::addColumn<QString>("ending");
    for (const Command* command : commands()) {
        for (const CommandOption& option : command->options) {
            if (!option.endings) continue;
            QStringList call = usualCall(*command);
            if (const qsizetype at = call.indexOf(QStringLiteral("-o")); at >= 0) call.remove(at, 2);
            const bool needsRun = call.front() == QLatin1String("import") || call.front() == QLatin1String("fold");
            if (needsRun) call[1] = QStringLiteral("D/run/gs.sts");
            if (call.front() == QLatin1String("analyze")) call[1] = QStringLiteral("D/run.lprec");
            for (const QString& ending : wordsOf(option.endings)) {
                QStringList words = call;
                if (ending == QLatin1String("toml"))
                    words = QStringList{call.front(), QStringLiteral("--default-thresholds")};
                QTest::addRow("%s %s .%s", command->name, option.name, qPrintable(ending))
                    << (words << writtenName(option)) << ending;
            }
        }
    }
}

void TestOutputFiles::everyCommandWritesBeside()
{
    QFETCH(QStringList, call);
    QFETCH(QString, ending);
    const QString folder = m_folder.file(QStringLiteral("beside"));
    QVERIFY(QDir(folder).removeRecursively() && QDir().mkdir(folder));
    const auto named = [&](const char* name) { return QString(folder + u'/' + QLatin1String(name) + u'.' + ending); };
    const auto filled = [](const QString& name) {
        QFile out(name);
        return out.open(QIODevice::WriteOnly) && out.write("mine") == 4;
    };
    QVERIFY(filled(named("target")) && filled(named("old")));
    QVERIFY(QFile::link(named("target"), named("link")));
    QVERIFY(QFile::link(named("nothing"), named("dangling")));
    std::filesystem::create_hard_link(named("old").toStdString(), named("second").toStdString());
    const QString words = call.join(QLatin1Char(' ')) + QLatin1Char(' ');
    const QString behind = call.front() == QLatin1String("try") ? QStringLiteral(" --runs 1 -- true") : QString();
    for (const char* link : {"link", "dangling"}) {
        const Said said = m_folder.say(words + named(link) + behind);
        QVERIFY2(said.code == 3 && said.error.contains(QLatin1String("This is a link")), qPrintable(said.error));
    }
    if (call.contains(QStringLiteral("T")) || call.contains(QStringLiteral("R"))) {
        const QString trace = call.contains(QStringLiteral("R")) ? QStringLiteral("ring") : QStringLiteral("small");
        std::filesystem::create_hard_link(m_folder.file(trace + QStringLiteral(".longpole")).toStdString(),
                                          named("input").toStdString());
        const Said said = m_folder.say(words + named("input") + behind);
        QVERIFY2(said.code == 3 && said.error.contains(QLatin1String("read by the same command")),
                 qPrintable(said.error));
        QVERIFY(QFile::remove(named("input")));
    }
    const Said said = m_folder.say(words + named("old") + behind);
    QVERIFY2(said.code == 0 || said.code == 1, qPrintable(said.error));
    QVERIFY(bytesOf(named("old")) != "mine" && bytesOf(named("old")).size() > 0);
    QCOMPARE(bytesOf(named("second")), QByteArray("mine"));
    QCOMPARE(bytesOf(named("target")), QByteArray("mine"));
    QCOMPARE(QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot).size(), 5);
}

void TestOutputFiles::addsTheEnding_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("written");
    const auto row = [](const char* words, const char* written) {
        QTest::newRow(words) << QString::fromUtf8(words) << QString::fromUtf8(written);
    };
    row("info small.longpole -o i", "i.txt");
    row("usage small.longpole -o u.", "u.txt");
    row("render small.longpole -o p", "p.png");
    row("graph small.longpole -o g", "g.png");
    row("report small.longpole -o r", "r.html");
    row("replay small.longpole -o l", "l.txt");
    row("check small.longpole --baseline small.longpole -o c", "c.txt");
    row("advise small.longpole --priorities a", "a.json");
    row("import " LONGPOLE_TEST_DATA "/gauss_seidel_p8/gs.sts -o foo", "foo.longpole");
}

void TestOutputFiles::addsTheEnding()
{
    QFETCH(QString, words);
    QFETCH(QString, written);
    const Said said = m_folder.sayInShell(QStringLiteral("\"$0\" ") + words);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QVERIFY(QFileInfo(m_folder.file(written)).size() > 0);
    QVERIFY2(said.error.endsWith(QStringLiteral("Wrote %1\n").arg(written)), qPrintable(said.error));
}

void TestOutputFiles::writesToStreams()
{
    const QString plain = m_folder.say(QStringLiteral("profile T --json")).out;
    const Said out = m_folder.say(QStringLiteral("profile T --json -o /dev/stdout"));
    QCOMPARE(out.code, 0);
    QCOMPARE(out.out, plain);
    const Said error = m_folder.say(QStringLiteral("profile T --json -o /dev/stderr"));
    QCOMPARE(error.code, 0);
    QCOMPARE(error.error, plain);
    QCOMPARE(error.out, QString());
}

void TestOutputFiles::failedWritesAreErrors_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* name, const char* script, const char* error) {
        QTest::newRow(name) << QString::fromUtf8(script) << QString::fromUtf8(error);
    };
    constexpr const char* full = "The output is not whole: No space left on device (standard output).";
    row("full disk", "\"$0\" profile small.longpole > /dev/full", full);
    row("full disk, JSON", "\"$0\" profile small.longpole --json > /dev/full", full);
    row("full disk, help", "\"$0\" --help > /dev/full", full);
    row("closed output", "\"$0\" profile small.longpole >&-", "The output is not whole: ");
    row("no more room for a file", "trap '' XFSZ; ulimit -f 0; \"$0\" profile small.longpole -o none.json",
        "The file cannot be written: ");
    row("no more room for a picture", "trap '' XFSZ; ulimit -f 0; \"$0\" render small.longpole -o none.png",
        "The file cannot be written: ");
    row("no more room for a report", "trap '' XFSZ; ulimit -f 0; \"$0\" report small.longpole -o none.html",
        "The file cannot be written: ");
}

void TestOutputFiles::failedWritesAreErrors()
{
    QFETCH(QString, script);
    QFETCH(QString, error);
    const Said said = m_folder.sayInShell(script);
    QVERIFY2(said.code == 3, qPrintable(QStringLiteral("%1: %2").arg(said.code).arg(said.error)));
    QVERIFY2(said.error.contains(error), qPrintable(said.error));
    isOneLine(said);
    QCOMPARE(QDir(m_folder.path()).entryList({QStringLiteral("none*")}, QDir::Files | QDir::Hidden), QStringList());
}

LONGPOLE_TEST(TestOutputFiles)
#include "tst_outputfiles.moc"
