// SPDX-License-Identifier: GPL-3.0-or-later
// The writer's promises about what is in a file: the same calls give the same bytes whatever the threads do, parts and
// files hold the same rows, and what no file may hold is refused.
#include "core/base/hash.h"
#include "core/base/parallel.h"
#include "core/file/chunksink.h"
#include "core/file/codec.h"
#include "core/file/schema.h"
#include "core/file/sqlite.h"
#include "core/smalltrace.h"
#include "core/store/tracestore.h"
#include "core/store/tracewriter.h"
#include "core/writtenstreams.h"

#include "core/trace/columns.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace longpole;

namespace {

constexpr std::uint32_t streams = 12;

// The streams are filled and closed in the given order; or by several threads at once if it is empty.
Result<> writeStreams(const QString& path, const std::vector<std::uint32_t>& order)
{
    auto writer = TraceWriter::create(path);
    if (!writer) return writer.error();
    addSmallDefinitions(**writer);
    if (order.empty()) {
        parallelFor(
            streams,
            [&](std::size_t ordinal) {
                const auto stream = (*writer)->stream(static_cast<std::uint32_t>(ordinal));
                fill(*stream, static_cast<std::uint32_t>(ordinal));
            },
            4);
    }
    std::vector<std::unique_ptr<EventStream>> opened;
    for (const std::uint32_t ordinal : order) opened.push_back((*writer)->stream(ordinal));
    for (std::size_t i = 0; i < order.size(); ++i) {
        fill(*opened[i], order[i]);
        opened[i].reset();
    }
    return (*writer)->finish(Progress());
}

}  // namespace

class TestWriter : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void sameCallsSameBytes()
    {
        const QTemporaryDir folder;
        const QString first = folder.filePath(QStringLiteral("a.longpole"));
        const QString second = folder.filePath(QStringLiteral("b.longpole"));
        QVERIFY(writeSmallTrace(first).ok());
        QVERIFY(writeSmallTrace(second).ok());
        QCOMPARE(contentOf(first), contentOf(second));
    }

    // Each table takes a page of the file, also an empty one.
    void onlyTracesOfPartsHaveTheirTables()
    {
        const QTemporaryDir folder;
        const auto pagesOf = [&folder](std::int64_t part, HasEvents has) -> std::int64_t {
            const QString path = folder.filePath(QStringLiteral("part%1.longpole").arg(part));
            const auto writer = TraceWriter::create(path);
            if (!writer) return -1;
            TraceInfo info;
            info.part = part;
            (*writer)->setInfo(info);
            if (!(*writer)->finish(Progress()) || !TraceStore::open(path)) return -1;
            Result<Database> database = Database::openImmutable(path);
            if (!database) return -1;
            const auto number = database->integer("SELECT count(*) FROM sqlite_schema");
            const auto pages = database->integer("PRAGMA page_count");
            return number && pages && *number == std::ssize(tables(has)) ? *pages : -1;
        };
        const std::int64_t whole = pagesOf(0, HasEvents::All), parts = pagesOf(1, HasEvents::OfParts);
        QCOMPARE(whole, 1 + std::ssize(tables(HasEvents::All)));
        QVERIFY2(parts >= 1 + std::ssize(tables(HasEvents::OfParts)), qPrintable(QString::number(parts)));
    }

