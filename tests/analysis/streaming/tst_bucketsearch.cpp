// SPDX-License-Identifier: GPL-3.0-or-later
// Appendix B of Hollingsworth 1996: procedures with more than 1/m of the path, found in few rounds of few sums.
#include "analysis/streaming/bucketsearch.h"

#include "support/testmain.h"

#include <QTest>

#include <cmath>
#include <numeric>
#include <random>

using namespace longpole;

class TestBucketSearch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void cases_data();
    void cases();
    void findsExactly();
    void passesErrorsOn();
};

using Large = QList<QPair<int, int>>;  // items and their shares

void TestBucketSearch::cases_data()
{
    QTest::addColumn<std::uint32_t>("items");
    QTest::addColumn<std::uint32_t>("parts");
    QTest::addColumn<Large>("large");  // all others have 1
    QTest::addColumn<QList<int>>("found");
    QTest::addColumn<int>("rounds");
    QTest::newRow("n = 60, m = 10") << 60u << 10u << Large{{7, 40}, {33, 30}, {50, 25}} << QList<int>{7, 33, 50} << 2;
    QTest::newRow("n = 1024, m = 4") << 1024u << 4u << Large{{100, 2000}} << QList<int>{100} << 4;
    QTest::newRow("exactly 1/m is not more") << 4u << 4u << Large{} << QList<int>{} << 1;
    QTest::newRow("all in one round") << 3u << 2u << Large{{1, 9}} << QList<int>{1} << 1;
    QTest::newRow("m = 1: nothing has more than all") << 2u << 1u << Large{{0, 5}} << QList<int>{} << 1;
    QTest::newRow("no items") << 0u << 3u << Large{} << QList<int>{} << 0;
}

void TestBucketSearch::cases()
{
    QFETCH(std::uint32_t, items);
    QFETCH(std::uint32_t, parts);
    QFETCH(Large, large);
    QFETCH(QList<int>, found);
    QFETCH(int, rounds);
    std::vector<TimeNs> shares(items, 1);
    for (const auto& [item, share] : large) shares[static_cast<std::size_t>(item)] = share;
    const TimeNs total = std::accumulate(shares.begin(), shares.end(), TimeNs{0});
    const auto measure = [&](const Buckets& buckets) -> Result<BucketShares> {
        BucketShares sums{{}, total};
        for (const std::vector<std::uint32_t>& bucket : buckets) {
            sums.shares.push_back(0);
            for (const std::uint32_t item : bucket) sums.shares.back() += shares[item];
        }
        return sums;
    };
    const Result<BucketSearch> search = itemsAbove(items, parts, measure);
    QVERIFY(search.ok());
    QCOMPARE(QList<int>(search->found.begin(), search->found.end()), found);
    QCOMPARE(search->rounds, rounds);
}

void TestBucketSearch::findsExactly()
{
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        const std::uint32_t items = 1 + random() % 900;
        const std::uint32_t parts = 1 + random() % 12;
        std::vector<TimeNs> shares(items);
        for (TimeNs& share : shares) share = random() % 20 == 0 ? random() % 2000 : random() % 4;
        const TimeNs total = std::accumulate(shares.begin(), shares.end(), TimeNs{0});
        std::size_t mostBuckets = 0;
        const auto measure = [&](const Buckets& buckets) -> Result<BucketShares> {
            mostBuckets = std::max(mostBuckets, buckets.size());
            BucketShares sums{{}, total};
            for (const std::vector<std::uint32_t>& bucket : buckets)
                sums.shares.push_back(std::accumulate(bucket.begin(), bucket.end(), TimeNs{0},
                                                      [&](TimeNs sum, std::uint32_t i) { return sum + shares[i]; }));
            return sums;
        };
        const Result<BucketSearch> search = itemsAbove(items, parts, measure);
        QVERIFY(search.ok());
        std::vector<std::uint32_t> expected;
        for (std::uint32_t i = 0; i < items; ++i)
            if (shares[i] * parts > total) expected.push_back(i);
        QCOMPARE(search->found, expected);
        QVERIFY(expected.size() <= parts);
        QVERIFY(mostBuckets <= 2 * parts);
        QVERIFY(search->rounds <= std::max(0.0, std::ceil(std::log2(items / (2.0 * parts)))) + 2);
    }
}

void TestBucketSearch::passesErrorsOn()
{
    const Result<BucketSearch> search = itemsAbove(9, 2, [](const Buckets&) -> Result<BucketShares> {
        return Error{QStringLiteral("broken"), QString(), QString()};
    });
    QVERIFY(!search.ok());
    QCOMPARE(search.error().what, QStringLiteral("broken"));
}

LONGPOLE_TEST(TestBucketSearch)
#include "tst_bucketsearch.moc"
