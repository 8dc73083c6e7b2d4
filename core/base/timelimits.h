// SPDX-License-Identifier: GPL-3.0-or-later
// How far from zero the times of a trace may lie, and why arithmetic on them does not overflow, whatever a file says.
//
// Every time that is stored - of the run, of a processor, of a row's begin and end - lies within farthestTime of zero,
// and every difference that is stored - a duration, a part of one, an offset, a latency - within longestTime. The
// writer refuses what does not; so do opening, for the plain tables and the directory, and decoding, for the columns
// (core/file/verification.h, columnlimits.h). From this follows:
//
// 1. The difference of two times fits into a TimeNs, and so does a time plus or minus a stored difference.
// 2. Parts of the run that do not overlap add up to its length at most, which is within longestTime. This is so of the
//    tasks of one PE in an activity graph, which buildGraph() makes disjoint and cuts to the run, of one PE's idle time
//    as processorIdle() gives it, and of the steps of a path, none of which begins before the one before it ends.
//    requireSumOfTimes() says that these of all PEs together are within longestTime, too; no graph is loaded without.
// 3. Nothing else adds up to anything that is known: rows of a file overlap as they like, bytes and counts are what it
//    says. Such sums are saturatingAdd() or addSaturating(), products saturatingMultiply() or Wide.
#pragma once

#include "core/base/timerange.h"

#include <algorithm>

namespace longpole {

constexpr TimeNs farthestTime = TimeNs{1} << 61;  // 73 years
constexpr TimeNs longestTime = 2 * farthestTime;

// What importers read is cut to this, so that differences of it fit, too; the writer refuses what is not near.
constexpr TimeNs farthestRead = longestTime - 1;

constexpr bool isNearZero(TimeNs time) { return time >= -farthestTime && time <= farthestTime; }
// A time that follows from a stored one and a stored difference, which need not be near.
constexpr TimeNs clampedTime(TimeNs time) { return std::clamp(time, -farthestTime, farthestTime); }
constexpr bool isDifference(TimeNs time) { return time >= -longestTime && time <= longestTime; }

static_assert(maxTime - farthestTime > longestTime && minTime + farthestTime < -longestTime);

}  // namespace longpole
