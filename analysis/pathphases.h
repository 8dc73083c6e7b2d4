// A critical path as a string over entry methods, and how long each instance of a phase took on it.
#pragma once

#include "analysis/criticalpath.h"
#include "core/timerange.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// One symbol a task, oldest first: the id of its entry method, and its part on the path.
struct PathString {
    std::vector<std::uint32_t> symbols{};
    std::vector<TimeRange> parts{};
};
PathString pathString(const CriticalPath& path);

// In ns. spread: the median absolute deviation. slow: the instances above median + 3 x spread, in order of time.
struct InstanceDurations {
    TimeNs median = 0;
    TimeNs spread = 0;
    std::vector<std::size_t> slow{};
};
InstanceDurations instanceDurations(std::span<const TimeRange> instances);

}  // namespace longpole
