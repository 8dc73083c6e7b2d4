// SPDX-License-Identifier: GPL-3.0-or-later
// The list of all commands, from which --help, the man page, shell completion and tests are made.
#pragma once

#include "app/commandline/commandline.h"

#include <span>

namespace longpole {

std::span<const Command* const> commands();

// Null if no command has that name.
const Command* findCommand(const QString& name);

}  // namespace longpole
