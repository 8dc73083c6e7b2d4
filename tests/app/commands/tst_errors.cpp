// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands say when they cannot do what was asked: one line that names what was typed, the reason and what to
// do next; 2 for what is wrong in the call, 3 for what is wrong with a file.
#include "app/commands/commandfolder.h"
#include "app/commands/commands.h"
#include "app/program.h"

#include "support/testmain.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class TestErrors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_folder.fill(); }
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
    void checkSaysWhatItCannotJudge();
    void emptyAnswersSaySo_data();
    void emptyAnswersSaySo();

private:
    CommandFolder m_folder;
};

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
    row("sql T SELECT_1_FROM_kept", 3, "This trace has all events of the run, and no table");
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
    const Said said = m_folder.say(words);
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
        if (word == QLatin1String("T") || word == QLatin1String("R"))
            word = m_folder.file(QStringLiteral("small.longpole"));
    const bool runs = call.front() == QLatin1String("record") || call.front() == QLatin1String("try");
    const Said said = m_folder.program()(arguments + written
                                         + (runs ? QStringList{QStringLiteral("--"), QStringLiteral("true")}
                                                 : QStringList{}));
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
    const Said said = m_folder.say(words);
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
        QStringList arguments{QString::fromUtf8(command), m_folder.file(name)};
        if (qstrcmp(command, "report") == 0) arguments << QStringLiteral("-o") << m_folder.file(QStringLiteral("r.md"));
        const Said said = m_folder.program()(arguments);
        QCOMPARE(said.code, 3);
        QVERIFY2(said.error.contains(error), qPrintable(said.error));
        isOneLine(said);
    }
    QVERIFY(!QFileInfo::exists(m_folder.file(QStringLiteral("r.md"))));
}

void TestErrors::noErrorNamesTheCache_data()
{
    QTest::addColumn<QStringList>("call");
    const auto row = [](const char* name, const QStringList& call) { QTest::newRow(name) << call; };
    row("waits", {QStringLiteral("waits"), gaussSeidelTrace});
    row("replay", {QStringLiteral("replay"), casitaArchive});
    row("no table", {QStringLiteral("sql"), gaussSeidelTrace, QStringLiteral("SELECT 1 FROM nope")});
    row("no SQL", {QStringLiteral("sql"), gaussSeidelTrace, QStringLiteral("SELEC")});
    row("writing SQL", {QStringLiteral("sql"), gaussSeidelTrace, QStringLiteral("DELETE FROM entry")});
    row("reduce", {QStringLiteral("reduce"), casitaArchive, QStringLiteral("--pes"), QStringLiteral("0"),
                   QStringLiteral("-o"), QStringLiteral("/nowhere/reduced")});
    row("graph", {QStringLiteral("graph"), gaussSeidelTrace, QStringLiteral("--csv"), QStringLiteral("--range"),
                  QStringLiteral("0..1ns"), QStringLiteral("--pes"), QStringLiteral("7")});
}

void TestErrors::noErrorNamesTheCache()
{
    QFETCH(QStringList, call);
    const Said said = m_folder.program()(call);
    QCOMPARE(said.code, 3);
    QVERIFY2(!said.error.contains(QStringLiteral("/cache/")), qPrintable(said.error));
    QVERIFY2(said.error.contains(QFileInfo(call.at(1)).fileName()), qPrintable(said.error));
    isOneLine(said);
}

void TestErrors::checkSaysWhatItCannotJudge()
{
    const Said said = m_folder.say(
        QStringLiteral("check T --baseline T --max-duration +5% --max-grain Jacobi::compute=+5% -o D/c.xml"));
    QCOMPARE(said.code, 3);
    QCOMPARE(said.out, QString());
    QCOMPARE(said.error,
             QStringLiteral("longpole: small against small: 1 of 2 limits kept, 1 can't be judged: no entry "
                            "method that ran is called Jacobi::compute. Wrote %1\n")
                 .arg(m_folder.file(QStringLiteral("c.xml"))));
    const Said kept = m_folder.say(QStringLiteral("check T --baseline T --max-duration +5%"));
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
    const Said said = m_folder.say(words);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QVERIFY2(said.out.endsWith(text), qPrintable(said.out));
}

LONGPOLE_TEST(TestErrors)
#include "tst_errors.moc"
