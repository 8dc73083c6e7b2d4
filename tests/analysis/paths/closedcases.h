// SPDX-License-Identifier: GPL-3.0-or-later
// The cases of docs/algorithms.md whose paths follow from a formula ("Closed-form cases"). A task has one message;
// where a case has several, those on the same PE are its order.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "support/graphs/drawing.h"

namespace longpole::test {

inline const char* const c1 = R"(
    0: AAAAAAAAAABB
    1: CCCCCCCCCDD.
)";
inline const char* const c2 = R"(
    0: 1111111111BB.
    1: 222222222DDDD
    entry X: 1 2
)";
inline const char* const c3 = R"(
    0: RR.000.....J
    1: ...11111....
    2: ...2222222..
    3: ...3333.....
    R@1 > 0
    R@1 > 1
    R > 2
    R > 3
    2 > J
    entry work: 0 1 2
)";
inline const char* const c4 = R"(
    0: AAAAAAAAAA...
    1: ...BBBBBB.DDD
    2: ......CC.....
    A@2 > B
    A@5 > C
    C > D
)";
inline const char* const c5 = R"(
    0: PPPP....WW
    1: SSS.......
    2: 222222....
    2 > W ~7
)";
inline const char* const c6 = R"(
    0: 0000000.......................3333333..........
    1: ..........1111111.......................4444444
    2: ....................2222222....................
    0 > 1
    1 > 2
    2 > 3
    3 > 4
    entry hop: 0 1 2 3 4
)";
inline const char* const c7 = R"(
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
    entry s0: a b c d
    entry s1: e f g h
    entry s2: i j k l
)";
inline const char* const c8 = R"(
    0: AAA.C....EEEEE
    1: BB..DDDD.FFFFF
    A > D
    B > C
    D > E
    C > F
)";
inline const char* const c9 = R"(
    0: KKKKMM.........LLLL
    1: NNNNNNNNNN1111.....
    K > 1 ~5
    1 > L ~15
    entry k: K 1 L
    entry n: N M
)";

// The letters of the tasks whose work a path consists of.
inline QString computed(const Drawing& drawing, const CriticalPath& path)
{
    QString text;
    for (const PathStep& step : path.steps)
        if (step.part == PathPart::Compute) text += QLatin1Char(drawing.nameOf(step.task));
    return text;
}

}  // namespace longpole::test
