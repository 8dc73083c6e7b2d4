// SPDX-License-Identifier: GPL-3.0-or-later
// What a change gained, measured: runs with it and without it, taken in turn, and how sure the difference is.
#pragma once

#include "core/base/timerange.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

struct TrialRun {
    bool isChanged = false;
    TimeNs duration = 0;
    friend bool operator==(const TrialRun&, const TrialRun&) = default;
};

// Gains are 1 - duration with / duration without, of pairs: the n-th run with the change and the n-th without, which
// followed each other, so that what slows the machine down for a while slows both. `low` and `high` are the two ordered
// gains between which the median of all such pairs lies with a probability of nine tenths or more, whatever their
// distribution (the sign test's interval); of fewer than five pairs, which cannot say as much, the least and the
// largest.
struct TrialGain {
    double median = 0;
    double low = 0;
    double high = 0;
    TimeNs without = 0;  // median durations
    TimeNs with = 0;
    int pairs = 0;
    // Whether it is a gain or a loss at all: the interval does not hold 0, and is one.
    bool isDecided() const { return pairs >= leastPairs && (low > 0 || high < 0); }
    static constexpr int leastPairs = 5;
};

// Of as many pairs as there are. Durations must be above 0.
TrialGain trialGain(std::span<const TrialRun> runs);

// The place (from 0) among `pairs` ordered values of the interval's lower end.
int signTestPlace(int pairs);

}  // namespace longpole
