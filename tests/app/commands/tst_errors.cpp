// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands say when they cannot do what was asked: one line that names what was typed, the reason and what to
// do next; 2 for what is wrong in the call, 3 for what is wrong with a file.
#include "app/commands/commands.h"
#include "app/followedrun.h"
#include "app/program.h"
#include "app/smalltrace.h"

#include "support/testmain.h"
#include "support/waitprogram.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

using namespace longpole;
using namespace longpole::test;

class TestErrors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void calls_data();
    void calls();
    void noOptionTakesNothing_data();
    void noOptionTakesNothing();
    void noOptionTakesGarbage_data();
    void noOptionTakesGarbage();
    void files_data();
    void files();
    void noErrorNamesTheCache_data();
    void noErrorNamesTheCache();
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
    void checkSaysWhatItCannotJudge();
    void emptyAnswersSaySo_data();
    void emptyAnswersSaySo();

private:
    QString file(const QString& name) const { return m_folder.filePath(name); }
    void write(const QString& name, const QByteArray& bytes) const;
    Said say(const QString& words) const;
    Said sayInShell(const QString& script) const;

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

namespace {

const QString gs = QStringLiteral(LONGPOLE_TEST_DATA "/gauss_seidel_p8/gs.sts");
const QString casita = QStringLiteral(LONGPOLE_TEST_DATA "/otf2/casita_4_mpi_ls_barr");

// One line, from longpole, without a usage text.
void isOneLine(const Said& said)
{
    QVERIFY2(said.error.startsWith(QStringLiteral("longpole")), qPrintable(said.error));
    QVERIFY2(said.error.count(QLatin1Char('\n')) == 1, qPrintable(said.error));
    QVERIFY2(!said.error.contains(QStringLiteral("Usage")), qPrintable(said.error));
}

QByteArray bytesOf(const QString& name)
{
    QFile in(name);
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
}

// The arguments and options without which the command would complain about those.
QStringList usualCall(const Command& command)
{
    const QString name = QString::fromUtf8(command.name);
    QStringList words{name};
    if (command.needs == Needs::Ranks) words << QStringLiteral("R");
    else if (name == QLatin1String("compare")) words << QStringLiteral("T") << QStringLiteral("T");
    else if (name == QLatin1String("sql")) words << QStringLiteral("T") << QStringLiteral("VALUES(1)");
    else if (name == QLatin1String("online")) words << QStringLiteral("D/online.jsonl");
    else if (name != QLatin1String("record") && name != QLatin1String("cache") && name != QLatin1String("charm")
             && name != QLatin1String("selftest") && name != QLatin1String("simulate"))
        words << QStringLiteral("T");
    if (name == QLatin1String("charm")) words << QStringLiteral("--build") << QStringLiteral("D");
    if (name == QLatin1String("try")) words << QStringLiteral("--with") << QStringLiteral("A=1");
    if (name == QLatin1String("activity-table")) words << QStringLiteral("--pe") << QStringLiteral("0");
    if (name == QLatin1String("check")) words << QStringLiteral("--baseline") << QStringLiteral("T");
    if (name == QLatin1String("project")) words << QStringLiteral("--attribute") << QStringLiteral("user");
    if (name == QLatin1String("reduce"))
        words << QStringLiteral("-o") << QStringLiteral("D/reduced") << QStringLiteral("--range")
              << QStringLiteral("0..5us");
    if (name == QLatin1String("fold")) words << QStringLiteral("-o") << QStringLiteral("D/folded");
    if (name == QLatin1String("report") || name == QLatin1String("render") || name == QLatin1String("graph"))
        words << QStringLiteral("-o") << QStringLiteral("D/written");
    return words;
}

}  // namespace

void TestErrors::write(const QString& name, const QByteArray& bytes) const
{
    QFile out(file(name));
    QVERIFY(out.open(QIODevice::WriteOnly));
    QCOMPARE(out.write(bytes), bytes.size());
}

