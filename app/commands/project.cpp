// SPDX-License-Identifier: GPL-3.0-or-later
// longpole project: an attribute of the program by stages and processors.
#include "analysis/phases/phasequestions.h"
#include "analysis/projection/projectionquestions.h"
#include "analysis/projection/stagequestions.h"
#include "analysis/report/projectiontables.h"
#include "app/commandline/chartoptions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/projectionoutput.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"
#include "views/drawing/pictures/renderprojection.h"

#include <QBuffer>

#include <algorithm>
#include <optional>

namespace longpole {

namespace {

constexpr std::int64_t usualStages = 100;

// Empty after a usage error, which was printed.
std::optional<ProjectionOutput> wantedView(const CommandLine& line)
{
    ProjectionOutput what;
    if (line.value("view") == QLatin1String("overview"))
        what.view = line.value("over") == QLatin1String("time") ? ProjectionView::OverTime
                                                                : ProjectionView::OverProcessors;
    const QString statistic = line.value("statistic").isEmpty() ? QStringLiteral("together") : line.value("statistic");
    using Kind = Statistic::Kind;
    static const std::pair<const char*, Kind> kinds[] = {{"together", Kind::Together},
                                                         {"mean", Kind::Mean},
                                                         {"max", Kind::Largest},
                                                         {"min", Kind::Least}};
    for (const auto& [name, kind] : kinds)
        if (statistic == QLatin1String(name)) {
            what.statistic.kind = kind;
            return what;
        }
    bool isNumber = false;
    const double percentile = statistic.startsWith(QLatin1Char('p')) ? statistic.mid(1).toDouble(&isNumber) : -1;
    if (!isNumber || percentile < 0 || percentile > 100) {
        usageError(line.command, tr("--statistic takes together, mean, max, min or a percentile such as p90, not '%1'")
                                     .arg(statistic));
        return {};
    }
    what.statistic = {.kind = Kind::Percentile, .percentile = percentile};
    return what;
}

using SharedPath = std::shared_ptr<const CriticalPath>;

PathQuestion pathOf(const PathRequest& request) { return {.mode = request.mode, .edges = request.edges}; }

// The iterations of the first phase of the critical path that --mode and --edges choose. Errors: nothing repeats.
Result<Stages> stagesByIteration(const CommandLine& line, Results& results, TimeRange range)
{
    const PathPhasesQuestion question{pathOf(*iterationRequest(line)), {.options = {.count = 1}}};
    const auto answer = withProgress(tr("Looking for repeated phases"),
                                     [&](const Progress& progress) { return results.ask(question, progress); });
    if (!answer) return answer.error();
    const PathPhases& found = **answer;
    if (found.phases.empty())
        return Error{.what = tr("Nothing repeats along the critical path."),
                     .where = QStringLiteral("--stages iterations"),
                     .hint = tr("Choose a number of stages, or another --mode.")};
    return iterationStages(range, rangesOf(phasePieces(found, found.phases.front(), PhaseCut::Iterations)));
}

Result<Stages> cutByProgram(Results& results, const StageCutQuestion& cut)
{
    const auto stages = results.ask(cut, Progress{});
    if (!stages.ok()) return stages.error();
    return **stages;
}

Result<Stages> wantedStages(const CommandLine& line, Results& results, TimeRange range)
{
    const TraceStore& store = results.store();
    if (line.has("timestep")) {
        const auto timestep = parseTime(line.value("timestep"));
        return timestep ? timestepStages(range, *timestep) : Result<Stages>(timestep.error());
    }
    if (line.value("stages") == QLatin1String("iterations")) return stagesByIteration(line, results, range);
    if (line.has("stages")) return parseStages(QStringLiteral("stages=") + line.value("stages"), range);
    if (!line.has("by")) return equalStages(range, usualStages);
    if (line.value("by") == QLatin1String("phase")) return cutByProgram(results, {.range = range});
    const auto events = parseAttribute(QStringLiteral("events@") + line.value("by"), store);
    if (!events)
        return Error{.what = tr("it takes \"phase\" or a user event of the trace, not \"%1\".").arg(line.value("by")),
                     .where = line.value("by"),
                     .hint = events.error().hint};
    return cutByProgram(results, {.event = RegionId{events->subject.id}, .range = range});
}

bool isAnimation(const CommandLine& line) { return line.value("view") == QLatin1String("animation"); }

Result<QByteArray> drawn(const CommandLine& line, const TraceStore& store, const Projection& projection,
                         const ProjectionOutput& what, const ChartPicture& chart, const GridShape& shape,
                         const SharedPath& path)
{
    const ProjectionPicture picture{.chart = chart, .isLog = line.has("log"), .statistic = what.statistic};
    if (!isAnimation(line)) {
        if (what.view == ProjectionView::Detailed) return renderHeatMap(store, projection, picture);
        return renderOverview(store, projection, what.view == ProjectionView::OverTime, picture);
    }
    AnimationPicture animation{.look = picture, .shape = shape, .path = line.has("path") ? path.get() : nullptr};
    if (line.has("delay")) animation.delay = std::clamp(line.value("delay").toInt(), 1, 60'000);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    Result<> rendered = Unit{};
    withProgress(tr("Drawing"), [&](const Progress& progress) {
        rendered = renderAnimation(store, projection, animation, buffer, progress);
    });
    if (!rendered) return rendered.error();
    return buffer.data();
}

// Says which options contradict each other; empty if none do. Needs no trace.
QString contradiction(const CommandLine& line, const ChartOutput& chart)
{
    if (!line.has("list") && !line.has("attribute")) return tr("--attribute A is missing; --list names all");
    if (line.has("list") && chart.isPicture) return tr("--list is no picture");
    if (isAnimation(line) && !(chart.isPicture && !chart.picture.isVector))
        return tr("an animation is written with -o FILE.png");
    if (chart.isPicture && line.has("stage-set")) return tr("pictures show all stages: give a --range");
    if (line.has("stages") + line.has("timestep") + line.has("by") > 1)
        return tr("--stages, --timestep and --by each cut the run: give one of them");
    if (line.value("view") != QLatin1String("overview") && (line.has("statistic") || line.has("over")))
        return tr("--statistic and --over are about --view overview");
    if (line.has("delay") && line.value("delay").toInt() < 1) return tr("--delay takes milliseconds, 1 or more");
    return {};
}

ExitCode runProject(const CommandLine& line)
{
    const auto chart = chartOutput(line);
    auto what = wantedView(line);
    const auto request = pathRequest(line);
    if (!chart || !what || !request) return ExitCode::Usage;
    if (const QString wrong = contradiction(line, *chart); !wrong.isEmpty()) return usageError(line.command, wrong);
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const TraceStore& store = *trace->store;
    if (line.has("list"))
        return deliver(line, [&](Output& output) {
            std::vector<AttributeSpec> offered;
            for (const AttributeSpec& spec : attributeSpecs())
                if (appliesTo(spec, store)) offered.push_back(spec);
            writeTable(output, chart->format, attributeTable(store), std::span<const AttributeSpec>(offered), store);
        });

    const auto asked = chosenRange(line, store.info());
    const auto pes = chosenProcessors(line, store.info());
    if (!asked || !pes) return ExitCode::Usage;
    const TimeRange range = asked->isEmpty() ? store.info().range() : intersection(*asked, store.info().range());
    const auto attribute = parseAttribute(line.value("attribute"), store);
    if (!attribute) return valueError(line, "attribute", attribute.error());
    if (const QString missing = whyMissing(*attribute, store); !missing.isEmpty())
        return fail(Error{.what = missing,
                          .where = line.value("attribute"),
                          .hint = tr("'longpole project TRACE --list' says what there is.")});
    const auto stages = wantedStages(line, *trace->results, range);
    const bool isOfTrace = line.value("stages") == QLatin1String("iterations")
                           || line.value("by") == QLatin1String("phase");
    if (!stages && isOfTrace) return fail(stages.error());
    if (!stages) {
        const bool isTime = line.has("timestep");
        const QString hint = isTime           ? tr("Write a time such as 500us.")
                             : line.has("by") ? stages.error().hint
                                              : tr("Write a number such as 100, or iterations.");
        return valueError(line,
                          isTime           ? "timestep"
                          : line.has("by") ? "by"
                                           : "stages",
                          {.what = stages.error().what, .where = {}, .hint = hint});
    }
    const auto set = parseStageSet(line.value("stage-set"), stages->count());
    if (!set) return valueError(line, "stage-set", set.error());
    what->stages = *set;
    if (what->stages.size() < stages->count() && what->view == ProjectionView::OverTime)
        return usageError(line.command, tr("--stage-set does not go with --over time: give a --range"));

    const auto shape = parseGridShape(line.value("grid"),
                                      pes->empty() ? static_cast<std::size_t>(store.info().processors) : pes->size());
    if (!shape) return valueError(line, "grid", shape.error());

    SharedPath path;
    std::optional<Result<ProjectionPtr>> projection;
    withProgress(tr("Measuring"), [&](const Progress& progress) {
        if (needsPath(*attribute) || line.has("path")) {
            auto found = trace->results->ask(pathOf(*request), progress);
            if (!found) {
                projection = found.error();
                return;
            }
            path = *found;
        }
        projection = trace->results->ask(AttributeQuestion{.attribute = *attribute,
                                                           .stages = *stages,
                                                           .pes = *pes,
                                                           .path = needsPath(*attribute) ? path : nullptr},
                                         progress);
    });
    if (!*projection) return fail(projection->error());
    if (chart->isPicture)
        return deliverPicture(line, drawn(line, store, ***projection, *what, chart->picture, *shape, path));
    return deliver(line, [&](Output& output) { writeProjection(output, chart->format, store, ***projection, *what); });
}

constexpr CommandOption projectOptions[] = {
    {"attribute", "A", "what: utilization, user, idle, bytes_sent, user@Chare::entry ... or a formula over them"},
    {"list", nullptr, "name all attributes, and why the trace lacks some"},
    {"view", "VIEW",
     "detailed: every stage of every PE (default); overview: all PEs, or all stages, as one; "
     "animation: PEs on a grid, stage after stage, as an animated PNG",
     "overview detailed animation"},
    {"over", "AXIS", "an overview has one value a stage, over PEs (default), or one a PE or rank, over time",
     "processors time"},
    {"statistic", "S",
     "of an overview: together (default: sums, or sum over sum), mean, max, min, or pN: a percentile"},
    {"stages", "N",
     "number of equal stages (default: 100), or \"iterations\": of the first repeated phase, which 'phases' lists"},
    {"timestep", "T", "stages of this length, the last one shorter"},
    {"by", "EVENT", "stages that begin where a user event is marked, or \"phase\": where the program ended its phases"},
    {"stage-set", "SET", "write only these stages, e.g. 1,3-9:3,11"},
    {"range", "A..B", "stages of this part of the run"},
    fromOption,
    untilOption,
    {"pes", "PES", "these PEs or ranks"},
    chartFileOption,
    {"log", nullptr, "a logarithmic scale, of pictures"},
    {"grid", "SHAPE",
     "of an animation: square (default), nodes (one row each), columns, or columns x rows such as 16x8"},
    {"path", nullptr, "of an animation: show the critical path walking over the grid"},
    {"delay", "MS", "of an animation: milliseconds that a stage shows (default: 100)"},
    {"size", "WxH", "of a picture: pixels, e.g. 1920x1080"},
    {"theme", "THEME", "of a picture: light (default) or dark", "light dark"},
    {"mode", "MODE", "for critical_path: which path, as of critical-path", "work elapsed sweep"},
    edgesOption,
    jsonOption,
    csvOption,
    symbolsOption,
};

constexpr CommandExample projectExamples[] = {
    {"longpole project jacobi2d.sts --attribute utilization --stages 10",
     "how busy each PE was in each tenth of the run"},
    {"longpole project jacobi2d.sts --attribute 'bytes_sent / tasks' --view overview --csv",
     "bytes that a task sends, over the run"},
};

}  // namespace

extern const Command projectCommand;  // commands.cpp lists it
const Command projectCommand{
    .name = "project",
    .arguments = "TRACE",
    .summary = "an attribute of the program by stage and PE or rank",
    .description =
        R"(Cuts the run into stages and says what an attribute of the program comes to in each of them on each PE, as
Sinha and Kale project it: time, tasks, messages, bytes, queues, memory, user events, statistics, of the whole
program or of an entry method or chare: user@Jacobi::compute. --list names all. A formula computes with them:
"bytes_sent / tasks", "[user@Jacobi::compute] / user". Values are exact, from every event: of additive
attributes all stages and PEs add up to what info says.)",
    .minArguments = 1,
    .maxArguments = 1,
    .drawsPictures = true,
    .options = projectOptions,
    .examples = projectExamples,
    .run = runProject,
};

}  // namespace longpole
