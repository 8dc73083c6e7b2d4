// SPDX-License-Identifier: GPL-3.0-or-later
// Slack by one backward pass over the tasks: each pushes its tail, the longest way from its begin to the end, to what
// it depends on, so that no edges have to be turned round (docs/algorithms.md 3).
#include "analysis/paths/slack.h"

#include "analysis/base/bigarray.h"
#include "analysis/paths/elapseddelays.h"
#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/base/translate.h"

#include <algorithm>
#include <tuple>

namespace longpole {

namespace {

// Tasks between two looks at whether to stop.
constexpr std::uint32_t slacksPerLook = 1u << 14;
// So many tasks before its turn, what a task depends on is fetched into the cache.
constexpr std::uint32_t ahead = 32;

// Calls pass(first, last) for blocks of [0, size), the last one first; false if cancelled.
template <typename Pass>
bool blocksBackwards(std::uint32_t size, const Progress& progress, Pass pass)
{
    for (std::uint32_t last = size; last > 0;) {
        if (progress.isCancelled()) return false;
        const std::uint32_t first = last > slacksPerLook ? last - slacksPerLook : 0;
        pass(first, last);
        last = first;
        progress.report(1.0 - static_cast<double>(last) / size);
    }
    return true;
}

// What is stored for a task once nothing can lengthen its tail any more: the tail itself, or the slack.
struct KeepTail {
    TimeNs operator()(std::uint32_t, TimeNs tail) const { return tail; }
};
struct TakeSlack {
    const TimeNs* head;
    TimeNs length;
    TimeNs operator()(std::uint32_t task, TimeNs tail) const { return length - head[task] - tail; }
};

// Tasks [first, last) of the backward pass of mode Work. `tails` holds what later tasks pushed; `after` per PE the tail
// of the first task behind the block, 0 without one; used if `ordered`.
template <bool ordered, bool merging, typename Final>
void tailsOf(const ActivityGraph& graph, const Dependencies& edges, std::uint32_t first, std::uint32_t last,
             std::vector<TimeNs>& after, TimeNs* tails, Final final)
{
    const std::uint32_t* const pe = graph.pe.data();
    const std::uint32_t* const source = graph.source.data();
    const std::uint32_t* const offset = graph.offset.data();
    const std::uint32_t* const duration = graph.duration.data();
    TimeNs* const next = after.data();
    const auto firstMerge = edges.merges.begin();
    auto merge = mergesFrom(edges.merges, last);
    for (std::uint32_t i = last; i-- > first;) {
        if (i >= ahead && source[i - ahead] != noTask) __builtin_prefetch(tails + source[i - ahead], 1);
        TimeNs rest = duration[i] != CompactTimes::aside ? TimeNs{duration[i]} : graph.duration[i];
        if constexpr (ordered) rest += next[pe[i]];
        const TimeNs tail = std::max(rest, tails[i]);
        if constexpr (ordered) next[pe[i]] = tail;
        if (source[i] != noTask) {
            TimeNs& before = tails[source[i]];
            before = std::max(before, tail + (offset[i] != CompactTimes::aside ? TimeNs{offset[i]} : graph.offset[i]));
        }
        if constexpr (merging)
            for (; merge != firstMerge && (merge - 1)->task == i; --merge) {
                TimeNs& before = tails[(merge - 1)->source];
                before = std::max(before, tail + (merge - 1)->offset);
            }
        tails[i] = final(i, tail);
    }
}

template <typename Final>
bool backwardPass(const ActivityGraph& graph, const Dependencies& edges, std::vector<TimeNs>& tails, Final final,
                  const Progress& progress)
{
    std::vector<TimeNs> after(graph.byProcessor.size(), 0);
    const bool ordered = keepsOrder(edges.level);
    const bool merging = !edges.merges.empty();
    const auto pass = ordered ? (merging ? tailsOf<true, true, Final> : tailsOf<true, false, Final>)
                              : (merging ? tailsOf<false, true, Final> : tailsOf<false, false, Final>);
    return blocksBackwards(static_cast<std::uint32_t>(graph.size()), progress,
                           [&](std::uint32_t first, std::uint32_t last) {
                               pass(graph, edges, first, last, after, tails.data(), final);
                           });
}

// Mode Work with heads that are there already.
bool fromHeads(const ActivityGraph& graph, const WorkHeads& heads, Slack& slack, const Progress& progress)
{
    const std::uint32_t end = farthestEnd(graph, heads);
    if (end == noTask) return true;
    slack.length = heads.head[end] + graph.duration[end];
    slack.slack = bigArray<TimeNs>(graph.size());
    return backwardPass(graph, heads.edges, slack.slack, TakeSlack{heads.head.data(), slack.length}, progress);
}

// Mode Work from nothing: forward and backward at once.
bool fromBothEnds(const ActivityGraph& graph, Slack& slack, const Progress& progress)
{
    WorkHeads heads;
    bool finished = false;
    parallelFor(2, [&](std::size_t part) {
        if (part == 0) {
            slack.slack = bigArray<TimeNs>(graph.size());
            finished = backwardPass(graph, slack.model.edges, slack.slack, KeepTail{}, progress);
        } else {
            heads = workHeads(graph, slack.model.edges, Progress{});
        }
    });
    if (!finished || heads.head.size() != graph.size()) return false;
    // The longest tail is that of the task with which the critical path begins.
    for (const TimeNs tail : slack.slack) slack.length = std::max(slack.length, tail);
    for (std::size_t i = 0; i < graph.size(); ++i) slack.slack[i] = slack.length - heads.head[i] - slack.slack[i];
    return true;
}

// When the PE of each task became free for it: at the end of the task before it on its PE, or at the run's begin.
// Blocks of tasks are asked for from the last one back.
class FreeTimes {
public:
    explicit FreeTimes(const ActivityGraph& graph) : m_graph(graph), m_left(graph.byProcessor.size())
    {
        for (std::size_t pe = 0; pe < m_left.size(); ++pe) m_left[pe] = graph.byProcessor[pe].size();
    }

