// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands about paths have in common: --mode, --edges, --from and --until, and what they ask.
#pragma once

#include "analysis/paths/pathquestions.h"
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

// What it asks about a part of the run, as a run of its own.
PathQuestion questionOf(const PathRequest& request, const TraceStore& store, TimeRange part);
PathModel modelOf(const PathRequest& request, const TraceStore& store, TimeRange part);

// The path with the edge level that was asked for, also where ranks make it another one.
Result<std::shared_ptr<const CriticalPath>> findPath(Results& results, const PathQuestion& question,
                                                     const Progress& progress);

// What merge edges do to the work path, or what inferred ones would do to one at level messages, in a sentence; empty
// for other paths. The latter infers them. Errors: damaged chunks, cancelled.
Result<QString> mergesNote(Results& results, const PathQuestion& question, const Progress& progress);

}  // namespace longpole
