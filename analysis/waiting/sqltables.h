// SPDX-License-Identifier: GPL-3.0-or-later
// Three SQL tables that are computed when they are first read: idle_cause, busy and critical_wait.
#pragma once

#include "analysis/results/results.h"
#include "core/sql/computedtables.h"

#include <memory>
#include <vector>

namespace longpole {

// idle_cause: every nanosecond of idle time once, by what it waited for. busy: when a processor had a task.
// critical_wait: what the tasks of the critical path (level merges) waited for before they started.
std::vector<ComputedTable> waitingTables(const std::shared_ptr<Results>& results);

}  // namespace longpole
