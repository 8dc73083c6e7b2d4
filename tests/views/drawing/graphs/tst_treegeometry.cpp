// SPDX-License-Identifier: GPL-3.0-or-later
// Where the decision tree's boxes and lines stand, what keys lead to, how meters and stacked bars share their length,
// and what figures read like.
#include "views/drawing/basics/partbar.h"
#include "views/drawing/graphs/experttext.h"
#include "views/drawing/graphs/treegeometry.h"
#include "views/drawing/graphs/treepainter.h"
#include "views/madeexpert.h"

#include "support/testmain.h"

#include <QImage>
#include <QPainter>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

namespace longpole {

namespace {

constexpr TimeNs run = 1'000'000;

int nodeOf(const DecisionTree& tree, const char* id)
{
    for (std::size_t i = 0; i < tree.nodes.size(); ++i)
        if (tree.nodes[i].id == QLatin1String(id)) return static_cast<int>(i);
    return -1;
}

}  // namespace

class TestTreeGeometry : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void nothingOfNothing()
    {
        const TreeGeometry geometry = treeGeometry({}, 800);
        QVERIFY(geometry.boxes.empty() && geometry.lines.empty() && geometry.size.isEmpty());
        QCOMPARE(treeNodeAt(geometry, {10, 10}), -1);
        QCOMPARE(treeStep(geometry, 0, TreeStep::Down), -1);
    }

    // The trunk is one column, what follows from it two more.
    void columnsOfTheTree()
    {
        const DecisionTree tree = madeTree(0, run, 4);
        const TreeGeometry geometry = treeGeometry(tree, 900);
        QCOMPARE(geometry.boxes.size(), tree.nodes.size());
        const auto column = [&](const char* id) {
            return geometry.boxes[static_cast<std::size_t>(nodeOf(tree, id))].column;
        };
        for (const char* id : {"when", "where", "kind"}) QCOMPARE(column(id), 0);
        for (const char* id : {"idle", "overhead", "user"}) QCOMPARE(column(id), 1);
        for (const char* id : {"parallelism", "locality", "grainsize", "serial_chain"}) QCOMPARE(column(id), 2);
        QCOMPARE(geometry.lines.size(), tree.nodes.size() - 1);
        // A parent stands as high as its first child.
        const auto top = [&](const char* id) {
            return geometry.boxes[static_cast<std::size_t>(nodeOf(tree, id))].rect.top();
        };
        QCOMPARE(top("idle"), top("parallelism"));
        QCOMPARE(top("overhead"), top("grainsize"));
        QCOMPARE(top("when"), top("idle"));
    }

    void boxesNeitherOverlapNorLeaveThePicture_data()
    {
        QTest::addColumn<double>("width");
        for (const int width : {0, 500, 800, 1400, 4000}) QTest::addRow("%d", width) << double(width);
    }
    void boxesNeitherOverlapNorLeaveThePicture()
    {
        QFETCH(const double, width);
        const TreeGeometry geometry = treeGeometry(madeTree(0, run, 4), width);
        const QRectF sheet(QPointF(), geometry.size);
        for (std::size_t i = 0; i < geometry.boxes.size(); ++i) {
            const TreeBox& box = geometry.boxes[i];
            QVERIFY(sheet.contains(box.rect));
            for (const QRectF& part : {box.mark, box.question, box.figures}) QVERIFY(box.rect.contains(part));
            QVERIFY(!box.mark.intersects(box.question));
            QVERIFY(box.meter.isEmpty() || (box.rect.contains(box.meter) && !box.meter.intersects(box.figures)));
            QVERIFY(!box.question.intersects(box.figures));
            for (std::size_t j = i + 1; j < geometry.boxes.size(); ++j)
                QVERIFY(!box.rect.intersects(geometry.boxes[j].rect));
        }
        if (width >= 800 && width < 1100) QVERIFY(geometry.size.width() <= width);
    }

