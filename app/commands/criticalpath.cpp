// SPDX-License-Identifier: GPL-3.0-or-later
// longpole critical-path: the path, its profile and its parts.
#include "analysis/graph/cuts.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/pathrequest.h"
#include "app/commands/commands.h"
#include "app/commands/streaming.h"
#include "app/output/pathoutput.h"
#include "core/trace/format.h"

#include <optional>

namespace longpole {

namespace {

// With the task that --to names; empty after a usage error, which was said.
std::optional<PathRequest> withTarget(const CommandLine& line, PathRequest request)
{
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

// A line for each end of the range at which the program cannot have been, were its clocks right.
QString cutsNote(const ActivityGraph& graph, TimeRange range)
{
    QStringList lines;
    for (const TimeNs time : {range.begin, range.end}) {
        if (time <= graph.run.begin || time >= graph.run.end) continue;
        const ConsistentCut found = consistentCut(graph, time);
        if (found.lowered == 0) continue;
        lines << tr("The cut at %1 is not consistent: tasks begun before what started them was sent: %2; processors "
                    "to stop earlier: %3, by up to %4")
                     .arg(formatTime(time - graph.run.begin), formatCount(found.received), formatCount(found.lowered),
                          formatTime(time - found.lowest));
    }
    return lines.join(QLatin1Char('\n'));
}

// Both, a line each; either may be empty.
QString joined(const QString& a, const QString& b)
{
    if (a.isEmpty() || b.isEmpty()) return a + b;
    return a + QLatin1Char('\n') + b;
}

}  // namespace

ExitCode runCriticalPath(const CommandLine& line)
{
    if (refusesStreamingOptions(line)) return ExitCode::Usage;
    if (line.has("streaming")) return runStreamingPath(line);
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    auto request = pathRequest(line);
    if (request) request = withTarget(line, *request);
    if (!request) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto range = rangeOf(line, *request, trace->store->info().range());
    if (!range) return ExitCode::Usage;
    std::optional<Result<CriticalPath>> path;
    Result<QString> note = QString();
    withProgress(tr("Finding the path"), [&](const Progress& progress) {
        const Result<PathGraph> whole = pathGraph(*trace->store, *request, trace->store->info().range(), progress);
        path = whole ? findPath(*whole, *request, *range, progress) : whole.error();
        if (!*path || *format != OutputFormat::Text) return;
        note = mergesNote(*trace->store, *whole, *request, *range, progress);
        if (note) note = joined(*note, cutsNote(*whole->graph, *range));
    });
    if (!*path) return fail(path->error());
    if (!note) return fail(note.error());
    return deliver(line, [&](Output& output) { writePath(output, *format, *trace->store, **path, *note); });
}

}  // namespace longpole
