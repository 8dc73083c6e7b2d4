// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the critical tasks of an entry method that runs critical and other work could be told apart by their object,
// or by when they run on it (Sinha and Kale, section 6: the last system's objects; docs/algorithms.md 4).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/taskobjects.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace longpole {

enum class SeparationKind : std::uint8_t {
    None,
    Index,      // objects whose index has `value` in `dimension`
    Objects,    // a few objects of which at least half of the time is critical
    Iterations  // from the `value`-th execution of the entry on each object on
};

struct Separation {
    SeparationKind kind = SeparationKind::None;
    EntryId entry = noEntry;
    ChareId chare{};
    int dimensions = 0;
    std::uint32_t dimension = 0;
    std::int64_t value = 0;
    std::vector<std::uint32_t> objects{};  // Index, Objects: their numbers, sorted
    QStringList names{};                   // Objects: "RB2[5,3]"
    double covered = 0;                    // share of the entry's critical time that it holds
    double others = 0;                     // share of its other time
    double worth() const { return covered - others; }
};

// "RB2[5,*]", "RB2[5,3] and RB2[5,4]", "the executions of each object after its first 16".
QString words(const Separation& separation, const TraceStore& store);

// The best separation of each entry method (kind None without one that holds at least three quarters of the
// critical time, 40 points more than of the other). O(tasks + executions of these entries). Errors: damaged chunks,
// cancelled.
Result<std::vector<Separation>> separations(const TraceStore& store, const ActivityGraph& graph,
                                            const TaskObjects& objects, const std::vector<bool>& isCritical,
                                            const std::vector<EntryId>& entries, const Progress& progress);

}  // namespace longpole
