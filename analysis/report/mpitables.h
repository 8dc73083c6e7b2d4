// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of an MPI run: wait states and their worst waits, what caused them, time in calls by rank and by call.
#pragma once

#include "analysis/base/table.h"
#include "analysis/mpi/calls.h"
#include "analysis/mpi/waitstates.h"

#include <optional>
#include <span>
#include <vector>

namespace longpole {

// A wait and the state that it belongs to, both of the WaitStates that was read.
struct WorstWait {
    const WaitState* state = nullptr;
    const WaitInstance* wait = nullptr;
};
std::vector<WorstWait> worstWaits(const WaitState& state);
Table<WorstWait> worstWaitTable(const TableScope& scope);

// `totalTime` as in WaitStates: what shares are of.
Table<WaitState> waitStateTable(const TableScope& scope, TimeNs totalTime = 0);

// Code with the ranks on which it made others wait, the largest first.
struct DelayCause {
    DelayCost cost;
    std::vector<DelayCost> ranks;
};
std::vector<DelayCause> delayCauses(const WaitStates& found);
// `total` as in WaitStates: what shares are of.
Table<DelayCause> delayCauseTable(const TableScope& scope, TimeNs total = 0);
// Of one rank, as WaitStates::causesByRank lists them.
Table<DelayCost> delayCostTable(const TableScope& scope);

Table<PathImbalance> pathImbalanceTable(const TableScope& scope);

// Sums over the calls of a rank, of all ranks together, or of a call.
struct MpiRow {
    std::optional<std::uint32_t> rank;
    RegionId call{};
    TimeNs program = 0;  // of a rank
    MpiSums sums;
    MpiImbalance imbalance;
};
std::vector<MpiRow> mpiByRank(const MpiProfile& profile);
MpiRow mpiOfProgram(const MpiProfile& profile);
std::vector<MpiRow> mpiByCall(const MpiProfile& profile);  // by time, largest first
Table<MpiRow> mpiRankTable(const TableScope& scope);
// `ranksTime`, ranks x duration: what shares are of.
Table<MpiRow> mpiCallTable(const TableScope& scope, TimeNs ranksTime = 0);

// The calls that formed a collective call.
Table<MpiCallRow> callMemberTable(const TableScope& scope);

std::vector<TableInfo> mpiTables(Vocabulary words);

}  // namespace longpole