    // No line crosses a box; it goes from its parent's edge to its child's.
    void linesJoinTheirBoxes()
    {
        const TreeGeometry geometry = treeGeometry(madeTree(0, run, 4), 900);
        for (const TreeLine& line : geometry.lines) {
            const TreeBox& child = geometry.boxes[static_cast<std::size_t>(line.child)];
            const TreeBox& parent = geometry.boxes[static_cast<std::size_t>(child.parent)];
            const auto touches = [](const QRectF& rect, QPointF at) {
                return rect.adjusted(-0.5, -0.5, 0.5, 0.5).contains(at);
            };
            QVERIFY(touches(parent.rect, line.points.front()));
            QVERIFY(touches(child.rect, line.points.back()));
            for (std::size_t i = 1; i < line.points.size(); ++i) {
                const QPointF way = line.points[i] - line.points[i - 1];
                QVERIFY(way.x() == 0 || way.y() == 0);
                const QRectF swept =
                    QRectF(line.points[i - 1], line.points[i]).normalized().adjusted(0.1, 0.1, -0.1, -0.1);
                for (const TreeBox& box : geometry.boxes)
                    QVERIFY(!box.rect.adjusted(0.2, 0.2, -0.2, -0.2).intersects(swept.adjusted(-0.2, -0.2, 0.2, 0.2))
                            || &box == &child || &box == &parent);
            }
        }
    }

    void thePathIsMarked()
    {
        DecisionTree tree = madeTree(0, run, 4);
        const std::vector<QString> path = tree.path;
        tree.path.erase(tree.path.begin() + 1);  // that question did not fire, and leads on all the same
        const TreeGeometry geometry = treeGeometry(tree, 900);
        QStringList onPath;
        for (std::size_t i = 0; i < tree.nodes.size(); ++i)
            if (geometry.boxes[i].isOnPath) onPath += tree.nodes[i].id;
        QCOMPARE(onPath, QStringList(path.begin(), path.end()));
        const auto lines = std::count_if(geometry.lines.begin(), geometry.lines.end(),
                                         [](const TreeLine& line) { return line.isOnPath; });
        QCOMPARE(lines, 4);
    }

    // A bar along the edge is as long as the share of the run that was lost.
    void lossIsAShareOfTheBox()
    {
        DecisionTree tree = madeTree(0, run, 4);
        tree.nodes[4].share = 1.7;  // whatever it says
        tree.nodes[5].share = std::numeric_limits<double>::quiet_NaN();
        const TreeGeometry geometry = treeGeometry(tree, 900);
        QCOMPARE(geometry.boxes[7].loss.width(), geometry.boxes[7].rect.width() * 0.31);
        QCOMPARE(geometry.boxes[4].loss.width(), geometry.boxes[4].rect.width());
        QCOMPARE(geometry.boxes[5].loss.width(), 0.0);
    }

    // Parents that do not exist, or come later, make another root.
    void aTreeThatIsNone()
    {
        DecisionTree tree;
        tree.nodes = {madeNode("a", "", "b", "A?", Verdict::Fired, 0), madeNode("b", "", "a", "B?", Verdict::Fired, 0),
                      madeNode("c", "", "nobody", "C?", Verdict::NotFired, 0)};
        const TreeGeometry geometry = treeGeometry(tree, 600);
        QCOMPARE(geometry.boxes[0].parent, -1);
        QCOMPARE(geometry.boxes[1].parent, 0);
        QCOMPARE(geometry.boxes[2].parent, -1);
        QVERIFY(!geometry.boxes[0].rect.intersects(geometry.boxes[2].rect));
    }

    void meters_data()
    {
        QTest::addColumn<MetricKind>("kind");
        QTest::addColumn<double>("value");
        QTest::addColumn<double>("threshold");
        QTest::addColumn<double>("filled");
        QTest::addColumn<double>("tick");
        QTest::newRow("share") << MetricKind::Share << 0.42 << 0.7 << 0.42 << 0.7;
        QTest::newRow("more than all") << MetricKind::Share << 2.0 << 0.5 << 0.8 << 0.2;
        QTest::newRow("ratio") << MetricKind::Ratio << 1.0 << 4.0 << 0.2 << 0.8;
        QTest::newRow("nothing") << MetricKind::Count << 0.0 << 0.0 << 0.0 << 0.0;
        QTest::newRow("negative") << MetricKind::Ratio << -3.0 << 2.0 << 0.0 << 0.8;
        QTest::newRow("no number") << MetricKind::Ratio << std::numeric_limits<double>::infinity() << 2.0 << 0.0 << 0.8;
    }
    void meters()
    {
        QFETCH(const MetricKind, kind);
        QFETCH(const double, value);
        QFETCH(const double, threshold);
        NodeTest test;
        test.kind = kind;
        test.value = value;
        test.threshold = threshold;
        const MeterScale scale = meterScale(test);
        QTEST(scale.value, "filled");
        QTEST(scale.threshold, "tick");
    }

