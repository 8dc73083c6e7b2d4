// SPDX-License-Identifier: GPL-3.0-or-later
// The command line's grammar: exit codes, help, suggestions, generated documents.
#include "app/commandline/limitoptions.h"
#include "app/commands/commands.h"
#include "app/program.h"
#include "app/smalltrace.h"

#include "support/testmain.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class TestCommandLine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void exitCodes_data();
    void exitCodes();
    void everyCommandExplainsItself_data();
    void everyCommandExplainsItself();
    void nearestNamesAreOffered_data();
    void nearestNamesAreOffered();
    void documentsNameEveryOption();
    void bashCompletes_data();
    void bashCompletes();
    void openNeedsADisplay();
    void readerThatGoesAwayIsSaid();
    void waitsAreTimes();

private:
    QTemporaryDir m_folder;
    QString m_trace = m_folder.filePath(QStringLiteral("small.longpole"));
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

void TestCommandLine::initTestCase()
{
    const auto written = writeHostileTrace(m_trace);
    QVERIFY2(written, qPrintable(written ? QString() : toText(written.error())));
}

void TestCommandLine::exitCodes_data()
{
    QTest::addColumn<QString>("words");  // T stands for the trace, D for a folder that can be written
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("error");  // part of what stderr says

    const auto row = [](const char* words, int code, const char* error = "") {
        QTest::newRow(words) << QString::fromUtf8(words) << code << QString::fromUtf8(error);
    };
    row("", 2, "Usage:");
    row("--help", 0);
    row("-h", 0);
    row("help", 0);
    row("help info", 0);
    row("help nonsense", 2, "unknown command 'nonsense'");
    row("--version", 0);
    row("--nonsense", 2, "unknown command");
    row("nonsense", 2, "unknown command 'nonsense'");
    row("zeroin T", 2, "did you mean zeroing");
    row("--generate man", 0);
    row("--generate nonsense", 2);
    row("missing.sts", 3, "no such file");
    row("info T", 0);
    row("T info", 2, "unexpected argument 'info'");
    row("info --json T", 0);
    row("info T --json", 0);
    row("info", 2, "needs a trace: longpole ");
    row("info T T", 2, "unexpected argument");
    row("info T --nonsense", 2, "unknown option '--nonsense'");
    row("info T -x", 2, "unknown option '-x'");
    row("info T --json --csv", 2, "exclude each other");
    row("info T -o D/info.xml", 2, ".txt, .json or .csv");
    row("info T -o D/info.json", 0);
    row("info T -o D/missing/info.json", 3, "cannot be written");
    row("info missing.longpole", 3, "no such file");
    row("info D", 3, "No trace lies in this folder");
    row("profile T --by entry", 0);
    row("profile T --by object", 0);
    row("profile T --by colour", 2, "--by takes entry, chare, pe, object, calls or callpath");
    row("critical-path T", 0);
    row("critical-path T --streaming", 0);
    row("critical-path T --streaming --edges order", 0);
    row("critical-path T --streaming --edges messages", 2, "--streaming implies --edges order");
    row("critical-path T --streaming --mode work", 2, "--mode does not go with --streaming");
    row("critical-path T --streaming --to 0:0", 2, "--to does not go with --streaming");
    row("critical-path T --procedures 0", 2, "--procedures goes with --streaming only");
    row("critical-path T --sample 1us", 2, "--sample goes with --streaming only");
    row("critical-path T --inclusive", 2, "--inclusive goes with --streaming only");
    row("critical-path T --exclusive", 2, "--exclusive goes with --streaming only");
    row("critical-path T --zeroing", 2, "--zeroing goes with --streaming only");
    row("critical-path T --top-share 4", 2, "--top-share goes with --streaming only");
    row("critical-path T --streaming --inclusive --exclusive", 2, "exclude each other");
    row("critical-path T --streaming --procedures 0,1", 0);
    row("critical-path T --streaming --procedures 0,start,Solver::start", 0);
    row("critical-path T --streaming --procedures 0,strat", 2, "no entry method 'strat'; did you mean start?");
    row("critical-path T --streaming --procedures 7", 2, "no entry method '7'");
    row("critical-path T --streaming --procedures ,", 2, "no entry method ''");
    row("critical-path T --streaming --procedures=", 2, "--procedures needs a value");
    row("critical-path T --streaming --sample soon", 2, "--sample");
    row("critical-path T --streaming --sample 0", 2, "--sample takes a time above zero");
    row("critical-path T --streaming --sample -1us", 2, "--sample");
    row("critical-path T --streaming --sample 1ns", 0);
    row("critical-path T --streaming --top-share 2", 0);
    row("critical-path T --streaming --without startup", 2, "--without does not go with --streaming");
    row("critical-path T --mode elapsed --without interrupted", 2, "--without interrupted goes with --mode work");
    row("critical-path T --without interrupted,startup", 0);
    row("critical-path T --streaming --top-share 0", 2, "--top-share takes a whole number");
    row("critical-path T --streaming --top-share some", 2, "--top-share takes a whole number");
    row("critical-path T --streaming --top-share 2 --inclusive", 2, "exclusive shares only");
    row("critical-path T --streaming --top-share 2 --procedures 0", 2, "exclude each other");
    row("critical-path T --streaming --from soon", 2, "--from");
    row("critical-path T --streaming --from 8us --until 2us", 2, "leave nothing");
    row("critical-path missing.longpole --streaming", 3, "no such file");
    row("critical-path T --mode elapsed", 0);
    row("critical-path T --mode elapsed --edges order", 0);
    row("critical-path T --mode elapsed --edges messages", 2, "implies --edges order");
    row("critical-path T --mode elapsed --edges merges", 2, "implies --edges order");
    row("critical-path T --mode sweep --to 0:0", 2, "--to");
    row("critical-path T --mode fastest", 2, "--mode takes");
    row("critical-path T --to 1:0", 0);
    row("critical-path T --to 1:9", 2, "PE 1 has tasks 1:0 to 1:0");
    row("critical-path T --to one", 2, "--to");
    row("critical-path T --from soon", 2, "--from");
    row("critical-path T --from 8us --until 2us", 2, "leave nothing");
    row("critical-path T --from 1us --until 5us", 0);
    row("critical-path T --range 1us..5us", 0);
    row("critical-path T --range 8us..2us", 2, "it ends before it begins");
    row("critical-path T --range 1us..5us --until 4us", 2, "--range excludes --from and --until");
    row("usage T --from 1us --until 5us", 0);
    row("usage T --range 1us..5us --from 2us", 2, "--range excludes --from and --until");
    row("usage T --from 8us --until 2us", 2, "leave nothing");
    row("activity-table T", 2, "--pe P is missing");
    row("activity-table T --pe 0,1", 2, "--pe takes one PE");
    row("activity-table T --pe 2", 2, "this run has PEs 0 to 1");
    row("activity-table T --pe 1 --edges merges", 0);
    row("advise T", 0);
    row("tree", 2, "needs a trace: longpole ");
    row("tree T", 0);
    row("tree --default-thresholds", 0);
    row("tree T --default-thresholds", 2, "stands alone");
    row("tree T --thresholds /nowhere.toml", 3, "/nowhere.toml");
    row("tree /nowhere", 3, "/nowhere");
    row("phases T", 0);
    row("efficiency T", 0);
    row("efficiency T --by-phase 3", 0);
    row("efficiency T --by-phase 0", 2, "--by-phase takes a whole number above zero, not '0'");
    row("efficiency T --by-phase 3 --until 8us", 2, "of the whole run");
    row("efficiency T --from 8us --until 2us", 2, "leave nothing");
    row("efficiency T --mode work", 2, "unknown option '--mode'");
    row("near-critical T", 0);
    row("near-critical T -k 3", 0);
    row("near-critical T -k3 --mode elapsed", 0);
    row("near-critical T -k 0", 2, "-k takes a whole number above zero, not '0'");
    row("near-critical T -k -1", 2, "-k takes a whole number above zero, not '-1'");
    row("near-critical T -k many", 2, "-k takes");
    row("near-critical T --min-new 5%", 0);
    row("near-critical T --min-new 0.05 -k 2", 0);
    row("near-critical T --min-new 101%", 2, "--min-new takes a share such as 5%");
    row("near-critical T --min-new few", 2, "--min-new takes a share such as 5%");
    row("near-critical T --mode sweep", 2, "--mode takes work or elapsed, not 'sweep'");
    row("near-critical T -x 3", 2, "unknown option '-x'");
    row("parallelism T", 0);
    row("parallelism T --edges merges -k 2", 0);
    row("parallelism T --edges order", 2, "--edges takes messages or merges");
    row("parallelism T --mode elapsed", 2, "unknown option '--mode'");
    row("parallelism T -k 0", 2, "-k takes");
    row("slack T", 0);
    row("slack T --mode elapsed", 0);
    row("slack T --mode sweep", 2, "--mode takes work or elapsed, not 'sweep'");
    row("slack T --mode elapsed --edges messages", 2, "implies --edges order");
    row("slack T --max soon", 2, "--max");
    row("slack T --limit 0", 2, "--limit takes a whole number above zero, not '0'");
    row("slack T --limit -3", 2, "--limit takes a whole number above zero, not '-3'");
    row("slack T --max 1us --limit 7 --from 1us", 0);
    row("graph T", 2, "-o FILE is missing");
    row("graph T -o D/graph.pdf", 2, ".png, .svg, .dot, .csv or .json");
    row("graph T --json --csv", 2, "exclude each other");
    row("graph T --csv --nodes 501", 2, "at most 500");
    row("graph T --csv --nodes none", 2, "whole number");
    row("graph T --csv --to 5:5", 2, "this run has PEs 0 to 1");
    row("graph T --csv --to x", 2, "--to");
    row("graph T --csv --range x..", 2, "--range");
    row("graph T --csv --pes 3", 2, "--pes");
    row("graph T --csv --pes 1 --range 1us..2us", 3, "no task to draw");
    row("graph T -o D/graph.dot --pes 0 --range 1us..8us --to 0:1 --theme dark --edges merges", 0);
    row("zeroing T", 0);
    row("zeroing T --mode elapsed --factor 50% --from 1us", 0);
    row("zeroing T --mode sweep", 2, "--mode takes work or elapsed, not 'sweep'");
    row("zeroing T --mode elapsed --edges merges", 2, "implies --edges order");
    row("zeroing T --entry start() --entry 1", 0);
    row("zeroing T --entry strat", 2, "There is no entry method 'strat'; did you mean start");
    row("zeroing T --entry 7", 2, "There is no entry method '7'");
    row("zeroing T --factor=-1/2", 2, "below zero");
    row("zeroing T --factor half", 2, "'half' is no factor");
    row("zeroing T --factor 1/0", 2, "'1/0' is no factor");
    row("zeroing T --factor 9223372036854775807", 2, "too large");
    row("replay T", 0);
    row("replay T --queue lifo --network zero-latency --balance perfect", 0);
    row("replay T --priority start()=-1 --priority 1=3 --factor start=50%", 0);
    row("replay T --queue prio --priority 0=1", 0);
    row("replay T --queue lifo -o D/lifo.longpole", 0);
    row("replay T -o D/lifo.csv", 0);
    row("replay T -o D/none/lifo.longpole", 3, "none");
    row("replay T --queue random", 2, "--queue takes fifo, lifo or prio");
    row("replay T --queue fifo --priority 0=1", 2, "--priority goes with --queue prio only");
    row("replay T --network slow", 2, "--network takes");
    row("replay T --balance some", 2, "--balance takes");
    row("replay T --priority start", 2, "--priority takes E=N, not 'start'");
    row("replay T --priority start=first", 2, "whole number, not 'first'");
    row("replay T --priority strat=1", 2, "There is no entry method 'strat'; did you mean start");
    row("replay T --factor 0=half", 2, "'half' is no factor");
    row("replay T --factor 0=2000000", 2, "between 0 and a million");
    row("replay T --factor =2", 2, "--factor takes E=P/Q");
    row("report T", 2, "-o FILE is missing");
    row("report T -o D/report.docx", 2, ".html");
    row("report T -o D/missing/report.html", 3, "cannot be written");
    row("report T -o D/report.md", 0);
    row("render T", 2, "-o FILE.png");
    row("render T -o D/picture.jpg", 2, ".png or .svg");
    row("render T -o D/picture.png --size small", 2, "--size takes");
    row("render T -o D/picture.png --size 1x1", 2, "--size takes");
    row("render T -o D/picture.png --theme pink", 2, "--theme takes");
    row("render T -o D/picture.png --pes 7", 2, "--pes");
    row("render T -o D/picture.png --range x..y", 2, "--range");
    row("render T -o D/picture.png --path --pes 0-1 --range 1us..5us --size 400x200 --theme dark", 0);
    row("render T -o D/picture.svg", 0);
    row("sql T", 2, "\"SELECT");
    row("import T -o D/copy.longpole", 3, "imported already");
    row("import T -o D/small.sts", 2, ".longpole");
    row("import T", 0);
    row("cache", 0);
    row("cache list", 0);
    row("cache lsit", 2, "did you mean list?");
    row("open", 2, "needs a trace: longpole ");
    row("open missing.sts", 3, "no such file");
}

