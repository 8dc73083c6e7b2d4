// SPDX-License-Identifier: GPL-3.0-or-later
// What commands that read a trace share: opening it, and the part of it that was asked for.
#pragma once

#include "analysis/results/results.h"
#include "app/commandline/commandline.h"
#include "app/common/tracecache.h"

#include <memory>
#include <optional>
#include <vector>

namespace longpole {

ImportOptions importOptions(const CommandLine& line);
// What a command reads for its trace: the one that is named first, and the file of --symbols.
QStringList readFilesOf(const CommandLine& line);

// An open trace with the place to ask about it.
struct CommandTrace : OpenedTrace {
    std::shared_ptr<Results> results{};
};

// Opens the command's TRACE, after importing it if need be, with progress on a terminal.
Result<CommandTrace> openTrace(const CommandLine& line);
Result<CommandTrace> openTrace(const CommandLine& line, const QString& path);  // for commands of several traces

// The range and the processors that --range and --pes name; without the option an empty range or list, which means all.
// Empty after a usage error, which was printed.
std::optional<TimeRange> chosenRange(const CommandLine& line, const TraceInfo& info);
std::optional<std::vector<ProcessorId>> chosenProcessors(const CommandLine& line, const TraceInfo& info);

// The processors that an option names, of `count`. Empty after a usage error, which was printed.
std::optional<std::vector<ProcessorId>> processorsOf(const CommandLine& line, const char* option, std::int64_t count,
                                                     Vocabulary words);

// Whether the run has the task that --to names. False after a usage error, which was printed.
bool hasTask(const CommandLine& line, const TraceStore& store, TaskId task);

}  // namespace longpole
