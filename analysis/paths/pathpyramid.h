// SPDX-License-Identifier: GPL-3.0-or-later
// A critical path as it is seen from afar: where many steps lie in one slice of time, they are one stretch, by slices
// of growing width.
#pragma once

#include "analysis/paths/criticalpath.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// Steps `first` .. `end` - 1 of the path, which all begin in one slice of time.
struct PathStretch {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    std::uint32_t firstVisit = 0;  // among the level's; those of a stretch follow each other
    std::uint32_t jumps = 0;       // steps over the network, over a merge or from another processor, but for the first
};

// What a stretch does on one processor: computing, or (elapsed path) another part than Compute and Network.
struct PathVisit {
    ProcessorId pe{};
    bool isWaiting = false;
    std::uint32_t steps = 0;
    TimeNs begin = 0;  // of the first of these steps
    TimeNs end = 0;    // of the last one to end
};

struct PathLevel {
    TimeNs width = 0;  // of a slice
    std::vector<PathStretch> stretches{};
    std::vector<PathVisit> visits{};

    std::span<const PathVisit> visitsOf(const PathStretch& stretch) const;
};

class PathPyramid {
public:
    // O(steps * log(steps)); empty for a path that is short enough to be looked at step by step. Cancelled: of no use.
    explicit PathPyramid(const CriticalPath& path, const Progress& progress = Progress{});
    PathPyramid() = default;

    // The level with the widest slices that are no wider than this; null: all have wider ones.
    const PathLevel* level(TimeNs width) const;
    std::span<const PathLevel> levels() const { return m_levels; }  // narrowest slices first
    std::int64_t bytes() const;

private:
    std::vector<PathLevel> m_levels;
};

}  // namespace longpole
