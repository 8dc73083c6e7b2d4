// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of profiles: of the run and of a path, by entry method, chare, PE, object or code between calls, and all
// figures of each entry method.
#pragma once

#include "analysis/base/table.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/statistics/entrytable.h"
#include "analysis/statistics/pathshares.h"
#include "analysis/statistics/profile.h"

#include <memory>
#include <vector>

namespace longpole {

// The key of the column that names what a row of the profile is about.
const char* keyOf(ProfileBy by);

// These tables have such a column for each ProfileBy.
Table<ProfileLine> profileTable(const TableScope& scope);
Table<PathShare> pathShareTable(const TableScope& scope);
// For people: names in the column "entry", also that of what was sent outside tasks, which is no entry method.
Table<ProfileLine> withNames(Table<ProfileLine> table);

// The profile of a path by entry method, without the columns that name other things.
Table<PathShare> pathProfileTable(const TableScope& scope);

// The path's own profile by entry method as pathShares() would give it. O(steps).
std::vector<PathShare> entryShares(const TraceStore& store, const CriticalPath& path);

// `path`, which may be null, gives the shares of entry methods on it.
Table<EntryFigures> entryFigureTable(const TableScope& scope, const CriticalPath* path = nullptr);

std::vector<TableInfo> profileTables(Vocabulary words);

}  // namespace longpole
