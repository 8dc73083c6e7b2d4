// SPDX-License-Identifier: GPL-3.0-or-later
// longpole record without MPI: how it reads a launcher's command line, and what it says when nothing can be recorded.
#include "app/followedrun.h"
#include "app/program.h"
#include "app/record/mpilaunch.h"
#include "app/record/mpiprogram.h"
#include "app/record/recordingfolder.h"
#include "app/record/runstate.h"

#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QSysInfo>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace longpole;
using namespace longpole::test;

class TestRecord : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void programsBehindLaunchers_data();
    void programsBehindLaunchers();
    void variablesReachEveryPart_data();
    void variablesReachEveryPart();
    void launchersAreFoundByName();
    void linkedMpi_data();
    void linkedMpi();
    void foldersAreNotLost();
    void foldersHeldOnOtherMachines();
    void killedWhileReplacing();
    void foldersOfOthersAreNotOurs();
    void errorsSayWhatToDo_data();
    void errorsSayWhatToDo();
    void exitCodePassesAndNothingRecordedIsSaid();
    void signalsReachTheProgram();

private:
    QString file(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }
    void script(const char* name, const QByteArray& text) const;
    // APP, OTHER: programs; DIR: a folder.
    QStringList words(const QString& text) const;

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

void TestRecord::script(const char* name, const QByteArray& text) const
{
    QFile out(file(name));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(text);
    out.close();
    QVERIFY(out.setPermissions(out.permissions() | QFile::ExeOwner | QFile::ExeUser));
}

QStringList TestRecord::words(const QString& text) const
{
    QString full = text;
    full.replace(QLatin1String("APP"), file("app")).replace(QLatin1String("OTHER"), file("other"));
    full.replace(QLatin1String("DIR"), m_folder.path());
    return full.split(QLatin1Char(' '));
}

void TestRecord::initTestCase()
{
    script("app", "#!/bin/sh\nexit 7\n");
    script("other", "#!/bin/sh\nexit 0\n");
    script("mpirun", "#!/bin/sh\necho 'mpirun (Open MPI) 4.1.4'\n");
    script("mpiexec.own", "#!/bin/sh\necho 'HYDRA build details:'\n");
}

void TestRecord::programsBehindLaunchers_data()
{
    QTest::addColumn<int>("launcher");
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("programs");  // their positions
    QTest::addColumn<QString>("missing");
    const auto row = [](MpiLauncher launcher, const char* line, const char* programs, const char* missing = "") {
        QTest::newRow(line) << int(launcher) << QString::fromUtf8(line) << QString::fromUtf8(programs)
                            << QString::fromUtf8(missing);
    };
    constexpr MpiLauncher open = MpiLauncher::OpenMpi;
    row(open, "mpirun -np 4 APP", "3");
    row(open, "mpirun APP -np 4 OTHER", "1");
    row(open, "mpirun --oversubscribe -n 4 APP x", "4");
    row(open, "mpirun --mca btl self,vader -np 2 APP", "6");
    row(open, "mpirun -mca btl APP -np 2 OTHER", "6");
    row(open, "mpirun -x PATH -wdir DIR -H sh,sh:2 APP", "7");
    row(open, "mpirun --unknown value APP", "3");
    row(open, "mpirun --unknown APP", "2");
    row(open, "mpirun -np 1 APP a : -np 3 OTHER b", "3 8");
    row(open, "mpirun -np 2 sh -c APP", "3");
    row(open, "mpirun -np 4 DIR/nothing", "", "DIR/nothing");
    row(open, "mpirun -np 4 nothing-of-this-name x", "", "nothing-of-this-name");
    row(open, "mpirun -np 4", "", "");
    row(open, "mpirun -np 1 APP : -np 3 DIR/nothing", "", "DIR/nothing");
    row(MpiLauncher::Hydra, "mpiexec -n 4 -genv A sh -f DIR/hosts APP", "8");
    row(MpiLauncher::Hydra, "mpiexec -ppn 2 -bind-to core APP : -n 2 OTHER", "5 9");
    row(MpiLauncher::Environment, "srun -N 2 --ntasks=4 -p sh APP : x", "6");
    row(MpiLauncher::None, "APP -np 4", "0");
    row(MpiLauncher::None, "DIR/nothing", "", "DIR/nothing");
}

