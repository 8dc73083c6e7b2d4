// SPDX-License-Identifier: GPL-3.0-or-later
// A search that begins near its end finds what std::lower_bound finds, from every place.
#include "core/base/nearsearch.h"

#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

using namespace longpole;

class TestNearSearch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void asLowerBoundFromEveryPlace()
    {
        std::mt19937 random(7);
        for (std::size_t count = 0; count < 40; ++count) {
            std::vector<std::uint32_t> rows;
            for (std::size_t i = 0; i < count; ++i) rows.push_back(random() % 50);
            std::sort(rows.begin(), rows.end());
            for (std::uint32_t wanted = 0; wanted <= 50; ++wanted) {
                const auto expected = std::lower_bound(rows.begin(), rows.end(), wanted);
                for (auto near = rows.begin();; ++near) {
                    QVERIFY(lowerBoundNear(rows.begin(), rows.end(), near, wanted) == expected);
                    if (near == rows.end()) break;
                }
            }
        }
    }

    void looksAtFewRowsIfItIsNear()
    {
        std::vector<std::uint32_t> rows(1 << 20);
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(i);
        int looks = 0;
        const auto isLess = [&looks](std::uint32_t a, std::uint32_t b) {
            ++looks;
            return a < b;
        };
        const auto near = rows.begin() + 500000;
        QCOMPARE(*lowerBoundNear(rows.begin(), rows.end(), near, 500003u, isLess), 500003u);
        QVERIFY2(looks <= 6, qPrintable(QString::number(looks)));
        looks = 0;
        QCOMPARE(*lowerBoundNear(rows.begin(), rows.end(), near, 499997u, isLess), 499997u);
        QVERIFY2(looks <= 6, qPrintable(QString::number(looks)));
    }
};

LONGPOLE_TEST(TestNearSearch)
#include "tst_nearsearch.moc"
