// SPDX-License-Identifier: GPL-3.0-or-later
// longpole critical-path --streaming: Hollingsworth's algorithm over a trace.
#pragma once

#include "app/commandline/commandline.h"

namespace longpole {

// True after a usage error, which was printed: an option needs --streaming, or does not go with it.
bool refusesStreamingOptions(const CommandLine& line);

ExitCode runStreamingPath(const CommandLine& line);

}  // namespace longpole
