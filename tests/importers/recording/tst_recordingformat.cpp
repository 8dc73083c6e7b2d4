// SPDX-License-Identifier: GPL-3.0-or-later
// A recording's file: what the recorder's buffers write is what the importer reads, whatever happens to program, disk
// and file.
#include "support/recorded.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <csignal>

using namespace longpole;

namespace {

// A thread's records, made from a seed: the writer puts them, the reader compares.
class Script {
public:
    explicit Script(unsigned seed) : m_random(seed) {}

    struct Step {
        lp_call call{};
        std::vector<lp_completion> completions;
        int region = -1;  // 0: leave, 1: enter, 2: polls; a call otherwise
        std::int64_t time = 0;
        std::uint32_t number = 0;
    };
    Step next()
    {
        Step step;
        const unsigned kind = pick(20);
        if (kind < 4) {
            step.region = static_cast<int>(std::min(kind, 2u));
            step.time = m_now += pick(1000);
            step.number = pick(5000);
            return step;
        }
        constexpr lp_call_id ids[] = {LP_Isend,    LP_Irecv,   LP_Waitall, LP_Allreduce,
                                      LP_Sendrecv, LP_Barrier, LP_Startall};
        step.call = madeCall(ids[pick(7)], 0, 0);
        step.call.begin = m_now += wild(40'000);
        step.call.end = m_now += wild(9000);
        step.call.comm = pick(4) == 0 ? LP_NO_COMM : pick(9);
        step.call.peer = static_cast<std::int32_t>(pick(70'000)) - 1;
        step.call.tag = pick(9) == 0 ? std::numeric_limits<std::int32_t>::min() : static_cast<std::int32_t>(pick(300));
        step.call.bytes = pick(9) == 0 ? std::int64_t{1} << 40 : std::int64_t(pick(5000)) - 1;
        step.call.request = pick(2) == 0 ? ++m_request : LP_NO_REQUEST;
        if (step.call.call == LP_Sendrecv) {
            step.call.peer2 = static_cast<std::int32_t>(pick(70'000));
            step.call.tag2 = -7;
            step.call.bytes2 = 12'345;
        }
        for (unsigned i = pick(3) == 0 ? pick(12) : 0; i > 0; --i) {
            lp_completion done{};
            done.kind = static_cast<lp_completion_kind>(pick(10));
            done.request = pick(1000);
            done.comm = LP_NO_COMM;
            done.peer = LP_NO_RANK;
            if (done.kind == LP_RECV_DONE || done.kind >= LP_COMM_DONE) {
                done.comm = pick(9);
                done.peer = static_cast<std::int32_t>(pick(300));
                done.tag = static_cast<std::int32_t>(pick(10)) - 2;
                done.bytes = pick(100'000);
            }
            step.completions.push_back(done);
        }
        return step;
    }

    static void put(const Step& step)
    {
        if (step.region == 2) lp_put_failed_polls(LP_Test, step.number, step.time);
        else if (step.region >= 0) lp_put_region(step.region == 1, step.number, step.time);
        else putCall(step.call, step.completions);
    }

    // The same as it lies in an area.
    static void append(const Step& step, std::vector<char>& records)
    {
        const auto add = [&records](const auto& record) {
            const auto* const bytes = reinterpret_cast<const char*>(&record);
            records.insert(records.end(), bytes, bytes + sizeof record);
        };
        if (step.region == 2) {
            add(lp_polls_record{.type = LP_POLLS_RECORD,
                                .reserved = 0,
                                .call = LP_Test,
                                .reserved2 = 0,
                                .time = step.time,
                                .count = step.number});
            return;
        }
        if (step.region >= 0) {
            add(lp_region_record{.type = std::uint8_t(step.region == 1 ? LP_ENTER_RECORD : LP_LEAVE_RECORD),
                                 .reserved = {},
                                 .region = step.number,
                                 .time = step.time});
            return;
        }
        lp_call2_record wide{};
        wide.call = {.type = LP_CALL_RECORD,
                     .reserved = 0,
                     .call = step.call.call,
                     .comm = step.call.comm,
                     .begin = step.call.begin,
                     .end = step.call.end,
                     .peer = step.call.peer,
                     .tag = step.call.tag,
                     .bytes = step.call.bytes,
                     .request = step.call.request,
                     .reserved2 = 0};
        if (step.call.call == LP_Sendrecv) {
            wide.call.type = LP_CALL2_RECORD;
            wide.peer2 = step.call.peer2;
            wide.tag2 = step.call.tag2;
            wide.bytes2 = step.call.bytes2;
            add(wide);
        } else {
            add(wide.call);
        }
        for (const lp_completion& done : step.completions) {
            add(lp_completion_record{.type = std::uint8_t(int(LP_FIRST_COMPLETION) + int(done.kind)),
                                     .reserved = {},
                                     .request = done.request,
                                     .comm = done.comm,
                                     .peer = done.peer,
                                     .tag = done.tag,
                                     .reserved2 = 0,
                                     .bytes = done.bytes});
        }
    }

private:
    unsigned pick(unsigned below) { return m_random() % below; }
    std::int64_t wild(unsigned usual) { return pick(500) == 0 ? std::int64_t(pick(1000)) << 32 : pick(usual); }

    std::mt19937 m_random;
    std::int64_t m_now = -5'000'000'000;
    std::uint32_t m_request = 0;
};

// Without the recorder's own records, whose times nobody knows before.
std::vector<char> withoutOwn(const std::vector<char>& records)
{
    std::vector<char> kept;
    for (std::size_t at = 0; at < records.size();) {
        const std::uint32_t size = lp_record_size(static_cast<std::uint8_t>(records[at]));
        if (size == 0 || size > records.size() - at) break;  // cut
        const auto from = records.begin() + static_cast<std::ptrdiff_t>(at);
        if (records[at] != LP_OWN_RECORD) kept.insert(kept.end(), from, from + size);
        at += size;
    }
    return kept;
}

struct ReadRecording {
    std::optional<RecordedRank> rank;
    std::map<std::uint32_t, std::vector<char>> records;  // by thread
    std::vector<Issue> issues;
    bool ok = true;  // every chunk could be read
};

ReadRecording readBytes(const RecordingBytes& bytes)
{
    ReadRecording read;
    ImportLog log(QStringLiteral("file"));
    Result<RecordedRank> rank = readRecordedRank(bytes, QStringLiteral("file"), log);
    if (rank) {
        for (const RecordedChunk& chunk : rank->chunks) {
            if (!read.records.contains(chunk.thread))
                read.records[chunk.thread] = withoutOwn(recordsOf(bytes, *rank, chunk.thread, read.ok));
        }
        read.rank = std::move(*rank);
    }
    read.issues = log.issues();
    return read;
}

ReadRecording readFile(const QString& path)
{
    const Result<RecordingBytes> bytes = RecordingBytes::open(path);
    return bytes ? readBytes(*bytes) : ReadRecording{};
}

QStringList kindsOf(const ReadRecording& read)
{
    QStringList kinds;
    for (const Issue& issue : read.issues) kinds << issue.kind;
    return kinds;
}

std::vector<char> scripted(unsigned seed, int steps)
{
    Script script(seed);
    std::vector<char> records;
    for (int i = 0; i < steps; ++i) Script::append(script.next(), records);
    return records;
}

void putScripted(unsigned seed, int steps)
{
    Script script(seed);
    for (int i = 0; i < steps; ++i) Script::put(script.next());
}

bool isPrefix(const std::vector<char>& part, const std::vector<char>& whole)
{
    return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

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

class TestRecordingFormat : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void readsWhatWasWritten_data();
    void readsWhatWasWritten();
    void readsWhatThreadsWrote_data();
    void readsWhatThreadsWrote();
    void keepsAllButTheLastRecordOfAKilledProgram_data();
    void keepsAllButTheLastRecordOfAKilledProgram();
    void knowsTheCallThatAKilledProgramWasIn();
    void closesAtExit_data();
    void closesAtExit();
    void leavesTheFileToTheParent();
    void survivesClosedDescriptors();
    void stopsWhenTheDiskIsFull_data();
    void stopsWhenTheDiskIsFull();
    void takesMoreCompletionsThanABufferHolds();
    void joinsCallsBelowTheThreshold();
    void readsFilesCutAnywhere_data();
    void readsFilesCutAnywhere();
    void readsFilesWithFlippedBytes_data();
    void readsFilesWithFlippedBytes();
    void refusesWhatItCannotRead();

private:
    QString folder() const { return m_folder->filePath(QStringLiteral("run.lprec")); }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestRecordingFormat::init()
{
    QTest::failOnWarning(QRegularExpression(QStringLiteral(".?")));
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestRecordingFormat::readsWhatWasWritten_data()
{
    QTest::addColumn<QByteArray>("compression");
    QTest::addColumn<QByteArray>("buffer");
    QTest::addColumn<int>("steps");
    for (const char* compression : {"off", "min", "max"}) {
        for (const char* buffer : {"64K", "256K"}) {
            for (const int steps : {0, 1, 100, 20'000}) {
                QTest::addRow("%s %s %d", compression, buffer, steps)
                    << QByteArray(compression) << QByteArray(buffer) << steps;
            }
        }
    }
}

void TestRecordingFormat::readsWhatWasWritten()
{
    QFETCH(QByteArray, compression);
    QFETCH(QByteArray, buffer);
    QFETCH(int, steps);
    const int status = runRecorded(folder(), {{"COMPRESSION", compression}, {"BUFFER", buffer}}, [&] {
        lp_open(3, 7);
        putScripted(1, steps);
        lp_close(false);
    });
    QCOMPARE(status, 0);
    const ReadRecording read = readFile(rankPath(folder(), 3));
    QVERIFY(read.rank && read.ok);
    QCOMPARE(kindsOf(read), QStringList());
    const lp_header& header = read.rank->header;
    QCOMPARE(header.rank, 3);
    QCOMPARE(header.size, 7);
    QCOMPARE(header.end_kind, std::uint32_t(LP_FINALIZED));
    QVERIFY(header.end >= header.start);
    const std::vector<char> expected = scripted(1, steps);
    QVERIFY(steps == 0 || read.records.at(0) == expected);
    if (compression != "off" && steps == 20'000) QVERIFY(read.rank->bytes < expected.size() / 3);
}

void TestRecordingFormat::readsWhatThreadsWrote_data()
{
    QTest::addColumn<bool>("waits");
    QTest::newRow("threads that end before the program") << true;
    QTest::newRow("threads that are still there") << false;
}

void TestRecordingFormat::readsWhatThreadsWrote()
{
    QFETCH(bool, waits);
    constexpr int threads = 4;
    constexpr int steps = 6000;
    const int status = runRecorded(folder(), {{"BUFFER", "64K"}}, [&] {
        lp_open(0, 1);
        putScripted(100, steps);
        std::atomic<int> done{0};
        std::atomic<bool> goOn{false};
        std::vector<std::thread> running;
        for (unsigned i = 1; i <= threads; ++i) {
            running.emplace_back([&, i] {
                putScripted(100 + i, steps);
                ++done;
                while (!waits && !goOn) std::this_thread::yield();
            });
            while (done + 1 < static_cast<int>(i)) std::this_thread::yield();  // numbers in this order, two at a time
        }
        if (waits) {
            for (std::thread& thread : running) thread.join();
        }
        while (done < threads) std::this_thread::yield();
        lp_close(false);
        goOn = true;
        _exit(0);
    });
    QCOMPARE(status, 0);
    const ReadRecording read = readFile(rankPath(folder()));
    QVERIFY(read.rank && read.ok);
    QCOMPARE(kindsOf(read), QStringList());
    QCOMPARE(read.records.size(), std::size_t(threads + 1));
    QCOMPARE(read.rank->threads.size(), std::size_t(threads + 1));
    // Which thread came first is not known of two that run at once.
    std::vector<std::vector<char>> left;
    for (unsigned i = 0; i <= threads; ++i) left.push_back(scripted(100 + i, steps));
    for (const auto& [thread, records] : read.records) {
        const auto found = std::find(left.begin(), left.end(), records);
        QVERIFY(found != left.end());
        left.erase(found);
    }
}

void TestRecordingFormat::keepsAllButTheLastRecordOfAKilledProgram_data()
{
    QTest::addColumn<QByteArray>("compression");
    QTest::newRow("off") << QByteArray("off");
    QTest::newRow("min") << QByteArray("min");
    QTest::newRow("max") << QByteArray("max");
}

void TestRecordingFormat::keepsAllButTheLastRecordOfAKilledProgram()
{
    QFETCH(QByteArray, compression);
    std::mt19937 random(4);
    Shared* const shared = sharedMemory();
    for (int run = 0; run < 25; ++run) {
        shared->put = 0;
        const pid_t child = startRecorded(folder(), {{"COMPRESSION", compression}, {"BUFFER", "64K"}}, [&] {
            lp_open(0, 1);
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

void TestRecordingFormat::knowsTheCallThatAKilledProgramWasIn()
{
    const int status = runRecorded(folder(), {}, [] {
        lp_open(0, 1);
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

void TestRecordingFormat::closesAtExit_data()
{
    QTest::addColumn<bool>("aborts");
    QTest::newRow("exit") << false;
    QTest::newRow("MPI_Abort") << true;
}

void TestRecordingFormat::closesAtExit()
{
    QFETCH(bool, aborts);
    const int status = runRecorded(folder(), {}, [&] {
        lp_open(0, 1);
        putScripted(1, 1000);
        if (aborts) {
            lp_close(true);
            raise(SIGKILL);
        }
        std::exit(5);
    });
    QVERIFY(aborts ? WIFSIGNALED(status) : WIFEXITED(status));
    const ReadRecording read = readFile(rankPath(folder()));
    QVERIFY(read.rank && read.ok);
    QVERIFY(read.records.at(0) == scripted(1, 1000));
    QCOMPARE(kindsOf(read), QStringList{QStringLiteral("early_exit")});
    QCOMPARE(read.rank->header.end_kind, std::uint32_t(aborts ? LP_ABORTED : LP_EXITED));
}

void TestRecordingFormat::leavesTheFileToTheParent()
{
    const int status = runRecorded(folder(), {{"BUFFER", "64K"}}, [] {
        lp_open(0, 1);
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
void TestRecordingFormat::survivesClosedDescriptors()
{
    const QString other = m_folder->filePath(QStringLiteral("other"));
    const int status = runRecorded(folder(), {{"BUFFER", "64K"}}, [&] {
        lp_open(0, 1);
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

void TestRecordingFormat::stopsWhenTheDiskIsFull_data()
{
    QTest::addColumn<int>("limit");
    for (const int limit : {0, 4096, 30'000, 100'000, 200'000, 300'000}) QTest::addRow("%d bytes", limit) << limit;
}

void TestRecordingFormat::stopsWhenTheDiskIsFull()
{
    QFETCH(int, limit);
    Shared* const shared = sharedMemory();
    int errors[2];
    QVERIFY(pipe(errors) == 0);
    const int status = runRecorded(folder(), {{"BUFFER", "64K"}}, [&] {
        dup2(errors[1], 2);
        const rlimit most{rlim_t(limit), rlim_t(limit)};
        setrlimit(RLIMIT_FSIZE, &most);
        lp_open(0, 1);
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

void TestRecordingFormat::takesMoreCompletionsThanABufferHolds()
{
    std::vector<lp_completion> completions(20'000);
    for (std::uint32_t i = 0; i < completions.size(); ++i) {
        completions[i] = {
            .kind = LP_SEND_DONE, .request = i + 1, .comm = LP_NO_COMM, .peer = LP_NO_RANK, .tag = 0, .bytes = 0};
    }
    const int status = runRecorded(folder(), {{"BUFFER", "64K"}}, [&] {
        lp_open(0, 1);
        putCall(madeCall(LP_Waitall, 1, 2), completions);
        lp_close(false);
    });
    QCOMPARE(status, 0);
    std::vector<char> expected;
    Script::append({.call = madeCall(LP_Waitall, 1, 2), .completions = completions}, expected);
    const ReadRecording read = readFile(rankPath(folder()));
    QVERIFY(read.rank && read.ok);
    QVERIFY(read.records.at(0) == expected);
}

void TestRecordingFormat::joinsCallsBelowTheThreshold()
{
    const int status = runRecorded(folder(), {{"THRESHOLD", "1us"}}, [&] {
        lp_open(0, 1);
        for (const auto& [begin, end] : {std::pair(0, 10), {1009, 1020}, {2020, 2030}, {2040, 2050}, {2060, 2070}})
            putCall(madeCall(LP_Barrier, begin, end));
        lp_put_region(true, 1, 2080);
        putCall(madeCall(LP_Barrier, 2090, 3000));
        lp_close(false);
    });
    QCOMPARE(status, 0);
    const ReadRecording read = readFile(rankPath(folder()));
    QVERIFY(read.rank && read.ok);
    QCOMPARE(read.rank->header.threshold, std::int64_t{1000});
    QByteArray types;
    std::vector<std::int64_t> begins;
    const std::vector<char>& records = read.records.at(0);
    for (std::size_t at = 0; at < records.size(); at += lp_record_size(static_cast<std::uint8_t>(records[at]))) {
        types += records[at] == LP_JOINED_RECORD ? 'j' : records[at] == LP_CALL_RECORD ? 'c' : 'r';
        std::int64_t begin;
        std::memcpy(&begin, records.data() + at + 8, sizeof begin);
        begins.push_back(begin);
    }
    QCOMPARE(types, QByteArray("cjcjjrc"));  // 999 ns joins, 1000 does not, nor does a region
    QCOMPARE(begins, (std::vector<std::int64_t>{0, 10, 2020, 2030, 2050, 2080, 2090}));
}

void TestRecordingFormat::readsFilesCutAnywhere_data()
{
    QTest::addColumn<bool>("closed");
    QTest::addColumn<int>("step");
    QTest::newRow("closed") << true << 1;
    QTest::newRow("killed") << false << 13;
}

// Makes a small file with all kinds of frames and two threads.
static QByteArray smallFile(const QString& folder, bool closed)
{
    runRecorded(folder, {{"BUFFER", "64K"}}, [&] {
        lp_open(0, 4);
        const std::int32_t members[] = {3, 1, 0};
        lp_put_comm(1, 0, 1, "three", 3, members);
        lp_put_region(true, lp_region("a region"), 5);
        lp_function(reinterpret_cast<const void*>(&smallFile));
        putScripted(1, 120);
        std::thread([] { putScripted(2, 120); }).join();
        if (closed) lp_close(false);
    });
    return contentOf(rankPath(folder));
}

void TestRecordingFormat::readsFilesCutAnywhere()
{
    QFETCH(bool, closed);
    QFETCH(int, step);
    const QByteArray whole = smallFile(folder(), closed);
    const ReadRecording intact = readBytes(RecordingBytes(whole));
    QVERIFY(intact.rank && intact.ok);
    int errors = 0;
    for (qsizetype length = 0; length < whole.size(); length += step) {
        const ReadRecording read = readBytes(RecordingBytes(whole.first(length)));
        errors += !read.rank;
        if (!read.rank) continue;
        for (const auto& [thread, records] : read.records) {
            QVERIFY(intact.records.contains(thread));
            QVERIFY(isPrefix(records, intact.records.at(thread)));
        }
        const bool isWhole = read.records == intact.records;
        QVERIFY2(isWhole || !read.issues.empty(), qPrintable(QString::number(length)));
    }
    QVERIFY(errors > 0);
}

void TestRecordingFormat::readsFilesWithFlippedBytes_data() { readsFilesCutAnywhere_data(); }

void TestRecordingFormat::readsFilesWithFlippedBytes()
{
    QFETCH(bool, closed);
    QFETCH(int, step);
    const QByteArray whole = smallFile(folder(), closed);
    const ReadRecording intact = readBytes(RecordingBytes(whole));
    std::mt19937 random(2);
    int noticed = 0;
    for (qsizetype at = 0; at < whole.size(); at += step) {
        QByteArray flipped = whole;
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << random() % 8));
        const ReadRecording read = readBytes(RecordingBytes(flipped));
        noticed += !read.rank || !read.ok || read.issues != intact.issues;
        if (!closed || !read.rank) continue;  // the records of an area have no checksum
        QVERIFY2(read.records == intact.records || !read.issues.empty() || !read.ok, qPrintable(QString::number(at)));
    }
    QVERIFY(noticed > 0);
}

void TestRecordingFormat::refusesWhatItCannotRead()
{
    const QByteArray whole = smallFile(folder(), true);
    const auto errorOf = [](QByteArray bytes) {
        ImportLog log;
        const Result<RecordedRank> rank = readRecordedRank(RecordingBytes(std::move(bytes)), QStringLiteral("f"), log);
        return rank ? QString() : rank.error().what;
    };
    QByteArray other = whole;
    other[0] = 'X';
    QCOMPARE(errorOf(other), QStringLiteral("This is no file of a recording."));
    other = whole;
    std::reverse(other.begin() + 8, other.begin() + 12);
    QCOMPARE(errorOf(other), QStringLiteral("The recording was made on a machine with another byte order."));
    other = whole;
    other[12] = 9;
    QCOMPARE(errorOf(other), QStringLiteral("The recording has format version 9; this program reads up to 1."));
    QCOMPARE(errorOf(whole.first(100)), QStringLiteral("The file is too short to be a recording's."));
}

LONGPOLE_TEST(TestRecordingFormat)
#include "tst_recordingformat.moc"
