// SPDX-License-Identifier: GPL-3.0-or-later
// An MPI call in words: a sentence for readouts, and the fields of the selection panel.
#pragma once

#include "analysis/mpi/calls.h"
#include "analysis/mpi/culpritwork.h"
#include "core/base/progress.h"
#include "views/state/selectionfield.h"

#include <QString>

#include <optional>
#include <vector>

namespace longpole {

// Whom a call waited for, and what that rank did meanwhile (analysis/mpi/culpritwork.h).
struct Culprit {
    std::uint32_t rank = 0;
    std::optional<MpiCallRow> call{};  // of that rank; empty: not known
    CulpritWork meanwhile{};
};
// Empty if the call waited for nobody. Reads a few chunks.
std::optional<Culprit> culpritOf(const TraceStore& store, const MpiCallRow& call);

// "MPI_Allreduce, 5.2 ms = 4.1 ms wait before + 0.9 ms execution + 0.2 ms wait after; waited 4.1 ms for rank 17, in
// compute_x". Without waits: "MPI_Send, 3.1 us, no wait".
QString callSentence(const TraceStore& store, const MpiCallRow& call);

// All that the trace knows of the call, with links to the call that it waited for and to the code before it.
std::vector<SelectionField> callFields(const TraceStore& store, const MpiCallRow& call);

// The calls of all ranks that are the same collective call, by rank; none if it is not collective. Reads what lies
// around it on every rank. Errors: damaged chunks, cancelled.
Result<std::vector<MpiCallRow>> membersOf(const TraceStore& store, const MpiCallRow& call, const Progress& progress);

}  // namespace longpole
