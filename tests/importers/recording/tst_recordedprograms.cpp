// SPDX-License-Identifier: GPL-3.0-or-later
// What recordings have besides the ranks of one program that is compiled: programs that others started, partners that
// are not recorded, and lines of Python.
#include "importers/madeframes.h"
#include "importers/recording/recordedranks.h"
#include "importers/recording/source.h"
#include "recorder/storage/spawnfiles.h"
#include "support/mpi/recorded.h"
#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

class TestRecordedPrograms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void programsThatWereStartedFollow();
    void partnersThatAreNotThere();
    void ranksAreAllottedOnce();
    void linesOfPython();

private:
    QString folder() const { return m_folder->filePath(QStringLiteral("run.lprec")); }
    // Ranks of one program, from `first` on, one after the other.
    void record(int ranks, int first, const std::function<void(int rank)>& body)
    {
        std::vector<std::int32_t> members;
        for (int rank = first; rank < first + ranks; ++rank) members.push_back(rank);
        for (const int rank : members) {
            const int status = runRecorded(folder(), {}, [&] {
                lp_open(rank, ranks, 1);
                lp_set_run(77);
                lp_set_first(first);
                lp_put_comm(0, first, 0, "MPI_COMM_WORLD", ranks, members.data());
                body(rank);
                lp_close(false);
                if (rank != 0) return;
                std::vector<lp_index_rank> rows(static_cast<std::size_t>(ranks));
                lp_index_row(rows.data());
                lp_write_index(rows.data(), ranks);
            });
            QCOMPARE(status, 0);
        }
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestRecordedPrograms::init()
{
    QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
    m_folder = std::make_unique<QTemporaryDir>();
}

// Two ranks have started a program of two more, which know each other by the communicator 0.5.
void TestRecordedPrograms::programsThatWereStartedFollow()
{
    const std::int32_t all[] = {0, 1, 2, 3};
    const auto between = [](lp_call_id id, std::int64_t begin, std::uint32_t comm, std::int32_t peer) {
        lp_call call = madeCall(id, begin, begin + 10);
        call.comm = comm;
        call.peer = peer;
        call.tag = 1;
        call.bytes = 8;
        putCall(call);
    };
    record(2, 0, [&](int rank) {
        lp_put_comm(7, 0, 5, "between", 4, all);
        if (rank == 0) between(LP_Send, 100, 7, 3);
    });
    record(2, 2, [&](int rank) {
        lp_put_comm(4, 0, 5, "", 4, all);
        if (rank == 3) between(LP_Recv, 120, 4, 0);
        putCall(madeCall(LP_Finalize, 200, 210));
    });
    Opened opened(folder());
    const MpiRunNames& names = opened.source->names();
    QCOMPARE(names.ranks, 4u);
    QStringList comms;
    for (const MpiCommunicator& comm : names.communicators) comms << comm.name;
    QCOMPARE(comms, (QStringList{QStringLiteral("MPI_COMM_WORLD"), QStringLiteral("between"),
                                 QStringLiteral("MPI_COMM_WORLD 2")}));
    QCOMPARE(names.communicators[2].members, (std::vector<std::uint32_t>{2, 3}));
    QVERIFY(opened.events(0).contains(QStringLiteral("send -1 between to 3 tag 1 bytes 8")));
    QVERIFY(opened.events(3).contains(QStringLiteral("received -1 between from 0 tag 1 bytes 8")));
    QVERIFY(opened.events(2).contains(QStringLiteral("collective -1 MPI_COMM_WORLD 2 root -1 bytes 0>0")));
    QCOMPARE(opened.issues(), QStringList());
    // A file of another run of as many ranks is none of them.
    patchHeader(rankPath(folder(), 3), [](lp_header& header) { header.run = 78; });
    QCOMPARE(Opened(folder()).source->names().ranks, 4u);
    QCOMPARE(Opened(folder()).issues(), (QStringList{QStringLiteral("foreign_log"), QStringLiteral("missing_log")}));
}

void TestRecordedPrograms::partnersThatAreNotThere()
{
    record(1, 0, [](int) {
        std::int64_t begin = 100;
        for (const std::int32_t peer : {LP_FOREIGN_RANK, LP_NO_RANK, LP_FOREIGN_RANK}) {
            lp_call send = madeCall(LP_Send, begin, begin + 5);
            begin += 10;
            send.comm = 0;
            send.peer = peer;
            putCall(send);
        }
    });
    Opened opened(folder());
    QCOMPARE(opened.events(0).filter(QStringLiteral("send")), QStringList());
    QCOMPARE(opened.issues(), QStringList{QStringLiteral("unmatched_send")});
}

// Programs that are started at once get ranks without gaps and without the others', whoever is first.
void TestRecordedPrograms::ranksAreAllottedOnce()
{
    constexpr int programs = 12;
    QVERIFY(QDir().mkpath(folder()));
    std::vector<pid_t> children;
    for (int rank = 0; rank < programs; ++rank)
        children.push_back(startRecorded(folder(), {}, [&] {
            lp_open(rank, programs, 1);
            if (!lp_open_spawn()) _exit(100);
            const int count = 1 + rank % 3;
            for (int i = 0; i < 20; ++i)
                if (lp_allot_ranks(programs, count) < programs) _exit(101);
            lp_close_spawn();
        }));
    for (const pid_t child : children) {
        int status = -1;
        QCOMPARE(waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
    }
    int next = programs, files = 0;
    const QStringList names = QDir(folder()).entryList({QStringLiteral("spawn*")}, QDir::Files, QDir::Name);
    for (const QString& name : names) {
        QCOMPARE(name, QStringLiteral("spawned-%1").arg(next, 6, 10, QLatin1Char('0')));
        QFile file(folder() + QLatin1Char('/') + name);
        QVERIFY(file.open(QIODevice::ReadOnly));
        next += file.readAll().trimmed().toInt();
        ++files;
    }
    QCOMPARE(files, programs * 20);
    QCOMPARE(next, programs + 20 * (4 * (1 + 2 + 3)));
}

// Stacks that end in lines of Python, as the recorder writes them down.
void TestRecordedPrograms::linesOfPython()
{
    record(1, 0, [](int) { putCall(madeCall(LP_Barrier, 100, 110)); });
    const auto placed = [](std::uint64_t address, std::uint32_t line, const QByteArray& function,
                           const QByteArray& file) -> QByteArray {
        const lp_place_head head{address, line, static_cast<std::uint32_t>(function.size()),
                                 static_cast<std::uint32_t>(file.size()), 0};
        return test::bytesOf(head) + test::paddedTo(function, 8) + test::paddedTo(file, 8);
    };
    QByteArray places = placed(LP_FIRST_PLACE, 20, "Halo.exchange", "/home/me/halo.py")
                        + placed(LP_FIRST_PLACE + 1, 30, "<module>", "/home/me/main.py")
                        + placed(LP_FIRST_PLACE + 2, 241, "_call_with_frames_removed", "<frozen importlib._bootstrap>");
    const lp_stack_head head{1, 3};
    QByteArray stack = test::bytesOf(head);
    for (const std::uint64_t address : {LP_FIRST_PLACE, LP_FIRST_PLACE + 2, LP_FIRST_PLACE + 1})
        stack += test::bytesOf(std::uint64_t{address});
    QFile file(rankPath(folder()));
    QVERIFY(file.open(QIODevice::Append));
    file.write(test::frameOf(LP_PLACES, places) + test::frameOf(LP_STACKS, stack));
    file.close();
    const Opened opened(folder());
    QVERIFY2(opened.source, qPrintable(toText(opened.error)));
    QStringList paths;
    for (const CallPath& path : opened.source->names().callPaths)
        paths << QStringLiteral("%1 %2:%3 %4").arg(path.function, path.file, QString::number(path.line), path.module);
    QCOMPARE(paths,
             (QStringList{QStringLiteral("<module> :0 main.py"), QStringLiteral("<module> /home/me/main.py:30 main.py"),
                          QStringLiteral("Halo.exchange :0 halo.py"),
                          QStringLiteral("Halo.exchange /home/me/halo.py:20 halo.py")}));
}

LONGPOLE_TEST(TestRecordedPrograms)
#include "tst_recordedprograms.moc"
