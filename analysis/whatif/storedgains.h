// SPDX-License-Identifier: GPL-3.0-or-later
// What the work path gains if an entry costs nothing, as it was computed when the trace had all events.
#pragma once

#include "analysis/whatif/whatifquestions.h"
#include "core/trace/storedanswers.h"

#include <memory>
#include <vector>

namespace longpole {

// `gains`: of one entry each, at factor 0.
void storeGains(StoredAnswers& answers, const std::vector<WhatIfAnswer>& gains);
// Errors: as requireEvents(), if the trace has no answers; damaged.
Result<std::shared_ptr<const EntryGains>> storedGains(const TraceStore& store);

}  // namespace longpole