void TestRecord::programsBehindLaunchers()
{
    QFETCH(int, launcher);
    QFETCH(QString, line);
    QFETCH(QString, programs);
    QFETCH(QString, missing);
    const MpiLaunch launch = readLaunch(words(line), 0, MpiLauncher(launcher));
    QStringList positions;
    for (const qsizetype program : launch.programs) positions << QString::number(program);
    QCOMPARE(positions.join(QLatin1Char(' ')), programs);
    QCOMPARE(launch.missing, missing.isEmpty() ? QString() : words(missing).front());
}

void TestRecord::variablesReachEveryPart_data()
{
    QTest::addColumn<int>("launcher");
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("expected");
    const auto row = [](MpiLauncher launcher, const char* line, const char* expected) {
        QTest::newRow(line) << int(launcher) << QString::fromUtf8(line) << QString::fromUtf8(expected);
    };
    row(MpiLauncher::OpenMpi, "mpirun -np 4 APP x", "mpirun -x A=1 -x B=2 -np 4 APP x");
    row(MpiLauncher::OpenMpi, "mpirun -np 1 APP : -np 2 OTHER",
        "mpirun -x A=1 -x B=2 -np 1 APP : -x A=1 -x B=2 -np 2 OTHER");
    row(MpiLauncher::Hydra, "mpiexec -n 1 APP : -n 2 OTHER", "mpiexec -genv A 1 -genv B 2 -n 1 APP : -n 2 OTHER");
    row(MpiLauncher::Environment, "srun -n 4 APP", "srun -n 4 APP");
    row(MpiLauncher::None, "APP x", "APP x");
}

void TestRecord::variablesReachEveryPart()
{
    QFETCH(int, launcher);
    QFETCH(QString, line);
    QFETCH(QString, expected);
    const MpiLaunch launch = readLaunch(words(line), 0, MpiLauncher(launcher));
    const Variables variables{{QStringLiteral("A"), QStringLiteral("1")},
                              {QStringLiteral("B"), QStringLiteral("2")},
                              {QStringLiteral("EMPTY"), QString()}};
    QCOMPARE(withVariables(launch, variables), words(expected));
}

void TestRecord::launchersAreFoundByName()
{
    const auto kind = [&](const char* line) { return readLaunch(words(QString::fromUtf8(line))).launcher; };
    QCOMPARE(kind("DIR/mpirun -np 2 APP"), MpiLauncher::OpenMpi);  // by --version
    QCOMPARE(kind("DIR/mpiexec.own -np 2 APP"), MpiLauncher::Hydra);
    QCOMPARE(kind("srun -n 2 APP"), MpiLauncher::Environment);
    QCOMPARE(kind("APP mpirunner"), MpiLauncher::None);
    QCOMPARE(kind("APP DIR/mpirun"), MpiLauncher::None);  // its argument
    const MpiLaunch behind = readLaunch(words(QStringLiteral("timeout 60 DIR/mpirun -np 2 APP")));
    QCOMPARE(behind.at, 2);
    QCOMPARE(withVariables(behind, {{QStringLiteral("A"), QStringLiteral("1")}}),
             words(QStringLiteral("timeout 60 DIR/mpirun -x A=1 -np 2 APP")));
}

void TestRecord::linkedMpi_data()
{
    QTest::addColumn<QString>("ldd");
    QTest::addColumn<int>("mpi");
    QTest::addColumn<QString>("library");
    QTest::addColumn<QString>("tools");
    const auto row = [](const char* name, const char* ldd, MpiKind mpi, const char* library, const char* tools) {
        QTest::newRow(name) << QString::fromUtf8(ldd) << int(mpi) << QString::fromUtf8(library)
                            << QString::fromUtf8(tools);
    };
    row("Open MPI", "\tlibmpi_cxx.so.40 => /lib/libmpi_cxx.so.40 (0x1)\n\tlibmpi.so.40 => /lib/libmpi.so.40 (0x2)\n",
        MpiKind::OpenMpi, "libmpi.so.40", "");
    row("MPICH", "\tlibmpichfort.so.12 => /lib/x (0x1)\n\tlibmpich.so.12 => not found\n", MpiKind::Mpich,
        "libmpich.so.12", "");
    row("its ABI under another name", "\tlibmpi.so.12 => /opt/libmpi.so.12 (0x1)\n", MpiKind::Other, "libmpi.so.12",
        "");
    row("an old Open MPI", "\tlibmpi.so.20 => /opt/libmpi.so.20 (0x1)\n", MpiKind::Other, "libmpi.so.20", "");
    row("none", "\tlinux-vdso.so.1 (0x1)\n\tlibc.so.6 => /lib/libc.so.6 (0x2)\n", MpiKind::Unknown, "", "");
    row("another tool", "\tlibscorep_adapter_mpi_event.so.6 => /opt/x (0x1)\n\tlibmpi.so.40 => /lib/x (0x2)\n",
        MpiKind::OpenMpi, "libmpi.so.40", "libscorep_adapter_mpi_event.so.6");
}

