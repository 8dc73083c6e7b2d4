// SPDX-License-Identifier: GPL-3.0-or-later
// longpole mpi-calls: the time, waits and bytes of MPI calls by the place in the source that makes them.
#include "analysis/mpi/calltables.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/tableoutput.h"

#include <limits>

namespace longpole {

namespace {

CallSitesBy sitesBy(const CommandLine& line)
{
    if (line.value("by") == QLatin1String("call")) return CallSitesBy::Call;
    return line.value("by") == QLatin1String("rank") ? CallSitesBy::Rank : CallSitesBy::Site;
}

Table<CallSite> tableOf(CallSitesBy by, OutputFormat format, const TraceStore& store, TimeNs time)
{
    const Table<CallSite> table = callSiteTable(store, time);
    if (by == CallSitesBy::Call)
        return table.only({"call", "count", "time_ns", "share", "wait_ns", "bytes", "worst_rank", "there_ns"});
    const bool byRank = by == CallSitesBy::Rank;
    if (format != OutputFormat::Text)
        return byRank ? table.only({"call", "function", "file", "line", "path", "rank", "count", "time_ns", "share",
                                    "wait_ns", "bytes"})
                      : table.only({"call", "function", "file", "line", "path", "count", "time_ns", "share", "wait_ns",
                                    "bytes", "worst_rank", "there_ns"});
    return byRank ? table.only({"call", "site", "called", "rank", "count", "time_ns", "share", "wait_ns", "bytes"})
                  : table.only({"call", "site", "called", "count", "time_ns", "share", "wait_ns", "bytes", "worst_rank",
                                "there_ns"});
}

ExitCode runMpiCalls(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t usual = 20;
    const auto most = countOption(line, "top", *format == OutputFormat::Text ? usual : all);
    if (!most) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    if (const Result<> ranks = requireRanks(*trace->store); !ranks) return fail(ranks.error());
    const auto sites = withProgress(tr("Adding up MPI calls"),
                                    [&](const Progress& progress) { return mpiSites(*trace->store, progress); });
    if (!sites) return fail(sites.error());
    TimeNs time = 0;
    for (const MpiSiteSums& site : *sites) time = saturatingAdd(time, site.sums.time);
    const CallSitesBy by = sitesBy(line);
    return deliver(line, [&](Output& output) {
        writeTable(output, *format, tableOf(by, *format, *trace->store, time),
                   callSites(*sites, by, static_cast<std::size_t>(*most)), *trace->store);
    });
}

constexpr CommandOption mpiCallsOptions[] = {
    {"by", "KIND", "one row per place that calls (default), per place and rank, or per call", "site rank call"},
    {"top", "N", "number of rows, and one row for all others (default: 20; of CSV and JSON all)"},
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};

constexpr CommandExample mpiCallsExamples[] = {
    {"longpole mpi-calls ring.longpole", "which MPI calls of the source took most time, and waited"},
    {"longpole mpi-calls ring.longpole --by rank --csv", "the same by rank, for a spreadsheet"},
};

}  // namespace

extern const Command mpiCallsCommand;  // commands.cpp lists it
const Command mpiCallsCommand{
    .name = "mpi-calls",
    .arguments = "TRACE",
    .summary = "MPI programs: time, waits and bytes of MPI calls by the place in the source",
    .description =
        R"(Lists the places in the source that call MPI, by the time of all ranks in these calls, the longest first, as mpiP
does: how often, how much of that was waiting, bytes, and the rank that spent most time there. A place that is reached
in several ways has a row for each. Times are those of the run; the rows together are all its MPI calls.

Places are known of recordings with call stacks ('longpole record --stack'). With debug information (-g) they are lines
of the source, without it functions and addresses. Other traces have a row per call.)",
    .minArguments = 1,
    .maxArguments = 1,
    .needs = Needs::Ranks,
    .instead = "profile",
    .options = mpiCallsOptions,
    .examples = mpiCallsExamples,
    .run = runMpiCalls,
};

}  // namespace longpole