void TestCommandLine::exitCodes()
{
    QFETCH(QString, words);
    QFETCH(int, code);
    QFETCH(QString, error);
    QStringList arguments;
    for (QString word : words.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        if (word == QLatin1String("T")) word = m_trace;
        if (word == QLatin1String("D")) word = m_folder.path();
        if (word.startsWith(QLatin1String("D/"))) word = m_folder.filePath(word.mid(2));
        arguments << word;
    }
    const Said said = m_program(arguments);
    QVERIFY2(said.code == code, qPrintable(QStringLiteral("%1: %2").arg(said.code).arg(said.error)));
    QVERIFY2(said.error.contains(error), qPrintable(said.error));
    // Beside what the trace's own checks say: a third of its few tasks was started by nobody that is known.
    const QString ofTrace = QStringLiteral(
        "longpole: 33.3 % of the tasks have no known sender: a path that meets one "
        "stops or goes on along its PE.\n");
    if (code == 0) QVERIFY2(said.error.isEmpty() || said.error == ofTrace, qPrintable(said.error));
    else QCOMPARE(said.out, QString());
}

void TestCommandLine::everyCommandExplainsItself_data()
{
    QTest::addColumn<QString>("name");
    for (const Command* command : commands()) QTest::newRow(command->name) << QString::fromUtf8(command->name);
}

