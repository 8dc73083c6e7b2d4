// SPDX-License-Identifier: GPL-3.0-or-later
// The list of all commands, from which --help, the man page, shell completion and tests are made.
#pragma once

#include "app/commandline/commandline.h"

#include <span>

namespace longpole {

std::span<const Command* const> commands();

// The same, by what they are for, as --help shows them.
struct CommandGroup {
    const char* title;
    std::span<const Command* const> commands;
};
std::span<const CommandGroup> commandGroups();

// What most people come for, as --help begins with it.
std::span<const CommandExample> firstSteps();

// Null if no command has that name.
const Command* findCommand(const QString& name);

}  // namespace longpole
