// SPDX-License-Identifier: GPL-3.0-or-later
// longpole graph: up to 500 tasks of the activity graph, as a picture or for other programs.
#include "analysis/paths/taskquestions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/graphoutput.h"
#include "app/output/output.h"
#include "core/trace/format.h"
#include "views/drawing/graphs/graphrender.h"

#include <cstdio>
#include <optional>

namespace longpole {

namespace {

struct GraphRequest {
    QString ending;
    std::size_t most = mostSubgraphNodes;
    std::optional<TaskId> to;
};

// The format that --json, --csv or the ending of -o says. Empty after a usage error, which was printed.
std::optional<QString> endingOf(const CommandLine& line)
{
    const char* wrong = nullptr;
    if (line.has("json") && line.has("csv")) wrong = "--json and --csv exclude each other";
    else if (!line.has("o") && !line.has("json") && !line.has("csv"))
        wrong = "-o FILE is missing: its ending, .png, .svg, .dot, .csv or .json, says what is written";
    if (wrong) {
        usageError(line.command, tr(wrong));
        return {};
    }
    if (line.has("json")) return QStringLiteral("json");
    if (line.has("csv")) return QStringLiteral("csv");
    return line.output.ending;
}

// Reads the options that need no trace. Empty after a usage error, which was printed.
std::optional<GraphRequest> graphRequest(const CommandLine& line)
{
    const auto ending = endingOf(line);
    if (!ending) return {};
    const auto nodes = countOption(line, "nodes", mostSubgraphNodes);
    if (!nodes) return {};
    if (*nodes > static_cast<std::int64_t>(mostSubgraphNodes)) {
        usageError(line.command,
                   tr("--nodes takes at most %1: more cannot be read as a picture").arg(mostSubgraphNodes));
        return {};
    }
    GraphRequest request{.ending = *ending, .most = static_cast<std::size_t>(*nodes), .to = {}};
    if (!line.has("to")) return request;
    const auto task = parseTaskId(line.value("to"));
    if (!task) {
        valueError(line, "to", task.error());
        return {};
    }
    request.to = *task;
    return request;
}

Result<QByteArray> written(const TraceStore& store, const Subgraph& graph, const QString& ending, const Theme& theme)
{
    if (ending == QLatin1String("json")) return dump(graphJson(store, graph));
    if (ending == QLatin1String("csv")) return graphCsv(graph);
    const GraphPicture picture{.graph = &graph, .theme = theme, .isVector = ending == QLatin1String("svg")};
    return ending == QLatin1String("dot") ? graphDot(store, picture) : renderGraph(store, picture);
}

ExitCode runGraph(const CommandLine& line)
{
    const auto request = graphRequest(line);
    if (!request) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const TraceStore& store = *trace->store;
    const auto range = chosenRange(line, store.info());
    const auto pes = chosenProcessors(line, store.info());
    if (!range || !pes || (request->to && !hasTask(line, store, *request->to))) return ExitCode::Usage;
    const SubgraphChoice choice{
        .range = *range, .pes = *pes, .to = request->to, .aroundPath = request->to.has_value(), .most = request->most};
    const auto found = withProgress(tr("Choosing tasks"), [&](const Progress& progress) {
        return trace->results->ask(SubgraphQuestion{edgesOf(line), choice}, progress);
    });
    if (!found) return fail(found.error());
    const Subgraph& graph = **found;
    if (graph.nodes.empty())
        return fail({tr("There is no task to draw."), line.arguments.front(), tr("Widen --range or --pes.")});
    const bool isDark = line.value("theme") == QLatin1String("dark");
    const auto bytes = written(store, graph, request->ending, isDark ? darkTheme() : lightTheme());
    if (!bytes) return fail(bytes.error());
    // CSV has no place for a note about omitted tasks.
    if (const QString omitted = omittedText(graph); !omitted.isEmpty() && request->ending == QLatin1String("csv"))
        std::fprintf(stderr, "%s\n", qPrintable(omitted));
    return deliver(line, [&](Output& output) { output.write(*bytes); });
}

constexpr CommandOption graphOptions[] = {
    {"o", "FILE", "the picture or the graph, by its ending: .png (default), .svg, .dot (Graphviz), .csv or .json",
     nullptr, "png svg dot csv json"},
    {"range", "A..B", "tasks in this part of the run"},
    fromOption,
    untilOption,
    {"pes", "PES", "tasks on these PEs or ranks"},
    {"to", "TASK", "of those, the path that ends at this task and the tasks next to it"},
    {"nodes", "N", "number of tasks, at most 500 (default: 500)"},
    edgesOption,
    {"theme", "THEME", "light (default) or dark", "light dark"},
    jsonOption,
    csvOption,
    symbolsOption,
};

constexpr CommandExample graphExamples[] = {
    {"longpole graph jacobi2d.sts --nodes 60 -o graph.svg",
     "sixty tasks around the critical path, with what they waited for"},
    {"longpole graph jacobi2d.sts --to 1:5 -o path.dot", "the path that ends at a task, for Graphviz"},
};

}  // namespace

extern const Command graphCommand;  // commands.cpp lists it
const Command graphCommand{
    .name = "graph",
    .arguments = "TRACE",
    .summary = "the activity graph itself, up to 500 tasks, as a picture or for Graphviz",
    .description =
        R"(Draws tasks as boxes, a lane for each PE, in order of time, with what each depends on: messages, the order
on its PE, recorded merges, and inferred ones dashed; the work path has a colour of its own. Where there
are more tasks than are drawn the path goes first, and the picture says how many are missing.)",
    .minArguments = 1,
    .maxArguments = 1,
    .drawsPictures = true,
    .options = graphOptions,
    .examples = graphExamples,
    .run = runGraph,
};

}  // namespace longpole
