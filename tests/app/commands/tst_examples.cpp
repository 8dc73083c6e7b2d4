// SPDX-License-Identifier: GPL-3.0-or-later
// The examples of every command, as --help prints them, run in a shell beside traces of the names that they use.
#include "app/commands/commands.h"
#include "app/program.h"
#include "app/unpacked.h"

#include "support/mpi/waitprogram.h"
#include "support/testmain.h"

#include <cstring>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class TestExamples : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void everyCommandHasSome();
    void documentsShowThem();
    void examplesWork_data();
    void examplesWork();

private:
    QString file(const QString& name) const { return m_folder.filePath(name); }
    void script(const QString& name) const;

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

void TestExamples::script(const QString& name) const
{
    QFile out(file(name));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write("#!/bin/sh\nexit 0\n");
    out.close();
    QVERIFY(out.setPermissions(out.permissions() | QFile::ExeOwner | QFile::ExeUser));
}

void TestExamples::initTestCase()
{
    const QDir jacobi(QStringLiteral(LONGPOLE_TEST_DATA "/jacobi2d_sdag_p4"));
    for (const QString& name : jacobi.entryList(QDir::Files)) QVERIFY(QFile::copy(jacobi.filePath(name), file(name)));
    for (const char* run : {"before.longpole", "after.longpole"}) {
        const Said said = m_program({QStringLiteral("import"), file(QStringLiteral("jacobi2d.sts")),
                                     QStringLiteral("-o"), file(QLatin1String(run))});
        QVERIFY2(said.code == 0, qPrintable(said.error));
    }
    WaitProgram ring(2, {"step"});
    ring.compute(0, 9'000);
    ring.send(0, 1, 1'000);
    ring.compute(1, 1'000);
    ring.receive(1, 0, 1'000);
    ring.meetAll(WaitProgram::Barrier, {0, 1}, {1'000, 1'000});
    QVERIFY(store(ring.rows(), file(QStringLiteral("ring.longpole"))));
    QProcess recorder;
    const Said recorded = m_program.run(recorder, QStringLiteral(LONGPOLE_MAKE_RECORDING),
                                        {file(QStringLiteral("run.lprec")), QStringLiteral("4"),
                                         QStringLiteral("500")});
    QCOMPARE(recorded.code, 0);
    // An older Longpole made it.
    QVERIFY(unpack(QStringLiteral(LONGPOLE_TEST_DATA "/../older/kept13.longpole.gz"),
                   file(QStringLiteral("run.longpole"))));
    QFile decisions(file(QStringLiteral("longpole-auto.jsonl")));
    const QByteArray nothing =
        "{\"format\":\"longpole-auto\",\"version\":1,\"time_s\":3.5,\"decision\":\"nothing to try\",\"trial\":0}\n";
    QVERIFY(decisions.open(QIODevice::WriteOnly) && decisions.write(nothing) == nothing.size());
    script(QStringLiteral("mpirun"));
    script(QStringLiteral("ring"));
}

void TestExamples::everyCommandHasSome()
{
    for (const Command* command : commands()) {
        QVERIFY2(!command->examples.empty(), command->name);
        for (const CommandExample& example : command->examples) {
            const QString begin = QStringLiteral("longpole ") + QLatin1String(command->name);
            QVERIFY2(QString::fromUtf8(example.line).startsWith(begin), example.line);
            QVERIFY2(qstrlen(example.shows) > 0, example.line);
        }
    }
}

void TestExamples::documentsShowThem()
{
    QString manual = m_program({QStringLiteral("--generate"), QStringLiteral("man")}).out;
    manual.replace(QStringLiteral("\\-"), QStringLiteral("-"));
    QVERIFY(manual.contains(QStringLiteral(".SH EXAMPLES")));
    for (const Command* command : commands()) {
        const QString help = m_program({QString::fromUtf8(command->name), QStringLiteral("--help")}).out;
        for (const CommandExample& example : command->examples)
            for (const QString& text : {manual, help}) {
                QVERIFY2(text.contains(QString::fromUtf8(example.line)), example.line);
                QVERIFY2(text.contains(QString::fromUtf8(example.shows)), example.shows);
            }
    }
}

void TestExamples::examplesWork_data()
{
    QTest::addColumn<int>("code");
    for (const Command* command : commands()) {
        // The test has no display and no Charm++, its ring is a script that calls no MPI, and of the programs to try
        // only that of the recording is there, as a script.
        const QString name = QString::fromUtf8(command->name);
        const int code = name == QLatin1String("open") || name == QLatin1String("record")
                                 || name == QLatin1String("try") || name == QLatin1String("charm")
                                 || name == QLatin1String("online")
                             ? 3
                             : 0;
        for (const CommandExample& example : command->examples) {
            const bool isThere = (name == QLatin1String("try") && std::strstr(example.line, "run.lprec") != nullptr)
                                 || std::strstr(example.line, "--decisions") != nullptr;
            QTest::newRow(example.line) << (isThere ? 0 : code);
        }
    }
}

void TestExamples::examplesWork()
{
    QFETCH(int, code);
    QProcess shell;
    shell.setWorkingDirectory(m_folder.path());
    Program program = m_program;
    program.set(QStringLiteral("PATH"), QFileInfo(QStringLiteral(LONGPOLE_PROGRAM)).path() + QLatin1Char(':')
                                            + m_folder.path() + QLatin1Char(':') + qEnvironmentVariable("PATH"));
    const Said said = program.run(shell, QStringLiteral("sh"),
                                  {QStringLiteral("-c"), QString::fromUtf8(QTest::currentDataTag())});
    QVERIFY2(said.code == code, qPrintable(QStringLiteral("%1: %2").arg(said.code).arg(said.error)));
    if (code != 0) return;
    QString error = said.error;
    error.remove(QRegularExpression(QStringLiteral("longpole: '.*' runs? (10|5) times.*, in turn\n")));  // try, before
    // Of the recording, on a machine that does other things as well.
    error.remove(QRegularExpression(QStringLiteral("longpole: run.lprec: This run had fewer cores than ranks: .*\n")));
    QVERIFY2(!error.contains(QStringLiteral("longpole: ")), qPrintable(error));
}

LONGPOLE_TEST(TestExamples)
#include "tst_examples.moc"
