// SPDX-License-Identifier: GPL-3.0-or-later
// longpole info: where a trace comes from, its totals and its health.
#include "analysis/expert/plausibility.h"
#include "analysis/noise/noisequestions.h"
#include "analysis/report/tracetables.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/tableoutput.h"
#include "app/record/runstate.h"
#include "core/trace/format.h"

namespace longpole {

namespace {

// Of which parts the trace has the events.
QString keptText(const TraceStore& store)
{
    std::int64_t ranks = 0;
    const KeptRange* above = nullptr;
    for (const KeptRange& range : store.kept()) {
        if (above == nullptr || above->pe != range.pe) ++ranks;
        above = &range;
    }
    return store.words()
        .say(tr("events of %1 of %2 PEs, %3 of their time (table kept); totals and answers are of all"),
             tr("events of %1 of %2 ranks, %3 of their time (table kept); totals and answers are of all"))
        .arg(formatCount(ranks), formatCount(store.info().processors), formatShare(keptShare(store)));
}

void writeText(Output& output, const TraceStore& store, const Check& cores, bool goesOn)
{
    const TraceInfo& info = store.info();
    const auto line = [&](const QString& name, const QString& value) {
        if (!value.isEmpty()) output.write(QString(name.leftJustified(15) + onOneLine(value) + QLatin1Char('\n')));
    };
    const auto part = [&](TimeNs time) -> QString {
        const double whole = double(info.duration()) * double(info.processors);
        return whole > 0
                   ? formatShare(double(time) / whole) + QStringLiteral(" (") + formatTime(time) + QLatin1Char(')')
                   : formatTime(time);
    };
    line(tr("Program"), info.program);
    line(tr("Command"), info.commandline);
    line(tr("Format"), QString(info.format + QLatin1Char(' ') + info.version).trimmed());
    line(tr("Source"), info.source);
    line(tr("Recorded"), info.timestamp);
    if (goesOn) line(tr("State"), tr("it still runs: this is what was complete a moment ago"));
    line(tr("Machine"), info.machine);
    const QString duration = formatTime(info.duration());
    line(tr("Duration"), beforeBegin(info) <= 0
                             ? duration
                             : store.words()
                                   .say(tr("%1 after %2 of start-up"), tr("%1 after %2 that count nowhere"))
                                   .arg(duration, formatTime(beforeBegin(info))));
    line(store.words().say(tr("PEs"), tr("Ranks")), formatCount(info.processors));
    if (info.isFolded())
        line(tr("Folded"),
             store.words()
                 .say(tr("%1 iterations over each other; what is called a PE is one iteration of a PE"),
                      tr("%1 iterations over each other; what is called a rank is one iteration of a rank"))
                 .arg(formatCount(info.iterations)));
    line(store.words().say(tr("Entry methods"), tr("Regions")), formatCount(std::int64_t(store.entries().size())));
    line(tr("Tasks"), info.executionsUnmatched == 0
                          ? formatCount(info.tasks)
                          : tr("%1, %2 of them without a known message")
                                .arg(formatCount(info.tasks), formatCount(info.executionsUnmatched)));
    if (store.info().isSummary())
        line(tr("Intervals"), tr("of %1; a summary holds no messages").arg(formatTime(info.interval)));
    else
        line(tr("Messages"), store.words()
                                 .say(tr("%1, %2 of them seen executed"), tr("%1, %2 of them seen received"))
                                 .arg(formatCount(info.messages), formatCount(info.messagesMatched)));
    line(tr("Records"), formatCount(info.records));
    if (info.isPart()) line(tr("Kept"), keptText(store));
    line(tr("Busy"), part(info.busy));
    line(tr("Idle"), part(info.idle));
    line(tr("Overhead"), part(info.overhead()));
    if (info.hasRanks())
        line(tr("Start, stop"), tr("%1 of overhead is start-up, %2 is shut-down")
                                    .arg(formatTime(info.startup), formatTime(info.shutdown)));
    if (info.cpu > 0) line(tr("CPU time"), tr("%1, polling included").arg(formatTime(info.cpu)));
    if (info.withoutCore >= 0) line(tr("Without a core"), part(info.withoutCore));
    if (cores.isInDoubt()) line(tr("Cores"), cores.says);
    if (store.issues().empty()) {
        line(tr("Health"), tr("nothing was skipped or repaired"));
        return;
    }
    output.write(QByteArray("\n"));
    writeTable(output, OutputFormat::Text, issueTable(store), store.issues(), store);
}

// Scalars as key,value rows; lists as issue.<kind> and count.<kind>.
void writeCsv(Output& output, const TraceStore& store)
{
    TableWriter writer(output, OutputFormat::Csv,
                       {{QStringLiteral("key"), {}, CellKind::Text}, {QStringLiteral("value"), {}, CellKind::Text}},
                       &store);
    for (const TableColumn<TraceStore>& column : traceTable(store).columns)
        if (column.kind != CellKind::Rows) writer.row({column.key, column.cell(store)});
    for (const Issue& issue : store.issues())
        writer.row({QString(QStringLiteral("issue.") + issue.kind), qlonglong(issue.count)});
    for (const RecordCount& count : store.counts())
        writer.row({QString(QStringLiteral("count.") + count.kind), qlonglong(count.count)});
    writer.finish();
}

ExitCode runInfo(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const TraceStore& store = *trace->store;
    // Of parts of the events it says nothing.
    const auto time = store.info().isPart() ? std::make_shared<const ProcessorTime>()
                                            : trace->results->ask(ProcessorTimeQuestion{}, Progress{});
    if (!time) return fail(time.error());
    const bool goesOn = followedRun(runFolder(line.arguments[0])).state == RunState::Running;
    return deliver(line, [&](Output& output) {
        switch (*format) {
        case OutputFormat::Json: output.write(dump(rowJson(traceTable(store), store, &store))); break;
        case OutputFormat::Csv: writeCsv(output, store); break;
        case OutputFormat::Text: writeText(output, store, processorTimeCheck(**time, store), goesOn); break;
        }
    });
}

constexpr CommandOption infoOptions[] = {jsonOption, csvOption, fileOption, symbolsOption};

constexpr CommandExample infoExamples[] = {
    {"longpole info jacobi2d.sts", "what ran, how long, on how many PEs, and whether its logs are whole"},
};

}  // namespace

extern const Command infoCommand;  // commands.cpp lists it
const Command infoCommand{
    .name = "info",
    .arguments = "TRACE",
    .summary = "what the trace is, its totals and its health",
    .description =
        R"(Says what the trace is and how large, how the time of its PEs divides into busy, idle and overhead,
and what was skipped, repaired or unmatched when it was imported. Of a recording whose program still runs on this
machine it is what was complete a moment ago; all of it is read again each time that it has grown.)",
    .minArguments = 1,
    .maxArguments = 1,
    .saysHealth = true,
    .options = infoOptions,
    .examples = infoExamples,
    .run = runInfo,
};

}  // namespace longpole