#ifdef __GLIBC__
    // What is out of turn takes 64 MiB of memory, whatever there is of it.
    void chunksOutOfTurnLieOnDisk()
    {
        constexpr std::size_t size = std::size_t{1} << 20;
        constexpr int count = 160;
        struct Place final : ChunkPlace {
            Result<> write(std::int64_t, std::span<const char> bytes) override
            {
                isInOrder &= bytes.size() == size && bytes.front() == char(written) && bytes.back() == char(written);
                ++written;
                return Unit{};
            }
            Result<std::vector<char>> read(std::int64_t) override { return std::vector<char>(); }
            int written = 0;
            bool isInOrder = true;
        };
        const QTemporaryDir folder;
        const auto place = std::make_shared<Place>();
        ChunkSink sink(place, folder.filePath(QStringLiteral("a.longpole")));
        sink.open(0);
        sink.open(1);
        const auto taken = [] { return ::mallinfo2().uordblks + ::mallinfo2().hblkhd; };
        const std::size_t before = taken();
        for (int i = 0; i < count; ++i)
            sink.submit(1, {{.kind = ChunkKind::Task, .rows = 1}, std::vector<char>(size, char(i)), false});
        const std::size_t most = taken() - before;
        QVERIFY2(most < 70 * size, qPrintable(QString::number(most)));
        QCOMPARE(place->written, 0);
        sink.close(0);
        sink.close(1);
        QVERIFY(sink.finish().ok());
        QCOMPARE(place->written, count);
        QVERIFY(place->isInOrder);
    }
