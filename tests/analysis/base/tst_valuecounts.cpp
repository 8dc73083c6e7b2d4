// SPDX-License-Identifier: GPL-3.0-or-later
// Counted values: what they come to, and that no choice of values makes counting slow.
#include "analysis/base/valuecounts.h"

#include "support/testmain.h"

#include <QTest>

#include <ctime>

using namespace longpole;

namespace {

constexpr int many = 60'000;

// Those whose product with the constant that hashes are often made with ends in 48 zeros.
std::int64_t chosen(int number)
{
    constexpr std::uint64_t inverse = 0xf1de83e19937733du;  // of 0x9e3779b97f4a7c15
    static_assert(inverse * 0x9e3779b97f4a7c15u == 1);
    const std::uint64_t mixed = inverse * (static_cast<std::uint64_t>(number) << 48);
    return static_cast<std::int64_t>(mixed ^ (mixed >> 32));
}

double secondsFor(std::int64_t (*valueOf)(int))
{
    const std::clock_t begun = std::clock();
    ValueCounts counts;
    for (int i = 0; i < many; ++i) counts.add(valueOf(i));
    if (counts.size() != many) return -1;
    return double(std::clock() - begun) / CLOCKS_PER_SEC;
}

}  // namespace

class TestValueCounts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void countsEachValue()
    {
        ValueCounts counts;
        for (const std::int64_t value : {5, -3, 5, 0, 5}) counts.add(value);
        counts.add(7, 10);
        const std::vector<ValueCount> expected{{-3, 1}, {0, 1}, {5, 3}, {7, 10}};
        QCOMPARE(counts.sorted(), expected);
        QCOMPARE(summarize(expected).sum, 82);
        QCOMPARE(quantile(expected, 0.5), 7);
    }

    void noChoiceOfValuesIsSlow()
    {
        const double plain = secondsFor([](int number) { return std::int64_t{number} * 1000; });
        const double slow = secondsFor(chosen);
        QVERIFY(plain >= 0 && slow >= 0);
        QVERIFY2(slow < 20 * plain + 0.1, qPrintable(QStringLiteral("%1 s, not %2 s").arg(slow).arg(plain)));
    }
};

LONGPOLE_TEST(TestValueCounts)
#include "tst_valuecounts.moc"
