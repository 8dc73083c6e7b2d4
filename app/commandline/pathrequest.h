// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands about paths have in common: --mode, --edges, --from and --until, and the graph that they ask for.
#pragma once

#include "analysis/graph/mergeinference.h"
#include "analysis/paths/criticalpath.h"
#include "app/commandline/commandline.h"
#include "core/base/progress.h"
#include "core/store/tracestore.h"

#include <memory>
#include <optional>

namespace longpole {

struct PathRequest {
    PathMode mode = PathMode::Work;
    EdgeLevel edges = EdgeLevel::Order;
    std::optional<TimeNs> from{};  // after the begin of the run; of the commands that have --from and --until
    std::optional<TimeNs> until{};
    std::optional<TaskId> to{};  // of the commands that have --to, which read it themselves
};

EdgeLevel edgesOf(const CommandLine& line);

// Empty after a usage error, which was said. A malformed time is one whatever the trace is.
std::optional<PathRequest> pathRequest(const CommandLine& line);

// The part of the run between --from and --until; empty after a usage error, which was said: nothing is left.
std::optional<TimeRange> rangeOf(const CommandLine& line, const PathRequest& request, TimeRange run);

// The run, or that part of it as a run of its own, and what orders its tasks besides their messages: at level merges,
// inferred merges too.
struct PathGraph {
    std::shared_ptr<const ActivityGraph> graph;
    Dependencies edges;
    MergeInference inferred{};  // at level merges
};

// Errors: damaged chunks, cancelled.
Result<PathGraph> pathGraph(const TraceStore& store, const PathRequest& request, TimeRange range,
                            const Progress& progress);

// The path that the request names, of the graph or of a range of it.
Result<CriticalPath> findPath(const PathGraph& ordered, const PathRequest& request, const Progress& progress);
Result<CriticalPath> findPath(const PathGraph& ordered, const PathRequest& request, TimeRange range,
                              const Progress& progress);

// What merge edges do to the work path, or what inferred ones would do to one at level messages, in a sentence; empty
// for other paths. The latter infers them. Errors: damaged chunks, cancelled.
Result<QString> mergesNote(const TraceStore& store, const PathGraph& ordered, const PathRequest& request,
                           TimeRange range, const Progress& progress);

}  // namespace longpole
