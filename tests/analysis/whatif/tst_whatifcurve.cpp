// SPDX-License-Identifier: GPL-3.0-or-later
// Curves of path length against a factor: the closed-form kinks, and random graphs against all their paths.
#include "analysis/whatif/zeroing.h"

#include "analysis/whatif/laneplan.h"
#include "analysis/whatif/lines.h"
#include "core/base/limits.h"
#include "core/base/wide.h"
#include "support/graphs/allpaths.h"
#include "support/graphs/closedforms.h"
#include "support/graphs/drawing.h"
#include "support/graphs/randomgraph.h"
#include "support/testmain.h"

#include <QTest>

#include <numeric>
#include <utility>

using namespace longpole;

class TestWhatIfCurve : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void closedForms_data();
    void closedForms();
    void ends();
    void randomGraphs_data();
    void randomGraphs();
    void largeTimes();
    void nearestFactorsToACrossing();
    void convexAndNeverFalling();
    void kinksBeyond64Bits();
    void manyKinks();
    void tooManyKinks();
    void emptyGraph();
    void errors();
};

namespace {

WhatIfModel curveModel(const ActivityGraph& graph, int kind)
{
    if (kind == 3) return {PathMode::Elapsed, dependencies(graph, EdgeLevel::Order)};
    return {PathMode::Work, dependencies(graph, static_cast<EdgeLevel>(kind))};
}

// "0:11/0 9/10:11/10 2:22/10": factor, length and slope.
QString text(const WhatIfCurve& curve)
{
    QStringList words;
    for (const WhatIfCurve::Point& point : curve.points)
        words << toText(point.factor) + QLatin1Char(':') + QString::number(point.length) + QLatin1Char('/')
                     + QString::number(point.slope);
    return words.join(QLatin1Char(' '));
}

struct Line {
    TimeNs fixed, slope;
};

// A line per path.
std::vector<Line> linesOf(const ActivityGraph& graph, const WhatIfModel& model, EntryId entry)
{
    std::vector<Line> lines;
    for (const OraclePath& path : allPaths(graph, model)) {
        Line line{path.weight, 0};
        for (const OraclePath::Step& step : path.steps)
            if (graph.entry[step.task] == index(entry)) line.slope += step.used;
        line.fixed -= line.slope;
        lines.push_back(line);
    }
    return lines;
}

// The longest at the factor; of equal ones the steepest, or the flattest.
Line longestAt(const std::vector<Line>& lines, Rational factor, bool steepest)
{
    Line best = lines.front();
    for (const Line line : lines) {
        const Wide more = Wide{line.fixed - best.fixed} * factor.denominator
                          + Wide{line.slope - best.slope} * factor.numerator;
        if (more > 0 || (more == 0 && (steepest ? line.slope > best.slope : line.slope < best.slope))) best = line;
    }
    return best;
}

// Ends and kinks by trying every crossing of two lines.
QString textByEnumeration(const std::vector<Line>& lines, Rational until)
{
    std::vector<Rational> factors{{0, 1}, until};
    for (const Line a : lines)
        for (const Line b : lines)
            if (a.slope < b.slope && a.fixed > b.fixed) {
                const Rational factor = lowestTerms({a.fixed - b.fixed, b.slope - a.slope});
                const bool bends = longestAt(lines, factor, true).slope != longestAt(lines, factor, false).slope;
                if (bends && isLess(factor, until)) factors.push_back(factor);
            }
    std::sort(factors.begin(), factors.end(), isLess);
    factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
    WhatIfCurve curve;
    for (const Rational factor : factors) {
        const Line line = longestAt(lines, factor, true);
        curve.points.push_back({factor, lineAt(line.fixed, line.slope, factor), line.fixed, line.slope});
    }
    return text(curve);
}

}  // namespace

void TestWhatIfCurve::closedForms_data()
{
    QTest::addColumn<QString>("drawing");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("entries");
    QTest::addColumn<QString>("points");
    const auto row = [](const char* name, const char* drawing, int kind, const char* entries, const char* points) {
        QTest::newRow(name) << QString::fromUtf8(drawing) << kind << QString::fromUtf8(entries)
                            << QString::fromUtf8(points);
    };
    using namespace closedform;
    row("C1 A", c1, 0, "A", "0:11/0 9/10:11/10 2:22/10");
    row("C1 B", c1, 0, "B", "0:11/0 1/2:11/2 2:14/2");
    row("C1 C", c1, 0, "C", "0:12/0 10/9:12/9 2:20/9");
    row("C1 A C", c1, 0, "A C", "0:2/10 2:22/10");
    row("C2 X", c2, 0, "X", "0:4/9 2:22/10");  // the other chain takes over at 2
    row("C3 work", c3, 1, "work", "0:7/0 4/7:7/7 2:17/7");
    row("C6 hop", c6, 0, "hop", "0:0/35 2:70/35");
    row("C9 n", c9, 2, "n", "0:12/0 2/5:12/10 2:28/10");
    row("C9 elapsed n", c9, 3, "n", "0:14/0 1/2:14/10 2:29/10");
}

