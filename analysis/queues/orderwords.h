// SPDX-License-Identifier: GPL-3.0-or-later
// What the record shows of the queues of a run, in sentences.
#pragma once

#include "analysis/queues/discipline.h"
#include "core/store/tracestore.h"

#include <QString>

#include <vector>

namespace longpole {

// Empty for queues that were first in, first out.
QString recordedOrderWords(const std::vector<RecordedOrder>& order, const TraceStore& store);

}  // namespace longpole
