// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of where time went: of the run and of a path by entry method, chare, PE, object or calls, and what is
// known of each entry method.
#pragma once

#include "analysis/base/table.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/statistics/entrytable.h"
#include "analysis/statistics/pathshares.h"
#include "analysis/statistics/profile.h"

#include <memory>
#include <vector>

namespace longpole {

// The column that says what rows of a profile are about.
const char* keyOf(ProfileBy by);

// With such a column for each ProfileBy.
Table<ProfileLine> profileTable(const TableScope& scope);
Table<PathShare> pathShareTable(const TableScope& scope);

// By entry method, without the keys of others.
Table<PathShare> pathProfileTable(const TableScope& scope);

// What a path itself knows of its entry methods, in the form of pathShares(). O(steps).
std::vector<PathShare> entryShares(const TraceStore& store, const CriticalPath& path);

// `path` gives the entry methods' shares of it; may be null.
Table<EntryFigures> entryFigureTable(const TableScope& scope, const CriticalPath* path = nullptr);

std::vector<TableInfo> profileTables(Vocabulary words);

}  // namespace longpole