void TestRecord::linkedMpi()
{
    QFETCH(QString, ldd);
    QFETCH(int, mpi);
    QFETCH(QString, library);
    QFETCH(QString, tools);
    MpiProgram program;
    readLinked(ldd, program);
    QCOMPARE(int(program.mpi), mpi);
    QCOMPARE(program.library, library);
    QCOMPARE(program.tools.join(QLatin1Char(' ')), tools);
}

void TestRecord::foldersAreNotLost()
{
    const QString folder = file("run.lprec");
    QVERIFY(makeRecordingFolder(folder, false));
    QVERIFY(makeRecordingFolder(folder, false));  // empty
    {
        const auto first = makeRecordingFolder(folder, false);
        QVERIFY(first);
        const auto second = makeRecordingFolder(folder, true);
        QVERIFY(!second);
        QVERIFY(second.error().what.contains(QLatin1String("Another command")));
    }
    for (const char* name :
         {"run.lprec/rank-000000.lprank", "run.lprec/rank-000001.lprank", "run.lprec/index.lpindex"}) {
        QFile out(file(name));
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write("1234");
    }
    QCOMPARE(recordedFolder(folder).ranks, 2);
    QVERIFY(recordedFolder(folder).hasIndex);
    QCOMPARE(recordedFolder(folder).bytes, 12);
    const auto refused = makeRecordingFolder(folder, false);
    QVERIFY(!refused);
    QVERIFY(refused.error().hint.contains(QLatin1String("--force")));
    QCOMPARE(recordedFolder(folder).ranks, 2);
    const QString foreign = folder + QStringLiteral("/zz-notes.txt");
    QVERIFY(QFile::copy(folder + QStringLiteral("/index.lpindex"), foreign));
    QVERIFY(!makeRecordingFolder(folder, true));  // and nothing is removed before it is looked at all
    QCOMPARE(recordedFolder(folder).bytes, 12);
    QVERIFY(QFile::remove(foreign));
    QVERIFY(putFirstRank(folder, [](lp_header&) {}));  // of a program that still runs
    QVERIFY(!makeRecordingFolder(folder, true));
    QCOMPARE(recordedFolder(folder).ranks, 2);
    QVERIFY(QFile::remove(file("run.lprec/rank-000001.lprank")));
    QVERIFY(QFile::copy(file("run.lprec/rank-000000.lprank"), file("run.lprec/rank-000001.lprank")));
    QVERIFY(putFirstRank(folder,
                         [](lp_header& header) { qstrncpy(header.boot_id, "another", sizeof header.boot_id); }));
    QVERIFY(!makeRecordingFolder(folder, true));
    QVERIFY(QFile::remove(file("run.lprec/rank-000001.lprank")));
    {  // this machine was started anew since
        QVERIFY(putFirstRank(folder, [](lp_header& header) {
            qstrncpy(header.boot_id, "another", sizeof header.boot_id);
            qstrncpy(header.host, QSysInfo::machineHostName().toUtf8().constData(), sizeof header.host);
        }));
        QVERIFY(makeRecordingFolder(folder, true));
        settleEarlier(folder);
        QVERIFY(putFirstRank(folder, [](lp_header& header) {
            qstrncpy(header.boot_id, "another", sizeof header.boot_id);
            qstrncpy(header.host, "node7", sizeof header.host);
        }));
    }
    // On another machine it may still run, unless it has written nothing for long.
    const auto elsewhere = makeRecordingFolder(folder, true);
    QVERIFY(!elsewhere && elsewhere.error().what.contains(QStringLiteral("another machine")));
    {
        QFile first(file("run.lprec/rank-000000.lprank"));
        QVERIFY(first.open(QIODevice::ReadWrite));
        QVERIFY(first.setFileTime(QDateTime::currentDateTime().addSecs(-3600), QFileDevice::FileModificationTime));
        first.close();
        QVERIFY(makeRecordingFolder(folder, true));
        settleEarlier(folder);
    }
    QVERIFY(putFirstRank(folder, endsBefore));
    QFile answer(folder + QStringLiteral("/spawn-0-12-0.here-0000abcd-99"));  // of a starting program that was killed
    QVERIFY(answer.open(QIODevice::WriteOnly));
    QVERIFY(makeRecordingFolder(folder, true));
    QCOMPARE(recordedFolder(folder).ranks, 0);
    settleEarlier(folder);  // nothing was recorded: what was there before is there again
    QCOMPARE(recordedFolder(folder).ranks, 1);
    QVERIFY(recordedFolder(folder).hasIndex && answer.exists());
    {
        const auto records = makeRecordingFolder(folder, true);
        QVERIFY(records);
        QVERIFY(!makeRecordingFolder(folder, false));  // and leaves alone what that command has set aside
        QCOMPARE(recordedFolder(folder).ranks, 0);
    }
    QVERIFY(!makeRecordingFolder(folder, false));  // the command was killed before anything was recorded
    QCOMPARE(recordedFolder(folder).ranks, 1);
    QVERIFY(makeRecordingFolder(folder, true));
    // The disk was full when the ranks began: they have empty files, or no more than a header.
    QFile empty(folder + QStringLiteral("/rank-000001.lprank"));
    QVERIFY(empty.open(QIODevice::WriteOnly));
    QVERIFY(putFirstRank(folder, endsBefore));
    QVERIFY(QFile::resize(file("run.lprec/rank-000000.lprank"), LP_FIRST_FRAME));
    settleEarlier(folder);
    QCOMPARE(recordedFolder(folder).ranks, 1);
    QVERIFY(recordedFolder(folder).hasIndex && !empty.exists());
    QVERIFY(makeRecordingFolder(folder, true));
    QVERIFY(putFirstRank(folder, endsBefore));
    QVERIFY(QFile::resize(file("run.lprec/rank-000000.lprank"), LP_FIRST_FRAME + 64));
    settleEarlier(folder);
    QCOMPARE(QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             QStringList{QStringLiteral("rank-000000.lprank")});
    {  // what is set aside comes back to where it was, whatever has got the folder's name meanwhile
        const QString other = file("other.lprec"), third = file("third.lprec");
        QVERIFY(QDir().mkdir(other)
                && QFile::copy(folder + QStringLiteral("/rank-000000.lprank"),
                               other + QStringLiteral("/rank-000007.lprank")));
        const auto held = makeRecordingFolder(folder, true);
        QVERIFY(held);
        QVERIFY(QDir().rename(folder, third) && QDir().rename(other, folder));
        settleEarlier(held->path());
        QCOMPARE(filesOfRecording(folder), QStringList{folder + QStringLiteral("/rank-000007.lprank")});
        QCOMPARE(filesOfRecording(third), QStringList{third + QStringLiteral("/rank-000000.lprank")});
        QVERIFY(QDir(folder).removeRecursively());
        QVERIFY(QDir().rename(third, folder));
    }
    QVERIFY(!makeRecordingFolder(m_folder.path(), true));  // other files
    QVERIFY(QFile::exists(file("app")));
    QVERIFY(!makeRecordingFolder(file("app"), true));
}

