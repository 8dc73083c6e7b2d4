// SPDX-License-Identifier: GPL-3.0-or-later
// The models under which what-if is tested, and what is asked of it.
#pragma once

#include "analysis/whatif/zeroing.h"

#include "support/graphs/drawing.h"
#include "support/graphs/randomgraph.h"

namespace longpole {

enum Model { Messages, Merges, Order, Elapsed };

inline WhatIfModel zeroingModel(const ActivityGraph& graph, int kind)
{
    if (kind == Elapsed) return {PathMode::Elapsed, dependencies(graph, EdgeLevel::Order)};
    return {PathMode::Work, dependencies(graph, static_cast<EdgeLevel>(kind))};
}

inline EntryId entry(std::uint32_t number) { return EntryId{number}; }

inline WhatIfAnswer ask(const ActivityGraph& graph, const WhatIfModel& model, const WhatIf& question)
{
    const auto answers = whatIf(graph, model, {question}, Progress{});
    return answers ? answers->front() : WhatIfAnswer{.net = -1};
}

inline CriticalPath pathOf(const ActivityGraph& graph, const WhatIfModel& model)
{
    if (model.mode == PathMode::Elapsed) return *elapsedPath(graph);
    return *workPath(graph, workHeads(graph, model.edges, Progress{}));
}

inline TimeNs sum(const std::vector<PathProfileRow>& profile)
{
    TimeNs time = 0;
    for (const PathProfileRow& row : profile) time += row.time;
    return time;
}

}  // namespace longpole
