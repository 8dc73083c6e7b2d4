// SPDX-License-Identifier: GPL-3.0-or-later
// Merge edges inferred from real traces: what must hold on each, golden lengths, and how far Charm++'s own critical
// path goes along.
#include "analysis/graph/mergeinference.h"
#include "analysis/paths/criticalpath.h"

#include "analysis/realtraces.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <set>

using namespace longpole;

namespace {

struct Traced {
    std::shared_ptr<const TraceStore> store;
    std::shared_ptr<const ActivityGraph> graph;
    MergeInference merges;

    WorkHeads heads(EdgeLevel level, const std::vector<MergeEdge>& edges) const
    {
        return workHeads(*graph, dependencies(*graph, level, edges), Progress{});
    }
    CriticalPath path(EdgeLevel level, std::optional<TaskId> to = {}) const
    {
        return *workPath(*graph, heads(level, merges.edges), to);
    }
};

}  // namespace

class TestRealMerges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void whatMustHold_data();
    void whatMustHold();
    void lengths_data();
    void lengths();
    void charmsOwnCriticalPath();
    void pathsRunThroughDaggerBlocks();
    void migratedObjectsAreFollowed();
    void independentWorkGetsNoEdges();

private:
    Traced trace(const QString& name);
    RealTraces m_traces;
};

Traced TestRealMerges::trace(const QString& name)
{
    const auto store = m_traces.open(name);
    if (!store) return {};
    const auto graph = loadActivityGraph(**store, Progress{});
    if (!graph) return {};
    auto merges = inferMerges(**store, **graph, Progress{});
    if (!merges) return {};
    return {*store, *graph, std::move(*merges)};
}

void TestRealMerges::whatMustHold_data()
{
    RealTraces::addRows();
    if (RealTraces::names().isEmpty()) QSKIP("no real trace lies in tests/data or beside the repository");
}

void TestRealMerges::whatMustHold()
{
    QFETCH(QString, name);
    const Traced traced = trace(name);
    QVERIFY(traced.store);
    const ActivityGraph& graph = *traced.graph;
    const std::vector<MergeEdge>& edges = traced.merges.edges;
    QVERIFY(std::is_sorted(edges.begin(), edges.end()));
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const MergeEdge& edge : edges) {
        QVERIFY(edge.source < edge.task && edge.task < graph.size());
        QVERIFY(edge.offset >= 0 && edge.offset <= graph.duration[edge.source]);
        QVERIFY(graph.begin[edge.source] + edge.offset <= graph.begin[edge.task]);
        QVERIFY(edge.kind != MergeKind::Recorded);
        QVERIFY(pairs.insert({edge.task, edge.source}).second);
    }
    QCOMPARE(traced.merges.buffered + traced.merges.reductions, std::int64_t(edges.size()));
    const TimeNs messages = traced.path(EdgeLevel::Messages).length;
    const TimeNs merges = traced.path(EdgeLevel::Merges).length;
    const TimeNs order = traced.path(EdgeLevel::Order).length;
    QVERIFY(messages <= merges);
    QVERIFY(merges <= order);
    QVERIFY(order <= graph.run.length());
}

