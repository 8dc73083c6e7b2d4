// SPDX-License-Identifier: GPL-3.0-or-later
// Where a path's bars and connectors lie on the timeline, step by step and from afar, without a window.
#include "views/drawing/timeline/pathgeometry.h"

#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <random>

namespace longpole {

namespace {

PathStep step(std::uint32_t pe, TimeNs begin, TimeNs end, PathPart part = PathPart::Compute)
{
    return {.task = {ProcessorId{pe}, 0},
            .pe = ProcessorId{pe},
            .entry = EntryId{0},
            .begin = begin,
            .end = end,
            .part = part,
            .edge = PathEdge::Message};
}

// Row of PE n: centre of its bar at 100 n + 50.
std::optional<double> barAt(ProcessorId pe)
{
    if (index(pe) > 9) return {};
    return 100.0 * index(pe) + 50;
}

// Two million steps on ten processors: some stay for long, some jump, some wait.
const CriticalPath& longPath()
{
    static const CriticalPath made = [] {
        CriticalPath path;
        std::mt19937 random(7);
        const auto below = [&random](unsigned most) { return random() % most; };
        TimeNs at = 0;
        std::uint32_t pe = 0;
        while (path.steps.size() < 2'000'000) {
            const bool isBusy = below(100) < 3;
            const unsigned count = isBusy ? 2000 : 1 + below(20);
            for (unsigned i = 0; i < count; ++i) {
                if (below(3) == 0) pe = below(10);
                const PathPart part = below(5) == 0   ? PathPart::Queue
                                      : below(9) == 0 ? PathPart::Network
                                                      : PathPart::Compute;
                const TimeNs end = at + 1 + below(isBusy ? 5 : 400);
                path.steps.push_back(step(pe, at, end, part));
                at = end + (below(50) == 0 ? below(2000) : 0);
            }
        }
        return path;
    }();
    return made;
}

// By column of pixels whether a bar is there.
std::vector<bool> columnsOf(const PathGeometry& geometry, double y, bool waiting, double width)
{
    std::vector<bool> columns(static_cast<std::size_t>(width));
    for (const PathBar& bar : geometry.bars) {
        if (bar.y != y || bar.waiting != waiting) continue;
        const auto from = static_cast<std::size_t>(std::max(0.0, bar.x0));
        for (std::size_t x = from; x < columns.size() && double(x) < bar.x1; ++x) columns[x] = true;
    }
    return columns;
}

// Whether each of them is one of the others, or beside one.
bool isWithin(const std::vector<bool>& columns, const std::vector<bool>& others)
{
    for (std::size_t x = 0; x < columns.size(); ++x) {
        if (!columns[x]) continue;
        const bool isNear = others[x] || (x > 0 && others[x - 1]) || (x + 1 < others.size() && others[x + 1]);
        if (!isNear) return false;
    }
    return true;
}

}  // namespace

class TestPathGeometry : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void pathBarsAndConnectors()
    {
        CriticalPath path;
        path.steps = {step(0, 0, 10), step(1, 12, 20), step(1, 20, 30)};
        const PathGeometry geometry = pathGeometry(path, {{0, 100}, 1000}, 500, barAt);
        QCOMPARE(geometry.bars.size(), 2u);  // the last two touch
        QCOMPARE(geometry.bars[0], (PathBar{0, 100, 50, false}));
        QCOMPARE(geometry.bars[1], (PathBar{120, 300, 150, false}));
        QCOMPARE(geometry.connectors.size(), 1u);
        QCOMPARE(geometry.connectors[0], (Connector{QPointF(100, 50), QPointF(120, 150), false}));
        QCOMPARE(geometry.steps, 3);
    }

    void elapsedPartsLeadTheWay()
    {
        CriticalPath path;
        path.steps = {step(0, 0, 10), step(2, 10, 15, PathPart::Network), step(2, 15, 18, PathPart::Queue),
                      step(2, 18, 30)};
        const PathGeometry geometry = pathGeometry(path, {{0, 30}, 300}, 500, barAt);
        QCOMPARE(geometry.connectors.size(), 1u);
        QCOMPARE(geometry.connectors[0], (Connector{QPointF(100, 50), QPointF(150, 250), false}));
        QCOMPARE(geometry.bars.size(), 3u);
        QCOMPARE(geometry.bars[1], (PathBar{150, 180, 250, true}));
    }

    // Along its own row as well: what waited for a merge would look like a matter of course.
    void mergesAreJoinedAndInferredOnesDashed()
    {
        CriticalPath path;
        path.steps = {step(0, 0, 10), step(0, 12, 20), step(0, 25, 30), step(1, 40, 50)};
        path.steps[1].edge = PathEdge::Message;
        path.steps[2].edge = PathEdge::InferredMerge;
        path.steps[2].doubtful = true;
        path.steps[3].edge = PathEdge::RecordedMerge;
        const PathGeometry geometry = pathGeometry(path, {{0, 100}, 1000}, 500, barAt);
        QCOMPARE(geometry.connectors.size(), 2u);
        QCOMPARE(geometry.connectors[0], (Connector{QPointF(200, 50), QPointF(250, 50), true, true}));
        QCOMPARE(geometry.connectors[1], (Connector{QPointF(300, 50), QPointF(400, 150), false, false}));
    }

