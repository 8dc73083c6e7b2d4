// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/commands.h"

#include <algorithm>
#include <iterator>

namespace longpole {

// Each is defined in the file of its name.
extern const Command activityTableCommand;
extern const Command adviseCommand;
extern const Command cacheCommand;
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
extern const Command nearCriticalCommand;
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
extern const Command slackCommand;
extern const Command sqlCommand;
extern const Command treeCommand;
extern const Command usageCommand;
extern const Command waitsCommand;
extern const Command zeroingCommand;

namespace {

// In the order in which --help and the man page list them.
constexpr const Command* allCommands[] = {
    &importCommand,       &infoCommand,         &profileCommand, &usageCommand,         &histogramCommand,
    &commMatrixCommand,   &criticalPathCommand, &projectCommand, &activityTableCommand, &slackCommand,
    &nearCriticalCommand, &phasesCommand,       &foldCommand,    &efficiencyCommand,    &parallelismCommand,
    &graphCommand,        &reduceCommand,       &zeroingCommand, &compareCommand,       &checkCommand,
    &replayCommand,       &adviseCommand,       &treeCommand,    &waitsCommand,         &reportCommand,
    &renderCommand,       &sqlCommand,          &cacheCommand,   &recordCommand,        &openCommand,
};

}  // namespace

std::span<const Command* const> commands() { return allCommands; }

const Command* findCommand(const QString& name)
{
    const auto found = std::find_if(std::begin(allCommands), std::end(allCommands),
                                    [&](const Command* command) { return name == QLatin1String(command->name); });
    return found == std::end(allCommands) ? nullptr : *found;
}

}  // namespace longpole