void TestWhatIfCurve::closedForms()
{
    QFETCH(QString, drawing);
    QFETCH(int, kind);
    QFETCH(QString, entries);
    const Drawing drawn = draw(drawing.toUtf8().constData());
    const auto graph = drawn.graph();
    std::vector<EntryId> ids;
    for (const QString& name : entries.split(QLatin1Char(' '))) ids.push_back(drawn.entry(name.toUtf8().constData()));
    const auto curve = whatIfCurve(*graph, curveModel(*graph, kind), ids, {2, 1}, Progress{});
    QVERIFY(curve.ok());
    QTEST(text(*curve), "points");
}

void TestWhatIfCurve::ends()
{
    const Drawing drawn = draw(closedform::c1);
    const auto graph = drawn.graph();
    const auto points = [&](Rational until) {
        return text(*whatIfCurve(*graph, curveModel(*graph, 0), {drawn.entry("A")}, until, Progress{}));
    };
    QCOMPARE(points({0, 1}), QStringLiteral("0:11/0"));
    QCOMPARE(points({1, 2}), QStringLiteral("0:11/0 1/2:11/0"));
    QCOMPARE(points({9, 10}), QStringLiteral("0:11/0 9/10:11/10"));
    QCOMPARE(points({36, 40}), QStringLiteral("0:11/0 9/10:11/10"));
    QCOMPARE(points({91, 100}), QStringLiteral("0:11/0 9/10:11/10 91/100:11/10"));
}

void TestWhatIfCurve::randomGraphs_data()
{
    QTest::addColumn<unsigned>("firstSeed");
    for (unsigned first = 0; first < 500; first += 50) QTest::addRow("%u", first) << first;
}

void TestWhatIfCurve::randomGraphs()
{
    QFETCH(unsigned, firstSeed);
    for (unsigned seed = firstSeed; seed < firstSeed + 50; ++seed)
        for (int kind = 0; kind < 4; ++kind) {
            const auto graph = randomGraphOfAllKinds(seed).graph();
            const WhatIfModel model = curveModel(*graph, kind);
            for (std::uint32_t entry = 0; entry < 3; ++entry) {
                const std::vector<Line> lines = linesOf(*graph, model, EntryId{entry});
                const auto curve = whatIfCurve(*graph, model, {EntryId{entry}}, {3, 1}, Progress{});
                QVERIFY(curve.ok());
                QCOMPARE(text(*curve), textByEnumeration(lines, {3, 1}));
                for (const Rational factor :
                     {Rational{0, 1}, Rational{1, 3}, Rational{1, 1}, Rational{22, 7}, Rational{5, 2}}) {
                    const Line line = longestAt(lines, factor, true);
                    if (!isLess({3, 1}, factor))
                        QCOMPARE(curve->lengthAt(factor), lineAt(line.fixed, line.slope, factor));
                }
            }
        }
}

// Times of a month to the nanosecond, whose products no double holds: lines cross at factors of 15 digits, and pairs of
// paths differ by little.
void TestWhatIfCurve::largeTimes()
{
    constexpr TimeNs scale = 100'000'000'000'000;
    for (unsigned seed = 0; seed < 300; ++seed) {
        RandomGraph made = randomGraphOfAllKinds(seed);
        changeTimes(made, scale, 0);
        std::mt19937 random(seed);
        for (RawTask& task : made.tasks)
            if (task.duration > 0) task.duration -= TimeNs(random() % 3);
        const auto graph = made.graph();
        for (int kind = 0; kind < 4; ++kind) {
            const WhatIfModel model = curveModel(*graph, kind);
            const std::vector<Line> lines = linesOf(*graph, model, EntryId{1});
            const auto curve = whatIfCurve(*graph, model, {EntryId{1}}, {2, 1}, Progress{});
            QVERIFY(curve.ok());
            QCOMPARE(text(*curve), textByEnumeration(lines, {2, 1}));
        }
    }
}

