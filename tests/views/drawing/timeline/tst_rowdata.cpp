// SPDX-License-Identifier: GPL-3.0-or-later
// Segments, bins and what is read of a drawn trace: tiles and events tell the same times.
#include "core/manyprocessors.h"
#include "core/smalltrace.h"
#include "core/store/blocktiles.h"
#include "views/drawing/timeline/tilesource.h"
#include "views/drawnstore.h"

#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

namespace longpole {

namespace {

RowSegment piece(TimeNs begin, TimeNs end, std::uint32_t task) { return {{begin, end}, EntryId{task}, task, true}; }

QString text(const std::vector<RowSegment>& segments)
{
    QStringList parts;
    for (const RowSegment& s : segments)
        parts << QStringLiteral("%1-%2:%3%4")
                     .arg(s.range.begin)
                     .arg(s.range.end)
                     .arg(s.task)
                     .arg(s.startsTask ? QString() : QStringLiteral("+"));
    return parts.join(QLatin1Char(' '));
}

// 4000 units of short tasks, idle and gaps on one PE, then long ones.
QString busyLine()
{
    QString line;
    std::uint32_t random = 7;
    while (line.size() < 4000) {
        random = random * 1664525u + 1013904223u;
        const int length = 1 + static_cast<int>((random >> 10) % 5);
        const char letters[] = {'A', 'B', '.', 'C', ' ', 'D'};
        line += QString(length, QLatin1Char(letters[(random >> 20) % 6]));
    }
    return line + QString(300, QLatin1Char('E')) + QString(100, QLatin1Char('.')) + QString(200, QLatin1Char('A'));
}

// Finishes a trace of one PE, whose row is track 100.
Result<> finishOneRow(TraceWriter& writer, TimeNs end)
{
    writer.add(Track{TrackId{100}, noTrack, TrackKind::Pe, QStringLiteral("PE 0"), ProcessorId{0}});
    Processor processor{.pe = ProcessorId{0}, .track = TrackId{100}, .name = QStringLiteral("PE 0")};
    processor.lastRecord = end;
    writer.add(processor);
    TraceInfo info;
    info.format = QStringLiteral("drawn");
    info.processors = 1;
    info.end = end;
    writer.setInfo(info);
    return writer.finish(Progress{});
}

}  // namespace

class TestRowData : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void theInnermostHasTheTime_data()
    {
        QTest::addColumn<std::vector<RowSegment>>("pieces");
        QTest::addColumn<QString>("segments");
        using Pieces = std::vector<RowSegment>;
        QTest::newRow("none") << Pieces{} << QString();
        QTest::newRow("apart") << Pieces{piece(0, 5, 0), piece(7, 9, 1)} << QStringLiteral("0-5:0 7-9:1");
        QTest::newRow("unordered") << Pieces{piece(7, 9, 1), piece(0, 5, 0)} << QStringLiteral("0-5:0 7-9:1");
        QTest::newRow("nested") << Pieces{piece(0, 10, 0), piece(3, 5, 1)} << QStringLiteral("0-3:0 3-5:1 5-10:0+");
        QTest::newRow("nested at the begin")
            << Pieces{piece(0, 10, 0), piece(0, 5, 1)} << QStringLiteral("0-5:1 5-10:0+");
        QTest::newRow("nested at the end")
            << Pieces{piece(0, 10, 0), piece(5, 10, 1)} << QStringLiteral("0-5:0 5-10:1");
        QTest::newRow("two levels") << Pieces{piece(0, 20, 0), piece(2, 12, 1), piece(4, 6, 2)}
                                    << QStringLiteral("0-2:0 2-4:1 4-6:2 6-12:1+ 12-20:0+");
        QTest::newRow("broken nesting") << Pieces{piece(0, 6, 0), piece(4, 9, 1)} << QStringLiteral("0-4:0 4-9:1");
        QTest::newRow("empty piece") << Pieces{piece(0, 6, 0), piece(3, 3, 1)} << QStringLiteral("0-3:0 3-6:0+");
    }
    void theInnermostHasTheTime()
    {
        QFETCH(std::vector<RowSegment>, pieces);
        QTEST(text(exclusiveSegments(pieces)), "segments");
    }

