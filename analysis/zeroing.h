// What-if on the critical path: its length if chosen entry methods cost a factor of what they do, zero at first
// (logical zeroing, Hollingsworth 1996 section 3 and figure 5; ALGORITHMS 3). Exact: all entries of a pass are lanes of
// one forward recurrence.
#pragma once

#include "analysis/activitygraph.h"
#include "analysis/criticalpath.h"
#include "analysis/rational.h"
#include "core/progress.h"
#include "core/result.h"

#include <cstdint>
#include <vector>

namespace longpole {

// One question: these entry methods together at this factor.
struct WhatIf {
    std::vector<EntryId> entries;
    Rational factor{0, 1};
};

// Lengths in ns, rounded half to even where the factor makes fractions; exact is net * factor.denominator.
struct WhatIfAnswer {
    WhatIf question;
    TimeNs share = 0;          // time of the entries on the reported path
    TimeNs net = 0;            // length of the longest path after the change
    TimeNs exactNet = 0;       // net times the denominator
    TimeNs gain = 0;           // length - net; negative for factors above one
    EntryId nextCritical = noEntry;  // other entry with most time on the path after the change; noEntry if none
    std::vector<PathProfileRow> profile;  // of that path, times after the change times the denominator
};

// Mode Work: edges as they say. Mode Elapsed: the recorded run again, with observed latencies, queue gaps and
// scheduling overhead kept as fixed delays and the processors' order kept; factor one gives the duration exactly.
// Sweep is an approximation and answers nothing: error. Negative factors: error.
struct WhatIfModel {
    PathMode mode = PathMode::Work;
    Dependencies edges{};
};

// Answers in the order of the questions. O(questions / 16 x tasks). Errors: cancelled; a factor below zero or so large
// that lengths overflow.
Result<std::vector<WhatIfAnswer>> whatIf(const ActivityGraph& graph, const WhatIfModel& model,
                                         const std::vector<WhatIf>& questions, const Progress& progress);

// Every entry method on the path at factor zero, largest gain first, then share, then id: "at most gain, then
// nextCritical becomes critical".
Result<std::vector<WhatIfAnswer>> zeroing(const ActivityGraph& graph, const WhatIfModel& model,
                                          const CriticalPath& path, const Progress& progress);

// Length of the longest path against the factor of the entries, from 0 to `until`: convex, piecewise linear and never
// falling. The points are both ends and every kink, exact.
struct WhatIfCurve {
    struct Point {
        Rational factor;
        Rational length;         // ns
        TimeNs slope = 0;        // time of the entries on the path from this point on (to the right)
    };
    std::vector<Point> points;   // ascending factors
};
Result<WhatIfCurve> whatIfCurve(const ActivityGraph& graph, const WhatIfModel& model,
                                const std::vector<EntryId>& entries, Rational until, const Progress& progress);

}  // namespace longpole
