// SPDX-License-Identifier: GPL-3.0-or-later
// A column of compact times is a vector of times, whatever is done to it and however many are long.
#include "analysis/base/compacttimes.h"
#include "support/testmain.h"

#include <QTest>

#include <numeric>
#include <random>

using namespace longpole;

namespace {

constexpr TimeNs longest = TimeNs{1} << 40;

// What the graph does to it: filled with gaps, gaps closed, cut, put into another order.
class Columns {
public:
    Columns(unsigned seed, int longShare) : m_random(seed), m_longShare(longShare) {}

    void fill(std::size_t size)
    {
        times.resize(size);
        plain.assign(size, 0);
        for (std::size_t i = 0; i < size; ++i) {
            if (below(10) == 0) continue;  // never set
            plain[i] = below(100) < m_longShare ? longest - below(1000) : below(1000);
            times.set(i, plain[i]);
        }
    }

    // Of each of some pieces only the first rows are kept.
    void closeGaps()
    {
        std::size_t to = 0;
        for (std::size_t first = 0; first < plain.size();) {
            const std::size_t end = std::min(plain.size(), first + 1 + static_cast<std::size_t>(below(4000)));
            const std::size_t kept = first + static_cast<std::size_t>(below(static_cast<int>(end - first) + 1));
            times.moveDown(first, kept, to);
            for (std::size_t i = first; i < kept; ++i) plain[to++] = plain[i];
            first = end;
        }
        times.resize(to);
        plain.resize(to);
    }

    void reorder()
    {
        std::vector<std::uint32_t> at(plain.size());
        std::iota(at.begin(), at.end(), 0u);
        std::shuffle(at.begin(), at.end(), m_random);
        std::vector<TimeNs> ordered(plain.size());
        for (std::size_t i = 0; i < plain.size(); ++i) ordered[at[i]] = plain[i];
        plain = std::move(ordered);
        times = times.gathered(at, [&at](const std::vector<std::uint32_t>& column) {
            std::vector<std::uint32_t> moved(column.size());
            for (std::size_t i = 0; i < column.size(); ++i) moved[at[i]] = column[i];
            return moved;
        });
    }

    bool areEqual() const
    {
        if (times.size() != plain.size()) return false;
        for (std::size_t i = 0; i < plain.size(); ++i)
            if (times[i] != plain[i]) return false;
        return true;
    }

    CompactTimes times;
    std::vector<TimeNs> plain;

private:
    int below(int end) { return std::uniform_int_distribution(0, end - 1)(m_random); }

    std::mt19937 m_random;
    int m_longShare;
};

}  // namespace

class TestCompactTimes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void isAVector_data()
    {
        QTest::addColumn<int>("size");
        QTest::addColumn<int>("longShare");
        QTest::newRow("none is long") << 20'000 << 0;
        QTest::newRow("few are long") << 20'000 << 1;
        QTest::newRow("many are long") << 100'000 << 30;
        QTest::newRow("all are long") << 50'000 << 100;
    }
    void isAVector()
    {
        QFETCH(int, size);
        QFETCH(int, longShare);
        for (unsigned seed = 0; seed < 10; ++seed) {
            Columns columns(seed, longShare);
            columns.fill(static_cast<std::size_t>(size));
            QVERIFY(columns.areEqual());
            columns.closeGaps();
            QVERIFY(columns.areEqual());
            columns.reorder();
            QVERIFY(columns.areEqual());
            const CompactTimes copy = columns.times;
            QVERIFY(copy == columns.times);
        }
    }

    // Those that are added are zero, also where longer ones have been.
    void grows()
    {
        CompactTimes times;
        times.resize(3);
        times.set(2, longest);
        times.resize(2);
        times.resize(4);
        QCOMPARE(times[2], 0);
        times.set(3, longest);
        QCOMPARE(times[2], 0);
        QCOMPARE(times[3], longest);
    }
};

LONGPOLE_TEST(TestCompactTimes)
#include "tst_compacttimes.moc"