// On a file system that machines share, one sees nothing of the locks of another.
void TestRecord::foldersHeldOnOtherMachines()
{
    const QString folder = file("shared.lprec");
    const QString note = folder + QStringLiteral("/.recorded-by");
    {
        const auto held = makeRecordingFolder(folder, false);
        QVERIFY(held && QFile::exists(note));
    }
    QVERIFY(!QFile::exists(note));
    const auto leave = [&](const QByteArray& text) {
        QFile out(note);
        QVERIFY(out.open(QIODevice::WriteOnly) && out.write(text) == text.size());
    };
    leave("node7 0000-1111 4711\n");
    const auto refused = makeRecordingFolder(folder, true);
    QVERIFY(!refused && refused.error().hint.contains(QStringLiteral("It began on node7.")));
    QVERIFY(refused.error().hint.contains(note));
    QVERIFY(QFile::exists(note));
    for (const QByteArray& here : {QByteArray("node7 " + bootId()),  // without its lock: it was killed
                                   QByteArray(QSysInfo::machineHostName().toUtf8() + " 0000-1111")}) {
        leave(here + " 4711\n");
        QVERIFY(makeRecordingFolder(folder, true));
    }
    leave("damaged");
    QVERIFY(makeRecordingFolder(folder, true));
    QVERIFY(!QFile::exists(note));
    QVERIFY(QDir().rmdir(folder));
    if (::geteuid() != 0) return;
    const QByteArray theirs = QFile::encodeName(folder);
    QVERIFY(QDir().mkpath(folder));
    QCOMPARE(::chown(theirs.constData(), 1, 1), 0);
    QCOMPARE(::chmod(theirs.constData(), 0777), 0);
    const auto strange = makeRecordingFolder(folder, true);
    QVERIFY(!strange && strange.error().what.contains(QStringLiteral("somebody else")));
    QVERIFY(!QFile::exists(note));
    QVERIFY(QDir().rmdir(folder));
}

