// SPDX-License-Identifier: GPL-3.0-or-later
// Where symbols of a string and bands of instances stand, in pixels.
#include "views/drawing/charts/symbolgrid.h"
#include "views/drawing/timeline/phasebands.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

using namespace longpole;

class TestPhasePicture : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void cells()
    {
        const SymbolGrid grid = symbolGrid(95, 305, 10, 20);
        QCOMPARE(grid.columns, std::size_t(30));
        QCOMPARE(grid.lines(), std::size_t(4));
        QCOMPARE(grid.height(), 80.0);
        QCOMPARE(grid.cellOf(0), QRectF(0, 0, 10, 20));
        QCOMPARE(grid.cellOf(61), QRectF(10, 40, 10, 20));
        for (const std::size_t symbol : {0, 29, 30, 94}) QCOMPARE(grid.at(grid.cellOf(symbol).center()), symbol);
        QVERIFY(!grid.at({55, 70}));   // behind the last one
        QVERIFY(!grid.at({301, 10}));  // beside the lines
        QVERIFY(!grid.at({-1, 10}));
        QCOMPARE(symbolGrid(5, 3, 10, 20).columns, std::size_t(1));
        QCOMPARE(symbolGrid(5, 155, 10, 20).columns, std::size_t(15));
        QCOMPARE(symbolGrid(0, 100, 10, 20).lines(), std::size_t(0));
    }

    void linesInView()
    {
        using Pair = std::pair<std::size_t, std::size_t>;
        const SymbolGrid grid = symbolGrid(1'000'000, 105, 10, 20);
        QCOMPARE(grid.within(0, 40), Pair(0, 20));
        QCOMPARE(grid.within(39, 41), Pair(10, 30));
        QCOMPARE(grid.within(-50, 10), Pair(0, 10));
        QCOMPARE(grid.within(1'999'990, 2'000'100), Pair(999'990, 1'000'000));
        QCOMPARE(grid.within(-50, -10), Pair(0, 0));
    }

    void marks()
    {
        const SymbolGrid grid = symbolGrid(40, 105, 10, 20);  // ten on a line
        const std::vector<PhasePiece> pieces{{2, 5, {}}, {8, 23, {}}, {23, 25, {}}, {38, 40, {}}};
        const std::vector<MarkedCells> all = markedCells(grid, pieces, 0, 80);
        const std::vector<MarkedCells> wanted{{0, {20, 0, 30, 20}, true, true},    {1, {80, 0, 20, 20}, true, false},
                                              {1, {0, 20, 100, 20}, false, false}, {1, {0, 40, 30, 20}, false, true},
                                              {2, {30, 40, 20, 20}, true, true},   {3, {80, 60, 20, 20}, true, true}};
        QCOMPARE(all, wanted);
        QCOMPARE(markedCells(grid, pieces, 20, 40), (std::vector<MarkedCells>{wanted[2]}));
        QVERIFY(markedCells(grid, {}, 0, 80).empty());
    }

    void letters()
    {
        const std::vector<std::uint32_t> symbols{7, 3, 7, 900, 3};
        const SymbolLetters letters(symbols);
        QCOMPARE(letters.order(), (std::vector<std::uint32_t>{7, 3, 900}));
        QCOMPARE(letters.text(symbols, 9), QStringLiteral("abacb"));
        QCOMPARE(letters.text(symbols, 3), QStringLiteral("aba…"));
        QCOMPARE(letters.of(4), QChar(u'd'));  // not of the string
        std::vector<std::uint32_t> many(300);
        for (std::uint32_t i = 0; i < many.size(); ++i) many[i] = i;
        const SymbolLetters all(many);
        QCOMPARE(all.of(25), QChar(u'z'));
        QCOMPARE(all.of(26), QChar(u'A'));
        QCOMPARE(all.of(61), QChar(u'9'));
        QCOMPARE(all.of(299), QChar(u'·'));
        QSet<QChar> different;
        for (const QChar letter : all.text(many, 300)) different.insert(letter);
        QVERIFY(different.size() > 90);
    }

    void wideBands()
    {
        const TimeCoordinates at{{100, 200}, 1000};
        const std::vector<TimeRange> ranges{{50, 80}, {90, 110}, {120, 140}, {140, 160}, {190, 230}, {240, 250}};
        const std::vector<PhaseBand> bands = phaseBands(ranges, at);
        QCOMPARE(bands,
                 (std::vector<PhaseBand>{
                     {0, 100, 2, 1, false}, {200, 400, 3, 1, true}, {400, 600, 4, 1, true}, {900, 1000, 5, 1, true}}));
        QVERIFY(phaseBands({}, at).empty());
        QVERIFY(phaseBands(ranges, {{300, 400}, 100}).empty());
    }

    // A thousand on ten pixels, a gap, and a wide one.
    void narrowBands()
    {
        std::vector<TimeRange> ranges;
        for (TimeNs i = 0; i < 1000; ++i) ranges.push_back({i * 10, i * 10 + 10});
        ranges.push_back({20'000, 30'000});
        for (TimeNs i = 0; i < 10; ++i) ranges.push_back({50'000 + i * 100, 50'000 + i * 100 + 50});
        const std::vector<PhaseBand> bands = phaseBands(ranges, {{0, 100'000}, 100});
        QCOMPARE(bands, (std::vector<PhaseBand>{{0, 10, 1, 1000, true},
                                                {20, 30, 1001, 1, true},
                                                {50, 50.95, 1002, 10, true}}));
        // What shares a pixel is skipped: as fast for many as for few.
        std::vector<TimeRange> many;
        for (TimeNs i = 0; i < 3'000'000; ++i) many.push_back({i, i + 1});
        const std::vector<PhaseBand> one = phaseBands(many, {{0, 3'000'000}, 1000});
        QCOMPARE(one.size(), std::size_t(1));
        QCOMPARE(one[0].shared, std::size_t(3'000'000));
        QCOMPARE(one[0].x1, 1000.0);
    }
};

LONGPOLE_TEST(TestPhasePicture)
#include "tst_phasepicture.moc"
