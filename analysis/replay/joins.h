// SPDX-License-Identifier: GPL-3.0-or-later
// What several tasks brought about together: messages that leave when the last of them has run, whichever that is in
// another order. A replay that lets them leave with the task that happened to be the last one in the record would let
// the program go on too early, or too late.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/mergeinference.h"
#include "analysis/graph/reductionmerges.h"
#include "analysis/graph/taskobjects.h"
#include "analysis/replay/counters.h"
#include "core/base/progress.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// The targets leave at the send times they had in the actor, the last member of the record. In a task that is the last
// in another order they leave as long before its end as they did before the actor's - or, if the members share roles,
// the k-th of them to run takes as long as the k-th did.
struct ReplayJoin {
    std::uint32_t actor = noTask;
    std::uint32_t firstMember = 0, members = 0;  // with the actor, ascending
    std::uint32_t firstTarget = 0, targets = 0;  // tasks that the actor's messages started, by send time
    bool sharesRoles = false;
};

struct ReplayJoins {
    std::vector<ReplayJoin> joins;
    std::vector<std::uint32_t> members;
    std::vector<std::uint32_t> targets;
    struct Membership {
        std::uint32_t task;
        std::uint32_t join;
        friend auto operator<=>(const Membership&, const Membership&) = default;
    };
    std::vector<Membership> ofTask;  // sorted

    std::span<const Membership> of(std::uint32_t task) const
    {
        const auto isBefore = [](const Membership& one, std::uint32_t other) { return one.task < other; };
        const auto isAfter = [](std::uint32_t other, const Membership& one) { return other < one.task; };
        const auto first = std::lower_bound(ofTask.begin(), ofTask.end(), task, isBefore);
        return {first, std::upper_bound(first, ofTask.end(), task, isAfter)};
    }
    // Whose role the next member plays while so many are left.
    std::uint32_t role(const ReplayJoin& join, std::uint32_t left) const
    {
        return members[join.firstMember + join.members - left];
    }
};

// The groups from which the edges of an inference come, as a trace shows them; null where there is no trace, and edges
// are all that is known.
struct JoinFacts {
    const TaskObjects* objects = nullptr;
    const Reductions* reductions = nullptr;
    const Counters* counters = nullptr;
};

// The joins of the inferred edges and of reductions, as long as limits::joinMembers allows. O(n log n + members). Of no
// use once cancelled.
ReplayJoins findJoins(const ActivityGraph& graph, const std::vector<MergeEdge>& inferred, const JoinFacts& facts,
                      const Progress& progress = {});

}  // namespace longpole
