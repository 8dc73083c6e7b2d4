// The entries of a distributed table, put together from the stats of its operations.
#pragma once

#include "analysis/sharedaccessstats.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

struct TableEntry {
    double key = 0;
    bool isInserted = false;
    std::uint32_t inserter = 0;    // PE of the first insert
    std::int64_t home = -1;        // -1: not recorded
    std::int64_t finds = 0;
    std::int64_t remoteFinds = 0;  // by PEs other than its home
    std::int64_t finders = 0;      // different PEs
    std::uint32_t finder = 0;      // PE of the first find
};

// By key. O(samples log samples).
std::vector<TableEntry> tableEntries(std::span<const SharedSample> samples);

}  // namespace longpole
