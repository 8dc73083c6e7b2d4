// SPDX-License-Identifier: GPL-3.0-or-later
// Which tasks and dependencies of a graph are drawn: all of a small one, and a stated cut of a larger one.
#include "analysis/paths/subgraph.h"

#include "support/graphs/drawing.h"
#include "support/testmain.h"

#include <QTest>

#include <ctime>
#include <random>

using namespace longpole;

class TestSubgraph : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void wholeGraph();
    void edgesOfALevel_data();
    void edgesOfALevel();
    void rangeAndProcessors_data();
    void rangeAndProcessors();
    void aroundATask_data();
    void aroundATask();
    void cutKeepsThePathFirst_data();
    void cutKeepsThePathFirst();
    void randomGraphsWhole();
    void manyTasksAtTheEnd();
    void manyMergesOfTwoTasks();
    void errors();
};

namespace {

// Path at order: A C D F (10 + 3 + 3 + 6), at messages: A B E (10 + 6 + 8).
const char* const sketch = R"(
    0: AAAAAAAAAACCC.......
    1: ..........BBBBBBDDD.
    2: GG..............EEEE
    3: ..................FF
    A > B
    A@4 > C
    B > E
    C@2 > D
    D@2 > F
    G >> F
)";

QString names(const Drawing& drawing, const Subgraph& graph)
{
    QString text;
    for (const Subgraph::Node& node : graph.nodes) text += QLatin1Char(drawing.nameOf(node.id));
    return text;
}

// "A>B C-D*": message, order; * on the path; >> recorded and ~> inferred merges.
QString edges(const Drawing& drawing, const Subgraph& graph)
{
    QStringList list;
    for (const Subgraph::Edge& edge : graph.edges) {
        const char* sign = edge.kind == PathEdge::Message ? ">" : (edge.kind == PathEdge::Order ? "-" : ">>");
        list << QLatin1Char(drawing.nameOf(graph.nodes[edge.source].id)) % QLatin1String(sign)
                    % QLatin1Char(drawing.nameOf(graph.nodes[edge.target].id))
                    % (edge.onPath ? QStringLiteral("*") : QString());
    }
    return list.join(QLatin1Char(' '));
}

Subgraph choose(const Drawing& drawing, EdgeLevel level, const SubgraphChoice& choice = {})
{
    const auto graph = drawing.graph();
    const auto chosen = subgraph(*graph, workHeads(*graph, level, Progress{}), choice, Progress{});
    return chosen ? *chosen : Subgraph{};
}

}  // namespace

void TestSubgraph::wholeGraph()
{
    const Drawing drawing = draw(sketch);
    const Subgraph graph = choose(drawing, EdgeLevel::Order);
    QCOMPARE(names(drawing, graph), QStringLiteral("AGCBDEF"));
    QCOMPARE(graph.omitted, 0);
    QCOMPARE(graph.level, EdgeLevel::Order);
    const Subgraph::Node& b = graph.nodes[3];
    QCOMPARE(b.begin, 10);
    QCOMPARE(b.end, 16);
    QCOMPARE(b.length, 16);
    const auto brought = [&graph](std::size_t i) { return std::pair(graph.edges[i].offset, graph.edges[i].length); };
    QCOMPARE(edges(drawing, graph), QStringLiteral("A>C A-C A>B* C>D B-D B>E* G-E D>F G>>F"));
    QCOMPARE(brought(0), std::pair(TimeNs{4}, TimeNs{4}));
    QCOMPARE(brought(5), std::pair(TimeNs{6}, TimeNs{16}));
    QCOMPARE(brought(7), std::pair(TimeNs{2}, TimeNs{18}));
    QVERIFY(b.onPath);
    QVERIFY(!graph.nodes[2].onPath);
}

void TestSubgraph::edgesOfALevel_data()
{
    QTest::addColumn<int>("level");
    QTest::addColumn<QString>("expected");
    QTest::newRow("messages") << int(EdgeLevel::Messages) << QStringLiteral("A>C A>B* C>D B>E* D>F");
    QTest::newRow("merges") << int(EdgeLevel::Merges) << QStringLiteral("A>C A>B* C>D B>E* D>F G>>F");
}

void TestSubgraph::edgesOfALevel()
{
    QFETCH(int, level);
    QFETCH(QString, expected);
    const Drawing drawing = draw(sketch);
    QCOMPARE(edges(drawing, choose(drawing, EdgeLevel(level))), expected);
}

