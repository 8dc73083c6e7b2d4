// SPDX-License-Identifier: GPL-3.0-or-later
// longpole efficiency: how well the processors were used, and what kept them from more.
#include "analysis/base/json.h"
#include "analysis/statistics/efficiencyquestions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <cmath>
#include <optional>

namespace longpole {

namespace {

struct EfficiencyAnswer {
    const TraceStore* store = nullptr;
    std::shared_ptr<const Efficiency> run{};                       // or of the range that was asked for
    std::shared_ptr<const std::vector<EfficiencyPhase>> phases{};  // with --by-phase
};

Result<EfficiencyAnswer> find(Results& results, TimeRange range, std::optional<std::int64_t> phases,
                              const Progress& progress)
{
    EfficiencyAnswer answer{.store = &results.store()};
    const auto figures = results.ask(EfficiencyQuestion::of(results.store(), range), progress);
    if (!figures) return figures.error();
    answer.run = *figures;
    if (!phases) return answer;
    const auto found = results.ask(EfficiencyPhasesQuestion{static_cast<std::size_t>(*phases)}, progress);
    if (!found) return found.error();
    answer.phases = *found;
    return answer;
}

TimeNs rounded(double time) { return static_cast<TimeNs>(std::llround(time)); }

QString line(int indent, const QString& name, double share, const QString& meaning)
{
    const QString title = QString(2 * indent, QLatin1Char(' ')) + name;
    return title.leftJustified(26) + formatShare(share).rightJustified(8) + QStringLiteral("  ") + meaning
           + QLatin1Char('\n');
}

QString busiest(const Efficiency& figures)
{
    const auto most = std::max_element(figures.useful.begin(), figures.useful.end());
    return QString::number(most - figures.useful.begin());
}

void writeFigures(Output& output, Vocabulary words, const EfficiencyAnswer& answer)
{
    const Efficiency& figures = *answer.run;
    output.write(line(0, tr("Parallel efficiency"), figures.parallel,
                      words.say(tr("useful time of the average PE over the time"),
                                tr("useful time of the average rank over the time")))
                 + line(1, tr("Load balance"), figures.loadBalance, tr("useful time: average over longest"))
                 + line(1, tr("Communication"), figures.communication, tr("longest useful time over the time"))
                 + line(2, tr("Serialization"), figures.serialization,
                        tr("longest useful time over the time on an ideal network: the rest is waiting for each other"))
                 + line(2, tr("Transfer"), figures.transfer,
                        tr("the time on an ideal network over the time: the rest is messages under way")));
    if (figures.usefulMax == 0) {
        output.write(QLatin1Char('\n') + tr("Nothing useful was done.") + QLatin1Char('\n'));
        return;
    }
    output.write(
        QLatin1Char('\n')
        + words
              .say(tr("Time %1, on an ideal network %2. Useful time of %3 PEs: average %4, longest %5 (PE %6)."),
                   tr("Time %1, on an ideal network %2. Useful time of %3 ranks: average %4, longest %5 (rank %6)."))
              .arg(formatTime(figures.range.length()), formatTime(figures.ideal), formatCount(figures.counted),
                   formatTime(rounded(figures.usefulAverage)), formatTime(figures.usefulMax), busiest(figures))
        + QLatin1Char('\n'));
}

// Times are shown from `zero` on.
std::vector<QVariant> cells(const QString& name, const Efficiency& figures, TimeNs zero)
{
    return {name,
            qlonglong(figures.range.begin - zero),
            qlonglong(figures.range.end - zero),
            qlonglong(figures.range.length()),
            qlonglong(figures.ideal),
            qlonglong(figures.usefulMax),
            qlonglong(rounded(figures.usefulAverage)),
            figures.parallel,
            figures.loadBalance,
            figures.communication,
            figures.serialization,
            figures.transfer};
}

void writeTable(Output& output, OutputFormat format, const EfficiencyAnswer& answer)
{
    TableWriter table(output, format,
                      {{QStringLiteral("phase"), tr("Phase"), CellKind::Text},
                       {QStringLiteral("begin_ns"), tr("Begin"), CellKind::Time},
                       {QStringLiteral("end_ns"), tr("End"), CellKind::Time},
                       {QStringLiteral("duration_ns"), tr("Time"), CellKind::Time},
                       {QStringLiteral("ideal_ns"), tr("Ideal"), CellKind::Time},
                       {QStringLiteral("useful_max_ns"), tr("Longest useful"), CellKind::Time},
                       {QStringLiteral("useful_average_ns"), tr("Average useful"), CellKind::Time},
                       {QStringLiteral("parallel"), tr("Parallel"), CellKind::Share},
                       {QStringLiteral("load_balance"), tr("Load balance"), CellKind::Share},
                       {QStringLiteral("communication"), tr("Communication"), CellKind::Share},
                       {QStringLiteral("serialization"), tr("Serialization"), CellKind::Share},
                       {QStringLiteral("transfer"), tr("Transfer"), CellKind::Share}},
                      answer.store);
    const TimeNs zero = format == OutputFormat::Text ? answer.store->info().begin : 0;
    const bool isByPhase = answer.phases && !answer.phases->empty();
    if (!isByPhase && !table.row(cells(tr("all"), *answer.run, zero))) return;
    if (isByPhase)
        for (const EfficiencyPhase& phase : *answer.phases)
            if (!table.row(cells(phase.name, phase.efficiency, zero))) return;
    table.finish();
}

JsonValue figuresJson(const Efficiency& figures)
{
    return {{"begin_ns", figures.range.begin},
            {"end_ns", figures.range.end},
            {"duration_ns", figures.range.length()},
            {"ideal_ns", figures.ideal},
            {"useful_max_ns", figures.usefulMax},
            {"useful_average_ns", rounded(figures.usefulAverage)},
            {"processors", figures.counted},
            {"load_balance", figures.loadBalance},
            {"communication", figures.communication},
            {"serialization", figures.serialization},
            {"transfer", figures.transfer},
            {"parallel", figures.parallel},
            {"useful_ns", figures.useful}};
}

void writeJson(Output& output, const EfficiencyAnswer& answer)
{
    JsonValue all = figuresJson(*answer.run);
    if (answer.phases) {
        JsonValue phases = JsonValue::array();
        for (const EfficiencyPhase& phase : *answer.phases) {
            JsonValue one = {{"name", phase.name}};
            one.update(figuresJson(phase.efficiency));
            phases.push_back(std::move(one));
        }
        all["phases"] = std::move(phases);
    }
    output.write(dump(all));
}

ExitCode runEfficiency(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const auto request = pathRequest(line);
    if (!request) return ExitCode::Usage;
    std::optional<std::int64_t> phases;
    if (line.has("by-phase")) {
        phases = countOption(line, "by-phase", 1);
        if (!phases) return ExitCode::Usage;
        if (request->from || request->until)
            return usageError(line.command, tr("--by-phase is of the whole run: without --from and --until"));
    }
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto range = rangeOf(line, *request, trace->store->info().range());
    if (!range) return ExitCode::Usage;
    std::optional<Result<EfficiencyAnswer>> answer;
    withProgress(tr("Finding efficiencies"),
                 [&](const Progress& progress) { answer = find(*trace->results, *range, phases, progress); });
    if (!*answer) return fail(answer->error());
    return deliver(line, [&](Output& output) {
        if (*format == OutputFormat::Json) return writeJson(output, **answer);
        if (*format == OutputFormat::Text) writeFigures(output, trace->store->words(), **answer);
        if (*format == OutputFormat::Text && phases) output.write(QStringLiteral("\n"));
        if (*format == OutputFormat::Csv || phases) writeTable(output, *format, **answer);
    });
}

constexpr CommandOption options[] = {
    fromOption,
    untilOption,
    {"by-phase", "N", "of consecutive parts of the run too, at most so many: between points where all ranks meet"},
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};

constexpr CommandExample examples[] = {
    {"longpole efficiency jacobi2d.sts", "load balance, serialization and transfer of the whole run"},
    {"longpole efficiency jacobi2d.sts --by-phase 8", "the same for eight parts of it, one after the other"},
};

}  // namespace

extern const Command efficiencyCommand;  // commands.cpp lists it
const Command efficiencyCommand{
    .name = "efficiency",
    .arguments = "TRACE",
    .summary = "how well the processors were used: load balance, serialization, transfer",
    .description =
        R"(Says what part of the time the processors did useful work (in entry methods; of MPI programs outside of MPI), as
the POP project has it: parallel efficiency = load balance x communication, and communication = serialization x
transfer. Load balance is the average useful time over the longest; serialization compares that with the time on
an ideal network, the work path at edges order; transfer is what messages under way cost.

--by-phase cuts an MPI run where all ranks meet and no message is under way, and other runs into equal parts.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = options,
    .examples = examples,
    .run = runEfficiency,
};

}  // namespace longpole
