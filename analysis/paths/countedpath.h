// SPDX-License-Identifier: GPL-3.0-or-later
// A critical path with how many tasks and processors are on it, which processor carries most of it, and how it looks
// from afar: what is said of a path that is shown, and what it is drawn from.
#pragma once

#include "analysis/paths/pathpyramid.h"
#include "analysis/paths/pathquestions.h"

#include <cstdint>
#include <memory>
#include <utility>

namespace longpole {

struct CountedPath {
    std::shared_ptr<const CriticalPath> path{};
    std::int64_t tasks = 0;
    std::int64_t processors = 0;
    ProcessorId busiest{};  // the one with most of the path; of several the first
    TimeNs onBusiest = 0;   // its time on the path
    TimeNs until = 0;       // timeUntilEnd()
    std::shared_ptr<const PathPyramid> pyramid{};
};

std::int64_t processorsOn(const CriticalPath& path);

// How long after the begin of the run a path to a task ends; of others the run's duration.
TimeNs timeUntilEnd(const PathQuestion& question, const CriticalPath& path, TimeNs begin);

struct CountedPathQuestion {
    using Answer = CountedPath;
    static constexpr const char* id = "path and its counts";

    PathQuestion path{};
    // False, for those who only speak of it: its steps, most of what a path takes, are not kept for this answer, and
    // there is no pyramid.
    bool hasSteps = true;

    Result<std::shared_ptr<const CountedPath>> compute(Results& results, const Progress& progress) const;
    std::int64_t bytes(const CountedPath& counted) const;  // a path with steps counts by itself
    friend bool operator==(const CountedPathQuestion&, const CountedPathQuestion&) = default;
};

}  // namespace longpole
