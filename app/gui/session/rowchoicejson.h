// SPDX-License-Identifier: GPL-3.0-or-later
// Folded, pinned, chosen and ordered rows as JSON. Tracks are named, so that this fits another trace of the program
// too.
#pragma once

#include "analysis/base/json.h"
#include "core/store/tracestore.h"
#include "views/drawing/timeline/timelinerows.h"

namespace longpole {

JsonValue toJson(const RowChoice& choice, const TraceStore& store);
// Tracks and PEs that the trace does not have are left out.
RowChoice rowChoiceFrom(const JsonValue& object, const TraceStore& store);

}  // namespace longpole
