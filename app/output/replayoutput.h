// SPDX-License-Identifier: GPL-3.0-or-later
// What a replay predicts, as text, CSV and JSON (resources/schema/replay.schema.json).
#pragma once

#include "analysis/queues/discipline.h"
#include "analysis/replay/replay.h"
#include "app/output/output.h"

namespace longpole {

// `change`: the change that was asked for, as the middle of a sentence; empty if none was. `ordered`: executions that
// waited in a queue; `outOfOrder`: those of them that did not run in the order that the queues had.
struct ReplayAnswer {
    Prediction prediction{};
    QString change{};
    std::int64_t ordered = 0;
    std::int64_t outOfOrder = 0;
    std::vector<RecordedOrder> recordedOrder{};
};

void writeReplay(Output& output, OutputFormat format, const TraceStore& store, const ReplayAnswer& answer);

}  // namespace longpole