void TestSubgraph::rangeAndProcessors_data()
{
    QTest::addColumn<TimeRange>("range");
    QTest::addColumn<std::vector<ProcessorId>>("pes");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, TimeRange range, const std::vector<ProcessorId>& pes, const char* expected) {
        QTest::newRow(name) << range << pes << QString::fromLatin1(expected);
    };
    const ProcessorId zero{0}, one{1}, three{3};
    row("touching", {10, 13}, {}, "CB");
    row("until a begin", {0, 10}, {}, "AG");
    row("to the end", {18, 20}, {}, "DEF");
    row("some processors", {}, {zero, three}, "ACF");
    row("both", {12, 17}, {one}, "BD");
    row("nothing", {2, 4}, {three}, "");
    row("processor without log", {}, {ProcessorId{9}}, "");
}

void TestSubgraph::rangeAndProcessors()
{
    QFETCH(TimeRange, range);
    QFETCH(std::vector<ProcessorId>, pes);
    QFETCH(QString, expected);
    const Drawing drawing = draw(sketch);
    const Subgraph graph = choose(drawing, EdgeLevel::Order, {.range = range, .pes = pes});
    QCOMPARE(names(drawing, graph), expected);
    QCOMPARE(graph.omitted, 0);
    for (const Subgraph::Edge& edge : graph.edges) QVERIFY(edge.source < edge.target);
}

void TestSubgraph::aroundATask_data()
{
    QTest::addColumn<int>("level");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, EdgeLevel level, const char* to, const char* nodes, const char* expected) {
        QTest::newRow(name) << int(level) << QString::fromLatin1(to) << QString::fromLatin1(nodes)
                            << QString::fromLatin1(expected);
    };
    row("its path, before and after it", EdgeLevel::Order, "D", "ACBDEF", "A>C A-C A>B* C>D B-D* B>E D>F");
    row("messages only", EdgeLevel::Messages, "D", "ACBDF", "A>C* A>B C>D* D>F");
    row("a merge", EdgeLevel::Merges, "G", "GF", "G>>F");
    row("the first", EdgeLevel::Order, "G", "GEF", "G-E G>>F");
}

void TestSubgraph::aroundATask()
{
    QFETCH(int, level);
    QFETCH(QString, to);
    QFETCH(QString, nodes);
    QFETCH(QString, expected);
    const Drawing drawing = draw(sketch);
    const Subgraph graph = choose(drawing, EdgeLevel(level), {.to = drawing[to[0].toLatin1()], .aroundPath = true});
    QCOMPARE(names(drawing, graph), nodes);
    QCOMPARE(edges(drawing, graph), expected);
}

void TestSubgraph::cutKeepsThePathFirst_data()
{
    QTest::addColumn<int>("most");
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<int>("onPath");
    // The path is A B E; next to it are C (3), D (3), G (2); then F (2).
    QTest::newRow("all but one") << 6 << QStringLiteral("AGCBDE") << 0;
    QTest::newRow("longest beside it") << 4 << QStringLiteral("ACBE") << 0;
    QTest::newRow("its last tasks") << 2 << QStringLiteral("BE") << 1;
}

void TestSubgraph::cutKeepsThePathFirst()
{
    QFETCH(int, most);
    QFETCH(QString, nodes);
    QFETCH(int, onPath);
    const Drawing drawing = draw(sketch);
    const Subgraph graph = choose(drawing, EdgeLevel::Order, {.most = std::size_t(most)});
    QCOMPARE(names(drawing, graph), nodes);
    QCOMPARE(graph.omitted, 7 - most);
    QCOMPARE(graph.omittedOnPath, onPath);
}

// Every dependency of the graph is there, once, and nothing else.
void TestSubgraph::randomGraphsWhole()
{
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        std::vector<RawTask> tasks;
        std::vector<TimeNs> free(4, 0);
        std::vector<std::uint32_t> count(4, 0);
        for (unsigned n = random() % 40; n-- > 0;) {
            const std::uint32_t pe = random() % 4;
            tasks.push_back({.id = {ProcessorId{pe}, count[pe]++},
                             .begin = free[pe] + TimeNs(random() % 4),
                             .duration = TimeNs(random() % 6),
                             .entry = EntryId{0}});
            free[pe] = tasks.back().begin + tasks.back().duration;
            const RawTask& source = tasks[random() % tasks.size()];
            if (source.begin < tasks.back().begin) tasks.back().source = source.id;
        }
        const auto graph = makeActivityGraph(tasks, {0, *std::max_element(free.begin(), free.end()) + 1}, 4);
        const WorkHeads heads = workHeads(*graph, EdgeLevel::Order, Progress{});
        const auto chosen = subgraph(*graph, heads, {}, Progress{});
        QVERIFY(chosen.ok());
        QCOMPARE(chosen->nodes.size(), graph->size());
        auto edge = chosen->edges.begin();
        std::size_t onPath = 0;
        for (std::uint32_t task = 0; task < graph->size(); ++task) {
            QCOMPARE(chosen->nodes[task].id, graph->id(task));
            onPath += chosen->nodes[task].onPath ? 1 : 0;
            if (const std::uint32_t source = graph->source[task]; source != noTask) {
                QCOMPARE(std::tuple(edge->source, edge->target, edge->kind, edge->offset),
                         std::tuple(source, task, PathEdge::Message, graph->offset[task]));
                ++edge;
            }
            if (const std::uint32_t before = graph->previous(task); before != noTask) {
                QCOMPARE(std::tuple(edge->source, edge->target, edge->kind, edge->offset),
                         std::tuple(before, task, PathEdge::Order, graph->duration[before]));
                ++edge;
            }
        }
        QVERIFY(edge == chosen->edges.end());
        const auto path = workPath(*graph, heads);
        QVERIFY(path.ok());
        QCOMPARE(onPath, path->steps.size());
        const auto pathEdges = std::count_if(chosen->edges.begin(), chosen->edges.end(),
                                             [](const Subgraph::Edge& e) { return e.onPath; });
        QCOMPARE(pathEdges, std::max<std::ptrdiff_t>(0, std::ssize(path->steps) - 1));
    }
}

