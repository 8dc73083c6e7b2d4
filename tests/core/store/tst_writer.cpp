// SPDX-License-Identifier: GPL-3.0-or-later
// The writer's promises: the same calls give the same bytes whatever the threads do, a writer that dies or fails leaves
// nothing, and what could not be written is said.
#include "core/base/hash.h"
#include "core/base/parallel.h"
#include "core/base/partfile.h"
#include "core/smalltrace.h"
#include "core/store/chunksink.h"
#include "core/store/codec.h"
#include "core/store/tracestore.h"
#include "core/store/tracewriter.h"

#include "core/trace/columns.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <numeric>
#include <random>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace longpole;

namespace {

constexpr std::uint32_t streams = 12;

QStringList filesIn(const QTemporaryDir& folder)
{
    return QDir(folder.path()).entryList(QDir::Files | QDir::Hidden, QDir::Name);
}

// About three chunks of rows that do not compress, on a track that two streams share, and one of its own.
void fill(EventStream& stream, std::uint32_t ordinal)
{
    std::mt19937_64 random(ordinal);
    for (int i = 0; i < 12000; ++i) {
        const auto value = static_cast<std::int64_t>(random() >> 8);
        stream.append(ChunkKind::Interval, TrackId{ordinal / 2}, Row{i * 10, 5, 0, 0, 1, value});
        stream.append(ChunkKind::Idle, TrackId{1000 + ordinal}, Row{i * 20, value % 20});
    }
}

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

// Runs `body` in a child process and returns its exit status as waitpid gives it.
template <typename Body>
int inChild(Body body)
{
    const pid_t child = ::fork();
    if (child == 0) ::_exit(body());
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
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
        for (const PartFor use : {PartFor::Trace, PartFor::Answers}) {
            const QString name = folder.filePath(QStringLiteral("part"));
            auto writer = TraceWriter::createPart(name, use);
            QVERIFY(writer.ok());
            addSmallDefinitions(**writer);
            writeSmallEvents(**writer);
            QVERIFY(!TraceStore::openPart(name).ok());  // it is not finished
            QVERIFY((*writer)->finish(Progress()).ok());
            QVERIFY(filesIn(folder).isEmpty());
            const auto part = TraceStore::openPart(name);
            QVERIFY(part.ok());
            QVERIFY(!TraceStore::openPart(name).ok());
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
                    if (use == PartFor::Trace) QCOMPARE(chunks[i].hash, expected[i].hash);
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
                for (std::size_t c = 1; c < 6; ++c) row[c] = static_cast<std::int64_t>(random() >> 1);
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

    void nothingIsLeftWithoutFinish()
    {
        const QTemporaryDir folder;
        {
            auto writer = TraceWriter::create(folder.filePath(QStringLiteral("a")));
            QVERIFY(writer.ok());
            writeSmallEvents(**writer);
            QCOMPARE(filesIn(folder).size(), 1);
        }
        QCOMPARE(filesIn(folder), QStringList());
    }

    void cancelledLeavesNothing()
    {
        const QTemporaryDir folder;
        auto writer = TraceWriter::create(folder.filePath(QStringLiteral("a")));
        QVERIFY(writer.ok());
        writeSmallEvents(**writer);
        Progress progress;
        progress.cancel();
        const Result<> finished = (*writer)->finish(progress);
        QVERIFY(!finished);
        QVERIFY(wasCancelled(finished.error()));
        QCOMPARE(filesIn(folder), QStringList());
    }

    void anOldFileStaysUntilTheNewOneIsDone()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        QVERIFY(writeSmallTrace(path).ok());
        const QByteArray old = contentOf(path);
        {
            auto writer = TraceWriter::create(path);
            QVERIFY(writer.ok());
            writeSmallEvents(**writer);
            QCOMPARE(contentOf(path), old);
        }
        QCOMPARE(contentOf(path), old);
        QVERIFY(writeSmallTrace(path).ok());
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

    void twoWritersOfOneFileAreRefused()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        auto first = TraceWriter::create(path);
        QVERIFY(first.ok());
        const auto second = TraceWriter::create(path);
        QVERIFY(!second);
        QCOMPARE(second.error().what, QStringLiteral("The file is being written already."));
        writeSmallEvents(**first);
        QVERIFY((*first)->finish(Progress()).ok());
    }

    void aFolderThatIsNotThereIsSaid()
    {
        const QTemporaryDir folder;
        const auto writer = TraceWriter::create(folder.filePath(QStringLiteral("none/a")));
        QVERIFY(!writer);
        QCOMPARE(writer.error().where, folder.filePath(QStringLiteral("none/a")));
        QVERIFY(!TraceWriter::create(folder.path()));
    }

    void aKilledWriterLeavesNothingThatOpens()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        int pipe[2];
        QCOMPARE(::pipe(pipe), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            auto writer = TraceWriter::create(path);
            if (!writer) ::_exit(1);
            const auto stream = (*writer)->stream(0);
            for (std::uint32_t round = 0;; ++round) {
                fill(*stream, round);
                if (round == 3 && ::write(pipe[1], "x", 1) != 1) ::_exit(2);
            }
        }
        char ready = 0;
        QCOMPARE(::read(pipe[0], &ready, 1), ssize_t{1});
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        ::close(pipe[0]);
        ::close(pipe[1]);
        const QStringList left = filesIn(folder);
        QCOMPARE(left.size(), 1);
        QVERIFY2(left[0].startsWith(QStringLiteral("a.part-")), qPrintable(left[0]));
        QVERIFY(!TraceStore::open(folder.filePath(left[0])));
        // The next writer of the same file clears up.
        QVERIFY(writeSmallTrace(path).ok());
        QCOMPARE(filesIn(folder), QStringList{QStringLiteral("a")});
    }

