// SPDX-License-Identifier: GPL-3.0-or-later
// Ticks of the time axis at every zoom.
#include "views/drawing/basics/timeaxis.h"

#include "support/testmain.h"

#include <QTest>

namespace longpole {

class TestTimeAxis : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void niceStep_data()
    {
        QTest::addColumn<double>("least");
        QTest::addColumn<qint64>("step");
        constexpr qint64 second = 1'000'000'000;
        QTest::newRow("below a nanosecond") << 0.3 << qint64{1};
        QTest::newRow("1 ns") << 1.0 << qint64{1};
        QTest::newRow("2 ns") << 1.1 << qint64{2};
        QTest::newRow("5 us") << 2100.0 << qint64{5000};
        QTest::newRow("5 s") << 4e9 << 5 * second;
        QTest::newRow("15 s") << 1.2e10 << 15 * second;
        QTest::newRow("1 min") << 3.1e10 << 60 * second;
        QTest::newRow("30 min") << 1.6e12 << 1800 * second;
        QTest::newRow("2 h") << 4e12 << 7200 * second;
        QTest::newRow("10 h") << 2e13 << 36000 * second;
    }
    void niceStep()
    {
        QFETCH(double, least);
        QTEST(qint64{longpole::niceStep(least)}, "step");
    }

    // 119..137 ms after a begin at 1000 s, 900 pixels: labels every 2 ms, ticks every 1 ms.
    void labelsAreRelativeToTheRunsBegin()
    {
        constexpr TimeNs zero = 1'000'000'000'000;
        constexpr TimeNs ms = 1'000'000;
        const auto ticks = axisTicks({zero + 119 * ms, zero + 137 * ms}, zero, 900, 90);
        QCOMPARE(ticks.size(), 19u);
        QCOMPARE(ticks[0].time, zero + 119 * ms);
        QCOMPARE(ticks[0].label, QString());
        QCOMPARE(ticks[1].label, QStringLiteral("120 ms"));
        QCOMPARE(ticks[1].x, 50.0);
        QCOMPARE(ticks[2].label, QString());
        QCOMPARE(ticks[3].label, QStringLiteral("122 ms"));
        QCOMPARE(ticks[17].label, QStringLiteral("136 ms"));
    }

    void ticksBeforeZeroAreNegative()
    {
        const auto ticks = axisTicks({-2500, 2500}, 0, 500, 90);
        QStringList labels;
        for (const AxisTick& tick : ticks)
            if (!tick.label.isEmpty()) labels << tick.label;
        QCOMPARE(labels.size(), 5);
        QVERIFY(labels.first().startsWith(QLatin1Char('-')));
        QCOMPARE(ticks[1].time, TimeNs{-2000});
    }

    void extremesGiveFewTicks_data()
    {
        QTest::addColumn<qint64>("begin");
        QTest::addColumn<qint64>("end");
        QTest::newRow("10 ns") << qint64{5} << qint64{15};
        QTest::newRow("everything") << qint64{minTime / 2} << qint64{maxTime / 2};
        QTest::newRow("late") << qint64{maxTime - 1000} << qint64{maxTime};
        QTest::newRow("a day") << qint64{0} << qint64{86'400'000'000'000};
    }
    void extremesGiveFewTicks()
    {
        QFETCH(qint64, begin);
        QFETCH(qint64, end);
        const auto ticks = axisTicks({begin, end}, begin, 1920, 90);
        QVERIFY(ticks.size() <= 44);
        for (const AxisTick& tick : ticks) QVERIFY(tick.time >= begin && tick.time <= end);
    }

    void emptyRangeHasNoTicks() { QVERIFY(axisTicks({5, 5}, 0, 100).empty()); }
};

}  // namespace longpole

LONGPOLE_TEST(longpole::TestTimeAxis)
#include "tst_timeaxis.moc"
