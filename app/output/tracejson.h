// SPDX-License-Identifier: GPL-3.0-or-later
// The trace as `longpole info --json` and the report's "trace" say it (resources/schema/info.schema.json).
#pragma once

#include "analysis/base/json.h"
#include "core/store/tracestore.h"

namespace longpole {

JsonValue traceJson(const TraceStore& store);

}  // namespace longpole
