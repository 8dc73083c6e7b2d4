// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of what-if: entry methods that cost less, and the path as a stream gives it, with what each would gain.
#pragma once

#include "analysis/base/table.h"
#include "analysis/statistics/pathshares.h"
#include "analysis/streaming/storedtrace.h"
#include "analysis/whatif/zeroing.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace longpole {

// `length` of the path as it is: what the gain is a share of.
Table<WhatIfAnswer> whatIfTable(const TableScope& scope, TimeNs length = 0);

// What a procedure of one entry method has of the path, and what the path would be if it cost nothing. The count is not
// known, -1.
struct StreamedShare : PathShare {
    std::size_t procedure = 0;  // its place in the request; noEntry's row is the last and none of them
    std::optional<TimeNs> net;  // if it was asked for
    std::optional<TimeNs> gain;
};
// Most time first, then by entry id; at last, of noEntry, what lies in none of the procedures.
std::vector<StreamedShare> streamedShares(const TraceStore& store, const StreamingRequest& request,
                                          const StreamingResult& result);
Table<StreamedShare> streamedShareTable(const TableScope& scope);

// With a column for each of these shares, too, its key "share_of_" and the entry's id or "others".
Table<StreamingSample> streamingSampleTable(const TableScope& scope, const std::vector<StreamedShare>& shares = {});

std::vector<TableInfo> whatIfTables(Vocabulary words);

}  // namespace longpole
