// longpole project: an attribute of the program projected onto stages and processors.
#include "analysis/projection.h"
#include "app/commands/commands.h"
#include "app/commands/commandtrace.h"
#include "app/commands/pathrequest.h"
#include "app/output/projectionoutput.h"
#include "core/format.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace longpole {

namespace {

constexpr std::int64_t usualStages = 100;

// Empty after a usage error, which was said.
std::optional<ProjectionOutput> wantedView(const CommandLine& line)
{
    ProjectionOutput what;
    if (line.value("view") == QLatin1String("overview"))
        what.view = line.value("over") == QLatin1String("time") ? ProjectionView::OverTime : ProjectionView::OverProcessors;
    const QString statistic = line.value("statistic").isEmpty() ? QStringLiteral("together") : line.value("statistic");
    using Kind = Statistic::Kind;
    static const std::pair<const char*, Kind> kinds[] = {
        {"together", Kind::Together}, {"mean", Kind::Mean}, {"max", Kind::Largest}, {"min", Kind::Least}};
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

Result<Stages> wantedStages(const CommandLine& line, const TraceStore& store, TimeRange range)
{
    if (line.has("timestep")) return parseStages(line.value("timestep"), range);
    if (line.has("stages")) return parseStages(QStringLiteral("stages=") + line.value("stages"), range);
    if (!line.has("by")) return equalStages(range, usualStages);
    if (line.value("by") == QLatin1String("phase")) return phaseStages(store, range);
    const auto events = parseAttribute(QStringLiteral("events@") + line.value("by"), store);
    if (!events) return events.error();
    return eventStages(store, RegionId{events->subject.id}, range);
}

bool needsPath(const Attribute& attribute)
{
    const std::vector<Measure> measures = measuresOf(attribute);
    return std::any_of(measures.begin(), measures.end(),
                       [](const Measure& m) { return m.quantity == StageQuantity::CriticalPath; });
}

Result<Projection> measured(const TraceStore& store, const Attribute& attribute, const Stages& stages,
                            const std::vector<ProcessorId>& pes, const PathRequest& request)
{
    std::optional<Result<Projection>> projection;
    withProgress(tr("Measuring"), [&](const Progress& progress) {
        std::shared_ptr<const CriticalPath> path;
        if (needsPath(attribute)) {
            const auto graph = pathGraph(store, request, store.info().range(), progress);
            auto found = graph ? findPath(*graph, request, progress) : Result<CriticalPath>(graph.error());
            if (!found) {
                projection = found.error();
                return;
            }
            path = std::make_shared<const CriticalPath>(std::move(*found));
        }
        projection = project(store, attribute, stages, pes, path, progress);
    });
    return std::move(*projection);
}

}  // namespace

ExitCode runProject(const CommandLine& line)
{
    const auto format = outputFormat(line);
    auto what = wantedView(line);
    const auto request = pathRequest(line);
    if (!format || !what || !request) return ExitCode::Usage;
    if (!line.has("list") && !line.has("attribute"))
        return usageError(line.command, tr("--attribute A is missing; --list names all"));
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const TraceStore& store = *trace->store;
    if (line.has("list")) return deliver(line, [&](Output& output) { writeAttributes(output, *format, store); });

    const auto asked = chosenRange(line, store.info());
    const auto pes = chosenProcessors(line, store.info());
    if (!asked || !pes) return ExitCode::Usage;
    const TimeRange range = asked->isEmpty() ? store.info().range() : intersection(*asked, store.info().range());
    const auto attribute = parseAttribute(line.value("attribute"), store);
    if (!attribute) return usageError(line.command, toText(attribute.error()));
    if (attribute->spec)
        if (const QString missing = whyMissing(*attribute->spec, store); !missing.isEmpty())
            return fail(Error{.what = missing, .where = line.value("attribute"),
                              .hint = tr("'longpole project TRACE --list' says what there is.")});
    const auto stages = wantedStages(line, store, range);
    if (!stages) return usageError(line.command, toText(stages.error()));
    const auto set = parseStageSet(line.value("stage-set"), stages->count());
    if (!set) return usageError(line.command, toText(set.error()));
    what->stages = *set;
    if (what->stages.size() < stages->count() && what->view == ProjectionView::OverTime)
        return usageError(line.command, tr("--stage-set does not go with --over time: give a --range"));

    const auto projection = measured(store, *attribute, *stages, *pes, *request);
    if (!projection) return fail(projection.error());
    return deliver(line, [&](Output& output) { writeProjection(output, *format, store, *projection, *what); });
}

}  // namespace longpole
