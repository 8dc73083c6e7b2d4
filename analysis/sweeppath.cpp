// The sweep (Korkhov et al., ALGORITHMS 2.3): of every group of tasks that overlap, the longest; an approximation that
// shows bottleneck segments.
#include "analysis/criticalpath.h"

#include "analysis/pathprofile.h"

namespace longpole {

namespace {

void take(const ActivityGraph& graph, std::uint32_t task, PathProfile& profile, CriticalPath& path)
{
    const TimeNs end = graph.end(task);
    path.steps.push_back({.task = graph.id(task), .pe = ProcessorId{graph.pe[task]},
                          .entry = EntryId{graph.entry[task]}, .part = PathPart::Compute,
                          .begin = graph.begin[task], .end = end, .weight = graph.duration[task]});
    profile.add(task, end);
    path.length += graph.duration[task];
    path.to = graph.id(task);
}

}  // namespace

Result<CriticalPath> sweepPath(const ActivityGraph& graph)
{
    CriticalPath path{.mode = PathMode::Sweep, .edges = EdgeLevel::Order, .duration = graph.run.length()};
    PathProfile profile(graph);
    std::uint32_t longest = noTask;  // of the open group; the earliest, then lowest PE wins ties by coming first
    TimeNs groupEnd = minTime;
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        if (graph.duration[i] == 0) continue;
        if (graph.begin[i] >= groupEnd) {
            if (longest != noTask) take(graph, longest, profile, path);
            longest = i;
        } else if (graph.duration[i] > graph.duration[longest]
                   || (graph.duration[i] == graph.duration[longest] && graph.begin[i] == graph.begin[longest]
                       && graph.pe[i] < graph.pe[longest])) {
            longest = i;
        }
        groupEnd = std::max(groupEnd, graph.end(i));
    }
    if (longest != noTask) take(graph, longest, profile, path);
    path.parts.compute = path.length;
    path.profile = profile.rows();
    return path;
}

Result<CriticalPath> sweepPath(const ActivityGraph& graph, TimeRange range)
{
    return sweepPath(*clip(graph, range));
}

}  // namespace longpole
