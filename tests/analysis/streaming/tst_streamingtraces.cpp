// SPDX-License-Identifier: GPL-3.0-or-later
// The streaming algorithm over stored traces: the exact work path's length and shares, whatever the trace holds, and
// what its memory depends on.
#include "analysis/graph/builder.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/streaming/beginqueue.h"
#include "analysis/streaming/storedtrace.h"

#include "analysis/randomtrace.h"
#include "analysis/realtraces.h"
#include "core/smalltrace.h"

#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <ctime>
#include <numeric>

using namespace longpole;

class TestStreamingTraces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void smallTrace();
    void samplesOfTheSmallTrace();
    void realTraces_data();
    void realTraces();
    void partsOfRealTraces_data() { realTraces_data(); }
    void partsOfRealTraces();
    void searchFindsWhatTheProfileSays_data() { realTraces_data(); }
    void searchFindsWhatTheProfileSays();
    void randomTraces_data();
    void randomTraces();
    void manyThatWaitForOne();
    void manyCirclesBehindAChain();
    void damagedTracesAreRefused();
    void manyNumbersOnTheirWay();
    void manyMergesBeforeManyInside();
    void cancelled();

private:
    RealTraces m_traces;
    QTemporaryDir m_folder;
};

namespace {

using TraceTimes = std::vector<TimeNs>;

TimeNs timeOf(const CriticalPath& path, const std::vector<EntryId>& procedure)
{
    TimeNs time = 0;
    for (const PathProfileRow& row : path.profile)
        if (std::count(procedure.begin(), procedure.end(), row.entry) > 0) time += row.time;
    return time;
}

std::int64_t countOf(const ActivityGraph& graph, const char* issue)
{
    std::int64_t count = 0;
    for (const Issue& met : graph.issues)
        if (met.kind == QLatin1String(issue)) count += met.count;
    return count;
}

std::int64_t droppedIn(const ActivityGraph& graph)
{
    return countOf(graph, edgeDropped) + countOf(graph, tieCycle) + countOf(graph, mergeDropped);
}

TimeNs sumOf(const StreamingResult& result)
{
    return std::accumulate(result.shares.begin(), result.shares.end(), result.rest);
}

CriticalPath exactPath(const ActivityGraph& graph)
{
    return *workPath(graph, workHeads(graph, EdgeLevel::Order, Progress{}));
}

CriticalPath exactPath(const ActivityGraph& graph, TimeRange range) { return exactPath(*clip(graph, range)); }

}  // namespace

// PE 0 [main 1000..5000, pass nested 2000..3000] [pass 7000..8000]; PE 1 [pass 3000..6000, from 1500] [pass 8000..9000,
// from the nested one]. See core/smalltrace.h.
void TestStreamingTraces::smallTrace()
{
    const QString path = m_folder.filePath(QStringLiteral("small.longpole"));
    QVERIFY(writeSmallTrace(path).ok());
    const auto store = TraceStore::open(path);
    QVERIFY(store.ok());
    StreamingRequest request{.procedures = oneByOne({EntryId{0}, EntryId{1}}),
                             .zeroing = true,
                             .range = (*store)->info().range()};
    const Result<StreamingResult> exclusive = streamingPath(**store, request, Progress{});
    QVERIFY(exclusive.ok());
    QCOMPARE(exclusive->length, 5000);  // main, then pass 7000..8000
    QCOMPARE(exclusive->duration, 8000);
    QCOMPARE(exclusive->end, ProcessorId{0});
    QCOMPARE(exclusive->shares, (TraceTimes{3000, 2000}));
    QCOMPARE(exclusive->rest, 0);
    QCOMPARE(exclusive->nets, (TraceTimes{4000, 3000}));  // without main: PE 1's 3000 + 1000
    QCOMPARE(exclusive->mostInFlight, 2);
    QCOMPARE(exclusive->leftInFlight, 0);
    QVERIFY(exclusive->samples.empty());
    request.shares = ShareKind::Inclusive;
    request.procedures = oneByOne({EntryId{0}});
    const Result<StreamingResult> inclusive = streamingPath(**store, request, Progress{});
    QVERIFY(inclusive.ok());
    QCOMPARE(inclusive->shares, TraceTimes{4000});
    QCOMPARE(inclusive->rest, 1000);
    QCOMPARE(inclusive->nets, TraceTimes{4000});
    QCOMPARE(busiestEntries(**store, 8), (std::vector<EntryId>{EntryId{1}, EntryId{0}}));
    QCOMPARE(busiestEntries(**store, 1), std::vector<EntryId>{EntryId{1}});
}

