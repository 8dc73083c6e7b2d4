// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings that are imported while their program runs, again and again: what is kept between imports never shows in
// the file, which is that of an import of its own, byte for byte.
#include "core/store/tracestore.h"
#include "importers/mpirows/latertiles.h"
#include "importers/recording/growing.h"
#include "importers/recording/growingprogram.h"
#include "importers/recording/import.h"
#include "importers/samefile.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <ctime>

using namespace longpole;
using namespace longpole::test;

namespace {

// One rank that meets itself in so many regions that are open, between which others began and ended.
void writeOpenRegions(const QString& folder, int open, int closedInEach)
{
    QByteArray frames, records;
    std::int64_t now = 1000;
    std::uint32_t seq = 0;
    const auto flush = [&] {
        lp_frame head{};
        head.magic = LP_FRAME_MAGIC;
        head.kind = LP_CHUNK;
        head.seq = seq++;
        head.coding = LP_CODING_RAW;
        head.records = 1;
        head.length = head.raw_length = std::uint64_t(records.size());
        head.checksum = lp_head_checksum(head);
        head.checksum = lp_checksum(records.constData(), head.length, head.checksum);
        frames += paddedTo(bytesOf(head) + records, LP_ALIGNMENT);
        records.clear();
    };
    const auto region = [&](std::uint8_t type) {
        lp_region_record made{};
        made.type = type;
        made.time = now += 2;
        records += bytesOf(made);
        if (records.size() > 1 << 20) flush();
    };
    lp_call2_record call{};
    call.call.type = LP_CALL2_RECORD;
    for (const lp_call_id id : {LP_Init, LP_Barrier}) {
        for (int i = 0; id == LP_Barrier && i < open; ++i) {
            region(LP_ENTER_RECORD);
            for (int k = 0; k < closedInEach; ++k) {
                region(LP_ENTER_RECORD);
                region(LP_LEAVE_RECORD);
            }
        }
        call.call.call = std::uint16_t(id);
        call.call.peer = LP_NO_RANK;
        call.call.begin = now += 5;
        call.call.end = now += 10;
        records += bytesOf(call);
    }
    region(LP_ENTER_RECORD);
    lp_comm comm{};
    comm.size = comm.stride = 1;
    comm.name_length = 14;
    lp_header header = bombHeader(0, 1);
    header.end_kind = LP_RUNNING;
    for (const int id : {LP_Init, LP_Barrier}) header.used_calls[id / 64] |= std::uint64_t{1} << (id % 64);
    lp_area area{};
    area.used = std::uint64_t(records.size());
    QByteArray last = frameOf(LP_AREA, bytesOf(area) + records);
    reinterpret_cast<lp_frame*>(last.data())->seq = seq;
    QDir().mkpath(folder);
    QFile file(QDir(folder).filePath(QStringLiteral("rank-000000.lprank")));
    if (file.open(QIODevice::WriteOnly))
        file.write(rankFile(header, frameOf(LP_COMM, bytesOf(comm) + "MPI_COMM_WORLD") + frames + last));
}

// A recording that is read again and again with one memory, and each time by itself.
class Watched {
public:
    explicit Watched(unsigned threads = 2) { m_options.threads = threads; }

    QString folder() const { return m_folder.filePath(QStringLiteral("run.lprec")); }

    // Empty: both files are the same.
    QString read()
    {
        const QString kept = m_folder.filePath(QStringLiteral("kept-%1.longpole").arg(m_number++));
        const QString alone = m_folder.filePath(QStringLiteral("alone.longpole"));
        const auto first = m_memory.import(folder(), kept, m_options, Progress{});
        const auto second = importRecording(folder(), alone, m_options, Progress{});
        if (first.ok() != second.ok()) return first ? second.error().what : first.error().what;
        if (!first) return QStringLiteral("neither can be read");
        ++imports;
        if (m_memory.wentOn()) ++wentOn;
        if (m_isOldRemoved) QFile::remove(m_last);
        m_last = kept;
        if (first->records != second->records || first->issues.size() != second->issues.size())
            return QStringLiteral("another report");
        return contentOfFile(kept) == contentOfFile(alone) ? QString() : difference(kept, alone);
    }
    QString last() const { return m_last; }

    int imports = 0;
    int wentOn = 0;

private:
    QTemporaryDir m_folder;
    GrowingRecording m_memory;
    ImportOptions m_options;
    QString m_last;
    int m_number = 0;
    bool m_isOldRemoved = false;
};

}  // namespace

