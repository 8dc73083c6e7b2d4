// SPDX-License-Identifier: GPL-3.0-or-later
// Measured gains of pairs of runs, and the interval in which their median lies.
#include "analysis/compare/trialgain.h"

#include "support/testmain.h"

#include <QRandomGenerator>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace longpole;

namespace {

std::vector<TrialRun> inTurn(const std::vector<TimeNs>& without, const std::vector<TimeNs>& with)
{
    std::vector<TrialRun> runs;
    for (std::size_t i = 0; i < without.size(); ++i) {
        runs.push_back({false, without[i]});
        if (i < with.size()) runs.push_back({true, with[i]});
    }
    return runs;
}

}  // namespace

class TestTrialGain : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gainsOfPairs()
    {
        // A machine that slows down by half in the middle: medians of each side alone would be mixed up.
        const TrialGain gain = trialGain(inTurn({1000, 1000, 1500, 1500, 1000}, {900, 800, 1350, 1275, 700}));
        QCOMPARE(gain.pairs, 5);
        QCOMPARE(std::round(gain.median * 1000), 150.0);
        QCOMPARE(std::round(gain.low * 1000), 100.0);
        QCOMPARE(std::round(gain.high * 1000), 300.0);
        QCOMPARE(gain.without, 1000);
        QCOMPARE(gain.with, 900);
        QVERIFY(gain.isDecided());
    }

    void lossesAndNoise()
    {
        const TrialGain loss = trialGain(inTurn({100, 100, 100, 100, 100}, {110, 120, 130, 140, 101}));
        QVERIFY(loss.isDecided() && loss.high < 0);
        QVERIFY(!trialGain(inTurn({100, 100, 100, 100}, {110, 120, 130, 140})).isDecided());  // by chance one in eight
        QVERIFY(!trialGain(inTurn({100, 100, 100, 100, 100}, {110, 90, 120, 130, 140})).isDecided());
        QVERIFY(!trialGain({}).isDecided());
        const TrialGain open = trialGain(inTurn({100, 200, 300}, {50}));
        QCOMPARE(open.pairs, 1);
        QCOMPARE(open.median, 0.5);
        QCOMPARE(open.low, open.high);
        QCOMPARE(open.without, 200);
        QCOMPARE(trialGain(inTurn({100, 200}, {100, 100})).median, 0.25);
    }

    // The probability that the median lies between the k-th least and the k-th largest, by all outcomes of tosses.
    void intervalsHoldTheMedian()
    {
        for (int pairs = 1; pairs <= 20; ++pairs) {
            const auto held = [pairs](int place) {
                std::int64_t outside = 0;
                for (std::uint32_t tosses = 0; tosses < 1u << pairs; ++tosses) {
                    const int below = __builtin_popcount(tosses);
                    if (below <= place || pairs - below <= place) ++outside;
                }
                return 1 - double(outside) / double(1u << pairs);
            };
            const int place = signTestPlace(pairs);
            if (pairs >= 5) QVERIFY2(held(place) >= 0.9, qPrintable(QString::number(pairs)));
            else QCOMPARE(place, 0);
            if (2 * (place + 1) < pairs) QVERIFY2(held(place + 1) < 0.9, qPrintable(QString::number(pairs)));
        }
        QCOMPARE(signTestPlace(1000), 473);
    }

    // Runs whose noise has any shape: of many trials about nine tenths or more hold the true gain.
    void manyTrials()
    {
        QRandomGenerator random(11);
        int held = 0;
        constexpr int trials = 2000;
        for (int trial = 0; trial < trials; ++trial) {
            std::vector<TimeNs> without, with;
            for (int run = 0; run < 8; ++run) {
                const TimeNs slow = random.bounded(4) == 0 ? 400'000 : 0;  // both runs of a pair
                const auto noise = [&] { return TimeNs(random.bounded(20'000) * random.generateDouble()); };
                without.push_back(1'000'000 + slow + noise());
                with.push_back(TimeNs(0.8 * double(1'000'000 + slow)) + noise() * 8 / 10);
            }
            const TrialGain gain = trialGain(inTurn(without, with));
            if (gain.low <= 0.2 && gain.high >= 0.2) ++held;
        }
        QVERIFY2(held > trials * 88 / 100, qPrintable(QString::number(held)));
    }
};

LONGPOLE_TEST(TestTrialGain)
#include "tst_trialgain.moc"
