// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of one batch after another: zeros, apart from each other, the same again for the next batch, and never more of
// it kept than is said.
#include "recorder/replay/patharena.h"
#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

class TestPathArena : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { lp_arena_close(&m_arena); }

    void piecesAreZerosApartFromEachOther()
    {
        std::vector<std::pair<unsigned char*, std::size_t>> taken;
        for (int batch = 0; batch < 3; ++batch) {
            taken.clear();
            for (std::size_t size = 1; size < 200'000; size = 3 * size + 1) {
                auto* const piece = static_cast<unsigned char*>(lp_arena_take(&m_arena, size, 3));
                QVERIFY(piece);
                QCOMPARE(reinterpret_cast<std::uintptr_t>(piece) % alignof(std::max_align_t), std::uintptr_t{0});
                QVERIFY(std::all_of(piece, piece + 3 * size, [](unsigned char byte) { return byte == 0; }));
                std::memset(piece, 0xff, 3 * size);
                for (const auto& [other, bytes] : taken) QVERIFY(piece + 3 * size <= other || other + bytes <= piece);
                taken.emplace_back(piece, 3 * size);
            }
            lp_arena_empty(&m_arena);
        }
    }

    // The second batch finds room for all of the first; the third lies where the second did.
    void aBatchLiesWhereTheOneBeforeDid()
    {
        std::vector<void*> before;
        for (int batch = 0; batch < 5; ++batch) {
            std::vector<void*> taken;
            for (int piece = 0; piece < 100; ++piece) taken.push_back(lp_arena_take(&m_arena, 1000, 8));
            if (batch > 1) QVERIFY(taken == before);
            before = taken;
            lp_arena_empty(&m_arena);
        }
    }

    void moreThanIsKeptGoesBack()
    {
        QVERIFY(lp_arena_take(&m_arena, LP_ARENA_KEPT, 3));
        lp_arena_empty(&m_arena);
        const void* const first = lp_arena_take(&m_arena, LP_ARENA_KEPT, 1);
        lp_arena_empty(&m_arena);
        QVERIFY(first == lp_arena_take(&m_arena, LP_ARENA_KEPT, 1));
    }

    void thereIsNoRoomForEverything()
    {
        QVERIFY(!lp_arena_take(&m_arena, SIZE_MAX / 2, 4));
        QVERIFY(lp_arena_take(&m_arena, 1, 1));
        QVERIFY(lp_arena_take(&m_arena, 0, 8));
    }

private:
    lp_arena m_arena{};
};

LONGPOLE_TEST(TestPathArena)
#include "tst_patharena.moc"
