// SPDX-License-Identifier: GPL-3.0-or-later
// Exact rectangles of drawn rows: what is painted, without a window.
#include "views/drawing/timeline/timelinegeometry.h"

#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <cmath>

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

    // What follows the end of a cut log is neither idle time nor overhead: it is not known.
    void afterACutLogNothingIsKnown()
    {
        const RowData data = drawnRow("AA..BB    ");
        TimelineRow row = processorRow;
        const auto unknownOf = [&](TimeNs until, TimeRange shown) {
            row.recordedUntil = until;
            return rowGeometry({&row, &data, rowBox(0, 56)}, {shown, 20}, {.run = data.range}).unknown;
        };
        QCOMPARE(unknownOf(6, data.range), std::pair(12.0, 20.0));
        QCOMPARE(unknownOf(6, {8, 10}), std::pair(0.0, 20.0));
        QCOMPARE(unknownOf(6, {0, 4}), std::pair(20.0, 20.0));  // out of sight
        QCOMPARE(unknownOf(maxTime, data.range), std::pair(0.0, 0.0));
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