    void sharedConnectorsAreOnesOnly()
    {
        CriticalPath critical;
        critical.steps = {step(0, 0, 10), step(1, 12, 20), step(0, 25, 30)};
        CriticalPath second;
        second.steps = {step(2, 0, 8), step(1, 12, 20), step(0, 25, 30)};
        const TimeCoordinates at{{0, 100}, 1000};
        const PathGeometry rest = withoutShared(pathGeometry(second, at, 500, barAt),
                                                pathGeometry(critical, at, 500, barAt));
        QCOMPARE(rest.connectors.size(), 1u);
        QCOMPARE(rest.connectors[0], (Connector{QPointF(80, 250), QPointF(120, 150), false}));
        QCOMPARE(rest.bars.size(), 3u);
    }

    // A hundred thousand steps on ten pixels stay a handful of shapes.
    void denseStepsMerge()
    {
        CriticalPath path;
        for (int i = 0; i < 100000; ++i)
            path.steps.push_back(step(static_cast<std::uint32_t>(i % 4), i * 10, i * 10 + 10));
        const PathGeometry geometry = pathGeometry(path, {{0, 1000000}, 10}, 500, barAt);
        QCOMPARE(geometry.steps, 100000);
        QCOMPARE(geometry.bars.size(), 4u);
        QVERIFY(geometry.connectors.size() + geometry.bundles.size() <= 24);
        int bundled = 0;
        for (const ConnectorBundle& bundle : geometry.bundles) bundled += bundle.count;
        QCOMPARE(bundled + static_cast<int>(geometry.connectors.size()), 99999);
    }

    void aPathFromAfar_data()
    {
        QTest::addColumn<TimeRange>("range");
        QTest::addColumn<double>("width");
        const TimeNs end = longPath().steps.back().end;
        QTest::newRow("all, narrow") << TimeRange{0, end} << 300.0;
        QTest::newRow("all") << TimeRange{0, end} << 1440.0;
        QTest::newRow("all, wide") << TimeRange{0, end} << 3840.0;
        QTest::newRow("beyond both ends") << TimeRange{-end / 3, end + end / 5} << 1440.0;
        QTest::newRow("a third") << TimeRange{end / 3, 2 * (end / 3)} << 1440.0;
        QTest::newRow("a hundredth") << TimeRange{end / 2, end / 2 + end / 100} << 1440.0;
        QTest::newRow("a few steps") << TimeRange{end / 2, end / 2 + 200} << 1440.0;
    }

    // With the pyramid the same pixels are drawn as step by step, by less work.
    void aPathFromAfar()
    {
        QFETCH(TimeRange, range);
        QFETCH(double, width);
        const CriticalPath& path = longPath();
        const PathPyramid pyramid(path);
        QVERIFY(pyramid.levels().size() > 2);
        int asked = 0;
        const auto counted = [&asked](ProcessorId pe) {
            ++asked;
            return barAt(pe);
        };
        const PathGeometry all = pathGeometry(path, {range, width}, 1000, counted);
        const PathGeometry afar = pathGeometry(path, {range, width}, 1000, counted, &pyramid);
        QVERIFY(asked <= 20);
        QVERIFY(std::abs(all.steps - afar.steps) <= all.steps / 500);
        const auto connections = [](const PathGeometry& geometry) {
            auto count = static_cast<std::int64_t>(geometry.connectors.size());
            for (const ConnectorBundle& bundle : geometry.bundles) count += bundle.count;
            return count;
        };
        QVERIFY(std::abs(connections(all) - connections(afar)) <= connections(all) / 500);
        QVERIFY(all.crowd < 0.3 || afar.crowd > 0.25);  // lines are left out of both or of none
        for (const bool waiting : {false, true})
            for (int pe = 0; pe < 10; ++pe) {
                const std::vector<bool> direct = columnsOf(all, barAt(ProcessorId(pe)).value(), waiting, width);
                const std::vector<bool> merged = columnsOf(afar, barAt(ProcessorId(pe)).value(), waiting, width);
                QVERIFY(isWithin(direct, merged));
                QVERIFY(isWithin(merged, direct));
            }
    }

    void stepsOfHiddenProcessorsAreSkipped()
    {
        CriticalPath path;
        path.steps = {step(0, 0, 10), step(20, 12, 20), step(1, 22, 30)};
        const PathGeometry geometry = pathGeometry(path, {{0, 100}, 1000}, 500, barAt);
        QCOMPARE(geometry.bars.size(), 2u);
        QVERIFY(geometry.connectors.empty());
    }

    void aConnectorLeadsIntoTheRange()
    {
        CriticalPath path;
        path.steps = {step(0, 0, 10), step(1, 90, 95), step(0, 300, 310)};
        const PathGeometry geometry = pathGeometry(path, {{50, 150}, 100}, 500, barAt);
        QCOMPARE(geometry.bars.size(), 1u);
        QCOMPARE(geometry.connectors.size(), 2u);
    }
};

}  // namespace longpole

LONGPOLE_TEST(longpole::TestPathGeometry)
#include "tst_pathgeometry.moc"
