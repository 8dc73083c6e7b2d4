// SPDX-License-Identifier: GPL-3.0-or-later
// Replays written as traces: in the recorded order the trace comes back, in another one it holds together.
#include "analysis/replay/writtentrace.h"

#include "analysis/realtraces.h"
#include "analysis/replay/model.h"

#include "support/testmain.h"

#include <QElapsedTimer>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

using namespace longpole;

namespace {

struct WrittenReplay {
    std::shared_ptr<const TraceStore> store;
    std::shared_ptr<const ActivityGraph> graph;
};

TimeNs busyOf(const TraceStore& store)
{
    TimeNs busy = 0;
    for (const ProfileRow& row : store.profile()) busy += row.exclusive;
    return busy;
}

std::int64_t rowsOf(const TraceStore& store, ChunkKind kind)
{
    std::int64_t rows = 0;
    for (const ChunkRef& ref : store.chunks(kind)) rows += ref.rows;
    return rows;
}

}  // namespace

class TestReplayedTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void comesBack_data();
    void comesBack();
    void holdsTogether_data() { comesBack_data(); }
    void holdsTogether();
    void broadcastsWereHandedOn();
    void cancelled();
    void modelsCancelled();

private:
    static void checkStartUp(const ReplayModel& model, const ReplayedRun& run);
    std::shared_ptr<const ReplayModel> model(const QString& name);
    WrittenReplay write(const QString& name, const ReplayModel& model, const ReplayedRun& run);

    RealTraces m_traces;
    QTemporaryDir m_folder;
};

std::shared_ptr<const ReplayModel> TestReplayedTrace::model(const QString& name)
{
    const auto store = m_traces.open(name);
    if (!store) return {};
    const auto graph = loadActivityGraph(**store, Progress{});
    if (!graph) return {};
    const auto merges = inferMerges(**store, **graph, Progress{});
    if (!merges) return {};
    const auto made = replayModel(**store, *graph, *merges, Progress{});
    return made ? *made : nullptr;
}

WrittenReplay TestReplayedTrace::write(const QString& name, const ReplayModel& model, const ReplayedRun& run)
{
    const QString file = m_folder.filePath(QStringLiteral("replayed.longpole"));
    const auto store = m_traces.open(name);
    const auto written = writeReplayedTrace(**store, model, run, QStringLiteral("test"), file, Progress{});
    if (!written) qCritical("%s", qPrintable(toText(written.error())));
    const auto opened = TraceStore::open(file);
    if (!opened) qCritical("%s", qPrintable(toText(opened.error())));
    const auto graph = loadActivityGraph(**opened, Progress{});
    return {*opened, graph ? *graph : nullptr};
}

// Broadcasts to groups, whose two creations the log has: sent before they were handed on, which started tasks of one
// entry method, one on each processor, and nothing else starts these.
void TestReplayedTrace::broadcastsWereHandedOn()
{
    std::size_t all = 0;
    for (const QString& name : RealTraces::names()) {
        const auto made = model(name);
        if (!made) continue;
        const ActivityGraph& graph = *made->graph;
        std::vector<int> started(graph.size(), 0);
        for (const std::uint32_t task : made->sends) ++started[task];
        for (const ForwardedBroadcast& broadcast : made->forwarded) {
            ++all;
            QVERIFY(graph.begin[broadcast.sender] + broadcast.offset <= broadcast.forwarded);
            std::set<std::uint32_t> pes;
            for (const std::uint32_t target : broadcast.targets) {
                QCOMPARE(graph.entry[target], broadcast.entry);
                QVERIFY(graph.begin[target] >= broadcast.forwarded);
                QCOMPARE(graph.sent(target), broadcast.forwarded);
                QVERIFY(pes.insert(graph.pe[target]).second);
                QVERIFY(made->isForwardedTo(target) && started[target]++ == 0);
            }
        }
    }
    QVERIFY2(all >= 5, qPrintable(QString::number(all)));  // those in tests/data alone have seven
}

// What makes the objects of a processor runs before all that messages bring it.
void TestReplayedTrace::checkStartUp(const ReplayModel& model, const ReplayedRun& run)
{
    const ActivityGraph& graph = *model.graph;
    QCOMPARE(model.startUpEnd.size(), graph.byProcessor.size());
    const auto& pes = run.pe.empty() ? graph.pe : run.pe;
    for (std::size_t pe = 0; pe < graph.byProcessor.size(); ++pe) {
        TimeNs last = minTime;  // of the start-up
        for (const std::uint32_t task : graph.byProcessor[pe])
            if (task < model.startUpEnd[pe] && model.is(task, ReplayModel::Fixed))
                last = std::max(last, run.begin[task]);
        for (std::uint32_t task = 0; task < graph.size(); ++task)
            if (pes[task] == pe && !model.is(task, ReplayModel::Fixed)) QVERIFY(run.begin[task] >= last);
    }
}

void TestReplayedTrace::comesBack_data() { RealTraces::addRows(); }

