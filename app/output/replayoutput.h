// SPDX-License-Identifier: GPL-3.0-or-later
// What a replay predicts as text, CSV and the JSON that is documented.
#pragma once

#include "analysis/replay/replay.h"
#include "app/output/output.h"

namespace longpole {

// `change`: what was asked, as the middle of a sentence; empty if nothing was. `outOfOrder` of `ordered` executions did
// not run in the order of their queue.
struct ReplayAnswer {
    Prediction prediction{};
    QString change{};
    std::int64_t ordered = 0;
    std::int64_t outOfOrder = 0;
};

void writeReplay(Output& output, OutputFormat format, const ReplayAnswer& answer);

}  // namespace longpole
