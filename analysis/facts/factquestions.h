// SPDX-License-Identifier: GPL-3.0-or-later
// What the facts of the decision tree take of a run's events, as questions: who knows the answers from elsewhere gives
// them (rankinputs.h).
#pragma once

#include "analysis/results/results.h"
#include "analysis/statistics/objectloads.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace longpole {

// The processors that the tree looks at: nothing is known of one without a log, not even whether it worked.
std::vector<ProcessorId> judgedProcessors(const TraceStore& store);

// User and idle time of these, of equal stages of the run: [processor][stage].
struct StageUse {
    std::vector<TimeNs> user{}, idle{};
};
// Of some processors. Errors: damaged chunks, cancelled.
Result<StageUse> stageUse(const TraceStore& store, const std::vector<ProcessorId>& pes, std::int64_t stages,
                          const Progress& progress);
struct StageUseQuestion {
    using Answer = StageUse;
    static constexpr const char* id = "use by stage";

    std::int64_t stages = 100;

    Result<std::shared_ptr<const StageUse>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const StageUse& use);
    friend bool operator==(const StageUseQuestion&, const StageUseQuestion&) = default;
};

// Overhead in these periods that is start-up or shut-down: what a rank does before MPI_Init has ended and after
// MPI_Finalize has begun, but for the program's own code. The periods are disjoint and in order. O(tasks there, times
// the logarithm of the periods). Errors: damaged chunks; cancelled.
Result<TimeNs> startAndStop(const TraceStore& store, const Processor& processor, const std::vector<TimeRange>& periods,
                            const Progress& progress);
struct StartAndStopQuestion {  // of all ranks
    using Answer = TimeNs;
    static constexpr const char* id = "start and stop";

    std::vector<TimeRange> periods{};

    Result<std::shared_ptr<const TimeNs>> compute(Results& results, const Progress& progress) const;
    std::int64_t bytes(const TimeNs& time) const;
    friend bool operator==(const StartAndStopQuestion&, const StartAndStopQuestion&) = default;
};

// Whose work a processor did in these periods.
struct ProcessorLoadsQuestion {
    using Answer = std::vector<ObjectLoad>;
    static constexpr const char* id = "loads of a processor";

    ProcessorId pe{};
    std::vector<TimeRange> periods{};

    Result<std::shared_ptr<const std::vector<ObjectLoad>>> compute(Results& results, const Progress& progress) const;
    std::int64_t bytes(const std::vector<ObjectLoad>& loads) const;
    friend bool operator==(const ProcessorLoadsQuestion&, const ProcessorLoadsQuestion&) = default;
};

// What the other processors did in these periods beside one.
struct BesideBusy {
    TimeNs idle = 0;  // while it was busy
    // By entry id: its time on that one, times the number of the others, less its time on these. Without those of no
    // time.
    std::vector<std::pair<std::uint32_t, TimeNs>> more{};
};
// Adds a task to times in which a processor is busy; in order of begin.
void addBusy(std::vector<TimeRange>& busy, TimeRange task);
struct BesideBusyQuestion {
    using Answer = BesideBusy;
    static constexpr const char* id = "beside a busy processor";

    ProcessorId pe{};
    std::int64_t others = 0;
    std::vector<TimeRange> periods{};

    Result<std::shared_ptr<const BesideBusy>> compute(Results& results, const Progress& progress) const;
    std::int64_t bytes(const BesideBusy& beside) const;
    friend bool operator==(const BesideBusyQuestion&, const BesideBusyQuestion&) = default;
};

// How much of a range lies in periods, which are disjoint and in order.
TimeNs timeInside(const std::vector<TimeRange>& periods, TimeRange range);

}  // namespace longpole
