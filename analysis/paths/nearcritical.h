// SPDX-License-Identifier: GPL-3.0-or-later
// Near-critical paths (future work of Dooley, Arya, Kale 2010, section 8): the next longest paths that share little
// with those before them (docs/algorithms.md 3).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/slack.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace longpole {

constexpr std::size_t usualNearPaths = 10;

struct NearCriticalOptions {
    std::size_t count = usualNearPaths;
    double slackShare = 0.05;     // only paths with slack up to this share of the length
    double distinctShare = 0.20;  // of a path's weight must lie on tasks of no path before it
    friend bool operator==(const NearCriticalOptions&, const NearCriticalOptions&) = default;
};

// Up to so much slack a path is looked at, of a critical path of that length; and how much of a path of that length has
// to lie on tasks of no path before it.
TimeNs mostSlack(TimeNs length, const NearCriticalOptions& options);
TimeNs leastDistinct(TimeNs length, const NearCriticalOptions& options);

// What is asked if the critical path is alone: the longest other one, whatever its length.
constexpr NearCriticalOptions longestOther{.count = 2, .slackShare = 1, .distinctShare = 0};

// The longest path through a task, with all the fields of a work or elapsed path; slack = critical length - its length;
// distinct = its weight on tasks that no path before it has. An elapsed one has holes between its steps where its tasks
// waited for something that is not on it: its slack in all.
struct NearCriticalPath {
    std::shared_ptr<const CriticalPath> path{};  // never null; of the first, others may have it, too
    TimeNs slack = 0;
    TimeNs distinct = 0;
    std::int64_t processors = 0;  // that it runs on
};

// Longest first; the first is the critical path itself, as workPath and elapsedPath give it, with slack 0. Candidates
// are taken by (slack, task): a task that lies on no reported path gives the longest path through it. Fewer than
// `count` if there are no more. Exact; O(count x tasks) however many candidates there are, mostly far less. `slack` is
// of the model, `heads` of its edges (mode Elapsed: not looked at). Errors: cancelled; mode Sweep.
Result<std::vector<NearCriticalPath>> nearCriticalPaths(const ActivityGraph& graph, const WhatIfModel& model,
                                                        const Slack& slack, const WorkHeads& heads,
                                                        const NearCriticalOptions& options, const Progress& progress);

}  // namespace longpole
