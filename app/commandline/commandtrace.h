// SPDX-License-Identifier: GPL-3.0-or-later
// What commands that read a trace have in common: opening it, and the sub-range that was asked for.
#pragma once

#include "analysis/results/results.h"
#include "app/commandline/commandline.h"
#include "app/common/tracecache.h"

#include <memory>
#include <optional>
#include <vector>

namespace longpole {

ImportOptions importOptions(const CommandLine& line);

// An open trace, and where to ask about it.
struct CommandTrace : OpenedTrace {
    std::shared_ptr<Results> results{};
};

// Opens the command's TRACE, importing it with progress on a terminal where it has to be.
Result<CommandTrace> openTrace(const CommandLine& line);
Result<CommandTrace> openTrace(const CommandLine& line, const QString& path);  // of those that take several

// What --range and --pes name; an empty range or list without the option: all. Empty after a usage error, which was
// said.
std::optional<TimeRange> chosenRange(const CommandLine& line, const TraceInfo& info);
std::optional<std::vector<ProcessorId>> chosenProcessors(const CommandLine& line, const TraceInfo& info);

}  // namespace longpole
