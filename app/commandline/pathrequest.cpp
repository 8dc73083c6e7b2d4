// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/pathrequest.h"

#include "analysis/graph/graphquestions.h"
#include "analysis/report/findings.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

// The mode that --mode gives; work for commands that do not have the option.
PathMode modeOf(const CommandLine& line)
{
    const QString mode = line.takes("mode") ? line.value("mode") : QString();
    if (mode == QLatin1String("elapsed")) return PathMode::Elapsed;
    return mode == QLatin1String("sweep") ? PathMode::Sweep : PathMode::Work;
}

// The time that an option gives, if the command takes it and it is there. False after a usage error, which was printed.
bool readTime(const CommandLine& line, const char* option, std::optional<TimeNs>& time)
{
    if (!line.takes(option) || !line.has(option)) return true;
    const auto read = parseTime(line.value(option));
    if (read) time = *read;
    else valueError(line, option, read.error());
    return read.ok();
}

// --from and --until in one, which count from the run's begin as well. False after a usage error, which was printed.
bool readTimes(const CommandLine& line, PathRequest& request)
{
    const bool standsForBoth = line.takes("range") && line.takes("from");
    if (!standsForBoth || !line.has("range"))
        return readTime(line, "from", request.from) && readTime(line, "until", request.until);
    if (line.has("from") || line.has("until")) {
        usageError(line.command, tr("--range excludes --from and --until, which it stands for"));
        return false;
    }
    const auto range = parseRange(line.value("range"), {0, maxTime});
    if (!range) return valueError(line, "range", range.error()) == ExitCode::Fine;
    request.from = range->begin;
    request.until = range->end;
    return true;
}

}  // namespace

EdgeLevel edgesOf(const CommandLine& line)
{
    const QString edges = line.value("edges");
    if (edges == QLatin1String("messages")) return EdgeLevel::Messages;
    if (edges == QLatin1String("data")) return EdgeLevel::Data;
    return edges == QLatin1String("merges") ? EdgeLevel::Merges : EdgeLevel::Order;
}

std::optional<PathRequest> pathRequest(const CommandLine& line)
{
    PathRequest request{.mode = modeOf(line)};
    if (line.takes("edges")) request.edges = edgesOf(line);
    if (request.mode == PathMode::Elapsed && request.edges != EdgeLevel::Order) {
        usageError(line.command, tr("--mode elapsed implies --edges order"));
        return {};
    }
    if (!readTimes(line, request)) return {};
    return request;
}

EdgeLevel iterationEdges(PathMode mode, EdgeLevel asked, bool isTold)
{
    return mode == PathMode::Work && !isTold ? EdgeLevel::Merges : asked;
}

std::optional<PathRequest> iterationRequest(const CommandLine& line)
{
    auto request = pathRequest(line);
    if (request) request->edges = iterationEdges(request->mode, request->edges, line.has("edges"));
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

PathQuestion questionOf(const PathRequest& request, const TraceStore& store, TimeRange part)
{
    return {.mode = request.mode, .edges = request.edges, .to = request.to, .part = partOf(store, part)};
}

PathModel modelOf(const PathRequest& request, const TraceStore& store, TimeRange part)
{
    return {.mode = request.mode, .edges = request.edges, .part = partOf(store, part)};
}

Result<std::shared_ptr<const CriticalPath>> findPath(Results& results, const PathQuestion& question,
                                                     const Progress& progress)
{
    auto path = results.ask(question, progress);
    if (!path || (*path)->edges == question.edges) return path;
    auto named = std::make_shared<CriticalPath>(**path);
    named->edges = question.edges;
    return std::shared_ptr<const CriticalPath>(std::move(named));
}

Result<QString> mergesNote(Results& results, const PathQuestion& question, const Progress& progress)
{
    if (question.mode != PathMode::Work || keepsOrder(question.edges)) return QString();
    const auto graph = results.ask(GraphQuestion{question.part}, progress);
    if (!graph) return graph.error();
    const auto inferred = results.ask(MergesQuestion{question.part}, progress);
    if (!inferred) return inferred.error();
    const QString merges = mergesInWords((*graph)->merges.size(), **inferred);
    if (question.edges == EdgeLevel::Merges) return tr("With %1").arg(merges);
    if ((*graph)->merges.empty() && (*inferred)->edges.empty()) return tr("The trace suggests no merge edges");
    PathQuestion withMerges = question;
    withMerges.edges = EdgeLevel::Merges;
    const auto path = results.ask(withMerges, progress);
    if (!path) return path.error();
    return tr("With %1: at most %2").arg(merges, formatTime((*path)->length));
}

}  // namespace longpole
