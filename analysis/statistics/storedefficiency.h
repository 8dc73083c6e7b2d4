// SPDX-License-Identifier: GPL-3.0-or-later
// The efficiencies of a run without start-up, as they were found when its trace had all events.
#pragma once

#include "analysis/statistics/efficiency.h"
#include "core/trace/storedanswers.h"

#include <memory>

namespace longpole {

// Nothing is stored of a run with threads besides its ranks: those who compute it here do not look at them.
void storeEfficiency(StoredAnswers& answers, const TraceStore& store, const Efficiency& efficiency);
// Errors: as requireEvents(), if the trace has no such answer; damaged.
Result<std::shared_ptr<const Efficiency>> storedEfficiency(const TraceStore& store);

}  // namespace longpole
