// SPDX-License-Identifier: GPL-3.0-or-later
// How recordings end: with the program, in a child, when it is killed, and when the disk is full.
#include "importers/recording/script.h"
#include "support/mpi/recorded.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <random>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <csignal>

using namespace longpole;

namespace {

// Shared with the child.
struct Shared {
    std::atomic<std::int64_t> put{0};
};
Shared* sharedMemory()
{
    void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return new (memory) Shared;
}

}  // namespace

class TestRecordingEnds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void keepsAllButTheLastRecordOfAKilledProgram_data();
    void keepsAllButTheLastRecordOfAKilledProgram();
    void knowsTheCallThatAKilledProgramWasIn();
    void closesAtExit_data();
    void closesAtExit();
    void leavesTheFileToTheParent();
    void survivesClosedDescriptors();
    void stopsWhenTheDiskIsFull_data();
    void stopsWhenTheDiskIsFull();

private:
    QString folder() const { return m_folder->filePath(QStringLiteral("run.lprec")); }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestRecordingEnds::init()
{
    QTest::failOnWarning(QRegularExpression(QStringLiteral(".?")));
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestRecordingEnds::keepsAllButTheLastRecordOfAKilledProgram_data()
{
    QTest::addColumn<QByteArray>("compression");
    QTest::newRow("off") << QByteArray("off");
    QTest::newRow("min") << QByteArray("min");
    QTest::newRow("max") << QByteArray("max");
}

void TestRecordingEnds::keepsAllButTheLastRecordOfAKilledProgram()
{
    QFETCH(QByteArray, compression);
    std::mt19937 random(4);
    Shared* const shared = sharedMemory();
    for (int run = 0; run < 25; ++run) {
        shared->put = 0;
        QDir(folder()).removeRecursively();
        const pid_t child = startRecorded(folder(), {{"COMPRESSION", compression}, {"BUFFER", "64K"}}, [&] {
            lp_open(0, 1, 1);
            Script script(7);
            for (int i = 0; i < 10'000'000; ++i) {
                Script::put(script.next());
                shared->put.store(i + 1, std::memory_order_release);
            }
        });
        const std::int64_t until = static_cast<std::int64_t>(random() % 20'000);
        while (shared->put.load(std::memory_order_relaxed) < until) {}
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        const ReadRecording read = readFile(rankPath(folder()));
        if (!read.rank && until == 0) continue;  // killed before there was a file
        QVERIFY(read.rank && read.ok);
        const std::vector<char>& records = read.records.contains(0) ? read.records.at(0) : std::vector<char>{};
        Script script(7);
        std::vector<char> expected;
        const std::int64_t put = shared->put.load();
        for (std::int64_t i = 0; i < put; ++i) Script::append(script.next(), expected);
        std::vector<char> withLast = expected;
        Script::append(script.next(), withLast);
        QVERIFY2(
            records == expected || records == withLast,
            qPrintable(QStringLiteral("%1 steps, %2 of %3 bytes").arg(put).arg(records.size()).arg(expected.size())));
        QVERIFY(kindsOf(read) == QStringList{QStringLiteral("open_recording")});
    }
}

void TestRecordingEnds::knowsTheCallThatAKilledProgramWasIn()
{
    const int status = runRecorded(folder(), {}, [] {
        lp_open(0, 1, 1);
        putScripted(1, 5);
        lp_begin(LP_Recv);
        raise(SIGKILL);
    });
    QVERIFY(WIFSIGNALED(status));
    const ReadRecording read = readFile(rankPath(folder()));
    QVERIFY(read.rank);
    QCOMPARE(read.rank->chunks.size(), std::size_t(1));
    QCOMPARE(read.rank->chunks[0].openCall, std::uint32_t(LP_Recv + 1));
    QVERIFY(read.rank->chunks[0].openBegin > 0);
}

void TestRecordingEnds::closesAtExit_data()
{
    QTest::addColumn<bool>("aborts");
    QTest::newRow("exit") << false;
    QTest::newRow("MPI_Abort") << true;
}

void TestRecordingEnds::closesAtExit()
{
    QFETCH(bool, aborts);
    const int status = runRecorded(folder(), {}, [&] {
        lp_open(0, 1, 1);
        putScripted(1, 1000);
        if (aborts) {
            lp_close(true);
            raise(SIGKILL);
        }
        std::exit(5);  // NOLINT(concurrency-mt-unsafe)
    });
    QVERIFY(aborts ? WIFSIGNALED(status) : WIFEXITED(status));
    const ReadRecording read = readFile(rankPath(folder()));
    QVERIFY(read.rank && read.ok);
    QVERIFY(read.records.at(0) == scripted(1, 1000));
    QCOMPARE(kindsOf(read), QStringList{QStringLiteral("early_exit")});
    QCOMPARE(read.rank->header.end_kind, std::uint32_t(aborts ? LP_ABORTED : LP_EXITED));
}

void TestRecordingEnds::leavesTheFileToTheParent()
{
    const int status = runRecorded(folder(), {{"BUFFER", "64K"}}, [] {
        lp_open(0, 1, 1);
        putScripted(1, 1000);
        const pid_t child = fork();
        if (child == 0) {
            putScripted(2, 50'000);
            lp_region("a region of the child");
            lp_close(false);
            _exit(0);
        }
        waitpid(child, nullptr, 0);
        lp_close(false);
    });
    QCOMPARE(status, 0);
    const ReadRecording read = readFile(rankPath(folder()));
    QVERIFY(read.rank && read.ok);
    QCOMPARE(kindsOf(read), QStringList());
    QVERIFY(read.records.at(0) == scripted(1, 1000));
    QVERIFY(read.rank->regions.empty());
}

// As programs do that become daemons; the descriptor's number may then be another file's.
void TestRecordingEnds::survivesClosedDescriptors()
{
    const QString other = m_folder->filePath(QStringLiteral("other"));
    const int status = runRecorded(folder(), {{"BUFFER", "64K"}}, [&] {
        lp_open(0, 1, 1);
        Script script(1);
        for (int i = 0; i < 20'000; ++i) {
            if (i == 5000) {
                for (int fd = 3; fd < 1024; ++fd) close(fd);
                const int own = open(QFile::encodeName(other).constData(), O_RDWR | O_CREAT, 0600);
                for (int fd = 4; fd < 1024; ++fd) dup2(own, fd);
            }
            Script::put(script.next());
        }
        lp_close(false);
    });
    QCOMPARE(status, 0);
    const ReadRecording read = readFile(rankPath(folder()));
    QVERIFY(read.rank && read.ok);
    QCOMPARE(kindsOf(read), QStringList());
    QVERIFY(read.records.at(0) == scripted(1, 20'000));
    QCOMPARE(contentOf(other), QByteArray());
}

void TestRecordingEnds::stopsWhenTheDiskIsFull_data()
{
    QTest::addColumn<int>("limit");
    for (const int limit : {0, 4096, 30'000, 100'000, 200'000, 300'000}) QTest::addRow("%d bytes", limit) << limit;
}

void TestRecordingEnds::stopsWhenTheDiskIsFull()
{
    QFETCH(int, limit);
    Shared* const shared = sharedMemory();
    int errors[2];
    QVERIFY(pipe(errors) == 0);
    const int status = runRecorded(folder(), {{"BUFFER", "64K"}}, [&] {
        dup2(errors[1], 2);
        const rlimit most{rlim_t(limit), rlim_t(limit)};
        setrlimit(RLIMIT_FSIZE, &most);
        lp_open(0, 1, 1);
        putScripted(1, 100'000);
        lp_close(false);
        shared->put = 1;  // the program goes on
    });
    QCOMPARE(status, 0);
    QCOMPARE(shared->put.load(), 1);
    std::array<char, 4096> said{};
    QVERIFY(::read(errors[0], said.data(), said.size() - 1) > 0);
    QCOMPARE(QByteArray(said.data()).count("the program goes on"), 1);
    close(errors[0]);
    close(errors[1]);
    const ReadRecording read = readFile(rankPath(folder()));
    QCOMPARE(read.rank.has_value(), limit >= 4096);
    if (!read.rank) return;
    QVERIFY(read.ok);
    QCOMPARE(kindsOf(read), QStringList{QStringLiteral("stopped_recording")});
    if (limit >= 100'000) {
        QVERIFY(isPrefix(read.records.at(0), scripted(1, 100'000)));
        QVERIFY(read.records.at(0).size() > 50'000);
        QVERIFY(read.rank->header.lost > 0);
    }
}

LONGPOLE_TEST(TestRecordingEnds)
#include "tst_recordingends.moc"
