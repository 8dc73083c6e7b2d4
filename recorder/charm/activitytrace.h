// SPDX-License-Identifier: GPL-3.0-or-later
// Hears of every task and message of one PE, as Charm++'s tracers do, and writes them into the log in memory.
#ifndef LONGPOLE_ACTIVITYTRACE_H
#define LONGPOLE_ACTIVITYTRACE_H

#include "activitylog.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace longpole_module {

// Whether this Charm++ tells its tracers anything (--enable-tracing).
bool canTrace();
// At the start of a PE that is to have one.
void beginTrace(bool records, std::size_t mostBytes);

// Of this PE; null where there is none.
ActivityLog *activityLog();
// Off: tasks are counted and nothing else, until it is on again with an empty log.
void setRecording(bool isOn);
std::uint64_t tasksSoFar();

// When executions of chares that are alone (no array, no group) began on this PE, by entry method: what a program's
// iterations can be told by. Only while somebody wants it.
struct LoneExecution {
    std::uint16_t entry;
    std::int64_t begin;
};
void noteLoneExecutions(std::vector<LoneExecution> *to);

}  // namespace longpole_module

#endif
