// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of AMPI's ranks, each of which may have run on several PEs: one track for each rank.
#pragma once

#include "core/store/tracewriter.h"
#include "importers/common/rowsink.h"
#include "importers/common/spill.h"
#include "importers/common/timedrows.h"

#include <vector>

namespace longpole {

// `parts`: of each PE, in the order of PEs, or of consecutive ones merged. Adds the tracks, and emits the calls.
void emitRankCalls(const std::vector<const TimedRows*>& parts, const Spill& spill, TraceWriter& writer, RowSink& sink);

}  // namespace longpole