#endif

    // They are repeated wherever what they name occurs.
    void longNamesAreCut()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a.longpole"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        addSmallDefinitions(**writer);
        const QString emoji = QString::fromUtf8("\xf0\x9f\x98\x80");
        (*writer)->add(Entry{.id = EntryId{500}, .name = QString(1024, u'x'), .chare = QString(1'000'000, u'y')});
        (*writer)->add(Entry{.id = EntryId{501}, .name = u'x' + emoji.repeated(600), .chare = {}});
        QVERIFY((*writer)->finish(Progress()).ok());
        const auto store = TraceStore::open(path);
        QVERIFY2(store.ok(), store ? "" : qPrintable(store.error().what));
        QCOMPARE((*store)->entry(EntryId{500})->name, QString(1024, u'x'));
        QCOMPARE((*store)->entry(EntryId{500})->chare, QString(1023, u'y') + QChar(0x2026));
        QCOMPARE((*store)->entry(EntryId{501})->name, u'x' + emoji.repeated(511) + QChar(0x2026));
        const QString without = folder.filePath(QStringLiteral("b.longpole"));
        auto plain = TraceWriter::create(without);
        QVERIFY(plain.ok());
        addSmallDefinitions(**plain);
        QVERIFY((*plain)->finish(Progress()).ok());
        const qint64 more = QFileInfo(path).size() - QFileInfo(without).size();
        QVERIFY2(more < 100'000, qPrintable(QString::number(more)));  // of a name of a million letters
    }

    void longNamesOfProcessorsAreCut()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a.longpole"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        const QString name(1'000'000, u'p');
        (*writer)->add(Track{.id = TrackId{1}, .kind = TrackKind::Root, .name = QStringLiteral("run"), .pe = {}});
        (*writer)->add(Track{.id = TrackId{10}, .parent = TrackId{1}, .name = name, .pe = ProcessorId{0}});
        (*writer)->add(Processor{.pe = ProcessorId{0}, .track = TrackId{10}, .name = name});
        TraceInfo info;
        info.processors = 1;
        (*writer)->setInfo(info);
        QVERIFY((*writer)->finish(Progress()).ok());
        const auto store = TraceStore::open(path);
        QVERIFY2(store.ok(), store ? "" : qPrintable(store.error().what));
        QCOMPARE((*store)->processors()[0].name, QString(1023, u'p') + QChar(0x2026));
    }

    // Views lay them out: a million letters took the window's thread for a minute.
    void longTextsOfTheRunAreCut()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a.longpole"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        addSmallDefinitions(**writer);
        const QString text(1'000'000, u't');
        (*writer)->add(Issue{QStringLiteral("missing_program"), 1, text});
        (*writer)->add(Issue{text, 1, QStringLiteral("here")});
        TraceInfo info = smallInfo();
        info.commandline = text;
        (*writer)->setInfo(info);
        QVERIFY((*writer)->finish(Progress()).ok());
        const auto store = TraceStore::open(path);
        QVERIFY2(store.ok(), store ? "" : qPrintable(store.error().what));
        QCOMPARE((*store)->info().commandline, text.left(65536));
        for (const Issue& issue : (*store)->issues()) QVERIFY(issue.kind.size() <= 1024 && issue.place.size() <= 1024);
    }

    // What is written opens; a run that is longer than any is refused before that.
    void timesBeyondAnyRunAreRefused()
    {
        const QTemporaryDir folder;
        constexpr TimeNs farthest = TimeNs{1} << 61;
        const auto written = [&folder](TimeNs begin, TimeNs end) -> Result<> {
            const QString path = folder.filePath(QStringLiteral("a.longpole"));
            auto writer = TraceWriter::create(path);
            if (!writer) return writer.error();
            TraceInfo info;
            info.begin = begin;
            info.end = end;
            (*writer)->setInfo(info);
            if (const Result<> done = (*writer)->finish(Progress()); !done) return done;
            const auto store = TraceStore::open(path);
            QFile::remove(path);
            return store ? Result<>(Unit{}) : Result<>(store.error());
        };
        QVERIFY(written(-farthest, farthest).ok());
        for (const auto& [begin, end] : {std::pair{TimeNs{0}, farthest + 1}, std::pair{-farthest - 1, TimeNs{0}},
                                         std::pair{minTime, maxTime}, std::pair{TimeNs{5}, TimeNs{4}}}) {
            const Result<> refused = written(begin, end);
            QVERIFY(!refused.ok());
            QVERIFY2(refused.error().what.startsWith(QLatin1String("The times of this trace")),
                     qPrintable(refused.error().what));
        }
        QVERIFY(filesIn(folder).isEmpty());
    }

    // So is a row of an ordinary run: what is written opens, and is read.
    void rowsBeyondAnyRunAreRefused()
    {
        const QTemporaryDir folder;
        const auto written = [&folder](TimeNs begin, TimeNs duration) {
            const QString path = folder.filePath(QStringLiteral("a.longpole"));
            auto writer = TraceWriter::create(path);
            if (!writer) return QStringLiteral("not created");
            addSmallDefinitions(**writer);
            (*writer)->stream(0)->append(ChunkKind::Idle, TrackId{10}, Row{begin, duration});
            const Result<> done = (*writer)->finish(Progress());
            if (!done) return done.error().what.section(u':', 0, 0);
            const auto store = TraceStore::open(path);
            QFile::remove(path);
            return store ? QString() : store.error().what;
        };
        constexpr TimeNs farthest = TimeNs{1} << 61;
        const QString refused = QStringLiteral("The times of this trace are beyond what a run can last");
        QCOMPARE(written(-farthest, 2 * farthest), QString());
        QCOMPARE(written(-farthest - 1, 1), refused);
        QCOMPARE(written(farthest, 1), refused);
        QCOMPARE(written(0, maxTime), refused);
        QVERIFY(filesIn(folder).isEmpty());
    }

    // A file whose rows are all alike would be too small for them to be believed: it is not written.
    void moreRowsThanAFileMayHaveAreRefused()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a.longpole"));
        const std::vector<std::int64_t> alike(2 * chunkRows, 0);
        const auto bytes = encodeChunk(ChunkKind::Idle, TrackId{10}, alike, chunkRows, chunkRows);
        const auto written = [&](int chunks) -> Result<> {
            auto writer = TraceWriter::create(path);
            if (!writer) return writer.error();
            addSmallDefinitions(**writer);
            {
                const auto stream = (*writer)->stream(0);
                EncodedChunk chunk{.ref = {.kind = ChunkKind::Idle, .track = TrackId{10}, .rows = chunkRows},
                                   .bytes = bytes};
                chunk.ref.hash = hashBytes(bytes);
                for (int i = 0; i < chunks; ++i) stream->append(chunk);
            }
            if (const Result<> done = (*writer)->finish(Progress()); !done) return done;
            const auto store = TraceStore::open(path);
            return store ? Result<>(Unit{}) : Result<>(store.error());
        };
        const Result<> few = written(100);
        QVERIFY2(few.ok(), few ? "" : qPrintable(few.error().what));
        QVERIFY(QFile::remove(path));
        const Result<> many = written(10'000);
        QVERIFY(!many.ok());
        QVERIFY2(many.error().what.startsWith(QLatin1String("The imported trace has 81")),
                 qPrintable(many.error().what));
        QVERIFY(filesIn(folder).isEmpty());
    }

    // What a process keeps for itself has the rows and definitions of the file, and lies in no folder. It is there
    // once.
    void partsAreWhatFilesAre()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("a.longpole"));
        QVERIFY(writeSmallTrace(file).ok());
        const auto whole = TraceStore::open(file);
        QVERIFY(whole.ok());
        QVERIFY(QFile::remove(file));
        for (const HeldFor use : {HeldFor::Trace, HeldFor::Answers}) {
            const QString name = folder.filePath(QStringLiteral("part"));
            auto writer = TraceWriter::createHeld(name, use);
            QVERIFY(writer.ok());
            addSmallDefinitions(**writer);
            writeSmallEvents(**writer);
            QVERIFY(!TraceStore::openHeld(name).ok());  // it is not finished
            QVERIFY((*writer)->finish(Progress()).ok());
            QVERIFY(filesIn(folder).isEmpty());
            const auto part = TraceStore::openHeld(name);
            QVERIFY(part.ok());
            QVERIFY(!TraceStore::openHeld(name).ok());
            QCOMPARE((*part)->tracks().size(), (*whole)->tracks().size());
            QCOMPARE((*part)->profile().size(), (*whole)->profile().size());
            for (const ChunkSpec& spec : chunkSpecs()) {
                if (spec.kind == ChunkKind::Tile) continue;  // a file has sums of them, too
                const auto chunks = (*part)->chunks(spec.kind), expected = (*whole)->chunks(spec.kind);
                QCOMPARE(chunks.size(), expected.size());
                for (std::size_t i = 0; i < chunks.size(); ++i) {
                    const auto is = (*part)->read(chunks[i], ~0u), should = (*whole)->read(expected[i], ~0u);
                    QVERIFY(is.ok() && should.ok());
                    QCOMPARE((*is)->firstRow, (*should)->firstRow);
                    QVERIFY((*is)->columns == (*should)->columns);
                    if (use == HeldFor::Trace) QCOMPARE(chunks[i].hash, expected[i].hash);
                }
            }
        }
    }

    void orderOfStreamsDoesNotShow()
    {
        const QTemporaryDir folder;
        std::vector<std::uint32_t> order(streams);
        std::iota(order.begin(), order.end(), 0u);
        QVERIFY(writeStreams(folder.filePath(QStringLiteral("a")), order).ok());
        const QByteArray expected = contentOf(folder.filePath(QStringLiteral("a")));
        std::reverse(order.begin(), order.end());
        QVERIFY(writeStreams(folder.filePath(QStringLiteral("b")), order).ok());
        QVERIFY(contentOf(folder.filePath(QStringLiteral("b"))) == expected);
        std::shuffle(order.begin(), order.end(), std::mt19937(3));
        QVERIFY(writeStreams(folder.filePath(QStringLiteral("c")), order).ok());
        QVERIFY(contentOf(folder.filePath(QStringLiteral("c"))) == expected);
        for (int i = 0; i < 3; ++i) {
            QVERIFY(writeStreams(folder.filePath(QStringLiteral("d")), {}).ok());
            QVERIFY(contentOf(folder.filePath(QStringLiteral("d"))) == expected);
        }
    }

    // However often a stream puts its rows away until more come.
    void restDoesNotShow()
    {
        const QTemporaryDir folder;
        const auto written = [&folder](const QString& name, int restsAfter) {
            const QString path = folder.filePath(name);
            auto writer = TraceWriter::create(path);
            if (!writer) return QByteArray();
            addSmallDefinitions(**writer);
            for (std::uint32_t ordinal = 0; ordinal < 4; ++ordinal) {
                const auto stream = (*writer)->stream(ordinal);
                stream->rest();
                fill(*stream, ordinal, restsAfter);
                stream->rest();
            }
            return (*writer)->finish(Progress()).ok() ? contentOf(path) : QByteArray();
        };
        const QByteArray expected = written(QStringLiteral("a"), 0);
        QVERIFY(!expected.isEmpty());
        for (const int restsAfter : {1, 63, 1000, 8191, 8192, 8193})
            QVERIFY2(written(QStringLiteral("b"), restsAfter) == expected, qPrintable(QString::number(restsAfter)));
    }

    // Who may write in the folder, too, puts a link in place of the file that is being written: what it leads to stays.
    void aLinkInPlaceOfTheFile()
    {
        const QTemporaryDir folder, home;
        const QString path = folder.filePath(QStringLiteral("a")),
                      other = home.filePath(QStringLiteral("places.sqlite"));
        {
            auto writer = TraceWriter::create(path);
            QVERIFY(writer.ok());
            addSmallDefinitions(**writer);
            const QString part = folder.filePath(filesIn(folder).value(0));
            QVERIFY(QFile::remove(part) && QFile::link(other, part));
            {
                const auto stream = (*writer)->stream(0);
                fill(*stream, 0);
            }
            QVERIFY(!(*writer)->finish(Progress()).ok());
        }
        QVERIFY(!QFile::exists(other));
        QVERIFY(!QFile::exists(path));
    }

    // More than 64 MiB wait for the first stream and go to a file that nobody sees.
    void whatWaitsLongIsSpilled()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        auto first = (*writer)->stream(0);
        std::mt19937_64 random(1);
        std::vector<std::int64_t> sums(4);
        for (std::uint32_t ordinal = 1; ordinal < 4; ++ordinal) {
            (*writer)->add(Track{.id = TrackId{ordinal}, .name = {}, .pe = {}});
            auto stream = (*writer)->stream(ordinal);
            for (int i = 0; i < 700'000; ++i) {
                Row row{i, 0, 0, 0, 0, 0};
                for (std::size_t c = 1; c < 6; ++c) row[c] = static_cast<std::int64_t>(random() >> 4);
                sums[ordinal] ^= row[5];
                stream->append(ChunkKind::Interval, TrackId{ordinal}, row);
            }
        }
        QCOMPARE(filesIn(folder).size(), 1);
        first.reset();
        QVERIFY((*writer)->finish(Progress()).ok());
        const auto store = TraceStore::open(path);
        QVERIFY(store.ok());
        for (std::uint32_t track = 1; track < 4; ++track) {
            std::int64_t sum = 0;
            for (const ChunkRef& ref : (*store)->chunks(ChunkKind::Interval, TrackId{track})) {
                const auto chunk = (*store)->read(ref, 1u << IntervalColumn::Value);
                QVERIFY(chunk.ok());
                for (const std::int64_t value : (*chunk)->columns[IntervalColumn::Value]) sum ^= value;
            }
            QCOMPARE(sum, sums[track]);
        }
    }

    void streamsMustBeComplete()
    {
        const QTemporaryDir folder;
        auto writer = TraceWriter::create(folder.filePath(QStringLiteral("a")));
        QVERIFY(writer.ok());
        (*writer)->stream(1);
        const Result<> finished = (*writer)->finish(Progress());
        QVERIFY(!finished);
        QCOMPARE(finished.error().what, QStringLiteral("Stream 0 was not opened and closed."));
        QCOMPARE(filesIn(folder), QStringList());
    }

    // Not read beyond its end, nor filled up.
    void shortRowsAreRefused()
    {
        const QTemporaryDir folder;
        auto writer = TraceWriter::create(folder.filePath(QStringLiteral("a")));
        QVERIFY(writer.ok());
        {
            const auto stream = (*writer)->stream(0);
            const std::array<std::int64_t, 2> row{1, 2};
            stream->append(ChunkKind::Task, TrackId{10}, row);
        }
        const Result<> finished = (*writer)->finish(Progress());
        QVERIFY(!finished);
        QCOMPARE(finished.error().what, QStringLiteral("A row of 'task' has 2 columns."));
        QCOMPARE(filesIn(folder), QStringList());
    }
};

LONGPOLE_TEST(TestWriter)
#include "tst_writer.moc"
