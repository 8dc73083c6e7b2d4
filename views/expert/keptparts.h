// SPDX-License-Identifier: GPL-3.0-or-later
// What a trace that keeps the events of parts of its run has, and how to get more of them, in words for the health
// page.
#pragma once

#include "core/store/tracestore.h"
#include "views/expert/healthpanel.h"

#include <QString>

#include <vector>

namespace longpole {

QString keptVerdict(Vocabulary words);

// One card for what is kept, a line for each rank that has most of it kept, and one for how to keep more. O(ranges).
std::vector<HealthNote> keptNotes(const TraceStore& store);

}  // namespace longpole
