// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/pathrequest.h"

#include "analysis/report/findings.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

bool takes(const Command& command, const char* name)
{
    return std::any_of(command.options.begin(), command.options.end(),
                       [name](const CommandOption& option) { return qstrcmp(option.name, name) == 0; });
}

// Work for commands without --mode.
PathMode modeOf(const CommandLine& line)
{
    const QString mode = takes(line.command, "mode") ? line.value("mode") : QString();
    if (mode == QLatin1String("elapsed")) return PathMode::Elapsed;
    return mode == QLatin1String("sweep") ? PathMode::Sweep : PathMode::Work;
}

// The time that an option gives, if the command takes it and it is there.
Result<std::optional<TimeNs>> timeOf(const CommandLine& line, const char* option)
{
    if (!takes(line.command, option) || !line.has(option)) return std::optional<TimeNs>();
    const auto time = parseTime(line.value(option));
    if (!time) return Error{tr("--%1: %2").arg(QLatin1String(option), toText(time.error())), QString(), QString()};
    return std::optional(*time);
}

}  // namespace

EdgeLevel edgesOf(const CommandLine& line)
{
    const QString edges = line.value("edges");
    if (edges == QLatin1String("messages")) return EdgeLevel::Messages;
    return edges == QLatin1String("merges") ? EdgeLevel::Merges : EdgeLevel::Order;
}

std::optional<PathRequest> pathRequest(const CommandLine& line)
{
    PathRequest request{.mode = modeOf(line)};
    if (takes(line.command, "edges")) request.edges = edgesOf(line);
    if (request.mode == PathMode::Elapsed && request.edges != EdgeLevel::Order) {
        usageError(line.command, tr("--mode elapsed implies --edges order"));
        return {};
    }
    const auto from = timeOf(line, "from");
    const auto until = timeOf(line, "until");
    if (!from || !until) {
        usageError(line.command, from ? until.error().what : from.error().what);
        return {};
    }
    request.from = *from;
    request.until = *until;
    return request;
}

std::optional<TimeRange> rangeOf(const CommandLine& line, const PathRequest& request, TimeRange run)
{
    TimeRange range = run;
    const auto inRun = [run](TimeNs time) { return std::clamp(saturatingAdd(run.begin, time), run.begin, run.end); };
    if (request.from) range.begin = inRun(*request.from);
    if (request.until) range.end = inRun(*request.until);
    if (range.isEmpty() && range != run) {
        usageError(line.command,
                   tr("--from and --until leave nothing of the run, which lasts %1").arg(formatTime(run.length())));
        return {};
    }
    return range;
}

Result<PathGraph> pathGraph(const TraceStore& store, const PathRequest& request, TimeRange range,
                            const Progress& progress)
{
    const auto whole = loadActivityGraph(store, progress);
    if (!whole) return whole.error();
    std::shared_ptr<const ActivityGraph> graph = *whole;
    if (range != store.info().range()) graph = clip(*graph, range);
    if (request.edges != EdgeLevel::Merges || request.mode == PathMode::Sweep)
        return PathGraph{graph, dependencies(*graph, request.edges)};
    auto inferred = inferMerges(store, *graph, progress);
    if (!inferred) return inferred.error();
    return PathGraph{graph, dependencies(*graph, request.edges, inferred->edges), std::move(*inferred)};
}

Result<CriticalPath> findPath(const PathGraph& ordered, const PathRequest& request, const Progress& progress)
{
    return findPath(ordered, request, ordered.graph->run, progress);
}

Result<CriticalPath> findPath(const PathGraph& ordered, const PathRequest& request, TimeRange range,
                              const Progress& progress)
{
    const auto find = [&]() -> Result<CriticalPath> {
        switch (request.mode) {
        case PathMode::Elapsed: return elapsedPath(*ordered.graph, range, request.to);
        case PathMode::Sweep: return sweepPath(*ordered.graph, range);
        case PathMode::Work: break;
        }
        return workPath(*ordered.graph, ordered.edges, range, request.to, progress);
    };
    Result<CriticalPath> path = find();
    if (path) path->edges = request.edges;
    return path;
}

Result<QString> mergesNote(const TraceStore& store, const PathGraph& ordered, const PathRequest& request,
                           TimeRange range, const Progress& progress)
{
    const std::size_t recorded = ordered.graph->merges.size();
    if (request.mode != PathMode::Work || request.edges == EdgeLevel::Order) return QString();
    if (request.edges == EdgeLevel::Merges) return tr("With %1").arg(mergesInWords(recorded, ordered.inferred));
    const auto inferred = inferMerges(store, *ordered.graph, progress);
    if (!inferred) return inferred.error();
    if (recorded == 0 && inferred->edges.empty()) return tr("The trace suggests no merge edges");
    const Dependencies edges = dependencies(*ordered.graph, EdgeLevel::Merges, inferred->edges);
    const auto path = workPath(*ordered.graph, edges, range, request.to, progress);
    if (!path) return path.error();
    return tr("With %1: at most %2").arg(mergesInWords(recorded, *inferred), formatTime(path->length));
}

}  // namespace longpole
