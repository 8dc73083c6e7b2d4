// SPDX-License-Identifier: GPL-3.0-or-later
// A critical path as a string over entry methods, the phases that repeat in it, and the times at which they cut the
// run.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "analysis/phases/phases.h"
#include "core/base/timerange.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

// One symbol a task, oldest first: the id of its entry method, the task, and its part on the path.
struct PathString {
    std::vector<std::uint32_t> symbols{};
    std::vector<TaskId> tasks{};
    std::vector<TimeRange> parts{};
};
PathString pathString(const CriticalPath& path);

struct PhaseQuestion {
    PhaseOptions options{};
    bool collapse = true;  // a run of one entry method is one symbol: iterations of different lengths are alike
    friend bool operator==(const PhaseQuestion&, const PhaseQuestion&) = default;
};

struct PathPhases {
    PathString path{};
    CollapsedRuns searched{};               // without collapsing each task is a run
    std::vector<std::uint32_t> alphabet{};  // each symbol that the path has, in the order in which it first has them
    std::vector<Phase> phases{};
    bool isComplete = true;  // see FoundPhases

    // Of searched symbols [first, last), at least one.
    TimeRange rangeOf(std::size_t first, std::size_t last) const
    {
        return {path.parts[searched.begins[first]].begin, path.parts[searched.begins[last] - 1].end};
    }
};
// Errors: as of phases().
Result<PathPhases> pathPhases(const CriticalPath& path, const PhaseQuestion& question, const Progress& progress);

// Where a phase cuts the run.
enum class PhaseCut : std::uint8_t {
    Iterations,  // its rounds; without them from one begin of its mark to the next: without gaps, also where the path
                 // took another way
    Repeats,     // where its root occurs, exactly
    Instances,   // where all of its pattern occurs: those that its score counts
};

// Chooses the mark of each phase, which pathPhases does: the symbol of its root that the path has least often, unless
// another one comes much more evenly, by the variance of the logarithms of the distances in time (a path that takes one
// of two ways has each only now and then). O(path) for each phase.
void markIterations(PathPhases& phases, const Progress& progress);

// A piece of the path: its symbols [first, last) in PathPhases::searched, and its time; in a round the path may have
// none. An iteration ends where the next one begins, the last one behind the last task in a row whose entry method the
// phase has. Marks in bursts (those of the elements of an array, one after the other) are one begin.
struct PhasePiece {
    std::size_t first = 0;
    std::size_t last = 0;
    TimeRange range{};
    friend bool operator==(const PhasePiece&, const PhasePiece&) = default;
};
// In order of time. O(path). Cancelled, they mean nothing.
std::vector<PhasePiece> phasePieces(const PathPhases& phases, const Phase& phase, PhaseCut cut,
                                    const Progress& progress = {});
// The repeats as iterations begin: of a phase that repeats its root, the root turned so that it begins with its mark.
std::vector<PhasePiece> exactIterations(const PathPhases& phases, const Phase& phase, const Progress& progress = {});
std::vector<TimeRange> rangesOf(std::span<const PhasePiece> pieces);

// In ns. spread: the median absolute deviation. slow: those above median + 3 x spread, in order of time.
struct InstanceDurations {
    TimeNs median = 0;
    TimeNs spread = 0;
    std::vector<std::size_t> slow{};
};
InstanceDurations instanceDurations(std::span<const TimeRange> instances);

}  // namespace longpole