void TestErrors::initTestCase()
{
    QVERIFY(writeHostileTrace(file(QStringLiteral("small.longpole"))));
    WaitProgram ring(2, {"step"});
    ring.compute(0, 9'000);
    ring.send(0, 1, 1'000);
    ring.compute(1, 1'000);
    ring.receive(1, 0, 1'000);
    ring.meetAll(WaitProgram::Barrier, {0, 1}, {1'000, 1'000});
    QVERIFY(store(ring.rows(), file(QStringLiteral("ring.longpole"))));
    QVERIFY(QDir().mkdir(file(QStringLiteral("folder"))));
    QVERIFY(QDir().mkdir(file(QStringLiteral("run"))));
    const QDir run(QStringLiteral(LONGPOLE_TEST_DATA "/gauss_seidel_p8"));
    for (const QString& name : run.entryList(QDir::Files))
        QVERIFY(QFile::copy(run.filePath(name), file(QStringLiteral("run/") + name)));
    write(QStringLiteral("run/gs.merges"), {});
    QVERIFY(QDir().mkdir(file(QStringLiteral("below"))));  // a log that lies elsewhere
    QVERIFY(QFile::rename(file(QStringLiteral("run/gs.7.log.gz")), file(QStringLiteral("below/gs.7.log.gz"))));
    QVERIFY(QFile::link(file(QStringLiteral("below/gs.7.log.gz")), file(QStringLiteral("run/gs.7.log.gz"))));
    QVERIFY(QDir().mkpath(file(QStringLiteral("casita/traces"))));
    for (const char* name : {"traces.otf2", "traces.def", "traces/0.evt"})
        QVERIFY(QFile::copy(casita + QLatin1Char('/') + QLatin1String(name),
                            file(QStringLiteral("casita/") + QLatin1String(name))));
    QProcess recorder;
    QCOMPARE(m_program
                 .run(recorder, QStringLiteral(LONGPOLE_MAKE_RECORDING),
                      {file(QStringLiteral("run.lprec")), QStringLiteral("2"), QStringLiteral("100")})
                 .code,
             0);
    write(QStringLiteral("empty.sts"), {});
    write(QStringLiteral("empty.longpole"), {});
    write(QStringLiteral("text.sts"), "hello world\n");
    write(QStringLiteral("text.longpole"), "hello world\n");
    write(QStringLiteral("text.log"), "hello world\n");
    write(QStringLiteral("notes.txt"), "hello world\n");
    write(QStringLiteral("online.jsonl"), lastAt(4'000'000, 3'000'000));
    write(QStringLiteral("binary.sts"), QByteArray("\x01\x02\x00\xff", 4));
    const QByteArray whole = bytesOf(file(QStringLiteral("small.longpole")));
    write(QStringLiteral("cut.longpole"), whole.left(whole.size() / 2));
}

// T is the small trace, R one of ranks, D the folder.
Said TestErrors::say(const QString& words) const
{
    QStringList arguments;
    for (QString word : words.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        if (word == QLatin1String("T")) word = file(QStringLiteral("small.longpole"));
        if (word == QLatin1String("R")) word = file(QStringLiteral("ring.longpole"));
        if (word.startsWith(QLatin1String("D/"))) word = file(word.mid(2));
        if (word.startsWith(QStringLiteral("SELECT_"))) word.replace(QLatin1Char('_'), QLatin1Char(' '));
        arguments << word;
    }
    return m_program(arguments);
}

void TestErrors::calls_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* words, int code, const char* error) {
        QTest::newRow(words) << QString::fromUtf8(words) << code << QString::fromUtf8(error);
    };
    row("sql T", 2, "longpole: sql needs a query: longpole sql TRACE \"SELECT ...\" [options]");
    row("info", 2, "longpole: info needs a trace: longpole info TRACE [options]");
    row("compare T", 2, "longpole: compare needs two traces: longpole compare A B [options]");
    row("info T T", 2, "longpole info: unexpected argument '");
    row("info T --jsno", 2, "longpole info: unknown option '--jsno'; did you mean --json?");
    row("info T --frobnicate", 2, "longpole info: unknown option '--frobnicate'; 'longpole info --help' lists them");
    row("info T -o", 2, "longpole info: -o needs a value: -o FILE");
    row("info T --json=1", 2, "longpole info: ");
    row("render T -o D/x.jpg", 2, "longpole render: -o takes a file that ends in .png or .svg, not '");
    row("usage T --pes 0-15", 2, "longpole usage: --pes 0-15: this run has PEs 0 to 1.");
    row("usage T --pes 7", 2, "longpole usage: --pes 7: this run has PEs 0 to 1.");
    row("usage R --pes 7", 2, "longpole usage: --pes 7: this run has ranks 0 to 1.");
    row("activity-table T --pe 7", 2, "longpole activity-table: --pe 7: this run has PEs 0 to 1.");
    row("usage T --pes x", 2, "longpole usage: --pes: \"x\" is no list of numbers: a number is missing or too large.");
    row("critical-path T --to 99:1", 2, "longpole critical-path: --to 99:1: this run has PEs 0 to 1.");
    row("critical-path T --to 1:9", 2, "longpole critical-path: --to 1:9: PE 1 has tasks 1:0 to 1:0.");
    row("graph T --csv --to 5:5", 2, "longpole graph: --to 5:5: this run has PEs 0 to 1.");
    row("critical-path T --streaming --procedures strat", 2,
        "--procedures: There is no entry method 'strat'; did you mean start?");
    row("zeroing T --entry strat", 2,
        "longpole zeroing: --entry: There is no entry method 'strat'; did you mean start");
    row("replay T --factor 0=2000000", 2, "longpole replay: --factor 2000000: a factor lies between 0 and a million");
    row("usage T --range 5us..1us", 2,
        "longpole usage: --range: \"5us..1us\" is not a range of time: it ends before it begins.");
    row("usage T --range 1m..2m", 2, "longpole usage: --range 1m..2m: the run lasts 10 us only.");
    row("project T --attribute usre", 2,
        "longpole project: --attribute: There is no attribute \"usre\"; did you mean user?");
    row("project T --attribute user --view detaild", 2,
        "--view takes overview, detailed or animation, not 'detaild'; did you mean detailed?");
    row("waits R --pattern late_snder", 2,
        "longpole waits: --pattern: there is no wait state 'late_snder'; did you mean late_sender");
    row("waits R --rank 7", 2, "longpole waits: --rank 7: this run has ranks 0 to 1.");
    row("waits T", 3, "longpole: 'waits' needs an MPI trace; small.longpole is Charm++. Try: longpole tree ");
    row("replay R", 3, "longpole: 'replay' needs a Charm++ trace; ring.longpole is MPI. Try: longpole efficiency ");
    row("parallelism R", 3,
        "longpole: 'parallelism' needs a Charm++ trace; ring.longpole is MPI. Try: longpole waits ");
    row("profile T --by calls", 3, "longpole: --by calls needs an MPI trace; this one is Charm++ (");
    row("sql T SELECT_1_FROM_tsak", 3, "longpole: There is no table 'tsak'; did you mean task? (");
    row("sql T SELECT_1_FROM_nope", 3, "Tables: ");
    row("sql T SELECT_etry_FROM_task", 3, "longpole: There is no column 'etry'; did you mean entry? (");
    row("sql T SELECT_e.entry_FROM_task_t_JOIN_entry_AS_e_ON_e.entry=t.entry", 3,
        "longpole: The table entry has no column 'entry' (");
    row("timeline T", 2, "longpole: unknown command 'timeline'; did you mean render?");
    row("reprot T", 2, "longpole: unknown command 'reprot'; did you mean report?");
    row("info D/missing.sts", 3, "longpole: There is no such file or folder (");
    row("advise T --thresholds D/missing.toml", 3,
        "longpole: The file of thresholds cannot be read: No such file or directory (");
    row("info T --symbols D/missing.sts", 3, "longpole: The file of symbols cannot be read (");
    row("record --threshold soon -- true", 2, "longpole record: --threshold takes a time such as 50us, not 'soon'");
    row("record --buffer 1K -- true", 2, "longpole record: --buffer takes a size from 64K to 64M, not '1K'");
    row("record --config D/missing -- true", 3, "longpole: The file of settings cannot be read (");
}

void TestErrors::calls()
{
    QFETCH(QString, words);
    QFETCH(int, code);
    QFETCH(QString, error);
    const Said said = say(words);
    QVERIFY2(said.code == code, qPrintable(QStringLiteral("%1: %2").arg(said.code).arg(said.error)));
    QVERIFY2(said.error.contains(error), qPrintable(said.error));
    QCOMPARE(said.out, QString());
    isOneLine(said);
}

void TestErrors::noOptionTakesNothing_data()
{
    QTest::addColumn<QStringList>("call");
    QTest::addColumn<QString>("option");
    QTest::addColumn<QStringList>("written");
    for (const Command* command : commands())
        for (const CommandOption& option : command->options) {
            if (!option.value) continue;
            const QString name = writtenName(option);
            const QString assigned = name + QLatin1Char('=');
            QTest::addRow("%s %s", command->name, option.name)
                << usualCall(*command) << name
                << (option.otherwise ? QStringList{assigned} : QStringList{name, QString()});
        }
}

void TestErrors::noOptionTakesNothing()
{
    QFETCH(QStringList, call);
    QFETCH(QString, option);
    QFETCH(QStringList, written);
    QStringList arguments = call;
    for (QString& word : arguments)
        if (word == QLatin1String("T") || word == QLatin1String("R")) word = file(QStringLiteral("small.longpole"));
    const bool runs = call.front() == QLatin1String("record") || call.front() == QLatin1String("try");
    const Said said = m_program(arguments + written
                                + (runs ? QStringList{QStringLiteral("--"), QStringLiteral("true")} : QStringList{}));
    QCOMPARE(said.code, 2);
    QVERIFY2(said.error.contains(option + QStringLiteral(" needs a value")), qPrintable(said.error));
    isOneLine(said);
}

void TestErrors::noOptionTakesGarbage_data()
{
    QTest::addColumn<QString>("words");
    for (const Command* command : commands()) {
        for (const CommandOption& option : command->options) {
            const QString name = QString::fromUtf8(option.name);
            // A file of any name can be written.
            const bool isFile = option.endings || name == QLatin1String("o") || name == QLatin1String("calls")
                                || name == QLatin1String("answers");
            if (!option.value || isFile) continue;
            QString words = usualCall(*command).join(QLatin1Char(' '));
            const bool isOfStreaming = name == QLatin1String("procedures") || name == QLatin1String("sample")
                                       || name == QLatin1String("top-share");
            if (isOfStreaming) words += QStringLiteral(" --streaming");
            words += QLatin1Char(' ') + writtenName(option) + QLatin1Char(option.otherwise ? '=' : ' ')
                     + QStringLiteral("garb%age");
            if (command->maxArguments == anyNumber) words += QStringLiteral(" -- true");
            QTest::addRow("%s %s", command->name, option.name) << words;
        }
    }
}

void TestErrors::noOptionTakesGarbage()
{
    QFETCH(QString, words);
    const Said said = say(words);
    const bool isInput = words.contains(QStringLiteral("--symbols")) || words.contains(QStringLiteral("--thresholds"))
                         || words.contains(QStringLiteral("--tried"))
                         || words.contains(QStringLiteral("--baseline garb"))
                         || words.contains(QStringLiteral("--config")) || words.contains(QStringLiteral("--in "))
                         || (words.contains(QStringLiteral("--build "))
                             && !words.contains(QStringLiteral("--decisions")))
                         || words.contains(QStringLiteral("--priorities garb%age -- "));
    QVERIFY2(said.code == (isInput ? 3 : 2), qPrintable(QStringLiteral("%1: %2").arg(said.code).arg(said.error)));
    QVERIFY2(!said.error.contains(QStringLiteral("..)")), qPrintable(said.error));
    isOneLine(said);
}

void TestErrors::files_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* name, const char* error) {
        QTest::newRow(name) << QString::fromUtf8(name) << QString::fromUtf8(error);
    };
    row("empty.sts", "This .sts is empty (0 bytes), and no event logs lie beside it (");
    row("empty.longpole", "empty.longpole is empty (0 bytes).");
    row("text.sts", "text.sts is not a Projections .sts (it starts with \"hello\").");
    row("text.longpole", "text.longpole is not a .longpole file (it starts with \"hello\").");
    row("text.log", "text.log is not a Projections log (it starts with \"hello\").");
    row("notes.txt", "notes.txt is no trace (it starts with \"hello\"). Longpole opens Charm++ logs and summaries");
    row("binary.sts", "binary.sts is not a Projections .sts (it is no text).");
    row("cut.longpole", "cut.longpole). Import the original trace again: longpole import TRACE");
    row("folder", "No trace lies in this folder (");
    row("missing.sts", "There is no such file or folder (");
}