class TestGrowingRecordings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Cut at many times, which are not quite the same for all ranks.
    void randomPrograms_data()
    {
        QTest::addColumn<GrowingHabits>("habits");
        QTest::addColumn<int>("steps");
        QTest::addColumn<int>("leastShare");  // of the imports after the first, that read only what was new; percent
        QTest::newRow("clean") << GrowingHabits{} << 500 << 60;
        QTest::newRow("regions") << GrowingHabits{.hasRegions = true} << 500 << 60;
        QTest::newRow("messages cross meetings") << GrowingHabits{.crosses = true, .hasRegions = true} << 500 << 40;
        QTest::newRow("requests are freed") << GrowingHabits{.cancels = true} << 300 << 0;
        QTest::newRow("windows") << GrowingHabits{.windows = true} << 300 << 0;
        QTest::newRow("all never meet") << GrowingHabits{.meets = false} << 300 << 0;
        QTest::newRow("calls are new") << GrowingHabits{.crosses = true, .repeats = false} << 300 << 0;
    }
    void randomPrograms()
    {
        QFETCH(const GrowingHabits, habits);
        QFETCH(const int, steps);
        QFETCH(const int, leastShare);
        int again = 0, wentOn = 0;
        for (unsigned seed = 1; seed <= 4; ++seed) {
            std::mt19937 random(seed);
            const GrowingProgram program(seed, 2 + int(seed % 4), steps, habits);
            Watched watched(1 + seed % 2);
            std::int64_t time = program.end() / 2;
            for (int import = 0; import < 8; ++import) {
                std::vector<std::int64_t> until(std::size_t(program.ranks()));
                for (std::int64_t& end : until) end = time + std::int64_t(random() % 400);
                program.write(watched.folder(), until, 1024 << (seed % 5));
                const QString differs = watched.read();
                QVERIFY2(differs.isEmpty(),
                         qPrintable(QStringLiteral("seed %1, import %2: %3").arg(seed).arg(import).arg(differs)));
                time += program.end() / (random() % 3 == 0 ? 200 : 12);
            }
            again += watched.imports - 1;
            wentOn += watched.wentOn;
        }
        qInfo("%d of %d imports read only what was new", wentOn, again);
        QVERIFY(100 * wentOn >= leastShare * again);
        if (leastShare > 0) QVERIFY(wentOn > 0);
    }

    // Several full chunks of all kinds of rows, so that most of them lie as they lay.
    void longProgram()
    {
        const GrowingProgram program(99, 3, 16000, {.crosses = true, .hasRegions = true});
        Watched watched;
        for (int part = 24; part <= 30; ++part) {
            const std::int64_t time = program.end() / 30 * part;
            program.write(watched.folder(), {time, time + 50, time + 130}, 1 << 16);
            const QString differs = watched.read();
            QVERIFY2(differs.isEmpty(), qPrintable(QStringLiteral("part %1: %2").arg(part).arg(differs)));
        }
        QVERIFY(watched.wentOn >= 4);
        const auto store = TraceStore::open(watched.last());
        for (const ChunkKind kind : {ChunkKind::Task, ChunkKind::TaskSource, ChunkKind::MpiCall, ChunkKind::Message,
                                     ChunkKind::Idle, ChunkKind::Interval, ChunkKind::Delivery})
            QVERIFY2((*store)->chunks(kind).size() > 5, qPrintable(QString::number(int(kind))));
    }

    // That tens of thousands of regions are open where it goes on takes no longer than reading them did.
    void manyOpenRegions()
    {
        QTemporaryDir folder;
        const QString run = folder.filePath(QStringLiteral("run.lprec"));
        writeOpenRegions(run, 20'000, 20);
        GrowingRecording memory;
        std::vector<std::clock_t> took;  // of this process only
        for (const char* name : {"first.longpole", "second.longpole"}) {
            const std::clock_t begin = std::clock();
            QVERIFY(memory.import(run, folder.filePath(QLatin1String(name)), {.symbols = {}, .threads = 1}, Progress{})
                        .ok());
            took.push_back(std::clock() - begin);
        }
        QVERIFY(memory.wentOn());
        QCOMPARE(contentOfFile(folder.filePath(QStringLiteral("second.longpole"))),
                 contentOfFile(folder.filePath(QStringLiteral("first.longpole"))));
        QVERIFY2(took[1] < 2 * took[0], qPrintable(QStringLiteral("%1 and %2").arg(took[0]).arg(took[1])));
    }

    // What was read before is not what lies there: all of it is read.
    void anotherRecording_data()
    {
        QTest::addColumn<int>("what");
        QTest::newRow("another run") << 0;
        QTest::newRow("another begin of the same run") << 1;
        QTest::newRow("cut") << 2;
        QTest::newRow("other records") << 3;
        QTest::newRow("the trace is gone") << 4;
        QTest::newRow("the trace was replaced") << 5;
        QTest::newRow("ended") << 6;
        QTest::newRow("a clock was measured") << 7;
    }
    void anotherRecording()
    {
        QFETCH(const int, what);
        const GrowingProgram program(5, 3, 200, {});
        const GrowingProgram other(6, 3, 200, {});
        Watched watched;
        const auto all = [](std::int64_t time) { return std::vector<std::int64_t>(3, time); };
        const std::int64_t end = program.end();
        for (const std::int64_t time : {end / 2, end / 2 + end / 20}) {
            program.write(watched.folder(), all(time));
            QCOMPARE(watched.read(), QString());
        }
        QCOMPARE(watched.wentOn, 1);
        const auto change = [&](lp_header& header) {
            if (what == 0) header.run += 100;
            if (what == 1) header.start += 1;
            if (what == 3) header.run = 6;
            if (what == 6) header.end_kind = LP_EXITED;
            if (what == 7 && header.rank == 1) header.clock[0] = {0, 3, 1, LP_CLOCK_RTT, 0};
        };
        if (what == 4) QVERIFY(QFile::remove(watched.last()));
        if (what == 5) {
            other.write(watched.folder(), all(end / 3));
            QVERIFY(QFile::remove(watched.last()));
            QVERIFY(importRecording(watched.folder(), watched.last(), {}, Progress{}).ok());
        }
        const std::int64_t next = what == 2 ? end / 4 : end / 2 + end / 10;
        if (what == 3) {
            // The records of another program under the first one's name.
            other.write(watched.folder(), all(next), 4096, [](lp_header& header) { header.run = 6; });
        } else {
            program.write(watched.folder(), all(next), 4096, change);
        }
        QCOMPARE(watched.read(), QString());
        QCOMPARE(watched.wentOn, 1);
        // And from there on again what is new, as soon as there is enough.
        if (what == 6 || what == 2 || what == 7) return;
        const GrowingProgram& now = what == 3 ? other : program;
        now.write(watched.folder(), all(next + end / 10), 4096, change);
        QCOMPARE(watched.read(), QString());
        QCOMPARE(watched.wentOn, 2);
    }

    // Idle time and messages that are kept apart make the pyramid that they make when they are fed to its builder.
    void laterTiles()
    {
        for (unsigned seed = 1; seed <= 40; ++seed) {
            std::mt19937 random(seed);
            const TimeNs begin = TimeNs(random() % 100'000);
            const unsigned step = 1u << (2 + random() % 18);
            const int tasks = 300 + int(random() % 20'000);
            const int place = int(random() % unsigned(tasks));
            TileBuilder whole({begin, maxTime}), alone({begin, maxTime});
            LaterTiles first(begin), rest(begin);
            std::vector<TimeRange> idle;
            TimeNs now = begin > 0 ? begin - TimeNs(random() % unsigned(begin)) : 0;
            for (int i = 0; i <= tasks; ++i) {
                const TimeNs end = now + TimeNs(random() % step);
                const EntryId entry{random() % 3 == 0 ? 1u : 2u};
                for (TileBuilder* builder : {&whole, &alone}) {
                    builder->task(now);
                    builder->busy(now, end, entry);
                }
                idle.push_back({end, end + TimeNs(random() % step)});
                now = idle.back().end;
            }
            for (TileBuilder* builder : {&whole, &alone}) {
                builder->task(now);
                builder->shrink();
            }
            for (int i = 0; i <= tasks; ++i) {
                const TimeRange& part = idle[std::size_t(i)];
                whole.idle(part.begin, part.end);
                whole.message(part.begin, i);
                LaterTiles& later = i < place ? first : rest;
                later.idle(part, i < place ? place : tasks);
                later.message(part.begin, i, i < place ? place : tasks);
            }
            const TilePyramid expected = whole.finish();
            TilePyramid found = alone.finish();
            QVERIFY(first.addTo(found) && rest.addTo(found));
            QCOMPARE(found.levels.size(), expected.levels.size());
            for (std::size_t level = 0; level < found.levels.size(); ++level) {
                QCOMPARE(found.levels[level].level, expected.levels[level].level);
                QCOMPARE(found.levels[level].firstBin, expected.levels[level].firstBin);
                QVERIFY(found.levels[level].bins == expected.levels[level].bins);
            }
        }
    }

    // A cancelled import leaves what is kept as it was.
    void cancelled()
    {
        const GrowingProgram program(5, 3, 200, {});
        QTemporaryDir folder;
        const QString run = folder.filePath(QStringLiteral("run.lprec"));
        GrowingRecording memory;
        const auto import = [&](std::int64_t time, const Progress& progress) {
            program.write(run, std::vector<std::int64_t>(3, time));
            return memory.import(run, folder.filePath(QStringLiteral("%1.longpole").arg(time)), {}, progress);
        };
        const std::int64_t end = program.end();
        QVERIFY(import(end / 2, Progress{}).ok());
        Progress progress;
        progress.cancel();
        const auto stopped = import(end / 2 + end / 10, progress);
        QVERIFY(!stopped && wasCancelled(stopped.error()));
        QVERIFY(import(end / 2 + end / 5, Progress{}).ok());
        QVERIFY(memory.wentOn());
    }
};

LONGPOLE_TEST(TestGrowingRecordings)
#include "tst_growingrecordings.moc"
