// SPDX-License-Identifier: GPL-3.0-or-later
// What the scheduler started at once: one execution of an entry method and the Structured Dagger blocks of the same
// object that ran on from it. The unit in which objects buffer and act.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/taskobjects.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace longpole {

struct Activation {
    std::uint32_t root = noTask;  // the execution it began with
    std::uint32_t object = noObject;
    bool isOfRoot = false;              // the root itself ran on this object, not on a thread or a run-time chare
    std::vector<std::uint32_t> blocks;  // of the object, without the run-time system's own; ascending

    std::uint32_t last() const { return blocks.empty() ? root : blocks.back(); }
};

// Calls visit(const Activation&) for each activation of a user's object, in order of the roots. O(tasks).
template <typename Visit>
void forEachActivation(const ActivityGraph& graph, const TaskObjects& objects, Visit visit)
{
    std::vector<std::size_t> at(graph.byProcessor.size(), 0);  // per PE: position of the next task
    const auto isBlock = [&graph](std::uint32_t task) { return (graph.flags[task] & ActivityGraph::BlockEdge) != 0; };
    Activation activation;
    for (std::uint32_t root = 0; root < graph.size(); ++root) {
        const std::span<const std::uint32_t> tasks = graph.byProcessor[graph.pe[root]];
        std::size_t next = ++at[graph.pe[root]];
        if (isBlock(root)) continue;
        activation.root = root;
        activation.object = objects.object[root];
        activation.blocks.clear();
        for (; next < tasks.size() && isBlock(tasks[next]); ++next) {
            const std::uint32_t block = tasks[next];
            if (activation.object == noObject) activation.object = objects.object[block];
            if (activation.object != noObject && objects.object[block] == activation.object)
                activation.blocks.push_back(block);
        }
        activation.isOfRoot = activation.object == objects.object[root];
        if (activation.object != noObject) visit(static_cast<const Activation&>(activation));
    }
}

}  // namespace longpole
