// SPDX-License-Identifier: GPL-3.0-or-later
// Exact rectangles of drawn rows: what is painted, without a window.
#include "views/drawing/timeline/pathgeometry.h"
#include "views/drawing/timeline/timelinegeometry.h"

#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

namespace longpole {

namespace {

const TimelineRow processorRow{.kind = RowKind::Processor,
                               .track = TrackId{1},
                               .pe = ProcessorId{0},
                               .label = QStringLiteral("PE 0")};

// The calls of a line: '<' waits before, '=' executes, '>' waits after.
void addCalls(RowData& data, const QByteArray& text)
{
    for (qsizetype at = 0; at < text.size();) {
        const auto skip = [&](char c) {
            const qsizetype from = at;
            while (at < text.size() && text[at] == c) ++at;
            return at - from;
        };
        const qsizetype begin = at;
        const qsizetype before = skip('<');
        const qsizetype execution = skip('=');
        const qsizetype after = skip('>');
        if (before + execution + after == 0) ++at;
        else data.calls.push_back({.range = {begin, at}, .before = before, .after = after, .region = RegionId{3}});
    }
    data.hasCalls = !data.calls.empty();
}

// One character is one ns: letters are tasks, '.' idle, ' ' overhead, "<=>" an MPI call.
RowData drawnRow(const char* line)
{
    RowData data;
    addCalls(data, line);
    const QByteArray text(line);
    data.range = {0, text.size()};
    std::uint32_t task = 0;
    for (qsizetype at = 0; at < text.size();) {
        qsizetype next = at;
        while (next < text.size() && text[next] == text[at]) ++next;
        if (text[at] == '.') data.idle.push_back({at, next});
        else if (QChar(QLatin1Char(text[at])).isLetter())
            data.segments.push_back({{at, next}, EntryId{static_cast<std::uint32_t>(text[at] - 'A')}, task++, true});
        at = next;
    }
    return data;
}

// The row as "entry first-last", one block after the other; i: idle, o: overhead, capital task letters, * shared,
// | a boundary after it, - dimmed, ~ outside the run; in blends the sixteenths are given. Of calls: < wait before,
// = execution, > wait after, M what is left of a blend.
QString text(const RowGeometry& row)
{
    QStringList parts;
    for (const Block& block : row.blocks) {
        QString part;
        if (block.part != CallPart::None) part = QChar(QLatin1Char(" <=>"[static_cast<int>(block.part)]));
        else if (block.busy == 16) part = QChar(QLatin1Char(static_cast<char>('A' + index(block.entry))));
        else if (block.busy > 0)
            part = QStringLiteral("%1%2+%3")
                       .arg(QLatin1Char(static_cast<char>('A' + index(block.entry))))
                       .arg(block.busy)
                       .arg(block.idle);
        else
            part = block.idle == 16  ? QStringLiteral("i")
                   : block.idle == 0 ? QStringLiteral("o")
                                     : QStringLiteral("i%1").arg(block.idle);
        part += QStringLiteral("%1-%2").arg(block.first).arg(block.last);
        if (block.isMpi) part += QLatin1Char('M');
        if (block.shared) part += QLatin1Char('*');
        if (block.boundary) part += QLatin1Char('|');
        if (block.dimmed) part += QLatin1Char('-');
        if (block.outside) part += QLatin1Char('~');
        parts << part;
    }
    return parts.join(QLatin1Char(' '));
}

QString geometryOf(const RowData& data, TimeRange range, double width, TimeRange run,
                   const std::vector<bool>* matching = nullptr)
{
    const TimeCoordinates at{range, width};
    return text(rowGeometry({&processorRow, &data, rowBox(0, 56)}, at, {.run = run, .matching = matching}));
}

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

class TestTimelineGeometry : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void rows_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<double>("width");
        QTest::addColumn<QString>("blocks");
        QTest::newRow("a pixel a ns") << QByteArray("AABB.. C") << 8.0 << QStringLiteral("A0-2| B2-4 i4-6 o6-7 C7-8");
        QTest::newRow("ten pixels a ns") << QByteArray("AB.") << 30.0 << QStringLiteral("A0-10| B10-20 i20-30");
        QTest::newRow("edges go to whom most of the pixel belongs")
            << QByteArray("AAABBBBBB...") << 6.0 << QStringLiteral("A0-2| B2-5 i5-6");
        QTest::newRow("whole tasks in one pixel are shared, in sixteenths")
            << QByteArray("ABA.BBBB") << 2.0 << QStringLiteral("A12+40-1* B1-2");
        QTest::newRow("something that ran is never hidden")
            << QByteArray("A...............................................................") << 1.0
            << QStringLiteral("A1+150-1*");
        QTest::newRow("the parts of a call")
            << QByteArray("AA<<<==>BB") << 20.0 << QStringLiteral("A0-4 <4-10 =10-14 >14-16 B16-20");
        QTest::newRow("a call that waits for nothing")
            << QByteArray("A===B") << 5.0 << QStringLiteral("A0-1 =1-4 B4-5");
        QTest::newRow("a call right after another one")
            << QByteArray("<==><=>") << 7.0 << QStringLiteral("<0-1 =1-3 >3-4| <4-5 =5-6 >6-7");
        QTest::newRow("the largest part has the pixel")
            << QByteArray("AAAA<<<=====>>>>") << 4.0 << QStringLiteral("A0-1 <1-2 =2-3 >3-4");
        QTest::newRow("a call within a pixel is shared: code, waits, MPI")
            << QByteArray("AAAA<<==") << 1.0 << QStringLiteral("A8+40-1M*");
        QTest::newRow("before the first and after the last call is overhead")
            << QByteArray("  ==  ") << 6.0 << QStringLiteral("o0-2 =2-4 o4-6");
        QTest::newRow("only idle") << QByteArray("....") << 4.0 << QStringLiteral("i0-4");
        QTest::newRow("only overhead") << QByteArray("    ") << 4.0 << QStringLiteral("o0-4");
    }
    void rows()
    {
        QFETCH(QByteArray, line);
        QFETCH(double, width);
        const RowData data = drawnRow(line.constData());
        QTEST(geometryOf(data, data.range, width, data.range), "blocks");
    }

