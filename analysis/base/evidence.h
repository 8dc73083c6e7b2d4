// SPDX-License-Identifier: GPL-3.0-or-later
// Where in the trace something can be seen: a processor, a time range, the tasks concerned. Every finding of the expert
// points to some, and every view can go there.
#pragma once

#include "core/base/ids.h"
#include "core/base/timerange.h"

#include <QString>

#include <vector>

namespace longpole {

// `range` in the trace's clock. tasks: a few, the worst first.
struct Evidence {
    ProcessorId pe{};
    TimeRange range{};
    std::vector<TaskId> tasks{};
    QString text{};  // what is to be seen there: "chain_hop waited 3.1 ms for 11 bulk"
};

}  // namespace longpole
