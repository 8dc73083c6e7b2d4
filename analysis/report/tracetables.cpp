// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/tracetables.h"

#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

Table<Issue> issueTable(const TableScope&)
{
    return {QStringLiteral("info.issues"),
            tr("Health"),
            {
                {{"kind", tr("Health"), CellKind::Text, tr("Stable name of what was skipped or repaired")},
                 &Issue::kind},
                {{"count", tr("Count"), CellKind::Count, tr("How often")}, &Issue::count},
                {{"where", tr("First seen"), CellKind::Text, tr("The first place where it was seen")}, &Issue::place},
            }};
}

Table<RecordCount> recordCountTable(const TableScope&)
{
    return {QStringLiteral("info.counts"),
            tr("Records by kind"),
            {
                {{"kind", tr("Kind"), CellKind::Text, tr("Kind of record")}, &RecordCount::kind},
                {{"count", tr("Count"), CellKind::Count, tr("Records of that kind")}, &RecordCount::count},
            }};
}

double keptShare(const TraceStore& store)
{
    if (!store.info().isPart()) return store.hasEvents() ? 1 : 0;
    double kept = 0;
    for (const KeptRange& range : store.kept()) kept += double(overlap(store.info().range(), {range.begin, range.end}));
    const double all = double(store.info().duration()) * double(store.info().processors);
    return all > 0 ? std::min(1.0, kept / all) : 0;
}

Table<TraceStore> traceTable(const TableScope& scope)
{
    const Vocabulary words = scope.words;
    const auto text = [](QString TraceInfo::*of) { return [of](const TraceStore& row) { return row.info().*of; }; };
    const auto figure = [](std::int64_t TraceInfo::*of) {
        return [of](const TraceStore& row) { return row.info().*of; };
    };
    const auto issues = issueTable(scope);
    const auto counts = recordCountTable(scope);
    return {
        QStringLiteral("info"),
        tr("The trace"),
        {
            {{"format", tr("Format"), CellKind::Text,
              tr("Format of the source: projections, otf2 or mpi-recording, say")},
             text(&TraceInfo::format)},
            {{"version", tr("Version"), CellKind::Text, tr("Version of that format")}, text(&TraceInfo::version)},
            {{"program", tr("Program"), CellKind::Text, tr("Name of the program")}, text(&TraceInfo::program)},
            {{"commandline", tr("Command"), CellKind::Text, tr("Its command line")}, text(&TraceInfo::commandline)},
            {{"processors", words.say(tr("PEs"), tr("Ranks")), CellKind::Count,
              words.say(tr("PEs, with those that have no log, without comm threads"),
                        tr("Ranks, with those that have no log"))},
             figure(&TraceInfo::processors)},
            {{"entries", words.say(tr("Entry methods"), tr("Regions")), CellKind::Count,
              words.say(tr("Entry methods that the trace knows"), tr("Regions that the trace knows"))},
             [](const TraceStore& row) { return row.entries().size(); }},
            {{"tasks", tr("Tasks"), CellKind::Count,
              words.say(tr("Entry methods that ran, each time"), tr("Pieces of code between calls"))},
             figure(&TraceInfo::tasks)},
            {{"messages", tr("Messages"), CellKind::Count, tr("Messages that were created")},
             figure(&TraceInfo::messages)},
            {{"messages_matched", tr("Matched"), CellKind::Count, tr("Creations that were executed at least once")},
             figure(&TraceInfo::messagesMatched)},
            {{"executions_unmatched", tr("Unmatched"), CellKind::Count, tr("Tasks without a known creation")},
             figure(&TraceInfo::executionsUnmatched)},
            {{"records", tr("Records"), CellKind::Count, tr("Records of the logs, without headers")},
             figure(&TraceInfo::records)},
            {{"begin_ns", tr("Start"), CellKind::Instant, tr("The first task, in the trace's clock")},
             figure(&TraceInfo::begin)},
            {{"end_ns", tr("End"), CellKind::Instant, tr("The last record, in the trace's clock")},
             figure(&TraceInfo::end)},
            {{"busy_ns", tr("Busy"), CellKind::Time,
              words.say(tr("Busy time, summed over all PEs"), tr("Busy time, summed over all ranks"))},
             figure(&TraceInfo::busy)},
            {{"idle_ns", tr("Idle"), CellKind::Time,
              words.say(tr("Idle time, summed over all PEs"), tr("Idle time, summed over all ranks"))},
             figure(&TraceInfo::idle)},
            {Column("overhead_ns", tr("Overhead"), CellKind::Time,
                    words.say(tr("All the rest: duration x PEs - busy - idle"),
                              tr("All the rest: duration x ranks - busy - idle")))
                 .belowZero(),
             [](const TraceStore& row) { return row.info().overhead(); }},
            {{"startup_ns", tr("Start-up"), CellKind::Time,
              words.say(tr("Before the start, and counted nowhere else"),
                        tr("The part of overhead before the ends of MPI_Init, of all ranks together"))},
             figure(&TraceInfo::startup)},
            {{"shutdown_ns", tr("Shut-down"), CellKind::Time,
              words.say(tr("Of MPI ranks only; here 0"),
                        tr("The part of overhead after the starts of MPI_Finalize, of all ranks together"))},
             figure(&TraceInfo::shutdown)},
            {{"before_begin_ns", tr("Before the start"), CellKind::Time,
              tr("From the first record to the start; counted nowhere else")},
             [](const TraceStore& row) { return beforeBegin(row.info()); }},
            {{"cores", tr("Cores"), CellKind::Count,
              tr("Of MPI recordings: how many ranks could have a core each, of those that they may run on; else 0")},
             figure(&TraceInfo::cores)},
            {{"cpu_ns", tr("CPU time"), CellKind::Time,
              tr("Of MPI recordings: the CPU time of all ranks' processes, polling included; else 0")},
             figure(&TraceInfo::cpu)},
            {Column("without_core_ns", tr("Without a core"), CellKind::Time,
                    tr("Of MPI recordings: how long all ranks could have run and had no core; -1: not known"))
                 .belowZero(),
             figure(&TraceInfo::withoutCore)},
            {{"interval_ns", tr("Interval"), CellKind::Time,
              tr("Of a summary: what it knows are sums over intervals this long; else 0")},
             figure(&TraceInfo::interval)},
            {{"kept", tr("Kept"), CellKind::Share,
              words.say(tr("Part of all PEs' time of which the trace has the events: 1 of a whole trace"),
                        tr("Part of all ranks' time of which the trace has the events: 1 of a whole trace"))},
             [](const TraceStore& row) { return keptShare(row); }},
            {Column("issues", tr("Health"), CellKind::Rows, tr("What was skipped, repaired or unmatched"))
                 .of(issues.heads()),
             [issues](const TraceStore& row) { return rowsCell(issues.data(row.issues())); }},
            {Column("counts", tr("Records by kind"), CellKind::Rows, tr("How many records there are of each kind"))
                 .of(counts.heads()),
             [counts](const TraceStore& row) { return rowsCell(counts.data(row.counts())); }},
        }};
}

