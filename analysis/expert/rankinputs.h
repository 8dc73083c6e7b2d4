// SPDX-License-Identifier: GPL-3.0-or-later
// All that the expert takes of the events of an MPI run, for runs whose events do not lie in one trace: several
// processes have found it, each of its ranks.
#pragma once

#include "analysis/expert/expert.h"
#include "analysis/facts/factquestions.h"
#include "analysis/mpi/calls.h"
#include "analysis/mpi/waitstates.h"
#include "analysis/noise/noise.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace longpole {

// What is asked once it is known where the run did badly.
struct ScopeNeeds {
    std::vector<TimeRange> periods{};
    TimeRange window{};
    std::optional<ProcessorId> busiest{};  // of what it did, if it may be a bottleneck
    std::int64_t others = 0;               // processors besides it
    bool interruptions = false;            // which tasks they are: work is spread unevenly
    friend bool operator==(const ScopeNeeds&, const ScopeNeeds&) = default;
};

// Adds a task to a graph of nothing but names: its number.
std::uint32_t addNamed(ActivityGraph& graph, TaskId task, std::uint32_t entry);
// Gives the tasks of such a graph their times, all 0, so that it can be read.
void finishNamed(ActivityGraph& graph);

struct RankInputs {
    StageUse use{};
    IdleLabels labels{};  // their tasks are those of `named`
    // The tasks that labels name and those that sent their messages, without times. Any task, if the run has some.
    ActivityGraph named{};
    WaitStates waits{};                                     // with causes
    std::shared_ptr<const CriticalPath> work{}, elapsed{};  // may have millions of steps: there is one of each
    Noise noise{};                                          // its counts and sums

    ScopeNeeds scope{};
    TimeNs starting = 0;
    MpiProfile profile{};                      // by call
    std::vector<StretchedTask> interrupted{};  // of all noise, most lost first
    std::vector<ObjectLoad> loads{};           // of the busiest
    BesideBusy beside{};
};

// What has to be found for the rest, of inputs that have all that is not of the scope. Error: cancelled.
Result<ScopeNeeds> scopeNeeds(const std::shared_ptr<const TraceStore>& store, const RankInputs& inputs,
                              const Thresholds& thresholds, const Progress& progress);

// What ExpertQuestion answers about a trace of the run with all events, but the words of its health, which no advice
// says. `store` has the definitions; no event is read. Errors: thresholds by which other things are asked; cancelled.
Result<std::shared_ptr<const Expert>> expertOfRanks(const std::shared_ptr<const TraceStore>& store,
                                                    const RankInputs& inputs, const Thresholds& thresholds,
                                                    const Progress& progress);

}  // namespace longpole
