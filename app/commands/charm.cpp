// SPDX-License-Identifier: GPL-3.0-or-later
// longpole charm: builds the module that gives a Charm++ program's messages the priorities of a file.
#include "app/commands/commands.h"
#include "app/output/output.h"
#include "app/record/charmmodule.h"
#include "core/base/translate.h"

#include <optional>

namespace longpole {

namespace {

ExitCode runCharm(const CommandLine& line)
{
    if (!line.has("build"))
        return usageError(line.command, tr("say which Charm++ the module is for: --build CHARMDIR"));
    const QString folder = line.has("o") ? line.value("o") : QStringLiteral("longpole-charm");
    std::optional<Result<CharmModule>> built;
    withProgress(tr("Building the module"),
                 [&](const Progress& progress) { built = buildCharmModule(line.value("build"), folder, progress); });
    if (!*built) return fail(built->error());
    const CharmModule& module = **built;
    auto output = Output::open({});
    output->write(tr("%1\n"
                     "Link the program with it; its sources stay as they are:\n"
                     "  charmc ... %2\n"
                     "Run it with priorities that 'longpole advise --priorities adv.json' wrote:\n"
                     "  ./app +longpole-priorities adv.json\n")
                      .arg(module.library, module.linkOptions.join(QLatin1Char(' '))));
    const auto finished = output->finish();
    return finished ? ExitCode::Fine : fail(finished.error());
}

constexpr CommandOption charmOptions[] = {
    {"build", "CHARMDIR", "the Charm++ that the program is built with: its folder with bin/charmc"},
    {"o", "FOLDER", "where the module goes (default: longpole-charm)"},
};

constexpr CommandExample charmExamples[] = {
    {"longpole charm --build ~/charm/multicore-linux-x86_64 -o longpole-charm",
     "builds the module, and says how a program is linked with it"},
};

}  // namespace

extern const Command charmCommand;  // commands.cpp lists it
const Command charmCommand{
    .name = "charm",
    .arguments = "",
    .summary = "build the module that gives a Charm++ program priorities",
    .description =
        R"(Builds a module of Charm++ that sets priorities of messages where they enter the queue, so that the advice of
'longpole advise' can be tried without a change to the program's sources. It is built here, as versions of
Charm++ differ; link the program anew with it:

    charmc ... -Llongpole-charm -module longpole -Wl,--wrap=CqsEnqueueGeneral
    ./app +longpole-priorities adv.json

The file is what 'longpole advise --priorities' writes, .json or .csv; instead of the option LONGPOLE_PRIORITIES may
name it, as 'longpole try --priorities' does. Entry methods are found by their names. Every five seconds the module
looks whether the file was changed, and reads it again. At the end it says how many messages of each entry method had
the priority. Messages that have a priority of the program's keep it, unless it runs with +longpole-override.
Without a file nothing changes.

Messages of expedited, immediate and inline entry methods never enter the queue, so they stay as they are. An array
broadcast enters it once a process and not once an element, so a priority does little for it.)",
    .minArguments = 0,
    .maxArguments = 0,
    .options = charmOptions,
    .examples = charmExamples,
    .run = runCharm,
};

}  // namespace longpole
