// SPDX-License-Identifier: GPL-3.0-or-later
// Which PEs or ranks belong together: those of one node or process, and those that call MPI on one communicator.
#pragma once

#include "analysis/results/results.h"
#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace longpole {

struct ProcessGroup {
    QString name;                      // "node 1", "row comm"
    std::vector<ProcessorId> members;  // ascending, fewer than all
    friend bool operator==(const ProcessGroup&, const ProcessGroup&) = default;
};

// Nodes and processes as the timeline has them, then communicators, the largest first, those of one size and name
// together; of those with the same members the first one. O(rows of the timeline + calls), memory of the memberships,
// of which the first 2^20 count. Errors: damaged chunks; cancelled.
Result<std::vector<ProcessGroup>> processGroups(const TraceStore& store, const Progress& progress);

struct ProcessGroupsQuestion {
    using Answer = std::vector<ProcessGroup>;
    static constexpr const char* id = "groups of PEs or ranks";

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& groups);
    friend bool operator==(const ProcessGroupsQuestion&, const ProcessGroupsQuestion&) = default;
};

}  // namespace longpole