void TestErrors::files()
{
    QFETCH(QString, name);
    QFETCH(QString, error);
    for (const char* command : {"info", "waits", "report", "import"}) {
        QStringList arguments{QString::fromUtf8(command), file(name)};
        if (qstrcmp(command, "report") == 0) arguments << QStringLiteral("-o") << file(QStringLiteral("r.md"));
        const Said said = m_program(arguments);
        QCOMPARE(said.code, 3);
        QVERIFY2(said.error.contains(error), qPrintable(said.error));
        isOneLine(said);
    }
    QVERIFY(!QFileInfo::exists(file(QStringLiteral("r.md"))));
}

void TestErrors::noErrorNamesTheCache_data()
{
    QTest::addColumn<QStringList>("call");
    const auto row = [](const char* name, const QStringList& call) { QTest::newRow(name) << call; };
    row("waits", {QStringLiteral("waits"), gs});
    row("replay", {QStringLiteral("replay"), casita});
    row("no table", {QStringLiteral("sql"), gs, QStringLiteral("SELECT 1 FROM nope")});
    row("no SQL", {QStringLiteral("sql"), gs, QStringLiteral("SELEC")});
    row("writing SQL", {QStringLiteral("sql"), gs, QStringLiteral("DELETE FROM entry")});
    row("reduce", {QStringLiteral("reduce"), casita, QStringLiteral("--pes"), QStringLiteral("0"), QStringLiteral("-o"),
                   QStringLiteral("/nowhere/reduced")});
    row("graph", {QStringLiteral("graph"), gs, QStringLiteral("--csv"), QStringLiteral("--range"),
                  QStringLiteral("0..1ns"), QStringLiteral("--pes"), QStringLiteral("7")});
}

