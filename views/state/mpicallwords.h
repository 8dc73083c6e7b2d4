// SPDX-License-Identifier: GPL-3.0-or-later
// An MPI call in words: the sentence of a readout and the fields of a selection, with whom it waited for.
#pragma once

#include "analysis/mpi/calls.h"
#include "core/base/progress.h"
#include "views/state/selectionfield.h"

#include <QString>

#include <optional>
#include <vector>

namespace longpole {

QString callName(const TraceStore& store, RegionId region);

// Whom a call waited for, and what that rank did meanwhile (analysis/mpi/culpritwork.h).
struct Culprit {
    std::uint32_t rank = 0;
    std::optional<MpiCallRow> call{};  // of that rank
    TaskId task{};                     // its longest piece of that code; invalid: nothing is known
    EntryId entry = noEntry;
};
// Nothing if it waited for nobody. Reads a few chunks.
std::optional<Culprit> culpritOf(const TraceStore& store, const MpiCallRow& call);

// "MPI_Allreduce, 5.2 ms = 4.1 ms wait before + 0.9 ms execution + 0.2 ms wait after; waited 4.1 ms for rank 17, in
// compute_x". Without waits: "MPI_Send, 3.1 us, no wait".
QString callSentence(const TraceStore& store, const MpiCallRow& call);

// All that the trace knows of it; the culprit's call and the code before it can be gone to.
std::vector<SelectionField> callFields(const TraceStore& store, const MpiCallRow& call);

// The calls that formed one collective call with it, by rank; nothing for others. Reads what lies around it of every
// rank. Errors: damaged chunks, cancelled.
Result<std::vector<MpiCallRow>> membersOf(const TraceStore& store, const MpiCallRow& call, const Progress& progress);

// Tables as the selection panel shows them.
struct TableContent;
TableContent membersContent(std::shared_ptr<const TraceStore> store, std::vector<MpiCallRow> members);

}  // namespace longpole