    void aPartOfTheRange()
    {
        QCOMPARE(geometryOf(drawnRow("AABB..CC"), {3, 7}, 8, {0, 8}), QStringLiteral("B0-2 i2-6 C6-8"));
    }

    // Before the run begins there is no idle and no overhead; tasks of start-up are marked as outside.
    void startUpIsOutside()
    {
        QCOMPARE(geometryOf(drawnRow("A .BB"), {0, 5}, 5, {3, 5}), QStringLiteral("A0-1~ B3-5"));
    }

    // A name stands where the call has 64 pixels, also where it begins before the range.
    void wideCallsAreNamed()
    {
        const RowData data = drawnRow("AA<<<<====BB<=");
        const TimeCoordinates at{{3, 14}, 110};
        const RowGeometry row = rowGeometry({&processorRow, &data, rowBox(0, 56)}, at, {.run = {0, 14}});
        QCOMPARE(row.calls.size(), 1u);
        QCOMPARE(row.calls[0].rect, QRectF(0, rowBox(0, 56).bodyTop, 70, rowBox(0, 56).bodyHeight));
        QCOMPARE(row.calls[0].region, RegionId{3});
    }

    // Regions fill the upper lanes of a thread, its calls the lowest one; between calls there is nothing.
    void callsOfAThreadAreItsLowestLane()
    {
        RowData data = drawnRow("  <=   =");
        data.intervals = {{{0, 8}, RegionId{1}, 0}};
        data.lanes = 1;
        TimelineRow thread = processorRow;
        thread.kind = RowKind::Intervals;
        const RowBox box = rowBox(0, 56);
        const RowGeometry row = rowGeometry({&thread, &data, box}, {{0, 8}, 8}, {.run = {0, 8}});
        QCOMPARE(text(row), QStringLiteral("<2-3 =3-4 =7-8"));
        QCOMPARE(row.blockHeight, box.bodyHeight / 2);
        QCOMPARE(row.blockTop, box.bodyTop + box.bodyHeight / 2);
        QCOMPARE(row.intervals.at(0).rect.height(), box.bodyHeight / 2 - 1);
    }

    void callsThatDoNotMatchAreDimmed()
    {
        const std::vector<bool> matching{true, false, false, false};
        const RowData data = drawnRow("AA==");
        QCOMPARE(geometryOf(data, data.range, 4, data.range, &matching), QStringLiteral("A0-2 =2-4-"));
    }

    void whatDoesNotMatchIsDimmed()
    {
        const std::vector<bool> matching{false, true};
        const RowData data = drawnRow("AABBCC");
        QCOMPARE(geometryOf(data, data.range, 6, data.range, &matching), QStringLiteral("A0-2|- B2-4| C4-6-"));
    }

    // Bins of 4 ns on a pixel each: shares of busy and idle as they are.
    void binsBlend()
    {
        RowData data;
        data.range = {0, 16};
        data.exact = false;
        data.bins = {.level = 2,
                     .firstBin = 0,
                     .bins = {{4, 0, 1, 0, EntryId{0}, 4},
                              {4, 0, 1, 0, EntryId{0}, 4},
                              {2, 1, 9, 0, EntryId{1}, 1},
                              {0, 4, 0, 0, noEntry, 0}}};
        QCOMPARE(geometryOf(data, {0, 16}, 4, {0, 16}), QStringLiteral("A0-2 B8+42-3* i3-4"));
        // Two bins a pixel.
        QCOMPARE(geometryOf(data, {0, 16}, 2, {0, 16}), QStringLiteral("A0-1* B4+101-2*"));
    }

    // The last bin of a run is clipped to it: its pixels are full, not half empty.
    void theLastBinEndsWithTheRun()
    {
        RowData data;
        data.range = {0, 6};
        data.exact = false;
        data.bins = {.level = 2, .firstBin = 0, .bins = {{4, 0, 1, 0, EntryId{0}, 4}, {2, 0, 1, 0, EntryId{0}, 2}}};
        QCOMPARE(geometryOf(data, {0, 6}, 6, {0, 6}), QStringLiteral("A0-6"));
    }

