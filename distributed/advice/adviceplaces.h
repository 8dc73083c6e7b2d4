// SPDX-License-Identifier: GPL-3.0-or-later
// Where in the source advice is about, which only the calls of the ranks of its evidence tell.
#pragma once

#include "analysis/scheduling/advice.h"
#include "core/store/tracestore.h"
#include "distributed/transport/transport.h"

#include <vector>

namespace longpole {

// All processes call it, each with a store that has the calls of its ranks only; `advice` is process 0's.
void findPlaces(Transport& transport, const TraceStore& store, std::vector<Advice>& advice);

}  // namespace longpole
