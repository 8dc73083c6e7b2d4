// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands about paths share: --mode, --edges, --from and --until, and the questions these make.
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
    std::optional<TimeNs> from{};  // this and the next count from the run's begin; for commands that have the options
    std::optional<TimeNs> until{};
    std::optional<TaskId> to{};  // set by commands that have --to
};

EdgeLevel edgesOf(const CommandLine& line);

// Empty after a usage error, which was printed. It needs no trace: a malformed time is an error for any.
std::optional<PathRequest> pathRequest(const CommandLine& line);

// The same for commands about iterations, which take level merges unless told: over the PEs' order a path
// wanders between iterations, and messages alone do not join them.
std::optional<PathRequest> iterationRequest(const CommandLine& line);
EdgeLevel iterationEdges(PathMode mode, EdgeLevel asked, bool isTold);

// The part of the run between --from and --until; empty after a usage error, which was printed, if no time is left.
std::optional<TimeRange> rangeOf(const CommandLine& line, const PathRequest& request, TimeRange run);

// The question and the model of the request for a part of the run, which is taken as a run of its own.
PathQuestion questionOf(const PathRequest& request, const TraceStore& store, TimeRange part);
PathModel modelOf(const PathRequest& request, const TraceStore& store, TimeRange part);

// The path, which names the edge level that was asked for, although for MPI runs another one may have been used.
Result<std::shared_ptr<const CriticalPath>> findPath(Results& results, const PathQuestion& question,
                                                     const Progress& progress);

// A sentence on what merge edges do to a work path, or for one at level messages on what they would do, for which it
// infers them; empty for other paths. Errors: damaged chunks, cancelled.
Result<QString> mergesNote(Results& results, const PathQuestion& question, const Progress& progress);

}  // namespace longpole