TimeNs beforeBegin(const TraceInfo& info) { return info.hasRanks() ? info.before : info.startup; }

Table<CachedTrace> cacheTable(const TableScope&)
{
    return {QStringLiteral("cache"),
            tr("Imported traces"),
            {
                {{"file", tr("File"), CellKind::Text, tr("The imported trace")}, &CachedTrace::file},
                {{"bytes", tr("Size"), CellKind::Bytes, tr("Its size")}, &CachedTrace::bytes},
                {{"age_ns", tr("Last used"), CellKind::Time, tr("Time since it was last opened")}, &CachedTrace::age},
                {Column("source", tr("Source"), CellKind::Text,
                        tr("What it was imported from; nothing if the file cannot be opened"))
                     .orNone(),
                 [](const CachedTrace& row) { return row.source.isEmpty() ? Cell() : Cell(row.source); }},
            }};
}

Table<CreatedExecution> createdTable(const TableScope& scope)
{
    const Vocabulary words = scope.words;
    return {QStringLiteral("selection.created"),
            tr("Messages created"),
            {
                {{"message", tr("Created"), CellKind::Text,
                  words.say(tr("The message that the task created, as PE:index"),
                            tr("The message that the task created, as rank:index"))},
                 [](const CreatedExecution& row) { return toText(row.message.id); }},
                {Column("task", tr("Executed as"), CellKind::Text,
                        words.say(tr("The task that executed it, as PE:index"),
                                  tr("The task that received it, as rank:index")))
                     .orNone(),
                 &CreatedExecution::task},
                {Column("latency_ns", tr("After"), CellKind::Time, tr("From its sending to the start of that task"))
                     .orNone()
                     .belowZero(),
                 [](const CreatedExecution& row) {
                     return row.task.isValid() ? Cell(row.begin - row.message.sent) : Cell();
                 }},
                {{"entry", words.say(tr("For entry method"), tr("For region")), CellKind::Entry,
                  words.say(tr("Entry method that it is sent to"), tr("Region that it is sent to"))},
                 [](const CreatedExecution& row) { return row.message.entry; }},
                {{"bytes", tr("Size"), CellKind::Bytes, tr("Its size")},
                 [](const CreatedExecution& row) { return row.message.bytes; }},
                {{"sent_ns", tr("Sent"), CellKind::Instant, tr("When it was sent")},
                 [](const CreatedExecution& row) { return row.message.sent; }},
            }};
}

std::vector<TableInfo> traceTables(Vocabulary words)
{
    return {infoOf(traceTable(words)), infoOf(issueTable(words)), infoOf(recordCountTable(words)),
            infoOf(cacheTable(words)), infoOf(createdTable(words))};
}

}  // namespace longpole
