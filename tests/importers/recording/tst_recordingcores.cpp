// SPDX-License-Identifier: GPL-3.0-or-later
// How many ranks can have a core each: of sets drawn by hand, and against all assignments of small random ones.
#include "importers/recording/cores.h"
#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

using namespace longpole;

namespace {

CoreSet setOf(std::initializer_list<int> cores)
{
    CoreSet set{};
    for (const int core : cores) set[static_cast<std::size_t>(core / 64)] |= std::uint64_t{1} << core % 64;
    return set;
}

// Every rank takes each of its cores that are left, or none.
std::int64_t bruteForce(const std::vector<CoreSet>& ranks, std::size_t rank, std::uint64_t taken)
{
    if (rank == ranks.size()) return 0;
    std::int64_t best = bruteForce(ranks, rank + 1, taken);
    for (std::uint64_t left = ranks[rank][0] & ~taken; left != 0; left &= left - 1)
        best = std::max(best, 1 + bruteForce(ranks, rank + 1, taken | (left & ~(left - 1))));
    return best;
}

}  // namespace

class TestRecordingCores : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ranksOfSets()
    {
        const CoreSet all = setOf({0, 1, 2, 3});
        QCOMPARE(ranksAtOnce({}), 0);
        QCOMPARE(ranksAtOnce(std::vector{CoreSet{}}), 0);
        QCOMPARE(ranksAtOnce(std::vector(6, all)), 4);
        QCOMPARE(ranksAtOnce(std::vector{setOf({2}), setOf({2})}), 1);  // bound to the same core
        QCOMPARE(ranksAtOnce(std::vector{setOf({200}), setOf({63}), setOf({64, 200})}), 3);
        // The first two move on for the third; two of four have to share a core although there is one for each.
        QCOMPARE(ranksAtOnce(std::vector{all, setOf({0, 1}), setOf({0})}), 3);
        QCOMPARE(ranksAtOnce(std::vector{setOf({0}), setOf({0}), all, all}), 3);
    }

    void asManyAsOfAllAssignments()
    {
        std::mt19937 random(7);
        for (int round = 0; round < 2000; ++round) {
            std::vector<CoreSet> ranks(random() % 6);
            for (CoreSet& set : ranks) {
                set[0] = random() & 0x1f;
                set[0] &= random();
            }
            QCOMPARE(ranksAtOnce(ranks), bruteForce(ranks, 0, 0));
        }
    }

    // Files may say anything: time does not grow with ranks times cores.
    void manyRanks()
    {
        std::vector<CoreSet> ranks(300'000);
        for (std::size_t rank = 0; rank < ranks.size(); ++rank)
            for (std::size_t word = 0; word < coreWords; ++word) ranks[rank][word] = ~(rank * 0x9e3779b97f4a7c15u);
        QCOMPARE(ranksAtOnce(ranks), 256);
    }
};

LONGPOLE_TEST(TestRecordingCores)
#include "tst_recordingcores.moc"