void TestCommandLine::everyCommandExplainsItself()
{
    QFETCH(QString, name);
    const Said said = m_program({name, QStringLiteral("--help")});
    QCOMPARE(said.code, 0);
    QVERIFY(said.out.startsWith(QStringLiteral("Usage: longpole ") + name));
    for (const CommandOption& option : findCommand(name)->options)
        QVERIFY2(said.out.contains(QString::fromUtf8(option.help)), option.name);
    QCOMPARE(m_program({QStringLiteral("help"), name}).out, said.out);
    QVERIFY(m_program({QStringLiteral("--help")}).out.contains(QStringLiteral("  ") + name));
    static const QRegularExpression banned(QStringLiteral(
        "\\b(unless told|so many|the begin|PE-ms|user time|behind others|less sure because|processors)\\b"));
    for (const QString& textLine : said.out.split(QLatin1Char('\n')))
        QVERIFY2(!textLine.contains(banned) || textLine.contains(QStringLiteral("--over processors|time")),
                 qPrintable(textLine));
    for (const QString& textLine : said.out.split(QLatin1Char('\n')))
        QVERIFY2(textLine.size() <= 120 || textLine.startsWith(QStringLiteral("  -")), qPrintable(textLine));
}

void TestCommandLine::nearestNamesAreOffered_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QStringList>("near");
    const QStringList none;
    QTest::newRow("swapped letters") << QStringLiteral("ifno") << QStringList{QStringLiteral("info")};
    QTest::newRow("beginning") << QStringLiteral("crit") << QStringList{QStringLiteral("critical-path")};
    QTest::newRow("three fit") << QStringLiteral("re")
                               << QStringList{QStringLiteral("report"), QStringLiteral("render"),
                                              QStringLiteral("replay")};
    QTest::newRow("one letter off") << QStringLiteral("profil") << QStringList{QStringLiteral("profile")};
    QTest::newRow("upper case") << QStringLiteral("INFO") << QStringList{QStringLiteral("info")};
    QTest::newRow("far off") << QStringLiteral("xylophone") << none;
    QTest::newRow("nothing") << QString() << none;
}

