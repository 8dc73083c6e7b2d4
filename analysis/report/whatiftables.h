// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of what-if, entry methods that cost less, and of the streaming critical path with what each of its
// procedures would gain.
#pragma once

#include "analysis/base/table.h"
#include "analysis/statistics/pathshares.h"
#include "analysis/streaming/storedtrace.h"
#include "analysis/whatif/zeroing.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace longpole {

// `length`: the unchanged path's, to which gains relate.
Table<WhatIfAnswer> whatIfTable(const TableScope& scope, TimeNs length = 0);

// The share of the streaming path of a procedure, which is one entry method, and what the path would be if it cost
// nothing. Its count is -1: it is not known.
struct StreamedShare : PathShare {
    std::size_t procedure = 0;   // its place in the request; for the rest, how many procedures there are
    std::optional<TimeNs> net;   // the path's length without it; empty if not asked for
    std::optional<TimeNs> gain;  // likewise: how much shorter that is
};
// Most time first, then by entry id; the last row, of noEntry, is the rest: what lies in none of the procedures.
std::vector<StreamedShare> streamedShares(const TraceStore& store, const StreamingRequest& request,
                                          const StreamingResult& result);
Table<StreamedShare> streamedShareTable(const TableScope& scope);

// Also has a column for each of `shares`, whose key is "share_of_" and the entry's id or "others".
Table<StreamingSample> streamingSampleTable(const TableScope& scope, const std::vector<StreamedShare>& shares = {});

std::vector<TableInfo> whatIfTables(Vocabulary words);

}  // namespace longpole