void TestStreamingTraces::samplesOfTheSmallTrace()
{
    const QString path = m_folder.filePath(QStringLiteral("sampled.longpole"));
    QVERIFY(writeSmallTrace(path).ok());
    const auto store = TraceStore::open(path);
    QVERIFY(store.ok());
    const StreamingRequest request{.procedures = oneByOne({EntryId{1}}),
                                   .sampleEvery = 1500,
                                   .range = (*store)->info().range()};
    const Result<StreamingResult> result = streamingPath(**store, request, Progress{});
    QVERIFY(result.ok());
    const std::vector<StreamingSample> expected{{2500, 1500, {500}, 1000},  {4000, 3000, {1000}, 2000},
                                                {5500, 4000, {1000}, 3000}, {7000, 4000, {1000}, 3000},
                                                {8500, 5000, {2000}, 3000}, {9000, 5000, {2000}, 3000}};
    QCOMPARE(result->samples, expected);
}

void TestStreamingTraces::realTraces_data()
{
    QTest::addColumn<QString>("trace");
    for (const QString& name : RealTraces::names()) QTest::newRow(qPrintable(name)) << name;
    if (RealTraces::names().isEmpty()) QSKIP("no real trace lies in tests/data or beside the repository");
}

void TestStreamingTraces::realTraces()
{
    QFETCH(QString, trace);
    const Result<std::shared_ptr<const TraceStore>> store = m_traces.open(trace);
    QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
    const auto graph = loadActivityGraph(**store, Progress{});
    QVERIFY(graph.ok());
    const CriticalPath exact = exactPath(**graph);
    const TimeRange run = (*store)->info().range();
    StreamingRequest request{.procedures = oneByOne(busiestEntries(**store, 8)),
                             .ties = TieRule::MessageWins,
                             .range = run};
    const Result<StreamingResult> sameTies = streamingPath(**store, request, Progress{});
    QVERIFY(sameTies.ok());
    QCOMPARE(sameTies->length, exact.length);
    QCOMPARE(sameTies->end, exact.to.pe);
    for (std::size_t i = 0; i < request.procedures.size(); ++i)
        QCOMPARE(sameTies->shares[i], timeOf(exact, request.procedures[i]));

    request.ties = TieRule::LocalWins;
    request.zeroing = true;
    request.sampleEvery = std::max<TimeNs>(1, run.length() / 50);
    const Result<StreamingResult> result = streamingPath(**store, request, Progress{});
    QVERIFY(result.ok());
    QCOMPARE(result->length, exact.length);
    QCOMPARE(sumOf(*result), exact.length);
    QVERIFY(result->rest >= 0);
    for (std::size_t i = 0; i < request.procedures.size(); ++i) {
        const TimeNs gain = result->length - result->nets[i];
        QVERIFY(gain >= 0 && gain <= result->shares[i]);
    }
    TimeNs length = 0;
    for (const StreamingSample& sample : result->samples) {
        QVERIFY(sample.length >= length);
        QVERIFY(sample.length <= sample.time - run.begin);
        length = sample.length;
    }
    QCOMPARE(length, exact.length);
    QCOMPARE(result->samples.back().shares, result->shares);
    QCOMPARE(result->leftInFlight, 0);
    QCOMPARE(result->lost, 0);
    QCOMPARE(result->dropped, droppedIn(**graph));
    QVERIFY(result->mostInFlight <= (*store)->info().messagesMatched);
}

// The instruction to start reaches all PEs at the same time, so what counts is what lies inside the range.
void TestStreamingTraces::partsOfRealTraces()
{
    QFETCH(QString, trace);
    const Result<std::shared_ptr<const TraceStore>> store = m_traces.open(trace);
    QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
    const auto graph = loadActivityGraph(**store, Progress{});
    QVERIFY(graph.ok());
    const TimeRange run = (*store)->info().range();
    const auto at = [run](int percent) { return run.begin + run.length() / 100 * percent; };
    for (const TimeRange range :
         {TimeRange{at(10), at(35)}, TimeRange{at(50), at(51)}, TimeRange{at(0), at(70)}, TimeRange{at(30), run.end}}) {
        StreamingRequest request{.procedures = oneByOne(busiestEntries(**store, 8)), .range = range};
        const Result<StreamingResult> result = streamingPath(**store, request, Progress{});
        QVERIFY(result.ok());
        const CriticalPath exact = exactPath(**graph, range);
        QCOMPARE(result->length, exact.length);
        QCOMPARE(result->duration, range.length());
        QCOMPARE(sumOf(*result), exact.length);
        request.ties = TieRule::MessageWins;
        const Result<StreamingResult> sameTies = streamingPath(**store, request, Progress{});
        QVERIFY(sameTies.ok());
        for (std::size_t i = 0; i < request.procedures.size(); ++i)
            QCOMPARE(sameTies->shares[i], timeOf(exact, request.procedures[i]));
    }
}

