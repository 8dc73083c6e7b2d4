// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of a subgraph: where boxes and lines stand, what is painted, and the text for other programs.
#include "app/smalltrace.h"
#include "core/trace/format.h"
#include "support/graphs/drawing.h"
#include "support/testmain.h"
#include "views/drawing/graphs/graphgeometry.h"
#include "views/drawing/graphs/graphpainter.h"
#include "views/drawing/graphs/graphrender.h"
#include "views/drawnstore.h"

#include <QRegularExpression>
#include <QSvgRenderer>
#include <QTest>

#include <ctime>
#include <random>

namespace longpole {

namespace {

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

Subgraph whole(const ActivityGraph& graph, EdgeLevel level = EdgeLevel::Order,
               const std::vector<MergeEdge>& inferred = {})
{
    const WorkHeads heads = workHeads(graph, dependencies(graph, level, inferred), Progress{});
    const auto chosen = subgraph(graph, heads, {}, Progress{});
    return chosen ? *chosen : Subgraph{};
}

// Up to 120 tasks on up to 9 PEs with messages from any that began before, some of one moment.
Subgraph randomGraph(unsigned seed)
{
    std::mt19937 random(seed);
    const std::uint32_t pes = 1 + random() % 9;
    std::vector<RawTask> tasks;
    std::vector<TimeNs> free(pes, 0);
    std::vector<std::uint32_t> count(pes, 0);
    for (unsigned n = random() % 120; n-- > 0;) {
        const std::uint32_t pe = random() % pes;
        tasks.push_back({.id = {ProcessorId{pe}, count[pe]++},
                         .begin = free[pe] + TimeNs(random() % 9),
                         .duration = TimeNs(random() % 20),
                         .entry = EntryId{unsigned(random() % 3)}});
        free[pe] = tasks.back().begin + tasks.back().duration;
        const RawTask& source = tasks[random() % tasks.size()];
        if (source.begin >= tasks.back().begin) continue;
        tasks.back().source = source.id;
        tasks.back().offset = std::min(source.duration, tasks.back().begin - source.begin) / 2;
    }
    return whole(*makeActivityGraph(tasks, {0, *std::max_element(free.begin(), free.end()) + 1}, pes));
}

QImage drawnGraph(const TraceStore& store, const Subgraph& graph, const Theme& theme)
{
    const Result<QByteArray> png = renderGraph(store, {.graph = &graph, .theme = theme});
    return png ? QImage::fromData(*png, "PNG") : QImage();
}

int count(const QImage& image, const QColor& colour)
{
    int found = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) found += image.pixelColor(x, y) == colour ? 1 : 0;
    return found;
}

// What is wrong with a geometry; empty if nothing.
QString fault(const Subgraph& graph, const GraphGeometry& geometry)
{
    const auto at = [](std::size_t i) { return QString::number(i); };
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const GraphBox& box = geometry.boxes[i];
        if (!QRectF(QPointF(0, 0), geometry.size).contains(box.rect)) return QStringLiteral("box outside ") + at(i);
        if (geometry.lanes[std::size_t(box.lane)].pe != graph.nodes[i].id.pe) return QStringLiteral("lane of ") + at(i);
        for (std::size_t j = 0; j < i; ++j) {
            if (geometry.boxes[j].rect.intersects(box.rect)) return QStringLiteral("overlap ") + at(i);
            if (geometry.boxes[j].column > box.column) return QStringLiteral("order of time ") + at(i);
        }
    }
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        const Subgraph::Edge& edge = graph.edges[e];
        const std::vector<QPointF>& points = geometry.lines[e].points;
        const QRectF to = geometry.boxes[edge.target].rect;
        if (geometry.boxes[edge.source].column >= geometry.boxes[edge.target].column)
            return QStringLiteral("back ") + at(e);
        if (points.back().x() != to.left() || points.back().y() <= to.top() || points.back().y() >= to.bottom())
            return QStringLiteral("end of line ") + at(e);
        if (!geometry.boxes[edge.source].rect.adjusted(-1, -1, 1, 1).contains(points.front()))
            return QStringLiteral("begin of line ") + at(e);
        for (std::size_t p = 1; p < points.size(); ++p) {
            if (points[p].x() != points[p - 1].x() && points[p].y() != points[p - 1].y())
                return QStringLiteral("slant ") + at(e);
            const QRectF segment = QRectF(points[p - 1], points[p]).normalized().adjusted(-0.5, -0.5, 0.5, 0.5);
            for (const GraphBox& box : geometry.boxes)
                if (box.rect.adjusted(1, 1, -1, -1).intersects(segment))
                    return QStringLiteral("line over a box ") + at(e);
        }
    }
    return {};
}

