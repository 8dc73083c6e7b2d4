// SPDX-License-Identifier: GPL-3.0-or-later
// longpole sql: runs one statement that only reads, over the file's tables and its events.
#include "analysis/waiting/sqltables.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/output.h"
#include "app/output/tableoutput.h"
#include "core/sql/sqlsession.h"

#include <QSet>

#include <optional>

namespace longpole {

namespace {

// JSON needs keys that differ: the second "pe" becomes "pe_2".
std::vector<Column> columnsNamed(const QStringList& names)
{
    std::vector<Column> columns;
    QSet<QString> taken;
    for (const QString& name : names) {
        QString id = name;
        for (int i = 2; taken.contains(id); ++i) id = name + QLatin1Char('_') + QString::number(i);
        taken.insert(id);
        columns.emplace_back(id, name, CellKind::Text);
    }
    return columns;
}

ExitCode runSql(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto session = SqlSession::open(trace->store, waitingTables(trace->results));
    if (!session) return fail(session.error());
    auto output = Output::open(line.output.name);
    if (!output) return fail(output.error());

    output->sayIfEmpty(tr("No rows."));
    if (line.output.safeCsv && *format == OutputFormat::Csv) output->protectCells();
    std::optional<TableWriter> table;
    const Result<> answered = (*session)->run(
        line.arguments.at(1),
        [&](const QStringList& names) { table.emplace(*output, *format, columnsNamed(names), nullptr); },
        [&](std::span<const QVariant> cells) {
            return table->row({cells.begin(), cells.end()});
        },
        Progress{});
    if (!answered) return fail(answered.error());
    if (table) table->finish();
    const Result<> finished = output->finish();
    return finished ? ExitCode::Fine : fail(finished.error());
}

constexpr CommandOption sqlOptions[] = {jsonOption, csvOption, fileOption, symbolsOption};

constexpr CommandExample sqlExamples[] = {
    {"longpole sql jacobi2d.sts \"SELECT name, chare FROM entry ORDER BY name LIMIT 10\"",
     "the names of entry methods"},
    {"longpole sql jacobi2d.sts \"SELECT pe, count(*) FROM task GROUP BY pe\" --csv", "how many tasks each PE ran"},
    {"longpole sql jacobi2d.sts \"SELECT cause, sum(end_ns - begin_ns) FROM idle_cause GROUP BY cause\"",
     "why PEs were idle"},
};

}  // namespace

extern const Command sqlCommand;  // commands.cpp lists it
const Command sqlCommand{
    .name = "sql",
    .arguments = "TRACE \"SELECT ...\"",
    .summary = "read-only SQL over the trace",
    .description =
        R"(Runs one SQL statement that only reads. Tables: processor, entry, task, message, idle, interval, counter,
mark, mpi_call, profile, issue, meta and more; ask sqlite_master and pragma_table_info('task').

Three more are computed when they are read. idle_cause(pe, begin_ns, end_ns, cause, task, working): idle time by what
it waited for; cause is latency (in transit), scheduling (arrived but not started), imbalance (not sent yet, others
busy), parallelism (not sent yet, no work), synchronization (collective) or end (finished). task ended the idling.
working: how many PEs worked meanwhile, at anything but reductions themselves: one, more, none, or nothing, where no
message was under way either.
busy(pe, begin_ns, end_ns): when a PE had a task. critical_wait(task, pe, entry, begin_ns, idle_ns, overtaken_ns,
residual_ns, self_ns, overhead_ns, running, running_entry): what the tasks of the critical path (edges merges) waited
for, and which task ran when their message came.

Of a trace of parts of a run (longpole analyze --keep) tables of events give rows where all that can be meant are kept:
SELECT task.* FROM kept JOIN task ON task.pe = kept.pe AND task.begin_ns BETWEEN kept.begin_ns AND kept.end_ns.)",
    .minArguments = 2,
    .maxArguments = 2,
    .saysHealth = true,
    .isOpenEnded = true,
    .options = sqlOptions,
    .examples = sqlExamples,
    .run = runSql,
};

}  // namespace longpole
