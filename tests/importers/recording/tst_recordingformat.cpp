// SPDX-License-Identifier: GPL-3.0-or-later
// A recording's file: what the recorder's buffers write is what the importer reads, also of files that are cut and
// damaged.
#include "core/file/codec.h"
#include "importers/recording/script.h"
#include "support/mpi/recorded.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

extern "C" {
#include "recorder/storage/columns.h"
}

using namespace longpole;

class TestRecordingFormat : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void readsWhatWasWritten_data();
    void readsWhatWasWritten();
    void readsWhatThreadsWrote_data();
    void readsWhatThreadsWrote();
    void readsChunksOfVersionOne();
    void takesMoreCompletionsThanABufferHolds();
    void joinsCallsBelowTheThreshold();
    void packsWhatTheMachineGave();
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
        lp_open(3, 7, 1);
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
        lp_open(0, 1, 1);
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

// Version 1 had no column of stacks, which was added behind all others, and no loops of polls.
void TestRecordingFormat::readsChunksOfVersionOne()
{
    std::vector<char> records;
    Script script(1);
    for (int i = 0; i < 200; ++i) {
        Script::Step step = script.next();
        step.call.stack = 0;
        if (step.region != Script::Loop) Script::append(step, records);
    }
    lp_packer* const packer = lp_packer_new(1 << 20, LP_COMPRESSION_MIN);
    const lp_packed packed = lp_pack(packer, records.data(), records.size());
    QByteArray bytes(static_cast<const char*>(packed.bytes), static_cast<qsizetype>(packed.length));
    if (packed.coding == LP_CODING_ZSTD) {
        const auto columns = decompress(std::span(bytes.constData(), packed.length), records.size() + LP_COLUMNS);
        bytes = QByteArray(reinterpret_cast<const char*>(columns.data()), static_cast<qsizetype>(columns.size()));
    }
    // No call has a stack, and nothing of the machine is there, so that these columns have no planes.
    constexpr qsizetype later = LP_COLUMNS - LP_STACK_OF;
    QCOMPARE(bytes.last(later), QByteArray(later, '\0'));
    bytes.chop(later);
    RecordedChunk chunk;
    chunk.coding = LP_CODING_COLUMNS;
    chunk.records = packed.records;
    chunk.length = static_cast<std::uint64_t>(bytes.size());
    chunk.rawLength = records.size();
    std::vector<char> read;
    QVERIFY(!readRecords(RecordingBytes(bytes), chunk, read));
    chunk.columns = LP_STACK_OF;
    QVERIFY(readRecords(RecordingBytes(bytes), chunk, read));
    QVERIFY(read == records);
}

void TestRecordingFormat::takesMoreCompletionsThanABufferHolds()
{
    std::vector<lp_completion> completions(20'000);
    for (std::uint32_t i = 0; i < completions.size(); ++i) {
        completions[i] = {.kind = LP_SEND_DONE,
                          .request = i + 1,
                          .comm = LP_NO_COMM,
                          .peer = LP_NO_RANK,
                          .tag = 0,
                          .bytes = 0,
                          .is_unrecorded = false};
    }
    const int status = runRecorded(folder(), {{"BUFFER", "64K"}}, [&] {
        lp_open(0, 1, 1);
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
        lp_open(0, 1, 1);
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
        types += records[at] == LP_JOINED2_RECORD ? 'j' : records[at] == LP_CALL2_RECORD ? 'c' : 'r';
        std::int64_t begin;
        std::memcpy(&begin, records.data() + at + 8, sizeof begin);
        begins.push_back(begin);
    }
    QCOMPARE(types, QByteArray("cjcjjrc"));  // 999 ns joins, 1000 does not, nor does a region
    QCOMPARE(begins, (std::vector<std::int64_t>{0, 1009, 2020, 2040, 2060, 2080, 2090}));
}

// With values as large as they can be, between other records.
void TestRecordingFormat::packsWhatTheMachineGave()
{
    std::vector<char> records;
    Script script(3);
    for (std::uint32_t i = 0; i < 200; ++i) {
        Script::append(script.next(), records);
        lp_machine_record machine{};
        machine.type = LP_MACHINE_RECORD;
        machine.core = static_cast<std::uint16_t>(i == 7 ? 0xffff : i);
        machine.taken = i == 8 ? 0xffffffffu : i;
        machine.time = i == 9 ? std::numeric_limits<std::int64_t>::min() : 1000 * std::int64_t{i};
        machine.cpu = i == 10 ? std::numeric_limits<std::int64_t>::min() : 7 * std::int64_t{i};
        machine.without = i == 11 ? std::numeric_limits<std::int64_t>::max() : 5 * std::int64_t{i};
        machine.given = 200 - i;
        const auto* const bytes = reinterpret_cast<const char*>(&machine);
        records.insert(records.end(), bytes, bytes + sizeof machine);
    }
    for (const int compression : {LP_COMPRESSION_OFF, LP_COMPRESSION_MIN, LP_COMPRESSION_MAX}) {
        lp_packer* const packer = lp_packer_new(1 << 20, compression);
        const lp_packed packed = lp_pack(packer, records.data(), records.size());
        const QByteArray bytes(static_cast<const char*>(packed.bytes), static_cast<qsizetype>(packed.length));
        RecordedChunk chunk;
        chunk.coding = packed.coding;
        chunk.records = packed.records;
        chunk.length = packed.length;
        chunk.rawLength = records.size();
        std::vector<char> read;
        QVERIFY(readRecords(RecordingBytes(bytes), chunk, read));
        QVERIFY(read == records);
    }
}

void TestRecordingFormat::readsFilesCutAnywhere_data()
{
    QTest::addColumn<bool>("closed");
    QTest::addColumn<int>("step");
    QTest::newRow("closed") << true << 1;
    QTest::newRow("killed") << false << 13;
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
    QCOMPARE(errorOf(other), QStringLiteral("The recording has format version 9; this program reads up to 5."));
    QCOMPARE(errorOf(whole.first(100)), QStringLiteral("The file is too short to be a recording's."));
}

LONGPOLE_TEST(TestRecordingFormat)
#include "tst_recordingformat.moc"
