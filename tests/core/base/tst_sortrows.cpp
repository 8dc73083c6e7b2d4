// SPDX-License-Identifier: GPL-3.0-or-later
// Sorting that can be cancelled: the order of std::stable_sort for any number of rows, and an end where it is asked
// for.
#include "core/base/sortrows.h"

#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

using namespace longpole;

class TestSortRows : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void asStableSort_data()
    {
        QTest::addColumn<int>("count");
        constexpr int block = 1 << 16;
        for (const int count : {0, 1, 2, 1000, block - 1, block, block + 1, 2 * block, 5 * block + 17})
            QTest::addRow("%d", count) << count;
    }
    void asStableSort()
    {
        QFETCH(int, count);
        std::mt19937 random(static_cast<std::uint32_t>(count));
        std::vector<std::pair<std::uint32_t, int>> rows;
        for (int i = 0; i < count; ++i) rows.emplace_back(random() % 1000, i);
        const auto isLess = [](const auto& a, const auto& b) { return a.first < b.first; };
        auto expected = rows;
        std::stable_sort(expected.begin(), expected.end(), isLess);
        sortRows(rows, Progress{}, isLess);
        QVERIFY(rows == expected);
    }

    void cancelledItChangesNothing()
    {
        std::vector<int> rows{3, 1, 2};
        Progress progress;
        progress.cancel();
        sortRows(rows, progress);
        QCOMPARE(rows, (std::vector<int>{3, 1, 2}));
    }
};

LONGPOLE_TEST(TestSortRows)
#include "tst_sortrows.moc"