void TestCommandLine::nearestNamesAreOffered()
{
    QFETCH(QString, typed);
    QFETCH(QStringList, near);
    QStringList names;
    for (const Command* command : commands()) names << QString::fromUtf8(command->name);
    QCOMPARE(nearestNames(typed, names), near);
}

void TestCommandLine::documentsNameEveryOption()
{
    for (const char* document : {"man", "bash-completion", "zsh-completion"}) {
        QString text = m_program({QStringLiteral("--generate"), QString::fromUtf8(document)}).out;
        text.replace(QStringLiteral("\\-"), QStringLiteral("-"));
        for (const Command* command : commands()) {
            QVERIFY2(text.contains(QString::fromUtf8(command->name)), document);
            for (const CommandOption& option : command->options)
                QVERIFY2(text.contains(QStringLiteral("-") + QString::fromUtf8(option.name)), option.name);
        }
    }
}

void TestCommandLine::bashCompletes_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QStringList>("completed");
    QTest::newRow("command") << QStringList{QStringLiteral("cri")} << QStringList{QStringLiteral("critical-path")};
    QTest::newRow("option") << QStringList{QStringLiteral("profile"), QStringLiteral("--b")}
                            << QStringList{QStringLiteral("--by")};
    QTest::newRow("choice") << QStringList{QStringLiteral("critical-path"), QStringLiteral("--mode"),
                                           QStringLiteral("e")}
                            << QStringList{QStringLiteral("elapsed")};
    QTest::newRow("command of help") << QStringList{QStringLiteral("help"), QStringLiteral("re")}
                                     << QStringList{QStringLiteral("report"), QStringLiteral("render"),
                                                    QStringLiteral("replay"), QStringLiteral("record"),
                                                    QStringLiteral("reduce")};
}

