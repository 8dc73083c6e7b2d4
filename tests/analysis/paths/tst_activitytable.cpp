// SPDX-License-Identifier: GPL-3.0-or-later
// The activity tables of every PE: the merge of maxima, numbers that agree between PEs, and paths that can be walked
// through the tables alone.
#include "analysis/paths/activitytable.h"

#include "analysis/realtraces.h"
#include "core/smalltrace.h"
#include "support/graphs/walkedtables.h"
#include "support/testmain.h"
#include "support/writtentrace.h"

#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <random>

using namespace longpole;

namespace {

struct Tables {
    std::shared_ptr<const ActivityGraph> graph;
    WorkHeads heads;
    std::vector<ActivityTable> byPe;
};

Tables tablesOf(const TraceStore& store, EdgeLevel level, const std::vector<MergeEdge>& merges = {})
{
    Tables tables;
    const auto graph = loadActivityGraph(store, Progress{});
    if (!graph) return tables;
    tables.graph = *graph;
    tables.heads = workHeads(**graph, dependencies(**graph, level, merges), Progress{});
    for (std::uint32_t pe = 0; pe < (*graph)->byProcessor.size(); ++pe) {
        auto table = activityTable(store, **graph, tables.heads, ProcessorId{pe}, Progress{});
        if (!table) return tables;
        tables.byPe.push_back(std::move(*table));
    }
    return tables;
}

// What must hold in every table; empty, or what is wrong.
QString fault(const Tables& tables, ProcessorId pe)
{
    const ActivityTable& table = tables.byPe[index(pe)];
    TimeNs last = minTime;
    for (std::size_t i = 0; i < table.size(); ++i) {
        const ActivityRow row = table.row(i);
        const QString where = QStringLiteral(" in row %1 of PE %2").arg(i).arg(index(pe));
        if (row.index != static_cast<std::int64_t>(i)) return QStringLiteral("index") + where;
        if (row.end < last) return QStringLiteral("order of ends") + where;
        if (row.length != row.incoming.length + row.end - row.begin) return QStringLiteral("length") + where;
        last = row.end;
        const bool isFirst = i == 0 || table.row(i - 1).task != row.task;
        const std::size_t listed = isFirst ? row.mergedCount : std::min<std::size_t>(2, row.mergedCount);
        if (row.isFirst != isFirst || row.merged.size() != listed) return QStringLiteral("merged list") + where;
        if (!isFirst && row.mergedCount != table.row(i - 1).mergedCount) return QStringLiteral("merges") + where;
        TimeNs longest = row.incoming.length;
        for (const IncomingPath& merged : row.merged) {
            if (merged.length > longest) return QStringLiteral("merged") + where;
            longest = merged.length;
        }
        std::vector<IncomingPath> all(row.merged.begin(), row.merged.end());
        if (row.incoming.prefix.index >= 0) all.push_back(row.incoming);
        for (const IncomingPath& incoming : all) {
            const ActivityTable& from = tables.byPe[index(incoming.prefix.pe)];
            if (incoming.prefix.index >= static_cast<std::int64_t>(from.size())) return QStringLiteral("name") + where;
            const ActivityRow source = from.row(static_cast<std::size_t>(incoming.prefix.index));
            const bool isClamped = (tables.graph->flags[tables.graph->find(row.task)] & ActivityGraph::Clamped) != 0;
            if (source.length != incoming.length && !isClamped) return QStringLiteral("path of the source") + where;
        }
    }
    return {};
}

// The tables say nothing of how sure an edge is.
std::vector<PathStep> withoutDoubt(std::vector<PathStep> steps)
{
    for (PathStep& step : steps) step.doubtful = false;
    return steps;
}

}  // namespace

class TestActivityTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void mergeOfMaxima();
    void equalPathsKeepTheOneOfTheWorkPath();
    void nestedExecutionsAndMessagesAtTheEnd();
    void blocksComeFromTheEndOfTheOneBefore();
    void randomTraces();
    void realTraces_data();
    void realTraces();
    void noSuchProcessor();
    void cancelled();

private:
    QTemporaryDir m_folder;
    RealTraces m_traces;
};

