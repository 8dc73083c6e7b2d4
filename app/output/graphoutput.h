// SPDX-License-Identifier: GPL-3.0-or-later
// A subgraph as JSON (resources/schema/graph.schema.json).
#pragma once

#include "analysis/base/json.h"
#include "analysis/paths/subgraph.h"
#include "core/store/tracestore.h"

namespace longpole {

JsonValue graphJson(const TraceStore& store, const Subgraph& graph);

}  // namespace longpole
