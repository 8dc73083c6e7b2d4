// SPDX-License-Identifier: GPL-3.0-or-later
// What the two forward passes of what-if share (lanes.cpp, lines.cpp): a Pass has run(first, last), which takes tasks
// in order, and values of a type of its own per slot of the LanePlan and per PE.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/elapseddelays.h"
#include "analysis/paths/whatifmodel.h"
#include "analysis/whatif/laneplan.h"
#include "analysis/whatif/lanes.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace longpole {

// What makes tasks wait besides messages and merges: nothing, the task before on their PE, or that task with the delay
// that was recorded between the two (the elapsed model).
enum class PassKind { Unordered, Ordered, Delayed };

inline PassKind passKind(const WhatIfModel& model)
{
    if (model.mode == PathMode::Elapsed) return PassKind::Delayed;
    return keepsOrder(model.edges.level) ? PassKind::Ordered : PassKind::Unordered;
}

// The slot that a task writes to. The last slot belongs to no task: values that no task depends on are written there.
template <typename Values>
[[gnu::always_inline]] inline Values& slotOf(std::vector<Values>& slots, const LanePlan& plan, std::size_t task)
{
    return slots[std::min<std::size_t>(plan.slot[task], slots.size() - 1)];
}

template <typename Values>
[[gnu::always_inline]] inline void fetch(const Values& values)
{
    constexpr std::size_t cacheLine = 64;
    for (std::size_t byte = 0; byte < sizeof(values); byte += cacheLine)
        __builtin_prefetch(reinterpret_cast<const char*>(&values) + byte);
}

// Fetches into the cache what later tasks will read: for the task 32 further on, where the values of its source lie;
// for the one 16 further on, these values.
template <PassKind kind, typename Values>
[[gnu::always_inline]] inline void fetchAhead(const ActivityGraph& graph, const LanePlan& plan,
                                              std::vector<Values>& slots, const std::vector<Values>& ends,
                                              std::uint32_t i)
{
    constexpr std::uint32_t ahead = 16;
    const std::size_t last = graph.size() - 1;
    if (const std::uint32_t from = graph.source[std::min<std::size_t>(i + 2 * ahead, last)]; from != noTask) {
        __builtin_prefetch(plan.slot.data() + from);
        __builtin_prefetch(graph.entry.data() + from);
        if constexpr (kind == PassKind::Delayed) __builtin_prefetch(graph.begin.data() + from);
    }
    const std::size_t near = std::min<std::size_t>(i + ahead, last);
    if (const std::uint32_t from = graph.source[near]; from != noTask) fetch(slots[plan.slot[from]]);
    if constexpr (kind != PassKind::Unordered) fetch(ends[graph.pe[near]]);
    fetch(slotOf(slots, plan, near));
}

// The delays before a task that the elapsed model keeps. To be asked for in the order of tasks, since it also updates
// `free`, which holds when each PE was free in the run as recorded.
template <PassKind kind>
[[gnu::always_inline]] inline ElapsedDelays delaysOf(const ActivityGraph& graph, std::uint32_t i,
                                                     std::vector<TimeNs>& free)
{
    if constexpr (kind != PassKind::Delayed) return {};
    TimeNs& freeAt = free[graph.pe[i]];
    const ElapsedDelays delays = elapsedDelays(graph, i, freeAt);
    freeAt = graph.end(i);
    return delays;
}

template <typename Pass>
void runPlain(Pass& pass, std::uint32_t first, std::uint32_t last)
{
    pass.run(first, last);
}

#ifdef __x86_64__
// The baseline instructions of x86-64 cannot compare 64-bit lanes.
template <typename Pass>
[[gnu::target("avx2")]] void runWide(Pass& pass, std::uint32_t first, std::uint32_t last)
{
    pass.run(first, last);
}
#endif

// Runs the pass over all tasks, block by block; false if cancelled.
template <typename Pass>
bool runAll(Pass& pass, std::size_t tasks, PassProgress& progress)
{
    constexpr std::uint32_t blockTasks = 1u << 15;
    auto run = runPlain<Pass>;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") != 0) run = runWide<Pass>;
#endif
    const auto size = static_cast<std::uint32_t>(tasks);
    for (std::uint32_t first = 0; first < size;) {
        const std::uint32_t last = size - first > blockTasks ? first + blockTasks : size;
        run(pass, first, last);
        if (!progress.advance(last - first)) return false;
        first = last;
    }
    return true;
}

}  // namespace longpole
