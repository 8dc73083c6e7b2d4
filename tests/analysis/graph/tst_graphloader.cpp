// SPDX-License-Identifier: GPL-3.0-or-later
// Activity graphs loaded from stored traces: nested executions, every kind of link, and receive times.
#include "analysis/graph/activitygraph.h"

#include "analysis/base/leastlatencies.h"
#include "analysis/graph/builder.h"
#include "analysis/paths/criticalpath.h"
#include "core/gappedtrace.h"
#include "core/smalltrace.h"
#include "core/store/tracestore.h"
#include "core/trace/columns.h"
#include "support/graphs/graphcolumns.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

class TestGraphLoader : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void nestedExecutionsBelongToTheOutermost();
    void pathsOfTheSmallTrace();
    void linksAndReceiveTimes();
    void piecesOfNestedExecutions();
    void recordedMerges();
    void leastLatencies();
    void numbersThatNoProcessorHas();
    void cancelled();

private:
    std::shared_ptr<const TraceStore> smallTrace();
    std::shared_ptr<const TraceStore> linkedTrace();
    QTemporaryDir m_folder;
};

namespace {

Row received(Row task, TimeNs sinceBegin)
{
    task[TaskColumn::Received] = sinceBegin;
    return task;
}

Row link(Link kind, std::int64_t pe, std::int64_t row, TimeNs offset, TimeNs latency, std::int64_t creator = 0)
{
    return {std::int64_t(kind), pe, row, offset, latency, -1, creator};
}

//            1000      3000      5000      7000      9000
//   PE 0     [0..[1.[2].1..]...0...]    [3...]              3 is a block after 1
//   PE 1                    [0.]            [1.] [2][3]     0 from 2 (repaired), 1 and 2 from outside
void writeLinkedEvents(TraceWriter& writer)
{
    const TrackId pe0{10};
    const TrackId pe1{11};
    {
        auto stream = writer.stream(0);
        stream->append(ChunkKind::Task, pe0, taskRow(1000, 5000, 0, 2000, 0, 1));
        stream->append(ChunkKind::Task, pe0, taskRow(1500, 3500, 1, 500, 1, 1));
        stream->append(ChunkKind::Task, pe0, taskRow(2000, 2500, 0, 0, 2));
        stream->append(ChunkKind::Task, pe0, taskRow(6000, 7000, 1));
        stream->append(ChunkKind::Piece, pe0, Row{1000, 500, 0});
        stream->append(ChunkKind::Piece, pe0, Row{1500, 500, 1});
        stream->append(ChunkKind::Piece, pe0, Row{2500, 1000, 1});
        stream->append(ChunkKind::Piece, pe0, Row{3500, 1500, 0});
    }
    {
        auto stream = writer.stream(1);
        stream->append(ChunkKind::Task, pe1, received(taskRow(4000, 4500, 1), -500));
        stream->append(ChunkKind::Task, pe1, taskRow(7000, 7500, 1));
        stream->append(ChunkKind::Task, pe1, taskRow(8000, 8100, 1));
        stream->append(ChunkKind::Task, pe1, taskRow(8200, 8300, 1));
    }
    auto matched = writer.stream(2);
    for (int i = 0; i < 3; ++i) matched->append(ChunkKind::TaskSource, pe0, link(Link::None, 0, 0, 0, 0));
    matched->append(ChunkKind::TaskSource, pe0, link(Link::Block, 0, 1, 2000, 0));
    matched->append(ChunkKind::TaskSource, pe1, link(Link::RepairedBcast, 0, 2, 100, 1900));
    matched->append(ChunkKind::TaskSource, pe1, link(Link::NoTask, 0, 0, 0, 800));
    matched->append(ChunkKind::TaskSource, pe1, link(Link::NoTask, 0, 0, 0, 100, 1));
    matched->append(ChunkKind::TaskSource, pe1, link(Link::None, 0, 0, 0, 0));
    matched->append(ChunkKind::Latency, pe1, Row{0, 300, 2});
    // Into 1:2 from 0:1, which lies inside 0:0, and from 1:0; into the nested 0:2 from 1:0, later. (A source that is
    // not there is refused with its chunk.)
    matched->append(ChunkKind::Merge, pe0, Row{2, 1, 0, 0, -1, 1});
    matched->append(ChunkKind::Merge, pe1, Row{2, 0, 1, 600, -1, 1});
    matched->append(ChunkKind::Merge, pe1, Row{2, 1, 0, 500, -1, 1});
}

}  // namespace

std::shared_ptr<const TraceStore> TestGraphLoader::smallTrace()
{
    const QString path = m_folder.filePath(QStringLiteral("small.longpole"));
    if (!QFile::exists(path) && !writeSmallTrace(path)) return nullptr;
    const auto store = TraceStore::open(path);
    return store ? *store : nullptr;
}

