// SPDX-License-Identifier: GPL-3.0-or-later
// Judges the checks that a run has to pass before anything is said of it (checks.h lists them).
#pragma once

#include "analysis/expert/health.h"

#include <span>
#include <vector>

namespace longpole {

// A reason to doubt the trace: how far it can still be trusted, and the sentence that says so.
struct Doubt {
    CheckId check = CheckId::Logs;
    Trust trust = Trust::Good;
    double value = 0;
    QString reason{};
};

// All that the import and the graph give reason for, those that are good, too. `health` has its counts.
std::vector<Doubt> doubtsOf(const TraceStore& store, const Health& health);

// All checks, in the order of their list.
std::vector<Check> checksOf(const TraceStore& store, const Health& health, const Disturbances& disturbances,
                            std::span<const Doubt> doubts);

// Those that fail by what the store says without its events being read. O(processors + issues).
std::vector<Check> failedAtOnce(const TraceStore& store);

// How long the ranks of a recording that says how many cores there were could have run and had none, summed over them.
// Where it was not measured that is how long, at least, some of them did not run.
struct CoreWaits {
    TimeNs time = 0;
    double share = 0;  // of the ranks' time
    bool isMeasured = false;
    bool isShort = false;  // fewer cores than ranks
    double used = 1;       // by the ranks, of the cores' time; 1: not known
    // The ranks waited for cores more than they had them, though they used less than half of these.
    bool haveOthersMost() const { return isShort && isMeasured && share > 0.5 && used < 0.5; }
};
CoreWaits coreWaits(const TraceInfo& info);
QString othersText(const CoreWaits& waits);  // that they had most

// The first of them, for who says nothing else.
Check processorTimeCheck(const ProcessorTime& time, const TraceStore& store);

// How long ranks waited in MPI_Finalize for the last one. `last`: null if nobody's end is known.
struct WaitedAtEnd {
    const Processor* last = nullptr;
    TimeNs time = 0;   // of all
    double share = 0;  // of the ranks' time
    bool isMuch() const { return last != nullptr && share > 0.05; }
};
WaitedAtEnd waitedAtEnd(const TraceStore& store);

std::int64_t issueCount(const TraceStore& store, IssueKind kind);
// Whether its entry methods are only numbered, so that none is known to be of a reduction.
bool lacksNames(const TraceStore& store);

}  // namespace longpole
