// SPDX-License-Identifier: GPL-3.0-or-later
// longpole charm: how charmc is called, and, where LONGPOLE_CHARM names a Charm++, what the module does to a program.
#include "app/jsonschema.h"
#include "app/program.h"
#include "app/record/charmprogram.h"

#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <algorithm>
#include <vector>

#include <sys/stat.h>

using namespace longpole;
using longpole::test::charmProgram;
using longpole::test::Program;
using longpole::test::Said;

class TestCharm : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
    QString m_charm = qEnvironmentVariable("LONGPOLE_CHARM");
    QString m_app;  // linked with the module

    QString path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }
    QByteArray contents(const char* name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void write(const char* name, const QByteArray& text) const
    {
        QFile out(path(name));
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(text);
        out.close();
    }
    Said built(const QString& charm, const QString& to) const
    {
        return m_program({QStringLiteral("charm"), QStringLiteral("--build"), charm, QStringLiteral("-o"), to});
    }
    // A charmc that notes how it is called, and does what is told.
    QString fakeCharm(const QByteArray& does) const
    {
        QDir(m_folder.path()).mkpath(QStringLiteral("charm/bin"));
        write("charm/bin/charmc", "#!/bin/sh\necho \"$@\" >> '" + path("calls").toUtf8() + "'\n" + does);
        QFile::setPermissions(path("charm/bin/charmc"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path("charm");
    }

    // The program on four PEs, or another command of it.
    Said run(const QStringList& options, const char* variable = nullptr, const char* value = nullptr) const
    {
        QProcess process;
        Program program = m_program;
        if (variable) program.set(QString::fromLatin1(variable), QString::fromUtf8(value));
        return program.run(process, m_app,
                           QStringList{QStringLiteral("+p4"), QStringLiteral("+setcpuaffinity")} + options);
    }
    // Median of five, in milliseconds.
    double took(const QStringList& options) const
    {
        std::vector<double> times;
        for (int i = 0; i < 5; ++i) {
            static const QRegularExpression time(QStringLiteral("took ([0-9.]+) ms"));
            times.push_back(time.match(run(options).out).captured(1).toDouble());
        }
        std::nth_element(times.begin(), times.begin() + 2, times.end());
        return times[2];
    }
    bool hasCharm()
    {
        if (m_app.isEmpty() && !m_charm.isEmpty()) {
            const QString sources = QStringLiteral(LONGPOLE_CHARM_PROGRAMS "/overtaken");
            m_app = charmProgram(m_program, m_charm, m_folder.path(), sources, {});
        }
        return !m_app.isEmpty();
    }
    static constexpr const char* noCharm = "set LONGPOLE_CHARM to a Charm++ that was built (multicore-linux-x86_64)";

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void init() { QFile::remove(path("calls")); }

    void charmcIsCalled()
    {
        const QString charm = fakeCharm(
            "ls > '" + path("listed").toUtf8()
            + "'\ncase $1 in -o) echo built > \"$2\";; *.ci) echo declared > longpole.decl.h;; esac\n");
        const QString to = m_folder.filePath(QStringLiteral("my modules"));
        const Said said = built(charm, to);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        // All of the module's sources, one after the other.
        const QDir sources(QStringLiteral(LONGPOLE_CHARM_MODULE));
        QByteArray calls = "longpole.ci\n", objects;
        for (const QString& source : sources.entryList({QStringLiteral("*.C")}, QDir::Files, QDir::Name)) {
            if (source.startsWith(QStringLiteral("preload"))) continue;  // for a Charm++ of shared libraries
            calls += "-c -O2 " + source.toUtf8() + '\n';
            objects += ' ' + source.toUtf8().chopped(1) + 'o';
        }
        QCOMPARE(contents("calls"), calls + "-o libmodulelongpole.a" + objects + '\n');
        for (const QString& source : sources.entryList(QDir::Files))
            QVERIFY2(contents("listed").contains(source.toUtf8()), qPrintable(source));
        QCOMPARE(QDir(to).entryList(QDir::Files | QDir::Hidden, QDir::Name),
                 (QStringList{QStringLiteral("libmodulelongpole.a"), QStringLiteral("longpole.decl.h"),
                              QStringLiteral("longpole.h")}));
        QVERIFY(said.out.startsWith(to + QStringLiteral("/libmodulelongpole.a\n")));
        // A shell takes the line as it is.
        QVERIFY2(said.out.contains(
                     QStringLiteral("charmc ... -L'%1' -module longpole -Wl,--wrap=CqsEnqueueGeneral").arg(to)),
                 qPrintable(said.out));
        // Again, over what is there; and charmc itself.
        QCOMPARE(built(charm + QStringLiteral("/bin/charmc"), to).code, 0);
    }

    // A Charm++ that is built as shared libraries, too.
    void preloadIsBuilt()
    {
        const QString charm = fakeCharm(
            "while [ $# -gt 0 ]; do case $1 in -o) echo built > \"$2\";; *.ci) echo > longpole.decl.h;; esac; shift; "
            "done\n");
        QVERIFY(QDir(charm).mkpath(QStringLiteral("lib_so")));
        write("charm/lib_so/libck.so", "");
        const QString to = path("preloading");
        const Said said = built(charm, to);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        const QByteArray calls = contents("calls");
        QVERIFY2(calls.contains("-c -O2 -fPIC preload.C\n") && calls.contains("-c -O2 -fPIC auto.C\n"), calls.data());
        QVERIFY2(calls.contains("\n-shared -standalone -o liblongpole-charm.so preload.o -ldl\n"), calls.data());
        // The library that is linked has nothing of what is preloaded, and what is preloaded all of it.
        const QList<QByteArray> lines = calls.split('\n');
        for (const QByteArray& line : lines) {
            if (line.startsWith("-o libmodulelongpole.a")) QVERIFY(!line.contains("preload"));
            if (line.contains("-o liblongpole-charm-module.so"))
                QVERIFY(line.contains(" auto.o ") && line.contains(" preloaded.o") && !line.contains(" preload.o"));
        }
        QVERIFY2(said.out.contains(QStringLiteral("LD_PRELOAD=%1/liblongpole-charm.so ./app").arg(to)),
                 qPrintable(said.out));
        const Said quoted = built(charm, path("pre;loading"));  // a shell takes the line as it is
        QVERIFY2(
            quoted.out.contains(QStringLiteral("LD_PRELOAD='%1/liblongpole-charm.so' ./app").arg(path("pre;loading"))),
            qPrintable(quoted.out));
        const Said blank = built(charm, path("pre loading"));
        QVERIFY2(blank.out.contains(QStringLiteral("LD_PRELOAD takes no path with blanks")), qPrintable(blank.out));
        QDir(charm + QStringLiteral("/lib_so")).removeRecursively();
    }

    void charmcFails()
    {
        const QString charm = fakeCharm(
            "case $2 in -O2) echo one; echo 'envelope.h: no such thing' >&2; exit 7;; esac\n");
        const Said said = built(charm, path("failed"));
        QCOMPARE(said.code, 3);
        QVERIFY2(said.error.contains(QStringLiteral("charmc could not build the module; its exit code is 7"))
                     && said.error.contains(QStringLiteral("one | envelope.h: no such thing")),
                 qPrintable(said.error));
        QVERIFY(!QFile::exists(path("failed/libmodulelongpole.a")));
    }

    // What a program with +longpole-auto noted is shown; a line that is still written is left out.
    void decisionsAreShown()
    {
        const QByteArray kept =
            "{\"format\":\"longpole-auto\",\"version\":1,\"time_s\":4.5,\"decision\":\"kept\",\"trial\":1,"
            "\"measure\":\"iterations\",\"scheme\":\"path\",\"entries\":[{\"ep\":7,\"name\":\"A::b(int  "
            "c)\",\"prio\":-5}],"
            "\"gain\":0.25,\"off\":{\"median_s\":0.02,\"low_s\":0.019,\"high_s\":0.021,\"count\":12},"
            "\"on\":{\"median_s\":0.015,\"low_s\":0.0149,\"high_s\":0.016,\"count\":11}}\n";
        write("auto.jsonl", kept + "{\"format\":\"longpole-auto\",\"version\":1,\"time_s\":5,\"deci");
        const QStringList show{QStringLiteral("charm"), QStringLiteral("--decisions"), path("auto.jsonl")};
        const Said text = m_program(show);
        QCOMPARE(text.code, 0);
        QCOMPARE(text.out, QStringLiteral("After 4.500 s: kept, a gain of 25.0 %\n"
                                          "  Preferred  A::b(int  c)\n"
                                          "  Without    20 ms (19 ms to 21 ms, 12 of them)\n"
                                          "  With       15 ms (14.90 ms to 16 ms, 11 of them)\n"
                                          "  Measured   iterations\n"));
        const Said csv = m_program(show + QStringList{QStringLiteral("--csv")});
        QCOMPARE(csv.out,
                 QStringLiteral("time_ns,decision,entries,gain,without_ns,with_ns,measure\n"
                                "4500000000,\"kept\",\"A::b(int  c)\",0.25,20000000,15000000,\"iterations\"\n"));
        const Said json = m_program(show + QStringList{QStringLiteral("--json")});
        QCOMPARE(QString::fromStdString(longpole::test::violation(json.out.toStdString(), "decisions")), QString());
        write("auto.jsonl", kept + "{}\n");
        const Said wrong = m_program(show);
        QCOMPARE(wrong.code, 3);
        QVERIFY2(wrong.error.contains(QStringLiteral("auto.jsonl, line 2")), qPrintable(wrong.error));
        write("auto.jsonl", "");
        QCOMPARE(m_program(show).out, QStringLiteral("Nothing was decided.\n"));
        QCOMPARE(m_program({QStringLiteral("charm"), QStringLiteral("--decisions"), path("nowhere")}).code, 3);
        QCOMPARE(m_program(show + QStringList{QStringLiteral("--build"), QStringLiteral("x")}).code, 2);
    }

    void decisionsAreWritten()
    {
        write("written.jsonl", "");
        const auto to = [&](const char* file) {
            return m_program({QStringLiteral("charm"), QStringLiteral("--decisions"), path("written.jsonl"),
                              QStringLiteral("-o"), path(file)});
        };
        QCOMPARE(to("decisions.txt").out, QString());
        QCOMPARE(contents("decisions.txt"), QByteArray("Nothing was decided.\n"));
        QCOMPARE(to("decisions.csv").code, 0);
        QVERIFY(contents("decisions.csv").startsWith("time_ns,decision"));
        QVERIFY(QFile::link(path("target"), path("link.json")));
        QCOMPARE(to("link.json").code, 3);
        QVERIFY(!QFile::exists(path("target")));
        QCOMPARE(to("decisions.png").code, 2);
    }

    // What lies in the folder and is not the module's stays.
    void foreignFilesStay()
    {
        const QString charm = fakeCharm("case $1 in -o) echo built > \"$2\";; *.ci) echo > longpole.decl.h;; esac\n");
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("own")));
        write("own/longpole.h.part", "mine");
        QCOMPARE(built(charm, path("own")).code, 0);
        QCOMPARE(contents("own/longpole.h.part"), QByteArray("mine"));
        write("own/longpole.h", "struct LongPole {};\n");
        const Said refused = built(charm, path("own"));
        QCOMPARE(refused.code, 3);
        QVERIFY2(refused.error.contains(QStringLiteral("it is left as it is")), qPrintable(refused.error));
        QCOMPARE(contents("own/longpole.h"), QByteArray("struct LongPole {};\n"));
        // The guard that anybody would choose; a library without a header.
        const QByteArray stub = "#ifndef LONGPOLE_H\n#define LONGPOLE_H\n#endif\n";
        write("own/longpole.h", stub);
        QCOMPARE(built(charm, path("own")).code, 3);
        QCOMPARE(contents("own/longpole.h"), stub);
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("theirs")));
        write("theirs/libmodulelongpole.a", "mine");
        const Said library = built(charm, path("theirs"));
        QCOMPARE(library.code, 3);
        QVERIFY2(library.error.contains(QStringLiteral("libmodulelongpole.a")), qPrintable(library.error));
        QCOMPARE(contents("theirs/libmodulelongpole.a"), QByteArray("mine"));
        QCOMPARE(QDir(path("theirs")).entryList(QDir::Files).size(), 1);
    }

    // A file of a stranger: times that no nanoseconds hold, and a pipe, which would be waited for.
    void decisionsOfStrangers()
    {
        const QStringList show{QStringLiteral("charm"), QStringLiteral("--decisions"), path("evil.jsonl")};
        for (const char* const time : {"1e300", "-1", "9.3e9"}) {
            write("evil.jsonl",
                  QByteArray("{\"format\":\"longpole-auto\",\"version\":1,\"decision\":\"kept\",\"time_s\":") + time
                      + "}\n");
            const Said said = m_program(show);
            QCOMPARE(said.code, 3);
            QVERIFY2(said.error.contains(QStringLiteral("evil.jsonl, line 1")), qPrintable(said.error));
        }
        QVERIFY(QFile::remove(path("evil.jsonl")));
        QCOMPARE(::mkfifo(QFile::encodeName(path("evil.jsonl")).constData(), 0600), 0);
        const Said said = m_program(show);
        QCOMPARE(said.code, 3);
        QVERIFY2(said.error.contains(QStringLiteral("no ordinary file")), qPrintable(said.error));
        QVERIFY(QFile::remove(path("evil.jsonl")));
        QVERIFY(QFile::link(QStringLiteral("/proc/self/status"), path("evil.jsonl")));
        QVERIFY(m_program(show).error.contains(QStringLiteral("no ordinary file")));
    }

    void wrongCalls_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("says");
        const QString build = QStringLiteral("--build");
        QTest::newRow("nothing") << QStringList{} << 2 << QStringLiteral("--build CHARMDIR");
        QTest::newRow("no folder") << QStringList{build, path("nowhere")} << 3 << QStringLiteral("no bin/charmc");
        QTest::newRow("no charmc") << QStringList{build, m_folder.path()} << 3
                                   << QStringLiteral("multicore-linux-x86_64");
        QTest::newRow("onto a file") << QStringList{build, fakeCharm(""), QStringLiteral("-o"),
                                                    path("charm/bin/charmc")}
                                     << 3 << QStringLiteral("no folder");
        QTest::newRow("into nothing") << QStringList{build, fakeCharm(""), QStringLiteral("-o"),
                                                     QStringLiteral("/proc/none")}
                                      << 3 << QStringLiteral("cannot be made");
    }
    void wrongCalls()
    {
        QFETCH(QStringList, words);
        QFETCH(int, code);
        QFETCH(QString, says);
        const Said said = m_program(QStringList{QStringLiteral("charm")} + words);
        QCOMPARE(said.code, code);
        QVERIFY2(said.error.contains(says), qPrintable(said.error));
    }

    // A priority from a file does what the same priority in the program's source does.
    void priorityIsApplied()
    {
        if (!hasCharm()) QSKIP(noCharm);
        write(
            "adv.csv",
            "ep,name,prio,count,class\n3,\"Node::token(int  hop, int prefers)\",-5,40,GOOD\n1,Node::gone(),-5,1,GOOD\n"
            "2,Node::unqueued(),-5,1,GOOD\n");
        const QStringList file{QStringLiteral("+longpole-priorities"), path("adv.csv")};
        const double plain = took({}), byHand = took({QStringLiteral("1")}), applied = took(file);
        const QString said = QStringLiteral("%1 plain, %2 by hand, %3 by the file").arg(plain).arg(byHand).arg(applied);
        QVERIFY2(byHand < plain * 0.8, qPrintable(said));
        QVERIFY2(std::abs(applied - byHand) < plain * 0.05, qPrintable(said));
        const QString out = run(file).out;
        QVERIFY2(out.contains(QStringLiteral("Longpole: priorities of 2 entry methods from ")), qPrintable(out));
        QVERIFY2(out.contains(QStringLiteral("1 row names no entry method of this program: Node::gone()")),
                 qPrintable(out));
        QVERIFY2(out.contains(QStringLiteral("Node::token(int hop, int prefers): 96 messages had priority -5")),
                 qPrintable(out));
        QVERIFY2(out.contains(QStringLiteral("Node::unqueued(): no message passed the queue")), qPrintable(out));
        // The program does not see the module's options.
        QVERIFY2(took(file) < byHand + plain * 0.05, "an option reached the program");
    }

    void programsOwnIsKept()
    {
        if (!hasCharm()) QSKIP(noCharm);
        write("adv.json",
              "{\"format\":\"charm-autoprio\",\"version\":1,"
              "\"entries\":[{\"name\":\"Node::token(int hop, int prefers)\",\"prio\":-5}]}");
        const QByteArray file = path("adv.json").toUtf8();
        const QString kept = run({QStringLiteral("1")}, "LONGPOLE_PRIORITIES", file.constData()).out;
        QVERIFY2(kept.contains(QStringLiteral("96 kept the program's own (+longpole-override changes that)")),
                 qPrintable(kept));
        const QString replaced = run({QStringLiteral("1"), QStringLiteral("+longpole-override")}, "LONGPOLE_PRIORITIES",
                                     file.constData())
                                     .out;
        QVERIFY2(replaced.contains(QStringLiteral("96 messages had priority -5\n")), qPrintable(replaced));
    }

    // The program runs on as if there were no file.
    void brokenFiles_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("foreign") << QByteArray("a,b\n1,2\n") << QStringLiteral("it holds no priorities");
        QTest::newRow("cut") << QByteArray("{\"format\":\"charm-au") << QStringLiteral("it is no JSON, or cut");
        QTest::newRow("missing") << QByteArray() << QStringLiteral("it cannot be read: No such file or directory");
    }
    void brokenFiles()
    {
        if (!hasCharm()) QSKIP(noCharm);
        QFETCH(QByteArray, text);
        QFETCH(QString, says);
        if (text.isEmpty()) QFile::remove(path("broken"));
        else write("broken", text);
        const Said said = run({QStringLiteral("+longpole-priorities"), path("broken")});
        QCOMPARE(said.code, 0);
        QVERIFY2(said.out.contains(QStringLiteral("no priorities are used: ") + path("broken") + QStringLiteral(": ")
                                   + says),
                 qPrintable(said.out));
        QVERIFY(said.out.contains(QStringLiteral("took ")));
    }

    void withoutFileNothingIsSaid()
    {
        if (!hasCharm()) QSKIP(noCharm);
        const Said said = run({});
        QCOMPARE(said.code, 0);
        QVERIFY2(!said.out.contains(QStringLiteral("Longpole")), qPrintable(said.out));
    }
};

LONGPOLE_TEST(TestCharm)
#include "tst_charm.moc"
