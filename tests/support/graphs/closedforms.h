// SPDX-License-Identifier: GPL-3.0-or-later
// Cases whose critical paths have been worked out by hand and by going through all paths. All dependencies are message
// or recorded merge edges, so that edge level merges gives those results.
#pragma once

namespace longpole::closedform {

// Two chains of lengths 12 and 11.
inline constexpr const char* c1 = R"(
    0: AAAAAAAAAABB
    1: CCCCCCCCCDD.
    A > B
    C > D
)";

// Two chains of lengths 12 and 13 with the same entry method on both.
inline constexpr const char* c2 = R"(
    0: 1111111111BB.
    1: 222222222DDDD
    1 > B
    2 > D
    entry X: 1 2
)";

// Fork and join: R starts 0 and 1 after 1, 2 and 3 after 2; J waits for all.
inline constexpr const char* c3 = R"(
    0: RR.000.....J
    1: ...11111....
    2: ...2222222..
    3: ...3333.....
    R@1 > 0
    R@1 > 1
    R > 2
    R > 3
    2 > J
    0 >> J
    1 >> J
    3 >> J
    entry root: R
    entry work: 0 1 2
    entry other: 3
    entry join: J
)";

// A path has only a part of a task that sends before its end: A sends at 2 and at 5 of 10.
inline constexpr const char* c4 = R"(
    0: AAAAAAAAAA...
    1: ...BBBBBB.DDD
    2: ......CC.....
    A@2 > B
    A@5 > C
    B > D
    C >> D
)";

// A Structured Dagger "when": two messages and the block before it.
inline constexpr const char* c5 = R"(
    0: PPPP....WW
    1: SSS.......
    2: 222222....
    2 > W ~7
    S >> W
    P >> W
    entry s: S 2
)";

// A ring.
inline constexpr const char* c6 = R"(
    0: 0000000.......................3333333..........
    1: ..........1111111.......................4444444
    2: ....................2222222....................
    0 > 1
    1 > 2
    2 > 3
    3 > 4
    entry hop: 0 1 2 3 4
)";

// A pipeline of stages 1, 3, 2 and four items; each stage works in order.
inline constexpr const char* c7 = R"(
    0: abcd...........
    1: .eeefffggghhh..
    2: ....ii.jj.kk.ll
    a > e
    b > f
    c > g
    d > h
    e > i
    f > j
    g > k
    h > l
    a >> b
    b >> c
    c >> d
    e >> f
    f >> g
    g >> h
    i >> j
    j >> k
    k >> l
    entry s0: a b c d
    entry s1: e f g h
    entry s2: i j k l
)";

// Three bulk-synchronous steps of two PEs.
inline constexpr const char* c8 = R"(
    0: AAA.C....EEEEE
    1: BB..DDDD.FFFFF
    A > C
    B >> C
    B > D
    A >> D
    C > E
    D >> E
    D > F
    C >> F
)";

// Hops K, 1, L of a chain wait behind others: level order differs.
inline constexpr const char* c9 = R"(
    0: KKKKMM.........LLLL
    1: NNNNNNNNNN1111.....
    K > 1 ~5
    1 > L ~15
    entry k: K 1 L
    entry n: N M
)";

}  // namespace longpole::closedform
