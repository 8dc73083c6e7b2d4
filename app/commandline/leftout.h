// SPDX-License-Identifier: GPL-3.0-or-later
// What --without takes out of paths and waits, and the words that say so.
#pragma once

#include "analysis/noise/uninterrupted.h"
#include "analysis/paths/pathquestions.h"
#include "app/commandline/commandline.h"
#include "core/base/progress.h"
#include "core/base/timerange.h"

#include <optional>
#include <vector>

namespace longpole {

struct LeftOut {
    bool interrupted = false, startup = false;
    bool any() const { return interrupted || startup; }
};
// Empty after a usage error, which was printed: only work paths can do without interruptions.
std::optional<LeftOut> leftOutOf(const CommandLine& line, PathMode mode);

// The range behind the start-up of the run if that is left out; MPI's elapsed path names its own.
Result<TimeRange> rangeWithout(Results& results, const LeftOut& leftOut, TimeRange range, const Progress& progress);

// What was left out of paths, in a line: interruptions, and so much of the start. Empty if nothing.
QString leftOutText(const LeftOut& leftOut, const InterruptedTasks& tasks, TimeNs startUp, bool ofRanks);

// What is left of a range that commands about all paths look at, and what they say of the rest.
struct PathsLeft {
    TimeRange range{};
    QString text{};  // a line, or empty
};
Result<PathsLeft> pathsLeft(Results& results, const LeftOut& leftOut, TimeRange range, const Progress& progress);

// The times in which an interrupted task had begun and not ended, on any rank: in order, disjoint.
std::vector<TimeRange> interruptedTimes(const Noise& noise);
// What was left out of waits, in a line; empty if nothing.
QString leftOutOfWaitsText(const LeftOut& leftOut, const InterruptedTasks& tasks);

}  // namespace longpole