void TestErrors::noErrorNamesTheCache()
{
    QFETCH(QStringList, call);
    const Said said = m_program(call);
    QCOMPARE(said.code, 3);
    QVERIFY2(!said.error.contains(QStringLiteral("/cache/")), qPrintable(said.error));
    QVERIFY2(said.error.contains(QFileInfo(call.at(1)).fileName()), qPrintable(said.error));
    isOneLine(said);
}

void TestErrors::refusedOutputs_data()
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

void TestErrors::refusedOutputs()
{
    QFETCH(QString, words);
    QFETCH(QString, error);
    if (!QFileInfo(file(QStringLiteral("link.svg"))).isSymLink()) {
        for (const char* ending : {"json", "svg"})
            QVERIFY(QFile::link(file(QStringLiteral("target")), file(QStringLiteral("link.") + QLatin1String(ending))));
        QVERIFY(QFile::link(file(QStringLiteral("small.longpole")), file(QStringLiteral("linked.longpole"))));
        const Said linked = sayInShell(QStringLiteral("ln small.longpole hard.longpole"));
        QCOMPARE(linked.code, 0);
        QVERIFY(QFile::copy(gs, file(QStringLiteral("gs.sts"))));
    }
    const QByteArray before = bytesOf(file(QStringLiteral("small.longpole")));
    const Said said = say(words);
    QVERIFY2(said.code == 3, qPrintable(QStringLiteral("%1: %2").arg(said.code).arg(said.error)));
    QVERIFY2(said.error.contains(error), qPrintable(said.error));
    isOneLine(said);
    QVERIFY(bytesOf(file(QStringLiteral("small.longpole"))) == before);
    QCOMPARE(bytesOf(file(QStringLiteral("notes.txt"))), QByteArray("hello world\n"));
    QVERIFY(!QFileInfo::exists(file(QStringLiteral("target"))));
}