    void aLivingWriterIsLeftAlone()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        const int status = inChild([&] {
            const Result<> written = writeSmallTrace(path);
            return written ? 0 : 1;
        });
        QCOMPARE(status, 0);
        QCOMPARE(filesIn(folder).size(), 2);
        writeSmallEvents(**writer);
        QVERIFY((*writer)->finish(Progress()).ok());
        QCOMPARE(filesIn(folder), QStringList{QStringLiteral("a")});
    }

    void aFullDiskIsSaid_data()
    {
        QTest::addColumn<int>("kilobytes");
        QTest::newRow("at once") << 20;
        QTest::newRow("in the middle") << 800;
    }
    // The limit on a file's size stands for the disk's.
    void aFullDiskIsSaid()
    {
        QFETCH(int, kilobytes);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        const int status = inChild([&] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{static_cast<rlim_t>(kilobytes) * 1024, RLIM_INFINITY};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            auto writer = TraceWriter::create(path);
            if (!writer) return 1;
            {
                const auto stream = (*writer)->stream(0);
                for (std::uint32_t round = 0; round < 10; ++round) fill(*stream, round);
            }
            const Result<> finished = (*writer)->finish(Progress());
            if (finished) return 2;
            if (finished.error().hint.isEmpty()) return 3;
            return QFile::exists(path) ? 4 : 0;
        });
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
        QCOMPARE(filesIn(folder), QStringList());
    }

    void failuresShowEarly()
    {
        const QTemporaryDir folder;
        const int status = inChild([&] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{100 * 1024, RLIM_INFINITY};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            auto writer = TraceWriter::create(folder.filePath(QStringLiteral("a")));
            if (!writer || (*writer)->hasFailed()) return 1;
            const auto stream = (*writer)->stream(0);
            for (std::uint32_t round = 0; round < 200; ++round) {
                fill(*stream, round);
                if ((*writer)->hasFailed()) return 0;
            }
            return 2;
        });
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }

    // Names and contents that are nearly ours: notes, pieces that split made, a copy.
    void onlyOurOwnPartsAreRemoved()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("x.longpole"));
        QVERIFY(writeSmallTrace(path).ok());
        QFile whole(path);
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray content = whole.readAll();
        const auto put = [&](const char* ending, const QByteArray& bytes) {
            QFile file(path + QLatin1String(ending));
            return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
        };
        QVERIFY(put(".part-notes.txt", "mine"));
        QVERIFY(put(".part-00", content.left(16384)));
        QVERIFY(put(".part-1", content.mid(16384, 16384)));
        QVERIFY(put(".part-2", content));
        QVERIFY(put(".part-3",
                    "some other text, and it is long enough to be one, but no header of SQLite's at all, "
                    "which has a hundred bytes"));
        QVERIFY(put(".part-4", ""));  // a writer that died before it wrote anything
        QVERIFY(put(".part-5", QByteArray(16384, '\0')));
        const QByteArray ours = QFile::encodeName(path + QStringLiteral(".part-5"));
        const bool hasAttributes = ::setxattr(ours.constData(), "user.longpole.part", "", 0, 0) == 0;
        QVERIFY(put(".part-7", QByteArray(2000, '\0')));  // space for a download
        QVERIFY(put(".part-8", QByteArray(16384, '\0')));
        QByteArray unfinished = content;
        unfinished[71] = 'P';
        QVERIFY(put(".part-6", unfinished));
        QVERIFY(writeSmallTrace(path).ok());
        if (!hasAttributes) QVERIFY(put(".part-8", "was taken for ours"));
        QCOMPARE(filesIn(folder),
                 (QStringList{QStringLiteral("x.longpole"), QStringLiteral("x.longpole.part-00"),
                              QStringLiteral("x.longpole.part-1"), QStringLiteral("x.longpole.part-2"),
                              QStringLiteral("x.longpole.part-3"), QStringLiteral("x.longpole.part-7"),
                              QStringLiteral("x.longpole.part-8"), QStringLiteral("x.longpole.part-notes.txt")}));
    }

    // A process that is killed when all is written, and before the file gets its name.
    void aWholePartOfADeadProcessIsRemoved()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("x.longpole"));
        QVERIFY(writeSmallTrace(path).ok());
        const QByteArray name = QFile::encodeName(path);
        QVERIFY(::getxattr(name.constData(), "user.longpole.part", nullptr, 0) < 0);
        if (::setxattr(name.constData(), "user.longpole.test", "", 0, 0) != 0) QSKIP("no attributes of files here");
        QFile whole(path);
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray content = whole.readAll();
        const pid_t pid = ::fork();
        QVERIFY(pid >= 0);
        if (pid == 0) {
            const Result<PartFile> part = PartFile::create(path);
            QFile file(part ? part->path() : QString());
            const bool isWritten = file.open(QIODevice::ReadWrite) && file.write(content) == content.size();
            ::_exit(isWritten && file.flush() ? 0 : 1);
        }
        int status = 0;
        QCOMPARE(::waitpid(pid, &status, 0), pid);
        QCOMPARE(status, 0);
        const QString left = QStringLiteral("x.longpole.part-%1").arg(pid);
        QCOMPARE(filesIn(folder), (QStringList{QStringLiteral("x.longpole"), left}));
        QVERIFY(writeSmallTrace(path).ok());
        QCOMPARE(filesIn(folder), QStringList{QStringLiteral("x.longpole")});
    }

    // Each looks for abandoned parts while the others create theirs.
    void manyProcessesWriteOneTarget()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("x.longpole"));
        std::vector<pid_t> children;
        for (int child = 0; child < 8; ++child) {
            const pid_t pid = ::fork();
            QVERIFY(pid >= 0);
            if (pid == 0) {
                int failures = 0;
                for (int round = 0; round < 400; ++round) {
                    Result<PartFile> part = PartFile::create(path);
                    if (!part || !part->publish()) ++failures;
                }
                ::_exit(std::min(failures, 100));
            }
            children.push_back(pid);
        }
        int failures = 0;
        for (const pid_t pid : children) {
            int status = 0;
            QCOMPARE(::waitpid(pid, &status, 0), pid);
            failures += WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
        }
        QCOMPARE(failures, 0);
        QCOMPARE(filesIn(folder), QStringList{QStringLiteral("x.longpole")});
    }

    // What is being written is nobody else's to read; what is written is as the user has it.
    void rightsOfWhatIsWritten()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("x.longpole"));
        const mode_t before = ::umask(022);
        struct stat status {};
        {
            Result<PartFile> part = PartFile::create(path);
            QVERIFY(part.ok());
            QCOMPARE(::stat(QFile::encodeName(part->path()).constData(), &status), 0);
            QCOMPARE(status.st_mode & 0777, 0600u);
            QVERIFY(part->publish().ok());
        }
        QCOMPARE(::stat(QFile::encodeName(path).constData(), &status), 0);
        QCOMPARE(status.st_mode & 0777, 0644u);
        // One that the user has made private stays so.
        QCOMPARE(::chmod(QFile::encodeName(path).constData(), 0600), 0);
        {
            Result<PartFile> part = PartFile::create(path);
            QVERIFY(part.ok() && part->publish().ok());
        }
        QCOMPARE(::stat(QFile::encodeName(path).constData(), &status), 0);
        QCOMPARE(status.st_mode & 0777, 0600u);
        ::umask(before);
    }
};

LONGPOLE_TEST(TestWriter)
#include "tst_writer.moc"
