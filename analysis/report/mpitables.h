// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of an MPI run: wait states, their worst waits and their causes, and the time in calls by rank and by call.
#pragma once

#include "analysis/base/table.h"
#include "analysis/mpi/calls.h"
#include "analysis/mpi/waitstates.h"

#include <optional>
#include <span>
#include <vector>

namespace longpole {

// A wait and its state; points into the WaitStates of which it was made.
struct WorstWait {
    const WaitState* state = nullptr;
    const WaitInstance* wait = nullptr;
};
std::vector<WorstWait> worstWaits(const WaitState& state);
Table<WorstWait> worstWaitTable(const TableScope& scope);

// `totalTime`: WaitStates::totalTime, to which shares relate.
Table<WaitState> waitStateTable(const TableScope& scope, TimeNs totalTime = 0);

// Code that made others wait, with its costs on each rank, largest first.
struct DelayCause {
    DelayCost cost;
    std::vector<DelayCost> ranks;
};
std::vector<DelayCause> delayCauses(const WaitStates& found);
// `total`: WaitStates::total, to which shares relate.
Table<DelayCause> delayCauseTable(const TableScope& scope, TimeNs total = 0);
// For costs on single ranks, as in WaitStates::causesByRank.
Table<DelayCost> delayCostTable(const TableScope& scope);

Table<PathImbalance> pathImbalanceTable(const TableScope& scope);

// Sums over the calls of one rank, of all ranks together, or of one name.
struct MpiSumsRow {
    std::optional<std::uint32_t> rank;
    RegionId call{};
    TimeNs program = 0;  // time outside MPI of the rank or ranks
    MpiSums sums;
    MpiImbalance imbalance;
};
std::vector<MpiSumsRow> mpiByRank(const MpiProfile& profile);
MpiSumsRow mpiOfProgram(const MpiProfile& profile);
std::vector<MpiSumsRow> mpiByCall(const MpiProfile& profile);  // by time, largest first
Table<MpiSumsRow> mpiRankTable(const TableScope& scope);
// `ranksTime`: ranks x duration, to which shares relate.
Table<MpiSumsRow> mpiCallTable(const TableScope& scope, TimeNs ranksTime = 0);

// For the members of a collective call.
Table<MpiCallRow> callMemberTable(const TableScope& scope);

std::vector<TableInfo> mpiTables(Vocabulary words);

}  // namespace longpole
