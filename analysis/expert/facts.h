// SPDX-License-Identifier: GPL-3.0-or-later
// The facts that all nodes of the decision tree look at: when the run did badly, and how its processors used that time.
#pragma once

#include "analysis/expert/decisiontree.h"
#include "analysis/facts/factquestions.h"
#include "analysis/mpi/waitstates.h"
#include "analysis/projection/stages.h"
#include "analysis/statistics/objectloads.h"
#include "analysis/statistics/utilization.h"

#include <QString>

#include <memory>
#include <span>
#include <vector>

namespace longpole {

// The stages that the tree looks at: the bad periods, or the whole run. Times are sums over its processors.
struct TreeScope {
    std::vector<bool> has{};           // by stage
    std::vector<TimeRange> periods{};  // of adjacent stages, in order
    TimeRange window{};                // the period that lost most
    TimeNs length = 0;                 // of all periods
    bool isWhole = false;
    Usage usage{};
    TimeNs starting = 0;  // of its overhead: start-up and shut-down of ranks
    std::vector<Usage> perPe{};
    IdleByCause idle{};
    std::vector<IdleByCause> byEntry{}, blamed{};  // as of IdleLabels, of its stages
    WorkMeanwhile parallelism{}, synchronization{};

    TimeNs idleOf(IdleCause cause) const { return idle[static_cast<std::size_t>(cause)]; }
    // Start-up and shut-down of ranks are paid once: no loss.
    TimeNs lost() const { return usage.idle + usage.overhead - starting; }
    TimeNs inside(TimeRange range) const;  // O(periods)
};

// How unevenly work is spread over the processors, in the whole run and, as a mean, in its tenths, without time that
// noise added.
struct Imbalance {
    double whole = 0;  // largest / mean - 1, of user time
    double tenths = 0;
    double tasks = 0;      // the same of executions, in the whole run
    TimeNs givenBack = 0;  // PE-time that an even spread would give back: PEs x largest - sum, as work() counts
    std::size_t top = 0;   // number of the processor with most user time
    std::vector<std::size_t> busiest{};  // those that have nearly as much; in order, with it
    int tenthsOfTop = -1;   // in how many of ten tenths it has clearly more than the mean; -1: too short for tenths
    TimeNs noise = 0;       // user time that was taken off before, of tasks that noise had stretched
    bool isAwaited = true;  // false: ranks wait mostly for others than that one
    double work() const { return std::max(whole, tenths); }
};

// The busiest processor, and whether it is a bottleneck: busy nearly always while the others are not, with work most of
// which cannot be moved.
struct Bottleneck {
    std::size_t pe = 0;                 // number of the busiest processor
    double busy = 0, others = 0;        // its user time and the others' mean, as shares of the scope
    bool isBusy = false;                // both shares are beyond their thresholds, and no other is as busy
    std::int64_t asBusy = 0;            // others that are nearly as busy
    bool isAwaited = true;              // false: ranks wait mostly for others than it
    std::vector<ObjectLoad> objects{};  // its objects, most time first, if isBusy
    double fixed = 0;                   // share of its user time that cannot be moved
    bool isOfOne = false;               // that is the work of one object
    bool isOfMany = false;              // its work is many tasks; a single long one is a question of grain size
    EntryId entry = noEntry;            // the entry method that it runs longest beyond the others' mean
    TimeNs more = 0;                    // and how much longer that is
    TimeNs idleBeside = 0;              // idle time of the others while it was busy
    TimeNs givenBack = 0;               // PE-time that spreading its work evenly would give back
    bool isThere() const { return isBusy && isAwaited && isOfMany && fixed > 0.5; }
};

// Overhead of the scope by where it lies: `near` is what tasks around it can have made.
struct OverheadPlaces {
    TimeNs near = 0;
    TimeNs away = 0;
    TimeNs inStartUp = 0;  // of away
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
    std::vector<bool> leftOut{};  // by stage: what thresholds.without takes out, empty if nothing
    std::shared_ptr<const StageUse> use{};
    std::vector<Usage> perStage{};
    std::vector<TimeNs> starting{};  // by stage: what of its overhead is start-up or shut-down of ranks
    IdleLabels labels{};
    WaitStates waits{};             // of an MPI run; empty without ranks
    std::vector<bool> gathering{};  // by entry id, maybe shorter: whether it gathers the program's own reductions
    TreeScope scope{};
    // The bad periods that are long enough to count, whatever the scope is, and the time lost in them.
    std::vector<TimeRange> badPeriods{};
    TimeNs badLoss = 0;
    double worstUtilization = 1;  // of the period that lost most, or of the worst stage without one
    Imbalance imbalance{};
    Bottleneck bottleneck{};
    OverheadPlaces overhead{};
    TimeNs chain = 0;           // that the work path at messages computes
    double chainShare = 0;      // and that is of the run
    TimeNs schedulingGain = 0;  // PE-time that running critical tasks first is predicted to win; 0 if it would not

