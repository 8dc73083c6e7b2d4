// The activity tables of Dooley, Arya, Kale 2010 (section 4, figures 2 and 3): what each PE's run-time system would
// have recorded, one row per task prefix.
#pragma once

#include "analysis/activitygraph.h"
#include "analysis/criticalpath.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/tracestore.h"

#include <cstdint>
#include <vector>

namespace longpole {

// A row of a PE's table, named by (pe, index) as the paper's edges name it; index counts the prefixes of the PE's graph
// tasks in order of their ends from 0.
struct PrefixId {
    ProcessorId pe{};
    std::int64_t index = -1;  // -1: no prefix of this trace
    friend auto operator<=>(const PrefixId&, const PrefixId&) = default;
};

// An incoming dependency with the duration of the path that ends there.
struct IncomingPath {
    PathEdge edge = PathEdge::Start;
    PrefixId prefix{};
    TimeNs length = 0;
    friend bool operator==(const IncomingPath&, const IncomingPath&) = default;
};

// A prefix ends where a message is sent (`message` is valid) or where the task ends. length: longest path up to its
// end. incoming: the maximal one, which is kept; merged: the others, longest first, which the table forgets.
struct ActivityRow {
    std::int64_t index = 0;
    TaskId task{};
    EntryId entry = noEntry;
    MessageId message{};
    TimeNs begin = 0;   // of the task
    TimeNs end = 0;     // of the prefix
    TimeNs length = 0;
    IncomingPath incoming{};
    std::vector<IncomingPath> merged{};
};

// The table of one PE, in order of index. O(messages and tasks of the PEs that lead into it). Errors: damaged chunks;
// no such PE; cancelled.
Result<std::vector<ActivityRow>> activityTable(const TraceStore& store, const ActivityGraph& graph,
                                               const WorkHeads& heads, ProcessorId pe, const Progress& progress);

}  // namespace longpole
