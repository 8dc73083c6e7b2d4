// What commands that read a trace have in common: opening it, and the sub-range that was asked for.
#pragma once

#include "app/commands/commandline.h"
#include "app/tracecache.h"

namespace longpole {

ImportOptions importOptions(const CommandLine& line);

// Opens the command's TRACE, importing it with progress on a terminal where it has to be.
Result<OpenedTrace> openTrace(const CommandLine& line);

}  // namespace longpole