    double share(TimeNs time) const;  // of the run's processor time, that of processors without a log among it
    TimeNs least() const;             // below it a branch is not followed
    bool isFollowed(TimeNs severity) const { return severity > 0 && severity >= least(); }
    bool isShort() const;  // too few tasks, or too short, to judge
    bool hasTasks() const { return inputs.graph.size() > 0; }
    bool hasMessages() const;
    // Whether one chain of tasks takes most of the run, and whether work is spread unevenly: branches I and D fire on
    // these, and A and G leave to them what they explain.
    bool hasSerialChain() const;
    // Of the PEs' overhead in the whole run: writing of the trace, and time with tracing switched off.
    TimeNs tracing() const;
    // Whether the ranks of an MPI run work one after the other, as messages come: nine tenths of all work are one
    // chain, of which no rank has more than two thirds.
    bool isSerial() const;
    bool isImbalanced() const;  // and an even load would give time back
    // The least duration that spreading the same tasks better can reach: max(W / PEs, critical path at merges).
    TimeNs leastDuration() const;
    TimeNs workPerProcessor() const;
    // The least duration with every task where it is: the user time of the busiest processor.
    TimeNs leastInPlace() const;
    // Idle time that work elsewhere could have filled: tasks waited there, or a reduction or the run's end waited for
    // that work alone.
    TimeNs fillable() const;
    // Idle time in which no task waited anywhere while one processor, or some, worked, less what priorities would gain.
    TimeNs besideOne() const;
    TimeNs besideSome() const;
    bool isLeftOut(std::size_t stage) const { return stage < leftOut.size() && leftOut[stage]; }
    double leftOutShare() const;  // of the run
    // The usage of one processor in a stage: what is neither user nor idle time is overhead, so that the three are the
    // stage's length.
    Usage usage(std::size_t pe, std::size_t stage) const;
    // And in the stages of a period.
    Usage usageIn(TimeRange period, std::size_t pe) const;
};

// The first half of treeFacts(), up to the scope.
Result<TreeFacts> factsOfScope(const TreeInputs& inputs, const Progress& progress);
// Whether work is spread so unevenly that it is asked what of it noise has made. Needs the usage.
bool isUneven(const TreeFacts& facts);
// The part of the bottleneck that needs nothing but the scope: which processor it may be, and whether it is so busy.
void findBusiest(TreeFacts& facts);
// Steps of treeFacts(): set facts.imbalance and facts.bottleneck once the scope is known. Errors: damaged chunks,
// cancelled.
Result<> findImbalance(TreeFacts& facts);
Result<> findBottleneck(TreeFacts& facts);
void findOverhead(TreeFacts& facts);

// Errors: damaged chunks, cancelled.
Result<TreeFacts> treeFacts(const TreeInputs& inputs, const Progress& progress);

// Whether half of the waiting traces back to these processors, by their numbers, or to nobody that is known.
bool areAwaited(const TreeFacts& facts, std::span<const std::size_t> some);

}  // namespace longpole