void TestCommandLine::bashCompletes()
{
    QFETCH(QStringList, words);
    QFETCH(QStringList, completed);
    const QString script = m_folder.filePath(QStringLiteral("longpole.bash"));
    QFile file(script);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(m_program({QStringLiteral("--generate"), QStringLiteral("bash-completion")}).out.toUtf8());
    file.close();
    QProcess bash;
    bash.setWorkingDirectory(m_folder.path());
    bash.start(
        QStringLiteral("bash"),
        QStringList{QStringLiteral("--norc"), QStringLiteral("-c"),
                    QStringLiteral("source longpole.bash; COMP_WORDS=(longpole \"$@\"); COMP_CWORD=$#; _longpole; "
                                   "printf '%s\\n' \"${COMPREPLY[@]}\""),
                    QStringLiteral("bash")}
            + words);
    if (!bash.waitForStarted()) QSKIP("bash is not installed");
    QVERIFY(bash.waitForFinished());
    QCOMPARE(QString::fromUtf8(bash.readAllStandardOutput()).split(QLatin1Char('\n'), Qt::SkipEmptyParts), completed);
    QCOMPARE(QString::fromUtf8(bash.readAllStandardError()), QString());
}

void TestCommandLine::openNeedsADisplay()
{
    for (const QStringList& words : {QStringList{QStringLiteral("open"), m_trace}, QStringList{m_trace}}) {
        const Said said = m_program(words);
        QCOMPARE(said.code, 3);
        QVERIFY2(said.error.contains(QStringLiteral("longpole report")), qPrintable(said.error));
    }
}

void TestCommandLine::readerThatGoesAwayIsSaid()
{
    QProcess shell;
    shell.start(QStringLiteral("sh"),
                {QStringLiteral("-c"),
                 QStringLiteral("{ \"$0\" sql \"$1\" \"WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n "
                                "WHERE i < 300000) SELECT i FROM n\" --csv; echo \"code $?\" >&2; } | head -n 1"),
                 QStringLiteral(LONGPOLE_PROGRAM), m_trace});
    QVERIFY(shell.waitForFinished(60'000));
    QCOMPARE(QString::fromUtf8(shell.readAllStandardOutput()), QStringLiteral("i\n"));
    QCOMPARE(QString::fromUtf8(shell.readAllStandardError()),
             QStringLiteral("longpole: The output is not whole: its reader has gone (standard output).\ncode 3\n"));
}

// Of longpole-mpi: how long its processes may be silent.
void TestCommandLine::waitsAreTimes()
{
    const auto taken = [](const QString& words) {
        QStringList arguments = words.split(QLatin1Char(' '));
        const auto wait = takeWait(arguments, std::chrono::minutes(30));
        return QStringLiteral("%1 %2").arg(wait ? wait->count() : -1).arg(arguments.join(QLatin1Char(' ')));
    };
    QCOMPARE(taken(QStringLiteral("run.lprec")), QStringLiteral("1800000 run.lprec"));
    QCOMPARE(taken(QStringLiteral("--wait 90s run.lprec")), QStringLiteral("90000 run.lprec"));
    QCOMPARE(taken(QStringLiteral("run.lprec --wait=10m")), QStringLiteral("600000 run.lprec"));
    for (const char* wrong : {"--wait", "--wait 0s", "--wait 20ms", "--wait never", "--wait -5s", "--wait 9999999m"})
        QVERIFY2(taken(QLatin1String(wrong)).startsWith(QStringLiteral("-1")), wrong);
}

LONGPOLE_TEST(TestCommandLine)
#include "tst_commandline.moc"
