// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of call paths: the call tree, and MPI calls by the place that makes them.
#pragma once

#include "analysis/base/table.h"
#include "analysis/mpi/calltree.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

// `total`: the tree's, to which shares relate.
Table<CallTreeRow> callTreeTable(const TableScope& scope, const CallTreeRow& total = {});

enum class CallSitesBy : std::uint8_t { Site, Call, Rank };  // Rank: by site and rank

// MPI calls of one name from one place, on one rank or on all, or of one name.
struct CallSite {
    std::uint32_t path = noCallPath;
    std::optional<RegionId> call{};  // empty: the sum of those that are not listed
    std::optional<std::uint32_t> rank{};
    MpiSums sums;
    std::uint32_t worstRank = 0;  // that spent most time in them
    TimeNs there = 0;
    std::int64_t others = 0;  // how many are not listed
};
// The longest first; at most `most`, and then one row for all others, so that the sums are always those of the run.
std::vector<CallSite> callSites(const std::vector<MpiSiteSums>& sites, CallSitesBy by, std::size_t most);
// `time`: in all MPI calls, to which shares relate.
Table<CallSite> callSiteTable(const TableScope& scope, TimeNs time = 0);

std::vector<TableInfo> callTables(Vocabulary words);

}  // namespace longpole