void TestRealMerges::lengths_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QList<qint64>>("expected");
    // Work paths at messages, at merges, at the processors' order without and with inferred merges; edges of R1, of R2.
    const auto row = [](const char* name, QList<qint64> expected) {
        QTest::newRow(name) << QString::fromLatin1(name) << expected;
    };
    row("chain_and_bulk_p6", {80'465'000, 80'465'000, 170'404'000, 170'404'000, 0, 100});
    row("cpath_p4", {9'169'000, 13'100'000, 26'099'000, 26'099'000, 216, 68});
    row("features_p4", {7'442'000, 7'495'000, 24'209'000, 24'209'000, 31, 6});
    row("gauss_seidel_p8", {79'668'000, 88'930'000, 219'906'000, 219'906'000, 1'591, 0});
    row("jacobi2d_sdag_p4", {8'537'000, 12'808'000, 31'594'000, 31'594'000, 11'394, 4'991});
    row("pipeline_p6", {63'626'000, 63'626'000, 253'291'000, 253'291'000, 0, 100});
    row("stencil3d_lb_p4", {42'717'000, 542'001'000, 1'137'551'000, 1'137'551'000, 39'090, 14'058});
    row("wave2d_net_p6", {27'416'000, 114'782'000, 215'987'000, 215'987'000, 44'844, 14'370});
    row("wave2d_p6", {50'617'000, 102'392'000, 175'335'000, 175'335'000, 26'809, 15'555});
}

void TestRealMerges::lengths()
{
    QFETCH(QString, name);
    if (!RealTraces::has(name)) QSKIP("the trace is not there");
    const Traced traced = trace(name);
    QVERIFY(traced.store);
    const CriticalPath plain = *workPath(*traced.graph, traced.heads(EdgeLevel::Order, {}));
    const QList<qint64> found{traced.path(EdgeLevel::Messages).length,
                              traced.path(EdgeLevel::Merges).length,
                              plain.length,
                              traced.path(EdgeLevel::Order).length,
                              traced.merges.buffered,
                              traced.merges.reductions};
    QTEST(found, "expected");
}

// Its step 0 is the end of the reduction at 264878 us on PE 0. Charm++'s own path follows the last message of each
// reduction: to step 0 that of PE 1, with 4184 us behind it, though PE 2's had come before with 4482. Three kinds of
// dependencies that it does not see make the path longer: the other messages of a reduction; elements that contributed
// by a plain call while another one of their PE came last (the ghost of 8.2 ms on PE 2 in the second reduction); and
// ghosts that wait in a buffer, which the program does not mark.
void TestRealMerges::charmsOwnCriticalPath()
{
    const QString name = QStringLiteral("cpath_p4");
    if (!RealTraces::has(name)) QSKIP("the trace cpath_p4 is not there");
    const Traced traced = trace(name);
    QVERIFY(traced.store);
    const ActivityGraph& graph = *traced.graph;
    const TaskId to{ProcessorId{0}, 129};
    QCOMPARE(graph.begin[graph.find(to)], 264'878'000);
    const CriticalPath charms = traced.path(EdgeLevel::Messages, to);
    QCOMPARE(charms.length, 4'187'000);
    QCOMPARE(charms.steps.size(), std::size_t(21));
    const auto merges = [](const CriticalPath& path) {
        QStringList steps;
        for (std::size_t i = 1; i < path.steps.size(); ++i)
            if (path.steps[i].edge == PathEdge::InferredMerge)
                steps += QStringLiteral("%1:%2<%3:%4")
                             .arg(index(path.steps[i].pe))
                             .arg(path.steps[i].task.index)
                             .arg(index(path.steps[i - 1].pe))
                             .arg(path.steps[i - 1].task.index);
        return steps.join(QLatin1Char(' '));
    };

    std::vector<MergeEdge> ofManagers;
    for (const MergeEdge& edge : traced.merges.edges)
        if (graph.entry[edge.source] == 17) ofManagers.push_back(edge);
    QCOMPARE(ofManagers.size(), std::size_t(17));
    const WorkHeads messages = traced.heads(EdgeLevel::Messages, {});
    QCOMPARE(messages.head[graph.find(to)], 4'184'000);
    QCOMPARE(messages.head[graph.find({ProcessorId{0}, 124})], 4'482'000);
    const Result<CriticalPath> managers = workPath(graph, traced.heads(EdgeLevel::Merges, ofManagers), to);
    QCOMPARE(managers->length, 5'323'000);
    QCOMPARE(merges(*managers), QStringLiteral("0:44<0:43 0:67<0:62 0:88<0:82 0:129<0:124"));

    const CriticalPath all = traced.path(EdgeLevel::Merges, to);
    QCOMPARE(all.length, 12'985'000);
    QCOMPARE(merges(all),
             QStringLiteral("3:17<3:14 0:15<3:17 0:23<0:15 2:28<2:25 2:31<2:28 2:34<2:31 0:44<2:34 3:45<3:44 3:48<3:45 "
                            "0:58<3:48 0:67<0:58 0:79<0:78 0:85<0:79 0:88<0:85 2:78<2:77 2:81<2:78 0:104<2:81 "
                            "0:109<0:104 3:94<3:91 3:97<3:94 0:125<3:97 0:129<0:125"));
}

void TestRealMerges::pathsRunThroughDaggerBlocks()
{
    const QString name = QStringLiteral("jacobi2d_sdag_p4");
    if (!RealTraces::has(name)) QSKIP("the trace jacobi2d_sdag_p4 is not there");
    const Traced traced = trace(name);
    QVERIFY(traced.store);
    const auto computes = [&](EdgeLevel level) {
        std::int64_t count = 0;
        for (const PathStep& step : traced.path(level).steps) count += step.entry == EntryId{159};
        return count;
    };
    // Jacobi_compute runs once an iteration and object. By messages alone a path ends where an element contributed to a
    // reduction and was not the last one on its PE, here in the eighth of the 40 iterations, after 7.9 ms of one
    // compute; with merges it goes through all of them.
    QCOMPARE(computes(EdgeLevel::Messages), 8);
    QCOMPARE(computes(EdgeLevel::Merges), 40);
    QCOMPARE(computes(EdgeLevel::Order), 811);
}

void TestRealMerges::migratedObjectsAreFollowed()
{
    const QString name = QStringLiteral("stencil3d_lb_p4");
    if (!RealTraces::has(name)) QSKIP("the trace stencil3d_lb_p4 is not there");
    const Traced traced = trace(name);
    QVERIFY(traced.store);
    const auto crosses = [&](const MergeEdge& edge) {
        return edge.kind == MergeKind::Buffered && traced.graph->pe[edge.task] != traced.graph->pe[edge.source];
    };
    QCOMPARE(std::count_if(traced.merges.edges.begin(), traced.merges.edges.end(), crosses), 128);
}

// What a program does that has no order of its own: only the last piece of each element contributes.
void TestRealMerges::independentWorkGetsNoEdges()
{
    const QString name = QStringLiteral("chain_and_bulk_p6");
    if (!RealTraces::has(name)) QSKIP("the trace chain_and_bulk_p6 is not there");
    const Traced traced = trace(name);
    QVERIFY(traced.store);
    QVERIFY(traced.merges.entries.empty());
    for (const MergeEdge& edge : traced.merges.edges)
        QCOMPARE(traced.store->entry(EntryId{traced.graph->entry[edge.task]})->chare, QStringLiteral("CkReductionMgr"));
}

LONGPOLE_TEST(TestRealMerges)
#include "tst_realmerges.moc"