    void keysLeadToNeighbours()
    {
        const DecisionTree tree = madeTree(0, run, 4);
        const TreeGeometry geometry = treeGeometry(tree, 900);
        const auto step = [&](const char* from, TreeStep way) {
            return tree.nodes[static_cast<std::size_t>(treeStep(geometry, nodeOf(tree, from), way))].id;
        };
        QCOMPARE(step("when", TreeStep::Down), QStringLiteral("where"));
        QCOMPARE(step("when", TreeStep::Up), QStringLiteral("when"));
        QCOMPARE(step("when", TreeStep::Parent), QStringLiteral("when"));
        QCOMPARE(step("kind", TreeStep::Child), QStringLiteral("idle"));
        QCOMPARE(step("idle", TreeStep::Child), QStringLiteral("scheduling"));  // on the path
        QCOMPARE(step("overhead", TreeStep::Child), QStringLiteral("grainsize"));
        QCOMPARE(step("scheduling", TreeStep::Child), QStringLiteral("scheduling"));
        QCOMPARE(step("scheduling", TreeStep::Parent), QStringLiteral("idle"));
        QCOMPARE(step("bottleneck", TreeStep::Down), QStringLiteral("grainsize"));  // over the families of a column
        QCOMPARE(step("grainsize", TreeStep::Up), QStringLiteral("bottleneck"));
        const int found = treeNodeAt(geometry, geometry.boxes[3].rect.center());
        QCOMPARE(found, 3);
        QCOMPARE(treeNodeAt(geometry, {1, 1}), -1);
    }

