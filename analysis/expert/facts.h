// SPDX-License-Identifier: GPL-3.0-or-later
// What the nodes of the decision tree look at, found once: where in time the run did badly, and how its processors used
// that time.
#pragma once

#include "analysis/expert/decisiontree.h"
#include "analysis/mpi/waitstates.h"
#include "analysis/projection/stages.h"
#include "analysis/statistics/objectloads.h"
#include "analysis/statistics/utilization.h"

#include <QString>

#include <vector>

namespace longpole {

// The stages that the tree looks at: the bad periods, or the whole run. Times are sums over its processors.
struct TreeScope {
    std::vector<bool> has{};           // by stage
    std::vector<TimeRange> periods{};  // of adjacent stages, in order
    TimeRange window{};                // the one that lost most
    TimeNs length = 0;                 // of all periods
    bool isWhole = false;
    Usage usage{};
    std::vector<Usage> perPe{};
    IdleByCause idle{};
    WorkMeanwhile parallelism{}, synchronization{};

    TimeNs idleOf(IdleCause cause) const { return idle[static_cast<std::size_t>(cause)]; }
    TimeNs lost() const { return usage.idle + usage.overhead; }
    TimeNs inside(TimeRange range) const;  // O(periods)
};

// How unevenly the scope's work lies, over all of it and (mean) over its tenths, without what noise added to it.
struct Imbalance {
    double whole = 0;  // largest / mean - 1, of user time
    double tenths = 0;
    double tasks = 0;     // of executions, over the run
    std::size_t top = 0;  // number of the processor with most user time
    TimeNs noise = 0;     // user time that was taken off first: of tasks that something else stretched, now and then
    double work() const { return std::max(whole, tenths); }
};

// The busiest processor, where it is busy nearly always, the others are not, and most of what it does stays there.
struct Bottleneck {
    std::size_t pe = 0;                 // number of the busiest processor
    double busy = 0, others = 0;        // user time, share of the scope; of the others on average
    bool isBusy = false;                // both are beyond their thresholds
    std::vector<ObjectLoad> objects{};  // of that processor, most time first, where isBusy
    double fixed = 0;                   // share of its user time that cannot be moved
    bool isOfMany = false;              // tasks: a single long one is a question of grain size
    EntryId entry = noEntry;            // that it runs more of than the others do, and how much longer than their mean
    TimeNs more = 0;
    TimeNs idleBeside = 0;  // of the others, while it was busy
    TimeNs givenBack = 0;   // PE-time, if its work were spread evenly
    bool isThere() const { return isBusy && isOfMany && fixed > 0.5; }
};

struct TreeFacts {
    const TreeInputs& inputs;
    const Progress& progress;
    std::vector<ProcessorId> pes{};  // without comm threads
    TimeNs duration = 0;             // T
    TimeNs processorTime = 0;        // T x PEs
    TimeNs work = 0;                 // user time
    std::int64_t tasks = 0;
    Stages stages{};
    std::vector<std::vector<Usage>> usage{};  // [pe][stage]
    std::vector<Usage> perStage{};
    IdleLabels labels{};
    WaitStates waits{};             // of an MPI run; empty without ranks
    std::vector<bool> gathering{};  // by entry id, perhaps shorter: gathers the program's own reductions
    TreeScope scope{};
    // Bad periods of at least the length that counts, whatever was made the scope; the worst of them (in share lost).
    std::vector<TimeRange> badPeriods{};
    TimeNs badLoss = 0;
    double worstUtilization = 1;  // of the period that lost most, or of the worst stage without one
    Imbalance imbalance{};
    Bottleneck bottleneck{};
    double chainShare = 0;      // of the run that the work path at messages computes
    TimeNs schedulingGain = 0;  // PE-time that running critical tasks first is predicted to win; 0 if it would not

    double share(TimeNs time) const { return processorTime > 0 ? double(time) / double(processorTime) : 0; }
    TimeNs least() const;  // below it a branch is not followed
    bool isFollowed(TimeNs severity) const { return severity > 0 && severity >= least(); }
    bool isShort() const;  // too few tasks, or too short, to judge
    bool hasTasks() const { return inputs.graph.size() > 0; }
    bool hasMessages() const;
    // Whether one chain of tasks takes most of the run, and whether its work is spread unevenly (I and D build on it,
    // A and G leave to them what they explain).
    bool hasSerialChain() const;
    bool isImbalanced() const;
    // From which the run cannot be brought down by spreading the same tasks better: max(W / PEs, critical path at
    // merges).
    TimeNs leastDuration() const;
    TimeNs workPerProcessor() const;
    // With every task where it is, it cannot be shorter than the user time of the busiest processor.
    TimeNs leastInPlace() const;
    // Idle time that work elsewhere could have filled: tasks waited there, or only it held a reduction or the run's end
    // up.
    TimeNs fillable() const;
    // Idle time with nothing waiting anywhere while one processor, or some, worked, but for what priorities would win.
    TimeNs besideOne() const;
    TimeNs besideSome() const;
    // Of one processor, in the stages of a period.
    Usage usageIn(TimeRange period, std::size_t pe) const;
    TimeNs startOf(TimeNs time) const { return time - stages.whole().begin; }  // since the run's begin
};

// Steps of treeFacts(): set facts.imbalance and facts.bottleneck once the scope is known. Errors: damaged chunks,
// cancelled.
Result<> findImbalance(TreeFacts& facts);
Result<> findBottleneck(TreeFacts& facts);

// Errors: damaged chunks, cancelled.
Result<TreeFacts> treeFacts(const TreeInputs& inputs, const Progress& progress);

}  // namespace longpole