void TestStreamingTraces::searchFindsWhatTheProfileSays()
{
    QFETCH(QString, trace);
    const Result<std::shared_ptr<const TraceStore>> store = m_traces.open(trace);
    QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
    constexpr std::uint32_t parts = 10;
    const TimeRange run = (*store)->info().range();
    const Result<TopShares> top = entriesAbove(**store, parts, run, Progress{});
    QVERIFY(top.ok());
    const std::vector<EntryId> all = busiestEntries(**store, 1'000'000);
    const Result<StreamingResult> full = streamingPath(**store, {.procedures = oneByOne(all), .range = run},
                                                       Progress{});
    QVERIFY(full.ok());
    std::vector<std::pair<TimeNs, EntryId>> expected;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (full->shares[i] * TimeNs{parts} > full->length) expected.emplace_back(-full->shares[i], all[i]);
    std::sort(expected.begin(), expected.end());
    QCOMPARE(top->entries.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) QCOMPARE(top->entries[i], expected[i].second);
    QVERIFY(!top->entries.empty());
}

void TestStreamingTraces::randomTraces_data()
{
    QTest::addColumn<unsigned>("firstSeed");
    for (unsigned first = 0; first < 200; first += 50) QTest::addRow("%u", first) << first;
}

void TestStreamingTraces::randomTraces()
{
    QFETCH(unsigned, firstSeed);
    std::int64_t early = 0, dropped = 0, circles = 0;
    for (unsigned seed = firstSeed; seed < firstSeed + 50; ++seed) {
        const QByteArray which = QByteArray::number(seed);
        const auto store = RandomTrace(seed).write(m_folder.filePath(QStringLiteral("random%1.longpole").arg(seed)));
        QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
        const auto graph = loadActivityGraph(**store, Progress{});
        QVERIFY(graph.ok());
        const CriticalPath exact = exactPath(**graph);
        StreamingRequest request{.ties = TieRule::MessageWins, .range = (*store)->info().range()};
        for (std::uint32_t e = 0; e < RandomTrace::entries; ++e) request.procedures.push_back({EntryId{e}});
        const Result<StreamingResult> result = streamingPath(**store, request, Progress{});
        QVERIFY(result.ok());
        QVERIFY2(result->length == exact.length, which);
        QCOMPARE(sumOf(*result), exact.length);
        for (const std::vector<EntryId>& procedure : request.procedures)
            QVERIFY2(result->shares[index(procedure[0])] == timeOf(exact, procedure), which);
        QVERIFY2(result->dropped == droppedIn(**graph), which);
        QVERIFY2(result->leftInFlight == 0, which);
        QCOMPARE(result->lost, 0);
        early += result->early;
        dropped += result->dropped;
        circles += countOf(**graph, tieCycle);
        const TimeRange run = request.range;
        request.range = {run.begin + run.length() / 3, run.end - run.length() / 4};
        const Result<StreamingResult> part = streamingPath(**store, request, Progress{});
        QVERIFY(part.ok());
        QVERIFY2(part->length == exactPath(**graph, request.range).length, which);
    }
    QVERIFY(early > 0);
    QVERIFY(dropped > 0);
    QVERIFY(circles > 0);
}

// One byte of each compressed chunk in turn: refused or the same, never a shorter path.
void TestStreamingTraces::damagedTracesAreRefused()
{
    const QString path = m_folder.filePath(QStringLiteral("sound.longpole"));
    QVERIFY(writeSmallTrace(path).ok());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray sound = file.readAll();
    const QByteArray frame = QByteArray::fromHex("28b52ffd");  // how zstd data begins
    int refused = 0;
    for (qsizetype at = sound.indexOf(frame); at >= 0; at = sound.indexOf(frame, at + 1)) {
        QByteArray bytes = sound;
        bytes[at + 9] = static_cast<char>(bytes[at + 9] ^ 0x40);
        QFile flipped(m_folder.filePath(QStringLiteral("flipped.longpole")));
        QVERIFY(flipped.open(QIODevice::WriteOnly) && flipped.write(bytes) == bytes.size());
        flipped.close();
        const auto store = TraceStore::open(flipped.fileName());
        QVERIFY(store.ok());
        const Result<StreamingResult> result = streamingPath(**store, {.range = (*store)->info().range()}, Progress{});
        if (result) QCOMPARE(result->length, 5000);
        else ++refused;
    }
    QVERIFY2(refused >= 6, qPrintable(QString::number(refused)));  // tasks and sources of two PEs, messages
}

