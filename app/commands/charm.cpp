// SPDX-License-Identifier: GPL-3.0-or-later
// longpole charm: builds the module that gives a Charm++ program priorities and its path while it runs, and shows what
// such a program decided about priorities.
#include "app/commandline/sharedoptions.h"
#include "app/commands/commands.h"
#include "app/output/decisionoutput.h"
#include "app/output/output.h"
#include "app/record/autodecisions.h"
#include "app/record/charmmodule.h"
#include "core/base/translate.h"

namespace longpole {

namespace {

ExitCode showDecisions(const CommandLine& line)
{
    const QString file = line.value("decisions");
    OutputFile chosen;
    if (line.has("o")) {  // which has no endings of its own, as it names a folder of --build
        const QStringList endings{QStringLiteral("txt"), QStringLiteral("json"), QStringLiteral("csv")};
        const auto named = withEnding(line.value("o"), endings, line.has("json") || line.has("csv"),
                                      QStringLiteral("-o"));
        if (!named) return usageError(line.command, toText(named.error()));
        if (const auto writable = checkWritable(named->name, {file}); !writable) return fail(writable.error());
        chosen = *named;
    }
    chosen.safeCsv = line.output.safeCsv;
    const CommandLine shown{line.command, line.arguments, line.options, chosen, line.transport};
    const auto format = outputFormat(shown);
    if (!format) return ExitCode::Usage;
    const auto decisions = readAutoDecisions(file);
    if (!decisions) return fail(decisions.error());
    return deliver(shown, [&](Output& output) { writeDecisions(output, *format, *decisions); });
}

ExitCode runCharm(const CommandLine& line)
{
    if (line.has("decisions") && line.has("build"))
        return usageError(line.command, tr("--build and --decisions are two things: give one"));
    if (line.has("decisions")) return showDecisions(line);
    if (line.has("json") || line.has("csv"))
        return usageError(line.command, tr("--json and --csv are for --decisions"));
    if (!line.has("build"))
        return usageError(
            line.command,
            tr("say which Charm++ the module is for: --build CHARMDIR; or what to show: --decisions FILE"));
    const QString folder = line.has("o") ? line.value("o") : QStringLiteral("longpole-charm");
    const auto built = withProgress(tr("Building the module"), [&](const Progress& progress) {
        return buildCharmModule(line.value("build"), folder, progress);
    });
    if (!built) return fail(built.error());
    const CharmModule& module = *built;
    auto output = Output::open({});
    output->write(tr("%1\n"
                     "Link the program with it; its sources stay as they are:\n"
                     "  charmc ... %2\n"
                     "Run it with priorities that 'longpole advise --priorities adv.json' wrote:\n"
                     "  ./app +longpole-priorities adv.json\n"
                     "It prints its critical path with +longpole-path, and tries priorities itself with\n"
                     "+longpole-auto 10s. Sources that include longpole.h are compiled with %3.\n")
                      .arg(module.library, module.linkOptions.join(QLatin1Char(' ')), module.compileOption));
    if (module.preload.contains(QLatin1Char(' ')) || module.preload.contains(QLatin1Char(':')))
        output->write(tr("A program that is linked with -charm-shared can preload %1,\n"
                         "but LD_PRELOAD takes no path with blanks or colons: choose another folder for that.\n")
                          .arg(module.preload));
    else if (!module.preload.isEmpty())
        output->write(tr("A program that is linked with -charm-shared needs no new link:\n"
                         "  LD_PRELOAD=%1 ./app +longpole-priorities adv.json\n")
                          .arg(module.quotedPreload));
    const auto finished = output->finish();
    return finished ? ExitCode::Fine : fail(finished.error());
}

constexpr CommandOption charmOptions[] = {
    {"build", "CHARMDIR", "the Charm++ that the program is built with: its folder with bin/charmc"},
    {"decisions", "FILE", "show what a program with +longpole-auto decided: its longpole-auto.jsonl"},
    {"o", "PATH", "where the module goes (default: the folder longpole-charm); of --decisions: the file to write"},
    jsonOption,
    csvOption,
};

constexpr CommandExample charmExamples[] = {
    {"longpole charm --build ~/charm/multicore-linux-x86_64 -o longpole-charm",
     "builds the module, and says how a program is linked with it"},
    {"longpole charm --decisions longpole-auto.jsonl",
     "which priorities helped a run with +longpole-auto, and which did not"},
};

}  // namespace

extern const Command charmCommand;  // commands.cpp lists it
const Command charmCommand{
    .name = "charm",
    .arguments = "",
    .summary = "build the module that gives a Charm++ program priorities, and its critical path while it runs",
    .description =
        R"(Builds a module of Charm++ that sets priorities of messages where they enter the queue, so that the advice of
'longpole advise' can be tried without a change to the program's sources. It is built here, as versions of
Charm++ differ; link the program anew with it:

    charmc ... -Llongpole-charm -module longpole -Wl,--wrap=CqsEnqueueGeneral
    ./app +longpole-priorities adv.json   # priorities of a file
    ./app +longpole-path                  # the critical path, printed at the end
    ./app +longpole-auto 10s              # priorities for what is on it, tried and kept only if they help

Where Charm++ is built with --build-shared and the program linked with -charm-shared, nothing is linked anew:

    LD_PRELOAD=longpole-charm/liblongpole-charm.so ./app +longpole-priorities adv.json

PRIORITIES. The file is what 'longpole advise --priorities' writes, .json or .csv; instead of the option
LONGPOLE_PRIORITIES may name it, as 'longpole try --priorities' does. Entry methods are found by their names. Every
five seconds the module looks whether the file was changed, and reads it again. At the end it says how many messages of
each entry method had the priority. Messages that have a priority of the program's keep it, unless it runs with
+longpole-override. Without a file nothing changes.

Messages of expedited, immediate and inline entry methods never enter the queue, so they stay as they are. An array
broadcast enters it once a process and not once an element, so a priority does little for it: the end says so.
+longpole-as-runtime does what Charm++'s own prioritization does: what is listed has -5, all other entry methods of the
program 0, whatever the program says.

PATH. +longpole-path keeps tasks and messages in memory (32 bytes a task with one message; at most 64 MiB a PE, or
+longpole-memory MIB, then paths begin where what is kept does) and prints the longest path at the end; it wants a
Charm++ with tracing (--with-production --enable-tracing), and Projections may be in the program or not.
+longpole-path-file FILE writes it as JSON. +longpole-edges says what leads to a task: messages, merges (and merges that
the program records, the default) or order (and the order of each PE). +longpole-keep-critical: PEs that have nothing on
the path discard their Projections logs. A program that includes longpole.h can ask for the path at any time, and record
merges by the MERGE_PATH macros of Dooley, Arya and Kale; with Projections they go to a file beside its logs.

AUTO. Every so long the program measures, looks at its path, gives what is on it priorities, measures again with and
without them, and keeps what made it faster beyond the spread of its iterations; everything else is taken back. At most
eight such trials, and again when its pace changes by a tenth. Iterations are those that the program marks with
longpoleIteration(), else executions of a chare on PE 0 that come evenly, else tasks are counted. LONGPOLE_AUTO does the
same as the option. What was decided is in longpole-auto.jsonl (+longpole-auto-log FILE); --decisions shows it.)",
    .minArguments = 0,
    .maxArguments = 0,
    .isOpenEnded = true,
    .options = charmOptions,
    .examples = charmExamples,
    .run = runCharm,
};

}  // namespace longpole
