// SPDX-License-Identifier: GPL-3.0-or-later
// Which of many procedures hold more than a given part of the critical path, by measuring few sums at a time
// (Hollingsworth 1996, appendix B).
#pragma once

#include "core/base/result.h"
#include "core/base/timerange.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace longpole {

// What the buckets' procedures have of the path together, and the path itself.
struct BucketShares {
    std::vector<TimeNs> shares{};
    TimeNs total = 0;
};
using Buckets = std::vector<std::vector<std::uint32_t>>;
using MeasureBuckets = std::function<Result<BucketShares>(const Buckets& buckets)>;

// The items of 0 .. items - 1 with share x parts > total, ascending. Each round measures 2 x parts buckets, or as many
// as there are items left, and keeps those above the limit: at most ceil(log2(items / (2 parts))) + 2 rounds. Only for
// shares that do not overlap: else more than `parts` items could be above it. Errors: those of `measure`.
struct BucketSearch {
    std::vector<std::uint32_t> found{};
    int rounds = 0;
};
Result<BucketSearch> itemsAbove(std::uint32_t items, std::uint32_t parts, const MeasureBuckets& measure);

}  // namespace longpole
