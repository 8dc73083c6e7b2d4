// SPDX-License-Identifier: GPL-3.0-or-later
// Times of one run in another: mapping there and back without a window, and two view states that follow each other.
#include "views/state/lockedviews.h"
#include "views/state/timemapping.h"

#include "views/drawnstore.h"

#include "support/testmain.h"

#include <QRandomGenerator>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

using namespace longpole;

namespace {

constexpr TimeRange runA{1000, 2000}, runB{50, 450};

}  // namespace

class TestLockedViews : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void sameTimeSinceBegin()
    {
        const TimeMapping mapping = TimeMapping::byTime(runA, runB);
        QCOMPARE(mapping.toB(1000), 50);
        QCOMPARE(mapping.toB(1700), 750);  // behind B's end
        QCOMPARE(mapping.toB(900), -50);
        QCOMPARE(mapping.toA(TimeRange{50, 450}), (TimeRange{1000, 1400}));
        QCOMPARE(mapping.toB(maxTime), maxTime - 950);
        QVERIFY(mapping.toB(minTime) < mapping.toB(TimeNs{0}));  // saturates
    }

    // Iterations begin at 1200, 1400, 1800 and at 100, 300, 310.
    void samePlaceInTheIteration_data()
    {
        QTest::addColumn<qint64>("a");
        QTest::addColumn<qint64>("b");
        const auto row = [](qint64 a, qint64 b) { QTest::addRow("%lld", a) << a << b; };
        row(1000, 50);
        row(1100, 75);
        row(1200, 100);
        row(1300, 200);
        row(1400, 300);
        row(1600, 305);
        row(1800, 310);
        row(1900, 380);
        row(2000, 450);
        row(2100, 550);  // at the same speed behind the ends
        row(900, -50);
    }
    void samePlaceInTheIteration()
    {
        QFETCH(const qint64, a);
        QFETCH(const qint64, b);
        const std::vector<TimeRange> inA{{1200, 1400}, {1400, 1800}, {1800, 1900}};
        const std::vector<TimeRange> inB{{100, 300}, {300, 310}, {310, 320}, {320, 400}};  // one more
        const TimeMapping mapping = TimeMapping::byPhase(runA, runB, inA, inB);
        QCOMPARE(mapping.toB(a), b);
        QCOMPARE(mapping.toA(b), a);
    }

    // What cannot be in order is left out.
    void iterationsOutOfOrder()
    {
        const std::vector<TimeRange> inA{{1000, 1100}, {1500, 1600}, {1400, 1500}, {2500, 2600}};
        const std::vector<TimeRange> inB{{50, 60}, {200, 300}, {300, 350}, {400, 410}};
        const TimeMapping mapping = TimeMapping::byPhase(runA, runB, inA, inB);
        QCOMPARE(mapping.toB(1500), 200);
        QCOMPARE(mapping.toB(1750), 325);
        QCOMPARE(TimeMapping::byPhase({}, {}, {}, {}).toB(7), 7);
    }

    void increasesThereAndBack()
    {
        QRandomGenerator random(5);
        for (int round = 0; round < 200; ++round) {
            std::vector<TimeRange> inA, inB;
            TimeNs a = 0, b = 0;
            for (int i = 0; i < 10; ++i) {
                inA.push_back({a += 1 + random.bounded(1000), a});
                inB.push_back({b += 1 + random.bounded(1000), b});
            }
            const TimeMapping mapping = TimeMapping::byPhase({0, a + 100}, {0, b + 10}, inA, inB);
            TimeNs last = minTime;
            for (TimeNs t = -50; t < a + 200; ++t) {
                const TimeNs there = mapping.toB(t);
                QVERIFY(there >= last);
                last = there;
                // Back within what one nanosecond of the other run is worth.
                QVERIFY(mapping.toB(mapping.toA(there)) <= there);
                QVERIFY(mapping.toB(mapping.toA(there) + 1) >= there);
            }
        }
    }

    void rangesFollowEachOther()
    {
        const DrawnStore first({QStringLiteral("aaaabbbbcc")}, {.begin = 5000, .unit = 1000});
        const DrawnStore second({QStringLiteral("aabb")}, {.begin = 90'000, .unit = 1000});
        ViewState a(first.shared()), b(second.shared());
        {
            LockedViews views(a, b);
            QCOMPARE(b.range(), (TimeRange{90'000, 100'000}));  // with what the other one lasts longer
            QCOMPARE(b.wholeRange(), (TimeRange{90'000, 100'000}));
            QCOMPARE(b.fullRange(), (TimeRange{90'000, 94'000}));
            a.setRange({6000, 8000});
            QCOMPARE(b.range(), (TimeRange{91'000, 93'000}));
            QVERIFY(!b.canUndo());
            b.setRange({92'000, 99'000});
            QCOMPARE(a.range(), (TimeRange{7000, 14'000}));
            a.undo();  // what the hand did on the second as well
            QCOMPARE(a.range(), (TimeRange{6000, 8000}));
            QCOMPARE(b.range(), (TimeRange{91'000, 93'000}));
            views.setLocked(false);
            a.setRange({9000, 10'000});
            QCOMPARE(b.range(), (TimeRange{91'000, 93'000}));
            views.setLocked(true);
            QCOMPARE(b.range(), (TimeRange{94'000, 95'000}));
            const std::vector<TimeRange> inA{{5000, 15'000}}, inB{{90'000, 94'000}};
            views.setMapping(TimeMapping::byPhase(a.fullRange(), b.fullRange(), inA, inB));
            a.setRange({5000, 10'000});
            QCOMPARE(b.range(), (TimeRange{90'000, 92'000}));
        }
        QCOMPARE(b.limits(), (TimeRange{90'000, 94'000}));
        QCOMPARE(a.limits(), (TimeRange{5000, 15'000}));
    }

    void theShorterRunGetsRoom()
    {
        const DrawnStore first({QStringLiteral("aabb")}, {.begin = 0, .unit = 1000});
        const DrawnStore second({QStringLiteral("aaaabbbbcc")}, {.begin = 0, .unit = 1000});
        ViewState a(first.shared()), b(second.shared());
        auto views = std::make_unique<LockedViews>(a, b);
        QCOMPARE(a.wholeRange(), (TimeRange{0, 10'000}));
        QCOMPARE(a.range(), (TimeRange{0, 4000}));  // the hand's: it stays
        a.setRange(a.wholeRange());
        QCOMPARE(b.range(), (TimeRange{0, 10'000}));
        QSignalSpy changed(&a, &ViewState::rangeChanged);
        views.reset();
        QCOMPARE(a.range(), (TimeRange{0, 4000}));
        QCOMPARE(changed.size(), 1);
        a.undo();
        a.redo();  // to a range that no longer is there
        QCOMPARE(a.range(), (TimeRange{0, 4000}));
    }

    void looksAreShared()
    {
        const DrawnStore first({QStringLiteral("aabb")}), second({QStringLiteral("bbaa")});
        ViewState a(first.shared()), b(second.shared());
        a.setFilter(QStringLiteral("a()"));
        const LockedViews views(a, b);
        QCOMPARE(b.filterText(), QStringLiteral("a()"));
        QVERIFY(b.matchingEntries());
        a.setFilter({});
        QVERIFY(!b.matchingEntries());
        a.setColour(ColourMode::Chare, PaletteKind::OkabeIto);
        QVERIFY(b.colour() == ColourMode::Chare && b.paletteKind() == PaletteKind::OkabeIto);
        a.setColour(ColourMode::Slack);
        QVERIFY(b.colour() == ColourMode::EntryMethod);
        a.setArrows(ArrowMode::None);
        QVERIFY(b.arrows() == ArrowMode::None);
    }
};

LONGPOLE_GUI_TEST(TestLockedViews)
#include "tst_lockedviews.moc"
