// SPDX-License-Identifier: GPL-3.0-or-later
// Processor time: how much of the time that their tasks took the PEs were running at all, as the CPU times in the logs
// tell (docs/algorithms.md 5).
#pragma once

#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace longpole {

enum class CpuClock : std::uint8_t {
    Absent,  // the logs carry no CPU time
    Coarse,  // what they carry is too coarse, or too little, to tell anything
    Usable
};

// Times are sums over tasks: what they ran themselves by the wall clock, and their CPU time.
struct PeProcessorTime {
    ProcessorId pe{};
    TimeNs busy = 0;
    TimeNs cpu = 0;
    TimeNs notRunning = 0;
    friend bool operator==(const PeProcessorTime&, const PeProcessorTime&) = default;
};

struct TaskNotRunning {
    TaskId task;
    EntryId entry = noEntry;
    TimeRange range{};
    TimeNs busy = 0;
    TimeNs cpu = 0;
    TimeNs notRunning = 0;  // at least
    friend bool operator==(const TaskNotRunning&, const TaskNotRunning&) = default;
};

// The clock of a thread advances in ticks, or when the thread calls the system. No task can have more CPU time than
// wall time, so that the largest excess found tells how wrong a CPU time may be. A task was not running if it had
// surely no processor for more than half of its time; what is not sure counts as running.
struct ProcessorTime {
    static constexpr std::size_t parts = 10;  // of the run, equal

    CpuClock clock = CpuClock::Absent;
    TimeNs busy = 0;
    TimeNs cpu = 0;
    TimeNs error = 0;       // a CPU time may be wrong by so much
    TimeNs notRunning = 0;  // of busy, at least
    // Of that, in entry methods nearly all of whose tasks do not run and have next to no CPU time: so do those that
    // sleep, or wait in the system.
    TimeNs sleeping = 0;
    std::int64_t tasksNotRunning = 0;
    double cores = 0;                           // CPU time over busy time, summed over the PEs that were busy
    std::vector<PeProcessorTime> pes{};         // in the store's order
    std::array<PeProcessorTime, parts> over{};  // the same of tasks that begin in each tenth; without PE
    std::vector<TaskNotRunning> longest{};      // most time first
    std::vector<bool> sleeps{};                 // by entry id, may be shorter: what `sleeping` is of

    // What a task of `wall`, with `time` of the CPU, surely did not run, if that is more than half of it; else 0.
    // Negative CPU time: unknown.
    TimeNs notRunningOf(TimeNs wall, TimeNs time) const;
    // Whether a task of `wall` surely ran for most of it.
    bool surelyRan(TimeNs wall, TimeNs time) const;
    bool isSleeping(EntryId entry) const { return index(entry) < sleeps.size() && sleeps[index(entry)]; }
    double share() const { return busy > 0 ? double(notRunning) / double(busy) : 0; }
    double cpuShare() const { return busy > 0 ? double(cpu) / double(busy) : 0; }
};

// Two passes over the tasks. Errors: damaged chunks; cancelled.
Result<ProcessorTime> processorTime(const TraceStore& store, const Progress& progress);

}  // namespace longpole