// Figure 3 (slide 16): (1, 17, 7.3), (2, 12, 10.5) and (4, 19, 9.1) come in; (2, 12, 10.5) is kept.
void TestActivityTable::mergeOfMaxima()
{
    Written written;
    written.tasks = {
        {{.begin = 12'000, .duration = 500}}, {{.duration = 8000}}, {{.duration = 10'600}}, {}, {{.duration = 9200}}};
    written.messages.resize(5);
    for (TimeNs i = 1; i <= 18; ++i) written.send(task(1, 0), i <= 17 ? i * 400 : 7300);
    written.start(task(0, 0), task(1, 0));
    for (TimeNs i = 1; i <= 12; ++i) written.send(task(2, 0), i * 800);
    written.send(task(2, 0), 10'500);
    for (TimeNs i = 1; i <= 20; ++i) written.send(task(4, 0), i * 455);
    const auto trace = store(written, m_folder.filePath(QStringLiteral("maxima.longpole")));
    QVERIFY(trace != nullptr);
    const auto graph = loadActivityGraph(*trace, Progress{});
    QVERIFY(graph.ok());
    const std::uint32_t merged = (*graph)->find(task(0, 0));
    const Tables tables = tablesOf(*trace, EdgeLevel::Merges,
                                   {{merged, (*graph)->find(task(2, 0)), 10'500, MergeKind::Recorded},
                                    {merged, (*graph)->find(task(4, 0)), 9100, MergeKind::Recorded}});
    QCOMPARE(tables.byPe.size(), std::size_t(5));
    const ActivityRow row = tables.byPe[0].row(0);
    QCOMPARE(row.incoming, (IncomingPath{PathEdge::RecordedMerge, {ProcessorId{2}, 12}, 10'500}));
    QCOMPARE(row.merged.size(), std::size_t(2));
    QCOMPARE(row.merged[0], (IncomingPath{PathEdge::RecordedMerge, {ProcessorId{4}, 19}, 9100}));
    QCOMPARE(row.merged[1], (IncomingPath{PathEdge::Message, {ProcessorId{1}, 17}, 7300}));
    QCOMPARE(row.length, 11'000);
    QCOMPARE(row.message, MessageId{});
    QCOMPARE(tables.byPe[1].size(), std::size_t(19));
    QCOMPARE(tables.byPe[1].row(17).length, 7300);
    QCOMPARE(tables.byPe[1].row(17).message, (MessageId{ProcessorId{1}, 17}));
    QCOMPARE(tables.byPe[3].size(), std::size_t(0));
}

void TestActivityTable::equalPathsKeepTheOneOfTheWorkPath()
{
    Written written;
    written.tasks = {{{.duration = 100}, {.begin = 100, .duration = 10}}, {{.duration = 100}}, {{.duration = 100}}};
    written.messages.resize(3);
    written.send(task(2, 0), 100);
    written.start(task(0, 1), task(2, 0));
    const auto trace = store(written, m_folder.filePath(QStringLiteral("ties.longpole")));
    QVERIFY(trace != nullptr);
    const auto graph = loadActivityGraph(*trace, Progress{});
    QVERIFY(graph.ok());
    const std::uint32_t merged = (*graph)->find(task(0, 1));
    const Tables tables = tablesOf(*trace, EdgeLevel::Order,
                                   {{merged, (*graph)->find(task(1, 0)), 100, MergeKind::Buffered}});
    const ActivityRow row = tables.byPe[0].row(1);
    QCOMPARE(row.incoming, (IncomingPath{PathEdge::Message, {ProcessorId{2}, 0}, 100}));
    QCOMPARE(row.merged.size(), std::size_t(2));
    QCOMPARE(row.merged[0], (IncomingPath{PathEdge::Order, {ProcessorId{0}, 0}, 100}));  // smallest (pe, index)
    QCOMPARE(row.merged[1], (IncomingPath{PathEdge::InferredMerge, {ProcessorId{1}, 0}, 100}));
}

// main (0:0) sends m0, the execution nested in it m1, and m2 was sent right after its end.
void TestActivityTable::nestedExecutionsAndMessagesAtTheEnd()
{
    const QString path = m_folder.filePath(QStringLiteral("small.longpole"));
    QVERIFY(writeSmallTrace(path).ok());
    const auto trace = TraceStore::open(path);
    QVERIFY(trace.ok());
    const Tables tables = tablesOf(**trace, EdgeLevel::Messages);
    QCOMPARE(tables.byPe.size(), std::size_t(2));
    const ActivityTable& table = tables.byPe[0];
    QCOMPARE(table.size(), std::size_t(5));
    QCOMPARE(table.tasks(), std::size_t(2));
    const TimeNs ends[] = {1500, 2500, 5000, 5000, 8000};
    const TimeNs lengths[] = {500, 1500, 4000, 4000, 5000};
    for (std::size_t i = 0; i < 5; ++i) {
        QCOMPARE(table.row(i).task, task(0, i < 4 ? 0 : 2));
        QCOMPARE(table.row(i).end, ends[i]);
        QCOMPARE(table.row(i).length, lengths[i]);
    }
    QCOMPARE(table.row(4).incoming, (IncomingPath{PathEdge::Message, {ProcessorId{0}, 2}, 4000}));
    QCOMPARE(tables.byPe[1].row(0).incoming, (IncomingPath{PathEdge::Message, {ProcessorId{0}, 0}, 500}));
    QCOMPARE(tables.byPe[1].row(1).incoming, (IncomingPath{PathEdge::Message, {ProcessorId{0}, 1}, 1500}));
    QCOMPARE(table.endOf(task(0, 0)), std::optional<std::size_t>(3));
    QVERIFY(!table.endOf(task(0, 1)));  // nested
    QVERIFY(!table.endOf(task(1, 0)));
}

// cpath-like: a block has no message of its own, it goes on where the one before it on its PE ended.
void TestActivityTable::blocksComeFromTheEndOfTheOneBefore()
{
    const QString path = m_folder.filePath(QStringLiteral("block.longpole"));
    auto writer = TraceWriter::create(path);
    QVERIFY(writer.ok());
    addSmallDefinitions(**writer);
    const TrackId pe0{10};
    {
        auto stream = (*writer)->stream(0);
        stream->append(ChunkKind::Task, pe0, taskRow(1000, 2000, 0));
        stream->append(ChunkKind::Task, pe0, taskRow(2500, 3000, 1));
        stream->append(ChunkKind::Message, pe0, messageRow(2000, 0, 1000, 1, 0));  // at the very end
        stream->append(ChunkKind::TaskSource, pe0, Row{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0});
        stream->append(ChunkKind::TaskSource, pe0, Row{std::int64_t(Link::Block), 0, 0, 1000, 0, -1, 0});
    }
    QVERIFY((*writer)->finish(Progress{}).ok());
    const auto trace = TraceStore::open(path);
    QVERIFY(trace.ok());
    const Tables tables = tablesOf(**trace, EdgeLevel::Messages);
    QCOMPARE(tables.byPe[0].size(), std::size_t(3));
    QCOMPARE(tables.byPe[0].row(2).incoming, (IncomingPath{PathEdge::Message, {ProcessorId{0}, 1}, 1000}));
    QVERIFY(!tables.byPe[0].row(1).message.isValid());
}

namespace {

// Up to 30 executions on up to 4 PEs, some nested in others; each sends up to 4 messages, some of one instant, and a
// message may start several executions or none.
Written randomTrace(std::mt19937& random)
{
    const auto below = [&random](auto n) { return static_cast<std::uint32_t>(random() % static_cast<unsigned>(n)); };
    Written written;
    const std::uint32_t pes = 1 + below(4);
    written.tasks.resize(pes);
    written.messages.resize(pes);
    std::vector<TimeNs> free(pes, 0);
    std::vector<TaskId> senders;
    for (std::uint32_t n = below(30); n-- > 0;) {
        const std::uint32_t pe = below(pes);
        auto& tasks = written.tasks[pe];
        const auto row = static_cast<std::uint32_t>(tasks.size());
        tasks.push_back({.begin = free[pe] + below(3), .duration = static_cast<TimeNs>(below(9))});
        senders.push_back(task(pe, row));
        free[pe] = tasks.back().begin + tasks.back().duration;
        if (tasks.back().duration > 4 && below(2) == 0) {
            tasks.push_back({.begin = tasks[row].begin + 1, .duration = 2, .outer = 1});
            senders.push_back(task(pe, row + 1));
        }
    }
    for (const TaskId sender : senders) {
        const Executed from = written.tasks[index(sender.pe)][sender.index];
        std::vector<TimeNs> offsets(below(5));
        for (TimeNs& offset : offsets) offset = below(from.duration + 1);
        std::sort(offsets.begin(), offsets.end());
        for (const TimeNs offset : offsets) {
            written.send(sender, offset);
            for (const TaskId receiver : senders) {
                const Executed& to = written.tasks[index(receiver.pe)][receiver.index];
                const bool isLater = to.begin >= from.begin + offset && to.begin > from.begin;
                if (isLater && to.outer == 0 && below(6) == 0) written.start(receiver, sender);
            }
        }
    }
    return written;
}

// The row of a message, by counting all prefixes that end before it.
std::int64_t rowByCounting(const Written& written, std::uint32_t pe, std::size_t message)
{
    const auto& tasks = written.tasks[pe];
    const auto place = [&](std::size_t m) {
        const Sent& sent = written.messages[pe][m];
        const std::uint32_t outer = sent.task - tasks[sent.task].outer;
        return std::tuple(outer, tasks[sent.task].begin + sent.offset - tasks[outer].begin, m);
    };
    std::int64_t row = 0;
    for (std::size_t m = 0; m < written.messages[pe].size(); ++m) row += place(m) < place(message) ? 1 : 0;
    for (std::uint32_t t = 0; t < tasks.size(); ++t)
        row += tasks[t].outer == 0 && t < std::get<0>(place(message)) ? 1 : 0;
    return row;
}

std::vector<MergeEdge> randomMerges(const ActivityGraph& graph, std::mt19937& random)
{
    std::vector<MergeEdge> merges;
    for (std::uint32_t t = 1; t < graph.size(); ++t) {
        if (random() % 3 != 0) continue;
        const auto source = static_cast<std::uint32_t>(random() % t);
        if (graph.end(source) <= graph.begin[t])
            merges.push_back({t, source, graph.duration[source], MergeKind::Buffered});
    }
    return merges;
}

}  // namespace

void TestActivityTable::randomTraces()
{
    for (unsigned seed = 0; seed < 150; ++seed) {
        std::mt19937 random(seed);
        const Written written = randomTrace(random);
        const auto trace = store(written, m_folder.filePath(QStringLiteral("random%1.longpole").arg(seed)));
        QVERIFY(trace != nullptr);
        const auto graph = loadActivityGraph(*trace, Progress{});
        QVERIFY(graph.ok());
        const std::vector<MergeEdge> merges = randomMerges(**graph, random);
        for (const EdgeLevel level : {EdgeLevel::Messages, EdgeLevel::Merges, EdgeLevel::Order}) {
            const Tables tables = tablesOf(*trace, level, merges);
            QCOMPARE(tables.byPe.size(), written.tasks.size());
            for (std::uint32_t pe = 0; pe < written.tasks.size(); ++pe) {
                const ActivityTable& table = tables.byPe[pe];
                QCOMPARE(table.size(), table.tasks() + written.messages[pe].size());
                QCOMPARE(fault(tables, ProcessorId{pe}), QString());
                for (std::size_t i = 0; i < table.size(); ++i) {
                    const ActivityRow row = table.row(i);
                    if (row.message.isValid()) QCOMPARE(rowByCounting(written, pe, row.message.index), row.index);
                    const Executed& executed = written.tasks[pe][row.task.index];
                    if (level != EdgeLevel::Messages) continue;
                    QVERIFY(row.merged.empty());
                    if (!executed.source.isValid()) QCOMPARE(row.incoming.prefix.index, -1);
                    else
                        QCOMPARE(row.incoming.prefix.index, rowByCounting(written, index(executed.source.pe),
                                                                          static_cast<std::size_t>(executed.message)));
                }
            }
            for (std::uint32_t t = 0; t < (*graph)->size(); ++t) {
                const auto path = workPath(**graph, tables.heads, (*graph)->id(t));
                QVERIFY(path.ok());
                QVERIFY(walkTables(tables.byPe, (*graph)->id(t)) == withoutDoubt(path->steps));
            }
        }
    }
}

void TestActivityTable::realTraces_data() { RealTraces::addRows(); }

void TestActivityTable::realTraces()
{
    QFETCH(QString, name);
    const auto trace = m_traces.open(name);
    QVERIFY(trace.ok());
    if ((*trace)->info().tasks > 200'000) QSKIP("long");
    for (const EdgeLevel level : {EdgeLevel::Messages, EdgeLevel::Merges, EdgeLevel::Order}) {
        const Tables tables = tablesOf(**trace, level);
        QCOMPARE(tables.byPe.size(), tables.graph->byProcessor.size());
        for (std::uint32_t pe = 0; pe < tables.byPe.size(); ++pe) QCOMPARE(fault(tables, ProcessorId{pe}), QString());
        const auto path = workPath(*tables.graph, tables.heads);
        QVERIFY(path.ok());
        QVERIFY(walkTables(tables.byPe, path->to) == withoutDoubt(path->steps));
    }
}

void TestActivityTable::noSuchProcessor()
{
    const auto trace = m_traces.open(QStringLiteral("cpath_p4"));
    QVERIFY(trace.ok());
    const auto graph = loadActivityGraph(**trace, Progress{});
    QVERIFY(graph.ok());
    const WorkHeads heads = workHeads(**graph, EdgeLevel::Order, Progress{});
    const auto table = activityTable(**trace, **graph, heads, ProcessorId{4}, Progress{});
    QVERIFY(!table.ok());
    QCOMPARE(table.error().what, QStringLiteral("There is no PE 4."));
    QCOMPARE(table.error().hint, QStringLiteral("The trace has 4 PEs, counted from 0."));
}

void TestActivityTable::cancelled()
{
    const auto trace = m_traces.open(QStringLiteral("cpath_p4"));
    QVERIFY(trace.ok());
    const auto graph = loadActivityGraph(**trace, Progress{});
    QVERIFY(graph.ok());
    const WorkHeads heads = workHeads(**graph, EdgeLevel::Order, Progress{});
    const Progress progress;
    progress.cancel();
    const auto table = activityTable(**trace, **graph, heads, ProcessorId{0}, progress);
    QVERIFY(!table.ok());
    QVERIFY(wasCancelled(table.error()));
}

LONGPOLE_TEST(TestActivityTable)
#include "tst_activitytable.moc"
