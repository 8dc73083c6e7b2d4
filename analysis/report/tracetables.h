// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a trace itself: its totals and its health, traces in the cache, and what a task's messages led to.
#pragma once

#include "analysis/base/table.h"

#include <vector>

namespace longpole {

// A row: a trace. As `longpole info --json` and the report's "trace" say it.
Table<TraceStore> traceTable(const TableScope& scope);
Table<Issue> issueTable(const TableScope& scope);
Table<RecordCount> recordCountTable(const TableScope& scope);

struct CachedTrace {
    QString file;
    std::int64_t bytes = 0;
    TimeNs age = 0;    // since it was opened last
    QString source{};  // empty if the file cannot be opened
};
Table<CachedTrace> cacheTable(const TableScope& scope);

// An execution of a message that a task created, or a creation that nobody executed (no task then).
struct CreatedExecution {
    MessageDetail message;
    TaskId task;
    TimeNs begin = 0;
};
Table<CreatedExecution> createdTable(const TableScope& scope);

std::vector<TableInfo> traceTables(Vocabulary words);

}  // namespace longpole