// B x f and A, at the factors next to A/B on both sides: the lengths times the factor's denominator differ by one.
void TestWhatIfCurve::nearestFactorsToACrossing()
{
    std::mt19937_64 random(3);
    for (int round = 0; round < 200; ++round) {
        const TimeNs a = TimeNs(random() >> 12) + 1, b = TimeNs(random() >> 12) + 1;
        if (a >= b || std::gcd(a, b) != 1) continue;
        // a / b as a continued fraction: the convergent before the last is the nearest factor.
        Rational older{0, 1}, old{1, 0};
        for (TimeNs over = a, under = b; under != 0;) {
            const TimeNs part = over / under;
            const Rational next{part * old.numerator + older.numerator, part * old.denominator + older.denominator};
            older = old;
            old = next;
            over = std::exchange(under, over % under);
        }
        QCOMPARE(old, (Rational{a, b}));
        const Rational other{a - older.numerator, b - older.denominator};
        const auto graph = makeActivityGraph(
            {{.id = {ProcessorId{0}, 0}, .begin = 0, .duration = a, .entry = EntryId{1}},
             {.id = {ProcessorId{1}, 0}, .begin = 0, .duration = b, .entry = EntryId{0}}},
            {0, b}, 2);
        const WhatIfModel model = curveModel(*graph, 0);
        const std::vector<Rational> factors{older, other, {a, b}};
        const Progress unwatched;
        PassProgress progress(unwatched, 2);
        const LinePass pass = linePass(*graph, model, lanePlan(*graph, model.edges, Progress{}), {EntryId{0}}, factors,
                                       progress);
        QVERIFY(pass.isDone);
        for (std::size_t i = 0; i < 3; ++i) {
            const Wide more = Wide{b} * factors[i].numerator - Wide{a} * factors[i].denominator;
            QCOMPARE(int(more), i == 2 ? 0 : isLess({a, b}, factors[i]) ? 1 : -1);
            QCOMPARE(pass.longest[i].slope, more >= 0 ? b : 0);
            QCOMPARE(pass.longest[i].fixed, more >= 0 ? 0 : a);
        }
    }
}

void TestWhatIfCurve::convexAndNeverFalling()
{
    for (unsigned seed = 0; seed < 300; ++seed) {
        const auto graph = randomGraphOfAllKinds(seed).graph();
        const auto curve = whatIfCurve(*graph, curveModel(*graph, int(seed % 4)), {EntryId{0}, EntryId{2}}, {2, 1},
                                       Progress{});
        QVERIFY(curve.ok());
        QCOMPARE(curve->points.front().factor, (Rational{0, 1}));
        QCOMPARE(curve->points.back().factor, (Rational{2, 1}));
        for (std::size_t i = 0; i < curve->points.size(); ++i) {
            const WhatIfCurve::Point& point = curve->points[i];
            QVERIFY(point.slope >= 0);
            QCOMPARE(point.length, lineAt(point.fixed, point.slope, point.factor));
            if (i == 0) continue;
            const WhatIfCurve::Point& before = curve->points[i - 1];
            QVERIFY(isLess(before.factor, point.factor));
            QVERIFY(before.slope <= point.slope);
            QCOMPARE(lineAt(before.fixed, before.slope, point.factor), point.length);
        }
    }
}

// A crossing whose terms have no common factor: the length times the denominator needs more than 64 bits.
void TestWhatIfCurve::kinksBeyond64Bits()
{
    constexpr TimeNs a = 9'000'000'000'000'037, b = 999'999'999'989;
    const auto graph = makeActivityGraph({{.id = {ProcessorId{0}, 0}, .begin = 0, .duration = a, .entry = EntryId{0}},
                                          {.id = {ProcessorId{1}, 0}, .begin = 0, .duration = b, .entry = EntryId{1}}},
                                         {0, a}, 2);
    const auto curve = whatIfCurve(*graph, curveModel(*graph, 0), {EntryId{0}}, {1, 1}, Progress{});
    QVERIFY(curve.ok());
    QCOMPARE(text(*curve), QStringLiteral("0:%1/0 %1/%2:%1/%2 1:%2/%2").arg(b).arg(a));
}

