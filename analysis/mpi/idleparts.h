// SPDX-License-Identifier: GPL-3.0-or-later
// How the idle time of ranks and what they waited in wait states go together.
#pragma once

#include "core/base/timerange.h"
#include "core/store/rows.h"

#include <QString>

namespace longpole {

// Idle time on the ranks' own threads, in calls that begin in a range: its parts add up to `idle_ns` of the run
// (docs/algorithms.md 7.2).
struct IdleParts {
    TimeNs inStates = 0;    // in wait states
    TimeNs beforeLast = 0;  // in calls with a root or of prefixes, until the last rank had come, beyond a wait state
    TimeNs afterFirst = 0;  // in these calls, after the first rank had left
    TimeNs elsewhere = 0;   // none of it: in wait states, on other threads of the ranks

    // A call on a rank's own thread; `waited`: what its wait states have of it.
    void add(const MpiRow& call, TimeNs waited);
    TimeNs idle() const { return saturatingAdd(inStates, saturatingAdd(beforeLast, afterFirst)); }
    IdleParts& operator+=(const IdleParts& other);
    friend bool operator==(const IdleParts&, const IdleParts&) = default;
};

// A sentence on what idle time is made of.
QString idleSentence(const IdleParts& parts);

}  // namespace longpole
