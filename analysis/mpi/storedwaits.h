// SPDX-License-Identifier: GPL-3.0-or-later
// The wait states of a run, without causes, as they were found when its trace had all events.
#pragma once

#include "analysis/mpi/waitstates.h"
#include "core/trace/storedanswers.h"

#include <memory>

namespace longpole {

void storeWaits(StoredAnswers& answers, const WaitStates& waits);
// Errors: as requireEvents(), if the trace has no answers; damaged.
Result<std::shared_ptr<const WaitStates>> storedWaits(const TraceStore& store);

}  // namespace longpole
