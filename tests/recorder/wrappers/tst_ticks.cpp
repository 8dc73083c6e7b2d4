// SPDX-License-Identifier: GPL-3.0-or-later
// Times that are counted in ticks of the processor: from the nearer of two readings of the clock, never outside of
// them, and the same as the clock's where this machine has such a counter.
extern "C" {
#include "recorder/wrappers/ticks.h"
}

#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <vector>

namespace {

std::int64_t shift = 0;  // added to the clock

}  // namespace

extern "C" std::int64_t lp_now()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec + shift;
}

class TestTicks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsFromTheNearerMoment_data();
    void countsFromTheNearerMoment();
    void staysBetweenBothMoments();
    void agreesWithTheClock();
    void seesAClockThatJumps();
    void leavesAProgramsOwnClockAlone();
};

// A tick of half a nanosecond; the second moment is 4 ns later than the ticks say.
void TestTicks::countsFromTheNearerMoment_data()
{
    QTest::addColumn<quint64>("ticks");
    QTest::addColumn<bool>("isLaterKnown");
    QTest::addColumn<qint64>("time");
    QTest::newRow("at the first") << quint64(100) << true << qint64(1000);
    QTest::newRow("near the first") << quint64(400) << true << qint64(1150);
    QTest::newRow("half way") << quint64(1100) << true << qint64(1500);
    QTest::newRow("near the second") << quint64(1102) << true << qint64(1505);
    QTest::newRow("at the second") << quint64(2100) << true << qint64(2004);
    QTest::newRow("the second is not known") << quint64(2100) << false << qint64(2000);
}

void TestTicks::countsFromTheNearerMoment()
{
    QFETCH(quint64, ticks);
    QFETCH(bool, isLaterKnown);
    const lp_moment before{1000, 100}, later{2004, 2100};
    QTEST(qint64(lp_time_of(ticks, &before, isLaterKnown ? &later : nullptr, 0.5)), "time");
}

void TestTicks::staysBetweenBothMoments()
{
    const lp_moment before{1000, 100}, later{1100, 2100};  // the clock stood still, nearly
    QCOMPARE(lp_time_of(1000, &before, &later, 0.5), 1100);
    QCOMPARE(lp_time_of(1200, &before, &later, 0.5), 1000);
}

// Times by ticks, counted from a reading up to 100 us before, lie between readings of the clock around them. A reading
// that was disturbed (4,000 ticks are taken) may be off by about a microsecond, and the clock may be slewed meanwhile.
void TestTicks::agreesWithTheClock()
{
    lp_find_ticks();
    lp_moment anchor{};
    if (!lp_read_moment(&anchor)) QSKIP("The clock is not made of the processor's counter here.");
    QCOMPARE(lp_tick(&anchor), 0.0);  // too early to know
    QTest::qSleep(30);
    std::vector<std::int64_t> outside;  // ns
    for (int i = 0; i < 2000; ++i) {
        if (!lp_read_moment(&anchor)) continue;
        const double tick = lp_tick(&anchor);
        QVERIFY(tick > 0);
        while (lp_now() < anchor.time + 50 * (i % 1000)) {}
        const std::int64_t from = lp_now();
        const std::uint64_t ticks = lp_ticks();
        const std::int64_t until = lp_now();
        const std::int64_t time = lp_time_of(ticks, &anchor, nullptr, tick);
        if (until - from > 2000 || until - anchor.time > 200'000) continue;  // another had the core
        outside.push_back(std::max({from - time, time - until, std::int64_t(0)}));
        lp_moment now{};
        if (lp_read_moment(&now)) QVERIFY(lp_ticks_agree(&anchor, &now, tick));
    }
    QVERIFY(outside.size() > 100);
    std::ranges::sort(outside);
    QVERIFY2(outside.back() <= 3000, qPrintable(QString::number(outside.back())));
    const std::int64_t ninth = outside[outside.size() * 9 / 10];
    QVERIFY2(ninth <= 60, qPrintable(QString::number(ninth)));
}

void TestTicks::seesAClockThatJumps()
{
    lp_find_ticks();
    QTest::qSleep(15);
    lp_moment before{}, now{};
    if (!lp_read_moment(&before)) QSKIP("The clock is not made of the processor's counter here.");
    const double tick = lp_tick(&before);
    QVERIFY(lp_read_moment(&now));
    QVERIFY(lp_ticks_agree(&before, &now, tick));
    shift = 1'000'000;
    QVERIFY(lp_read_moment(&now));
    QVERIFY(!lp_ticks_agree(&before, &now, tick));
    QVERIFY(!lp_read_moment(&now));  // from now on the clock is asked
    shift = 0;
}

void TestTicks::leavesAProgramsOwnClockAlone()
{
    shift = 1'000'000'000;
    lp_find_ticks();
    shift = 0;
    lp_moment now{};
    QVERIFY(!lp_read_moment(&now));
}

LONGPOLE_TEST(TestTicks)
#include "tst_ticks.moc"
