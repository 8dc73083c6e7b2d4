// SPDX-License-Identifier: GPL-3.0-or-later
// Wait states, their causes and the imbalance of MPI calls as text, CSV and JSON (resources/schema/waits*.schema.json).
#pragma once

#include "analysis/mpi/calls.h"
#include "analysis/mpi/waitstates.h"
#include "app/output/output.h"
#include "core/store/tracestore.h"

namespace longpole {

// `none`: what text says where there are no waits.
void writeWaits(Output& output, OutputFormat format, const TraceStore& store, const WaitStates& found,
                const QString& none);
void writeCauses(Output& output, OutputFormat format, const TraceStore& store, const WaitStates& found,
                 const QString& none);
// What text has of causes behind the sum of all waits, which must not be 0.
void writeCauseRows(Output& output, const TraceStore& store, const WaitStates& found);
// By rank, for the program with both denominators (Korkhov et al., section 5.2), and by the name of the call.
void writeImbalance(Output& output, OutputFormat format, const TraceStore& store, const MpiProfile& profile);

}  // namespace longpole
