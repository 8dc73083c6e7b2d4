// SPDX-License-Identifier: GPL-3.0-or-later
// longpole efficiency: how well the processors were used, and which factor cost most.
#include "analysis/base/naming.h"
#include "analysis/report/experttables.h"
#include "analysis/statistics/efficiencyquestions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace longpole {

namespace {

struct EfficiencyAnswer {
    EfficiencyPhase whole{};                                       // the run, or the range that was asked for
    std::shared_ptr<const std::vector<EfficiencyPhase>> phases{};  // with --by-phase
};

Result<EfficiencyAnswer> find(Results& results, TimeRange range, std::optional<std::int64_t> phases, Startup startup,
                              const Progress& progress)
{
    const auto figures = results.ask(EfficiencyQuestion::of(results.store(), range, startup), progress);
    if (!figures) return figures.error();
    EfficiencyAnswer answer{.whole = {(*figures)->range, tr("all"), **figures}};
    if (!phases) return answer;
    const auto found = results.ask(EfficiencyPhasesQuestion{static_cast<std::size_t>(*phases), startup}, progress);
    if (!found) return found.error();
    answer.phases = *found;
    return answer;
}

QString busiest(const Efficiency& figures)
{
    const auto most = std::max_element(figures.useful.begin(), figures.useful.end());
    return QString::number(most - figures.useful.begin());
}

// The factors as an indented tree, each with its meaning.
QString factorsText(const Table<EfficiencyPhase>& table, const EfficiencyPhase& whole)
{
    constexpr std::pair<int, const char*> factors[] = {
        {0, "parallel"}, {1, "load_balance"}, {1, "communication"}, {2, "serialization"}, {2, "transfer"}};
    QString text;
    for (const auto& [indent, key] : factors) {
        const TableColumn<EfficiencyPhase> factor = table.only({key}).columns.front();
        const QString title = QString(qsizetype{2} * indent, QLatin1Char(' ')) + factor.title;
        text += title.leftJustified(26) + readText(factor.cell(whole), factor, nullptr).rightJustified(8)
                + QStringLiteral("  ") + factor.meaning + QLatin1Char('\n');
    }
    return text;
}

void writeFigures(Output& output, const TraceStore& store, const EfficiencyAnswer& answer)
{
    const Efficiency& figures = answer.whole.efficiency;
    output.write(factorsText(efficiencyTable(store), answer.whole) + QLatin1Char('\n'));
    if (figures.leftOut > 0)
        output.write(
            tr("Start-up and shut-down of ranks, %1 of all together, count as no work (--with-startup counts it).")
                .arg(formatTime(figures.leftOut))
            + QLatin1Char('\n'));
    if (const QString threads = otherThreadsSentence(figures.threads); !threads.isEmpty())
        output.write(wrapped(threads, 0));
    if (figures.usefulMax == 0) {
        output.write(tr("No time was busy.") + QLatin1Char('\n'));
        return;
    }
    output.write(store.words()
                     .say(tr("Time %1, on an ideal network %2. Busy time of %3: average %4, longest %5 (PE %6)."),
                          tr("Time %1, on an ideal network %2. Busy time of %3: average %4, longest %5 (rank %6)."))
                     .arg(formatTime(figures.range.length()), formatTime(figures.ideal),
                          store.words().say(counted("%1 PEs", "%1 PE", figures.counted),
                                            counted("%1 ranks", "%1 rank", figures.counted)),
                          formatTime(std::llround(figures.usefulAverage)), formatTime(figures.usefulMax),
                          busiest(figures))
                 + QLatin1Char('\n'));
}

void writePhases(Output& output, OutputFormat format, const TraceStore& store, const EfficiencyAnswer& answer)
{
    const auto table = efficiencyTable(store)
                           .only({"name", "begin_ns", "end_ns", "duration_ns", "ideal_ns", "useful_max_ns",
                                  "useful_average_ns", "parallel", "load_balance", "communication", "serialization",
                                  "transfer"})
                           .renamed("name", "phase");
    if (answer.phases && !answer.phases->empty()) writeTable(output, format, table, *answer.phases, store);
    else writeTable(output, format, table, std::vector{answer.whole}, store);
}

void writeJson(Output& output, const TraceStore& store, const EfficiencyAnswer& answer)
{
    const Table<EfficiencyPhase> table = efficiencyTable(store);
    JsonValue all = rowJson(table, answer.whole, &store);
    all.erase("name");
    if (const OtherThreads& threads = answer.whole.efficiency.threads; threads.count > 0)
        all["other_threads"] = {{"count", threads.count},
                                {"regions_ns", threads.inRegions},
                                {"mpi_ns", threads.inMpi},
                                {"waited_ns", threads.waited}};
    if (answer.phases) all["phases"] = rowsJson(table, *answer.phases, &store);
    output.write(dump(all));
}

ExitCode runEfficiency(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const auto request = pathRequest(line);
    if (!request) return ExitCode::Usage;
    const Startup startup = line.has("with-startup") ? Startup::Counted : Startup::LeftOut;
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
    const auto answer = withProgress(tr("Finding efficiencies"), [&](const Progress& progress) {
        return find(*trace->results, *range, phases, startup, progress);
    });
    if (!answer) return fail(answer.error());
    return deliver(line, [&](Output& output) {
        const TraceStore& store = *trace->store;
        if (*format == OutputFormat::Json) return writeJson(output, store, *answer);
        if (*format == OutputFormat::Text) writeFigures(output, store, *answer);
        if (*format == OutputFormat::Text && phases) output.write(QStringLiteral("\n"));
        if (*format == OutputFormat::Csv || phases) writePhases(output, *format, store, *answer);
    });
}

constexpr CommandOption efficiencyOptions[] = {
    fromOption,
    untilOption,
    rangeOption,
    {"by-phase", "N",
     "also of consecutive parts of the run, at most N, between points where all ranks meet (default: off)"},
    {"with-startup", nullptr, "count what MPI ranks do before MPI_Init has ended and after MPI_Finalize has begun"},
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};

constexpr CommandExample efficiencyExamples[] = {
    {"longpole efficiency jacobi2d.sts", "load balance, serialization and transfer of the whole run"},
    {"longpole efficiency jacobi2d.sts --by-phase 8", "the same for eight parts of it, one after the other"},
};

}  // namespace

extern const Command efficiencyCommand;  // commands.cpp lists it
const Command efficiencyCommand{
    .name = "efficiency",
    .arguments = "TRACE",
    .summary = "how well the PEs or ranks were used: load balance, serialization, transfer",
    .description =
        R"(Says what part of the time the PEs did useful work (in entry methods; of MPI programs outside of MPI), as
the POP project has it: parallel efficiency = load balance x communication, and communication = serialization x
transfer. Load balance is the average useful time over the longest; serialization compares that with the time on
an ideal network, the work path at edges order; transfer is what messages under way cost.

Of an MPI run, start-up and shut-down are left out: what a rank does before its MPI_Init has ended and after its
MPI_Finalize has begun. --with-startup counts them.

--by-phase cuts an MPI run where all ranks meet and no message is under way, and other runs into equal parts.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = efficiencyOptions,
    .examples = efficiencyExamples,
    .run = runEfficiency,
};

}  // namespace longpole