namespace {

// Lines `slope` x k x f + n^2 - k^2, k from 0 to n, on as many PEs: each is longest for a while.
std::shared_ptr<const ActivityGraph> tangents(TimeNs n, TimeNs slope)
{
    std::vector<RawTask> tasks;
    for (TimeNs k = 0; k <= n; ++k) {
        const ProcessorId pe{static_cast<std::uint32_t>(k)};
        tasks.push_back({.id = {pe, 0}, .begin = 0, .duration = slope * k, .entry = EntryId{0}});
        tasks.push_back({.id = {pe, 1}, .begin = slope * n, .duration = n * n - k * k, .entry = EntryId{1}});
    }
    return makeActivityGraph(std::move(tasks), {0, slope * n + n * n}, static_cast<std::uint32_t>(n) + 1);
}

TimeNs longestTangent(TimeNs n, TimeNs slope, std::int64_t percent)
{
    TimeNs longest = 0;
    for (TimeNs k = 0; k <= n; ++k) longest = std::max(longest, slope * k * percent + (n * n - k * k) * 100);
    return roundedQuotient(longest, 100);
}

}  // namespace

void TestWhatIfCurve::manyKinks()
{
    constexpr TimeNs n = 60, slope = 100;
    const auto graph = tangents(n, slope);
    const auto curve = whatIfCurve(*graph, curveModel(*graph, 2), {EntryId{0}}, {2, 1}, Progress{});
    QVERIFY(curve.ok());
    QVERIFY(!curve->isRough);
    QCOMPARE(curve->points.size(), std::size_t(n + 2));
    QCOMPARE(curve->points.front().length, n * n);
    for (std::int64_t percent = 0; percent <= 200; ++percent)
        QCOMPARE(curve->lengthAt({percent, 100}), longestTangent(n, slope, percent));
}

// More than are looked for: the curve is a little too low, and says so.
void TestWhatIfCurve::tooManyKinks()
{
    constexpr TimeNs n = 3'000, slope = 10'000;
    const auto graph = tangents(n, slope);
    const auto curve = whatIfCurve(*graph, curveModel(*graph, 2), {EntryId{0}}, {2, 1}, Progress{});
    QVERIFY(curve.ok());
    QVERIFY(curve->isRough);
    QVERIFY(curve->points.size() > 300 && curve->points.size() <= std::size_t(limits::curveFactors.free));
    for (std::int64_t percent = 0; percent <= 200; ++percent) {
        const TimeNs missing = longestTangent(n, slope, percent) - curve->lengthAt({percent, 100});
        QVERIFY2(missing >= 0 && missing < 100, qPrintable(QString::number(missing)));
    }
}

void TestWhatIfCurve::emptyGraph()
{
    const auto graph = makeActivityGraph({}, {5, 25}, 3);
    QCOMPARE(text(*whatIfCurve(*graph, curveModel(*graph, 2), {EntryId{0}}, {2, 1}, Progress{})),
             QStringLiteral("0:0/0 2:0/0"));
    QCOMPARE(text(*whatIfCurve(*graph, curveModel(*graph, 3), {EntryId{0}}, {2, 1}, Progress{})),
             QStringLiteral("0:20/0 2:20/0"));
    QCOMPARE(WhatIfCurve{}.lengthAt({1, 2}), 0);
}

void TestWhatIfCurve::errors()
{
    const auto graph = draw(closedform::c1).graph();
    QVERIFY(!whatIfCurve(*graph, {PathMode::Sweep, {}}, {}, {2, 1}, Progress{}).ok());
    QVERIFY(!whatIfCurve(*graph, curveModel(*graph, 0), {}, {-1, 1}, Progress{}).ok());
    QVERIFY(!whatIfCurve(*graph, curveModel(*graph, 0), {}, {1, 0}, Progress{}).ok());
    QVERIFY(!whatIfCurve(*graph, curveModel(*graph, 0), {}, {maxTime, 1}, Progress{}).ok());
    QVERIFY(!whatIfCurve(*graph, curveModel(*graph, 0), {}, {1, maxTime}, Progress{}).ok());
    const auto endless = makeActivityGraph({{.id = {ProcessorId{0}, 0}, .begin = 0, .duration = maxTime}}, {0, maxTime},
                                           1);
    QVERIFY(!whatIfCurve(*endless, curveModel(*endless, 0), {}, {2, 1}, Progress{}).ok());
    Progress progress;
    progress.cancel();
    const auto cancelled = whatIfCurve(*graph, curveModel(*graph, 0), {}, {2, 1}, progress);
    QVERIFY(!cancelled.ok());
    QVERIFY(wasCancelled(cancelled.error()));
}

LONGPOLE_TEST(TestWhatIfCurve)
#include "tst_whatifcurve.moc"
