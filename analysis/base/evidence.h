// SPDX-License-Identifier: GPL-3.0-or-later
// Evidence: where in the trace something can be seen, as a processor, a time range and tasks. Every finding of the
// expert has some, and every view can go there.
#pragma once

#include "core/base/ids.h"
#include "core/base/timerange.h"

#include <QString>

#include <optional>
#include <vector>

namespace longpole {

// `range` is in the trace's clock. `tasks`: a few, the worst first.
struct Evidence {
    ProcessorId pe{};
    TimeRange range{};
    std::vector<TaskId> tasks{};
    QString text{};                  // what is to be seen there: "chain_hop waited 3.1 ms for 11 bulk"
    TimeNs time = 0;                 // what `text` says it took, if `sql` shows that
    std::optional<RegionId> call{};  // of which it tells; where that was is where the evidence is
    QString sql{};                   // its column time_ns adds up to `time`; empty: no query says it
};

}  // namespace longpole