std::shared_ptr<const TraceStore> TestGraphLoader::linkedTrace()
{
    const QString path = m_folder.filePath(QStringLiteral("linked.longpole"));
    if (!QFile::exists(path)) {
        auto writer = TraceWriter::create(path);
        if (!writer) return nullptr;
        addSmallDefinitions(**writer);
        writeLinkedEvents(**writer);
        if (!(*writer)->finish(Progress{})) return nullptr;
    }
    const auto store = TraceStore::open(path);
    return store ? *store : nullptr;
}

void TestGraphLoader::nestedExecutionsBelongToTheOutermost()
{
    const auto store = smallTrace();
    QVERIFY(store != nullptr);
    const auto loaded = loadActivityGraph(*store, Progress{});
    QVERIFY(loaded.ok());
    const ActivityGraph& graph = **loaded;
    QCOMPARE(graph.run, (TimeRange{1000, 9000}));
    QCOMPARE(graph.begin, (std::vector<TimeNs>{1000, 3000, 7000, 8000}));
    QCOMPARE(graph.taskIndex, (std::vector<std::uint32_t>{0, 0, 2, 1}));
    QCOMPARE(graph.source, (std::vector<std::uint32_t>{noTask, 0, 0, 0}));
    QCOMPARE(offsets(graph), (std::vector<TimeNs>{0, 500, 4000, 1500}));  // the last was sent by the nested one
    QCOMPARE(sendTimes(graph), (std::vector<TimeNs>{minTime, 1500, 5100, 2500}));
    QCOMPARE(receiveTimes(graph), (std::vector<TimeNs>{minTime, 3000, 7000, 4000}));
    QCOMPARE(graph.inner.size(), std::size_t(1));
    QCOMPARE(graph.find({ProcessorId{0}, 1}), 0u);
    const std::uint8_t both = ActivityGraph::Estimated | ActivityGraph::AfterIdle;
    const std::vector<std::uint8_t> flags{0, both, both, ActivityGraph::Estimated};
    QCOMPARE(meaningOfFlags(graph), flags);
    QCOMPARE(graph.exclusiveByEntry, (std::vector<TimeNs>{3000, 6000}));
    QVERIFY(graph.issues.empty());
}

void TestGraphLoader::pathsOfTheSmallTrace()
{
    const auto store = smallTrace();
    QVERIFY(store != nullptr);
    const auto graph = loadActivityGraph(*store, Progress{});
    QVERIFY(graph.ok());
    const auto work = workPath(**graph, workHeads(**graph, EdgeLevel::Messages, Progress{}));
    QVERIFY(work.ok());
    QCOMPARE(work->length, 5000);
    QCOMPARE(work->to, (TaskId{ProcessorId{0}, 2}));
    QCOMPARE(work->profile.size(), std::size_t(2));
    QCOMPARE(work->profile[0].entry, EntryId{0});
    QCOMPARE(work->profile[0].time, 3000);
    QCOMPARE(work->profile[1].time, 2000);
    QCOMPARE(work->profile[1].count, 2);
    QCOMPARE(work->profile[1].busyShare, 6.0 / 9);
    const auto elapsed = elapsedPath(**graph);
    QVERIFY(elapsed.ok());
    QCOMPARE(elapsed->parts,
             (PathParts{.compute = 4500, .network = 1500, .queue = 0, .overhead = 2000, .unexplained = 0}));
    QCOMPARE(elapsed->length, 8000);
}

void TestGraphLoader::linksAndReceiveTimes()
{
    const auto store = linkedTrace();
    QVERIFY(store != nullptr);
    const auto loaded = loadActivityGraph(*store, Progress{});
    QVERIFY(loaded.ok());
    const ActivityGraph& graph = **loaded;  // 0:0, 1:0, 0:3, 1:1, 1:2, 1:3
    QCOMPARE(graph.begin, (std::vector<TimeNs>{1000, 4000, 6000, 7000, 8000, 8200}));
    QCOMPARE(graph.source, (std::vector<std::uint32_t>{noTask, 0, 0, noTask, noTask, noTask}));
    QCOMPARE(offsets(graph), (std::vector<TimeNs>{0, 1100, 2500, 0, 0, 0}));
    QCOMPARE(sendTimes(graph), (std::vector<TimeNs>{minTime, 2100, 3500, 6200, 7900, minTime}));
    QCOMPARE(receiveTimes(graph), (std::vector<TimeNs>{minTime, 3500, minTime, 6500, 7900, minTime}));
    const std::vector<std::uint8_t> flags{
        0, ActivityGraph::Repaired, ActivityGraph::BlockEdge, ActivityGraph::Estimated, ActivityGraph::Estimated, 0};
    QCOMPARE(meaningOfFlags(graph), flags);
    QCOMPARE(graph.issues, (std::vector<Issue>{{QLatin1String(mergeDropped), 1, QStringLiteral("task 0:0")}}));
}

