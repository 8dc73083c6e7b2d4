// SPDX-License-Identifier: GPL-3.0-or-later
// Drops and clamps impossible edges, blocks of tasks at a time.
#include "analysis/graph/edgecheck.h"

#include "core/base/parallel.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::uint32_t tasksPerBlock = 1u << 16;
constexpr std::uint32_t ahead = 32;  // so many tasks ahead, values that lie scattered in memory are fetched

// What one block of tasks found. Times that are too large for the column's own width are stored after all threads are
// done with it.
struct Block {
    Tally clamped, dropped;
    std::vector<ActivityGraph::SendTime> sentApart;
    std::vector<ActivityGraph::SendTime> longOffsets;
};

// The largest offset at which something can have left `source` for `task`.
TimeNs longestOffset(const ActivityGraph& graph, std::uint32_t source, std::uint32_t task)
{
    return std::min(graph.begin[task] - graph.begin[source], graph.duration[source]);
}

// The offset that the message edge of a task can have.
TimeNs checkedOffset(ActivityGraph& graph, std::uint32_t task, Block& block)
{
    const std::uint32_t source = graph.source[task];
    if (source == noTask) return 0;
    if (source >= task) {  // the source begins later: ties are in order already
        block.dropped(task);
        graph.source[task] = noTask;
        return 0;
    }
    const TimeNs limit = longestOffset(graph, source, task);
    const TimeNs offset = graph.offset[task];
    if (offset >= 0 && offset <= limit) return offset;
    block.clamped(task);
    graph.flags[task] |= ActivityGraph::Clamped;
    return std::clamp<TimeNs>(offset, 0, limit);
}

void check(ActivityGraph& graph, std::uint32_t task, const CompactTimes& latency, std::uint32_t position, Block& block)
{
    const TimeNs offset = checkedOffset(graph, task, block);
    if (offset >= TimeNs{CompactTimes::aside}) block.longOffsets.push_back({task, offset});
    else if (offset != graph.offset[task]) graph.offset.set(task, offset);

    std::uint8_t& flags = graph.flags[task];
    const bool hasSent = (flags & TaskColumns::hasSent) != 0;
    flags &= static_cast<std::uint8_t>(~(TaskColumns::hasSent | ActivityGraph::SentApart));
    if (!hasSent) return;
    const TimeNs sent = saturatingSubtract(graph.begin[task], latency[position]);
    const std::uint32_t source = graph.source[task];
    if (sent == (source == noTask ? minTime : graph.begin[source] + offset)) return;
    flags |= ActivityGraph::SentApart;
    block.sentApart.push_back({task, sent});
}

}  // namespace

void checkMessages(ActivityGraph& graph, const CompactTimes& latency, const std::vector<std::uint32_t>& order,
                   EdgeTallies& tallies)
{
    const auto size = static_cast<std::uint32_t>(graph.size());
    std::vector<Block> blocks(size / tasksPerBlock + 1);
    parallelFor(
        blocks.size(),
        [&](std::size_t b) {
            const auto first = static_cast<std::uint32_t>(b * tasksPerBlock);
            const std::uint32_t last = std::min<std::uint32_t>(size - first, tasksPerBlock) + first;
            for (std::uint32_t i = first; i < last; ++i) {
                if (i + ahead < last) {
                    const std::uint32_t source = graph.source[i + ahead];
                    __builtin_prefetch(latency.data() + order[i + ahead]);
                    if (source != noTask) {
                        __builtin_prefetch(graph.begin.data() + source);
                        __builtin_prefetch(graph.duration.data() + source);
                    }
                }
                check(graph, i, latency, order[i], blocks[b]);
            }
        },
        blocks.size() < 4 ? 1 : 0);
    std::size_t apart = 0;
    for (const Block& block : blocks) apart += block.sentApart.size();
    graph.sentApart.reserve(apart);
    for (const Block& block : blocks) {
        tallies.clamped.add(block.clamped);
        tallies.dropped.add(block.dropped);
        for (const ActivityGraph::SendTime& offset : block.longOffsets) graph.offset.set(offset.task, offset.time);
        graph.sentApart.insert(graph.sentApart.end(), block.sentApart.begin(), block.sentApart.end());
    }
}

void checkMerges(ActivityGraph& graph, EdgeTallies& tallies)
{
    std::vector<MergeEdge> kept;
    for (MergeEdge merge : graph.merges) {
        if (merge.source >= merge.task) {
            tallies.mergesDropped(merge.task);
            continue;
        }
        merge.offset = std::clamp<TimeNs>(merge.offset, 0, longestOffset(graph, merge.source, merge.task));
        kept.push_back(merge);
    }
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    graph.merges = std::move(kept);
}

}  // namespace longpole