// Killed at any time while a recording is set aside, or put back: no file of it is lost.
void TestRecord::killedWhileReplacing()
{
    const QString folder = file("killed.lprec");
    QVERIFY(makeRecordingFolder(folder, false));
    constexpr int ranks = 150;
    for (int rank = 0; rank < ranks; ++rank) {
        QFile out(folder + QStringLiteral("/rank-%1.lprank").arg(rank, 6, 10, QLatin1Char('0')));
        QVERIFY(out.open(QIODevice::WriteOnly) && out.resize(2 * qint64{LP_FIRST_FRAME}));
    }
    QFile index(folder + QStringLiteral("/index.lpindex"));
    QVERIFY(index.open(QIODevice::WriteOnly));
    const QString aside = folder + QStringLiteral("/.earlier"), underWay = folder + QStringLiteral("/.earlier.part");
    int killedUnderWay = 0;
    for (int round = 0; round < 40; ++round) {
        const pid_t child = fork();
        if (child == 0) {
            for (;;) {
                if (!makeRecordingFolder(folder, true)) _exit(1);
                settleEarlier(folder);
            }
        }
        QVERIFY(child > 0);
        for (int waited = 0; waited < 5000 && !QFile::exists(underWay) && !QFile::exists(aside); ++waited)
            QTest::qSleep(1);  // until it has begun
        QTest::qSleep(round % 13);
        QCOMPARE(kill(child, SIGKILL), 0);
        int status = 0;
        QCOMPARE(waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status));
        if (QFile::exists(underWay)) ++killedUnderWay;
        QVERIFY(!makeRecordingFolder(folder, false));  // there is a recording
        QCOMPARE(recordedFolder(folder).ranks, ranks);
        QVERIFY(recordedFolder(folder).hasIndex && !QFile::exists(aside) && !QFile::exists(underWay));
    }
    QVERIFY(killedUnderWay > 0);
}

// Of a second MPI program of one command; in a shared folder others may have made such a name meanwhile.
void TestRecord::foldersOfOthersAreNotOurs()
{
    for (const char* name : {"shared.lprec", "shared-2.lprec", "shared-3.lprec", "elsewhere"}) {
        QVERIFY(QDir().mkpath(file(name)));
        QVERIFY(putFirstRank(file(name), [](lp_header&) {}));
    }
    const QString folder = file("shared.lprec");
    QCOMPARE(recordingsBeside(folder), (QStringList{file("shared-2.lprec"), file("shared-3.lprec")}));
    QVERIFY(QFile::link(file("elsewhere"), file("shared-4.lprec")));
    QCOMPARE(recordingsBeside(folder), (QStringList{file("shared-2.lprec"), file("shared-3.lprec")}));
    if (::geteuid() != 0) QSKIP("only root may give a folder away");
    QCOMPARE(::chown(QFile::encodeName(file("shared-3.lprec")).constData(), 1234, 1234), 0);
    QCOMPARE(recordingsBeside(folder), QStringList{file("shared-2.lprec")});
}

