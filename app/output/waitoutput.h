// SPDX-License-Identifier: GPL-3.0-or-later
// How wait states, their causes and the imbalance of MPI calls are written: text, CSV and JSON.
#pragma once

#include "analysis/mpi/calls.h"
#include "analysis/mpi/waitstates.h"
#include "app/output/output.h"
#include "core/store/tracestore.h"

namespace longpole {

void writeWaits(Output& output, OutputFormat format, const TraceStore& store, const WaitStates& found);
void writeCauses(Output& output, OutputFormat format, const TraceStore& store, const WaitStates& found);
// Per rank and for the program, by both denominators (Korkhov et al., section 5.2), and per call name.
void writeImbalance(Output& output, OutputFormat format, const TraceStore& store, const MpiProfile& profile);

}  // namespace longpole