    void binsSumTheirSegments()
    {
        const std::vector<RowSegment> segments{piece(2, 5, 0), piece(5, 6, 1), piece(7, 18, 2)};
        const std::vector<TimeRange> idle{{6, 7}, {18, 24}};
        const TileLevel level = binsOf(segments, idle, 3, {0, 24});
        QCOMPARE(level.firstBin, 0);
        QCOMPARE(level.bins.size(), 3u);
        QCOMPARE(level.bins[0], (TileBin{5, 1, 3, 0, EntryId{0}, 3}));
        QCOMPARE(level.bins[1], (TileBin{8, 0, 0, 0, EntryId{2}, 8}));
        QCOMPARE(level.bins[2], (TileBin{2, 6, 0, 0, EntryId{2}, 2}));
    }

    void manyEntriesInABin()
    {
        constexpr std::uint32_t many = 200'000;
        std::vector<RowSegment> segments;
        for (std::uint32_t i = 0; i < many; ++i) segments.push_back(piece(i, i + 1, i % (many / 2)));
        segments.push_back(piece(many, many + 1, 7));
        const TileLevel level = binsOf(segments, {}, 18, {0, many + 1});
        QCOMPARE(level.bins.size(), 1u);
        QCOMPARE(level.bins[0], (TileBin{many + 1, 0, many + 1, 0, EntryId{7}, 3}));
    }

    void levelsFitTheirPixels()
    {
        const std::vector<int> levels{10, 12, 14};
        QCOMPARE(tileLevelFor(levels, 1023), -1);
        QCOMPARE(tileLevelFor(levels, 1024), 10);
        QCOMPARE(tileLevelFor(levels, 4095.9), 10);
        QCOMPARE(tileLevelFor(levels, 1e9), 14);
    }

    void tilesAndEventsAgree_data()
    {
        QTest::addColumn<int>("binsPerPixel");
        for (const int bins : {1, 2, 4, 16}) QTest::newRow(qPrintable(QString::number(bins))) << bins;
    }
    // Per pixel of whole bins, tiles and events have exactly the same busy and idle times.
    void tilesAndEventsAgree()
    {
        QFETCH(int, binsPerPixel);
        const DrawnStore store({busyLine()});
        const TrackId track{100};
        const std::vector<int> levels = store->tileLevels(track);
        QVERIFY(!levels.empty());
        const TimeNs width = TimeNs{binsPerPixel} << levels.front();
        const TimeRange run = store->info().range();
        const RowData tiles = loadRow(*store, {.track = track,
                                               .members = {},
                                               .range = run,
                                               .resolution = double(TimeNs{1} << levels.front()),
                                               .tilesOnly = true});
        RowData events = loadRow(*store,
                                 {.track = track, .members = {}, .range = run, .resolution = 1, .tilesOnly = false});
        QVERIFY(!tiles.exact);
        QVERIFY(events.exact);
        double busy = 0;
        for (TimeNs at = run.begin; at < run.end; at += width) {
            const RowSummary a = summarize(tiles, {at, at + width});
            const RowSummary b = summarize(events, {at, at + width});
            QCOMPARE(a.busy, b.busy);
            QCOMPARE(a.idle, b.idle);
            busy += a.busy;
        }
        QCOMPARE(busy, double(store->info().busy));
    }

    void manyTasksAPixelBecomeBins()
    {
        const DrawnStore store({busyLine()});
        // Finer than the finest tile, yet many events a pixel.
        const int finest = store->tileLevels(TrackId{100}).front();
        const double resolution = std::ldexp(1.0, finest) * 0.99;
        const RowData data = loadRow(*store, {.track = TrackId{100},
                                              .members = {},
                                              .range = store->info().range(),
                                              .resolution = resolution,
                                              .tilesOnly = false});
        double busy = summarize(data, store->info().range()).busy;
        QCOMPARE(busy, double(store->info().busy));
    }