void TestRecord::errorsSayWhatToDo_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* line, int code, const char* error) {
        QTest::newRow(line) << QString::fromUtf8(line) << code << QString::fromUtf8(error);
    };
    row("record", 2, "record needs a command: longpole record");
    row("record --no-import --open -- APP", 2, "exclude each other");
    row("record --online=sometimes -- APP", 2, "--online takes meet, carry or both, not 'sometimes'");
    row("record --online carry --inclusive -- APP", 2, "--inclusive");
    row("record --online sometimes -- APP", 3, "sometimes");
    row("record --no-trace -- APP", 2, "--no-trace is of --online");
    row("record --online --no-trace --open -- APP", 2, "--open needs a trace");
    row("record --online both --no-trace --open -- APP", 2, "--open needs a trace");
    row("record --online --no-trace --calls a.csv -- APP", 2, "--calls needs a trace");
    row("record --calls DIR/app -- APP", 3, "This file is read by the same command");
    row("record --calls DIR/mpirun -- APP", 3, "This is no table of calls; it is left as it is");
    row("record --clock sundial -- APP", 2, "--clock takes auto, rtt");
    row("record -- DIR/nothing", 3, "There is no such program");
    row("record -- DIR/mpirun -np 4", 3, "There is no program behind the launcher");
    row("record -- DIR/mpirun -np 4 DIR/nothing", 3, "nothing");
}

void TestRecord::errorsSayWhatToDo()
{
    QFETCH(QString, line);
    QFETCH(int, code);
    QFETCH(QString, error);
    const Said said = m_program(words(line));
    QCOMPARE(said.code, code);
    QVERIFY2(said.error.contains(error), qPrintable(said.error));
}

void TestRecord::exitCodePassesAndNothingRecordedIsSaid()
{
    if (!recorderLibrary(MpiKind::OpenMpi, {})
        && !QFile::exists(QStringLiteral(LONGPOLE_RECORDER "/liblongpole-openmpi.so")))
        QSKIP("there is no recorder for Open MPI in this build");
    const QString folder = file("nothing.lprec");
    const Said said = m_program({QStringLiteral("record"), QStringLiteral("-o"), folder, QStringLiteral("--"),
                                 file("app")});
    QCOMPARE(said.code, 7);
    QVERIFY2(said.error.contains(QLatin1String("Nothing was recorded")), qPrintable(said.error));
    QVERIFY(!QFile::exists(folder));
    const Said fine = m_program({QStringLiteral("record"), QStringLiteral("-o"), folder, file("other")});
    QCOMPARE(fine.code, 3);
    const Said replaced = m_program({QStringLiteral("record"), QStringLiteral("-o"), folder, QStringLiteral("--"),
                                     QStringLiteral("env"), QStringLiteral("LD_PRELOAD="), file("other")});
    QCOMPARE(replaced.code, 3);
    QVERIFY2(replaced.error.contains(QLatin1String("sets LD_PRELOAD")), qPrintable(replaced.error));
}

// The end that a batch system asks for: the program hears of it, and is waited for.
void TestRecord::signalsReachTheProgram()
{
    if (!recorderLibrary(MpiKind::OpenMpi, {})
        && !QFile::exists(QStringLiteral(LONGPOLE_RECORDER "/liblongpole-openmpi.so")))
        QSKIP("there is no recorder for Open MPI in this build");
    script("waits", "#!/bin/sh\ntrap 'echo ended > " + file("ended").toUtf8() + "; exit 9' TERM\necho > "
                        + file("begun").toUtf8() + "\nwhile :; do sleep 0.02; done\n");
    QProcess process;
    m_program.start(process, {QStringLiteral("record"), QStringLiteral("-o"), file("ended.lprec"), QStringLiteral("--"),
                              file("waits")});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file("begun")), 20'000);
    process.terminate();
    const Said said = Program::finish(process);
    QCOMPARE(said.code, 128 + SIGTERM);
    QVERIFY(QFile::exists(file("ended")));
    QVERIFY2(said.error.contains(QLatin1String("Nothing was recorded")), qPrintable(said.error));
    QVERIFY(!QFile::exists(file("ended.lprec")));
}

LONGPOLE_TEST(TestRecord)
#include "tst_record.moc"
