// SPDX-License-Identifier: GPL-3.0-or-later
// The explicit list of commands: --help, the man page, shell completion and the tests are driven from it.
#pragma once

#include "app/commandline/commandline.h"

#include <span>

namespace longpole {

std::span<const Command* const> commands();

// Null if there is none of that name.
const Command* findCommand(const QString& name);

}  // namespace longpole
