// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/commands.h"

#include <algorithm>
#include <vector>

namespace longpole {

// Each is defined in the file of its name.
extern const Command activityTableCommand;
extern const Command adviseCommand;
extern const Command algorithmsCommand;
extern const Command analyzeCommand;
extern const Command cacheCommand;
extern const Command charmCommand;
extern const Command checkCommand;
extern const Command commMatrixCommand;
extern const Command compareCommand;
extern const Command criticalPathCommand;
extern const Command efficiencyCommand;
extern const Command foldCommand;
extern const Command graphCommand;
extern const Command histogramCommand;
extern const Command importCommand;
extern const Command infoCommand;
extern const Command mpiCallsCommand;
extern const Command nearCriticalCommand;
extern const Command onlineCommand;
extern const Command openCommand;
extern const Command parallelismCommand;
extern const Command phasesCommand;
extern const Command profileCommand;
extern const Command projectCommand;
extern const Command recordCommand;
extern const Command reduceCommand;
extern const Command renderCommand;
extern const Command replayCommand;
extern const Command reportCommand;
extern const Command selfTestCommand;
extern const Command simulateCommand;
extern const Command slackCommand;
extern const Command sqlCommand;
extern const Command treeCommand;
extern const Command tryCommand;
extern const Command upgradeCommand;
extern const Command usageCommand;
extern const Command waitsCommand;
extern const Command zeroingCommand;

namespace {

constexpr const Command* glanceCommands[] = {&reportCommand, &infoCommand, &renderCommand, &openCommand};
constexpr const Command* timeCommands[] = {&profileCommand,    &usageCommand,   &histogramCommand,
                                           &commMatrixCommand, &projectCommand, &efficiencyCommand};
constexpr const Command* pathCommands[] = {&criticalPathCommand, &zeroingCommand,     &slackCommand,
                                           &nearCriticalCommand, &parallelismCommand, &graphCommand,
                                           &activityTableCommand};
constexpr const Command* adviceCommands[] = {&adviseCommand, &treeCommand, &replayCommand, &tryCommand, &charmCommand};
constexpr const Command* mpiCommands[] = {&waitsCommand, &mpiCallsCommand, &recordCommand, &onlineCommand};
constexpr const Command* iterationCommands[] = {&phasesCommand, &foldCommand};
constexpr const Command* runCommands[] = {&compareCommand, &checkCommand};
constexpr const Command* traceCommands[] = {&importCommand, &reduceCommand, &sqlCommand, &cacheCommand,
                                            &upgradeCommand};
constexpr const Command* processCommands[] = {&analyzeCommand, &algorithmsCommand, &simulateCommand, &selfTestCommand};

// In the order in which --help and the man page list them.
constexpr CommandGroup helpGroups[] = {
    {"A run at a glance", glanceCommands},
    {"Where the time goes", timeCommands},
    {"Its critical path", pathCommands},
    {"What to change", adviceCommands},
    {"MPI programs", mpiCommands},
    {"Iterations", iterationCommands},
    {"Two runs", runCommands},
    {"Traces and data", traceCommands},
    {"Several processes", processCommands},
};

std::vector<const Command*> allOfGroups()
{
    std::vector<const Command*> all;
    for (const CommandGroup& group : helpGroups) all.insert(all.end(), group.commands.begin(), group.commands.end());
    return all;
}

constexpr CommandExample helpTasks[] = {
    {"longpole report run.sts -o run.html", "Why is it slow? What was found, the worst first, as one page"},
    {"longpole waits run.otf2", "MPI: who waited for whom, in which code"},
    {"longpole advise run.sts", "What to change first, and what it would save"},
    {"longpole compare before.sts after.sts", "What changed from one run to the next"},
    {"longpole check after.sts --baseline before.sts --max-duration +5%", "CI: fail when a run became slower"},
};

}  // namespace

std::span<const Command* const> commands()
{
    static const std::vector<const Command*> all = allOfGroups();
    return all;
}

std::span<const CommandGroup> commandGroups() { return helpGroups; }

std::span<const CommandExample> firstSteps() { return helpTasks; }

const Command* findCommand(const QString& name)
{
    const auto all = commands();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Command* command) { return name == QLatin1String(command->name); });
    return found == all.end() ? nullptr : *found;
}

}  // namespace longpole
