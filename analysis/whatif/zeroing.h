// SPDX-License-Identifier: GPL-3.0-or-later
// What-if on the critical path: its length if chosen entry methods cost a factor of what they do, zero at first
// (logical zeroing, Hollingsworth 1996 section 3 and figure 5; docs/algorithms.md 3). Exact: all entries of a pass are
// lanes of one forward recurrence.
#pragma once

#include "analysis/base/rational.h"
#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/whatifmodel.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace longpole {

// One question: these entry methods together at this factor. Exactly their own time is scaled; what executions nested
// in theirs take is not.
struct WhatIf {
    std::vector<EntryId> entries;
    Rational factor{0, 1};
    friend bool operator==(const WhatIf&, const WhatIf&) = default;
};

// Lengths in ns, rounded half to even where the factor makes fractions; exact is net * factor.denominator.
struct WhatIfAnswer {
    WhatIf question{};
    TimeNs share = 0;                       // time of the entries on the reported path
    TimeNs net = 0;                         // length of the longest path after the change
    TimeNs exactNet = 0;                    // net times the denominator
    TimeNs gain = 0;                        // length - net; negative for factors above one
    EntryId nextCritical = noEntry;         // other entry with most time on the path after the change; noEntry if none
    std::vector<PathProfileRow> profile{};  // of that path, times after the change times the denominator; of thousands
                                            // of questions the rows with most time
};

// Answers in the order of the questions. O(tasks x questions / 16 + paths) on two threads, 8 bytes a task beyond the
// graph and 256 per task in flight. Errors: cancelled; a factor below zero, or so large that lengths overflow; sweep.
Result<std::vector<WhatIfAnswer>> whatIf(const ActivityGraph& graph, const WhatIfModel& model,
                                         const std::vector<WhatIf>& questions, const Progress& progress);

// Every entry method on the path at that factor, by size of gain, then share, then id: "at most gain, then nextCritical
// becomes critical". `path` is the run's, of the same model.
Result<std::vector<WhatIfAnswer>> zeroing(const ActivityGraph& graph, const WhatIfModel& model,
                                          const CriticalPath& path, const Progress& progress, Rational factor = {0, 1});

// How many entry methods of a path it asks about, those with most time on it. `tasks`: of the run, with what is nested
// in them.
std::int64_t mostZeroed(std::int64_t tasks, const CriticalPath& path);

// How many rows of each profile are kept with the answers to so many questions.
std::size_t profileRowsKept(std::size_t questions);

// Whether `a` comes before `b` in the answers of zeroing().
bool gainsMore(const WhatIfAnswer& a, const WhatIfAnswer& b);

// Length of the longest path against the factor of the entries, from 0 to `until`: convex, piecewise linear and never
// falling. The points are both ends and every kink, exact.
struct WhatIfCurve {
    struct Point {
        Rational factor;
        TimeNs length = 0;  // ns, rounded half to even; exactly fixed + slope * factor
        TimeNs fixed = 0;   // time of everything else on the path from this point on (to the right)
        TimeNs slope = 0;   // time of the entries on it
    };
    std::vector<Point> points;  // ascending factors; at least one
    // It has so many kinks that not all were looked for (limits::curveFactors): it may lie above these points.
    bool isRough = false;

    // The length at any factor between the ends, rounded half to even. O(log points).
    TimeNs lengthAt(Rational factor) const;
};

// O(tasks) per eight factors that have to be asked, up to two per point and limits::curveFactors in all, on two
// threads. Errors: cancelled; `until` below zero, too large or too fine; a run of more than 2^53 ns, a hundred days;
// sweep.
Result<WhatIfCurve> whatIfCurve(const ActivityGraph& graph, const WhatIfModel& model,
                                const std::vector<EntryId>& entries, Rational until, const Progress& progress);

}  // namespace longpole
