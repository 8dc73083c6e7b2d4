// SPDX-License-Identifier: GPL-3.0-or-later
// Executions that took longer than a limit: the analysis of docs/developer/add-an-analysis.md.
#pragma once

#include "analysis/base/table.h"
#include "analysis/report/analyses.h"
#include "analysis/results/results.h"

#include <vector>

namespace longpole {

struct LongTask {
    TaskId task;
    EntryId entry = noEntry;
    TimeNs begin = 0;
    TimeNs time = 0;
};

// Longest first; ties: by task. O(tasks). Errors: damaged chunks; cancelled.
struct LongTasksQuestion {
    using Answer = std::vector<LongTask>;
    static constexpr const char* id = "long tasks";

    TimeNs longerThan = 0;

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& tasks);
    friend bool operator==(const LongTasksQuestion&, const LongTasksQuestion&) = default;
};

Table<LongTask> longTaskTable(const TableScope& scope);

extern const Analysis longTasksAnalysis;

}  // namespace longpole