void TestErrors::opensNamesThatAreNoUtf8()
{
    QCOMPARE(sayInShell(QStringLiteral("cp -r run \"$(printf 'tr\\344ce')\"")).code, 0);
    const QString trace = QStringLiteral("T=$(printf 'tr\\344ce'); ");
    const auto run = [&](const char* script) { return sayInShell(trace + QString::fromUtf8(script)); };
    const Said plain = sayInShell(QStringLiteral("$0 info run --json"));
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
void TestErrors::everyCommandWritesBeside_data()
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

void TestErrors::everyCommandWritesBeside()
{
    QFETCH(QStringList, call);
    QFETCH(QString, ending);
    const QString folder = file(QStringLiteral("beside"));
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
        const Said said = say(words + named(link) + behind);
        QVERIFY2(said.code == 3 && said.error.contains(QLatin1String("This is a link")), qPrintable(said.error));
    }
    if (call.contains(QStringLiteral("T")) || call.contains(QStringLiteral("R"))) {
        const QString trace = call.contains(QStringLiteral("R")) ? QStringLiteral("ring") : QStringLiteral("small");
        std::filesystem::create_hard_link(file(trace + QStringLiteral(".longpole")).toStdString(),
                                          named("input").toStdString());
        const Said said = say(words + named("input") + behind);
        QVERIFY2(said.code == 3 && said.error.contains(QLatin1String("read by the same command")),
                 qPrintable(said.error));
        QVERIFY(QFile::remove(named("input")));
    }
    const Said said = say(words + named("old") + behind);
    QVERIFY2(said.code == 0 || said.code == 1, qPrintable(said.error));
    QVERIFY(bytesOf(named("old")) != "mine" && bytesOf(named("old")).size() > 0);
    QCOMPARE(bytesOf(named("second")), QByteArray("mine"));
    QCOMPARE(bytesOf(named("target")), QByteArray("mine"));
    QCOMPARE(QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot).size(), 5);
}