    void partsOfARangeAreRead()
    {
        const DrawnStore store({QStringLiteral("AAAA..BBBB")});
        const RowData data = loadRow(
            *store, {.track = TrackId{100}, .members = {}, .range = {5000, 7000}, .resolution = 1, .tilesOnly = false});
        QCOMPARE(data.segments.size(), 1u);
        QCOMPARE(data.segments[0], (RowSegment{{6000, 10000}, DrawnStore::entryOf('B'), 1, true}));
        QCOMPARE(data.idle, (std::vector<TimeRange>{{4000, 6000}}));
    }

    void userEventsAndMarks()
    {
        const DrawnStore store({QStringLiteral("AAAAAAAA")}, {.userEvents = true});
        const RowData data = loadRow(*store, {.track = TrackId{500},
                                              .members = {},
                                              .range = store->info().range(),
                                              .resolution = 10,
                                              .tilesOnly = false});
        QCOMPARE(data.intervals.size(), 2u);
        QCOMPARE(data.intervals[0], (RowInterval{{1000, 3000}, RegionId{7}, 0}));
        QCOMPARE(data.intervals[1], (RowInterval{{4000, 4000}, RegionId{7}, 0}));
        QCOMPARE(data.lanes, 1);
    }

    void aFlushAmongVeryMuchPackingShows()
    {
        constexpr std::int64_t rowsOfChunk = 8192;
        constexpr std::int64_t rows = 70 * rowsOfChunk;  // only every other chunk of packing is read
        constexpr std::int64_t flushRow = 35 * rowsOfChunk + 10;
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("packing.longpole"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        auto stream = (*writer)->stream(0);
        for (std::int64_t row = 0; row < rows; ++row) {
            const bool flush = row == flushRow;
            stream->append(ChunkKind::Overhead, TrackId{100},
                           std::vector<std::int64_t>{row * 1000, flush ? 900 : 100, flush ? 2 : row % 2});
        }
        stream->close();
        QVERIFY(finishOneRow(**writer, rows * 1000).ok());
        const auto store = TraceStore::open(path);
        QVERIFY(store.ok());
        for (const double resolution : {100.0, 500'000.0}) {
            const RowData data = loadRow(**store, {.track = TrackId{100},
                                                   .members = {},
                                                   .range = {0, rows * 1000},
                                                   .resolution = resolution,
                                                   .tilesOnly = false});
            QVERIFY(data.thinned);
            QVERIFY(!data.damaged);
            QCOMPARE(std::count(data.overheads.begin(), data.overheads.end(),
                                RowOverhead{{flushRow * 1000, flushRow * 1000 + 900}, OverheadKind::Flush}),
                     std::ptrdiff_t(1));
        }
    }

    // As no run has them: each to the end of the run. Painted one by one they would take a minute.
    void whatLiesOverEachOtherIsNotAllDrawn()
    {
        constexpr std::int64_t rows = 20'000, end = rows * 1000;
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("over.longpole"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        auto stream = (*writer)->stream(0);
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::int64_t begin = row * 1000, length = end - begin;
            stream->append(ChunkKind::Overhead, TrackId{100}, std::vector<std::int64_t>{begin, length, 2 + row % 2});
            stream->append(ChunkKind::Interval, TrackId{100},
                           std::vector<std::int64_t>{begin, length, 0, row % 3, 7 + row % 2, 0});
            stream->append(ChunkKind::Mark, TrackId{100}, std::vector<std::int64_t>{begin, length, 7 + row % 2, 0, -1});
        }
        stream->close();
        (*writer)->add(Region{.id = RegionId{7}, .name = QStringLiteral("a")});
        (*writer)->add(Region{.id = RegionId{8}, .name = QStringLiteral("b")});
        QVERIFY(finishOneRow(**writer, end).ok());
        const auto store = TraceStore::open(path);
        QVERIFY2(store.ok(), store ? "" : qPrintable(store.error().what));
        const RowData data = loadRow(
            **store,
            {.track = TrackId{100}, .members = {}, .range = {0, end}, .resolution = 100.0, .tilesOnly = false});
        QVERIFY(data.thinned && !data.damaged);
        QCOMPARE(data.overheads,
                 (std::vector<RowOverhead>{{{0, end}, OverheadKind::Flush}, {{1000, end}, OverheadKind::Untraced}}));
        QCOMPARE(data.intervals.size(), 12u);  // four of each lane
    }

    // Rows that show together share what their brackets may take.
    void manyBracketsAreShared()
    {
        constexpr std::int64_t rows = 5000, end = rows * 1000;
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("brackets.longpole"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        auto stream = (*writer)->stream(0);
        for (std::int64_t row = 0; row < rows; ++row)
            stream->append(ChunkKind::Interval, TrackId{100}, std::vector<std::int64_t>{row * 1000, 900, 0, 0, 7, 0});
        stream->close();
        (*writer)->add(Region{.id = RegionId{7}, .name = QStringLiteral("a")});
        QVERIFY(finishOneRow(**writer, end).ok());
        const auto store = TraceStore::open(path);
        QVERIFY2(store.ok(), store ? "" : qPrintable(store.error().what));
        RowRequest request{.track = TrackId{100}, .members = {}, .range = {0, end}, .resolution = 100.0};
        RowData data = loadRow(**store, request);
        QVERIFY(!data.thinned);
        QCOMPARE(data.intervals.size(), std::size_t{rows});
        request.beside = 2000;
        data = loadRow(**store, request);
        QVERIFY(data.thinned);
        QCOMPARE(data.intervals.size(), 1024u);
    }

    // A rank is in one call at a time: of calls that overlap, each has what those before it leave.
    void callsNeverOverlap()
    {
        constexpr std::int64_t rows = 20'000;
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("calls.longpole"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        auto stream = (*writer)->stream(0);
        for (std::int64_t row = 0; row < rows; ++row) {
            std::vector<std::int64_t> call(MpiCallColumn::Count);
            call[MpiCallColumn::Begin] = row;
            call[MpiCallColumn::Duration] = rows;
            call[MpiCallColumn::WaitBefore] = rows;
            call[MpiCallColumn::Region] = 7;
            call[MpiCallColumn::Seq] = row;
            for (const std::size_t none : {MpiCallColumn::Comm, MpiCallColumn::Peer, MpiCallColumn::Tag,
                                           MpiCallColumn::Culprit, MpiCallColumn::CulpritSeq, MpiCallColumn::Instance})
                call[none] = -1;
            call[MpiCallColumn::Path] = std::int64_t{noCallPath};
            stream->append(ChunkKind::MpiCall, TrackId{100}, call);
        }
        stream->close();
        (*writer)->add(Region{.id = RegionId{7}, .kind = RegionKind::MpiCall, .name = QStringLiteral("MPI_Test")});
        QVERIFY(finishOneRow(**writer, 2 * rows).ok());
        const auto store = TraceStore::open(path);
        QVERIFY2(store.ok(), store ? "" : qPrintable(store.error().what));
        const RowRequest request{.track = TrackId{100}, .members = {}, .range = {0, 2 * rows}, .resolution = 1.0};
        const RowData data = loadRow(**store, request);
        QCOMPARE(data.calls.size(), std::size_t{rows});
        QCOMPARE(data.calls[0].range, (TimeRange{0, rows}));
        for (std::int64_t row = 1; row < rows; ++row) {
            const RowCall& call = data.calls[static_cast<std::size_t>(row)];
            QCOMPARE(call.range, (TimeRange{rows + row - 1, rows + row}));
            QCOMPARE(call.before, 1);
        }
    }

    void aGroupSumsItsMembers()
    {
        const DrawnStore store({QStringLiteral("AAAA...."), QStringLiteral("BBBBBBBB")});
        const RowData data = loadRow(*store, {.track = TrackId{2},
                                              .members = {TrackId{100}, TrackId{101}},
                                              .range = store->info().range(),
                                              .resolution = 100,
                                              .tilesOnly = false});
        QCOMPARE(data.members, 2);
        const RowSummary sum = summarize(data, {0, 8192});
        QCOMPARE(sum.busy, 12000.0);
        QCOMPARE(sum.idle, 4000.0);
    }

    void theSourceRemembers()
    {
        const DrawnStore store({QStringLiteral("AAAA..BBBB")});
        Results results(store.shared());
        TileSource source(results, 2);
        const RowRequest request{
            .track = TrackId{100}, .members = {}, .range = {0, 5000}, .resolution = 1, .tilesOnly = false};
        const auto first = source.row(request);
        QCOMPARE(source.row(request), first);
        for (const TimeNs end : {6000, 7000}) {
            RowRequest other = request;
            other.range.end = end;
            source.row(other);
        }
        QVERIFY(source.row(request) != first);  // two newer ones have pushed it out
    }

    // Rows that are cached, and rows that the cache has dropped while they are drawn.
    void whatIsRememberedIsCounted()
    {
        const DrawnStore store({QStringLiteral("AAAA..BBBB")});
        Results results(store.shared());
        const auto heldRows = [&results] {
            std::int64_t sum = 0;
            for (const HeldAnswer& held : results.held())
                if (QByteArray(held.question) == "rows of the timeline") sum += held.bytes;
            return sum;
        };
        {
            TileSource source(results, 1);
            QCOMPARE(heldRows(), std::int64_t{0});
            RowRequest request{
                .track = TrackId{100}, .members = {}, .range = {0, 5000}, .resolution = 1, .tilesOnly = false};
            std::shared_ptr<const RowData> drawn = source.row(request);
            QVERIFY(drawn->bytes() >= static_cast<std::int64_t>(drawn->segments.size() * sizeof(RowSegment)));
            QCOMPARE(heldRows(), drawn->bytes());
            QCOMPARE(results.bytes(), store->cachedBytes() + drawn->bytes());
            request.range.end = 6000;
            const std::int64_t other = source.row(request)->bytes();
            QCOMPARE(heldRows(), drawn->bytes() + other);
            drawn.reset();
            QCOMPARE(heldRows(), other);
        }
        QCOMPARE(heldRows(), std::int64_t{0});
    }

    // Of a trace that has parts of the events, rows show these where they are kept, else bins, and say so.
    void whatIsNotKeptIsNotIdle()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("part.longpole"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        addSmallDefinitions(**writer);
        writeSmallEvents(**writer);
        TraceInfo info;
        info.format = QStringLiteral("projections");
        info.processors = 2;
        info.begin = 1000;
        info.end = 9000;
        info.part = 1;
        (*writer)->setInfo(info);
        (*writer)->setKept({{ProcessorId{0}, 1000, 9000}, {ProcessorId{1}, 1000, 4000}});
        QVERIFY((*writer)->finish(Progress{}).ok());
        const auto store = TraceStore::open(path);
        QVERIFY2(store.ok(), store ? "" : qPrintable(store.error().what));
        const RowData kept = loadRow(**store, {.track = TrackId{10}, .range = {0, 10000}, .resolution = 1});
        QVERIFY(kept.isKept && kept.exact && !kept.damaged);
        QCOMPARE(kept.segments.size(), std::size_t{4});
        QCOMPARE(kept.idle.size(), std::size_t{1});
        const RowData lacking = loadRow(**store, {.track = TrackId{11}, .range = {0, 10000}, .resolution = 1});
        QVERIFY(!lacking.isKept && !lacking.exact && !lacking.damaged);
        QVERIFY(lacking.segments.empty() && lacking.idle.empty() && !lacking.bins.bins.empty());
        QVERIFY(kept.lacking.empty());
        QVERIFY(lacking.lacking == std::vector<TimeRange>({{4000, 9000}}));
        const RowData part = loadRow(**store, {.track = TrackId{11}, .range = {2000, 4000}, .resolution = 1});
        QVERIFY(part.isKept && part.exact);
        QCOMPARE(part.segments.size(), std::size_t{1});
    }

    void continuedPiecesKeepTheirTask()
    {
        // A summary counts a suspended and resumed task once.
        RowData data;
        data.range = {0, 20};
        data.segments = exclusiveSegments({piece(0, 20, 0), piece(5, 8, 1)});
        const RowSummary sum = summarize(data, {0, 20});
        QCOMPARE(sum.tasks, 2.0);
        QCOMPARE(sum.busy, 20.0);
        QCOMPARE(sum.entry, EntryId{0});
        QCOMPARE(sum.entryTime, 17.0);
    }

    // Rows of many processors take sums that the trace has of them, where it has some, for what each does.
    void manyProcessorsAreAddedUp()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("many.longpole"));
        QVERIFY(writeManyProcessors(path, 900, 40, 11).ok());
        const auto store = *TraceStore::open(path);
        std::vector<TrackId> all;
        for (const Processor& processor : store->processors())
            if (processor.kind != TrackKind::CommThread) all.push_back(processor.track);
        std::mt19937 random(3);
        int withBlocks = 0, compared = 0;
        for (int round = 0; round < 60; ++round) {
            const std::size_t from = random() % all.size();
            const std::size_t count = std::min<std::size_t>(all.size() - from, 1 + random() % 500);
            const std::span<const TrackId> tracks = std::span(all).subspan(from, count);
            const auto begin = static_cast<TimeNs>(random() % 2'000'000);
            const TimeRange range{begin, begin + 1 + static_cast<TimeNs>(random() % 3'000'000)};
            const double resolution = std::ldexp(1.0, 6 + static_cast<int>(random() % 14));
            const Result<TileLevel> sum = summedTiles(*store, tracks, range, resolution);
            QVERIFY(sum.ok());
            if (tracksWithBlocks(*store, tracks, sum->level).size() < tracks.size()) ++withBlocks;
            std::vector<TileBin> expected(sum->bins.size());
            for (const TrackId& track : tracks) {
                const Result<TileLevel> one = summedTiles(*store, {&track, 1}, range, std::ldexp(1.0, sum->level));
                QVERIFY(one.ok());
                QCOMPARE(one->level, sum->level);
                QCOMPARE(one->bins.size(), expected.size());
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    expected[i].busy += one->bins[i].busy;
                    expected[i].idle += one->bins[i].idle;
                    expected[i].tasks += one->bins[i].tasks;
                    expected[i].messages += one->bins[i].messages;
                }
            }
            for (std::size_t i = 0; i < expected.size(); ++i) {
                const std::int64_t number = sum->firstBin + static_cast<std::int64_t>(i);
                const TimeRange width{number << sum->level, (number + 1) << sum->level};
                if (intersection(width, range) != width) continue;  // what begins before the range is there in part
                ++compared;
                const TileBin& bin = sum->bins[i];
                QCOMPARE(bin.busy, expected[i].busy);
                QCOMPARE(bin.idle, expected[i].idle);
                QCOMPARE(bin.tasks, expected[i].tasks);
                QCOMPARE(bin.messages, expected[i].messages);
                QVERIFY(bin.entryTime <= bin.busy);
            }
        }
        QVERIFY2(withBlocks > 20 && compared > 1000,
                 qPrintable(QStringLiteral("%1, %2 bins").arg(withBlocks).arg(compared)));
    }
};

}  // namespace longpole

LONGPOLE_TEST(longpole::TestRowData)
#include "tst_rowdata.moc"
