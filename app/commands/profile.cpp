// SPDX-License-Identifier: GPL-3.0-or-later
// longpole profile: where the time went, by entry method, chare, processor or object.
#include "analysis/mpi/calltables.h"
#include "analysis/mpi/mpiquestions.h"
#include "analysis/report/profiletables.h"
#include "analysis/statistics/sumquestions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/common/shellword.h"
#include "app/output/tableoutput.h"

namespace longpole {

namespace {

ProfileBy profileBy(const CommandLine& line)
{
    for (const ProfileBy by : {ProfileBy::Chare, ProfileBy::Pe, ProfileBy::Object, ProfileBy::Calls})
        if (line.value("by") == QLatin1String(keyOf(by))) return by;
    return ProfileBy::Entry;
}

// Several chares can have the same name, so CSV and JSON, which programs read, have their ids too.
Table<ProfileLine> tableBy(ProfileBy by, const TraceStore& store, OutputFormat format)
{
    const bool hasId = (by == ProfileBy::Chare || by == ProfileBy::Object) && format != OutputFormat::Text;
    const auto table = profileTable(store);
    if (hasId)
        return table.only({keyOf(by), "chare_id", "count", "time_ns", "exclusive_ns", "share", "messages", "bytes"});
    const auto plain = table.only({keyOf(by), "count", "time_ns", "exclusive_ns", "share", "messages", "bytes"});
    return format == OutputFormat::Text ? withNames(plain) : plain;
}

ExitCode runCallTree(const CommandLine& line, OutputFormat format, const CommandTrace& trace)
{
    if (const Result<> paths = requireCallPaths(*trace.store); !paths) return fail(paths.error());
    const auto tree = withProgress(tr("Adding up by call path"), [&](const Progress& progress) {
        return trace.results->ask(CallTreeQuestion{}, progress);
    });
    if (!tree) return fail(tree.error());
    return deliver(line, [&](Output& output) {
        const auto table = callTreeTable(*trace.store, (*tree)->total);
        const bool isText = format == OutputFormat::Text;  // which shows depth and path by its indentation
        writeTable(output, format,
                   isText ? table.only({"frame", "count", "inclusive_ns", "share", "exclusive_ns", "wait_ns", "bytes",
                                        "path_ns", "cause_ns"})
                          : table,
                   (*tree)->rows, *trace.store);
    });
}

ExitCode runProfile(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    if (line.value("by") == QLatin1String("callpath")) return runCallTree(line, *format, *trace);
    const ProfileBy by = profileBy(line);
    if (by == ProfileBy::Calls && !trace->store->info().hasRanks())
        return fail(
            Error{.what = tr("--by calls needs an MPI trace; this one is Charm++."),
                  .where = line.arguments.front(),
                  .hint = tr("Try: longpole profile %1 --by entry").arg(quotedForShell(line.arguments.front()))});
    // Only events say which object ran, so a summary cannot be profiled by object.
    if (by == ProfileBy::Object)
        if (const Result<> there = requireEvents(*trace->store); !there) return fail(there.error());
    const auto lines = withProgress(tr("Adding up"), [&](const Progress& progress) {
        return trace->results->ask(ProfileQuestion{by}, progress);
    });
    if (!lines) return fail(lines.error());
    return deliver(line, [&](Output& output) {
        writeTable(output, *format, tableBy(by, *trace->store, *format), **lines, *trace->store);
    });
}

constexpr CommandOption profileOptions[] = {
    {"by", "KIND",
     "one row per entry method or region (default), chare or group, PE or rank, object, or the MPI "
     "calls around the code; callpath: the tree of functions that called MPI",
     "entry chare pe object calls callpath"},
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};

constexpr CommandExample profileExamples[] = {
    {"longpole profile jacobi2d.sts", "the entry methods that took most time, first"},
    {"longpole profile jacobi2d.sts --by chare --csv", "the same by chare, for a spreadsheet"},
};

}  // namespace

extern const Command profileCommand;  // commands.cpp lists it
const Command profileCommand{
    .name = "profile",
    .arguments = "TRACE",
    .summary = "time, messages and bytes per entry method, chare, PE or object",
    .description =
        R"(Lists where the time went, largest first. The time of nested tasks belongs to the innermost (exclusive);
inclusive time has them too. The share is exclusive time over all busy time. Of MPI runs, regions and MPI calls
are counted by their calls; MPI calls have time and no share, as they are no busy time. Messages and bytes are
what was created there; all lines together have those of the run, one line what was created outside tasks.

--by callpath shows the call tree of an MPI recording: each function under the one that called it, with the time of
all ranks there, its waits and bytes, what of its own code is on the critical path, and the waiting of all ranks that
goes back to it. Only MPI calls were seen: code between two of them counts to the innermost function that made
both, so that a function without MPI counts to its caller.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = profileOptions,
    .examples = profileExamples,
    .run = runProfile,
};

}  // namespace longpole
