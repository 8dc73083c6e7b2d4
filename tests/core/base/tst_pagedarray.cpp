// SPDX-License-Identifier: GPL-3.0-or-later
// An array of which little is used holds what was put in, in order, and a copy is one of its own.
#include "core/base/pagedarray.h"

#include "support/testmain.h"

#include <QTest>

#include <map>
#include <random>

using namespace longpole;

class TestPagedArray : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void asAMap()
    {
        std::mt19937 random(7);
        std::map<std::uint32_t, int> expected;
        PagedArray<int, 16> array;
        for (int i = 0; i < 2000; ++i) {
            const std::uint32_t at = random() % (1u << (random() % 17));
            QCOMPARE(array[at], expected[at]);
            array[at] = expected[at] = i + 1;
        }
        QVERIFY(contents(array) == expected);
        PagedArray<int, 16> copy(array);
        copy[3] = -1;
        QVERIFY(contents(array) == expected);
        array = copy;
        array[5] = -2;
        expected[3] = -1;
        QVERIFY(contents(copy) == expected);
        expected[5] = -2;
        QVERIFY(contents(PagedArray<int, 16>(std::move(array))) == expected);
    }

private:
    // Elements that nobody asked for are zero, and there are no more than their pages hold.
    static std::map<std::uint32_t, int> contents(PagedArray<int, 16> array)
    {
        std::map<std::uint32_t, int> found;
        std::int64_t before = -1;
        array.forEach([&](std::uint32_t index, int& value) {
            if (std::int64_t{index} <= before) qFatal("not in order");
            before = index;
            if (value != 0) found[index] = value;
        });
        return found;
    }
};

LONGPOLE_TEST(TestPagedArray)
#include "tst_pagedarray.moc"
