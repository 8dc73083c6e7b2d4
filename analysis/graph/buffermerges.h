// SPDX-License-Identifier: GPL-3.0-or-later
// Messages that objects buffered until they could act (docs/algorithms.md 1.1, rule R1; Dooley et al. 2010, figures 4
// to 6).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/mergeinference.h"
#include "analysis/graph/taskobjects.h"

#include <vector>

namespace longpole {

struct Buffering {
    std::vector<BufferingEntry> entries;  // by entry
    std::vector<bool> silent;             // per graph task: an execution of theirs that only buffered
};

// An execution acts if it sends or is in `contributes`, and is silent otherwise. An entry method buffers if four times
// the median of its silent executions is less than the median of its acting ones, and at least one in twenty acts. Of
// its executions those that send nothing and take less than a quarter of the acting median only buffered. Times count
// the Structured Dagger blocks that ran on from an execution. O(tasks).
Buffering findBuffering(const ActivityGraph& graph, const TaskObjects& objects, const std::vector<bool>& contributes);

// The edges, in any order; an object is followed to other PEs. That executions of one object follow each other makes
// no edge by itself: independent work that sends nothing gets none.
//  - Executions of a buffering entry that follow each other on one object: from each that only buffered to the next.
//    Where in 19 of 20 cases another buffering entry acts before that (two entries fill one buffer): to that one.
//  - Structured Dagger: a `when` entry's execution without blocks kept its message for the block that otherwise runs on
//    from it. A block that is no `when`'s own body also waited for the bodies that other entries' executions ran since
//    the last such block (overlap), and for that block where it is the one before in 19 of 20 cases (program order).
std::vector<MergeEdge> bufferMerges(const ActivityGraph& graph, const TaskObjects& objects, const Buffering& buffering);

}  // namespace longpole