std::shared_ptr<const TraceStore> hostileStore(const QTemporaryDir& folder)
{
    const QString path = folder.filePath(QStringLiteral("small.longpole"));
    if (!test::writeHostileTrace(path)) return nullptr;
    const auto store = TraceStore::open(path);
    return store ? *store : nullptr;
}

}  // namespace

class TestGraphPicture : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void lanesAndColumns()
    {
        const Drawing drawing = draw(sketch);
        const Subgraph graph = whole(*drawing.graph());
        const GraphGeometry geometry = graphGeometry(graph);
        QString places;
        for (std::size_t i = 0; i < graph.nodes.size(); ++i)
            places += QStringLiteral("%1%2%3 ")
                          .arg(QLatin1Char(drawing.nameOf(graph.nodes[i].id)))
                          .arg(geometry.boxes[i].lane)
                          .arg(geometry.boxes[i].column);
        QCOMPARE(places, QStringLiteral("A00 G20 C01 B11 D12 E22 F33 "));
        QCOMPARE(geometry.columns.size(), std::size_t(4));
        QCOMPARE(geometry.columns[1].begin, 10);
        QVERIFY(!geometry.dots);
        QCOMPARE(nodeAt(geometry, geometry.boxes[4].rect.center()), 4);
        QCOMPARE(nodeAt(geometry, {0, 0}), -1);
    }

    // A line leaves where in the task its message was sent.
    void linesLeaveWhereTheMessageWasSent()
    {
        const Drawing drawing = draw(sketch);
        const Subgraph graph = whole(*drawing.graph());
        const GraphGeometry geometry = graphGeometry(graph);
        const QRectF a = geometry.boxes[0].rect;
        const QPointF early = geometry.lines[0].points.front();  // A@4 > C
        const QPointF late = geometry.lines[2].points.front();   // A > B
        QCOMPARE(early.y(), a.bottom());
        QVERIFY(early.x() < late.x());
        QVERIFY(std::abs(early.x() - (a.left() + a.width() * (0.1 + 0.8 * 0.4))) < 1e-6);
    }

    void randomGeometries()
    {
        for (unsigned seed = 0; seed < 150; ++seed) {
            const Subgraph graph = randomGraph(seed);
            for (const double most : {1e9, 0.0}) {
                const GraphGeometry geometry = graphGeometry(graph, most);
                QCOMPARE(geometry.dots, most == 0 && !graph.nodes.empty());
                QCOMPARE(fault(graph, geometry), QString());
            }
        }
    }

    // A file may hold any number of merges of two tasks: each looked through the places of all before it.
    void manyLinesSideBySide()
    {
        constexpr std::uint32_t many = 200'000;
        Subgraph graph;
        graph.nodes = {{.id = {ProcessorId{0}, 0}, .end = many},
                       {.id = {ProcessorId{1}, 0}, .begin = many, .end = many}};
        for (std::uint32_t i = 0; i < many; ++i)
            graph.edges.push_back({.source = 0, .target = 1, .kind = PathEdge::RecordedMerge, .offset = i});
        const std::clock_t start = std::clock();
        const GraphGeometry geometry = graphGeometry(graph, 1e9);
        QVERIFY((std::clock() - start) / CLOCKS_PER_SEC < 8);
        QCOMPARE(geometry.lines.size(), std::size_t{many});
        QVERIFY(geometry.lines.front().points[1].y() < geometry.lines.back().points[1].y());
    }

    void pictureShowsThePath()
    {
        const DrawnStore store({QStringLiteral("AAAABBBB"), QStringLiteral("CCCC....")});
        const auto loaded = loadActivityGraph(*store, Progress{});
        QVERIFY(loaded.ok());
        for (const Theme& theme : {lightTheme(), darkTheme()}) {
            Subgraph graph = whole(**loaded);
            const QImage image = drawnGraph(*store, graph, theme);
            QVERIFY(!image.isNull());
            const Palette palette(*store, theme);
            QVERIFY(count(image, theme.accent) > 200);
            QVERIFY(count(image, graphFill(DrawnStore::entryOf('B'), true, palette, theme)) > 1000);
            QVERIFY(count(image, graphFill(DrawnStore::entryOf('C'), false, palette, theme)) > 1000);
            for (Subgraph::Node& node : graph.nodes) node.onPath = false;
            for (Subgraph::Edge& edge : graph.edges) edge.onPath = false;
            QCOMPARE(count(drawnGraph(*store, graph, theme), theme.accent), 0);
        }
    }

    void svgHoldsTheWords()
    {
        const DrawnStore store({QStringLiteral("AAAABBBB"), QStringLiteral("CCCC....")});
        const auto loaded = loadActivityGraph(*store, Progress{});
        QVERIFY(loaded.ok());
        Subgraph graph = whole(**loaded);
        graph.omitted = 412;
        graph.omittedOnPath = 3;
        graph.omittedEdges = 9;
        const Result<QByteArray> svg = renderGraph(*store, {.graph = &graph, .isVector = true});
        QVERIFY(svg.ok() && QSvgRenderer(*svg).isValid());
        const QString text = QString::fromUtf8(*svg);
        for (const char* words : {"Activity graph: 3 tasks, 1 dependencies",
                                  "412 more tasks not shown, 3 of them on the path; 9 more dependencies not shown",
                                  "PE 1", "Drawn::A", "0:1", "order on a PE"})
            QVERIFY2(text.contains(QString::fromUtf8(words)), words);
        QVERIFY(!text.contains(QStringLiteral("inferred")));
    }

    void emptyGraphHasAPicture()
    {
        const DrawnStore store({QStringLiteral("AAAA")});
        const Subgraph nothing;
        QCOMPARE(graphGeometry(nothing).boxes.size(), std::size_t(0));
        QVERIFY(drawnGraph(*store, nothing, lightTheme()).width() >= 480);
    }

    // Nothing is in DOT and CSV that is not in the graph, and all that is.
    void textHoldsExactlyTheGraph()
    {
        const QTemporaryDir folder;
        const auto store = hostileStore(folder);
        QVERIFY(store != nullptr);
        const Drawing drawing = draw(sketch);
        const auto graph = drawing.graph();
        const std::vector<MergeEdge> inferred{
            {graph->find(drawing['E']), graph->find(drawing['G']), 2, MergeKind::Buffered}};
        const Subgraph all = whole(*graph, EdgeLevel::Order, inferred);
        QStringList expected;
        const auto add = [&](std::uint32_t source, std::uint32_t task, const char* kind, TimeNs offset) {
            expected << QStringLiteral("%1 %2 %3 %4")
                            .arg(toText(graph->id(source)), toText(graph->id(task)), QLatin1String(kind))
                            .arg(offset);
        };
        for (std::uint32_t task = 0; task < graph->size(); ++task) {
            if (graph->source[task] != noTask) add(graph->source[task], task, "message", graph->offset[task]);
            if (const std::uint32_t before = graph->previous(task); before != noTask)
                add(before, task, "order", graph->duration[before]);
        }
        add(graph->find(drawing['G']), graph->find(drawing['F']), "recorded_merge", 2);
        add(graph->find(drawing['G']), graph->find(drawing['E']), "inferred_merge", 2);
        expected.sort();
        QCOMPARE(edgesOfDot(graphDot(*store, {.graph = &all})), expected);
        QStringList rows = QString::fromUtf8(graphCsv(all)).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(rows.takeFirst(), QStringLiteral("source,target,kind,offset_ns,length_ns,on_path"));
        for (QString& row : rows) row = row.section(QLatin1Char(','), 0, 3).replace(QLatin1Char(','), QLatin1Char(' '));
        rows.sort();
        QCOMPARE(rows, expected);
    }

    // Entry methods may be called anything.
    void dotQuotesNames()
    {
        const QTemporaryDir folder;
        const auto store = hostileStore(folder);
        QVERIFY(store != nullptr);
        const auto loaded = loadActivityGraph(*store, Progress{});
        QVERIFY(loaded.ok());
        const Subgraph graph = whole(**loaded);
        const QString dot = QString::fromUtf8(graphDot(*store, {.graph = &graph}));
        QVERIFY2(dot.contains(QStringLiteral("Größe\\\", 'π'> & <script>")), qPrintable(dot));
        static const QRegularExpression string(QStringLiteral("\"(?:[^\"\\\\]|\\\\.)*\""));
        QString rest = dot;
        rest.remove(string);
        static const QRegularExpression plain(QStringLiteral("^[a-zA-Z_0-9=.,;\\s{}\\[\\]>-]*$"));
        QVERIFY2(plain.match(rest).hasMatch(), qPrintable(rest));
        QCOMPARE(dot.count(QStringLiteral("subgraph \"cluster_")), 2);
        QVERIFY(!dot.contains(QStringLiteral("dashed")));
        QVERIFY(dot.contains(QStringLiteral("style=dotted")));
    }

private:
    static QStringList edgesOfDot(const QByteArray& dot)
    {
        static const QRegularExpression edge(
            QStringLiteral("\"([^\"]+)\" -> \"([^\"]+)\" \\[.*kind=(\\w+), offset_ns=(\\d+)"));
        QStringList found;
        for (auto it = edge.globalMatch(QString::fromUtf8(dot)); it.hasNext();) {
            const QRegularExpressionMatch match = it.next();
            found << QString(match.captured(1) + QLatin1Char(' ') + match.captured(2) + QLatin1Char(' ')
                             + match.captured(3) + QLatin1Char(' ') + match.captured(4));
        }
        found.sort();
        return found;
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestGraphPicture)
#include "tst_graphpicture.moc"
