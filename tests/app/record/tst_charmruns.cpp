// SPDX-License-Identifier: GPL-3.0-or-later
// The module in other runs than those of one process that is linked with it: preloaded, in several processes, and while
// its file changes. Each where a variable names a Charm++ that was built so.
#include "app/record/charmprogram.h"

#include "support/testmain.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using longpole::test::CharmLink;
using longpole::test::charmProgram;
using longpole::test::Program;
using longpole::test::Said;

class TestCharmRuns : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};

    QString path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }
    void write(const char* name, const QByteArray& text) const
    {
        QFile out(path(name));
        QVERIFY(out.open(QIODevice::WriteOnly) && out.write(text) == text.size());
    }
    QString preferToken() const
    {
        write("token.csv", "ep,name,prio,count,class\n3,\"Node::token(int  hop, int prefers)\",-5,40,GOOD\n");
        return path("token.csv");
    }

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // Where Charm++ is a shared library, a program that was not linked with the module preloads it; shells and
    // programs that it does not reach run as they would.
    void preloaded()
    {
        const QString charm = qEnvironmentVariable("LONGPOLE_CHARM_SHARED");
        if (charm.isEmpty()) QSKIP("set LONGPOLE_CHARM_SHARED to a Charm++ that was built with --build-shared");
        const QString app = charmProgram(m_program, charm, path("shared"),
                                         QStringLiteral(LONGPOLE_CHARM_PROGRAMS "/overtaken"),
                                         {QStringLiteral("-charm-shared")}, CharmLink::Plain);
        QVERIFY(!app.isEmpty());
        Program program = m_program;
        program.set(QStringLiteral("LD_PRELOAD"), path("shared/module/liblongpole-charm.so"));
        const auto run = [&](const QString& of, const QStringList& words) {
            QProcess process;
            return program.run(process, of, words);
        };
        const QStringList onFour{QStringLiteral("+p4"), QStringLiteral("+setcpuaffinity")};
        const Said with = run(app, onFour + QStringList{QStringLiteral("+longpole-priorities"), preferToken()});
        QCOMPARE(with.code, 0);
        QVERIFY2(with.out.contains(QStringLiteral("Node::token(int hop, int prefers): 96 messages had priority -5")),
                 qPrintable(with.out + with.error));
        const Said asked = run(app, onFour + QStringList{QStringLiteral("+longpole-path")});
        QVERIFY2(asked.out.contains(QStringLiteral("Node::token")), qPrintable(asked.out + asked.error));
        const Said plain = run(app, onFour);
        QVERIFY2(plain.code == 0 && !QString(plain.out + plain.error).contains(QStringLiteral("Longpole")),
                 qPrintable(plain.out + plain.error));
        const Said shell = run(QStringLiteral("sh"), {QStringLiteral("-c"), QStringLiteral("echo fine")});
        QCOMPARE(shell.out + shell.error, QStringLiteral("fine\n"));
        const Said vain = run(QStringLiteral("echo"), {QStringLiteral("+longpole-path")});
        QVERIFY2(vain.error.contains(QStringLiteral("preloaded in vain")), qPrintable(vain.error));
        const Said launcher = run(QStringLiteral("env"),
                                  {QStringLiteral("/bin/true"), QStringLiteral("+longpole-path")});
        QCOMPARE(launcher.error.count(QStringLiteral("in vain")), 1);  // by what it starts
    }

    // Two processes of two PEs and a communication thread each: both prefer, and one says what both did; the path goes
    // through both.
    void severalProcesses()
    {
        const QString charm = qEnvironmentVariable("LONGPOLE_CHARM_NET");
        if (charm.isEmpty()) QSKIP("set LONGPOLE_CHARM_NET to a Charm++ that was built (netlrts-linux-x86_64 smp)");
        const QString app = charmProgram(m_program, charm, path("net"),
                                         QStringLiteral(LONGPOLE_CHARM_PROGRAMS "/overtaken"), {});
        QVERIFY(!app.isEmpty());
        QProcess process;
        process.setWorkingDirectory(QFileInfo(app).path());
        const Said said = m_program.run(process, QStringLiteral("./charmrun"),
                                        {QStringLiteral("++local"), QStringLiteral("+p4"), QStringLiteral("++ppn"),
                                         QStringLiteral("2"), app, QStringLiteral("+setcpuaffinity"),
                                         QStringLiteral("+longpole-priorities"), preferToken(),
                                         QStringLiteral("+longpole-path")});
        const QString all = said.out + said.error;
        QVERIFY2(said.code == 0, qPrintable(all));
        QVERIFY2(all.contains(QStringLiteral("Node::token(int hop, int prefers): 96 messages had priority -5")),
                 qPrintable(all));
        // The token or the others end a step, as it comes; most of the time is the token's.
        const QString path = all.section(QStringLiteral("critical path (merges)"), 1);
        QVERIFY2(path.section(QLatin1Char('\n'), 1, 1).contains(QStringLiteral("Node::token(int hop, int prefers)")),
                 qPrintable(all));
        QCOMPARE(all.count(QStringLiteral("priorities of 1 entry method from")), 1);
    }

    // Half of a file is no file; one that is whole is taken while the program runs, and stays when it is cut again.
    void fileIsReadAgain()
    {
        const QString charm = qEnvironmentVariable("LONGPOLE_CHARM");
        if (charm.isEmpty()) QSKIP("set LONGPOLE_CHARM to a Charm++ that was built (multicore-linux-x86_64)");
        const QString app = charmProgram(m_program, charm, path("live"), QStringLiteral(LONGPOLE_CHARM_KINDS "/kinds"),
                                         {});
        QVERIFY(!app.isEmpty());
        const QByteArray whole =
            "{\"format\":\"charm-autoprio\",\"version\":1,\"entries\":[{\"name\":\"TwoChains::long_chain(int "
            "hop)\",\"prio\":"
            "-5}]}";
        write("live.json", whole.chopped(20));
        QProcess process;
        process.start(app, {QStringLiteral("+p4"), QStringLiteral("+setcpuaffinity"), QStringLiteral("+CmiSleepOnIdle"),
                            QStringLiteral("3"), QStringLiteral("1600"), QStringLiteral("+longpole-priorities"),
                            path("live.json")});
        QByteArray out;
        const auto says = [&](const char* text) {  // within two looks
            QElapsedTimer clock;
            for (clock.start(); !out.contains(text) && clock.elapsed() < 12'000;) {
                process.waitForReadyRead(200);
                out += process.readAllStandardOutput();
            }
            return out.contains(text);
        };
        QVERIFY2(says("no priorities are used: "), out.constData());
        write("live.json", whole);
        QVERIFY2(says("priorities of 1 entry method from "), out.constData());
        write("live.json", whole.chopped(20));
        QVERIFY2(says("the priorities of before stay: "), out.constData());
        QVERIFY(process.waitForFinished(60'000) && process.exitCode() == 0);
        out += process.readAllStandardOutput();
        QVERIFY2(out.contains("TwoChains::long_chain(int hop): ") && out.contains(" messages had priority -5"),
                 out.constData());
    }
};

LONGPOLE_TEST(TestCharmRuns)
#include "tst_charmruns.moc"