    struct Before {
        std::uint32_t previous;  // noTask
        TimeNs free;
    };
    // Of tasks [first, last): element i - first. Two passes, so that no look-up has to wait for the one before it.
    const std::vector<Before>& of(std::uint32_t first, std::uint32_t last)
    {
        m_before.resize(last - first);
        for (std::uint32_t i = last; i-- > first;) {
            const std::size_t row = --m_left[m_graph.pe[i]];
            m_before[i - first].previous = row > 0 ? m_graph.byProcessor[m_graph.pe[i]][row - 1] : noTask;
        }
        for (Before& before : m_before)
            before.free = before.previous != noTask ? m_graph.end(before.previous) : m_graph.run.begin;
        return m_before;
    }

private:
    const ActivityGraph& m_graph;
    std::vector<std::size_t> m_left;  // tasks per PE that were not asked for
    std::vector<Before> m_before;
};

// Mode Elapsed, where the head of a task is the time from the run's begin to its own.
bool fromElapsedDelays(const ActivityGraph& graph, Slack& slack, const Progress& progress)
{
    slack.length = graph.run.length();
    slack.slack = bigArray<TimeNs>(graph.size());
    TimeNs* const tails = slack.slack.data();
    const TimeNs atLeast = delayAfterLastEnd(graph);
    FreeTimes freeTimes(graph);
    const auto pass = [&](std::uint32_t first, std::uint32_t last) {
        const std::vector<FreeTimes::Before>& before = freeTimes.of(first, last);
        for (std::uint32_t i = last; i-- > first;) {
            const auto [previous, free] = before[i - first];
            if (const std::uint32_t source = i >= ahead ? graph.source[i - ahead] : noTask; source != noTask) {
                __builtin_prefetch(graph.begin.data() + source);
                __builtin_prefetch(tails + source, 1);
            }
            const TimeNs tail = std::max(tails[i], graph.duration[i] + atLeast);
            const ElapsedDelays delays = elapsedDelays(graph, i, free);
            if (previous != noTask)
                tails[previous] = std::max(tails[previous], graph.duration[previous] + delays.order + tail);
            if (const std::uint32_t source = graph.source[i]; source != noTask)
                tails[source] = std::max(tails[source], graph.offset[i] + delays.message + tail);
            tails[i] = slack.length - (graph.begin[i] - graph.run.begin) - tail;
        }
    };
    return blocksBackwards(static_cast<std::uint32_t>(graph.size()), progress, pass);
}

bool areOf(const WorkHeads& heads, const Dependencies& edges)
{
    return heads.edges.level == edges.level && heads.edges.merges == edges.merges;
}

}  // namespace

Error noSlackInSweep()
{
    return {.what = tr("The sweep has no slack."),
            .where = QString(),
            .hint = tr("Its segments are an approximation; ask for the slack of the work or elapsed path.")};
}

Result<std::shared_ptr<const Slack>> slackOfTasks(const ActivityGraph& graph, const WhatIfModel& model,
                                                  const WorkHeads* heads, const Progress& progress)
{
    if (model.mode == PathMode::Sweep) return noSlackInSweep();
    auto slack = std::make_shared<Slack>();
    slack->model = model;
    bool finished = false;
    if (model.mode == PathMode::Elapsed) finished = fromElapsedDelays(graph, *slack, progress);
    else if (heads && heads->head.size() != graph.size()) finished = false;
    else if (heads && areOf(*heads, model.edges)) finished = fromHeads(graph, *heads, *slack, progress);
    else finished = fromBothEnds(graph, *slack, progress);
    if (!finished) return cancelledError();
    return std::shared_ptr<const Slack>(std::move(slack));
}

std::vector<std::uint32_t> leastSlackFirst(const Slack& slack, TimeNs atMost, std::size_t limit)
{
    std::vector<std::uint32_t> tasks;
    for (std::uint32_t i = 0; i < slack.slack.size(); ++i)
        if (slack.slack[i] <= atMost) tasks.push_back(i);
    const auto isLess = [&slack](std::uint32_t a, std::uint32_t b) {
        return std::tie(slack.slack[a], a) < std::tie(slack.slack[b], b);
    };
    if (limit < tasks.size()) {
        std::nth_element(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(limit), tasks.end(), isLess);
        tasks.resize(limit);
    }
    std::sort(tasks.begin(), tasks.end(), isLess);
    return tasks;
}

}  // namespace longpole
