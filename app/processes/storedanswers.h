// SPDX-License-Identifier: GPL-3.0-or-later
// The answers of several processes as the tables of a trace that keeps parts of the events.
#pragma once

#include "app/processes/allanswers.h"
#include "core/store/tracestore.h"

namespace longpole {

// `store`: what the answers are of, with its processors and entry methods.
StoredAnswers storedAnswers(const AllAnswers& answers, const TraceStore& store);

}  // namespace longpole