void TestReplayedTrace::comesBack()
{
    QFETCH(QString, name);
    const auto made = model(name);
    if (!made) QSKIP("a summary has no tasks to replay");
    const auto run = replay(*made, {.queue = QueueOrder::Recorded}, ArrivalReading::Likely, Progress{});
    QVERIFY(run);
    const WrittenReplay again = write(name, *made, *run);
    QVERIFY(again.graph);
    const ActivityGraph& was = *made->graph;
    QCOMPARE(again.graph->size(), was.size());
    QCOMPARE(again.store->info().duration(), was.run.length());
    QVERIFY(again.graph->begin == was.begin);
    QVERIFY(again.graph->duration == was.duration);
    QVERIFY(again.graph->pe == was.pe);
    QVERIFY(again.graph->entry == was.entry);
    QVERIFY(again.graph->source == was.source);
    QVERIFY(again.graph->offset == was.offset);
    QCOMPARE(again.graph->inner.size(), was.inner.size());
    QCOMPARE(again.graph->merges.size(), was.merges.size());
}

void TestReplayedTrace::holdsTogether()
{
    QFETCH(QString, name);
    const auto made = model(name);
    if (!made) QSKIP("a summary has no tasks to replay");
    for (const ReplayQuestion& question : {ReplayQuestion{.queue = QueueOrder::Lifo},
                                           ReplayQuestion{.network = NetworkModel::Ideal, .perfectBalance = true}}) {
        const auto run = replay(*made, question, ArrivalReading::Likely, Progress{});
        QVERIFY(run);
        const WrittenReplay made2 = write(name, *made, *run);
        QVERIFY(made2.graph);
        const TraceStore& source = **m_traces.open(name);
        const TraceInfo& info = made2.store->info();
        QCOMPARE(info.duration(), run->duration);
        QCOMPARE(info.tasks, source.info().tasks);
        QCOMPARE(info.source, source.info().source);  // what was imported, not the file that it was imported to
        QVERIFY(info.overhead() >= 0);
        QCOMPARE(busyOf(*made2.store), info.busy);
        for (const ChunkKind kind : {ChunkKind::Task, ChunkKind::TaskSource, ChunkKind::Message,
                                     ChunkKind::MessageExecutions, ChunkKind::Piece})
            QCOMPARE(rowsOf(*made2.store, kind), rowsOf(source, kind));
        QCOMPARE(made2.graph->size(), made->graph->size());
        std::vector<TimeNs> begins = run->begin;
        std::sort(begins.begin(), begins.end());
        QVERIFY(made2.graph->begin == begins);
        checkStartUp(*made, *run);
        for (const Processor& pe : made2.store->processors()) {
            const auto least = made2.store->leastLatencies(pe.pe);
            QVERIFY(least);
            for (const auto& [from, latency] : *least) QVERIFY(from != pe.pe || latency == 0);
        }
        // Nothing began before it was sent, but for one message: a broadcast that was released apart, say.
        for (const Issue& issue : made2.graph->issues) {
            const auto before = std::find_if(made->graph->issues.begin(), made->graph->issues.end(),
                                             [&](const Issue& i) { return i.kind == issue.kind; });
            const std::int64_t was = before == made->graph->issues.end() ? 0 : before->count;
            QVERIFY2(issue.count <= was + 1, qPrintable(QString::number(issue.count) % QLatin1Char(' ') % issue.kind
                                                        % QLatin1Char(' ') % issue.place));
        }
    }
}

void TestReplayedTrace::cancelled()
{
    const QString name = QStringLiteral("cpath_p4");
    const auto made = model(name);
    QVERIFY(made);
    const auto run = replay(*made, {}, ArrivalReading::Likely, Progress{});
    QVERIFY(run);
    const Progress progress;
    progress.cancel();
    const QString file = m_folder.filePath(QStringLiteral("cancelled.longpole"));
    const auto written = writeReplayedTrace(**m_traces.open(name), *made, *run, {}, file, progress);
    QVERIFY(!written);
    QVERIFY(wasCancelled(written.error()));
    QVERIFY(!QFileInfo::exists(file));
}

// At any time: it is said, or the model is there as always.
void TestReplayedTrace::modelsCancelled()
{
    const QString name = RealTraces::names().front();
    const auto store = m_traces.open(name);
    QVERIFY(store.ok());
    const auto graph = loadActivityGraph(**store, Progress{});
    const auto merges = inferMerges(**store, **graph, Progress{});
    QVERIFY(graph && merges);
    QElapsedTimer timer;
    timer.start();
    const auto whole = model(name);
    const auto most = std::chrono::nanoseconds(timer.nsecsElapsed());
    int made = 0, cancelled = 0;
    for (int part = 0; part <= 24; ++part) {
        const Progress progress;
        std::thread canceller([&] {
            std::this_thread::sleep_for(most * part / 16);
            progress.cancel();
        });
        const auto model = replayModel(**store, *graph, *merges, progress);
        canceller.join();
        ++(model.ok() ? made : cancelled);
        if (model.ok()) QCOMPARE((*model)->ordered, whole->ordered);
        else QCOMPARE(model.error().what, cancelledError().what);
    }
    QVERIFY(cancelled > 0);
}

LONGPOLE_TEST(TestReplayedTrace)
#include "tst_replayedtrace.moc"