Said TestErrors::sayInShell(const QString& script) const
{
    QProcess shell;
    shell.setWorkingDirectory(m_folder.path());
    return m_program.run(shell, QStringLiteral("sh"), {QStringLiteral("-c"), script, QStringLiteral(LONGPOLE_PROGRAM)});
}

void TestErrors::addsTheEnding_data()
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

void TestErrors::addsTheEnding()
{
    QFETCH(QString, words);
    QFETCH(QString, written);
    const Said said = sayInShell(QStringLiteral("\"$0\" ") + words);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QVERIFY(QFileInfo(file(written)).size() > 0);
    QVERIFY2(said.error.endsWith(QStringLiteral("Wrote %1\n").arg(written)), qPrintable(said.error));
}

void TestErrors::writesToStreams()
{
    const QString plain = say(QStringLiteral("profile T --json")).out;
    const Said out = say(QStringLiteral("profile T --json -o /dev/stdout"));
    QCOMPARE(out.code, 0);
    QCOMPARE(out.out, plain);
    const Said error = say(QStringLiteral("profile T --json -o /dev/stderr"));
    QCOMPARE(error.code, 0);
    QCOMPARE(error.error, plain);
    QCOMPARE(error.out, QString());
}

void TestErrors::failedWritesAreErrors_data()
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

void TestErrors::failedWritesAreErrors()
{
    QFETCH(QString, script);
    QFETCH(QString, error);
    const Said said = sayInShell(script);
    QVERIFY2(said.code == 3, qPrintable(QStringLiteral("%1: %2").arg(said.code).arg(said.error)));
    QVERIFY2(said.error.contains(error), qPrintable(said.error));
    isOneLine(said);
    QCOMPARE(QDir(m_folder.path()).entryList({QStringLiteral("none*")}, QDir::Files | QDir::Hidden), QStringList());
}

void TestErrors::checkSaysWhatItCannotJudge()
{
    const Said said = say(
        QStringLiteral("check T --baseline T --max-duration +5% --max-grain Jacobi::compute=+5% -o D/c.xml"));
    QCOMPARE(said.code, 3);
    QCOMPARE(said.out, QString());
    QCOMPARE(said.error,
             QStringLiteral("longpole: small against small: 1 of 2 limits kept, 1 can't be judged: no entry "
                            "method that ran is called Jacobi::compute. Wrote %1\n")
                 .arg(file(QStringLiteral("c.xml"))));
    const Said kept = say(QStringLiteral("check T --baseline T --max-duration +5%"));
    QCOMPARE(kept.code, 0);
    QCOMPARE(kept.error, QString());
}

void TestErrors::emptyAnswersSaySo_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* words, const char* text) {
        QTest::newRow(words) << QString::fromUtf8(words) << QString::fromUtf8(text);
    };
    row("sql T SELECT_1_WHERE_0", "No rows.\n");
    row("comm-matrix T --pes 1 --range 9us..10us",
        "There is nothing to list with --range 9us..10us --pes 1; without, there may be.\n");
}

void TestErrors::emptyAnswersSaySo()
{
    QFETCH(QString, words);
    QFETCH(QString, text);
    const Said said = say(words);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QVERIFY2(said.out.endsWith(text), qPrintable(said.out));
}

LONGPOLE_TEST(TestErrors)
#include "tst_errors.moc"
