// SPDX-License-Identifier: GPL-3.0-or-later
// What a writer stores, a store gives back: definitions, rows, tiles, single tasks and messages.
#include "core/base/parallel.h"
#include "core/file/chunkcache.h"
#include "core/smalltrace.h"
#include "core/store/rows.h"
#include "core/store/tracestore.h"
#include "core/store/tracewriter.h"
#include "core/trace/columns.h"
#include "core/trace/format.h"

#include "support/testmain.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <numeric>

using namespace longpole;

namespace {

std::shared_ptr<const TraceStore> openOrNull(const QString& path)
{
    const auto opened = TraceStore::open(path);
    return opened ? *opened : nullptr;
}

// All values of a column on a track, over its chunks.
std::vector<std::int64_t> columnOf(const TraceStore& store, ChunkKind kind, TrackId track, std::size_t column)
{
    std::vector<std::int64_t> values;
    for (const ChunkRef& ref : store.chunks(kind, track)) {
        const auto chunk = store.read(ref, 1u << column);
        if (!chunk || (*chunk)->firstRow != static_cast<std::int64_t>(values.size())) return {};
        values.insert(values.end(), (*chunk)->columns[column].begin(), (*chunk)->columns[column].end());
    }
    return values;
}

}  // namespace

class TestStore : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::shared_ptr<const TraceStore> smallStore()
    {
        const QString path = m_folder.filePath(QStringLiteral("small.longpole"));
        if (!writeSmallTrace(path)) return nullptr;
        return openOrNull(path);
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void definitionsComeBack()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a.longpole"));
        const Result<> written = writeSmallTrace(path);
        QVERIFY2(written.ok(), written ? "" : qPrintable(toText(written.error())));
        const auto store = TraceStore::open(path);
        QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
        const TraceStore& trace = **store;
        QCOMPARE(trace.info().program, QStringLiteral("ring"));
        QCOMPARE(trace.info().range(), (TimeRange{1000, 9000}));
        QCOMPARE(trace.processors().size(), std::size_t{2});
        QCOMPARE(trace.processors()[1].name, QStringLiteral("PE 1"));
        QCOMPARE(trace.entry(EntryId{1})->name, QStringLiteral("pass(int)"));
        QCOMPARE(trace.entry(EntryId{9}), static_cast<const Entry*>(nullptr));
        QCOMPARE(trace.text(7), QStringLiteral("note \u00e4"));
        QCOMPARE(trace.issues().size(), std::size_t{1});
        QCOMPARE(trace.issues()[0], (Issue{QStringLiteral("unmatched"), 5, QStringLiteral("ring.1.log, line 3")}));
        QCOMPARE(trace.stamp().size(), 32);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{QStringLiteral("a.longpole")});
    }

    void tasksHaveAllTheirDetails()
    {
        const auto store = smallStore();
        QVERIFY(store);
        const ProcessorId pe0{0};
        const Result<TaskDetail> outer = store->task({pe0, 0});
        QVERIFY(outer.ok());
        QCOMPARE(outer->range, (TimeRange{1000, 5000}));
        QCOMPARE(outer->exclusive, 3000);
        QCOMPARE(outer->outer, (TaskId{pe0, 0}));
        QVERIFY(outer->pieces == (std::vector<TimeRange>{{1000, 2000}, {3000, 5000}}));
        QVERIFY(!outer->source.isValid() && !outer->message.isValid() && !outer->sent && !outer->received);
        QVERIFY(!outer->cpu);

        const Result<TaskDetail> inner = store->task({pe0, 1});
        QVERIFY(inner.ok());
        QCOMPARE(inner->outer, (TaskId{pe0, 0}));
        QVERIFY(inner->pieces == (std::vector<TimeRange>{{2000, 3000}}));
        QCOMPARE(inner->objectIndex[0], 3);

        const Result<TaskDetail> last = store->task({ProcessorId{1}, 1});
        QVERIFY(last.ok());
        QCOMPARE(last->link, Link::Message);
        QCOMPARE(last->source, (TaskId{pe0, 1}));
        QCOMPARE(last->sourceOffset, 500);
        QCOMPARE(last->message, (MessageId{pe0, 1}));
        QCOMPARE(*last->sent, 2500);
        QCOMPARE(*last->received, 4000);  // the least latency from PE 0 is 1500
        QVERIFY(last->receivedEstimated);
    }

    void unknownTasksAreErrors()
    {
        const auto store = smallStore();
        QVERIFY(store);
        QCOMPARE(store->task({ProcessorId{0}, 3}).error().what, QStringLiteral("There is no task 0:3 in this trace."));
        QVERIFY(!store->task({ProcessorId{2}, 0}));
        QVERIFY(!store->task({}));
        QVERIFY(!store->message({ProcessorId{1}, 0}));
        QVERIFY(!store->messagesOf({ProcessorId{0}, 4000000000u}));
    }

    void messagesBelongToTheirTasks()
    {
        const auto store = smallStore();
        QVERIFY(store);
        const ProcessorId pe0{0};
        const auto idsOf = [&](std::uint32_t task) {
            std::vector<std::uint32_t> ids;
            const auto messages = store->messagesOf({pe0, task});
            if (messages)
                for (const MessageDetail& message : *messages) ids.push_back(message.id.index);
            return ids;
        };
        QVERIFY(idsOf(0) == (std::vector<std::uint32_t>{0, 2}));  // 2 was made after its end and hangs on it
        QVERIFY(idsOf(1) == (std::vector<std::uint32_t>{1}));
        QVERIFY(idsOf(2).empty());
        const Result<MessageDetail> message = store->message({pe0, 2});
        QVERIFY(message.ok());
        QCOMPARE(message->source, (TaskId{pe0, 0}));
        QCOMPARE(message->sent, 5100);
        QCOMPARE(message->sourceOffset, 4000);
        QCOMPARE(message->event, 102);
        QCOMPARE(message->executions, 1);
        QCOMPARE(message->destinations, 1);
    }

    void receiveTimesAreEstimatedWithinBounds()
    {
        QCOMPARE(estimatedReceive(100, 500, 50), 150);
        QCOMPARE(estimatedReceive(100, 120, 50), 120);
        QCOMPARE(estimatedReceive(600, 500, 50), 500);  // clocks disagree
        QCOMPARE(estimatedReceive(maxTime - 5, maxTime, 50), maxTime);
    }

    void tilesAndOverview()
    {
        const auto store = smallStore();
        QVERIFY(store);
        const std::vector<int> levels = store->tileLevels(TrackId{10});
        QCOMPARE(levels.front(), 8);
        for (const int level : levels) {
            const Result<TileLevel> tiles = store->tiles(TrackId{10}, level, {minTime, maxTime});
            QVERIFY(tiles.ok());
            TimeNs busy = 0;
            for (const TileBin& bin : tiles->bins) busy += bin.busy;
            QCOMPARE(busy, 5000);
        }
        const Result<TileLevel> part = store->tiles(TrackId{10}, 8, {2048, 2304});
        QVERIFY(part.ok());
        QCOMPARE(part->firstBin, 8);
        QVERIFY(part->bins == (std::vector<TileBin>{{256, 0, 0, 0, EntryId{1}, 256}}));
        QCOMPARE(store->tileColumns(), allTileColumns);
        const Result<TileLevel> sent = store->tiles(TrackId{10}, 8, {5000, 5200});
        QVERIFY(sent->bins == (std::vector<TileBin>{{136, 0, 0, 1, EntryId{0}, 136, 64, 20}, {.pack = 80}}));
        QVERIFY(store->tiles(TrackId{10}, 8, {20000, 30000})->bins.empty());
        QVERIFY(store->tiles(TrackId{10}, 9, {0, 30000})->bins.empty());
        const Result<TileLevel> overview = store->overview();
        QVERIFY(overview.ok());
        TileBin sum;
        for (const TileBin& bin : overview->bins) {
            sum.busy += bin.busy;
            sum.idle += bin.idle;
            sum.tasks += bin.tasks;
        }
        QCOMPARE(sum.busy, 9000);
        QCOMPARE(sum.idle, 3500);
        QCOMPARE(sum.tasks, 5);
    }

    void onlyWantedTileColumnsAreRead()
    {
        const auto store = smallStore();
        QVERIFY(store);
        const auto level = [&](std::uint32_t columns) {
            return store->tiles(TrackId{10}, 8, {5000, 5200}, columns)->bins;
        };
        QVERIFY(level(1u << TileColumn::Pack) == (std::vector<TileBin>{{.pack = 20}, {.pack = 80}}));
        QVERIFY(level(1u << TileColumn::Entry | 1u << TileColumn::Bytes)
                == (std::vector<TileBin>{{.entry = EntryId{0}, .bytes = 64}, {}}));
        QVERIFY(level(0) == std::vector<TileBin>(2));
    }

    // 1000 to 8000 in bins of 256 ns: main from 3 on, pass(int) in 7 to 11 and 27 to 31.
    void entryBinsComeBack()
    {
        const auto store = smallStore();
        QVERIFY(store);
        const Result<EntryBins> bins = store->entryBins(TrackId{10});
        QVERIFY(bins.ok());
        QCOMPARE(bins->level, 8);
        QCOMPARE(bins->firstBin, 3);
        using Expected = std::vector<std::int64_t>;  // bin, entry, time, tasks
        std::vector<Expected> rows;
        for (std::size_t row = 0; row < bins->rows(); ++row)
            rows.push_back({bins->binOf(row), index(bins->entry[row]), bins->time[row], bins->tasks[row]});
        QVERIFY(rows == (std::vector<Expected>{{3, 0, 24, 1},   {4, 0, 256, 0},  {5, 0, 256, 0},  {6, 0, 256, 0},
                                               {7, 0, 208, 0},  {7, 1, 48, 1},   {8, 1, 256, 0},  {9, 1, 256, 0},
                                               {10, 1, 256, 0}, {11, 0, 72, 0},  {11, 1, 184, 0}, {12, 0, 256, 0},
                                               {13, 0, 256, 0}, {14, 0, 256, 0}, {15, 0, 256, 0}, {16, 0, 256, 0},
                                               {17, 0, 256, 0}, {18, 0, 256, 0}, {19, 0, 136, 0}, {27, 1, 168, 1},
                                               {28, 1, 256, 0}, {29, 1, 256, 0}, {30, 1, 256, 0}, {31, 1, 64, 0}}));
        QCOMPARE(store->entryBins(TrackId{11})->rows(), std::size_t{0});
    }

    // Rows of one kind and track that several streams bring are numbered in the order of the streams.
    void rowsAreNumberedAcrossStreams()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        const TrackId track{3};
        constexpr std::int64_t perStream = 10'000;
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        (*writer)->add(Track{.id = track, .name = {}, .pe = {}});
        std::vector<std::unique_ptr<EventStream>> streams;
        for (std::uint32_t ordinal = 0; ordinal < 3; ++ordinal) streams.push_back((*writer)->stream(ordinal));
        for (std::uint32_t ordinal : {2u, 0u, 1u}) {
            for (std::int64_t i = 0; i < perStream; ++i)
                streams[ordinal]->append(ChunkKind::Idle, track, Row{ordinal * perStream + i, i % 7});
            streams[ordinal]->close();
        }
        QVERIFY((*writer)->finish(Progress()).ok());
        const auto store = openOrNull(path);
        QVERIFY(store);
        std::vector<std::int64_t> expected(3 * perStream);
        std::iota(expected.begin(), expected.end(), 0);
        QVERIFY(columnOf(*store, ChunkKind::Idle, track, IdleColumn::Begin) == expected);
        const auto chunks = store->chunks(ChunkKind::Idle, track);
        QCOMPARE(chunks.size(), std::size_t{6});
        QCOMPARE(chunks[1].firstRow, 8192);
        QCOMPARE(chunks[1].firstBegin, 8192);
        QCOMPARE(chunks[1].lastBegin, 9999);
        QCOMPARE(chunks[1].maxEnd, 10'002);  // of row 9999, which lasts 3
        QCOMPARE(chunks[2].firstRow, 10'000);
    }

    // Nested calls as an OTF2 trace has them: a process with a thread and a GPU stream, and a rank.
    //   thread 21  [main                    ]      stream 22   [kernel]
    //                 [solve         ]
    //                     [dot ]
    void nestedIntervalsOfAnyTrack_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("thread") << int(TrackKind::Thread);
        QTest::newRow("stream") << int(TrackKind::Stream);
        QTest::newRow("rank") << int(TrackKind::Rank);
    }
    void nestedIntervalsOfAnyTrack()
    {
        QFETCH(int, kind);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        const TrackId process{20};
        const TrackId track{21};
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        (*writer)->add(Track{.id = process, .kind = TrackKind::Process, .name = QStringLiteral("node0"), .pe = {}});
        (*writer)->add(Track{.id = track, .parent = process, .kind = TrackKind(kind), .name = {}, .pe = {}});
        for (std::uint32_t i = 0; i < 3; ++i)
            (*writer)->add(Region{.id = RegionId{i}, .kind = RegionKind::Function, .number = i, .name = {}});
        const std::vector<Row> rows = {{0, 100, 60, 0, 0, 0}, {20, 60, 10, 1, 1, 0}, {40, 10, 0, 2, 2, -1}};
        {
            const auto stream = (*writer)->stream(0);
            for (const Row& row : rows) stream->append(ChunkKind::Interval, track, row);
        }
        QVERIFY((*writer)->finish(Progress()).ok());
        const auto store = openOrNull(path);
        QVERIFY(store);
        QCOMPARE(store->track(track)->kind, TrackKind(kind));
        QCOMPARE(store->track(track)->parent, process);
        QVERIFY(!store->track(track)->pe);
        for (std::size_t column = 0; column < IntervalColumn::Count; ++column)
            QVERIFY(columnOf(*store, ChunkKind::Interval, track, column)
                    == (std::vector<std::int64_t>{rows[0][column], rows[1][column], rows[2][column]}));
        QCOMPARE(store->chunks(ChunkKind::Interval, track)[0].maxEnd, 100);
    }

    void emptyTracesOpen()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        QVERIFY((*writer)->finish(Progress()).ok());
        const auto store = openOrNull(path);
        QVERIFY(store);
        QVERIFY(store->processors().empty());
        QVERIFY(store->chunks(ChunkKind::Task).empty());
        QVERIFY(store->tileLevels(noTrack).empty());
        QVERIFY(store->overview()->bins.empty());
    }

    void repeatedDefinitionsKeepTheFirst()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        (*writer)->add(Entry{.id = EntryId{4}, .name = QStringLiteral("first"), .chare = {}});
        (*writer)->add(Entry{.id = EntryId{4}, .name = QStringLiteral("second"), .chare = {}});
        (*writer)->add(RecordCount{QStringLiteral("b"), 1});
        (*writer)->add(RecordCount{QStringLiteral("a"), 2});
        (*writer)->add(RecordCount{QStringLiteral("b"), 3});
        (*writer)->add(Track{.id = TrackId{1}, .name = {}, .pe = {}});
        (*writer)->add(Processor{.pe = ProcessorId{1}, .track = TrackId{1}, .name = {}});
        (*writer)->add(ProfileRow{.pe = ProcessorId{1}, .entry = EntryId{4}, .count = 1, .time = 5});
        (*writer)->add(ProfileRow{.pe = ProcessorId{1}, .entry = EntryId{4}, .count = 2, .time = 6});
        QVERIFY((*writer)->finish(Progress()).ok());
        const auto store = openOrNull(path);
        QVERIFY(store);
        QCOMPARE(store->entries().size(), std::size_t{1});
        QCOMPARE(store->entry(EntryId{4})->name, QStringLiteral("first"));
        QCOMPARE(store->counts()[0], (RecordCount{QStringLiteral("b"), 4}));
        QCOMPARE(store->counts()[1], (RecordCount{QStringLiteral("a"), 2}));
        QCOMPARE(store->profile()[0], (ProfileRow{.pe = ProcessorId{1}, .entry = EntryId{4}, .count = 3, .time = 11}));
    }

    void manyThreadsMayRead()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        (*writer)->add(Track{.id = TrackId{0}, .name = {}, .pe = {}});
        {
            const auto stream = (*writer)->stream(0);
            for (std::int64_t i = 0; i < 40 * chunkRows; ++i) stream->append(ChunkKind::Idle, TrackId{0}, Row{i, i});
        }
        QVERIFY((*writer)->finish(Progress()).ok());
        const auto store = openOrNull(path);
        QVERIFY(store);
        std::atomic<int> wrong{0};
        parallelFor(
            400,
            [&](std::size_t i) {
                const ChunkRef& ref = store->chunks(ChunkKind::Idle)[i * 7 % 40];
                const std::size_t column = i % 2;
                const auto chunk = store->read(ref, 1u << column);
                if (!chunk || (*chunk)->at(column, 5) != ref.firstRow + 5) ++wrong;
            },
            8);
        QCOMPARE(wrong.load(), 0);
    }

    // Each number in another chunk than the one before, of more chunks than the cache holds.
    void seekersDecodeAChunkAFewTimes()
    {
        constexpr std::int64_t rows = 360'000, rowsOfAChunk = 8192, chunks = 43;
        const QString path = m_folder.filePath(QStringLiteral("seek.longpole"));
        {
            auto writer = TraceWriter::create(path);
            QVERIFY(writer.ok());
            addSmallDefinitions(**writer);
            auto stream = (*writer)->stream(0);
            for (std::int64_t i = 0; i < rows; ++i)
                stream->append(ChunkKind::Task, TrackId{10}, taskRow(1000 + i, 1001 + i, 1));
            stream.reset();
            QVERIFY((*writer)->finish(Progress{}).ok());
        }
        const auto store = openOrNull(path);
        QVERIFY(store);
        QCOMPARE(store->chunks(ChunkKind::Task, TrackId{10}).size(), std::size_t{44});
        RowSeeker<TaskRow> tasks(*store, TrackId{10}, 0xffff);
        QElapsedTimer timer;
        timer.start();
        for (std::int64_t i = 0; i < 200'000; ++i) {
            const std::int64_t number = i % chunks * rowsOfAChunk + i % rowsOfAChunk;
            const Result<const TaskRow*> task = tasks.find(number);
            QVERIFY(task.ok() && *task != nullptr);
            QCOMPARE((*task)->begin(), 1000 + number);
            QCOMPARE((*task)->number(), number);
        }
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
        for (const std::int64_t none : {std::int64_t{-1}, rows}) {
            const Result<const TaskRow*> task = tasks.find(none);
            QVERIFY(task.ok() && *task == nullptr);
        }
        for (const std::int64_t number : {rows - 1, std::int64_t{0}, std::int64_t{8192}, std::int64_t{1}})
            QCOMPARE((*tasks.find(number))->begin(), 1000 + number);
    }

    void theCacheForgetsTheOldest()
    {
        const auto chunk = [](std::size_t rows) {
            auto made = std::make_shared<Chunk>();
            made->columns.resize(1);
            made->columns[0].resize(rows);
            return made;
        };
        ChunkCache cache(30'000);
        cache.insert(1, 1, chunk(1000));
        cache.insert(2, 1, chunk(1000));
        cache.insert(3, 1, chunk(1000));
        QVERIFY(cache.find(1, 1));
        cache.insert(4, 1, chunk(1000));
        QVERIFY(!cache.find(2, 1));
        QVERIFY(cache.find(1, 1) && cache.find(3, 1) && cache.find(4, 1));
        QVERIFY(cache.bytes() <= 30'000);
        QVERIFY(!cache.find(1, 3));  // has not that column
        QCOMPARE(cache.columnsOf(1), 1u);
        cache.insert(5, 1, chunk(100'000));  // larger than the bound: alone
        QVERIFY(cache.find(5, 1) && !cache.find(1, 1));
    }
};

LONGPOLE_TEST(TestStore)
#include "tst_store.moc"
