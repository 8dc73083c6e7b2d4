// SPDX-License-Identifier: GPL-3.0-or-later
// The work path and the slack of a run as they were computed when its trace had all events
// (core/trace/storedanswers.h).
#pragma once

#include "analysis/paths/criticalpath.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "core/trace/storedanswers.h"

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace longpole {

// `functions`: by step where its task ran, a call path; may be empty.
void storePath(StoredAnswers& answers, const CriticalPath& path, std::span<const std::uint32_t> functions);
// The work path at level Order of the whole run. Errors: as requireEvents(), if the trace has no answers; damaged.
Result<std::shared_ptr<const CriticalPath>> storedPath(const TraceStore& store);
// Where tasks on the path ran, by task; those of which it is known.
std::unordered_map<std::uint64_t, std::uint32_t> storedFunctions(const TraceStore& store);
constexpr std::uint64_t functionKey(TaskId task) { return std::uint64_t{index(task.pe)} << 32 | task.index; }

struct StoredSlack {
    struct Task {
        TaskId task{};
        EntryId entry = noEntry;
        TimeNs begin = 0;
        TimeNs end = 0;
        TimeNs slack = 0;
    };
    TimeNs length = 0;          // of the path
    std::int64_t tasks = 0;     // of the run
    std::int64_t without = 0;   // of these, without slack
    std::vector<Task> least{};  // least slack first; not all tasks
};
void storeSlack(StoredAnswers& answers, const StoredSlack& slack);
Result<StoredSlack> storedSlack(const TraceStore& store);

// The answers' one row of single figures, which others fill, too.
std::span<std::int64_t> figuresOf(StoredAnswers& answers);
// The figures of a trace that has answers. Error: as requireEvents().
Result<std::span<const std::int64_t>> storedFigures(const TraceStore& store);
// What a table holds that no run can have.
Error damagedAnswers(const TraceStore& store);

}  // namespace longpole
