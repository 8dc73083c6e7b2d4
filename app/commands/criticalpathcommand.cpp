// longpole critical-path: the path, its profile and its parts.
#include "app/commands/commands.h"
#include "app/commands/commandtrace.h"
#include "app/output/jsonoutput.h"
#include "app/output/pathoutput.h"
#include "core/format.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace longpole {

namespace {

struct PathRequest {
    PathMode mode = PathMode::Work;
    EdgeLevel edges = EdgeLevel::Order;
    std::optional<TaskId> to;
};

PathMode modeOf(const CommandLine& line)
{
    const QString mode = line.value("mode");
    if (mode == QLatin1String("elapsed")) return PathMode::Elapsed;
    return mode == QLatin1String("sweep") ? PathMode::Sweep : PathMode::Work;
}

EdgeLevel edgesOf(const CommandLine& line)
{
    const QString edges = line.value("edges");
    if (edges == QLatin1String("messages")) return EdgeLevel::Messages;
    return edges == QLatin1String("merges") ? EdgeLevel::Merges : EdgeLevel::Order;
}

// Empty after a usage error, which was said.
std::optional<PathRequest> pathRequest(const CommandLine& line)
{
    PathRequest request{modeOf(line), edgesOf(line), {}};
    if (request.mode == PathMode::Elapsed && request.edges != EdgeLevel::Order) {
        usageError(line.command, tr("--mode elapsed implies --edges order"));
        return {};
    }
    if (!line.has("to")) return request;
    if (request.mode == PathMode::Sweep) {
        usageError(line.command, tr("--to does not go with --mode sweep: its segments end at no task"));
        return {};
    }
    const auto task = parseTaskId(line.value("to"));
    if (!task) {
        usageError(line.command, tr("--to: %1").arg(toText(task.error())));
        return {};
    }
    request.to = *task;
    return request;
}

// The part of the run between --from and --until; empty after a usage error, which was said.
std::optional<TimeRange> rangeOf(const CommandLine& line, TimeRange run)
{
    TimeRange range = run;
    for (const char* option : {"from", "until"}) {
        if (!line.has(option)) continue;
        const auto time = parseTime(line.value(option));
        if (!time) {
            usageError(line.command, tr("--%1: %2").arg(QLatin1String(option), toText(time.error())));
            return {};
        }
        TimeNs& edge = qstrcmp(option, "from") == 0 ? range.begin : range.end;
        edge = std::clamp(saturatingAdd(run.begin, *time), run.begin, run.end);
    }
    if (range.isEmpty() && range != run) {
        usageError(line.command, tr("--from and --until leave nothing of the run, which lasts %1")
                                     .arg(formatTime(run.length())));
        return {};
    }
    return range;
}

Result<CriticalPath> findPath(const ActivityGraph& graph, const PathRequest& request, const Progress& progress)
{
    switch (request.mode) {
    case PathMode::Elapsed: return elapsedPath(graph, request.to);
    case PathMode::Sweep: return sweepPath(graph);
    case PathMode::Work: break;
    }
    return workPath(graph, workHeads(graph, request.edges, progress), request.to);
}

Result<CriticalPath> findPath(const TraceStore& store, const PathRequest& request, TimeRange range)
{
    std::optional<Result<CriticalPath>> path;
    withProgress(tr("Finding the path"), [&](const Progress& progress) {
        auto graph = loadActivityGraph(store, progress);
        if (!graph) {
            path = graph.error();
            return;
        }
        std::shared_ptr<const ActivityGraph> part = *graph;
        if (range != store.info().range()) part = clip(*part, range);
        path = findPath(*part, request, progress);
        if (*path) (*path)->edges = request.edges;
    });
    return std::move(*path);
}

}  // namespace

ExitCode runCriticalPath(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const auto request = pathRequest(line);
    if (!request) return ExitCode::Usage;
    // A malformed time is a usage error whatever the trace is.
    for (const char* option : {"from", "until"})
        if (const auto time = parseTime(line.has(option) ? line.value(option) : QStringLiteral("0")); !time)
            return usageError(line.command, tr("--%1: %2").arg(QLatin1String(option), toText(time.error())));
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto range = rangeOf(line, trace->store->info().range());
    if (!range) return ExitCode::Usage;
    const auto path = findPath(*trace->store, *request, *range);
    if (!path) return fail(path.error());
    return deliver(line, [&](Output& output) { writePath(output, *format, *trace->store, *path); });
}

}  // namespace longpole