// Each of them waits for a row of PE 0 of its own; who waits for a later one is not looked at.
void TestStreamingTraces::manyThatWaitForOne()
{
    constexpr std::uint32_t rows = 100'000, waiting = 20'000;
    BeginQueue queue;
    for (std::uint32_t pe = 1; pe <= waiting; ++pe) queue.wait({5, pe}, 0, rows - pe);
    queue.push({5, 0});
    QVERIFY(!queue.circle());
    const std::clock_t start = std::clock();
    for (std::uint32_t row = 0; row <= rows - waiting; ++row) queue.releaseBefore(0, row + 1);
    QVERIFY((std::clock() - start) / CLOCKS_PER_SEC < 2);
    QCOMPARE(queue.pop(5)->pe, 0u);
    QCOMPARE(queue.pop(5)->pe, waiting);
    queue.releaseBefore(0, rows);
    for (std::uint32_t pe = 1; pe < waiting; ++pe) QCOMPARE(queue.pop(5)->pe, pe);
    QVERIFY(!queue.pop(5));
}

// A chain of PEs leads to one that waits for itself again and again.
void TestStreamingTraces::manyCirclesBehindAChain()
{
    constexpr std::uint32_t chain = 20'000;
    BeginQueue queue;
    for (std::uint32_t pe = 0; pe < chain; ++pe) queue.wait({5, pe}, pe + 1, 0);
    const std::clock_t start = std::clock();
    for (std::uint32_t row = 1; row <= 20; ++row) {
        queue.wait({5, chain}, chain, row);
        QCOMPARE(queue.circle(), std::optional<std::uint32_t>(chain));
        queue.release(chain);
        QCOMPARE(queue.pop(5)->pe, chain);
    }
    for (std::uint32_t row = 0; row < 200'000; ++row) {
        queue.wait({5, chain}, chain, row);
        QVERIFY(queue.circle().has_value());
        queue.release(chain);
        QVERIFY(queue.pop(5));
    }
    QVERIFY((std::clock() - start) / CLOCKS_PER_SEC < 4);
    queue.wait({5, chain}, chain, 0);
    QCOMPARE(queue.circle(), std::optional<std::uint32_t>(0));  // who waits is let go in turn
}

// One task sends messages that nobody receives: each keeps its numbers to the end.
void TestStreamingTraces::manyNumbersOnTheirWay()
{
    constexpr std::int64_t messages = 8000;
    const QString path = m_folder.filePath(QStringLiteral("flight.longpole"));
    auto writer = TraceWriter::create(path);
    QVERIFY(writer.ok());
    (*writer)->add(Track{.id = TrackId{1}, .kind = TrackKind::Root, .name = QStringLiteral("run"), .pe = {}});
    (*writer)->add(
        Track{.id = TrackId{10}, .parent = TrackId{1}, .name = QStringLiteral("PE 0"), .pe = ProcessorId{0}});
    (*writer)->add(Processor{.pe = ProcessorId{0}, .track = TrackId{10}, .name = QStringLiteral("PE 0")});
    (*writer)->add(Entry{.id = EntryId{0}, .name = QStringLiteral("work()"), .chare = QStringLiteral("Main")});
    {
        const auto stream = (*writer)->stream(0);
        stream->append(ChunkKind::Task, TrackId{10}, taskRow(0, 2 * messages, 0));
        stream->append(ChunkKind::TaskSource, TrackId{10}, Row{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0});
        for (std::int64_t i = 0; i < messages; ++i)
            stream->append(ChunkKind::Message, TrackId{10}, messageRow(1 + i, 0, 1 + i, 0, 0));
        for (std::int64_t i = 0; i < messages; ++i) stream->append(ChunkKind::MessageExecutions, TrackId{10}, Row{1});
    }
    TraceInfo info;
    info.format = QStringLiteral("projections");
    info.processors = 1;
    info.end = 2 * messages;
    (*writer)->setInfo(info);
    QVERIFY((*writer)->finish(Progress()).ok());
    const auto store = TraceStore::open(path);
    QVERIFY2(store.ok(), store ? "" : qPrintable(store.error().what));
    StreamingRequest request{.procedures = std::vector<std::vector<EntryId>>(8),
                             .zeroing = true,
                             .range = {0, 2 * messages}};
    const Result<StreamingResult> fine = streamingPath(**store, request, Progress{});
    QVERIFY2(fine.ok(), fine ? "" : qPrintable(fine.error().what));
    QCOMPARE(fine->mostInFlight, messages);
    request.procedures.resize(2000);
    const Result<StreamingResult> refused = streamingPath(**store, request, Progress{});
    QVERIFY(!refused.ok());
    QVERIFY2(refused.error().hint.contains(QStringLiteral("--top-share")), qPrintable(refused.error().what));
}