// Graph tasks: 0:0, 1:0, 0:3, 1:1, 1:2, 1:3. What a nested execution sent counts from the outermost one's begin.
void TestGraphLoader::recordedMerges()
{
    const auto store = linkedTrace();
    QVERIFY(store != nullptr);
    const auto graph = loadActivityGraph(*store, Progress{});
    QVERIFY(graph.ok());
    QCOMPARE((*graph)->merges,
             (std::vector<MergeEdge>{{4, 0, 1100, MergeKind::Recorded}, {4, 1, 500, MergeKind::Recorded}}));
    const auto path = workPath(**graph, workHeads(**graph, EdgeLevel::Merges, Progress{}), TaskId{ProcessorId{1}, 2});
    QVERIFY(path.ok());
    QCOMPARE(path->length, 1100 + 500 + 100);  // 0:0 to the repaired message, 1:0, 1:2
    QCOMPARE(path->steps.back().edge, PathEdge::RecordedMerge);
}

void TestGraphLoader::piecesOfNestedExecutions()
{
    const auto store = linkedTrace();
    QVERIFY(store != nullptr);
    const auto graph = loadActivityGraph(*store, Progress{});
    QVERIFY(graph.ok());
    std::vector<TimeNs> begins;
    for (const ActivityGraph::Inner& piece : (*graph)->innerOf(0)) begins.push_back(piece.begin);
    QCOMPARE(begins, (std::vector<TimeNs>{1500, 2000, 2500}));
    // Up to the end of 0:1, at 3500: its own 500 and 1000, the nested 500 of entry 0, and the 500 before it.
    const TaskId nested{ProcessorId{0}, 1};
    const auto path = workPath(**graph, workHeads(**graph, EdgeLevel::Messages, Progress{}), nested);
    QVERIFY(path.ok());
    QCOMPARE(path->length, 2500);
    QCOMPARE(path->profile[0].entry, EntryId{1});
    QCOMPARE(path->profile[0].time, 1500);
    QCOMPARE(path->profile[0].count, 1);
    QCOMPARE(path->profile[1].time, 1000);
    QCOMPARE(path->profile[1].count, 2);
}

void TestGraphLoader::leastLatencies()
{
    LeastLatencies dense({{ProcessorId{1}, 5}, {ProcessorId{2}, 7}, {ProcessorId{9}, 11}});
    LeastLatencies sparse({{ProcessorId{1}, 5}, {ProcessorId{2}, 7}, {ProcessorId{60'000}, 11}});
    for (LeastLatencies* leastFrom : {&dense, &sparse}) {
        QCOMPARE((*leastFrom)(2), 7);
        QCOMPARE((*leastFrom)(2), 7);
        QCOMPARE((*leastFrom)(1), 5);
        QCOMPARE((*leastFrom)(0), 0);
        QCOMPARE((*leastFrom)(-1), 0);
        QCOMPARE((*leastFrom)(60'001), 0);
    }
    QCOMPARE(dense(9), 11);
    QCOMPARE(sparse(60'000), 11);
    QCOMPARE(LeastLatencies({})(3), 0);
}

// What lies between PEs 0 and 3 has no tasks, and none of PE 0's.
void TestGraphLoader::numbersThatNoProcessorHas()
{
    constexpr std::uint32_t many = 5000;
    const QString path = m_folder.filePath(QStringLiteral("gap.longpole"));
    const auto written = writeGappedTrace(path, 10 * many, [](EventStream& stream, std::uint32_t pe) {
        const std::uint32_t tasks = pe == 0 ? many : 1;
        for (std::uint32_t i = 0; i < tasks; ++i)
            stream.append(ChunkKind::Task, TrackId{pe}, taskRow(10 * i, 10 * i + 10, 0));
        for (std::uint32_t i = 0; i < tasks; ++i)
            stream.append(ChunkKind::TaskSource, TrackId{pe}, link(Link::None, 0, 0, 0, 0));
    });
    QVERIFY(written.ok());
    const auto store = TraceStore::open(path);
    QVERIFY(store.ok());
    const auto graph = loadActivityGraph(**store, Progress{});
    QVERIFY(graph.ok());
    QCOMPARE((*graph)->size(), many + 1);
    QCOMPARE((*graph)->byProcessor.size(), std::size_t(4));
    QCOMPARE((*graph)->byProcessor[0].size(), std::size_t(many));
    QVERIFY((*graph)->byProcessor[1].empty() && (*graph)->byProcessor[2].empty());
    QCOMPARE((*graph)->byProcessor[3].size(), std::size_t(1));
}

void TestGraphLoader::cancelled()
{
    const auto store = smallTrace();
    QVERIFY(store != nullptr);
    Progress progress;
    progress.cancel();
    const auto graph = loadActivityGraph(*store, progress);
    QVERIFY(!graph.ok());
    QVERIFY(wasCancelled(graph.error()));
}

LONGPOLE_TEST(TestGraphLoader)
#include "tst_graphloader.moc"