    void firedBoxesHaveTheAccent()
    {
        const DecisionTree tree = madeTree(0, run, 4);
        const TreeGeometry geometry = treeGeometry(tree, 900);
        for (const Theme* theme : {&darkTheme(), &lightTheme()}) {
            QImage image(geometry.size.toSize(), QImage::Format_RGB32);
            image.fill(theme->window);
            QPainter painter(&image);
            paintTree(painter, geometry, tree, {.theme = theme});
            painter.end();
            for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
                const QRectF disc = geometry.boxes[i].mark;
                const QColor inside = image.pixelColor(QPointF(disc.center().x(), disc.top() + 3).toPoint());
                QCOMPARE(inside == theme->accent, tree.nodes[i].verdict == Verdict::Fired);
            }
        }
    }

    void partsShareTheBar()
    {
        const std::vector<BarPart> parts{{QStringLiteral("end"), 100, Qt::gray},
                                         {QStringLiteral("none"), 0, Qt::red},
                                         {QStringLiteral("latency"), 300, Qt::blue}};
        const PartGeometry geometry = partGeometry(parts, 400);
        QCOMPARE(geometry.parts[0], QRectF(0, 0, 100, geometry.bar.height()));
        QVERIFY(geometry.parts[1].isEmpty() && geometry.legend[1].isEmpty());
        QCOMPARE(geometry.parts[2], QRectF(100, 0, 300, geometry.bar.height()));
        QCOMPARE(partText(parts[2], 400), QStringLiteral("latency 75.0 %"));
        QCOMPARE(partAt(geometry, {50, 3}), 0);
        QCOMPARE(partAt(geometry, {101, 3}), 2);
        QCOMPARE(partAt(geometry, geometry.legend[2].center()), 2);
        // Where both have no room beside each other the legend goes on below.
        const PartGeometry narrow = partGeometry(parts, 100);
        QVERIFY(narrow.legend[2].top() >= narrow.legend[0].bottom());
        QVERIFY(narrow.height > geometry.height);
        const PartGeometry nothing = partGeometry(std::vector<BarPart>{{QStringLiteral("a"), 0, Qt::gray}}, 100);
        QCOMPARE(partAt(nothing, {50, 3}), -1);
    }

    void figures_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const QString& text, const char* expected) {
            QTest::newRow(name) << text << QString::fromUtf8(expected);
        };
        row("share", metricText(MetricKind::Share, 0.421), "42.1 %");
        row("ratio", metricText(MetricKind::Ratio, 1.849), "1.85");
        row("time", metricText(MetricKind::Time, 12.3e6), "12.30 ms");
        row("count", metricText(MetricKind::Count, 12), "12");
        row("part of a count", metricText(MetricKind::Count, 0.625), "0.625");
        row("rate", metricText(MetricKind::Rate, 120), "120 /s");
        row("no number", metricText(MetricKind::Ratio, std::nan("")), "–");
        row("comparison", comparisonText({.kind = MetricKind::Share, .value = 0.421, .threshold = 0.7}),
            "42.1 < 70.0 %");
        row("few digits", comparisonText({.kind = MetricKind::Share, .value = 0.421, .threshold = 0.7}, Digits::Few),
            "42 < 70 %");
        row("few that say nothing",
            comparisonText({.kind = MetricKind::Share, .value = 0.698, .threshold = 0.7}, Digits::Few),
            "69.8 < 70.0 %");
        row("little", comparisonText({.kind = MetricKind::Share, .value = 0.0123, .threshold = 0.15}, Digits::Few),
            "1.2 < 15 %");
        row("other units", comparisonText({.kind = MetricKind::Time, .value = 12.3e6, .threshold = 2e3}),
            "12.30 ms > 2 us");
        row("nearly the same", comparisonText({.kind = MetricKind::Ratio, .value = 1.4999, .threshold = 1.5}),
            "1.50 ≤ 1.50");
        row("PE time", processorTime({}, 1'210'000'000), "1.210 s of PE-time");
        row("rank time", processorTime(ProgramKind::Mpi, 1'210'000'000), "1.210 s of rank-time");
        row("gain", gainShare(0.312), "−31 %");
        row("small gain", gainShare(0.0425), "−4.3 %");
        row("loss", gainShare(-0.02), "+2.0 %");
        row("none", gainShare(0.0001), "0.0 %");
    }
    void figures()
    {
        QFETCH(const QString, text);
        QTEST(text, "expected");
    }

    void gains()
    {
        Advice advice;
        QCOMPARE(gainText(advice, 1000), QString());
        advice.bound = 40;
        QCOMPARE(gainText(advice, 1000), QStringLiteral("at most −4.0 %"));
        QCOMPARE(gainText(advice, 0), QString());
        advice.bound = 950;  // says nothing
        QCOMPARE(gainText(advice, 1000), QString());
        advice.bound = 40;
        advice.prediction = Prediction{.gainLow = 0.31, .gainHigh = 0.34};
        QCOMPARE(gainText(advice, 1000), QStringLiteral("−31 … −34 %"));
        advice.prediction->gainHigh = 0.311;
        QCOMPARE(gainText(advice, 1000), QStringLiteral("−31 %"));
        advice.prediction->gainHigh = 0.9;  // too wide to be one
        QVERIFY(!isReplayed(advice));
        QCOMPARE(gainText(advice, 1000), QStringLiteral("at most −4.0 %"));
        QCOMPARE(
            unbroken(QStringLiteral("12.3 ms of 4 PE-s, 5 % of 6 s, 7 sends")),
            QStringLiteral("12.3_ms of 4_PE-s, 5_% of 6_s, 7 sends").replace(QLatin1Char('_'), QChar(QChar::Nbsp)));
        QCOMPARE(placeText({}, {.pe = ProcessorId{3}, .range = {1'012'100'000, 1'015'300'000}}, 1'000'000'000),
                 QStringLiteral("PE 3 · 12.10 ms … 15.30 ms"));
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestTreeGeometry)
#include "tst_treegeometry.moc"
