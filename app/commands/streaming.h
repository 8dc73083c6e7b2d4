// SPDX-License-Identifier: GPL-3.0-or-later
// longpole critical-path --streaming: Hollingsworth's algorithm over a trace.
#pragma once

#include "app/commandline/commandline.h"

namespace longpole {

// A usage error was said, for an option that only goes with --streaming or does not go with it.
bool refusesStreamingOptions(const CommandLine& line);

ExitCode runStreamingPath(const CommandLine& line);

}  // namespace longpole
