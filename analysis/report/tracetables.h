// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a trace itself: its totals, soft errors and record counts, traces in the cache, and the executions that
// a task's messages started.
#pragma once

#include "analysis/base/table.h"

#include <vector>

namespace longpole {

// One row per trace: the figures of `longpole info --json` and the "trace" of the report.
Table<TraceStore> traceTable(const TableScope& scope);
// How much of all processors' time within the run it has the events of: 1 of a whole trace, 0 of a summary.
double keptShare(const TraceStore& store);
// From the first record to the begin of the run.
TimeNs beforeBegin(const TraceInfo& info);
Table<Issue> issueTable(const TableScope& scope);
Table<RecordCount> recordCountTable(const TableScope& scope);

struct CachedTrace {
    QString file;
    std::int64_t bytes = 0;
    TimeNs age = 0;    // since it was opened last
    QString source{};  // empty if the file cannot be opened
};
Table<CachedTrace> cacheTable(const TableScope& scope);

// A message that a task created with one of its executions; `task` is invalid if there is none.
struct CreatedExecution {
    MessageDetail message;
    TaskId task;
    TimeNs begin = 0;
};
Table<CreatedExecution> createdTable(const TableScope& scope);

std::vector<TableInfo> traceTables(Vocabulary words);

}  // namespace longpole
