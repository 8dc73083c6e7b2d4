// SPDX-License-Identifier: GPL-3.0-or-later
// longpole try: how often it runs what, what it measures, and what it says beside the prediction.
#include "app/jsonschema.h"
#include "app/program.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <nlohmann/json.hpp>

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace longpole;
using longpole::test::Program;
using longpole::test::Said;
using nlohmann::json;

class TestTry : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
    const QString m_trace = QStringLiteral(LONGPOLE_TEST_DATA "/chain_and_bulk_p6");

    QString path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }
    QByteArray contents(const char* name) const { return contentOf(path(name)); }

    void script(const char* name, const QByteArray& text) const { QVERIFY(writeScript(path(name), text)); }

    Said tried(const QStringList& options, const QStringList& command) const
    {
        return m_program(QStringList{QStringLiteral("try"), m_trace} + options + QStringList{QStringLiteral("--")}
                         + command);
    }

private Q_SLOTS:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        QVERIFY(QDir::setCurrent(m_folder.path()));  // where runs leave what they need
        script("app", "echo \"${PACE:-slow} $1\" >> " + path("log").toUtf8()
                          + "\ncase ${PACE:-slow}$1 in *fast) sleep 0.02;; *) sleep 0.08;; esac\n");
    }
    void cleanup()
    {
        QFile::remove(path("log"));
        // Nothing stays of what the runs needed.
        QCOMPARE(QDir(m_folder.path()).entryList({QStringLiteral(".longpole-try*")}, QDir::Dirs | QDir::Hidden),
                 QStringList());
    }

    void aVariableInTurn()
    {
        const Said said = tried({QStringLiteral("--with"), QStringLiteral("PACE=fast"), QStringLiteral("--runs"),
                                 QStringLiteral("5"), QStringLiteral("--json")},
                                {path("app")});
        QCOMPARE(said.code, 0);
        QVERIFY2(said.error.contains(QStringLiteral("runs 10 times: 5 without and 5 with PACE=fast, in turn")),
                 qPrintable(said.error));
        QCOMPARE(contents("log"), QByteArray("slow \nfast \nfast \nslow \nslow \nfast \nfast \nslow \nslow \nfast \n"));
        QCOMPARE(QString::fromStdString(test::violation(said.out.toStdString(), "try")), QString());
        const json answer = json::parse(said.out.toStdString());
        const json& measured = answer["measured"];
        QCOMPARE(measured["by"].get<std::string>(), std::string("wall"));
        QCOMPARE(measured["runs"].size(), 10u);
        QCOMPARE(measured["runs"][1]["with"].get<bool>(), true);
        QVERIFY(measured["decided"].get<bool>());
        const double low = measured["low"], median = measured["median"], high = measured["high"];
        QVERIFY(low <= median && median <= high && median > 0.3);
        QVERIFY(answer["predicted_gain"].is_null() && answer["inside"].is_null());
    }

    void oneCommandLineAgainstAnother()
    {
        const Said said = tried({QStringLiteral("--runs"), QStringLiteral("2")},
                                {path("app"), QStringLiteral("fast"), QStringLiteral("--versus"), path("app"),
                                 QStringLiteral("--slow")});
        QCOMPARE(said.code, 0);
        QCOMPARE(contents("log"), QByteArray("slow fast\nslow --slow\nslow --slow\nslow fast\n"));
        QVERIFY2(said.out.contains(QStringLiteral("Not decided: fewer than 5 pairs")), qPrintable(said.out));
        QVERIFY(said.out.contains(QStringLiteral("the time of the whole command, in 2 pairs of runs")));
        QVERIFY(said.out.contains(QStringLiteral("Predicted  nothing")));
    }

    // Priorities of the trace are predicted; a run that keeps to them ends with 0, another with 1.
    void predictionsAreHeldAgainstRuns()
    {
        const QString file = path("adv.json");
        QCOMPARE(m_program({QStringLiteral("advise"), m_trace, QStringLiteral("--priorities"), file}).code, 0);
        script("kept",
               "test -z \"$LONGPOLE_PRIORITIES\" || grep -q chain \"$LONGPOLE_PRIORITIES\" || exit 9\n"
               "if test -n \"$LONGPOLE_PRIORITIES\"; then sleep 0.255; else sleep 0.38; fi\n");
        const QStringList options{QStringLiteral("--priorities"), file, QStringLiteral("--runs"), QStringLiteral("3"),
                                  QStringLiteral("--json")};
        const Said kept = tried(options, {path("kept")});
        const json answer = json::parse(kept.out.toStdString());
        QVERIFY2(answer["predicted_gain"].is_array(), qPrintable(kept.out));
        const double low = answer["predicted_gain"][0], high = answer["predicted_gain"][1];
        const double median = answer["measured"]["median"];
        QVERIFY(low > 0.1 && high < 0.5);
        QCOMPARE(answer["inside"].get<bool>(), median >= low - 0.0005 && median <= high + 0.0005);
        QCOMPARE(kept.code, answer["inside"].get<bool>() ? 0 : 1);
        QCOMPARE(answer["missing"].size(), 0u);

        const Said ignored = tried(options, {QStringLiteral("sleep"), QStringLiteral("0.05")});
        QCOMPARE(ignored.code, 1);
        QVERIFY(!json::parse(ignored.out.toStdString())["inside"].get<bool>());
        QStringList asText = options;
        asText.removeLast();
        const Said text = tried(asText, {QStringLiteral("sleep"), QStringLiteral("0.05")});
        QCOMPARE(text.code, 1);
        QVERIFY2(text.out.contains(QStringLiteral("Not decided"))
                     || text.out.contains(QStringLiteral("not as predicted")),
                 qPrintable(text.out));
    }

    // What will run, each run when it ends, and what came of all, a line each: what the window reads.
    void followed()
    {
        const QStringList options{QStringLiteral("--with"), QStringLiteral("PACE=fast"), QStringLiteral("--runs"),
                                  QStringLiteral("2"), QStringLiteral("--follow")};
        const Said said = tried(options + QStringList{QStringLiteral("--json")}, {path("app")});
        QCOMPARE(said.code, 0);
        const QStringList lines = said.out.trimmed().split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), 6);
        const json first = json::parse(lines.front().toStdString());
        QCOMPARE(first["runs"].get<int>(), 4);
        QCOMPARE(first["change"].get<std::string>(), std::string("PACE=fast"));
        QVERIFY(first["predicted_gain"].is_null());
        QCOMPARE(QString::fromStdString(test::violation(lines.back().toStdString(), "try")), QString());
        const json whole = json::parse(lines.back().toStdString());
        for (int run = 1; run <= 4; ++run) {
            json line = json::parse(lines[run].toStdString());
            QCOMPARE(line["run"].get<int>(), run);
            QCOMPARE(line["by"].get<std::string>(), std::string("wall"));
            line.erase("run");
            line.erase("by");
            QVERIFY(line == whole["measured"]["runs"][std::size_t(run) - 1]);
        }
        const Said text = tried(options, {path("app")});
        QVERIFY2(text.out.startsWith(QStringLiteral("Run 1 of 4  without  ")), qPrintable(text.out));
        QVERIFY(text.out.contains(QStringLiteral("\nRun 2 of 4  with     ")));
        QVERIFY(text.out.contains(QStringLiteral("\n\nTried      PACE=fast\n")));
        const Said rows = tried(options + QStringList{QStringLiteral("--csv")}, {path("app")});
        QCOMPARE(rows.out.count(QLatin1Char('\n')), 5);
        QVERIFY(rows.out.startsWith(QStringLiteral("run,with,duration_ns\n1,0,")));
    }

    // The report of the run has it as a section behind the advice; so has one to which it is added later. What the
    // program finds in its environment is the user's, though pictures are drawn.
    void inTheReport()
    {
        script("platform", "echo \"${QT_QPA_PLATFORM-none}\" >> " + path("log").toUtf8() + "\nsleep 0.01\n");
        const QStringList options{QStringLiteral("--with"), QStringLiteral("A=1"), QStringLiteral("--runs"),
                                  QStringLiteral("1"), QStringLiteral("-o")};
        const Said page = tried(options + QStringList{path("run.html")}, {path("platform")});
        QVERIFY2(page.code == 0 && page.error.contains(QStringLiteral("Not decided")), qPrintable(page.error));
        QCOMPARE(contents("log"), QByteArray("none\nnone\n"));
        const QByteArray html = contents("run.html");
        QVERIFY(html.contains("What was tried") && html.contains("With A=1") && html.contains("data:image/png"));
        QVERIFY(html.indexOf("<h2>What was tried") > html.indexOf("<h2>What to do first"));

        QCOMPARE(tried(options + QStringList{path("trial.json")}, {path("platform")}).code, 0);
        const auto report = [&](const char* tried, const char* to) {
            return m_program({QStringLiteral("report"), m_trace, QStringLiteral("--sections"), QStringLiteral("run"),
                              QStringLiteral("--tried"), path(tried), QStringLiteral("-o"), path(to)});
        };
        const Said later = report("trial.json", "later.json");
        QVERIFY2(later.code == 0, qPrintable(later.error));
        QCOMPARE(QString::fromStdString(test::violation(contents("later.json").toStdString(), "report")), QString());
        const json findings = json::parse(contents("later.json").toStdString())["findings"];
        QCOMPARE(findings.size(), 2u);
        QCOMPARE(findings[0]["id"].get<std::string>(), std::string("trial"));
        QVERIFY(findings[0]["result"][0] == json::parse(contents("trial.json").toStdString()));
        QCOMPARE(report("trial.json", "later.md").code, 0);
        QVERIFY(contents("later.md").contains("## What was tried\n\n### 1. With A=1\n"));
        const Said foreign = report("run.html", "none.md");
        QCOMPARE(foreign.code, 3);
        QVERIFY(foreign.error.contains(QStringLiteral("does not hold what was tried")));
        QCOMPARE(report("absent.json", "none.md").code, 3);
    }

    // Where a report is drawn, too: words that Qt knows are the program's.
    void wordsOfTheProgram()
    {
        script("words", "echo \"$*\" >> " + path("said").toUtf8() + "\nsleep 0.01\n");
        const Said said = tried({QStringLiteral("--with"), QStringLiteral("A=1"), QStringLiteral("--runs"),
                                 QStringLiteral("1"), QStringLiteral("-o"), path("words.html")},
                                {path("words"), QStringLiteral("-reverse"), QStringLiteral("-plugin"),
                                 QStringLiteral("x"), QStringLiteral("-platform"), QStringLiteral("xcb"),
                                 QStringLiteral("input")});
        QVERIFY2(said.code == 0, qPrintable(said.error));
        QCOMPARE(contents("said"), QByteArray("-reverse -plugin x -platform xcb input\n").repeated(2));
    }

    // A program that leaves Projections logs is measured by them, however short it runs; logs that lay there before are
    // not its own, whatever their date, which copies have.
    void logsOfTheRun()
    {
        QVERIFY(QDir().mkpath(path("work")));
        QFile earlier(path("work/earlier.sts"));
        QVERIFY(earlier.open(QIODevice::WriteOnly));
        QVERIFY(earlier.setFileTime(QDateTime(QDate(2037, 2, 2), QTime(2, 2), Qt::UTC),
                                    QFileDevice::FileModificationTime));
        earlier.close();
        const QDir data(QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4"));
        for (const QString& name : data.entryList(QDir::Files))
            QVERIFY(QFile::copy(data.filePath(name), path("work/") + QStringLiteral("kept.") + name));
        script("logs",
               "for f in kept.*; do cp $f ${f#kept.}; done\ntouch here\n"
               "[ $(date -u -r earlier.sts +%F) = 2037-02-02 ]\n");
        const Said said = tried({QStringLiteral("--with"), QStringLiteral("A=1"), QStringLiteral("--runs"),
                                 QStringLiteral("5"), QStringLiteral("--in"), path("work"), QStringLiteral("--json")},
                                {path("logs")});
        QCOMPARE(said.error.count(QStringLiteral("each in a copy of")), 1);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        const json measured = json::parse(said.out.toStdString())["measured"];
        QCOMPARE(measured["by"].get<std::string>(), std::string("projections"));
        const Said info = m_program({QStringLiteral("info"), data.path(), QStringLiteral("--json")});
        const auto with = measured["with_ns"].get<std::int64_t>();
        const json there = json::parse(info.out.toStdString());
        QCOMPARE(with, there["end_ns"].get<std::int64_t>() - there["begin_ns"].get<std::int64_t>());
        QCOMPARE(measured["without_ns"].get<std::int64_t>(), with);
        QVERIFY(!measured["decided"].get<bool>());
        QVERIFY(!QFile::exists(path("work/here")));  // it was a copy
    }

    // All runs are in the folder where the first one was, whatever has got its name meanwhile.
    void theWorkingFolderLosesItsName()
    {
        QVERIFY(QDir().mkpath(path("working")));
        script("mover", "echo run >> here\n[ -e ../moved ] || { mv ../working ../moved && mkdir ../working; }\n");
        QProcess process;
        process.setWorkingDirectory(path("working"));
        m_program.start(process, {QStringLiteral("try"), m_trace, QStringLiteral("--with"), QStringLiteral("A=1"),
                                  QStringLiteral("--runs"), QStringLiteral("2"), QStringLiteral("--"), path("mover")});
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitCode(), 0);
        const auto left = [this](const char* folder) {
            return QDir(path(folder)).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
        };
        QCOMPARE(left("working"), QStringList());
        QCOMPARE(left("moved"), QStringList{QStringLiteral("here")});
        QCOMPARE(contents("moved/here").count("run\n"), 4);
    }

    // What is told to end does so while it copies, and leaves nothing.
    void endsWhileItCopies()
    {
        QVERIFY(QDir().mkpath(path("many")));
        QFile huge(path("many/huge"));
        QVERIFY(huge.open(QIODevice::WriteOnly));
        const QByteArray block(1 << 20, 'x');
        for (int i = 0; i < 256; ++i) QVERIFY(huge.write(block) == block.size());
        huge.close();
        QProcess process;
        process.setWorkingDirectory(m_folder.path());
        m_program.start(process, {QStringLiteral("try"), m_trace, QStringLiteral("--with"), QStringLiteral("A=1"),
                                  QStringLiteral("--in"), path("many"), QStringLiteral("--"), QStringLiteral("true")});
        const QStringList copies{QStringLiteral(".longpole-try*")};
        const auto found = [&] { return QDir(m_folder.path()).entryList(copies, QDir::Dirs | QDir::Hidden); };
        QTRY_VERIFY_WITH_TIMEOUT(!found().isEmpty(), 30'000);
        process.terminate();
        QVERIFY(process.waitForFinished(10'000));
        QCOMPARE(found(), QStringList());
        QVERIFY(huge.remove());
    }

    // A file that is larger than the disk may be, but for a word before its end, is copied as such.
    void holesStayHoles()
    {
        QVERIFY(QDir().mkpath(path("sparse")));
        QFile holes(path("sparse/holes"));
        constexpr qint64 size = qint64{1} << 38;
        QVERIFY(holes.open(QIODevice::WriteOnly) && holes.resize(size) && holes.seek(size - 4096));
        QVERIFY(holes.write("word") == 4);
        holes.close();
        script(
            "reader",
            "[ $(stat -c %s holes) = 274877906944 ] && [ $(stat -c %b holes) -lt 64 ] || exit 7\n"
            "[ $(tail -c 4096 holes | head -c 4) = word ] && tail -c 4092 holes | tr -d '\\000' | grep -q . && exit 8\n"
            "exit 0\n");
        const Said said = tried({QStringLiteral("--with"), QStringLiteral("A=1"), QStringLiteral("--runs"),
                                 QStringLiteral("1"), QStringLiteral("--in"), path("sparse")},
                                {path("reader")});
        QVERIFY2(said.code == 0, qPrintable(said.error));
    }

    // The folder where it runs: the copy would have a copy of itself, and so on.
    void aCopyOfTheFolderItIsIn()
    {
        QVERIFY(QDir().mkpath(path("work/sub")));
        script("work/sub/kept", "");
        script("inside", "test -x work/sub/kept || exit 7\nls -A > " + path("listed").toUtf8() + '\n');
        const Said said = tried({QStringLiteral("--with"), QStringLiteral("A=1"), QStringLiteral("--runs"),
                                 QStringLiteral("1"), QStringLiteral("--in"), QStringLiteral(".")},
                                {QStringLiteral("./inside")});
        QVERIFY2(said.code == 0, qPrintable(said.error));
        QVERIFY(!contents("listed").contains(".longpole-try"));
        QVERIFY(contents("listed").contains("inside"));
    }

    // A link into the folder is one into the copy, whichever way it takes; one that leads out of it leads there.
    void linksIntoTheFolder()
    {
        QVERIFY(QDir().mkpath(path("linked")));
        script("linked/data", "");
        const QByteArray before = contents("linked/data");
        QVERIFY(QFile::link(path("linked/data"), path("linked/out")));
        QVERIFY(QFile::link(QStringLiteral("data"), path("linked/near")));
        QVERIFY(QFile::link(QStringLiteral("../linked/data"), path("linked/round")));
        script("beside", "kept");
        QVERIFY(QFile::link(QStringLiteral("../beside"), path("linked/away")));
        // Inside by its parts, but not by where they lead.
        QVERIFY(QFile::link(QStringLiteral("."), path("linked/here")));
        QVERIFY(QFile::link(QStringLiteral("here/here/../../beside"), path("linked/over")));
        QCOMPARE(::link(QFile::encodeName(path("linked/data")).constData(),
                        QFile::encodeName(path("linked/twin")).constData()),
                 0);
        script("writer",
               "[ $(stat -c %h data) = 2 ] && [ data -ef twin ] && ! grep -q kept over || exit 6\n"
               "grep -q kept away || exit 8\n"
               "for link in out near round; do test -L $link || exit 7; echo over > $link; done\n");
        const Said said = tried({QStringLiteral("--with"), QStringLiteral("A=1"), QStringLiteral("--runs"),
                                 QStringLiteral("1"), QStringLiteral("--in"), path("linked")},
                                {path("writer")});
        QVERIFY2(said.code == 0, qPrintable(said.error));
        QCOMPARE(contents("linked/data"), before);
    }

    void failures_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QStringList>("command");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("says");
        const QStringList change{QStringLiteral("--with"), QStringLiteral("A=1")};
        const QStringList app{QStringLiteral("true")};
        QTest::newRow("a run fails") << change << QStringList{path("failing")} << 3 << QStringLiteral("exit code 7");
        QTest::newRow("its words") << change << QStringList{path("failing")} << 3 << QStringLiteral("no mesh");
        QTest::newRow("no program") << change << QStringList{QStringLiteral("./nothing")} << 3
                                    << QStringLiteral("cannot be started");
        QTest::newRow("no change") << QStringList() << app << 2 << QStringLiteral("say what to try");
        QTest::newRow("no value") << QStringList{QStringLiteral("--with"), QStringLiteral("A")} << app << 2
                                  << QStringLiteral("NAME=VALUE");
        QTest::newRow("half a pair") << QStringList() << QStringList{app.front(), QStringLiteral("--versus")} << 2
                                     << QStringLiteral("before and after --versus");
        QTest::newRow("no runs") << change + QStringList{QStringLiteral("--runs"), QStringLiteral("0")} << app << 2
                                 << QStringLiteral("above zero");
        QTest::newRow("too many") << change + QStringList{QStringLiteral("--runs"), QStringLiteral("100000")} << app
                                  << 2 << QStringLiteral("more than");
        QTest::newRow("two places") << change
                                           + QStringList{QStringLiteral("--follow"), QStringLiteral("-o"),
                                                         path("x.json")}
                                    << app << 2 << QStringLiteral("without -o");
        QTest::newRow("no folder") << change + QStringList{QStringLiteral("--in"), path("nowhere")} << app << 3
                                   << QStringLiteral("no such folder");
        const auto priorities = [](const QString& file) { return QStringList{QStringLiteral("--priorities"), file}; };
        QTest::newRow("no priorities") << priorities(path("absent.json")) << app << 3
                                       << QStringLiteral("cannot be read");
        QTest::newRow("foreign") << priorities(m_trace + QStringLiteral("/prio.sts")) << app << 3
                                 << QStringLiteral("holds no priorities");
    }
    void failures()
    {
        QFETCH(QStringList, options);
        QFETCH(QStringList, command);
        script("failing", "echo no mesh\nexit 7\n");
        const Said said = tried(options, command);
        QTEST(said.code, "code");
        QFETCH(QString, says);
        QVERIFY2(said.error.contains(says), qPrintable(said.error));
        QCOMPARE(said.out, QString());
    }

    // --memory is ours: the program has what it would have without us.
    void memoryIsNotInherited()
    {
        script("limits", "ulimit -d >> " + path("log").toUtf8() + "\n");
        QProcess plain;
        QCOMPARE(m_program.run(plain, path("limits"), {}).code, 0);
        const Said said = tried({QStringLiteral("--with"), QStringLiteral("A=1"), QStringLiteral("--runs"),
                                 QStringLiteral("1"), QStringLiteral("--memory"), QStringLiteral("512M")},
                                {path("limits")});
        QCOMPARE(said.code, 0);
        const QList<QByteArray> lines = contents("log").trimmed().split('\n');
        QCOMPARE(lines.size(), 3);
        QCOMPARE(lines[1], lines[0]);
        QCOMPARE(lines[2], lines[0]);
    }

    // SIGTERM ends the program with all that it started, and leaves nothing.
    void interrupted()
    {
        script("long", "sleep 60 & echo $! > " + path("child").toUtf8() + "\nwait\n");
        QProcess process;
        m_program.start(process, {QStringLiteral("try"), m_trace, QStringLiteral("--with"), QStringLiteral("A=1"),
                                  QStringLiteral("--"), path("long")});
        QTRY_VERIFY_WITH_TIMEOUT(contents("child").endsWith('\n'), 10'000);
        process.terminate();
        QVERIFY(process.waitForFinished(10'000));
        const pid_t child = contents("child").trimmed().toInt();
        QTRY_VERIFY(kill(child, 0) != 0);
        QVERIFY(process.exitStatus() == QProcess::CrashExit || process.exitCode() != 0);
    }
};

LONGPOLE_TEST(TestTry)
#include "tst_try.moc"