// Each merge of a task with the task itself asked for the next one behind all that lies in it.
void TestStreamingTraces::manyMergesBeforeManyInside()
{
    constexpr std::int64_t merges = 60'000, inside = 60'000;
    const QString path = m_folder.filePath(QStringLiteral("merges.longpole"));
    auto writer = TraceWriter::create(path);
    QVERIFY(writer.ok());
    const QString rank = QStringLiteral("rank 0");
    (*writer)->add(Track{.id = TrackId{1}, .kind = TrackKind::Root, .name = QStringLiteral("run"), .pe = {}});
    (*writer)->add(
        Track{.id = TrackId{10}, .parent = TrackId{1}, .kind = TrackKind::Rank, .name = rank, .pe = ProcessorId{0}});
    (*writer)->add(Processor{.pe = ProcessorId{0}, .track = TrackId{10}, .name = rank});
    for (std::uint32_t entry = 0; entry < 2; ++entry)
        (*writer)->add(Entry{.id = EntryId{entry}, .name = QStringLiteral("w()"), .chare = QStringLiteral("Main")});
    {
        const auto stream = (*writer)->stream(0);
        const TrackId track{10};
        stream->append(ChunkKind::Task, track, taskRow(0, 10, 0));
        stream->append(ChunkKind::Task, track, taskRow(20, 10 * inside + 500, 1));
        for (std::int64_t i = 0; i < inside; ++i)
            stream->append(ChunkKind::Task, track, taskRow(30 + 10 * i, 35 + 10 * i, 0, 0, i + 1));
        stream->append(ChunkKind::Task, track, taskRow(10 * inside + 600, 10 * inside + 700, 0));
        for (std::int64_t i = 0; i < inside + 3; ++i)
            stream->append(ChunkKind::TaskSource, track, Row{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0});
        for (std::int64_t i = 0; i < merges; ++i)
            stream->append(ChunkKind::Merge, track, Row{1, 0, 1, 0, -1, std::int64_t(Link::Message)});
    }
    TraceInfo info;
    info.format = QStringLiteral("mpi-recording");
    info.vocabulary = Vocabulary(ProgramKind::Mpi);
    info.processors = 1;
    info.end = 10 * inside + 1000;
    (*writer)->setInfo(info);
    QVERIFY((*writer)->finish(Progress()).ok());
    const auto store = TraceStore::open(path);
    QVERIFY2(store.ok(), store ? "" : qPrintable(store.error().what));
    const std::clock_t start = std::clock();
    const Result<StreamingResult> found = streamingPath(**store, {.range = (*store)->info().range()}, Progress{});
    QVERIFY2(found.ok(), found ? "" : qPrintable(found.error().what));
    const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    QVERIFY2(seconds < 2, qPrintable(QString::number(seconds)));
}

void TestStreamingTraces::cancelled()
{
    const QString path = m_folder.filePath(QStringLiteral("cancelled.longpole"));
    QVERIFY(writeSmallTrace(path).ok());
    const auto store = TraceStore::open(path);
    QVERIFY(store.ok());
    Progress progress;
    progress.cancel();
    const StreamingRequest request{.procedures = {}, .sampleEvery = 1000, .range = (*store)->info().range()};
    const Result<StreamingResult> result = streamingPath(**store, request, progress);
    QVERIFY(!result.ok());
    QVERIFY(wasCancelled(result.error()));
}

LONGPOLE_TEST(TestStreamingTraces)
#include "tst_streamingtraces.moc"