    void highDensityScreensHaveMoreColumns()
    {
        const RowData data = drawnRow("AB");
        const TimeCoordinates at{{0, 2}, 10};
        const RowGeometry row = rowGeometry({&processorRow, &data, rowBox(0, 56)}, at,
                                            {.run = {0, 2}, .matching = nullptr, .columnsPerPixel = 2});
        QCOMPARE(text(row), QStringLiteral("A0-10| B10-20"));
    }

    void columnsCoverTheWidthOnce_data()
    {
        QTest::addColumn<double>("width");
        for (const double width : {1.0, 7.0, 33.0, 250.0, 1000.0})
            QTest::newRow(qPrintable(QString::number(width))) << width;
    }
    void columnsCoverTheWidthOnce()
    {
        QFETCH(double, width);
        const RowData data = drawnRow("AAB.CCCC  DDD.E.E.E.AAAA....BBBBBBBBBBBB C");
        const TimeCoordinates at{data.range, width};
        const RowGeometry row = rowGeometry({&processorRow, &data, rowBox(0, 56)}, at,
                                            {.run = data.range, .matching = nullptr});
        int next = 0;
        for (const Block& block : row.blocks) {
            QCOMPARE(block.first, next);
            QVERIFY(block.last > block.first);
            QVERIFY(block.busy + block.idle <= 16);
            next = block.last;
        }
        QCOMPARE(next, static_cast<int>(width));
    }

    void anUnloadedRowSaysSo()
    {
        const RowGeometry row = rowGeometry({&processorRow, nullptr, rowBox(0, 56)}, {{0, 10}, 10},
                                            {.run = {0, 10}, .matching = nullptr});
        QVERIFY(!row.loaded);
        QVERIFY(row.blocks.empty());
    }

    void aProcessorWithoutLogHasNoOverhead()
    {
        TimelineRow silent = processorRow;
        silent.hasLog = false;
        const RowData data = drawnRow("    ");
        const RowGeometry row = rowGeometry({&silent, &data, rowBox(0, 56)}, {{0, 4}, 4},
                                            {.run = {0, 4}, .matching = nullptr});
        QVERIFY(row.blocks.empty());
        QVERIFY(!row.hasLog);
    }

    void boxesKeepRoomForTheBar_data()
    {
        QTest::addColumn<double>("height");
        for (const double height : {3.0, 6.0, 12.0, 18.0, 24.0, 56.0, 120.0, 200.0})
            QTest::newRow(qPrintable(QString::number(height))) << height;
    }
    void boxesKeepRoomForTheBar()
    {
        QFETCH(double, height);
        const RowBox box = rowBox(10, height);
        QVERIFY(box.bodyTop >= 10 && box.bodyTop + box.bodyHeight <= 10 + height);
        QVERIFY(box.barTop >= 10);
        QVERIFY(box.bodyHeight >= 1);
        if (height >= 18) QVERIFY(box.barTop + box.barHeight < box.bodyTop);
    }

    void packingBelowHalfAPixelIsLeftOutButFlushesNever()
    {
        RowData data = drawnRow("....................");
        data.overheads = {{{2, 4}, OverheadKind::Pack}, {{6, 7}, OverheadKind::Pack}, {{9, 10}, OverheadKind::Flush}};
        const RowGeometry row = rowGeometry({&processorRow, &data, rowBox(0, 56)}, {{0, 20}, 8},
                                            {.run = {0, 20}, .matching = nullptr});
        QCOMPARE(row.overheads.size(), 2u);
        QCOMPARE(row.overheads[0].rect.left(), 0.8);
        QCOMPARE(row.overheads[1].kind, OverheadKind::Flush);
        QCOMPARE(row.overheads[1].rect.width(), 1.0);
        QCOMPARE(row.overheads[1].rect.height(), row.box.bodyHeight);
    }

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

    void zoomKeepsTheTimeUnderTheCursor()
    {
        const TimeCoordinates at{{1000, 101000}, 1000};
        for (const double pixel : {0.0, 250.0, 999.0})
            for (const double factor : {0.1, 0.8, 1.25}) {
                const TimeCoordinates after{zoomed(at, pixel, factor), 1000};
                QVERIFY(std::abs(after.time(pixel) - at.time(pixel)) <= 1);
            }
    }

    void clampingMovesBeforeItCuts()
    {
        QCOMPARE(clamped({-50, 50}, {0, 1000}), (TimeRange{0, 100}));
        QCOMPARE(clamped({950, 1050}, {0, 1000}), (TimeRange{900, 1000}));
        QCOMPARE(clamped({-50, 5000}, {0, 1000}), (TimeRange{0, 1000}));
        QCOMPARE(clamped({500, 500}, {0, 1000}), (TimeRange{500, 510}));
    }
};

}  // namespace longpole

LONGPOLE_TEST(longpole::TestTimelineGeometry)
#include "tst_timelinegeometry.moc"
