// SPDX-License-Identifier: GPL-3.0-or-later
// Limits as they are written, and judged exactly: just at the limit keeps it, one more crosses it.
#include "analysis/compare/limits.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <limits>

using namespace longpole;

namespace {

FigureLimit percent(std::int64_t millionths) { return {.kind = LimitKind::Percent, .amount = millionths}; }

RunFigures run(TimeNs duration)
{
    RunFigures figures;
    figures.info.processors = 3;
    figures.info.end = duration;
    figures.info.messages = 50;
    figures.bytes = 700;
    figures.usage = {duration, duration, duration};
    figures.work = WorkPathLengths{duration / 2, duration / 2, duration};
    figures.methods = {
        {.chare = QStringLiteral("Jacobi"), .name = QStringLiteral("step(int n)"), .count = 3, .time = duration}};
    return figures;
}

}  // namespace

class TestCheckLimits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void written_data()
    {
        QTest::addColumn<LimitedFigure>("figure");
        QTest::addColumn<QString>("text");
        QTest::addColumn<LimitKind>("kind");
        QTest::addColumn<qint64>("amount");
        QTest::addColumn<QString>("shown");
        const auto row = [](const char* text, LimitKind kind, qint64 amount, const char* shown,
                            LimitedFigure figure = LimitedFigure::Duration) {
            QTest::addRow("%s %d", text, int(figure))
                << figure << QString::fromUtf8(text) << kind << amount << QString::fromUtf8(shown);
        };
        row("+3%", LimitKind::Percent, 30'000, "+3 %");
        row("3%", LimitKind::Percent, 30'000, "+3 %");
        row(" 3 % ", LimitKind::Percent, 30'000, "+3 %");
        row("-5%", LimitKind::Percent, -50'000, "-5 %");
        row("0%", LimitKind::Percent, 0, "+0 %");
        row("2.5%", LimitKind::Percent, 25'000, "+2.5 %");
        row("0.0001%", LimitKind::Percent, 1, "+0.0001 %");
        row("-100%", LimitKind::Percent, -1'000'000, "-100 %");
        row("100000%", LimitKind::Percent, 1'000'000'000, "+100000 %");
        row("+10ms", LimitKind::Difference, 10'000'000, "+10 ms");
        row("-1s 5ms", LimitKind::Difference, -1'005'000'000, "-1.005 s");
        row("200ms", LimitKind::Most, 200'000'000, "at most 200 ms");
        row("+100", LimitKind::Difference, 100, "+100", LimitedFigure::Messages);
        row("0", LimitKind::Most, 0, "at most 0", LimitedFigure::Messages);
        row("-2kB", LimitKind::Difference, -2000, "-2.0 kB", LimitedFigure::Bytes);
        row("3MB", LimitKind::Most, 3'000'000, "at most 3.0 MB", LimitedFigure::Bytes);
        row("step=+10%", LimitKind::Percent, 100'000, "+10 %", LimitedFigure::Grain);
        row("A::operator==(int)=5us", LimitKind::Most, 5000, "at most 5 us", LimitedFigure::Grain);
    }
    void written()
    {
        QFETCH(const LimitedFigure, figure);
        QFETCH(const QString, text);
        const auto limit = parseLimit(figure, text);
        QVERIFY2(limit, qPrintable(limit ? QString() : toText(limit.error())));
        QTEST(limit->kind, "kind");
        QTEST(qint64(limit->amount), "amount");
        QTEST(toText(*limit), "shown");
        if (figure == LimitedFigure::Grain) QCOMPARE(limit->entry, text.left(text.lastIndexOf(QLatin1Char('='))));
    }

    void notWritten_data()
    {
        QTest::addColumn<LimitedFigure>("figure");
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"", "%", "+", "-", "+-3%", "--3%", "3 percent", "+3%%", "1.23456%", "-101%", "-100.0001%", "100001%",
              "9999999%", "ten", "+10 apples", "10ms -5ms", "5e3%", "1,5%", "٣%"})
            QTest::newRow(text) << LimitedFigure::Duration << QString::fromUtf8(text);
        for (const char* text : {"1.5", "10ms", "++5", "99999999999999999999"})
            QTest::addRow("messages %s", text) << LimitedFigure::Messages << QString::fromUtf8(text);
        for (const char* text : {"5 apples", "1.5MB"})
            QTest::addRow("bytes %s", text) << LimitedFigure::Bytes << QString::fromUtf8(text);
        for (const char* text : {"+10%", "=+10%", "step", "step="})
            QTest::addRow("grain %s", text) << LimitedFigure::Grain << QString::fromUtf8(text);
    }
    void notWritten()
    {
        QFETCH(const LimitedFigure, figure);
        QFETCH(const QString, text);
        const auto limit = parseLimit(figure, text);
        QVERIFY(!limit);
        QVERIFY(!limit.error().what.isEmpty());
    }

    void justAtTheLimit_data()
    {
        QTest::addColumn<qint64>("millionths");
        QTest::addColumn<qint64>("baseline");
        QTest::addColumn<qint64>("most");  // that keeps it
        QTest::newRow("3 % of 100") << qint64(30'000) << qint64(100) << qint64(103);
        QTest::newRow("3 % of 99") << qint64(30'000) << qint64(99) << qint64(101);  // 101.97
        QTest::newRow("-5 % of 100") << qint64(-50'000) << qint64(100) << qint64(95);
        QTest::newRow("0.1 % of 10^18") << qint64(1000) << qint64(1'000'000'000'000'000'000)
                                        << qint64(1'001'000'000'000'000'000);
        QTest::newRow("no more") << qint64(0) << qint64(9'007'199'254'740'993)
                                 << qint64(9'007'199'254'740'993);  // 2^53 + 1
        QTest::newRow("of nothing") << qint64(50'000) << qint64(0) << qint64(0);
        QTest::newRow("nothing left") << qint64(-1'000'000) << qint64(100) << qint64(0);
    }
    void justAtTheLimit()
    {
        QFETCH(const qint64, millionths);
        QFETCH(const qint64, baseline);
        QFETCH(const qint64, most);
        QVERIFY(isKept(percent(millionths), {baseline, 1}, {most, 1}));
        QVERIFY(!isKept(percent(millionths), {baseline, 1}, {most + 1, 1}));
    }

    // Figures that a file can say and no run has: their products fit into no number.
    void figuresOfNoRun()
    {
        QVERIFY(isKept(percent(0), {maxTime, maxTime}, {maxTime, maxTime}));
        QVERIFY(isKept(percent(0), {maxTime, 1}, {1, maxTime}));
        QVERIFY(!isKept(percent(0), {1, maxTime}, {maxTime, 1}));
        const FigureLimit oneMore{.kind = LimitKind::Difference, .amount = 1};
        QVERIFY(isKept(oneMore, {maxTime, 1}, {1, maxTime}));
        QVERIFY(!isKept(oneMore, {1, maxTime}, {maxTime, 1}));
        QVERIFY(isKept({.kind = LimitKind::Difference, .amount = maxTime}, {1, maxTime}, {1, maxTime - 1}));
    }

    // Means are compared as quotients, not rounded first: 10 / 3 < 7 / 2, though both are 3.
    void quotients()
    {
        QVERIFY(isKept(percent(0), {7, 2}, {10, 3}));
        QVERIFY(!isKept(percent(0), {10, 3}, {7, 2}));
        QVERIFY(isKept(percent(50'000), {10, 3}, {7, 2}));  // exactly 5 %
        QVERIFY(!isKept(percent(49'999), {10, 3}, {7, 2}));
        const FigureLimit oneMore{.kind = LimitKind::Difference, .amount = 1};
        QVERIFY(isKept(oneMore, {10, 3}, {13, 3}));
        QVERIFY(!isKept(oneMore, {10, 3}, {14, 3}));
        const FigureLimit most{.kind = LimitKind::Most, .amount = 3};
        QVERIFY(isKept(most, {0, 1}, {9, 3}));
        QVERIFY(!isKept(most, {0, 1}, {10, 3}));
        const std::int64_t large = std::numeric_limits<std::int64_t>::max() / 8;
        QVERIFY(isKept(percent(1'000'000'000), {large, 1'000'000}, {large, 1'000'000}));
    }

    void everyFigureHasALimit()
    {
        const RunFigures base = run(300), worse = run(316);
        for (const LimitSpec& spec : limitSpecs) {
            if (spec.figure == LimitedFigure::Iteration) continue;
            const QString prefix = spec.figure == LimitedFigure::Grain ? QStringLiteral("step=") : QString();
            const bool isFixed = spec.figure == LimitedFigure::Messages || spec.figure == LimitedFigure::Bytes;
            const auto verdict = [&](const char* text) {
                const auto limit = parseLimit(spec.figure, prefix + QString::fromUtf8(text));
                return limit ? judge(compare(base, worse), {*limit})[0].verdict : LimitVerdict::NotJudged;
            };
            QCOMPARE(verdict("+6%"), LimitVerdict::Kept);
            QCOMPARE(verdict("+5%"), isFixed ? LimitVerdict::Kept : LimitVerdict::Crossed);  // 5.33 %
            QCOMPARE(verdict("0"), LimitVerdict::Crossed);
        }
    }

    void defaults()
    {
        const auto judged = judge(compare(run(200), run(210)), defaultLimits());
        QCOMPARE(judged.size(), std::size_t(2));
        for (const JudgedLimit& one : judged) {
            QCOMPARE(one.verdict, LimitVerdict::Kept);
            QVERIFY(!one.limit.isAsked);
        }
        QCOMPARE(judge(compare(run(200), run(212)), defaultLimits())[0].verdict, LimitVerdict::Crossed);
    }

    void notJudged()
    {
        RunFigures summary = run(200);
        summary.info.format = summaryFormat;
        summary.work.reset();
        for (const LimitedFigure figure :
             {LimitedFigure::CriticalPath, LimitedFigure::Messages, LimitedFigure::Iteration}) {
            const auto judged = judge(compare(summary, run(200)), {{.figure = figure}});
            QCOMPARE(judged[0].verdict, LimitVerdict::NotJudged);
            QVERIFY(!judged[0].note.isEmpty());
        }
        const FigureLimit unknown{.figure = LimitedFigure::Grain, .entry = QStringLiteral("nobody")};
        QCOMPARE(judge(compare(run(200), run(200)), {unknown})[0].verdict, LimitVerdict::NotJudged);
        QCOMPARE(judge(run(200), {percent(0)})[0].verdict, LimitVerdict::NotJudged);
    }

    void zeroInTheBaseline()
    {
        const auto idle = [](TimeNs base, TimeNs is) {
            RunFigures a = run(200), b = run(200);
            a.usage.idle = base;
            b.usage.idle = is;
            return judge(compare(a, b), {{.figure = LimitedFigure::Idle, .amount = 50'000}})[0];
        };
        QCOMPARE(idle(0, 0).verdict, LimitVerdict::Kept);
        QCOMPARE(idle(0, 1).verdict, LimitVerdict::Crossed);
        QVERIFY(idle(0, 1).note.contains(QStringLiteral("the baseline has none")));
        QVERIFY(idle(100, 100).note.isEmpty());
    }

    // An entry method that one of them lacks counts as nothing there.
    void grainOfOneRunOnly()
    {
        RunFigures without = run(300);
        without.methods.clear();
        const FigureLimit limit{.figure = LimitedFigure::Grain, .entry = QStringLiteral("Jacobi::step")};
        const auto isNew = judge(compare(without, run(300)), {limit})[0];
        QCOMPARE(isNew.verdict, LimitVerdict::Crossed);
        QVERIFY(isNew.note.contains(QStringLiteral("did not run in the baseline")));
        QCOMPARE(judge(compare(run(300), without), {limit})[0].verdict, LimitVerdict::Kept);
        RunFigures two = run(300);
        two.methods.push_back(
            {.chare = QStringLiteral("Other"), .name = QStringLiteral("step()"), .count = 1, .time = 5});
        const FigureLimit any{.figure = LimitedFigure::Grain, .entry = QStringLiteral("step")};
        QCOMPARE(judge(compare(two, two), {any})[0].verdict, LimitVerdict::NotJudged);
        QCOMPARE(judge(compare(two, two), {limit})[0].verdict, LimitVerdict::Kept);
    }
};

LONGPOLE_TEST(TestCheckLimits)
#include "tst_checklimits.moc"