// The path goes on through tasks without a length at the run's last instant.
void TestSubgraph::manyTasksAtTheEnd()
{
    constexpr std::uint32_t many = 60'000;
    std::vector<RawTask> tasks(many);
    for (std::uint32_t i = 0; i < many; ++i)
        tasks[i] = {.id = {ProcessorId{0}, i}, .begin = i > 0 ? 10 : 0, .entry = EntryId{0}};
    tasks[0].duration = 10;
    const auto graph = makeActivityGraph(tasks, {0, 10}, 1);
    QVERIFY(graph);
    const auto heads = workHeads(*graph, EdgeLevel::Order, Progress{});
    const std::clock_t start = std::clock();
    const auto chosen = subgraph(*graph, heads, {.to = TaskId{ProcessorId{0}, many - 1}}, Progress{});
    QVERIFY(chosen.ok());
    QVERIFY((std::clock() - start) / CLOCKS_PER_SEC < 2);
    QCOMPARE(chosen->nodes.size(), mostSubgraphNodes);
    QCOMPARE(chosen->omittedOnPath, std::int64_t(many - mostSubgraphNodes));
    QCOMPARE(tasksTouching(*graph, ProcessorId{0}, {0, 10}).last, std::size_t(many));
    QCOMPARE(tasksTouching(*graph, ProcessorId{0}, {0, 9}).last, std::size_t(1));
}

// Those that bring the longest paths stay, and what is no merge.
void TestSubgraph::manyMergesOfTwoTasks()
{
    constexpr std::uint32_t many = mostSubgraphEdges + 5000;
    const std::vector<RawTask> tasks{
        {.id = {ProcessorId{0}, 0}, .begin = 0, .duration = many, .entry = EntryId{0}},
        {.id = {ProcessorId{1}, 0}, .begin = many, .duration = 9, .entry = EntryId{0}, .source = {ProcessorId{0}, 0}}};
    const auto graph = makeActivityGraph(tasks, {0, many + 9}, 2);
    QVERIFY(graph);
    std::vector<MergeEdge> merges;
    for (std::uint32_t i = 0; i < many; ++i) merges.push_back({1, 0, i, MergeKind::Buffered});
    const WorkHeads heads = workHeads(*graph, dependencies(*graph, EdgeLevel::Order, merges), Progress{});
    const auto chosen = subgraph(*graph, heads, {}, Progress{});
    QVERIFY(chosen.ok());
    QCOMPARE(chosen->edges.size(), mostSubgraphEdges);
    QCOMPARE(chosen->omittedEdges, std::int64_t(5001));
    QCOMPARE(chosen->edges[0].kind, PathEdge::Message);
    QCOMPARE(chosen->edges[1].offset, TimeNs(5001));
    QCOMPARE(chosen->edges.back().offset, TimeNs(many - 1));
    QVERIFY(chosen->edges.back().onPath);
}

void TestSubgraph::errors()
{
    const Drawing drawing = draw(sketch);
    const auto graph = drawing.graph();
    const WorkHeads heads = workHeads(*graph, EdgeLevel::Order, Progress{});
    const auto missing = subgraph(*graph, heads, {.to = TaskId{ProcessorId{0}, 9}}, Progress{});
    QVERIFY(!missing.ok());
    QCOMPARE(missing.error().what, QStringLiteral("There is no task 0:9."));
    QVERIFY(wasCancelled(subgraph(*graph, WorkHeads{}, {}, Progress{}).error()));
    const auto empty = makeActivityGraph({}, {0, 10}, 2);
    const auto none = subgraph(*empty, workHeads(*empty, EdgeLevel::Order, Progress{}), {}, Progress{});
    QVERIFY(none.ok());
    QVERIFY(none->nodes.empty());
}

LONGPOLE_TEST(TestSubgraph)
#include "tst_subgraph.moc"
