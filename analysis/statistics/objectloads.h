// SPDX-License-Identifier: GPL-3.0-or-later
// Whose work each processor did: user time per object, and which objects could be moved.
#pragma once

#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <QString>

#include <array>
#include <span>
#include <vector>

namespace longpole {

// Time its executions ran themselves on that processor. Elements of chare arrays can be moved; branches of groups, the
// run-time system's and single chares stay.
struct ObjectLoad {
    ProcessorId pe{};
    ChareId chare{};
    std::array<std::int64_t, 6> objectIndex{};
    TimeNs time = 0;
    std::int64_t tasks = 0;
    EntryId entry = noEntry;  // with most of it
    bool canMove = false;
};

// Executions that begin in one of the `periods` on these PEs; by PE, most time first. O(tasks of the PEs). Errors:
// damaged chunks, cancelled.
Result<std::vector<ObjectLoad>> objectLoads(const TraceStore& store, std::span<const ProcessorId> pes,
                                            std::span<const TimeRange> periods, const Progress& progress);

QString nameOfObject(const TraceStore& store, const ObjectLoad& object);

// Moves objects from the processor with most load to the one with least, the largest that lowers the maximum first,
// until none does. `loads` per PE are changed; what was moved comes back as positions in `objects`.
std::vector<std::size_t> greedyMoves(std::vector<TimeNs>& loads, std::span<const ObjectLoad> objects,
                                     std::span<const ProcessorId> pes);

}  // namespace longpole
